"""Belote's cards: what they are worth and which beats which, computed once.

A set of cards is an integer with bit `card` set for each card in it (0 ≤ card < 32), so that the lowest bit is the
first card in canonical order. Values and order of strength: the rules' *Shared* section (docs/rules/duel.md).
"""

from collections.abc import Iterable
from typing import Final

from fairdeal.cards import PACK, rank_of, suit_of

TRUMP_VALUES: Final = (0, 0, 14, 10, 20, 3, 4, 11)
"""Points of 7 8 9 10 J Q K A in the trump suit."""
PLAIN_VALUES: Final = (0, 0, 0, 10, 2, 3, 4, 11)
"""Points of 7 8 9 10 J Q K A in another suit."""
LAST_TRICK: Final = 10
"""Points for winning the last trick (le dix de der)."""
DEAL_POINTS: Final = 162
"""All the cards' points, 152, and the last trick."""
CAPOT_POINTS: Final = 252
"""What a side marks that won every trick: ninety more."""
BELOTE: Final = 20
"""Points for roi and dame of trump, outside the 162."""

_TRUMP_STRENGTH: Final = (0, 1, 6, 4, 7, 2, 3, 5)
_PLAIN_STRENGTH: Final = (0, 1, 2, 6, 3, 4, 5, 7)
_QUEEN: Final = 5
_KING: Final = 6

ALL_CARDS: Final = (1 << 32) - 1
SUIT_CARDS: Final = tuple(0xFF << 8 * suit for suit in range(4))
"""The eight cards of each suit."""
BELOTE_PAIR: Final = tuple(1 << 8 * suit + _QUEEN | 1 << 8 * suit + _KING for suit in range(4))
"""Dame and roi of each suit."""


def _value(trump: int, card: int) -> int:
    return (TRUMP_VALUES if suit_of(card) == trump else PLAIN_VALUES)[rank_of(card)]


def _beats(trump: int, best: int, card: int) -> bool:
    """Whether `card` takes the trick over from `best`, which is of the suit led or trump."""
    if suit_of(card) != suit_of(best):
        return suit_of(card) == trump
    strength = _TRUMP_STRENGTH if suit_of(card) == trump else _PLAIN_STRENGTH
    return strength[rank_of(card)] > strength[rank_of(best)]


VALUE: Final = tuple(tuple(_value(trump, card) for card in PACK) for trump in range(4))
"""VALUE[trump][card]: points of a card."""
BEATEN_BY: Final = tuple(
    tuple(sum(1 << card for card in PACK if _beats(trump, best, card)) for best in PACK) for trump in range(4)
)
"""BEATEN_BY[trump][best card down]: the set of cards that take the trick over from it."""


def trick_result(trick: tuple[int, ...], trump: int) -> tuple[int, int]:
    """Index in `trick` (cards in the order played) of the one that wins it, and the points of its cards.

    The ten for the last trick is not in them.
    """
    values = VALUE[trump]
    beaten_by = BEATEN_BY[trump]
    winner = points = 0
    better = beaten_by[trick[0]]
    for place, card in enumerate(trick):
        points += values[card]
        if better >> card & 1:
            winner = place
            better = beaten_by[card]
    return winner, points


def card_set(cards: Iterable[int]) -> int:
    """The set that holds exactly these cards."""
    return sum({1 << card for card in cards})


def cards_in(cards: int) -> tuple[int, ...]:
    """The cards of a set, in canonical order."""
    return tuple(card for card in PACK if cards >> card & 1)
