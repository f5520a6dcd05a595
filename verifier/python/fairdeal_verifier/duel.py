"""The ruleset `duel@1` (protocol 4.1): one deal, from the pack to its marks."""

from collections.abc import Sequence

from fairdeal_verifier.cards import BEATS, CARDS, PASS, ROYALS, SUIT, SUIT_BID, TAKE, VALUE, as_set, members
from fairdeal_verifier.errors import IllegalAction
from fairdeal_verifier.game import VOID, Deal, Pair, Score

SEATS = 2
OUTCOMES = ("made", "dedans", "capot", "void")
BIDS = (PASS, TAKE, *range(SUIT_BID, SUIT_BID + 4))


def legal_cards(hand: int, led: int | None, trump: int, *, free: bool) -> int:
    """The cards of a hand that may be played; `led` is None for the leader, `free` while the stock holds cards."""
    if led is None or free:
        return hand
    same = hand & SUIT[led >> 3]
    if same:
        return (same & BEATS[trump][led] or same) if led >> 3 == trump else same
    return hand & SUIT[trump] or hand


def score(taker: int, points: Pair, tricks: Pair, belote: int | None) -> Score:
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


class Duel(Deal):
    """A deal between two, with a stock."""

    __slots__ = ("_bids", "_deck", "_led", "_stock")

    def __init__(self, deck: Sequence[int], dealer: int) -> None:
        first = as_set(*deck[0:3], *deck[6:9])
        second = as_set(*deck[3:6], *deck[9:12])
        super().__init__([first, second] if dealer == 1 else [second, first], 1 - dealer)
        self._deck = deck
        self._bids = 0
        self._stock = 13
        self._led: int | None = None

    @property
    def turned(self) -> int:
        return self._deck[12]

    def legal(self) -> list[int]:
        if self.turn is None:
            return []
        if self.trump is not None:
            return members(legal_cards(self.hands[self.turn], self._led, self.trump, free=self._stock < CARDS))
        if self._bids < SEATS:
            return [PASS, TAKE]
        return [PASS, *(SUIT_BID + suit for suit in range(4) if suit != self.turned >> 3)]

    def act(self, action: int) -> str | None:
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
        says = self._says(turn, hand, trump) if bit & ROYALS[trump] else None
        if led is None:
            self._led = action
            self.turn = 1 - turn
            return says
        value = VALUE[trump]
        winner = turn if BEATS[trump][led] & bit else 1 - turn
        self.points[winner] += value[led] + value[action]
        self.tricks[winner] += 1
        self._led = None
        self.turn = winner
        if stock < CARDS:
            hands[winner] |= 1 << self._deck[stock]
            hands[1 - winner] |= 1 << self._deck[stock + 1]
            self._stock = stock + 2
        elif not hand:
            self.points[winner] += 10
            self.turn = None
        return says

    def score(self, pot: int = 0, *, counts_bid: bool = False) -> Score:
        if self.taker is None:
            return VOID
        points, tricks = self.points, self.tricks
        return score(self.taker, (points[0], points[1]), (tricks[0], tricks[1]), self.belote)

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
