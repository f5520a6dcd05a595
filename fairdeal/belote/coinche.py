"""The ruleset `coinche@1`: belote for four, bid in points, with coinche and surcoinche (docs/rules/coinche.md)."""

from dataclasses import dataclass
from typing import ClassVar, Final

from fairdeal.belote.actions import CAPOT, VALUES, Action, Bid, ContractBid, Declare, Double, from_do
from fairdeal.belote.deal import SIDES, Contract, Deal, Phase, new_deal
from fairdeal.belote.four import (
    DEFAULT_TARGET,
    PLAYERS,
    Duties,
    FourPlayers,
    Hands,
    Made,
    deal_packets,
    parse_target,
)
from fairdeal.belote.scoring import DealScore, Features, Options, Outcome, Scoring
from fairdeal.belote.values import CAPOT_POINTS, DEAL_POINTS, card_set
from fairdeal.errors import Malformed

_BIDS: Final = tuple(ContractBid(value, suit) for value in VALUES for suit in range(4))
_PASSES_TO_END: Final = 3
"""Passes after a bid that end the auction."""
_PASSES_OF_A_SIDE: Final = 2
"""Passes after a coinche that end it: both of the coinched side."""


def _words(value: int, may_double: bool) -> tuple[Action, ...]:
    """What may be said over a contract of this value: pass, the higher bids by value, then suit, then coinche."""
    higher = tuple(bid for bid in _BIDS if bid.value > value)
    return Bid.PASS, *higher, *((Double.COINCHE,) if may_double else ())


_OVER: Final = {
    (value, may_double): _words(value, may_double) for value in (0, *VALUES) for may_double in (False, True)
}
_COINCHED: Final = (Bid.PASS, Double.SURCOINCHE)


@dataclass(frozen=True, slots=True)
class ContractMarking:
    """Where tables differ on what a contract brings."""

    failed: int = DEAL_POINTS
    """What the winner of a failed or doubled contract has for the deal, short of a capot."""
    capot: int = CAPOT_POINTS
    """What all eight tricks bring."""
    capot_bid: int = 250
    """What a bid of capot counts as points bid."""
    coinche: int = 2
    surcoinche: int = 4
    multiply_all: bool = True
    """A double multiplies the points made too, not the points bid alone."""
    beat_defence: bool = False
    """The taker must also have strictly more than the defence."""
    belote_to_winner: bool = False
    """In a failed or doubled contract the belote is not its owner's but the winner's."""

    def factor(self, double: Double | None) -> int:
        """What a contract is multiplied by."""
        return {None: 1, Double.COINCHE: self.coinche, Double.SURCOINCHE: self.surcoinche}[double]


def marks(
    made: Made, value: int, double: Double | None, scoring: Scoring, marking: ContractMarking
) -> tuple[Outcome, tuple[int, int]]:
    """Outcome and marks of a contract of this value, 80…180 or CAPOT.

    Won when the taker's side makes what it bid, belote counted and a capot at its full worth; a capot by all tricks.
    """
    taker, other = made.taker, 1 - made.taker
    points = list(made.points)
    if made.capot is not None:
        points[made.capot] = marking.capot
    totals = [points[side] + made.bonus[side] for side in range(SIDES)]
    reached = made.capot == taker if value == CAPOT else totals[taker] >= value
    won = reached and not (marking.beat_defence and totals[taker] <= totals[other])
    outcome = (Outcome.MADE_CAPOT if made.capot == taker else Outcome.MADE) if won else Outcome.FAILED
    bid = 0 if scoring is Scoring.MADE else marking.capot_bid if value == CAPOT else value
    if won and double is None:
        totals[taker] += bid
        return outcome, (totals[0], totals[1])
    winner = taker if won else other
    base = marking.capot if made.capot == winner else marking.failed
    factor = marking.factor(double)
    written = [0, 0]
    written[winner] = (base + bid) * factor if marking.multiply_all else base + bid * factor
    for side in range(SIDES):
        written[winner if marking.belote_to_winner else side] += made.bonus[side]
    return outcome, (written[0], written[1])


def layout(pack: tuple[int, ...], dealer: int) -> Hands:
    """Threes, twos, threes, from the first speaker: hands by seat in the order received.

    Raises Malformed when `pack` is not the 32 cards.
    """
    return deal_packets(pack, dealer, 3, 2, 3)


