"""What the fold and the schema know of any game: a deal in progress, and its score."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from fairdeal_verifier.cards import ROYALS
from fairdeal_verifier.errors import IllegalAction

SIDES = 2
"""In every game; the side of a seat is seat mod 2."""

Pair = tuple[int, int]
"""One integer per side."""


class Announcement(NamedTuple):
    """A carré or a run as it is shown: whose, and its cards in canonical order."""

    seat: int
    cards: tuple[int, ...]


class Contract(NamedTuple):
    """What the last bid of an auction promised: `double` is 1, 2 (coinche) or 4 (surcoinche)."""

    double: int
    seat: int
    suit: int
    value: int


class Score(NamedTuple):
    """What a `score` event says of a deal. The last three are as here in games that do not write them."""

    taker: int | None
    points: Pair
    tricks: Pair
    belote: int | None
    outcome: str
    marks: Pair
    pot: int = 0
    contract: Contract | None = None
    announcements: Pair = (0, 0)


VOID = Score(None, (0, 0), (0, 0), None, "void", (0, 0))


class Deal(ABC):
    """A deal in progress. `turn` is the seat to act, None once it is over; `trump` is None during the bidding."""

    __slots__ = ("belote", "hands", "leader", "points", "taker", "tricks", "trump", "turn")

    def __init__(self, hands: list[int], first: int) -> None:
        """`hands` as dealt so far, by seat; `first` is the seat that speaks and leads first."""
        self.hands = hands
        self.leader = first
        self.turn: int | None = first
        self.trump: int | None = None
        self.taker: int | None = None
        self.belote: int | None = None
        """The side that has said belote."""
        self.points = [0, 0]
        self.tricks = [0, 0]

    @property
    def turned(self) -> int | None:
        """The card turned up, in the games that turn one."""
        return None

    @property
    def shows(self) -> bool:
        """Whether the action just done makes a `show` due."""
        return False

    @abstractmethod
    def legal(self) -> list[int]:
        """The allowed actions of the seat on turn in canonical order, without RESIGN."""

    @abstractmethod
    def act(self, action: int) -> str | None:
        """The seat on turn bids or plays; what its card says. Raises IllegalAction."""

    def declare(self, seat: int) -> None:
        """A seat declares its announcements, on its turn or later; raises IllegalAction."""
        raise IllegalAction("nothing is declared in this game")

    def shown(self) -> tuple[Announcement, ...]:
        """What the `show` lists."""
        return ()

    @abstractmethod
    def score(self, pot: int, *, counts_bid: bool) -> Score:
        """The score of a deal that is over; `pot` is what waits from earlier litiges."""

    def gathered(self) -> list[int]:
        """The pack as it is gathered after this deal, where it is not shuffled for the next one."""
        return []

    def _says(self, turn: int, rest: int, trump: int) -> str | None:
        """What a king or queen of trump says, when `rest` is what its player still holds."""
        if rest & ROYALS[trump]:
            self.belote = turn & 1
            return "belote"
        # A side has both cards in one hand, or neither says anything.
        return "rebelote" if self.belote == turn & 1 else None


def replay(deal: Deal, actions: Sequence[int]) -> Deal:
    """A fresh deal played out by its actions in order; raises IllegalAction."""
    act = deal.act
    for action in actions:
        act(action)
    if deal.turn is not None:
        raise IllegalAction("the deal is not over")
    return deal


def winner(totals: Pair, target: int) -> int | None:
    """The side that has won after a score; None when the match goes on."""
    if max(totals) < target or totals[0] == totals[1]:
        return None
    return 0 if totals[0] > totals[1] else 1
