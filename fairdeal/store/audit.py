"""What an auditor reads beside the log: the journal, who a pseudonym is, and significant events. Inside the caller's
transaction.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, exists, insert, literal, select

from fairdeal import canonical
from fairdeal.app.ports import SeatedPlayer, SignificantEvent, SignificantKind
from fairdeal.errors import RecordsBroken
from fairdeal.store.numbering import take
from fairdeal.store.rows import roster, seats, significant_events, transactions

_LOOKED_AT: Final = 100
"""Significant events of a kind that are read at once when one about something is looked for."""
_SEATED: Final = (seats.c.account_id, seats.c.match_id, seats.c.player, seats.c.seat)


def journal(connection: Connection, start: int, limit: int) -> tuple[bytes, ...]:
    """The lines of the transactions from index `start` on. Raises RecordsBroken when one is missing between them."""
    lines = select(transactions.c.seq, transactions.c.line)
    return tuple(line for (line,) in _numbered(connection, lines, transactions.c.seq, start, limit))


def roster_lines(connection: Connection, start: int, limit: int) -> tuple[SeatedPlayer, ...]:
    """The seats from index `start` on. Raises RecordsBroken when one is missing between them."""
    lines = select(roster.c.seq, *_SEATED).outerjoin(seats, seats.c.player == roster.c.player)
    return tuple(SeatedPlayer(*row) for row in _numbered(connection, lines, roster.c.seq, start, limit))


def enrol(connection: Connection, match_id: str) -> None:
    """The seats of a match that all have joined, by their number; once each."""
    here = (seats.c.match_id == match_id) & ~exists().where(roster.c.player == seats.c.player)
    players = connection.execute(select(seats.c.player).where(here).order_by(seats.c.seat)).scalars().all()
    if players:
        first = take(connection, "roster", len(players))
        rows = [{"seq": seq, "player": player} for seq, player in enumerate(players, first)]
        connection.execute(insert(roster), rows)


def identify(connection: Connection, player: str, reason: str, at: int) -> SeatedPlayer | None:
    """Whose pseudonym it is, with a significant event that says that it was asked."""
    row = connection.execute(select(*_SEATED).where(seats.c.player == player)).one_or_none()
    found = None if row is None else SeatedPlayer(*row)
    m, seat = (None, None) if found is None else (found.match_id, found.seat)
    asked = {"m": m, "player": player, "reason": reason, "seat": seat}
    keep(connection, SignificantEvent(at, "identify", asked))
    return found


def keep(connection: Connection, event: SignificantEvent) -> None:
    """For ever."""
    data = canonical.encode(dict(event.data)).decode()
    connection.execute(insert(significant_events).values(at=event.at, kind=event.kind, data=data))


def significant_events_before(
    connection: Connection, before: int | None, limit: int, kind: SignificantKind | None = None
) -> tuple[SignificantEvent, ...]:
    """Newest first, of one kind where one is named."""
    some = select(significant_events).order_by(significant_events.c.seq.desc()).limit(limit)
    if before is not None:
        some = some.where(significant_events.c.seq < before)
    if kind is not None:
        # Spelled out, so that PostgreSQL knows how rare the kind is: a plan for all kinds reads through the others.
        some = some.where(significant_events.c.kind == literal(kind, literal_execute=True))
    return tuple(map(_significant, connection.execute(some)))


def last_significant(
    connection: Connection, kind: SignificantKind, about: Mapping[str, str | int | None]
) -> SignificantEvent | None:
    """From the newest significant event backwards, in pages; about nothing it is the newest one."""
    before, limit = None, _LOOKED_AT if about else 1
    while page := significant_events_before(connection, before, limit, kind):
        for event in page:
            if about.items() <= event.data.items():
                return event
        before = page[-1].seq
    return None


def _significant(row: Row[Any]) -> SignificantEvent:
    return SignificantEvent(row.at, row.kind, json.loads(row.data), row.seq)


def _numbered(
    connection: Connection, lines: Select[Any], seq: ColumnElement[int | None], start: int, limit: int
) -> list[tuple[Any, ...]]:
    """Rows by their place: they are numbered from 1 without a gap."""
    rows = connection.execute(lines.where(seq.between(start + 1, start + limit)).order_by(seq)).all()
    if [row.seq for row in rows] != list(range(start + 1, start + 1 + len(rows))):
        raise RecordsBroken("a numbered record is missing")
    return [tuple(row)[1:] for row in rows]
