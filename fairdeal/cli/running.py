"""`fairdeal operator`: what an operator says to a running service, by its API and the operator's token."""

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import typer

from fairdeal.cli.arguments import (
    EVERYBODY,
    Account,
    Amount,
    Asset,
    Match,
    Reason,
    Reference,
    TransactionId,
    Url,
    Who,
    Withdrawal,
)
from fairdeal.errors import Unauthenticated

if TYPE_CHECKING:
    from fairdeal.cli.answers import Money, Switches
    from fairdeal.client import Api
    from fairdeal.client.api import Answer

app = typer.Typer(
    name="operator",
    help="Answer the cashier, stop play, reset or erase an account, on a running service."
    " The token is FAIRDEAL_OPERATOR_TOKEN.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Role = Literal["operator", "auditor"]


@app.command()
def deposit(account: Account, amount: Amount, reference: Reference, url: Url, asset: Asset = None) -> None:
    """Give an account money that has come in."""
    with role_api("operator", url) as api:
        done = api.deposit(account, amount, reference, asset)
    _echo_moved(done)


@app.command()
def withdrawals(url: Url) -> None:
    """List the withdrawals that wait for an answer, newest first: id, account, amount, asset, since when."""
    from fairdeal.cli.answers import Pending, read
    from fairdeal.client import every

    with role_api("operator", url) as api:
        waiting = [read(Pending, one) for one in every(api.pending_withdrawals, "withdrawals")]
    for one in waiting:
        asked_at = datetime.fromtimestamp(one.asked_at / 1000, UTC).isoformat(timespec="seconds")
        typer.echo(f"{one.id}  {one.account}  {_money(one, one.amount)}  {asked_at}")
    if not waiting:
        typer.echo("no withdrawal waits", err=True)


@app.command()
def pay(withdrawal: Withdrawal, url: Url) -> None:
    """Say that a withdrawal was paid out. Pay first: only `reverse` undoes it."""
    _end(withdrawal, "paid", url)


@app.command()
def refuse(withdrawal: Withdrawal, url: Url) -> None:
    """Refuse a withdrawal: the whole amount comes back to the player."""
    _end(withdrawal, "refused", url)


@app.command()
def reverse(transaction: TransactionId, reason: Reason, url: Url) -> None:
    """Undo a deposit or a payout that should not have been, whole and once."""
    with role_api("operator", url) as api:
        # It happens once by the transaction's id. A key of that would repeat a refusal for ever, and money comes back.
        done = api.reverse(transaction, reason, secrets.token_hex(16))
    _echo_moved(done)


@app.command()
def stop(who: Who, reason: Reason, url: Url) -> None:
    """Stop an account's play, or everybody's: what has begun goes on to its end."""
    _switch(who, "off", reason, url)


@app.command()
def resume(who: Who, reason: Reason, url: Url) -> None:
    """Let what was stopped go on."""
    _switch(who, "on", reason, url)


@app.command()
def stopped(url: Url) -> None:
    """List whom play is stopped for, and why."""
    with role_api("operator", url) as api:
        _echo_stopped(_stopped(api.switches()))


@app.command()
def reset(account: Account, reason: Reason, url: Url) -> None:
    """End an account's password and logins, and print the recovery code to hand over to its owner."""
    from fairdeal.cli.answers import Reset, read

    with role_api("operator", url) as api:
        typer.echo(read(Reset, api.reset(account, reason)).recovery_code)


@app.command()
def erase(account: Account, reason: Reason, url: Url) -> None:
    """Take the person out of an account, for ever: name, password and logins go. What was played and paid stays."""
    with role_api("operator", url) as api:
        api.erase(account, reason)
    typer.echo(f"{account}  erased")


@app.command()
def void(m: Match, url: Url) -> None:
    """End a match void, or a table that not all have joined cancelled, with all stakes back."""
    from fairdeal.cli.answers import Table, read

    with role_api("operator", url) as api:
        typer.echo(f"{m}  {read(Table, api.void_match(m)).status}")


def role_api(role: Role, url: str) -> "Api":
    """The service at that address, in the name of the role. Raises Unauthenticated without its token; Malformed."""
    from fairdeal.cli.operator import read_settings
    from fairdeal.client import Api

    settings = read_settings()
    token = settings.operator_token if role == "operator" else settings.auditor_token
    if token is None:
        raise Unauthenticated(f"the token goes into FAIRDEAL_{role.upper()}_TOKEN")
    return Api(url, token.get_secret_value())


def _end(withdrawal: str, result: str, url: str) -> None:
    from fairdeal.cli.answers import Withdrawal, read

    with role_api("operator", url) as api:
        ended = read(Withdrawal, api.end_withdrawal(withdrawal, result, f"{result}-{withdrawal}"))
    typer.echo(f"{ended.id}  {_money(ended, ended.amount)}  {ended.status}")


def _echo_moved(done: "Answer") -> None:
    from fairdeal.cli.answers import Moved, read

    moved = read(Moved, done)
    typer.echo(f"{moved.transaction}  {_money(moved, moved.amount)}  balance {_money(moved, moved.balance)}")


def _money(told: "Money", units: int) -> str:
    """With the decimals of its asset; in its smallest unit where the service does not know these any more."""
    from fairdeal.ledger import format_amount

    amount = units if told.exponent is None else format_amount(units, told.exponent)
    return f"{amount} {told.asset}"


def _switch(who: str, play: str, reason: str, url: str) -> None:
    with role_api("operator", url) as api:
        _echo_stopped(_stopped(api.switch(None if who == EVERYBODY else who, play, reason)))


def _stopped(told: "Answer") -> "Switches":
    from fairdeal.cli.answers import Switches, read

    return read(Switches, told)


def _echo_stopped(told: "Switches") -> None:
    for one in told.off:
        typer.echo(f"{one.account or EVERYBODY}  {one.reason}")
    if not told.off:
        typer.echo("the operator has stopped nobody's play", err=True)
