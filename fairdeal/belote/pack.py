"""The unshuffled pack: gathered after a deal, cut, and dealt again; after four void deals in a row shuffled.

Where to cut comes from the seeds (protocol section 3); the first deal and a reshuffled one are not cut.
"""

from collections.abc import Iterable
from typing import Final

from fairdeal.belote.deal import Deal
from fairdeal.belote.four import PLAYERS
from fairdeal.belote.scoring import DealScore
from fairdeal.belote.turned_card import layout
from fairdeal.cards import PACK
from fairdeal.errors import Malformed, WrongPhase

VOIDS_TO_SHUFFLE: Final = 4
"""Void deals in a row after which the pack is shuffled from the seeds."""


def cut_pack(pack: tuple[int, ...], place: int) -> tuple[int, ...]:
    """The pack with its first `place` cards put under the others. Raises Malformed outside 0…31."""
    if not 0 <= place < len(PACK):
        raise Malformed("a cut is within the pack")
    return pack[place:] + pack[:place]


def after_deal(voids: int, void: bool) -> tuple[int, bool]:
    """Void deals in a row after one more deal, and whether the next one is shuffled, which starts the count again."""
    voids = voids + 1 if void else 0
    return (0, True) if voids == VOIDS_TO_SHUFFLE else (voids, False)


def pile_up(tricks: Iterable[tuple[int, tuple[int, ...]]], taker_side: int) -> tuple[int, ...]:
    """Tricks as (side that won it, its cards in the order played), in one pile: the taker's side on top."""
    piles: list[tuple[int, ...]] = [(), ()]
    for side, cards in tricks:
        piles[side] += cards
    return piles[taker_side] + piles[1 - taker_side]


def gather(pack: tuple[int, ...], deal: Deal, score: DealScore) -> tuple[int, ...]:
    """The pack as it is gathered after a deal of it; `deal` and `score` are those of its end.

    A played deal: the tricks in the order won, the taker's side on top. A void one: hands by seat from the first
    speaker, in the order received, then the turned card, then the stock. Raises WrongPhase when the deal goes on.
    """
    if deal.turn is not None or deal.announcing is None:
        raise WrongPhase("the deal is not over, or its tricks are not kept")
    if score.taker is not None:
        return pile_up(enumerate(deal.announcing.piles), score.taker % 2)
    hands, turned, stock = layout(pack, deal.dealer)
    from_first = [hands[(deal.dealer + turn) % PLAYERS] for turn in range(1, PLAYERS + 1)]
    return (*(card for hand in from_first for card in hand), turned, *stock)
