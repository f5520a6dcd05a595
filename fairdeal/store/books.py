"""The books: posting transactions (balances, entries, header, the holds that follow), and what stands in them. Inside
the caller's transaction.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Row, cast, exists, func, select

from fairdeal.app.ports import Status, Wallet
from fairdeal.errors import InsufficientFunds, LedgerBroken, LimitExceeded, Malformed
from fairdeal.ledger import (
    CASHIER,
    Books,
    Kind,
    Posting,
    Purpose,
    Transaction,
    cash,
    held,
    owner,
    pending,
    pot,
    purpose,
)
from fairdeal.store.cashier_rows import withdrawals
from fairdeal.store.procedures import Unmet, Values, perform
from fairdeal.store.programs import OUT_OF_BOUNDS, POST
from fairdeal.store.rows import balances, entries, hold_endings, holds, matches, transactions

# Two transactions that need the same balances take them in the same order, and neither waits for the other for ever. A
# player's three stand together.
_LOCK_ORDER: Final[dict[Purpose, int]] = {
    "pot": 0,
    "cash": 1,
    "held": 1,
    "pending": 1,
    "commission": 2,
    "tax": 3,
    "cashier": 4,
}


def post(connection: Connection, transaction: Transaction) -> None:
    """Entries first, header last: the header is the seal.

    Raises InsufficientFunds when a player's free money does not suffice, LimitExceeded when no more money may come
    in, LedgerBroken when any other account would pass its bounds, a hold is not there to end, or the match is of
    another asset.
    """
    with refusals(transaction):
        perform(connection, POST, posted(transaction))


def posted(transaction: Transaction | None) -> Values:
    """A transaction, or none, as the programs take it."""
    if transaction is None:
        return dict.fromkeys(POST.arguments) | {rows: [] for rows in POST.rows}
    holds = [posting for posting in transaction.postings if purpose(posting.account) == "held"]
    return {
        "id": transaction.id,
        "kind": transaction.kind.value,
        "match": transaction.match,
        "asset": transaction.asset,
        "at": transaction.at,
        "line": transaction.canonical(),
        "moves": [_row(posting) for posting in _in_lock_order(transaction)],
        "postings": [_row(posting) for posting in transaction.postings],
        "held": [_hold(posting) for posting in holds if posting.amount > 0],
        "released": [_hold(posting) for posting in holds if posting.amount < 0],
    }


@contextmanager
def refusals(transaction: Transaction | None) -> Iterator[None]:
    """Around a program that posts it: what it was refused for, as `post` says."""
    try:
        yield
    except Unmet as unmet:
        if transaction is not None and unmet.reason == OUT_OF_BOUNDS and unmet.place is not None:
            raise _out_of_bounds(_in_lock_order(transaction)[unmet.place]) from None
        raise LedgerBroken(unmet.reason) from None


def lock_seat_money(connection: Connection, account_id: str) -> None:
    """Takes a player's free and held money of every asset, for several transactions that follow: the first of them
    takes its number, and nobody may wait for a balance with that.
    """
    own = balances.c.account.in_((cash(account_id), held(account_id)))
    in_order = select(balances.c.account).where(own).order_by(balances.c.account, balances.c.asset)
    connection.execute(in_order.with_for_update(key_share=True))


def balance(connection: Connection, account: str, asset: str) -> int:
    """What stands on a ledger account; 0 where nothing ever did."""
    mine = select(balances.c.balance).where(balances.c.account == account, balances.c.asset == asset)
    amount: int | None = connection.execute(mine).scalar_one_or_none()
    return amount or 0


def wallet(connection: Connection, account_id: str, asset: str) -> Wallet:
    """A player's balances."""
    return Wallet(*(balance(connection, name(account_id), asset) for name in (cash, held, pending)))


def held_assets(connection: Connection) -> frozenset[str]:
    """Those of which not every balance is zero. Then the cashier's is not: it is minus the sum of all others, and none
    of these is below zero.
    """
    some = select(balances.c.asset).where(balances.c.account == CASHIER, balances.c.balance != 0)
    return frozenset(connection.execute(some).scalars())


def of_asset(connection: Connection, asset: str) -> Books:
    """Every record of one asset that must agree with the others."""
    kept = connection.execute(select(balances.c.account, balances.c.balance).where(balances.c.asset == asset))
    sums = connection.execute(
        select(entries.c.account, _sum(entries.c.amount)).where(entries.c.asset == asset).group_by("account")
    )
    open_holds = connection.execute(
        select(holds.c.account_id, _sum(holds.c.amount))
        .join(matches, matches.c.id == holds.c.match_id)
        .where(matches.c.asset == asset, ~exists().where(hold_endings.c.hold_id == holds.c.id))
        .group_by(holds.c.account_id)
    )
    pots = connection.execute(
        select(matches.c.id, matches.c.stake * matches.c.seats).where(
            matches.c.asset == asset, matches.c.status == Status.LIVE.value, matches.c.stake > 0
        )
    )
    waiting = connection.execute(
        select(withdrawals.c.account_id, _sum(withdrawals.c.amount))
        .where(withdrawals.c.asset == asset, withdrawals.c.result.is_(None))
        .group_by(withdrawals.c.account_id)
    )
    return Books(
        balances=dict(kept.all()),
        entries=dict(sums.all()),
        holds={held(account_id): amount for account_id, amount in open_holds},
        pending={pending(account_id): amount for account_id, amount in waiting},
        pots={pot(match_id): amount for match_id, amount in pots},
    )


def stored_transactions(connection: Connection, ids: Sequence[str]) -> dict[str, Transaction]:
    """By id, from headers and entries. Raises LedgerBroken, Malformed for what is no transaction."""
    rows = select(entries.c.transaction_id, entries.c.account, entries.c.amount).order_by(entries.c.seq)
    postings: dict[str, list[Posting]] = {}
    for transaction_id, account, amount in connection.execute(rows.where(entries.c.transaction_id.in_(ids))):
        postings.setdefault(transaction_id, []).append(Posting(account, amount))
    headers = connection.execute(select(transactions).where(transactions.c.id.in_(ids))).all()
    return {row.id: _transaction(row, postings.get(row.id, [])) for row in headers}


def _sum(amounts: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.sum(amounts), BigInteger)  # PostgreSQL's sums are decimals


def _in_lock_order(transaction: Transaction) -> list[Posting]:
    return sorted(transaction.postings, key=_lock_order)


def _lock_order(posting: Posting) -> tuple[int, str]:
    return _LOCK_ORDER[purpose(posting.account)], posting.account


def _row(posting: Posting) -> Values:
    return {"account": posting.account, "amount": posting.amount}


def _hold(posting: Posting) -> Values:
    """A posting into held money is a new hold; one out of it ends exactly one, whole."""
    return {"account_id": owner(posting.account), "amount": abs(posting.amount)}


def _out_of_bounds(posting: Posting) -> InsufficientFunds | LimitExceeded | LedgerBroken:
    if posting.amount > 0 or posting.account == CASHIER:
        return LimitExceeded("no more money may come in")
    if purpose(posting.account) == "cash":
        return InsufficientFunds("the free balance does not suffice")
    return LedgerBroken(f"{posting.account} would pass its bounds")


def _transaction(row: Row[Any], postings: list[Posting]) -> Transaction:
    try:
        return Transaction(row.id, Kind(row.kind), row.asset, row.at, tuple(postings), row.match_id)
    except (LedgerBroken, Malformed) as error:
        raise LedgerBroken(f"{row.id}: {error.message}") from None
