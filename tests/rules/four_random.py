"""Deals of the games for four, played at random."""

from functools import cache
from random import Random

from fairdeal.belote import Action, Bid, Deal, Says
from fairdeal.belote.actions import ContractBid
from fairdeal.cards import PACK
from tests.rules.four_facts import GAMES

SEEDS = range(25)
Steps = list[tuple[Deal, Action | None, Says | None]]


@cache
def random_deal(name: str, seed: int) -> Steps:
    """Each state of a random deal with what is done there and announced with it; the last one with nothing."""
    random, (rules, options) = Random(seed), GAMES[name]
    deal = rules.start(tuple(random.sample(PACK, 32)), random.randrange(4), options)
    steps: Steps = []
    while actions := rules.actions(deal):
        bids = [action for action in actions if not isinstance(action, ContractBid | Bid)]
        action = random.choice(bids) if bids and random.random() < 0.3 else random.choice(actions)
        if isinstance(action, ContractBid) and action.value > 100:
            action = Bid.PASS
        steps.append((deal, action, rules.says(deal, action)))
        deal = rules.apply(deal, action)
    return [*steps, (deal, None, None)]
