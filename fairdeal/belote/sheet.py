"""The score sheet (feuille): a deal entered by hand, checked, and marked (docs/rules/feuille.md).

Games with a contract are marked by their own rules; here are the checks and the rounding that any line may need.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NoReturn

from fairdeal.belote.actions import Double
from fairdeal.belote.classique import Marking, marks
from fairdeal.belote.coinche import ContractMarking
from fairdeal.belote.coinche import marks as contract_marks
from fairdeal.belote.four import TRICKS, Made
from fairdeal.belote.scoring import DealScore, Outcome, Scoring, pay_pot
from fairdeal.belote.values import DEAL_POINTS, LAST_TRICK, PLAIN_VALUES, TRUMP_VALUES
from fairdeal.errors import Malformed


class SheetReason(StrEnum):
    """Why a line is refused; a page shows it, so the values are stable."""

    SUM = "sum"
    NEGATIVE = "negative"
    UNREACHABLE = "unreachable"
    TRICKS = "tricks"


def _refuse(reason: SheetReason, message: str) -> NoReturn:
    raise Malformed(message, {"reason": reason.value})


def _reachable() -> frozenset[int]:
    """Every sum that some of the 32 cards have."""
    sums = {0}
    for value in (*TRUMP_VALUES, *PLAIN_VALUES * 3):
        sums |= {have + value for have in sums}
    return frozenset(sums)


CARD_SUMS: Final = _reachable()
"""What a side's cards can be worth, the last trick aside: 0 to 152 but for 1 and 151."""


def check_points(points: tuple[int, int], last_trick: int | None = None, tricks: tuple[int, int] | None = None) -> None:
    """Check the points of both sides, the ten of the last trick in them.

    `last_trick` is the side that won it and `tricks` are those won, where known. Raises Malformed, with the reason.
    """
    if sum(points) != DEAL_POINTS:
        _refuse(SheetReason.SUM, f"sum {sum(points)} != {DEAL_POINTS}")
    if min(points) < 0:
        _refuse(SheetReason.NEGATIVE, "points are never negative")
    winners = [side for side in (0, 1) if points[side] - LAST_TRICK in CARD_SUMS and points[1 - side] in CARD_SUMS]
    if not winners:
        _refuse(SheetReason.UNREACHABLE, f"{min(points)} and {max(points)} are unreachable card totals")
    if last_trick is not None and last_trick not in winners:
        _refuse(SheetReason.UNREACHABLE, f"{points[last_trick]} with the last trick is unreachable")
    if tricks is not None:
        _check_tricks(points, last_trick, tricks)


def _check_tricks(points: tuple[int, int], last_trick: int | None, tricks: tuple[int, int]) -> None:
    if sum(tricks) != TRICKS or min(tricks) < 0:
        _refuse(SheetReason.TRICKS, f"{sum(tricks)} tricks != {TRICKS}")
    for side in (0, 1):
        if not tricks[side] and (points[side] or last_trick == side):
            _refuse(SheetReason.TRICKS, "a side without a trick has no points and not the last one")


def with_last_trick(cards: tuple[int, int], last_trick: int) -> tuple[int, int]:
    """The points of sides whose cards are worth this, after the ten of the last trick. Raises Malformed as a line."""
    points = (cards[0] + LAST_TRICK, cards[1]) if last_trick == 0 else (cards[0], cards[1] + LAST_TRICK)
    check_points(points, last_trick)
    return points


def round_to_ten(value: int) -> int:
    """The nearest ten, 5 up."""
    return (value + 5) // 10 * 10


@dataclass(frozen=True, slots=True)
class Contract:
    """What a line says of a coinche: 80…180 or coinche.CAPOT, and the double."""

    value: int
    double: Double | None
    scoring: Scoring


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is agreed for a whole game on paper."""

    capot: int = 252
    """What all eight tricks bring: 252, or 250 at some tables."""
    rounding: bool = False
    """Marks are written to the nearest ten. The pot stays as it is."""

    def line(self, made: Made, pot: int = 0, contract: Contract | None = None) -> DealScore:
        """What a line comes to, with the pot before it; `made` has been checked. `taker` is a side here.

        Rounding comes after the contract has been decided, and after the pot was added.
        """
        outcome: Outcome
        aside = 0
        if contract is None:
            outcome, written, aside = marks(made, Marking(capot=self.capot))
        else:
            marking = ContractMarking(capot=self.capot)
            outcome, written = contract_marks(made, contract.value, contract.double, contract.scoring, marking)
        score = DealScore(
            made.taker, made.points, made.tricks, made.belote, outcome, written, made.announcements, aside
        )
        score = pay_pot(score, pot)
        if not self.rounding:
            return score
        return replace(score, marks=(round_to_ten(score.marks[0]), round_to_ten(score.marks[1])))
