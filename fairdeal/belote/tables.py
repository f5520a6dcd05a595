"""Belote's cards: what they are worth and which beats which, as tables computed once.

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


def _strength(trump: int, led: int, card: int) -> int:
    """0 for a card that can win nothing: neither trump nor of the suit led."""
    if suit_of(card) == trump:
        return 16 + _TRUMP_STRENGTH[rank_of(card)]
    return 8 + _PLAIN_STRENGTH[rank_of(card)] if suit_of(card) == led else 0


VALUE: Final = tuple(tuple(_value(trump, card) for card in PACK) for trump in range(4))
"""VALUE[trump][card]: points of a card."""
STRENGTH: Final = tuple(
    tuple(tuple(_strength(trump, led, card) for card in PACK) for led in range(4)) for trump in range(4)
)
"""STRENGTH[trump][suit led][card]: the highest number wins the trick."""
HIGHER_TRUMPS: Final = tuple(
    sum(1 << other for other in PACK if suit_of(other) == suit_of(card) and trumps[other] > trumps[card])
    for card in PACK
    for trumps in (STRENGTH[suit_of(card)][suit_of(card)],)
)
"""HIGHER_TRUMPS[card]: the cards above it when its own suit is trump."""


def trick_winner(trick: tuple[int, ...], trump: int) -> int:
    """Index in `trick` (cards in the order played, at least one) of the card that wins it."""
    return trick.index(max(trick, key=STRENGTH[trump][trick[0] >> 3].__getitem__))


def trick_points(trick: tuple[int, ...], trump: int) -> int:
    """Points of the cards of a trick, without the ten for the last one."""
    values = VALUE[trump]
    return sum([values[card] for card in trick])


def card_set(cards: Iterable[int]) -> int:
    """The set that holds exactly these cards."""
    return sum({1 << card for card in cards})


def cards_in(cards: int) -> tuple[int, ...]:
    """The cards of a set, in canonical order."""
    return tuple(card for card in PACK if cards >> card & 1)
