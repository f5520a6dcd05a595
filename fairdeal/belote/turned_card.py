"""The deal and the bidding of the games for four in which a card is turned up: five cards each, then three more."""

from typing import Final

from fairdeal.belote.actions import SUIT_BIDS, Action, Bid
from fairdeal.belote.deal import Deal, Layout, Phase, new_deal, passed, turned_up_action, turned_up_bids
from fairdeal.belote.four import PLAYERS, FourPlayers, Hands, deal_packets
from fairdeal.belote.scoring import Options
from fairdeal.belote.values import card_set
from fairdeal.cards import suit_of

_FIRST_CARDS: Final = 20


def layout(pack: tuple[int, ...], dealer: int) -> Layout:
    """Threes, then twos, from the first speaker; then the turned card, then the stock.

    Raises Malformed when `pack` is not the 32 cards.
    """
    hands = deal_packets(pack, dealer, 3, 2)
    return Layout(hands, pack[_FIRST_CARDS], pack[_FIRST_CARDS + 1 :])


def last_cards(turned: int, stock: tuple[int, ...], dealer: int, taker: int) -> Hands:
    """What each seat still receives: three cards from the first speaker on, the taker the turned one and two."""
    hands: list[tuple[int, ...]] = [()] * PLAYERS
    for turn in range(1, PLAYERS + 1):
        seat = (dealer + turn) % PLAYERS
        size = 2 if seat == taker else 3
        hands[seat] = (turned, *stock[:size]) if seat == taker else stock[:size]
        stock = stock[size:]
    return tuple(hands)


class TurnedCard(FourPlayers):
    """Two rounds of bidding on a turned card: its suit, then one of the other three."""

    def start(self, pack: tuple[int, ...], dealer: int, options: Options) -> Deal:
        """The deal of this pack, before the first bid. Raises Malformed when `pack` is not the 32 cards."""
        hands, turned, stock = layout(pack, dealer)
        return new_deal(dealer, PLAYERS, options, tuple([card_set(hand) for hand in hands]), turned, stock, len(stock))

    def start_public(self, turned: int, dealer: int, options: Options) -> Deal:
        """The same deal seen from outside: hands and stock unknown (None)."""
        return new_deal(dealer, PLAYERS, options, None, turned, None, PLAYERS * 3 - 1)

    def from_do(self, do: object) -> Action:
        """The action that a `do` object writes: the words over a turned card, or a card. Raises Malformed."""
        return turned_up_action(do)

    def phase(self, deal: Deal) -> Phase:
        """Where the deal stands."""
        if deal.turn is None:
            return Phase.OVER
        if deal.trump is not None:
            return Phase.STRICT
        return Phase.FIRST_ROUND if deal.passes < PLAYERS else Phase.SECOND_ROUND

    def bids(self, deal: Deal) -> tuple[Action, ...]:
        """Take or pass; in the second round one of the other three suits or pass."""
        return turned_up_bids(deal, PLAYERS)

    def after_word(self, deal: Deal, action: Action) -> Deal:
        """The deal after a word that may be said; taking deals the rest, and the first speaker leads."""
        if action is Bid.PASS:
            return passed(deal, PLAYERS)
        assert isinstance(action, Bid)
        assert deal.turn is not None
        hands = deal.hands
        if hands is not None and deal.stock is not None:
            gains = last_cards(deal.turned, deal.stock, deal.dealer, deal.turn)
            hands = tuple([hand | card_set(gain) for hand, gain in zip(hands, gains, strict=True)])
        return deal._replace(
            hands=hands,
            stock_left=0,
            turn=(deal.dealer + 1) % PLAYERS,
            taker=deal.turn,
            trump=suit_of(deal.turned) if action is Bid.TAKE else SUIT_BIDS.index(action),
        )
