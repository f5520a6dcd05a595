"""What the games for four share: seats and sides, the packets of the deal, the duties of play, the target.

Partners sit face to face, (seat + 2) mod 4. Each game is its own file and its own object; none is built on another.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

from fairdeal.belote.actions import Action, Reason
from fairdeal.belote.deal import SIDES, Deal, Phase, check_pack
from fairdeal.belote.scoring import Features, Options
from fairdeal.belote.steps import Steps
from fairdeal.belote.values import BEATEN_BY, BELOTE, SUIT_CARDS
from fairdeal.cards import suit_of
from fairdeal.errors import Malformed

PLAYERS: Final = 4
TRICKS: Final = 8
TARGETS: Final = (501, 1001, 2001)
DEFAULT_TARGET: Final = 1001

Hands = tuple[tuple[int, ...], ...]
"""Hands by seat, each in the order received."""


def deal_packets(pack: tuple[int, ...], dealer: int, *sizes: int) -> Hands:
    """Rounds of packets of these sizes, from the first speaker on.

    Raises Malformed when `pack` is not the 32 cards.
    """
    check_pack(pack)
    hands: list[tuple[int, ...]] = [()] * PLAYERS
    place = 0
    for size in sizes:
        for turn in range(1, PLAYERS + 1):
            hands[(dealer + turn) % PLAYERS] += pack[place : place + size]
            place += size
    return tuple(hands)


@dataclass(frozen=True, slots=True)
class Duties:
    """Where tables differ on the duties of play."""

    under_trump: bool
    """Void in the suit led and unable to beat an opponent's ruff: a lower trump is due, if any is held."""
    rise_over_partner: bool
    """When trump is led, one rises over a partner who is master too."""


def _best_card(trick: tuple[int, ...], trump: int) -> tuple[int, bool]:
    """The card that holds the trick, and whether the partner of the seat on turn played it."""
    beaten_by = BEATEN_BY[trump]
    best = trick[0]
    place = 0
    for other, card in enumerate(trick):
        if beaten_by[best] >> card & 1:
            best, place = card, other
    return best, place == len(trick) - 2


def parse_target(value: object) -> int:
    """One of the totals that a match of four may be played to. Raises Malformed."""
    if type(value) is not int or value not in TARGETS:
        raise Malformed(f"target: one of {', '.join(map(str, TARGETS))}")
    return value


@dataclass(frozen=True, slots=True)
class Made:
    """What the sides made in a deal, before anything is decided; pairs by side, `taker` and `belote` are sides."""

    taker: int
    points: tuple[int, int]
    """Cards and last trick, 162 in all."""
    tricks: tuple[int, int]
    belote: int | None = None
    announcements: tuple[int, int] = (0, 0)

    @property
    def bonus(self) -> tuple[int, int]:
        """The belote of each side."""
        return (BELOTE if self.belote == 0 else 0, BELOTE if self.belote == 1 else 0)

    @property
    def capot(self) -> int | None:
        """The side that won every trick. It follows from tricks, never from points."""
        return 1 - self.tricks.index(0) if TRICKS in self.tricks else None


@dataclass(frozen=True)
class FourPlayers(Steps):
    """Four seats, two sides, one way to play a trick; a game adds its deal, its words and its score."""

    id: str
    duties: Duties
    defaults: Options

    features: ClassVar[Features]
    players: ClassVar[int] = PLAYERS
    sides: ClassVar[int] = SIDES

    @abstractmethod
    def start(self, pack: tuple[int, ...], dealer: int, options: Options) -> Deal:
        """The deal of this pack, before the first bid. Raises Malformed when `pack` is not the 32 cards."""

    @abstractmethod
    def start_public(self, turned: int, dealer: int, options: Options) -> Deal:
        """The same deal seen from outside: hands and stock unknown (None)."""

    @abstractmethod
    def phase(self, deal: Deal) -> Phase:
        """Where the deal stands."""

    def parse_options(self, value: object) -> Options:
        """The options written as `{"target": 1001}`, nothing missing or added. Raises Malformed."""
        match value:
            case {"target": target, **rest} if not rest:
                return Options(parse_target(target))
        raise Malformed(f"options of {self.id}: target")

    def format_options(self, options: Options) -> dict[str, int | str]:
        """The wire form of options."""
        return {"target": options.target}

    @abstractmethod
    def from_do(self, do: object) -> Action:
        """The action that a `do` object writes in this game. Raises Malformed."""

    def legal_cards(self, deal: Deal, hand: int, trump: int) -> int:
        """The cards of the hand on turn (a set) that may be played on the trick; `trump` is the deal's.

        Follow; if trump is led, above the best down when possible. Void: anything when the partner is master, else
        trump, above the best ruff when possible; no trump, anything.
        """
        trick, duties = deal.trick, self.duties
        if not trick:
            return hand
        led = trick[0]
        follow = hand & SUIT_CARDS[led >> 3]
        if follow and led >> 3 != trump:
            return follow
        if not follow and not hand & SUIT_CARDS[trump]:
            return hand
        best, partner_master = _best_card(trick, trump)
        if follow:
            if partner_master and not duties.rise_over_partner:
                return follow
            return follow & BEATEN_BY[trump][best] or follow
        if partner_master:
            return hand
        trumps = hand & SUIT_CARDS[trump]
        if best >> 3 != trump:
            return trumps
        return trumps & BEATEN_BY[trump][best] or (trumps if duties.under_trump else hand)

    def broken_duty(self, deal: Deal, hand: int, card: int) -> Reason:
        """Which duty a held but illegal card of the hand on turn breaks."""
        led = deal.trick[0]
        if suit_of(card) != suit_of(led) and hand & SUIT_CARDS[suit_of(led)]:
            return Reason.MUST_FOLLOW
        return Reason.MUST_RISE if suit_of(card) == deal.trump else Reason.MUST_TRUMP
