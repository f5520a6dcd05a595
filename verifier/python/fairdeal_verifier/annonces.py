"""The ruleset `annonces@1` (protocol 4.5): announcements, and a pack that is gathered and cut."""

from collections.abc import Sequence
from itertools import chain, combinations
from typing import NamedTuple

from fairdeal_verifier import classique
from fairdeal_verifier.cards import DECLARE, SUIT, members
from fairdeal_verifier.errors import IllegalAction
from fairdeal_verifier.four import SEATS, TurnedDeal
from fairdeal_verifier.game import VOID, Announcement, Pair, Score

DEDANS = 160
SHUFFLE_AFTER = 4
"""Void deals in a row, after which the pack is shuffled."""

_RANK = tuple(1 << rank | 1 << rank + 8 | 1 << rank + 16 | 1 << rank + 24 for rank in range(8))
_SQUARES = {4: (200, 6), 2: (150, 5), 7: (100, 4), 3: (100, 3), 6: (100, 2), 5: (100, 1)}
"""Value and height of a carré by rank: J 9 A 10 K Q."""
_RUNS = {3: 20, 4: 50}
_LONG_RUN = 100
"""Of five cards or more."""


class Strength(NamedTuple):
    """What one announcement is compared by, the stronger the greater; `height` of a run is its highest rank."""

    value: int
    square: bool
    height: int
    in_trump: bool


Found = tuple[Strength, int]
"""An announcement of a hand, with its cards as a set."""


def find_announcements(hand: int, trump: int) -> list[Found]:
    """Those of the best partition of eight cards, from the strongest."""
    squares = [rank for rank in _SQUARES if hand & _RANK[rank] == _RANK[rank]]
    choices = chain.from_iterable(combinations(squares, count) for count in range(len(squares) + 1))
    return max((_partition(hand, choice, trump) for choice in choices), key=_worth)


def _worth(found: list[Found]) -> tuple[int, list[Strength]]:
    strengths = [strength for strength, _ in found]
    return total(found), strengths


def total(found: list[Found]) -> int:
    """What announcements count together."""
    return sum(strength.value for strength, _ in found)


def _partition(hand: int, squares: tuple[int, ...], trump: int) -> list[Found]:
    found: list[Found] = [(Strength(_SQUARES[r][0], True, _SQUARES[r][1], False), _RANK[r]) for r in squares]
    for rank in squares:
        hand &= ~_RANK[rank]
    for suit in range(4):
        found += _runs(hand & SUIT[suit], suit == trump)
    return sorted(found, reverse=True)


def _runs(cards: int, in_trump: bool) -> list[Found]:
    """The longest runs of the cards of one suit, of three or more."""
    found = []
    while cards:
        lowest = cards & -cards
        # Adding the lowest card carries through its run.
        run = cards & ~(cards + lowest)
        cards ^= run
        count = run.bit_count()
        if count >= 3:
            found.append((Strength(_RUNS.get(count, _LONG_RUN), False, run.bit_length() - 1 & 7, in_trump), run))
    return found


def best_side(declared: dict[int, list[Found]]) -> int | None:
    """The side with the strongest announcement among those that seats declared; None if both or neither have it."""
    best = [max((f[0][0] for seat, f in declared.items() if seat & 1 == side), default=None) for side in (0, 1)]
    first, second = best
    if first == second:
        return None
    if first is None or second is None:
        return 1 if first is None else 0
    return 0 if first > second else 1


class Annonces(TurnedDeal):
    """A deal of the belote with announcements."""

    __slots__ = ("_dealt", "_declared", "_played", "_winners")

    rise = True
    forced = False

    def __init__(self, deck: Sequence[int], dealer: int) -> None:
        super().__init__(deck, dealer)
        self._dealt: list[int] = []
        self._declared: dict[int, list[Found]] = {}
        self._played: list[int] = []
        self._winners: list[int] = []

    def legal(self) -> list[int]:
        allowed = super().legal()
        if self.turn is not None and self._may_declare(self.turn):
            allowed.append(DECLARE)
        return allowed

    def act(self, action: int) -> str | None:
        if action == DECLARE and self.turn is not None:
            self.declare(self.turn)
            return None
        bidding = self.trump is None
        says = super().act(action)
        if not bidding:
            self._played.append(action)
            if not self._on_table:
                self._winners.append(self.leader & 1)
        return says

    def bid(self, action: int, seat: int) -> None:
        super().bid(action, seat)
        self._dealt = list(self.hands)

    def declare(self, seat: int) -> None:
        if not self._may_declare(seat):
            raise IllegalAction("declare")
        self._declared[seat] = self._found(seat)

    def _may_declare(self, seat: int) -> bool:
        """In the first trick, on its turn or after its own card, once, with something to declare."""
        in_time = self.trump is not None and (seat - self.first) % SEATS <= len(self._played) < SEATS
        return in_time and seat not in self._declared and bool(self._found(seat))

    def _found(self, seat: int) -> list[Found]:
        return [] if self.trump is None else find_announcements(self._dealt[seat], self.trump)

    @property
    def shows(self) -> bool:
        return len(self._played) == SEATS + 1 and bool(self._declared)

    def shown(self) -> tuple[Announcement, ...]:
        side = best_side(self._declared)
        return tuple(
            Announcement(seat, tuple(members(cards)))
            for seat in sorted(self._declared)
            if seat & 1 == side
            for cards in sorted((cards for _, cards in self._declared[seat]), key=lambda cards: cards & -cards)
        )

    def counted(self) -> Pair:
        """What the announcements of each side count."""
        side = best_side(self._declared)
        value = sum(total(found) for seat, found in self._declared.items() if seat & 1 == side)
        return (value if side == 0 else 0, value if side == 1 else 0)

    def score(self, pot: int = 0, *, counts_bid: bool = False) -> Score:
        if self.taker is None:
            return VOID._replace(pot=pot)
        return classique.score(
            self.taker,
            (self.points[0], self.points[1]),
            (self.tricks[0], self.tricks[1]),
            self.belote,
            pot,
            dedans=DEDANS,
            announcements=self.counted(),
        )

    def gathered(self) -> list[int]:
        deck = self._deck
        if self.taker is None:
            received = ([*deck[3 * i : 3 * i + 3], *deck[12 + 2 * i : 14 + 2 * i]] for i in range(SEATS))
            return [*chain.from_iterable(received), *deck[20:]]
        tricks = [self._played[at : at + SEATS] for at in range(0, len(self._played), SEATS)]
        mine = self.taker & 1
        return [
            card
            for side in (mine, 1 - mine)
            for winner, trick in zip(self._winners, tricks, strict=True)
            if winner == side
            for card in trick
        ]