@dataclass(frozen=True)
class Coinche(FourPlayers):
    """Belote for four in which a contract is bid; no card is turned."""

    marking: ContractMarking

    features: ClassVar[Features] = Features(
        frozenset({Outcome.MADE, Outcome.MADE_CAPOT, Outcome.FAILED, Outcome.VOID}), turned=False, contract=True
    )

    def parse_options(self, value: object) -> Options:
        """`{"scoring": "faits", "target": 1001}`, or "faits+demandés". Raises Malformed."""
        match value:
            case {"target": target, "scoring": str(scoring), **rest} if not rest and scoring in _SCORINGS:
                return Options(parse_target(target), Scoring(scoring))
        raise Malformed(f"options of {self.id}: target, and scoring, one of {', '.join(_SCORINGS)}")

    def format_options(self, options: Options) -> dict[str, int | str]:
        """The wire form of options."""
        return {"scoring": options.scoring.value, "target": options.target}

    def from_do(self, do: object) -> Action:
        """The action that a `do` object writes: a card, pass, suit and value, coinche, surcoinche. Raises Malformed."""
        action = from_do(do)
        if isinstance(action, Declare) or (isinstance(action, Bid) and action is not Bid.PASS):
            raise Malformed("no action of this game")
        return action

    def start(self, pack: tuple[int, ...], dealer: int, options: Options) -> Deal:
        """The deal of this pack, before the first bid. Raises Malformed when `pack` is not the 32 cards."""
        return new_deal(dealer, PLAYERS, options, tuple([card_set(hand) for hand in layout(pack, dealer)]))

    def start_public(self, turned: int, dealer: int, options: Options) -> Deal:
        """The same deal seen from outside, hands unknown (None); `turned` is NO_CARD."""
        return new_deal(dealer, PLAYERS, options, None, turned, None)

    def phase(self, deal: Deal) -> Phase:
        """Where the deal stands."""
        if deal.turn is None:
            return Phase.OVER
        return Phase.AUCTION if deal.trump is None else Phase.STRICT

    def bids(self, deal: Deal) -> tuple[Action, ...]:
        """Pass, the higher bids by value and then suit, coinche; after a coinche pass or surcoinche."""
        contract, turn = deal.contract, deal.turn
        assert turn is not None
        if contract is None:
            return _OVER[0, False]
        if contract.double is not None:
            return _COINCHED
        return _OVER[contract.value, contract.seat % SIDES != turn % SIDES]

    def after_word(self, deal: Deal, action: Action) -> Deal:
        """The deal after a word that may be said. Coinche freezes the contract; then its side alone speaks."""
        contract, turn = deal.contract, deal.turn
        assert turn is not None
        if isinstance(action, ContractBid):
            contract = Contract(action.value, action.suit, turn, None)
            return deal._replace(contract=contract, passes=0, turn=(turn + 1) % PLAYERS)
        if isinstance(action, Double):
            assert contract is not None
            doubled = deal._replace(contract=contract._replace(double=action), passes=0)
            return _agreed(doubled) if action is Double.SURCOINCHE else doubled._replace(turn=(turn + 1) % PLAYERS)
        passes = deal.passes + 1
        if contract is None:
            return deal._replace(passes=passes, turn=None if passes == PLAYERS else (turn + 1) % PLAYERS)
        if contract.double is not None:
            after = deal._replace(passes=passes, turn=(turn + SIDES) % PLAYERS)
            return _agreed(after) if passes == _PASSES_OF_A_SIDE else after
        after = deal._replace(passes=passes, turn=(turn + 1) % PLAYERS)
        return _agreed(after) if passes == _PASSES_TO_END else after

    def marked(self, deal: Deal, taker: int) -> DealScore:
        """The score of a played deal."""
        contract = deal.contract
        assert contract is not None
        belote = None if deal.belote is None else deal.belote % SIDES
        made = Made(taker % SIDES, deal.points, deal.tricks, belote)
        outcome, written = marks(made, contract.value, contract.double, deal.options.scoring, self.marking)
        return DealScore(taker, deal.points, deal.tricks, belote, outcome, written)


_SCORINGS: Final = tuple(scoring.value for scoring in Scoring)


def _agreed(deal: Deal) -> Deal:
    """The auction is over: the last bidder takes, the first speaker leads."""
    assert deal.contract is not None
    return deal._replace(taker=deal.contract.seat, trump=deal.contract.suit, turn=(deal.dealer + 1) % PLAYERS)


COINCHE: Final = Coinche(
    id="coinche@1",
    defaults=Options(DEFAULT_TARGET),
    duties=Duties(under_trump=True, rise_over_partner=False),
    marking=ContractMarking(),
)
