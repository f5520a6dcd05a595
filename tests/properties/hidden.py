"""A match state by state, and what is hidden in each of them."""

import random
from collections.abc import Iterator
from dataclasses import replace

from fairdeal.belote import NO_CARD, Bid, ContractBid, Declare, Double, Play, card_set, cards_in, to_do
from fairdeal.cards import PACK
from fairdeal.match import (
    MatchState,
    evolve,
)
from tests.simulator import Played

CONTRACTS = [ContractBid(value, suit) for value in (80, 160, 250) for suit in range(4)]


DOS = [to_do(action) for action in (*Bid, *CONTRACTS, *Double, Declare.DECLARE, *map(Play, PACK))]
"""Something of every game."""


def states(match: Played) -> Iterator[MatchState]:
    """The state after each event, as the server has it."""
    state = None
    for event in match.events:
        state = evolve(state, event, match.keys.server_seed)
        yield state


def from_outside(state: MatchState) -> MatchState:
    """The same state with everything hidden taken out."""
    deal = None if state.deal is None else state.deal._replace(hands=None, stock=None)
    return replace(state, deal=deal, pack=None)


def with_other_hidden_cards(state: MatchState, seat: int, rng: random.Random) -> MatchState:
    """The same match but for cards that `seat` may not know: the other hands and the stock, mixed anew.

    Whoever has declared keeps its hand until the winners are shown: what they show is told to everybody.
    """
    deal = state.deal
    assert deal is not None
    assert deal.hands is not None
    assert deal.stock is not None
    gone, left = deal.stock[: len(deal.stock) - deal.stock_left], deal.stock[len(deal.stock) - deal.stock_left :]
    to_show = 0 if deal.announcing is None or deal.announcing.counted is not None else deal.announcing.declared
    mixing = [other for other in range(state.terms.seats) if other != seat and not to_show >> other & 1]
    # The turned card was seen when it was picked up.
    known = 0 if deal.turned == NO_CARD else 1 << deal.turned
    hidden = {other: deal.hands[other] & ~known for other in mixing}
    cards = [card for hand in hidden.values() for card in cards_in(hand)] + list(left)
    mixed = rng.sample(cards, len(cards))
    hands = list(deal.hands)
    for other, hand in hidden.items():
        new, mixed = mixed[: hand.bit_count()], mixed[hand.bit_count() :]
        hands[other] = deal.hands[other] & known | card_set(new)
    return replace(state, deal=deal._replace(hands=tuple(hands), stock=(*gone, *mixed)))
