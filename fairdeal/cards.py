"""Cards as small integers, and their text in both notations.

A card is 8·suit + rank (protocol section 3): suits spades, hearts, diamonds, clubs = 0…3; ranks 7 8 9 10 J Q K A = 0…7.
Canonical order of cards is the order of these numbers. Wire notation is `S10`; French notation is `10♠`, `V♥`.
"""

from typing import Final

from fairdeal.errors import Malformed

SUITS: Final = ("S", "H", "D", "C")
RANKS: Final = ("7", "8", "9", "10", "J", "Q", "K", "A")
SUITS_FR: Final = ("♠", "♥", "♦", "♣")
RANKS_FR: Final = ("7", "8", "9", "10", "V", "D", "R", "A")

PACK: Final = tuple(range(32))
"""The 32 cards in canonical order."""

_TEXT = tuple(suit + rank for suit in SUITS for rank in RANKS)
_TEXT_FR = tuple(rank + suit for suit in SUITS_FR for rank in RANKS_FR)
_BY_TEXT = {text: card for card, text in enumerate(_TEXT)}
_BY_TEXT_FR = {text: card for card, text in enumerate(_TEXT_FR)}
_SUIT_BY_TEXT = {text: suit for suit, text in enumerate(SUITS)}


def suit_of(card: int) -> int:
    """0…3 for spades, hearts, diamonds, clubs."""
    return card >> 3


def rank_of(card: int) -> int:
    """0…7 for 7 8 9 10 J Q K A."""
    return card & 7


def format_card(card: int) -> str:
    """Wire notation of a card 0…31: `S7` … `CA`."""
    return _TEXT[card]


def parse_card(text: object) -> int:
    """The card written `S7` … `CA`. Raises Malformed."""
    return _look_up(_BY_TEXT, text, "card")


def format_suit(suit: int) -> str:
    """Wire notation of a suit 0…3: one of `S H D C`."""
    return SUITS[suit]


def parse_suit(text: object) -> int:
    """The suit written `S`, `H`, `D` or `C`. Raises Malformed."""
    return _look_up(_SUIT_BY_TEXT, text, "suit")


def format_card_fr(card: int) -> str:
    """French notation of a card 0…31: `7♠` … `A♣`, with valet, dame, roi."""
    return _TEXT_FR[card]


def parse_card_fr(text: object) -> int:
    """The card written `7♠` … `A♣`. Raises Malformed."""
    return _look_up(_BY_TEXT_FR, text, "card")


def _look_up(table: dict[str, int], text: object, what: str) -> int:
    number = table.get(text) if isinstance(text, str) else None
    if number is None:
        raise Malformed(f"not a {what}")
    return number
