"""Server events that follow from the history alone (protocol section 2.5): what they must say."""

from dataclasses import asdict
from typing import Any, Final

from fairdeal.belote import (
    Deal,
    DealScore,
    Double,
    Shown,
    after_deal,
    cards_in,
    cut_pack,
    gather,
    match_result,
    pay_pot,
    to_show,
)
from fairdeal.belote import MatchState as Result
from fairdeal.cards import format_card, format_suit
from fairdeal.commit import Seed
from fairdeal.errors import WrongPhase
from fairdeal.match.settlement import settlement_lines
from fairdeal.match.state import Ending, FollowUp, MatchState
from fairdeal.shuffle import cut_place, deal_pack, first_dealer


def follow_up(state: MatchState, server_seed: Seed | None) -> dict[str, Any]:
    """The `data` of the event that is due.

    Without the server seed what depends on it alone is left out: `turned`, the first `dealer`, what is shown,
    `server_seed`. Raises WrongPhase when nothing is due.
    """
    match state.due:
        case "show":
            return {} if server_seed is None or state.deal is None else show_data(to_show(state.deal))
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


def next_pack(state: MatchState, server_seed: Seed) -> tuple[int, ...]:
    """The pack of the deal that is due: shuffled (protocol section 3), or gathered and cut (4.5)."""
    secrets = (server_seed.reveal(), *_table(state), state.deal_number + 1)
    return deal_pack(*secrets) if state.pack is None else cut_pack(state.pack, cut_place(*secrets))


def new_deal(state: MatchState, pack: tuple[int, ...], server_seed: Seed) -> Deal:
    """The deal that is due, with every card of this pack in its place."""
    dealer = _next_dealer(state, server_seed)
    assert dealer is not None
    return state.terms.ruleset.start(pack, dealer, state.terms.options)


def final_score(state: MatchState) -> DealScore:
    """The score of the deal that is over, with the pot of the litiges before it."""
    if state.deal is None:
        raise WrongPhase("no deal is in play")
    return pay_pot(state.terms.ruleset.score(state.deal), state.pot)


def totals_after(state: MatchState, score: DealScore) -> tuple[int, ...]:
    """The totals with the marks of the deal that is over."""
    return tuple(sum(pair) for pair in zip(state.totals, score.marks, strict=True))


def gathered(state: MatchState, score: DealScore) -> tuple[int, tuple[int, ...] | None]:
    """Void deals in a row after the one that is over, and the pack that will be cut; None for one to shuffle."""
    voids, shuffled = after_deal(state.voids, score.taker is None)
    if state.pack is None or state.deal is None or shuffled:
        return voids, None
    return voids, gather(state.pack, state.deal, score)


def show_data(shown: Shown) -> dict[str, Any]:
    """The `data` of the `show` event of these announcements."""
    return {
        "announcements": [
            {"cards": [format_card(card) for card in cards_in(one.cards)], "seat": seat} for seat, one in shown
        ]
    }


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
    if server_seed is not None and state.terms.ruleset.features.turned:
        data["turned"] = format_card(new_deal(state, next_pack(state, server_seed), server_seed).turned)
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


def _score_data(state: MatchState) -> dict[str, Any]:
    score, features = final_score(state), state.terms.ruleset.features
    data: dict[str, Any] = {
        "deal": state.deal_number,
        "taker": score.taker,
        "points": list(score.points),
        "tricks": list(score.tricks),
        "marks": list(score.marks),
        "totals": list(totals_after(state, score)),
        "belote": score.belote,
        "outcome": score.outcome.value,
    }
    if features.litige:
        data["pot"] = score.pot
    if features.announcements:
        data["announcements"] = list(score.announcements)
    if features.contract:
        data["contract"] = contract_data(state.deal)
    return data


_FACTORS: Final = {None: 1, Double.COINCHE: 2, Double.SURCOINCHE: 4}


def contract_data(deal: Deal | None) -> dict[str, Any] | None:
    """The contract of a deal as `score` writes it; None when none was bid."""
    if deal is None or deal.contract is None:
        return None
    value, suit, seat, double = deal.contract
    return {"double": _FACTORS[double], "seat": seat, "suit": format_suit(suit), "value": value}
