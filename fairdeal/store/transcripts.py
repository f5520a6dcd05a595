"""Matches being played: appends, lines, sealed seeds, due times, the heartbeat. Inside the caller's transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from sqlalchemy import Connection, bindparam, func, select, update

from fairdeal.app.ports import UNFINISHED, Append, CommitResult, Status
from fairdeal.errors import LedgerBroken, UnknownMatch
from fairdeal.ledger import Kind
from fairdeal.store import audit, journal, log
from fairdeal.store.database import Database
from fairdeal.store.lobby import reserve
from fairdeal.store.procedures import Values, perform
from fairdeal.store.programs import APPEND
from fairdeal.store.tables import events, heartbeat, matches, seals, unfinished

# Sitting and standing up are no events, so their money never comes with an append.
_MONEY: Final = {
    Status.LIVE: (Kind.POT,),
    Status.ENDED: (Kind.CANCEL, Kind.FINISH, Kind.SEED, Kind.VOID),
}

Perform: TypeAlias = Callable[..., list[bool]]
"""`Database.perform`, or `procedures.perform` in a transaction."""

_LINES: Final = (
    select(events.c.line)
    .where(events.c.match_id == bindparam("match_id"), events.c.n >= bindparam("start"))
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
_LAST_BEAT: Final = select(heartbeat.c.at)


@dataclass(frozen=True, slots=True)
class Step:
    """An append, and the values that its program takes."""

    append: Append
    values: Values

    @property
    def is_one_call(self) -> bool:
        """Whether the program does all of it."""
        return self.append.commitment is None and self.append.significant is None


def step(append: Append) -> Step:
    """Raises LedgerBroken for money that does not move with it, Malformed for a leaf of another form."""
    money = append.money
    if money is not None and money.match != append.match_id:
        raise LedgerBroken("the money is of another match")
    if money is not None and money.kind not in _MONEY.get(append.status, ()):
        raise LedgerBroken("the money is not what moves with this status")
    leaves = [{"leaf": leaf, "type": type_, "of": match_id} for leaf, type_, match_id in log.parsed(append.leaves)]
    return Step(
        append,
        {
            **journal.posted(money),
            "match": append.match_id,
            "size": append.size,
            "seating": append.seating,
            "new_size": append.size + len(append.lines),
            "status": append.status.value,
            "due_at": append.due_at,
            "ended_at": append.at if append.status is Status.ENDED else None,
            "events": [{"n": n, "event": line} for n, line in enumerate(append.lines, append.size)],
            "leaves": leaves,
        },
    )


def commit_together(perform: Perform, steps: Sequence[Step]) -> list[CommitResult]:
    """For each a compare-and-set on the match's row, then everything else that the program does.

    Raises what `journal.post` and `perform` do; of several steps not which of them it is about.
    """
    # Other processes take the rows of matches in this order too.
    in_order = sorted(range(len(steps)), key=lambda place: steps[place].append.match_id)
    with journal.refusals(steps[0].append.money if len(steps) == 1 else None):
        done = perform(APPEND, *(steps[place].values for place in in_order))
    committed = dict(zip(in_order, done, strict=True))
    return [CommitResult.COMMITTED if committed[place] else CommitResult.STALE for place in range(len(steps))]


def commit(connection: Connection, one: Step) -> CommitResult:
    """A step that is more than one call. Raises CommitmentReused, and what `journal.post` does."""
    append = one.append
    (done,) = commit_together(partial(perform, connection), [one])
    if done is CommitResult.COMMITTED:
        if append.significant is not None:
            audit.keep(connection, append.significant)
        if append.commitment is not None:
            reserve(connection, append.commitment, append.match_id)
            if append.status is Status.LIVE:  # the last join
                audit.enrol(connection, append.match_id)
    return done


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


def beat(connection: Connection, now: int) -> None:
    """Writes the heartbeat, unless a later one stands there."""
    earlier = heartbeat.c.at.is_(None) | (heartbeat.c.at < now)
    connection.execute(update(heartbeat).where(earlier).values(at=now))


def last_beat(database: Database) -> int | None:
    """The last heartbeat."""
    at: int | None = database.fetch(_LAST_BEAT)[0][0]
    return at
