"""What the records of matches are made of, by a few statements a page. Inside the caller's transaction."""

from collections.abc import Mapping

from sqlalchemy import Connection, select

from fairdeal.app.record_ports import MatchEntry, MatchFacts, SeatFacts
from fairdeal.store import history
from fairdeal.store.rows import entries, events, match_endings, matches, seats, transactions


def match_facts(connection: Connection, before: int | None, limit: int) -> tuple[MatchFacts, ...]:
    """The last one opened first."""
    some = (
        select(
            matches.c.seq,
            matches.c.id.label("match_id"),
            matches.c.status,
            matches.c.opener,
            matches.c.visibility,
            matches.c.created_at.label("opened_at"),
            match_endings.c.at.label("ended_at"),
            matches.c.size,
        )
        .outerjoin(match_endings, match_endings.c.match_id == matches.c.id)
        .order_by(matches.c.seq.desc())
        .limit(limit)
    )
    if before is not None:
        some = some.where(matches.c.seq < before)
    rows = connection.execute(some).mappings().all()
    ids = [row["match_id"] for row in rows]
    heads, seated, moved = _heads(connection, ids), _seated(connection, ids), _moved(connection, ids)
    last = history.last_events(connection, [row["match_id"] for row in rows if row["ended_at"] is not None])
    return tuple(
        MatchFacts(
            **row,
            head=heads[row["match_id"]],
            last=last.get(row["match_id"], ()),
            seated=seated.get(row["match_id"], ()),
            entries=moved.get(row["match_id"], ()),
        )
        for row in rows
    )


def _heads(connection: Connection, ids: list[str]) -> Mapping[str, tuple[bytes, ...]]:
    """`open`, joins, seeds, and the event after them."""
    first = select(events.c.match_id, events.c.line).join(matches, matches.c.id == events.c.match_id)
    first = first.where(matches.c.id.in_(ids), events.c.n <= 2 * matches.c.seats + 1).order_by(events.c.n)
    return history.by_match(connection, first, bytes)


def _seated(connection: Connection, ids: list[str]) -> Mapping[str, tuple[SeatFacts, ...]]:
    sitting = select(seats.c.match_id, seats.c.seat, seats.c.account_id, seats.c.player, seats.c.sat_at)
    return history.by_match(connection, sitting.where(seats.c.match_id.in_(ids)).order_by(seats.c.seat), SeatFacts)


def _moved(connection: Connection, ids: list[str]) -> Mapping[str, tuple[MatchEntry, ...]]:
    moved = (
        select(
            transactions.c.match_id,
            transactions.c.id,
            transactions.c.kind,
            transactions.c.at,
            entries.c.account,
            entries.c.amount,
            entries.c.balance,
        )
        .join(entries, entries.c.transaction_id == transactions.c.id)
        .where(transactions.c.match_id.in_(ids))
        .order_by(transactions.c.seq, entries.c.seq)
    )
    return history.by_match(connection, moved, MatchEntry)
