"""Accounts and their logins. Inside the caller's transaction; what takes a `Database` reads a moment by itself."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, select, update

from fairdeal.app.ports import Account, Session, SignificantEvent
from fairdeal.errors import CredentialsRefused, NameTaken, UnknownAccount
from fairdeal.store import audit
from fairdeal.store.database import Database
from fairdeal.store.dialects import NUL, insert_unless_there, lock
from fairdeal.store.rows import accounts, sessions

_ACCOUNT = (
    accounts.c.id,
    accounts.c.name,
    accounts.c.kind,
    accounts.c.password_hash,
    accounts.c.created_at,
    accounts.c.recovery_hash,
    accounts.c.erased_at,
)

_OF_LOGIN = (
    select(*_ACCOUNT)
    .join(sessions, sessions.c.account_id == accounts.c.id)
    .where(sessions.c.token_hash == bindparam("token_hash"), sessions.c.expires_at > bindparam("now"))
)
_LOGINS: Final = 16
"""Looked up with one statement."""
_HASHES: Final = tuple(f"hash_{number}" for number in range(_LOGINS))
_OF_LOGINS = (
    select(sessions.c.token_hash, *_ACCOUNT)
    .join(sessions, sessions.c.account_id == accounts.c.id)
    .where(sessions.c.token_hash.in_([bindparam(name) for name in _HASHES]), sessions.c.expires_at > bindparam("now"))
)


def create_account(connection: Connection, account: Account) -> None:
    """Raises NameTaken."""
    new = insert_unless_there(accounts, "name_key").values(
        id=account.id,
        name=account.name,
        name_key=account.name.casefold(),
        kind=account.kind,
        password_hash=account.password_hash,
        created_at=account.created_at,
        recovery_hash=account.recovery_hash,
    )
    if connection.execute(new.returning(accounts.c.id)).one_or_none() is None:
        raise NameTaken("another account has that name")


def account(connection: Connection, account_id: str) -> Account | None:
    """By its id."""
    return _one(connection, accounts.c.id == account_id)


def account_named(connection: Connection, name: str) -> Account | None:
    """By its name, whatever its capitals."""
    return None if NUL in name else _one(connection, accounts.c.name_key == name.casefold())


def check_account(connection: Connection, account_id: str) -> None:
    """Raises UnknownAccount, also for one that was erased."""
    found = account(connection, account_id)
    if found is None or found.erased_at is not None:
        raise UnknownAccount("there is no such account")


def lock_account(connection: Connection, account_id: str) -> None:
    """Whatever is decided by the account's rules waits for the end of the transaction. Raises UnknownAccount.

    An account is locked before a match, and both before balances.
    """
    lock(connection, accounts, accounts.c.id == account_id)
    check_account(connection, account_id)


def open_session(connection: Connection, session: Session, now: int, password_hash: str) -> None:
    """Raises UnknownAccount, CredentialsRefused."""
    lock_account(connection, session.account_id)
    _check_unchanged(connection, session.account_id, accounts.c.password_hash == password_hash)
    # Those that another login drops at the same time are left to it: two never wait for each other.
    expired = select(sessions.c.token_hash).where(sessions.c.expires_at <= now).with_for_update(skip_locked=True)
    connection.execute(delete(sessions).where(sessions.c.token_hash.in_(expired)))
    new = insert(sessions).values(
        token_hash=session.token_hash, account_id=session.account_id, expires_at=session.expires_at
    )
    connection.execute(new)


def session_account(database: Database, token_hash: bytes, now: int) -> Account | None:
    """Whose live login this is."""
    rows = database.fetch(_OF_LOGIN, token_hash=token_hash, now=now)
    return Account(*rows[0]) if rows else None


def session_accounts(database: Database, token_hashes: Sequence[bytes], now: int) -> dict[bytes, Account]:
    """Whose live logins these are, by the hash."""
    found: dict[bytes, Account] = {}
    for start in range(0, len(token_hashes), _LOGINS):
        some = token_hashes[start : start + _LOGINS]
        values = {name: some[number % len(some)] for number, name in enumerate(_HASHES)}
        found |= {token_hash: Account(*row) for token_hash, *row in database.fetch(_OF_LOGINS, now=now, **values)}
    return found


def close_session(connection: Connection, token_hash: bytes) -> None:
    """Nothing to do when there is none."""
    connection.execute(delete(sessions).where(sessions.c.token_hash == token_hash))


def close_sessions(connection: Connection, account_id: str) -> None:
    """All those of an account."""
    connection.execute(delete(sessions).where(sessions.c.account_id == account_id))


def renew_recovery(connection: Connection, account_id: str, password_hash: str, code_hash: bytes) -> None:
    """Raises CredentialsRefused."""
    lock_account(connection, account_id)
    _check_unchanged(connection, account_id, accounts.c.password_hash == password_hash)
    connection.execute(update(accounts).where(accounts.c.id == account_id).values(recovery_hash=code_hash))


def recover(
    connection: Connection, account_id: str, code_hash: bytes, password_hash: str, next_code_hash: bytes
) -> None:
    """Raises CredentialsRefused."""
    lock_account(connection, account_id)
    _check_unchanged(connection, account_id, accounts.c.recovery_hash == code_hash)
    _replace(connection, account_id, password_hash, next_code_hash)


def reset(connection: Connection, account_id: str, password_hash: str, code_hash: bytes, reason: str, at: int) -> None:
    """Raises UnknownAccount."""
    lock_account(connection, account_id)
    _replace(connection, account_id, password_hash, code_hash)
    audit.keep(connection, SignificantEvent(at, "reset", {"account": account_id, "reason": reason}))


def _check_unchanged(connection: Connection, account_id: str, still: ColumnElement[bool]) -> None:
    if _one(connection, (accounts.c.id == account_id) & still) is None:
        raise CredentialsRefused("the account's password or code has changed meanwhile")


def _replace(connection: Connection, account_id: str, password_hash: str, code_hash: bytes) -> None:
    new = update(accounts).where(accounts.c.id == account_id)
    connection.execute(new.values(password_hash=password_hash, recovery_hash=code_hash))
    close_sessions(connection, account_id)


def _one(connection: Connection, which: ColumnElement[bool]) -> Account | None:
    row = connection.execute(select(*_ACCOUNT).where(which)).one_or_none()
    return None if row is None else Account(*row)
