"""What lies behind a player: lines of free money, statements, own matches. Inside the caller's transaction.

Each of these reads by an index as much as it gives back, however much there is.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, case, func, select

from fairdeal.app.history_ports import OwnMatch, Statement, Total, WalletLine
from fairdeal.ledger import cash
from fairdeal.store.rows import entries, events, match_endings, matches, seats, transactions

Made = TypeVar("Made")

_LAST: Final = 3
"""`end`, `reveal` and `settle`: the last events of a match that has ended."""


def wallet_lines(
    connection: Connection, account_id: str, asset: str, before: int | None, limit: int
) -> tuple[WalletLine, ...]:
    """The entries on a player's free money, newest first."""
    mine = _lines(account_id, asset).order_by(entries.c.seq.desc()).limit(limit)
    if before is not None:
        mine = mine.where(entries.c.seq < before)
    return tuple(WalletLine(*row) for row in connection.execute(mine))


def statement(connection: Connection, account_id: str, asset: str, start: int, end: int) -> Statement:
    """What the entries from `start` up to `end` come to, and the balances around them."""
    first, last = (
        _newest_at(connection, account_id, asset, place_before(connection, account_id, asset, at))
        for at in (start, end)
    )
    kinds = select(transactions.c.kind, func.count(), func.sum(entries.c.amount))
    kinds = kinds.join(transactions, transactions.c.id == entries.c.transaction_id)
    kinds = kinds.where(*_between(account_id, asset, first.seq, last.seq)).group_by(transactions.c.kind)
    totals = [Total(kind, lines, int(amount)) for kind, lines, amount in connection.execute(kinds)]
    return Statement(
        opening=first.balance,
        totals=tuple(sorted(totals, key=lambda total: total.kind)),
        closing=last.balance,
        after=first.seq,
        last=last.seq,
    )


def statement_lines(
    connection: Connection, account_id: str, asset: str, after: int, last: int, limit: int
) -> tuple[WalletLine, ...]:
    """The entries above `after` up to `last`, the oldest first."""
    some = _lines(account_id, asset).where(*_between(account_id, asset, after, last))
    return tuple(WalletLine(*row) for row in connection.execute(some.order_by(entries.c.seq).limit(limit)))


def own_matches(connection: Connection, account_id: str, before: int | None, limit: int) -> tuple[OwnMatch, ...]:
    """By when the account sat down, the newest first."""
    mine = (
        select(
            seats.c.seq,
            matches.c.id.label("match_id"),
            seats.c.seat,
            seats.c.player,
            seats.c.sat_at,
            matches.c.stake,
            matches.c.status,
            events.c.line,
            match_endings.c.at.label("ended_at"),
        )
        .join(matches, matches.c.id == seats.c.match_id)
        .join(events, (events.c.match_id == matches.c.id) & (events.c.n == 0))
        .outerjoin(match_endings, match_endings.c.match_id == matches.c.id)
        .where(seats.c.account_id == account_id)
        .order_by(seats.c.seq.desc())
        .limit(limit)
    )
    if before is not None:
        mine = mine.where(seats.c.seq < before)
    rows = connection.execute(mine).mappings().all()
    ended = [row["match_id"] for row in rows if row["ended_at"] is not None]
    last, nets = last_events(connection, ended), _nets(connection, account_id, [row["match_id"] for row in rows])
    return tuple(OwnMatch(**row, last=last.get(row["match_id"], ()), net=nets.get(row["match_id"], 0)) for row in rows)


def _lines(account_id: str, asset: str) -> Select[Any]:
    return (
        select(
            entries.c.seq,
            entries.c.transaction_id,
            transactions.c.kind,
            entries.c.amount,
            entries.c.balance,
            transactions.c.match_id,
            transactions.c.at,
        )
        .join(transactions, transactions.c.id == entries.c.transaction_id)
        .where(entries.c.account == cash(account_id), entries.c.asset == asset)
    )


def place_before(connection: Connection, account_id: str, asset: str, at: int) -> int:
    """Where the account's entries of before `at` end: they have this `seq` or a smaller one.

    A binary search, over the same places whenever it is made: where times go back a little it still finds one place, a
    later time never an earlier place, and what is added afterwards does not move it.
    """
    mine = (entries.c.account == cash(account_id)) & (entries.c.asset == asset)
    newest: int | None = connection.execute(select(func.max(entries.c.seq)).where(mine)).scalar_one()
    # The first entry alone is looked for by the index; a join might be planned from its other end.
    following = select(entries.c.transaction_id).where(mine).order_by(entries.c.seq).limit(1)
    place = 0
    for bit in reversed(range((newest or 0).bit_length())):
        here = following.where(entries.c.seq >= place + (1 << bit)).scalar_subquery()
        found: int | None = connection.execute(
            select(transactions.c.at).where(transactions.c.id == here)
        ).scalar_one_or_none()
        if found is not None and found < at:
            place += 1 << bit
    return place


class _Newest(NamedTuple):
    """An entry's place, and the balance after it; 0 and 0 before the first."""

    seq: int
    balance: int


def _newest_at(connection: Connection, account_id: str, asset: str, place: int) -> _Newest:
    newest = select(entries.c.seq, entries.c.balance).where(*_between(account_id, asset, 0, place))
    row = connection.execute(newest.order_by(entries.c.seq.desc()).limit(1)).one_or_none()
    return _Newest(0, 0) if row is None else _Newest(*row)


def _between(account_id: str, asset: str, after: int, last: int) -> tuple[ColumnElement[bool], ...]:
    mine = entries.c.account == cash(account_id), entries.c.asset == asset
    return *mine, entries.c.seq > after, entries.c.seq <= last


def last_events(connection: Connection, ids: list[str]) -> Mapping[str, tuple[bytes, ...]]:
    """The last events of these matches, which have ended: their `end` is among them, unless they were lost."""
    ends = select(events.c.match_id, events.c.line).join(matches, matches.c.id == events.c.match_id)
    ends = ends.where(matches.c.id.in_(ids), events.c.n >= matches.c.size - _LAST).order_by(events.c.n)
    return by_match(connection, ends, bytes)


def by_match(connection: Connection, rows: Select[Any], make: Callable[..., Made]) -> Mapping[str, tuple[Made, ...]]:
    """What is made of the rows, in their order, under the match that each of them begins with."""
    found: dict[str, list[Made]] = {}
    for match_id, *columns in connection.execute(rows):
        found.setdefault(match_id, []).append(make(*columns))
    return {match_id: tuple(made) for match_id, made in found.items()}


def _nets(connection: Connection, account_id: str, ids: list[str]) -> dict[str, int]:
    # The account is no condition: by it SQLite would look through all that the account ever had.
    mine = case((entries.c.account == cash(account_id), entries.c.amount), else_=0)
    moved = select(transactions.c.match_id, func.sum(mine))
    moved = moved.join(entries, entries.c.transaction_id == transactions.c.id)
    moved = moved.where(transactions.c.match_id.in_(ids)).group_by(transactions.c.match_id)
    return {match_id: int(amount) for match_id, amount in connection.execute(moved)}
