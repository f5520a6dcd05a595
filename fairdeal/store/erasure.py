"""Taking the person out of an account. Inside the caller's transaction."""

from sqlalchemy import Connection, delete, exists, func, select, update

from fairdeal.app.ports import SignificantEvent
from fairdeal.errors import AccountInUse
from fairdeal.ledger import cash, held, pending
from fairdeal.store import audit, safeguards
from fairdeal.store.people import lock_account
from fairdeal.store.rows import accounts, balances, entries, matches, seats, sessions, transactions, unfinished


def erase(connection: Connection, account_id: str, password_hash: str, reason: str, at: int, kept_ms: int) -> None:
    """The id stays, since the journal, seats and limits have it; name, password, code and logins go. Raises
    UnknownAccount, AccountInUse.
    """
    lock_account(connection, account_id)
    _check_unused(connection, account_id, at, kept_ms)
    nobody = {"name": f"erased:{account_id}", "name_key": f"erased:{account_id}"}  # no name that can be chosen has a :
    connection.execute(
        update(accounts)
        .where(accounts.c.id == account_id)
        .values(**nobody, password_hash=password_hash, recovery_hash=None, erased_at=at)
    )
    connection.execute(delete(sessions).where(sessions.c.account_id == account_id))
    audit.keep(connection, SignificantEvent(at, "erasure", {"account": account_id, "reason": reason}))


def _check_unused(connection: Connection, account_id: str, at: int, kept_ms: int) -> None:
    own = [name(account_id) for name in (cash, held, pending)]
    money = exists().where(balances.c.account.in_(own), balances.c.balance != 0)
    here = exists().where(seats.c.match_id == matches.c.id, seats.c.account_id == account_id)
    playing = exists().where(unfinished, (matches.c.opener == account_id) | here)
    last_seat = select(func.max(seats.c.sat_at)).where(seats.c.account_id == account_id)
    last_money = select(func.max(transactions.c.at)).where(
        transactions.c.id.in_(select(entries.c.transaction_id).where(entries.c.account.in_(own)))
    )
    # Matches before money: one that ends in between has paid out by the second look, and nothing new begins.
    if connection.execute(select(playing)).scalar_one():
        raise AccountInUse("the account has a table or a match that has not ended", {"why": "match"})
    if connection.execute(select(money)).scalar_one():
        raise AccountInUse("the account has money: it is paid out first", {"why": "money"})
    if safeguards.exclusion(connection, account_id, at) is not None:
        raise AccountInUse("its owner has stopped its play, and is known as long as that lasts", {"why": "exclusion"})
    used = [connection.execute(last).scalar_one() or 0 for last in (last_seat, last_money)]
    if any(last and at - last < kept_ms for last in used):
        raise AccountInUse("the account is kept for longer after its last use", {"why": "too_soon"})
