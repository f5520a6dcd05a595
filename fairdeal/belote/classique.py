"""The ruleset `classique@1`: belote for four on a turned card, with litige (docs/rules/classique.md)."""

from dataclasses import dataclass
from typing import ClassVar, Final

from fairdeal.belote.deal import SIDES, Deal
from fairdeal.belote.four import DEFAULT_TARGET, Duties, Made
from fairdeal.belote.scoring import DealScore, Features, Options, Outcome
from fairdeal.belote.turned_card import TurnedCard
from fairdeal.belote.values import CAPOT_POINTS, DEAL_POINTS

LITIGE_OUTCOMES: Final = frozenset({Outcome.MADE, Outcome.DEDANS, Outcome.CAPOT, Outcome.LITIGE, Outcome.VOID})
"""How a deal ends where equal totals are a litige."""


@dataclass(frozen=True, slots=True)
class Marking:
    """Where tables differ on what is written down."""

    dedans: int = DEAL_POINTS
    """What the defence marks against a taker who is dedans."""
    capot: int = CAPOT_POINTS
    """What all eight tricks bring."""


def marks(made: Made, marking: Marking) -> tuple[Outcome, tuple[int, int], int]:
    """Outcome, marks, and what a litige puts aside.

    Full totals are compared: cards, last trick, belote, announcements. The belote stays with its owner, but for a
    litige, where all that the taker made is put aside. Announcements go to whom the taker's failure or a capot favours.
    """
    taker, bonus = made.taker, made.bonus
    other = 1 - taker
    totals = [sum(parts) for parts in zip(made.points, bonus, made.announcements, strict=True)]
    outcome: Outcome
    if made.capot is not None:
        outcome, winner, base = Outcome.CAPOT, made.capot, marking.capot
    elif totals[taker] > totals[other]:
        return Outcome.MADE, (totals[0], totals[1]), 0
    elif totals[taker] == totals[other]:
        pot, totals[taker] = totals[taker], 0
        return Outcome.LITIGE, (totals[0], totals[1]), pot
    else:
        outcome, winner, base = Outcome.DEDANS, other, marking.dedans
    written = list(bonus)
    written[winner] += base + sum(made.announcements)
    return outcome, (written[0], written[1]), 0


def scored(deal: Deal, taker: int, marking: Marking) -> DealScore:
    """The score of a played deal on a turned card."""
    belote = None if deal.belote is None else deal.belote % SIDES
    announcements = (0, 0)
    if deal.announcing is not None and deal.announcing.counted is not None:
        announcements = deal.announcing.counted
    made = Made(taker % SIDES, deal.points, deal.tricks, belote, announcements)
    outcome, written, pot = marks(made, marking)
    return DealScore(taker, deal.points, deal.tricks, belote, outcome, written, announcements, pot)


@dataclass(frozen=True)
class Classique(TurnedCard):
    """Belote for four, without announcements."""

    marking: Marking

    features: ClassVar[Features] = Features(LITIGE_OUTCOMES, litige=True)

    def marked(self, deal: Deal, taker: int) -> DealScore:
        """The score of a played deal."""
        return scored(deal, taker, self.marking)


CLASSIQUE: Final = Classique(
    id="classique@1",
    defaults=Options(DEFAULT_TARGET),
    duties=Duties(under_trump=True, rise_over_partner=False),
    marking=Marking(),
)
