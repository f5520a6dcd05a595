"""The ruleset `duel@1` (protocol 4): one deal, from the pack to its marks.

A card is 8 * suit + rank (suits S H D C, ranks 7 8 9 10 J Q K A), a hand a set of 32 bits. An *action* is a card or
one of the words below, as the integers that follow. The numbers stand in canonical order.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fairdeal_verifier.errors import IllegalAction

SEATS = 2
CARDS = 32
SUITS = "SHDC"
RANKS = ("7", "8", "9", "10", "J", "Q", "K", "A")

PASS, TAKE, SUIT_BID, RESIGN = 32, 33, 34, 38
"""Actions beyond the cards; the bid of suit s is SUIT_BID + s."""
NAMES = (*(suit + rank for suit in SUITS for rank in RANKS), "pass", "take", *SUITS)
"""The text of each action but RESIGN."""

_TRUMP_STRENGTH = (0, 1, 6, 4, 7, 2, 3, 5)
_PLAIN_STRENGTH = (0, 1, 2, 6, 3, 4, 5, 7)
_TRUMP_VALUE = (0, 0, 14, 10, 20, 3, 4, 11)
_PLAIN_VALUE = (0, 0, 0, 10, 2, 3, 4, 11)

_SUIT = tuple(0xFF << 8 * suit for suit in range(4))
_VALUE = tuple(
    tuple((_TRUMP_VALUE if card >> 3 == trump else _PLAIN_VALUE)[card & 7] for card in range(CARDS))
    for trump in range(4)
)
_ROYALS = tuple((1 << 5 | 1 << 6) << 8 * trump for trump in range(4))


def _stronger(card: int, trump: int) -> int:
    """The cards that win a trick which `card` led."""
    strength = _TRUMP_STRENGTH if card >> 3 == trump else _PLAIN_STRENGTH
    same = sum(1 << (card & 24) + rank for rank in range(8) if strength[rank] > strength[card & 7])
    return same if card >> 3 == trump else same | _SUIT[trump]


_BEATS = tuple(tuple(_stronger(card, trump) for card in range(CARDS)) for trump in range(4))


class Score(NamedTuple):
    """What a `score` event says of a deal; pairs are by side."""

    taker: int | None
    points: tuple[int, int]
    tricks: tuple[int, int]
    belote: int | None
    outcome: str
    marks: tuple[int, int]


def legal_cards(hand: int, led: int | None, trump: int, *, free: bool) -> int:
    """The cards of a hand that may be played; `led` is None for the leader, `free` while the stock holds cards."""
    if led is None or free:
        return hand
    same = hand & _SUIT[led >> 3]
    if same:
        return (same & _BEATS[trump][led] or same) if led >> 3 == trump else same
    return hand & _SUIT[trump] or hand


def trick(led: int, card: int, trump: int) -> tuple[bool, int]:
    """Whether the second card wins, and what both count together."""
    return bool(_BEATS[trump][led] >> card & 1), _VALUE[trump][led] + _VALUE[trump][card]


def score(taker: int, points: tuple[int, int], tricks: tuple[int, int], belote: int | None) -> Score:
    """The marks of a deal that was played out; points include the last trick, not the belote nor the capot bonus."""
    extra = (20 if belote == 0 else 0, 20 if belote == 1 else 0)
    other = 1 - taker
    if 0 in tricks:
        outcome, winner = "capot", tricks.index(16)
        bare = (252, 0) if winner == 0 else (0, 252)
    elif points[taker] + extra[taker] > points[other] + extra[other]:
        outcome, bare = "made", points
    else:
        outcome, bare = "dedans", (0, 162) if taker == 0 else (162, 0)
    return Score(taker, points, tricks, belote, outcome, (bare[0] + extra[0], bare[1] + extra[1]))


VOID = Score(None, (0, 0), (0, 0), None, "void", (0, 0))


class Deal:
    """A deal in progress. `turn` is the seat to act, None once it is over."""

    __slots__ = (
        "_bids",
        "_deck",
        "_led",
        "_points",
        "_stock",
        "_tricks",
        "belote",
        "hands",
        "leader",
        "taker",
        "trump",
        "turn",
    )

    def __init__(self, deck: Sequence[int], dealer: int) -> None:
        first = sum(1 << card for card in (*deck[0:3], *deck[6:9]))
        second = sum(1 << card for card in (*deck[3:6], *deck[9:12]))
        self._deck = deck
        self.hands = [first, second] if dealer == 1 else [second, first]
        self.leader = 1 - dealer
        self.turn: int | None = self.leader
        self.trump: int | None = None
        self.taker: int | None = None
        self.belote: int | None = None
        self._bids = 0
        self._stock = 13
        self._led: int | None = None
        self._points = [0, 0]
        self._tricks = [0, 0]

    @property
    def turned(self) -> int:
        """The card turned up."""
        return self._deck[12]

    def legal(self) -> list[int]:
        """The allowed actions in canonical order, without RESIGN."""
        if self.turn is None:
            return []
        if self.trump is not None:
            return members(legal_cards(self.hands[self.turn], self._led, self.trump, free=self._stock < CARDS))
        if self._bids < SEATS:
            return [PASS, TAKE]
        return [PASS, *(SUIT_BID + suit for suit in range(4) if suit != self.turned >> 3)]

    def act(self, action: int) -> str | None:
        """The seat on turn bids or plays; what its card says. Raises IllegalAction."""
        turn, trump = self.turn, self.trump
        if trump is None or turn is None:
            self._bid(action)
            return None
        hands = self.hands
        hand = hands[turn]
        bit = 1 << action
        if not hand & bit:
            raise IllegalAction("not in hand")
        led, stock = self._led, self._stock
        if led is not None and stock == CARDS and not legal_cards(hand, led, trump, free=False) & bit:
            raise IllegalAction("must follow, rise or trump")
        hands[turn] = hand = hand ^ bit
        # Before the draw: a king played does not go with a queen drawn for it.
        says = self._says(turn, hand, trump) if bit & _ROYALS[trump] else None
        if led is None:
            self._led = action
            self.turn = 1 - turn
            return says
        value = _VALUE[trump]
        winner = turn if _BEATS[trump][led] & bit else 1 - turn
        self._points[winner] += value[led] + value[action]
        self._tricks[winner] += 1
        self._led = None
        self.turn = winner
        if stock < CARDS:
            hands[winner] |= 1 << self._deck[stock]
            hands[1 - winner] |= 1 << self._deck[stock + 1]
            self._stock = stock + 2
        elif not hand:
            self._points[winner] += 10
            self.turn = None
        return says

    def score(self) -> Score:
        """The score of a deal that is over."""
        if self.taker is None:
            return VOID
        points, tricks = self._points, self._tricks
        return score(self.taker, (points[0], points[1]), (tricks[0], tricks[1]), self.belote)

    def _says(self, turn: int, rest: int, trump: int) -> str | None:
        if rest & _ROYALS[trump]:
            self.belote = turn
            return "belote"
        return "rebelote" if self.belote == turn else None

    def _bid(self, action: int) -> None:
        if action not in self.legal() or self.turn is None:
            raise IllegalAction("bid")
        turned = self.turned
        self._bids += 1
        if action == PASS:
            self.turn = None if self._bids == 2 * SEATS else 1 - self.turn
            return
        self.trump = turned >> 3 if action == TAKE else action - SUIT_BID
        self.taker = self.turn
        self.hands[self.taker] |= 1 << turned
        self.hands[1 - self.taker] |= 1 << self._deck[13]
        self._stock = 14
        self.turn = self.leader


def members(cards: int) -> list[int]:
    """A set of cards as a list in canonical order."""
    return [card for card in range(CARDS) if cards >> card & 1]


def replay_deal(deck: Sequence[int], dealer: int, actions: Iterable[int]) -> Score:
    """The score of a whole deal from its pack and its actions in order; raises IllegalAction."""
    deal = Deal(deck, dealer)
    act = deal.act
    for action in actions:
        act(action)
    if deal.turn is not None:
        raise IllegalAction("the deal is not over")
    return deal.score()


def winner(totals: tuple[int, int], target: int) -> int | None:
    """The side that has won after a score; None when the match goes on."""
    if max(totals) < target or totals[0] == totals[1]:
        return None
    return 0 if totals[0] > totals[1] else 1
