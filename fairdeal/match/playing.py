"""After the events of a deal in play: deal, bids and cards, announcements shown, the clock (protocol 2.6, 2.7)."""

from dataclasses import replace

from fairdeal.belote import NO_CARD, Declare, Says, announcement_of, card_set, check_turn, declare, show, show_due
from fairdeal.cards import parse_card
from fairdeal.commit import Seed
from fairdeal.errors import IllegalAction, Malformed, RuleBroken, WrongPhase
from fairdeal.match.checks import BEFORE_END, broken, check_due, check_in_time, check_root, check_seat
from fairdeal.match.events import Event
from fairdeal.match.followups import new_deal, next_pack, show_data
from fairdeal.match.seating import seeds_missing
from fairdeal.match.state import Ending, MatchState, Phase


def dealt(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    """After a `deal`."""
    check_due(state, event, server_seed)
    data, terms = event.data, state.terms
    check_seat(state, data["dealer"])
    if ("turned" in data) != terms.ruleset.features.turned:
        broken("deal", "a card is turned in the games that turn one")
    pack = None
    if server_seed is None:
        turned = parse_card(data["turned"]) if "turned" in data else NO_CARD
        deal = terms.ruleset.start_public(turned, data["dealer"], terms.options)
    else:
        pack = next_pack(state, server_seed)
        deal = new_deal(state, pack, server_seed)
    return replace(
        state,
        phase=Phase.PLAY,
        deal=deal,
        pack=None if terms.ruleset.features.shuffled else pack,
        deal_number=data["deal"],
        dealer=data["dealer"],
        due=None,
        since=event.t,
        deadline=event.t + terms.clock.decision_ms + terms.clock.pause_ms,
    )


def acted(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    """After an `act`: a bid, a card, a declaration, a resignation."""
    if state.deal is None or state.phase is not Phase.PLAY:
        raise WrongPhase("no deal is in play")
    check_seat(state, event.by)
    check_root(event.data["root"], state.root)
    check_in_time(state, event)
    if "resign" in event.data["do"]:
        return state.lost(Ending("resigned", _other_side(state, event.by)))
    if state.terms.ruleset.from_do(event.data["do"]) is Declare.DECLARE:
        return replace(state, deal=declare(state.deal, event.by))
    check_turn(state.deal, event.by)
    return _moved(state, event)


def _moved(state: MatchState, event: Event) -> MatchState:
    """After the bid or card of an `act` or a `timeout`, by the seat on turn."""
    deal, ruleset = state.deal, state.terms.ruleset
    assert deal is not None
    action = ruleset.from_do(event.data["do"])
    says = Says(event.data["says"]) if "says" in event.data else None
    after = ruleset.apply_public(deal, action, says)
    if deal.hands is not None and says is not ruleset.says(deal, action):
        broken("says", "not what is announced with this card")
    if after.over:
        return replace(state, deal=after, due="score", deadline=None)
    deadline = event.t + state.terms.clock.decision_ms
    return replace(state, deal=after, since=event.t, deadline=deadline, due="show" if show_due(after) else None)


def shown(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    """After a `show` of announcements."""
    check_due(state, event, server_seed)
    deal = state.deal
    assert deal is not None
    try:
        told = tuple(
            (one["seat"], announcement_of(card_set([parse_card(card) for card in one["cards"]])))
            for one in event.data["announcements"]
        )
        after = show(deal, told)
    except (IllegalAction, Malformed) as error:
        raise RuleBroken(error.message, {"reason": "show"}) from error
    in_order = tuple(sorted(told, key=lambda one: (one[0], one[1].cards & -one[1].cards)))
    if event.data != show_data(in_order):
        broken("show", "announcements by seat, then by lowest card, their cards in order")
    return replace(state, deal=after, due=None)


def timed_out(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    """After a `timeout`, of seeds or of the seat on turn."""
    if state.due_at is None:
        broken("order", "no clock is running")
    if event.t < state.due_at:
        broken("clock", "a timeout before its time")
    if state.phase is Phase.SEEDS:
        return seeds_missing(state, event)
    data, deal = event.data, state.deal
    assert deal is not None
    seat = deal.turn
    assert seat is not None
    if data.get("seat") != seat or data["overrun"] != state.overruns[seat] + 1:
        broken("timeout", "not the seat on turn with its next overrun")
    overruns = (*state.overruns[:seat], data["overrun"], *state.overruns[seat + 1 :])
    loses = data["overrun"] == state.terms.clock.overruns
    if loses != ("do" not in data):
        broken("timeout", "something is done for a seat exactly when the overrun does not lose")
    state = replace(state, overruns=overruns)
    if loses:
        return state.lost(Ending("overruns", _other_side(state, seat)))
    # From outside the first legal card is not known, the first word of an auction is.
    known = deal.hands is not None or deal.trump is None
    if known and state.terms.ruleset.from_do(data["do"]) != state.terms.ruleset.first_action(deal):
        broken("timeout", "not the first action")
    return _moved(state, event)


def resumed(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    """After a `resume`: an outage gives a whole decision again."""
    start, end, clock = event.data["from"], event.data["to"], state.terms.clock
    if state.phase not in BEFORE_END:
        broken("resume", "a match resumes between its last join and its end")
    if end - start <= clock.outage_ms or end > event.t or start < state.resumed_to:
        broken("resume", "not an outage before this event and after the last one")
    if end < state.since:
        broken("resume", "the outage was over before the decision began")
    return replace(state, resumed_to=end, since=event.t, deadline=event.t + clock.decision_ms)


def _other_side(state: MatchState, seat: int) -> int:
    return 1 - state.terms.sides[seat]
