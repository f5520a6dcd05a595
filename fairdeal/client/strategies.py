"""Ways to play: a strategy is given our turn and says what to do. Programs bring their own; this one is for demos."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from fairdeal.belote import Action, Bid, Deal, Play
from fairdeal.belote.actions import SUIT_BIDS
from fairdeal.belote.tables import STRENGTH, VALUE, trick_points, trick_winner
from fairdeal.cards import suit_of


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision of ours: the deal from outside, our seat and cards, and what is allowed, never empty."""

    seat: int
    deal: Deal
    hand: tuple[int, ...]
    legal: tuple[Action, ...]


Strategy: TypeAlias = Callable[[Turn], Action]

_WORTH_TAKING: Final = 34
"""Points in hand, aces elsewhere included, from which a suit is taken; about half of all hands have them."""


def prefer_winning_tricks(turn: Turn) -> Action:
    """Takes on a strong suit; wins a trick that has points whenever it can, as cheaply as it can; else throws little."""
    if turn.deal.trump is None:
        return _bid(turn)
    cards = [action.card for action in turn.legal if isinstance(action, Play)]
    trump = turn.deal.trump
    if not turn.deal.trick:
        return Play(max(cards, key=lambda card: (STRENGTH[trump][suit_of(card)][card] % 16, VALUE[trump][card])))
    return Play(_answer(cards, turn.deal.trick, trump))


def _answer(cards: Sequence[int], trick: tuple[int, ...], trump: int) -> int:
    values, strengths = VALUE[trump], STRENGTH[trump][suit_of(trick[0])]
    winning = [card for card in cards if trick_winner((*trick, card), trump) == len(trick)]
    if winning and trick_points((*trick, max(winning, key=values.__getitem__)), trump):
        plain = [card for card in winning if suit_of(card) != trump]
        # A plain card that wins may as well bring its points home; a trump is spent sparingly.
        return max(plain, key=values.__getitem__) if plain else min(winning, key=strengths.__getitem__)
    return min(cards, key=lambda card: (values[card], strengths[card]))


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
