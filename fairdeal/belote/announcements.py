"""Announcements: what a hand holds, which side's are the best, and what they bring (docs/rules/annonces.md).

A card counts once, the belote aside. Carrés are taken out or not; what remains of a suit is cut into its maximal runs.
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import chain, combinations
from typing import Final, NamedTuple

from fairdeal.belote.deal import SIDES
from fairdeal.belote.values import ALL_CARDS
from fairdeal.cards import rank_of, suit_of
from fairdeal.errors import Malformed


class Kind(StrEnum):
    """What an announcement is."""

    TIERCE = "tierce"
    CINQUANTE = "cinquante"
    CENT = "cent"
    CARRE = "carré"


class Announcement(NamedTuple):
    """One announcement; `cards` is the set of its cards."""

    kind: Kind
    cards: int
    value: int
    height: int
    """What tells two of one value apart: a carré's rank in the order of tricks, a run's top rank (7 … A = 0 … 7)."""

    @property
    def top(self) -> int:
        """Its highest card; of a carré, the one of the last suit."""
        return self.cards.bit_length() - 1


CARRE_VALUES: Final = (0, 0, 150, 100, 200, 100, 100, 100)
"""Points of four 7 8 9 10 J Q K A."""
_CARRE_HEIGHTS: Final = (0, 1, 6, 4, 7, 2, 3, 5)
"""J 9 A 10 K Q, as trumps take tricks."""
_CARRES: Final = tuple(0x0101_0101 << rank for rank in range(8))
_SHORTEST: Final = 3


def _run(cards: int, length: int) -> Announcement:
    kind, value = {3: (Kind.TIERCE, 20), 4: (Kind.CINQUANTE, 50)}.get(length, (Kind.CENT, 100))
    return Announcement(kind, cards, value, rank_of(cards.bit_length() - 1))


def _carre(rank: int) -> Announcement:
    return Announcement(Kind.CARRE, _CARRES[rank], CARRE_VALUES[rank], _CARRE_HEIGHTS[rank])


def _runs_of(suit: int, ranks: int) -> tuple[Announcement, ...]:
    """The maximal runs of three or more among these ranks of a suit, the lowest first."""
    found = []
    low = 0
    while ranks >> low:
        length = 0
        while ranks >> low + length & 1:
            length += 1
        if length >= _SHORTEST:
            found.append(_run((1 << length) - 1 << 8 * suit + low, length))
        low += length + 1
    return tuple(found)


_WORTH_A_CARRE: Final = sum(1 << rank for rank, value in enumerate(CARRE_VALUES) if value)
_RUNS: Final = tuple(tuple(_runs_of(suit, ranks) for ranks in range(256)) for suit in range(4))


def announcement_of(cards: int) -> Announcement:
    """The one announcement that exactly these cards make. Raises Malformed when they make none."""
    if 0 < cards <= ALL_CARDS:
        suit = suit_of(cards.bit_length() - 1)
        for found in (*_RUNS[suit][cards >> 8 * suit], *(_carre(rank) for rank in range(8) if CARRE_VALUES[rank])):
            if found.cards == cards:
                return found
    raise Malformed("these cards make no announcement")


_HAS_RUN: Final = bytes(bool(_runs_of(0, ranks)) for ranks in range(256))


def _carres_in(hand: int) -> list[Announcement]:
    ranks = hand & hand >> 8 & hand >> 16 & hand >> 24 & _WORTH_A_CARRE
    return [_carre(rank) for rank in range(8) if ranks >> rank & 1]


def _runs_in(hand: int) -> tuple[Announcement, ...]:
    return _RUNS[0][hand & 255] + _RUNS[1][hand >> 8 & 255] + _RUNS[2][hand >> 16 & 255] + _RUNS[3][hand >> 24]


def holds_any(hand: int) -> bool:
    """Whether there is anything to declare in a hand as dealt."""
    has = _HAS_RUN
    if has[hand & 255] or has[hand >> 8 & 255] or has[hand >> 16 & 255] or has[hand >> 24]:
        return True
    return bool(hand & hand >> 8 & hand >> 16 & hand >> 24 & _WORTH_A_CARRE)


def strength(announcement: Announcement, trump: int | None) -> tuple[int, bool, int, bool]:
    """What two announcements are compared by: value, carré before cent, height, trump (None: not known yet)."""
    carre = announcement.kind is Kind.CARRE
    return announcement.value, carre, announcement.height, not carre and suit_of(announcement.top) == trump


def total(announcements: Sequence[Announcement]) -> int:
    """What these announcements are worth together."""
    return sum(announcement.value for announcement in announcements)


def best_announcements(hand: int, trump: int | None = None) -> tuple[Announcement, ...]:
    """What a hand as dealt announces: of all partitions the one worth most, then with the strongest single one.

    Carrés come first, then runs by suit, the lowest first.
    """
    carres = _carres_in(hand)
    if not carres:
        return _runs_in(hand)
    subsets = chain.from_iterable(combinations(carres, size) for size in range(len(carres) + 1))
    partitions = [(*taken, *_runs_in(hand & ~sum(carre.cards for carre in taken))) for taken in subsets]
    return max(
        partitions,
        key=lambda found: (total(found), sorted((strength(one, trump) for one in found), reverse=True)),
    )


def winning_side(declared: Sequence[tuple[int, Announcement]], trump: int) -> int | None:
    """The side with the strongest of these (seat, announcement); None when there are none, or both sides' are equal."""
    strengths = [(strength(one, trump), seat % SIDES) for seat, one in declared]
    best = max((found for found, _ in strengths), default=None)
    sides = {side for found, side in strengths if found == best}
    return sides.pop() if len(sides) == 1 else None


def counted(declared: Sequence[tuple[int, Announcement]], trump: int) -> tuple[tuple[int, Announcement], ...]:
    """Of what was declared, as (seat, announcement), what counts and is shown: all that the winning side declared."""
    side = winning_side(declared, trump)
    return tuple((seat, one) for seat, one in declared if seat % SIDES == side)


def points(shown: Sequence[tuple[int, Announcement]]) -> tuple[int, int]:
    """What shown announcements, as (seat, announcement), bring each side."""
    by_side = [sum(one.value for seat, one in shown if seat % SIDES == side) for side in (0, 1)]
    return by_side[0], by_side[1]
