"""What is read of matches: lines, sealed seeds, due times. Inside the caller's transaction; what takes a `Database`
reads a moment by itself.
"""

from typing import Final

from sqlalchemy import BigInteger, Connection, bindparam, func, select

from fairdeal.app.ports import UNFINISHED, Status
from fairdeal.errors import UnknownMatch
from fairdeal.store.database import Database
from fairdeal.store.rows import events, matches, seals, unfinished

# A player may have signed over any size, and a number that is too large for the column's type is a fault.
_LINES: Final = (
    select(events.c.line)
    .where(events.c.match_id == bindparam("match_id"), events.c.n >= bindparam("start", type_=BigInteger))
    .order_by(events.c.n)
)
_OLDEST_OPEN: Final = (
    select(events.c.line)
    .join(matches, events.c.match_id == matches.c.id)
    .where(events.c.n == 0)
    .order_by(matches.c.seq)
).limit(1)

_DUE: Final = (
    select(matches.c.id)
    .where(matches.c.due_at <= bindparam("now"))
    .order_by(matches.c.due_at, matches.c.seq)
    .limit(bindparam("most"))
)


def lines(database: Database, match_id: str, start: int) -> tuple[bytes, ...]:
    """The event lines from index `start` on."""
    return tuple(line for (line,) in database.fetch(_LINES, match_id=match_id, start=start))


def oldest_open(database: Database) -> bytes | None:
    """Event 0 of the match with the lowest number."""
    return next((line for (line,) in database.fetch(_OLDEST_OPEN)), None)


def newest_open(connection: Connection, asset: str) -> bytes | None:
    """Event 0 of the match with the highest number for that asset."""
    of_asset = select(events.c.line).join(matches, matches.c.id == events.c.match_id)
    of_asset = of_asset.where(matches.c.asset == asset, events.c.n == 0)
    line: bytes | None = connection.execute(of_asset.order_by(matches.c.seq.desc()).limit(1)).scalar_one_or_none()
    return line


def sealed_seed(connection: Connection, match_id: str) -> bytes:
    """Raises UnknownMatch."""
    sealed: bytes | None = connection.execute(
        select(seals.c.sealed).where(seals.c.match_id == match_id)
    ).scalar_one_or_none()
    if sealed is None:
        raise UnknownMatch("there is no such match")
    return sealed


def due(database: Database, now: int, limit: int) -> tuple[str, ...]:
    """Matches whose due time has come, the longest overdue first."""
    return tuple(match_id for (match_id,) in database.fetch(_DUE, now=now, most=limit))


def unfinished_matches(connection: Connection) -> tuple[str, ...]:
    """Every match that has not ended, the oldest first."""
    some = select(matches.c.id).where(unfinished).order_by(matches.c.seq)
    return tuple(connection.execute(some).scalars())


def count_unfinished(connection: Connection) -> dict[Status, int]:
    """How many matches there are of each status but the last."""
    some = select(matches.c.status, func.count()).where(unfinished).group_by(matches.c.status)
    found = {Status(status): count for status, count in connection.execute(some)}
    return {status: found.get(status, 0) for status in UNFINISHED}
