"""What a deal brings, what a match is played to, and when it is won."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Outcome(StrEnum):
    """How a deal ended; the value is its wire form in a `score` event."""

    MADE = "made"
    DEDANS = "dedans"
    CAPOT = "capot"
    VOID = "void"
    LITIGE = "litige"
    FAILED = "failed"
    MADE_CAPOT = "made+capot"


@dataclass(frozen=True, slots=True)
class Features:
    """What one game has and another has not; the form of a match's events follows from it (protocol section 4)."""

    outcomes: frozenset[Outcome]
    turned: bool = True
    """A card is turned up."""
    contract: bool = False
    """A contract is bid."""
    litige: bool = False
    """What is in dispute waits in a pot."""
    announcements: bool = False
    """Announcements are declared and shown."""
    shuffled: bool = True
    """The pack is shuffled for every deal; where it is not, nothing may be staked."""


@dataclass(frozen=True, slots=True)
class DealScore:
    """The result of a deal, pairs by side; zeros and None when it was void.

    `taker` is a seat, `belote` the side that owns it. `points` has the cards and the last trick alone (162 in all);
    `marks` is what each side writes down. `announcements` is what they bring each side; `pot` what a litige puts aside.
    """

    taker: int | None
    points: tuple[int, int]
    tricks: tuple[int, int]
    belote: int | None
    outcome: Outcome
    marks: tuple[int, int]
    announcements: tuple[int, int] = (0, 0)
    pot: int = 0

    @property
    def winner(self) -> int | None:
        """The side that won the deal; None for a void one and for a litige."""
        if self.taker is None or self.outcome is Outcome.LITIGE:
            return None
        taker = self.taker % 2
        if self.outcome is Outcome.CAPOT:
            return 1 - self.tricks.index(0)
        return 1 - taker if self.outcome in (Outcome.DEDANS, Outcome.FAILED) else taker


VOID_SCORE = DealScore(None, (0, 0), (0, 0), None, Outcome.VOID, (0, 0))


def pay_pot(score: DealScore, pot: int) -> DealScore:
    """The score with the pot of earlier litiges: `marks` with it if somebody won the deal, `pot` what is left.

    Pots add up, survive a void deal, and go to the side that wins the next decided one.
    """
    if score.winner is None:
        return replace(score, pot=pot + score.pot)
    marks = (score.marks[0] + pot, score.marks[1]) if score.winner == 0 else (score.marks[0], score.marks[1] + pot)
    return replace(score, marks=marks, pot=0)


class Scoring(StrEnum):
    """What a contract of the coinche brings: the points made, or these and the points bid."""

    MADE = "faits"
    MADE_AND_BID = "faits+demandés"


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen when a match is opened: the total to reach; in the coinche also what is counted."""

    target: int
    scoring: Scoring = Scoring.MADE


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
