"""The heartbeat, and the outages that it tells of. Inside the caller's transaction; what takes a `Database` reads a
moment by itself.
"""

from typing import Final

from sqlalchemy import Connection, insert, select, update

from fairdeal.app.log_ports import CommitResult, Outage
from fairdeal.store import log
from fairdeal.store.database import Database
from fairdeal.store.log_rows import outages
from fairdeal.store.rows import heartbeat

_LAST_BEAT: Final = select(heartbeat.c.at)


def beat(connection: Connection, now: int) -> None:
    """Writes the heartbeat, unless a later one stands there."""
    earlier = heartbeat.c.at.is_(None) | (heartbeat.c.at < now)
    connection.execute(update(heartbeat).where(earlier).values(at=now))


def last_beat(database: Database) -> int | None:
    """The last heartbeat."""
    at: int | None = database.fetch(_LAST_BEAT)[0][0]
    return at


def add_outage(connection: Connection, outage: Outage, leaf: bytes) -> CommitResult:
    """A compare-and-set on the heartbeat that it began with, then the outage and its leaf."""
    moved = update(heartbeat).where(heartbeat.c.at == outage.start).values(at=outage.end)
    if connection.execute(moved).rowcount != 1:
        return CommitResult.STALE
    connection.execute(insert(outages).values(began=outage.start, ended=outage.end))
    log.enqueue(connection, [leaf])
    return CommitResult.COMMITTED


def outages_since(connection: Connection, since: int) -> tuple[Outage, ...]:
    """Those that ended at `since` or later, the oldest first."""
    some = select(outages.c.began, outages.c.ended).where(outages.c.ended >= since).order_by(outages.c.seq)
    return tuple(Outage(*row) for row in connection.execute(some))
