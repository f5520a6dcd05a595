"""The ruleset `duel@1`: belote for two, with a stock, nine free tricks and seven strict ones (docs/rules/duel.md)."""

from typing import Final

from fairdeal.belote.actions import SUIT_BIDS, Action, Bid, Play, Reason, Says, plays, refuse
from fairdeal.belote.deal import (
    Deal,
    Layout,
    Phase,
    announcement,
    check_claim,
    check_pack,
    passed,
    played_card,
    turned_up_action,
    turned_up_bids,
)
from fairdeal.belote.scoring import VOID_SCORE, DealScore, Features, Options, Outcome
from fairdeal.belote.tables import BEATEN_BY, BELOTE, CAPOT_POINTS, DEAL_POINTS, SUIT_CARDS, card_set
from fairdeal.cards import PACK, suit_of
from fairdeal.errors import Malformed, WrongPhase

PLAYERS: Final = 2
TRICKS: Final = 16
STOCK: Final = 19
"""Cards in the stock after the deal, the turned one aside."""
MAX_TARGET: Final = 10_000
"""A hundred deals, all that a match may have, share some 16,200 points: a higher target would hardly be reached."""


def layout(pack: tuple[int, ...], dealer: int) -> Layout:
    """Three cards to the non-dealer, three to the dealer, three, three; then the turned card, then the stock.

    Raises Malformed when `pack` is not the 32 cards.
    """
    check_pack(pack)
    other, own = pack[0:3] + pack[6:9], pack[3:6] + pack[9:12]
    return Layout((own, other) if dealer == 0 else (other, own), pack[12], pack[13:])


def _duties(trump: int, led: int) -> tuple[int, ...]:
    """The sets a second player must choose from in a strict trick: the first that the hand has a card of binds."""
    suit = suit_of(led)
    follow = SUIT_CARDS[suit]
    return (BEATEN_BY[trump][led], follow) if suit == trump else (follow, SUIT_CARDS[trump])


_DUTIES: Final = tuple(tuple(_duties(trump, led) for led in PACK) for trump in range(4))


def legal_cards(hand: int, trick: tuple[int, ...], trump: int, stock_left: int) -> int:
    """The cards of a hand (a set) that may be played on `trick`: any while the stock lasts, or when leading.

    Then: follow; if trump is led, above the card down when possible; void in a plain suit, trump; no trump, anything.
    """
    if trick and not stock_left:
        for duty in _DUTIES[trump][trick[0]]:
            if hand & duty:
                return hand & duty
    return hand


def _broken_duty(hand: int, card: int, led: int) -> Reason:
    """Which duty a held but illegal card breaks."""
    if not hand & SUIT_CARDS[suit_of(led)]:
        return Reason.MUST_TRUMP
    return Reason.MUST_RISE if suit_of(card) == suit_of(led) else Reason.MUST_FOLLOW


def marks(
    taker: int, points: tuple[int, int], tricks: tuple[int, int], belote: int | None
) -> tuple[Outcome, tuple[int, int]]:
    """Outcome and marks of a played deal; `taker` and `belote` are sides, `points` have the last trick (162 in all).

    The taker needs strictly more than the other, belote counted. Belote stays with its owner whatever happens.
    """
    bonus = (BELOTE if belote == 0 else 0, BELOTE if belote == 1 else 0)
    other = 1 - taker
    if TRICKS in tricks:
        outcome, base = Outcome.CAPOT, [0, 0]
        base[tricks.index(TRICKS)] = CAPOT_POINTS
    elif points[taker] + bonus[taker] > points[other] + bonus[other]:
        outcome, base = Outcome.MADE, list(points)
    else:
        outcome, base = Outcome.DEDANS, [0, 0]
        base[other] = DEAL_POINTS
    return outcome, (base[0] + bonus[0], base[1] + bonus[1])


_OUTSIDE: Final = "the outside view does not know the hands"


