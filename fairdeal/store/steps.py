"""Steps of matches: everything that one changes, together. Inside the caller's transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from sqlalchemy import Connection

from fairdeal.app.ports import Append, CommitResult, Status
from fairdeal.errors import LedgerBroken
from fairdeal.ledger import Kind
from fairdeal.store import audit, books, log
from fairdeal.store.lobby import reserve
from fairdeal.store.procedures import Values, perform
from fairdeal.store.programs import APPEND

# Sitting and standing up are no events, so their money never comes with an append.
_MONEY: Final = {
    Status.LIVE: (Kind.POT,),
    Status.ENDED: (Kind.CANCEL, Kind.FINISH, Kind.SEED, Kind.VOID),
}

Perform: TypeAlias = Callable[..., list[bool]]
"""`Database.perform`, or `procedures.perform` in a transaction."""


@dataclass(frozen=True, slots=True)
class Step:
    """An append, and the values that its program takes."""

    append: Append
    values: Values

    @property
    def is_one_call(self) -> bool:
        """Whether the program does all of it."""
        return self.append.commitment is None and self.append.significant is None


def prepared(append: Append) -> Step:
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
            **books.posted(money),
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


def write_steps(perform: Perform, steps: Sequence[Step]) -> list[CommitResult]:
    """For each of them a compare-and-set on the match's row, then everything else that the program does.

    Raises what `books.post` and `perform` do; of several steps not which of them it is about.
    """
    # Other processes take the rows of matches in this order too.
    in_order = sorted(range(len(steps)), key=lambda place: steps[place].append.match_id)
    with books.refusals(steps[0].append.money if len(steps) == 1 else None):
        done = perform(APPEND, *(steps[place].values for place in in_order))
    committed = dict(zip(in_order, done, strict=True))
    return [CommitResult.COMMITTED if committed[place] else CommitResult.STALE for place in range(len(steps))]


def write_more(connection: Connection, step: Step) -> CommitResult:
    """A step that is more than one call: the program, then the rest. Raises CommitmentReused, and what `write_steps`
    does.
    """
    append = step.append
    (done,) = write_steps(partial(perform, connection), [step])
    if done is CommitResult.COMMITTED:
        if append.significant is not None:
            audit.keep(connection, append.significant)
        if append.commitment is not None:
            reserve(connection, append.commitment, append.match_id)
            if append.status is Status.LIVE:  # the last join
                audit.enrol(connection, append.match_id)
    return done
