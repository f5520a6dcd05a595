"""The rulesets of protocol section 4, and what the form of their events depends on."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from fairdeal_verifier import classique, coinche, duel, four
from fairdeal_verifier.annonces import Annonces
from fairdeal_verifier.classique import Classique
from fairdeal_verifier.coinche import Coinche
from fairdeal_verifier.duel import Duel
from fairdeal_verifier.game import Deal


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One game. `start` takes the pack and the dealer's seat."""

    seats: int
    targets: Container[int]
    bids: tuple[int, ...]
    outcomes: tuple[str, ...]
    start: Callable[[Sequence[int], int], Deal]
    auction: bool = False
    """No card is turned; the options name a scoring, a `score` the contract."""
    has_pot: bool = False
    """A `score` names the pot of the litiges."""
    announces: bool = False
    """Seats declare and show, the pack is not shuffled for every deal, and there is no stake."""


RULESETS = {
    "duel@1": Ruleset(duel.SEATS, range(1, 10_001), duel.BIDS, duel.OUTCOMES, Duel),
    "classique@1": Ruleset(four.SEATS, four.TARGETS, duel.BIDS, classique.OUTCOMES, Classique, has_pot=True),
    "coinche@1": Ruleset(four.SEATS, four.TARGETS, coinche.BIDS, coinche.OUTCOMES, Coinche, auction=True),
    "annonces@1": Ruleset(
        four.SEATS, four.TARGETS, duel.BIDS, classique.OUTCOMES, Annonces, has_pot=True, announces=True
    ),
}
MOST_SEATS = max(ruleset.seats for ruleset in RULESETS.values())
