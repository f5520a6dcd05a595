"""Server events that follow from the history alone (protocol section 2.5): what they must say."""

from dataclasses import asdict
from typing import Any

from fairdeal.belote import Deal, DealScore, match_result
from fairdeal.belote import MatchState as Result
from fairdeal.cards import format_card
from fairdeal.commit import Seed
from fairdeal.errors import WrongPhase
from fairdeal.match.settlement import settlement_lines
from fairdeal.match.state import Ending, FollowUp, MatchState
from fairdeal.shuffle import deal_pack, first_dealer


def follow_up(state: MatchState, server_seed: Seed | None) -> dict[str, Any]:
    """The `data` of the event that is due.

    Without the server seed what depends on it alone is left out: `turned`, the first `dealer`, `server_seed`.
    Raises WrongPhase when nothing is due.
    """
    match state.due:
        case "deal":
            return _deal_data(state, server_seed)
        case "score":
            return _score_data(state)
        case "end":
            return end_data(state)
        case "reveal":
            return {} if server_seed is None else {"server_seed": server_seed.hex()}
        case "settle":
            return {"lines": [asdict(line) for line in settlement_lines(state)]}
        case None:
            raise WrongPhase("no event is due")


def new_deal(state: MatchState, server_seed: Seed) -> Deal:
    """The deal that is due, with every card in its place (protocol section 3)."""
    table_root, seat_seeds = _table(state)
    pack = deal_pack(server_seed.reveal(), table_root, seat_seeds, state.deal_number + 1)
    dealer = _next_dealer(state, server_seed)
    assert dealer is not None
    return state.terms.ruleset.start(pack, dealer, state.terms.options)


def totals_after(state: MatchState) -> tuple[int, ...]:
    """The totals with the marks of the deal that is over."""
    return tuple(sum(pair) for pair in zip(state.totals, _score(state).marks, strict=True))


def after_score(state: MatchState, totals: tuple[int, ...]) -> tuple[FollowUp, Ending | None]:
    """What is due after the `score` that brings these totals, and the ending if that is what it is."""
    result, winner = match_result((totals[0], totals[1]), state.terms.options.target)
    if result is Result.WON:
        return "end", Ending("target", winner)
    if state.deal_number == state.terms.deals_max:
        return "end", Ending("void", None, "deal_limit")
    return "deal", None


def end_data(state: MatchState) -> dict[str, Any]:
    """The `data` of the `end` event of the ending that the state has."""
    ending = state.ending
    if ending is None:
        raise WrongPhase("the match goes on")
    data: dict[str, Any] = {"reason": ending.reason, "winner": ending.winner, "totals": list(state.totals)}
    return data if ending.cause is None else {**data, "cause": ending.cause}


def _deal_data(state: MatchState, server_seed: Seed | None) -> dict[str, Any]:
    data: dict[str, Any] = {"deal": state.deal_number + 1}
    dealer = _next_dealer(state, server_seed)
    if dealer is not None:
        data["dealer"] = dealer
    if server_seed is not None:
        data["turned"] = format_card(new_deal(state, server_seed).turned)
    return data


def _next_dealer(state: MatchState, server_seed: Seed | None) -> int | None:
    if state.dealer is not None:
        return state.terms.ruleset.next_dealer(state.dealer)
    if server_seed is None:
        return None
    return first_dealer(server_seed.reveal(), *_table(state))


def _table(state: MatchState) -> tuple[bytes, tuple[bytes, ...]]:
    """The table root and the seats' seeds."""
    seeds = tuple(seed.reveal() for seed in state.seeds if seed is not None)
    if state.table_root is None or len(seeds) != state.terms.seats:
        raise WrongPhase("not every seat has given its seed")
    return state.table_root, seeds


def _score(state: MatchState) -> DealScore:
    if state.deal is None:
        raise WrongPhase("no deal is in play")
    return state.terms.ruleset.score(state.deal)


def _score_data(state: MatchState) -> dict[str, Any]:
    score = _score(state)
    return {
        "deal": state.deal_number,
        "taker": score.taker,
        "points": list(score.points),
        "tricks": list(score.tricks),
        "marks": list(score.marks),
        "totals": list(totals_after(state)),
        "belote": score.belote,
        "outcome": score.outcome.value,
    }
