"""What the games for four share: seats and sides, the packets of the deal, the duties of play, the steps of a ruleset.

Partners sit face to face, (seat + 2) mod 4. Each game is its own file and its own object; none is built on another.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

from fairdeal.belote.actions import Action, Play, Reason, Says, plays, refuse
from fairdeal.belote.deal import NO_CARD, SIDES, Deal, Phase, announcement, check_claim, check_pack, played_card
from fairdeal.belote.scoring import VOID_SCORE, DealScore, Features, Options
from fairdeal.belote.tables import BEATEN_BY, BELOTE, SUIT_CARDS
from fairdeal.cards import suit_of
from fairdeal.errors import Malformed, WrongPhase

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


def legal_cards(hand: int, trick: tuple[int, ...], trump: int, duties: Duties) -> int:
    """The cards of a hand (a set) that may be played on `trick`.

    Follow; if trump is led, above the best down when possible. Void: anything when the partner is master, else trump,
    above the best ruff when possible; no trump, anything.
    """
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


def _best_card(trick: tuple[int, ...], trump: int) -> tuple[int, bool]:
    """The card that holds the trick, and whether the partner of the seat on turn played it."""
    beaten_by = BEATEN_BY[trump]
    best = trick[0]
    place = 0
    for other, card in enumerate(trick):
        if beaten_by[best] >> card & 1:
            best, place = card, other
    return best, place == len(trick) - 2


def broken_duty(hand: int, card: int, led: int, trump: int) -> Reason:
    """Which duty a held but illegal card breaks."""
    if suit_of(card) != suit_of(led) and hand & SUIT_CARDS[suit_of(led)]:
        return Reason.MUST_FOLLOW
    return Reason.MUST_RISE if suit_of(card) == trump else Reason.MUST_TRUMP


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


_OUTSIDE: Final = "the outside view does not know the hands"


@dataclass(frozen=True)
class FourPlayers(ABC):
    """The steps that are the same in every game for four; a game adds its deal, its words and its score."""

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

    @abstractmethod
    def bids(self, deal: Deal) -> tuple[Action, ...]:
        """What the seat on turn may say while the bidding lasts, in canonical order, pass first."""

    @abstractmethod
    def after_word(self, deal: Deal, action: Action) -> Deal:
        """The deal after a word that may be said."""

    @abstractmethod
    def marked(self, deal: Deal, taker: int) -> DealScore:
        """The score of a played deal."""

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

    def next_dealer(self, dealer: int) -> int:
        """The dealer of the deal that follows, a void one too."""
        return (dealer + 1) % PLAYERS

    def actions(self, deal: Deal) -> tuple[Action, ...]:
        """What the seat on turn may do, in canonical order; nothing when the deal is over.

        Raises WrongPhase in the outside view once cards are played: it does not know the hands.
        """
        turn, trump, hands = deal.turn, deal.trump, deal.hands
        if turn is None:
            return ()
        if trump is None:
            return self.bids(deal)
        if hands is None:
            raise WrongPhase(_OUTSIDE)
        return plays(legal_cards(hands[turn], deal.trick, trump, self.duties))

    def first_action(self, deal: Deal) -> Action:
        """What is done for a seat whose time is over: pass, or the first legal card. Raises WrongPhase as `actions`."""
        actions = self.actions(deal)
        if not actions:
            raise WrongPhase("the deal is over")
        return actions[0]

    def check(self, deal: Deal, action: Action) -> None:
        """Raises IllegalAction, with the reason, unless the seat on turn may do this.

        In the outside view only what is public is checked: phase, bid, and that the card was not played before.
        """
        turn, trump, hands = deal.turn, deal.trump, deal.hands
        if turn is None:
            refuse(Reason.DEAL_OVER)
        if not isinstance(action, Play):
            self.check_word(deal, action)
            return
        if trump is None:
            refuse(Reason.NOT_PLAYING)
        card = action.card
        if hands is None:
            if deal.played >> card & 1:
                refuse(Reason.NOT_IN_HAND)
            return
        hand = hands[turn]
        if not hand >> card & 1:
            refuse(Reason.NOT_IN_HAND)
        trick = deal.trick
        if not legal_cards(hand, trick, trump, self.duties) >> card & 1:
            refuse(broken_duty(hand, card, trick[0], trump))

    def check_word(self, deal: Deal, action: Action) -> None:
        """Raises IllegalAction, with the reason, unless the seat on turn may say this."""
        if deal.trump is not None:
            refuse(Reason.NOT_BIDDING)
        if action not in self.bids(deal):
            refuse(Reason.BID_NOT_ALLOWED)

    def says(self, deal: Deal, action: Action) -> Says | None:
        """What the rules announce by themselves with this action of the seat on turn.

        Raises WrongPhase in the outside view, where it depends on the hidden hand.
        """
        turn, trump, hands = deal.turn, deal.trump, deal.hands
        if hands is None:
            raise WrongPhase(_OUTSIDE)
        if turn is None or trump is None or not isinstance(action, Play):
            return None
        return announcement(hands[turn], action.card, trump, deal.belote == turn)

    def apply(self, deal: Deal, action: Action) -> Deal:
        """The deal after an action of the seat on turn. Raises IllegalAction as `check`; WrongPhase from outside."""
        self.check(deal, action)
        if isinstance(action, Play):
            return played_card(deal, action.card, self.says(deal, action), PLAYERS)
        return self.after_word(deal, action)

    def apply_public(self, deal: Deal, action: Action, says: Says | None) -> Deal:
        """The deal after an action and what an event says was announced with it; made for the outside view.

        Raises IllegalAction as `check`, and for an announcement that no hidden hand could explain.
        """
        self.check(deal, action)
        check_claim(deal, action, says)
        return self.after(deal, action, says)

    def after(self, deal: Deal, action: Action, says: Says | None) -> Deal:
        """The deal after an action that may be done; nothing is checked."""
        if isinstance(action, Play):
            return played_card(deal, action.card, says, PLAYERS)
        return self.after_word(deal, action)

    def score(self, deal: Deal) -> DealScore:
        """The score of a deal that is over, without the pot of earlier litiges. Raises WrongPhase before that."""
        if deal.turn is not None:
            raise WrongPhase("the deal is not over")
        return VOID_SCORE if deal.taker is None else self.marked(deal, deal.taker)


def new_deal(
    dealer: int,
    options: Options,
    hands: tuple[int, ...] | None,
    turned: int = NO_CARD,
    stock: tuple[int, ...] | None = (),
    stock_left: int = 0,
) -> Deal:
    """A deal before the first bid, the seat after the dealer on turn."""
    return Deal(
        dealer=dealer,
        turned=turned,
        stock=stock,
        stock_left=stock_left,
        hands=hands,
        turn=(dealer + 1) % PLAYERS,
        passes=0,
        taker=None,
        trump=None,
        trick=(),
        played=0,
        points=(0, 0),
        tricks=(0, 0),
        belote=None,
        options=options,
    )
