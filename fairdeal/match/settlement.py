"""From how a match ended to the lines of its `settle` event (protocol section 4, *Settlement*)."""

from fairdeal.errors import WrongPhase
from fairdeal.ledger import Line, Outcome, Refund, SeedForfeit, Win, settlement
from fairdeal.match.state import MatchState


def money_outcome(state: MatchState) -> Outcome:
    """What the ledger must do with the pot. Raises WrongPhase before the end, and for a match that never had a pot."""
    ending = state.ending
    if ending is None or not state.full:
        raise WrongPhase("there is no pot to pay out")
    if ending.winner is None:
        return Refund()
    return SeedForfeit(ending.winner) if ending.reason == "seed" else Win(ending.winner)


def settlement_lines(state: MatchState) -> tuple[Line, ...]:
    """The lines, summing to zero; none for stake 0. Raises WrongPhase as `money_outcome`."""
    return settlement(state.terms.sides, state.terms.stake, money_outcome(state), state.terms.fees)
