"""The ruleset `classique@1` (protocol 4.3): the marks of a deal, with the pot of the litiges."""

from fairdeal_verifier.four import BELOTE, CAPOT, TRICKS, TurnedDeal, full_totals
from fairdeal_verifier.game import VOID, Pair, Score

OUTCOMES = ("made", "litige", "dedans", "capot", "void")
DEDANS = 162
"""What the defence marks when the taker is inside."""


def score(
    taker: int,
    points: Pair,
    tricks: Pair,
    belote: int | None,
    pot: int,
    *,
    dedans: int = DEDANS,
    announcements: Pair = (0, 0),
) -> Score:
    """The marks of a deal that was played out.

    `taker` is a seat, `points` hold the last trick alone, `pot` is what waits. A `capot` and a `dedans` also bring
    the `announcements` of both sides (protocol 4.5).
    """
    mine = taker & 1
    theirs = 1 - mine
    totals = full_totals(points, tricks, belote, announcements)
    marks = [BELOTE if belote == side else 0 for side in (0, 1)]
    winner: int | None = mine
    if TRICKS in tricks:
        outcome, winner = "capot", tricks.index(TRICKS)
        marks[winner] += CAPOT + sum(announcements)
    elif totals[mine] > totals[theirs]:
        outcome, marks = "made", list(totals)
    elif totals[mine] == totals[theirs]:
        outcome, winner, pot = "litige", None, pot + totals[mine]
        marks[mine], marks[theirs] = 0, totals[theirs]
    else:
        outcome, winner = "dedans", theirs
        marks[theirs] += dedans + sum(announcements)
    if winner is not None:
        marks[winner] += pot
        pot = 0
    return Score(taker, points, tricks, belote, outcome, (marks[0], marks[1]), pot=pot, announcements=announcements)


class Classique(TurnedDeal):
    """A deal of the classique."""

    __slots__ = ()

    def score(self, pot: int = 0, *, counts_bid: bool = False) -> Score:
        if self.taker is None:
            return VOID._replace(pot=pot)
        points, tricks = self.points, self.tricks
        return score(self.taker, (points[0], points[1]), (tricks[0], tricks[1]), self.belote, pot)
