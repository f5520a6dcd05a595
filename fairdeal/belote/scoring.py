"""What a deal brings, what a match is played to, and when it is won."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a deal ended; the value is its wire form in a `score` event."""

    MADE = "made"
    DEDANS = "dedans"
    CAPOT = "capot"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class DealScore:
    """The result of a deal, pairs by side; zeros and None when it was void.

    `taker` is a seat, `belote` the side that owns it. `points` has the cards and the last trick alone (162 in all);
    `marks` is what each side writes down.
    """

    taker: int | None
    points: tuple[int, int]
    tricks: tuple[int, int]
    belote: int | None
    outcome: Outcome
    marks: tuple[int, int]


VOID_SCORE = DealScore(None, (0, 0), (0, 0), None, Outcome.VOID, (0, 0))


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen when a match is opened: the total to reach."""

    target: int


class MatchState(StrEnum):
    """Whether another deal follows."""

    CONTINUE = "continue"
    EXTRA_DEAL = "extra_deal"
    WON = "won"


def match_result(totals: tuple[int, int], target: int) -> tuple[MatchState, int | None]:
    """State of a match after a deal, and the side that has won it.

    A side wins by reaching or passing the target; both past it, the higher total; equal, one more deal.
    """
    if max(totals) < target:
        return MatchState.CONTINUE, None
    if totals[0] == totals[1]:
        return MatchState.EXTRA_DEAL, None
    return MatchState.WON, int(totals[1] > totals[0])
