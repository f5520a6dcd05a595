"""What the games for four share (protocol 4.2): who plays what after whom, and the deal with a turned card."""

from abc import abstractmethod
from collections.abc import Sequence

from fairdeal_verifier.cards import BEATS, PASS, ROYALS, SUIT, SUIT_BID, TAKE, VALUE, as_set, members
from fairdeal_verifier.errors import IllegalAction
from fairdeal_verifier.game import Deal, Pair

SEATS = 4
TRICKS = 8
TARGETS = (501, 1001, 2001)
BELOTE = 20
CAPOT_BONUS = 90
"""For all eight tricks, in the full total."""
CAPOT = 252
"""What all eight tricks mark."""


def legal_cards(
    hand: int, led: int | None, best: int, trump: int, *, partner_holds: bool, rise: bool, forced: bool
) -> int:
    """The cards of a hand that may be played: the duties of protocol 4.2.

    `led` is the first card of the trick (None for the leader), `best` the one that holds it, the partner's or an
    opponent's; `rise` the option to rise over the partner, `forced` the one to under-ruff.
    """
    if led is None:
        return hand
    beats = BEATS[trump][best]
    same = hand & SUIT[led >> 3]
    if same:
        if led >> 3 != trump or (partner_holds and not rise):
            return same
        return same & beats or same
    trumps = hand & SUIT[trump]
    if partner_holds or not trumps:
        return hand
    # A card that is no trump is beaten by every trump, so `best` says both what holds the trick and what was ruffed.
    return trumps & beats or (trumps if forced else hand)


class FourDeal(Deal):
    """A deal between four. The subclass deals and runs the bidding, which ends in `_take` or with no turn."""

    __slots__ = ("_best", "_best_seat", "_led", "_on_table", "_value", "first")

    rise = False
    """The option to rise over the partner."""
    forced = True
    """The option to under-ruff."""

    def __init__(self, hands: list[int], dealer: int) -> None:
        self.first = (dealer + 1) % SEATS
        super().__init__(hands, self.first)
        self._led: int | None = None
        self._best = self._best_seat = 0
        self._on_table = self._value = 0

    @abstractmethod
    def bids(self) -> list[int]:
        """The allowed bids of the seat on turn in canonical order."""

    @abstractmethod
    def bid(self, action: int, seat: int) -> None:
        """Applies an allowed bid."""

    def legal(self) -> list[int]:
        if self.turn is None:
            return []
        return self.bids() if self.trump is None else members(self._legal_cards(self.turn, self.trump))

    def act(self, action: int) -> str | None:
        turn, trump = self.turn, self.trump
        if trump is None or turn is None:
            if turn is None or action not in self.bids():
                raise IllegalAction("bid")
            self.bid(action, turn)
            return None
        hand, bit = self.hands[turn], 1 << action
        if not hand & bit:
            raise IllegalAction("not in hand")
        led = self._led
        if led is None:
            self._led = self._best = action
            self._best_seat = turn
        else:
            # Whoever follows a plain suit does all that can be asked.
            if (action ^ led > 7 or led >> 3 == trump) and not self._legal_cards(turn, trump) & bit:
                raise IllegalAction("must follow, rise or trump")
            if BEATS[trump][self._best] & bit:
                self._best, self._best_seat = action, turn
        self.hands[turn] = hand = hand ^ bit
        says = self._says(turn, hand, trump) if bit & ROYALS[trump] else None
        self._value += VALUE[trump][action]
        if self._on_table < SEATS - 1:
            self._on_table += 1
            self.turn = (turn + 1) & 3
        else:
            self._complete(hand)
        return says

    def _complete(self, rest: int) -> None:
        """The trick has four cards; `rest` is what the last player still holds."""
        winner = self._best_seat
        side = winner & 1
        self.points[side] += self._value
        self.tricks[side] += 1
        self.leader = self.turn = winner
        self._led = None
        self._on_table = self._value = 0
        if not rest:
            self.points[side] += 10
            self.turn = None

    def _legal_cards(self, turn: int, trump: int) -> int:
        return legal_cards(
            self.hands[turn],
            self._led,
            self._best,
            trump,
            partner_holds=(self._best_seat ^ turn) == 2,
            rise=self.rise,
            forced=self.forced,
        )

    def _take(self, seat: int, trump: int) -> None:
        """The bidding is over; the first speaker leads."""
        self.taker, self.trump, self.turn = seat, trump, self.first


class TurnedDeal(FourDeal):
    """Five cards each and one turned up, for which two rounds of bidding go (protocol 4.2)."""

    __slots__ = ("_bids", "_deck")

    def __init__(self, deck: Sequence[int], dealer: int) -> None:
        packets = [as_set(*deck[3 * i : 3 * i + 3], *deck[12 + 2 * i : 14 + 2 * i]) for i in range(SEATS)]
        super().__init__([packets[(seat - dealer - 1) % SEATS] for seat in range(SEATS)], dealer)
        self._deck = deck
        self._bids = 0

    @property
    def turned(self) -> int:
        return self._deck[20]

    def bids(self) -> list[int]:
        if self._bids < SEATS:
            return [PASS, TAKE]
        return [PASS, *(SUIT_BID + suit for suit in range(4) if suit != self.turned >> 3)]

    def bid(self, action: int, seat: int) -> None:
        self._bids += 1
        if action == PASS:
            self.turn = None if self._bids == 2 * SEATS else (seat + 1) % SEATS
            return
        at = 21
        for i in range(SEATS):
            receiver = (self.first + i) % SEATS
            count = 2 if receiver == seat else 3
            self.hands[receiver] |= as_set(*self._deck[at : at + count])
            at += count
        self.hands[seat] |= 1 << self.turned
        self._take(seat, self.turned >> 3 if action == TAKE else action - SUIT_BID)


def full_totals(points: Pair, tricks: Pair, belote: int | None, announcements: Pair = (0, 0)) -> Pair:
    """The full total of each side (protocol 4.2)."""
    first, second = (
        points[side]
        + announcements[side]
        + (BELOTE if belote == side else 0)
        + (CAPOT_BONUS if tricks[side] == TRICKS else 0)
        for side in (0, 1)
    )
    return first, second
