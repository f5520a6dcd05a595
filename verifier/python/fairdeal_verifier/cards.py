"""Cards, and the words that are said over them, as numbers: what all games share.

A card is 8 * suit + rank (suits S H D C, ranks 7 8 9 10 J Q K A), a hand a set of 32 bits. An *action* is a card or one
of the numbers that follow: a bid, or a word. The numbers stand in canonical order (protocol 2.9, 4.4, 4.5).
"""

CARDS = 32
SUITS = "SHDC"
RANKS = ("7", "8", "9", "10", "J", "Q", "K", "A")
VALUES = (*range(80, 190, 10), 250)
"""What a bid of the coinche may be worth; 250 is the capot."""

PASS, TAKE, SUIT_BID, CONTRACT_BID = 32, 33, 34, 38
"""Bids; that of suit s is SUIT_BID + s, that of the value VALUES[v] in suit s CONTRACT_BID + 4 * v + s."""
COINCHE, SURCOINCHE, DECLARE, RESIGN = 86, 87, 88, 89

CARD_NAMES = tuple(suit + rank for suit in SUITS for rank in RANKS)
BID_NAMES = {PASS: "pass", TAKE: "take", **{SUIT_BID + s: SUITS[s] for s in range(4)}} | {
    COINCHE: "coinche",
    SURCOINCHE: "surcoinche",
}
"""The bids that are a word; the others are {suit, value}."""

_TRUMP_STRENGTH = (0, 1, 6, 4, 7, 2, 3, 5)
_PLAIN_STRENGTH = (0, 1, 2, 6, 3, 4, 5, 7)
_TRUMP_VALUE = (0, 0, 14, 10, 20, 3, 4, 11)
_PLAIN_VALUE = (0, 0, 0, 10, 2, 3, 4, 11)

SUIT = tuple(0xFF << 8 * suit for suit in range(4))
"""The cards of each suit."""
VALUE = tuple(
    tuple((_TRUMP_VALUE if card >> 3 == trump else _PLAIN_VALUE)[card & 7] for card in range(CARDS))
    for trump in range(4)
)
"""What each card counts, by trump (protocol 4.1)."""
ROYALS = tuple((1 << 5 | 1 << 6) << 8 * trump for trump in range(4))
"""Queen and king of each suit: the belote."""


def _stronger(card: int, trump: int) -> int:
    strength = _TRUMP_STRENGTH if card >> 3 == trump else _PLAIN_STRENGTH
    same = sum(1 << (card & 24) + rank for rank in range(8) if strength[rank] > strength[card & 7])
    return same if card >> 3 == trump else same | SUIT[trump]


BEATS = tuple(tuple(_stronger(card, trump) for card in range(CARDS)) for trump in range(4))
"""BEATS[trump][card]: the cards that win a trick which `card` holds."""


def members(cards: int) -> list[int]:
    """A set of cards as a list in canonical order."""
    return [card for card in range(CARDS) if cards >> card & 1]


def as_set(*cards: int) -> int:
    """Different cards as a set."""
    return sum(1 << card for card in cards)
