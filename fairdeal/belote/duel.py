"""The ruleset `duel@1`: belote for two, with a stock, nine free tricks and seven strict ones (docs/rules/duel.md)."""

from typing import ClassVar, Final

from fairdeal.belote.actions import SUIT_BIDS, Action, Bid, Reason
from fairdeal.belote.deal import Deal, Layout, Phase, check_pack, new_deal, passed, turned_up_action, turned_up_bids
from fairdeal.belote.scoring import DealScore, Features, Options, Outcome
from fairdeal.belote.steps import Steps
from fairdeal.belote.values import BEATEN_BY, BELOTE, CAPOT_POINTS, DEAL_POINTS, SUIT_CARDS, card_set
from fairdeal.cards import PACK, suit_of
from fairdeal.errors import Malformed

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


class Duel(Steps):
    """Belote for two players: the non-dealer speaks first and leads; seats are sides."""

    id: Final = "duel@1"
    players: ClassVar[int] = PLAYERS
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

    def start(self, pack: tuple[int, ...], dealer: int, options: Options) -> Deal:
        """The deal of this pack, before the first bid. Raises Malformed when `pack` is not the 32 cards."""
        hands, turned, stock = layout(pack, dealer)
        return new_deal(dealer, PLAYERS, options, tuple([card_set(hand) for hand in hands]), turned, stock, STOCK)

    def start_public(self, turned: int, dealer: int, options: Options) -> Deal:
        """The same deal seen from outside: hands and stock unknown (None)."""
        return new_deal(dealer, PLAYERS, options, None, turned, None, STOCK)

    def phase(self, deal: Deal) -> Phase:
        """Where the deal stands."""
        if deal.turn is None:
            return Phase.OVER
        if deal.trump is None:
            return Phase.FIRST_ROUND if deal.passes < PLAYERS else Phase.SECOND_ROUND
        return Phase.FREE if deal.stock_left else Phase.STRICT

    def bids(self, deal: Deal) -> tuple[Action, ...]:
        """Take or pass; in the second round one of the other three suits or pass."""
        return turned_up_bids(deal, PLAYERS)

    def after_word(self, deal: Deal, action: Action) -> Deal:
        """The deal after a word that may be said.

        The taker picks up the turned card whatever is trump, the other one draws; the non-dealer leads.
        """
        if action is Bid.PASS:
            return passed(deal, PLAYERS)
        assert isinstance(action, Bid)
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
            trump=suit_of(deal.turned) if action is Bid.TAKE else SUIT_BIDS.index(action),
        )

    def legal_cards(self, deal: Deal, hand: int, trump: int) -> int:
        """The cards of the hand on turn (a set) that may be played: any while the stock lasts, or when leading.

        Then: follow; if trump is led, above the card down when possible; void in a plain suit, trump; no trump,
        anything.
        """
        trick = deal.trick
        if trick and not deal.stock_left:
            for duty in _DUTIES[trump][trick[0]]:
                if hand & duty:
                    return hand & duty
        return hand

    def broken_duty(self, deal: Deal, hand: int, card: int) -> Reason:
        """Which duty a held but illegal card of the hand on turn breaks."""
        led = suit_of(deal.trick[0])
        if not hand & SUIT_CARDS[led]:
            return Reason.MUST_TRUMP
        return Reason.MUST_RISE if suit_of(card) == led else Reason.MUST_FOLLOW

    def marked(self, deal: Deal, taker: int) -> DealScore:
        """The score of a played deal."""
        outcome, written = marks(taker, deal.points, deal.tricks, deal.belote)
        return DealScore(taker, deal.points, deal.tricks, deal.belote, outcome, written)


DUEL: Final = Duel()
