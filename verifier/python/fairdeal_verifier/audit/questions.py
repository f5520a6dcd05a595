"""What no rule forbids and somebody should ask about (protocol 7.6)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairdeal_verifier.audit.courses import Course, Courses
from fairdeal_verifier.audit.facts import Facts
from fairdeal_verifier.audit.money import Sitting
from fairdeal_verifier.leaves import LOST

BACK_MS = 60_000
"""A table is opened and logged within seconds; a later leaf with an earlier time by more than this is odd."""
UNSIGNED_MS = 600_000
"""Within ten minutes the log has a leaf over every transaction (protocol 7.2)."""
PLAYED, VOID, NO_SEED = "played", "void", "no_seed"


@dataclass(frozen=True, slots=True)
class NotClosed:
    """A match whose seed is not revealed `overdue_ms` after its `close_by`: until that there is nothing to ask."""

    m: str
    index: int
    overdue_ms: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """A join that names a checkpoint whose root is not the log's at that size."""

    m: str
    event: int
    size: int


@dataclass(frozen=True, slots=True)
class Backwards:
    """A match opened `by_ms` before one that stands earlier in the log."""

    m: str
    index: int
    by_ms: int


@dataclass(frozen=True, slots=True)
class Unsigned:
    """Lines at the end of the journal that no `ledger` leaf covers, and the age of the first."""

    lines: int
    age_ms: int


@dataclass(slots=True)
class Account:
    """Of one account, among the matches that all seats joined and that closed: how many, and how many of each ending
    that is not `played`; `seeds_missing` are those where this account sent no seed."""

    matches: int = 0
    seeds_missing: int = 0
    endings: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Questions:
    """The lists, each in the log's order; the accounts with most such endings first."""

    not_closed: list[NotClosed] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    accounts: dict[str, Account] = field(default_factory=dict)
    void: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    seen: list[Unknown] = field(default_factory=list)
    backwards: list[Backwards] = field(default_factory=list)
    unsigned: Unsigned | None = None


def ask(
    courses: Courses, facts: Mapping[str, Facts], seats: Mapping[tuple[str, int], Sitting], now_ms: int
) -> Questions:
    """All but `seen` and `unsigned`, which take the tree and the journal."""
    asked = Questions()
    latest = 0
    for course in courses.matches.values():
        known = facts.get(course.m)
        if known is not None and known.seats:
            if known.opened_at < latest - BACK_MS:
                asked.backwards.append(Backwards(course.m, course.index, latest - known.opened_at))
            latest = max(latest, known.opened_at)
        if course.close is None:
            if known is not None and known.seats and now_ms > known.close_by:
                asked.not_closed.append(NotClosed(course.m, course.index, now_ms - known.close_by))
        elif course.full is not None:
            _count(asked, course, course.close.outcome, seats)
        if course.close is not None and course.close.outcome == VOID:
            (asked.lost if course.close.cause == LOST else asked.void).append(course.m)
    worst = sorted(asked.accounts.items(), key=lambda item: (-item[1].endings.total(), item[0]))
    asked.accounts = {name: account for name, account in worst if account.endings}
    return asked


def _count(asked: Questions, course: Course, outcome: str, seats: Mapping[tuple[str, int], Sitting]) -> None:
    asked.endings[outcome] += 1
    missing = course.close.seats or () if course.close is not None else ()
    seat = 0
    while (sitting := seats.get((course.m, seat))) is not None:
        account = asked.accounts.setdefault(sitting.account, Account())
        account.matches += 1
        account.seeds_missing += seat in missing
        if outcome != PLAYED:
            account.endings[outcome] += 1
        seat += 1


def unsigned(times: Sequence[int], now_ms: int) -> Unsigned | None:
    """Asked where the first of these lines that no leaf covers is older than it may be."""
    if not times or now_ms - times[0] <= UNSIGNED_MS:
        return None
    return Unsigned(len(times), now_ms - times[0])
