"""Ways to play: a strategy is given our turn and says what to do. Programs bring their own; this one is for demos."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from fairdeal.belote import Action, Bid, Deal, Play
from fairdeal.belote.actions import SUIT_BIDS
from fairdeal.belote.tables import BEATEN_BY, VALUE, trick_result
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


def prefer_winning_tricks(turn: Turn) -> Action:
    """Takes on a strong suit; leads what is hardest to beat; wins a trick when it can, cheaply; else throws little."""
    trump, trick = turn.deal.trump, turn.deal.trick
    if trump is None:
        return _bid(turn)
    cards = [action.card for action in turn.legal if isinstance(action, Play)]
    values = VALUE[trump]
    if not trick:
        return Play(min(cards, key=lambda card: (BEATEN_BY[trump][card].bit_count(), -values[card])))
    winning = [card for card in cards if trick_result((*trick, card), trump)[0] == len(trick)]
    plain = [card for card in winning if suit_of(card) != trump]
    if plain:
        return Play(max(plain, key=values.__getitem__))
    if winning and trick_result(trick, trump)[1]:
        return Play(min(winning, key=values.__getitem__))
    return Play(min(cards, key=lambda card: (values[card], suit_of(card) == trump)))


def _bid(turn: Turn) -> Bid:
    bids = [action for action in turn.legal if isinstance(action, Bid)]
    worth = {bid: _worth(turn, bid) for bid in bids if bid is not Bid.PASS}
    best = max(worth, key=worth.__getitem__)
    return best if worth[best] >= _WORTH_TAKING else Bid.PASS


def _worth(turn: Turn, bid: Bid) -> int:
    """What the hand with the turned card would hold in trumps, and in aces and tens of the other suits."""
    trump = suit_of(turn.deal.turned) if bid is Bid.TAKE else SUIT_BIDS.index(bid)
    values = VALUE[trump]
    return sum(values[card] for card in (*turn.hand, turn.deal.turned) if suit_of(card) == trump or values[card] >= 10)