class Duel:
    """Belote for two players: the non-dealer speaks first and leads; seats are sides."""

    id: Final = "duel@1"
    players: Final = PLAYERS
    sides: Final = PLAYERS
    defaults: Final = Options(target=301)
    features: Final = Features(frozenset({Outcome.MADE, Outcome.DEDANS, Outcome.CAPOT, Outcome.VOID}))

    def parse_options(self, value: object) -> Options:
        """The options written as `{"target": 301}`, 1…10,000, nothing missing or added. Raises Malformed."""
        match value:
            case {"target": int(target), **rest} if not rest and type(target) is int and 1 <= target <= MAX_TARGET:
                return Options(target)
        raise Malformed(f"options of duel@1: target, 1 to {MAX_TARGET}")

    def format_options(self, options: Options) -> dict[str, int]:
        """The wire form of options."""
        return {"target": options.target}

    def from_do(self, do: object) -> Action:
        """The action that a `do` object writes. Raises Malformed."""
        return turned_up_action(do)

    def next_dealer(self, dealer: int) -> int:
        """The dealer of the deal that follows, a void one too."""
        return (dealer + 1) % PLAYERS

    def start(self, pack: tuple[int, ...], dealer: int, options: Options) -> Deal:
        """The deal of this pack, before the first bid. Raises Malformed when `pack` is not the 32 cards."""
        hands, turned, stock = layout(pack, dealer)
        return _dealt(turned, dealer, tuple([card_set(hand) for hand in hands]), stock, options)

    def start_public(self, turned: int, dealer: int, options: Options) -> Deal:
        """The same deal seen from outside: hands and stock unknown (None)."""
        return _dealt(turned, dealer, None, None, options)

    def phase(self, deal: Deal) -> Phase:
        """Where the deal stands."""
        if deal.turn is None:
            return Phase.OVER
        if deal.trump is None:
            return Phase.FIRST_ROUND if deal.passes < PLAYERS else Phase.SECOND_ROUND
        return Phase.FREE if deal.stock_left else Phase.STRICT

    def actions(self, deal: Deal) -> tuple[Action, ...]:
        """What the seat on turn may do, in canonical order; nothing when the deal is over.

        Raises WrongPhase in the outside view once cards are played: it does not know the hands.
        """
        turn, trump, hands = deal.turn, deal.trump, deal.hands
        if turn is None:
            return ()
        if trump is None:
            return turned_up_bids(deal, PLAYERS)
        if hands is None:
            raise WrongPhase(_OUTSIDE)
        return plays(legal_cards(hands[turn], deal.trick, trump, deal.stock_left))

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
            if trump is not None:
                refuse(Reason.NOT_BIDDING)
            if action not in turned_up_bids(deal, PLAYERS):
                refuse(Reason.BID_NOT_ALLOWED)
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
        if not legal_cards(hand, trick, trump, deal.stock_left) >> card & 1:
            refuse(_broken_duty(hand, card, trick[0]))

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
        return _after(deal, action, self.says(deal, action))

    def apply_public(self, deal: Deal, action: Action, says: Says | None) -> Deal:
        """The deal after an action and what an event says was announced with it; made for the outside view.

        Raises IllegalAction as `check`, and for an announcement that no hidden hand could explain.
        """
        self.check(deal, action)
        check_claim(deal, action, says)
        return _after(deal, action, says)

    def score(self, deal: Deal) -> DealScore:
        """The score of a deal that is over. Raises WrongPhase before that."""
        if deal.turn is not None:
            raise WrongPhase("the deal is not over")
        if deal.taker is None:
            return VOID_SCORE
        outcome, written = marks(deal.taker, deal.points, deal.tricks, deal.belote)
        return DealScore(deal.taker, deal.points, deal.tricks, deal.belote, outcome, written)


def _dealt(
    turned: int, dealer: int, hands: tuple[int, ...] | None, stock: tuple[int, ...] | None, options: Options
) -> Deal:
    return Deal(
        dealer=dealer,
        turned=turned,
        stock=stock,
        stock_left=STOCK,
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


def _after(deal: Deal, action: Action, says: Says | None) -> Deal:
    if isinstance(action, Play):
        return played_card(deal, action.card, says, PLAYERS)
    if action is Bid.PASS:
        return passed(deal, PLAYERS)
    assert isinstance(action, Bid)
    return _taken(deal, suit_of(deal.turned) if action is Bid.TAKE else SUIT_BIDS.index(action))


def _taken(deal: Deal, trump: int) -> Deal:
    """The taker picks up the turned card whatever is trump, the other one draws; the non-dealer leads."""
    taker = deal.turn
    assert taker is not None
    hands = deal.hands
    if hands is not None and deal.stock is not None:
        gains = [1 << deal.stock[0]] * PLAYERS
        gains[taker] = 1 << deal.turned
        hands = tuple(hand | gain for hand, gain in zip(hands, gains, strict=True))
    return deal._replace(
        hands=hands,
        stock_left=deal.stock_left - 1,
        turn=(deal.dealer + 1) % PLAYERS,
        taker=taker,
        trump=trump,
    )


DUEL: Final = Duel()
