"""Ways to play: a strategy is given our turn and says what to do. Programs bring their own; this one is for demos."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from fairdeal.belote import VALUES, Action, Bid, ContractBid, Deal, Declare, Double, Play
from fairdeal.belote.actions import SUIT_BIDS
from fairdeal.belote.values import BEATEN_BY, VALUE, trick_result
from fairdeal.cards import suit_of


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision of ours: the deal from outside, our seat and cards, and what is allowed, never empty."""

    seat: int
    deal: Deal
    hand: tuple[int, ...]
    legal: tuple[Action, ...]


Strategy: TypeAlias = Callable[[Turn], Action]

_WORTH_TAKING: Final = 38
"""Points in hand, aces elsewhere included, from which a suit is taken."""
_FROM_THE_OTHERS: Final = 42
"""What is added to the points in hand for a bid: the last trick, and some of the partner's and of the others' cards."""
_SURE_OF_IT: Final = 20
"""How far beyond the points bid a hand must reach to double a double."""


def prefer_winning_tricks(turn: Turn) -> Action:
    """Plays any of the games: takes or bids on a strong suit, declares what it holds, leads what is hardest to beat,
    wins a trick when it can, cheaply, and leaves it to a partner who has it; else throws little.
    """
    trump, trick = turn.deal.trump, turn.deal.trick
    if trump is None:
        return _call(turn) if any(isinstance(action, ContractBid | Double) for action in turn.legal) else _bid(turn)
    if Declare.DECLARE in turn.legal:
        return Declare.DECLARE
    cards = [action.card for action in turn.legal if isinstance(action, Play)]
    values = VALUE[trump]
    if not trick:
        return Play(min(cards, key=lambda card: (BEATEN_BY[trump][card].bit_count(), -values[card])))
    if _partner_has_it(trick, trump):
        # What is worth much goes into a trick that nobody can take any more.
        sure = len(trick) == _LAST_OF_FOUR
        return Play(max(cards, key=lambda card: (suit_of(card) != trump, values[card] if sure else -values[card])))
    winning = [card for card in cards if trick_result((*trick, card), trump)[0] == len(trick)]
    plain = [card for card in winning if suit_of(card) != trump]
    if plain:
        return Play(max(plain, key=values.__getitem__))
    if winning and trick_result(trick, trump)[1]:
        return Play(min(winning, key=values.__getitem__))
    return Play(min(cards, key=lambda card: (values[card], suit_of(card) == trump)))


_PARTNER_BACK: Final = 2
_LAST_OF_FOUR: Final = 3


def _partner_has_it(trick: tuple[int, ...], trump: int) -> bool:
    return len(trick) >= _PARTNER_BACK and trick_result(trick, trump)[0] == len(trick) - _PARTNER_BACK


def _call(turn: Turn) -> Action:
    """The least bid that the best suit carries; doubles what our own hand could bid; leaves the partner's alone."""
    contract = turn.deal.contract
    if contract is not None:
        reach = _points(turn.hand, contract.suit) + _FROM_THE_OTHERS
        if Double.COINCHE in turn.legal and reach >= VALUES[0]:
            return Double.COINCHE
        if Double.SURCOINCHE in turn.legal and reach >= contract.value + _SURE_OF_IT:
            return Double.SURCOINCHE
        if (contract.seat - turn.seat) % _PARTNER_BACK == 0:
            return Bid.PASS
    suit = max(range(4), key=lambda suit: _points(turn.hand, suit))
    reach = _points(turn.hand, suit) + _FROM_THE_OTHERS
    bids = (bid for bid in turn.legal if isinstance(bid, ContractBid) and bid.suit == suit and bid.value <= reach)
    return next(bids, Bid.PASS)


def _bid(turn: Turn) -> Bid:
    bids = [action for action in turn.legal if isinstance(action, Bid)]
    worth = {bid: _worth(turn, bid) for bid in bids if bid is not Bid.PASS}
    best = max(worth, key=worth.__getitem__)
    return best if worth[best] >= _WORTH_TAKING else Bid.PASS


def _worth(turn: Turn, bid: Bid) -> int:
    """What the hand with the turned card would be worth."""
    trump = suit_of(turn.deal.turned) if bid is Bid.TAKE else SUIT_BIDS.index(bid)
    return _points((*turn.hand, turn.deal.turned), trump)


def _points(cards: tuple[int, ...], trump: int) -> int:
    """What these cards are worth with this trump, counting trumps, and aces and tens of the other suits."""
    values = VALUE[trump]
    return sum(values[card] for card in cards if suit_of(card) == trump or values[card] >= 10)
