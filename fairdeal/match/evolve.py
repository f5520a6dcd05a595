"""From a state and the next event to the state after it; what breaks a rule is refused (protocol sections 2.5 to 2.7).

The server, a client and an auditor fold with the same function. With the server seed it checks everything but
signatures; without it, the outside view, all that does not depend on hidden cards.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NoReturn

from fairdeal.belote import (
    NO_CARD,
    Declare,
    Says,
    announcement_of,
    card_set,
    check_turn,
    declare,
    show,
    show_due,
)
from fairdeal.cards import parse_card
from fairdeal.commit import Seed, check_opens
from fairdeal.errors import (
    CommitmentReused,
    IllegalAction,
    KeyRefused,
    Late,
    Malformed,
    RootMismatch,
    RuleBroken,
    Stale,
    WrongPhase,
)
from fairdeal.keys import PublicKey, check_registered
from fairdeal.match.actions import action_message
from fairdeal.match.events import SEAT_EVENTS, Event
from fairdeal.match.followups import (
    after_score,
    final_score,
    follow_up,
    gathered,
    new_deal,
    next_pack,
    show_data,
    totals_after,
)
from fairdeal.match.state import SEED_PERIODS, Ending, Joined, MatchState, Phase
from fairdeal.match.terms import Terms
from fairdeal.tlog import Frontier, leaf_hash

_BEFORE_END: Final = (Phase.SEEDS, Phase.PLAY)
_SECRET: Final = frozenset({"deal", "show", "reveal"})
"""What these say depends on the server's secret too."""


def evolve(state: MatchState | None, event: Event, server_seed: Seed | None) -> MatchState:
    """The state after `event`; `state` is None before event 0, `server_seed` None in the outside view.

    Raises RuleBroken for a server event that may not stand here; for a seat's: WrongPhase, Late, Stale, RootMismatch,
    NotYourTurn, IllegalAction, CommitmentReused, KeyRefused, CommitmentMismatch, Malformed.
    """
    if state is None:
        return _opened(event)
    _check_place(state, event)
    after = _HANDLERS[event.type](state, event, server_seed)
    return replace(after, size=state.size + 1, last_t=event.t, frontier=state.frontier.append(leaf_hash(event.line)))


def replay(events: Iterable[Event], server_seed: Seed | None) -> MatchState:
    """The state after all these events, at least one. Raises as `evolve`; Malformed when there are none."""
    state: MatchState | None = None
    for event in events:
        state = evolve(state, event, server_seed)
    if state is None:
        raise Malformed("no events")
    return state


def check_signature(state: MatchState, event: Event) -> None:
    """Raises SignatureInvalid unless the seat signed this event; for a `join` also KeyRefused for an unfit key.

    Server events carry no signature. Raises WrongPhase when the seat has not joined.
    """
    if event.type not in SEAT_EVENTS:
        return
    data, terms = event.data, state.terms
    size = {"join": 1, "seed": terms.seats + 1}.get(event.type, event.n)
    key = _joining_key(data) if event.type == "join" else _seat(state, event.by).key
    message = action_message(terms.m, data["do"], data["root"], event.by, size)
    key.verify(bytes.fromhex(data["sig"]), message)


def _broken(reason: str, message: str) -> NoReturn:
    raise RuleBroken(message, {"reason": reason})


def _opened(event: Event) -> MatchState:
    if event.type != "open" or event.n != 0:
        _broken("order", "a match begins with open")
    terms = Terms.parse(event.data)
    frontier = Frontier().append(leaf_hash(event.line))
    return MatchState(
        terms=terms,
        phase=Phase.JOINING,
        size=1,
        last_t=event.t,
        frontier=frontier,
        join_root=frontier.root(),
        table_root=None,
        joined=(None,) * terms.seats,
        seeds=(None,) * terms.seats,
        seed_periods=0,
        deal=None,
        deal_number=0,
        dealer=None,
        pack=None,
        voids=0,
        totals=(0,) * terms.ruleset.sides,
        pot=0,
        overruns=(0,) * terms.seats,
        since=0,
        deadline=None,
        resumed_to=0,
        due=None,
        ending=None,
    )


def _check_place(state: MatchState, event: Event) -> None:
    if event.n != state.size or state.phase is Phase.CLOSED or event.type == "open":
        _broken("order", "no such event stands here")
    if event.t < state.last_t:
        _broken("clock", "time goes back")
    if state.due is not None and (event.type != state.due or event.t != state.last_t):
        _broken("order", f"{state.due} is due, at the same time")


def _check_due(state: MatchState, event: Event, server_seed: Seed | None) -> None:
    """The event is the one due, and says what it must, as far as that is known; `deal` and `show` see to the rest."""
    if state.due is None:
        _broken("order", f"no {event.type} is due")
    expected = follow_up(state, server_seed)
    known = server_seed is not None or event.type not in _SECRET
    if (event.data if known else {name: event.data.get(name) for name in expected}) != expected:
        _broken(event.type, f"the {event.type} is not the one that follows")


def _check_seat(state: MatchState, seat: int) -> None:
    if seat >= state.terms.seats:
        raise Malformed("no such seat at this table")


def _check_root(signed: str, root: bytes) -> None:
    if signed != root.hex():
        raise RootMismatch("signed over another history")


def _seat(state: MatchState, seat: int) -> Joined:
    _check_seat(state, seat)
    joined = state.joined[seat]
    if joined is None:
        raise WrongPhase("the seat has not joined")
    return joined


def _joining_key(data: Mapping[str, Any]) -> PublicKey:
    key = PublicKey.from_hex(data["do"]["join"]["key"])
    check_registered(key)
    return key


def _joined(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    if state.phase is not Phase.JOINING:
        raise WrongPhase("every seat has joined, or the match is over")
    _check_seat(state, event.by)
    if state.joined[event.by] is not None:
        raise Stale("the seat has joined already")
    _check_root(event.data["root"], state.join_root)
    join = event.data["do"]["join"]
    new = Joined(PublicKey.from_hex(join["key"]), join["player"], join["seed_commitment"])
    others = [joined for joined in state.joined if joined is not None]
    if new.key in [joined.key for joined in others]:
        raise KeyRefused("another seat has joined with this key", {"reason": "duplicate"})
    if new.seed_commitment in [state.terms.commitment, *(joined.seed_commitment for joined in others)]:
        raise CommitmentReused("somebody at this table has this commitment", {"reason": "duplicate"})
    joined = (*state.joined[: event.by], new, *state.joined[event.by + 1 :])
    if None in joined:
        return replace(state, joined=joined)
    return replace(
        state,
        joined=joined,
        phase=Phase.SEEDS,
        table_root=state.frontier.append(leaf_hash(event.line)).root(),
        since=event.t,
        deadline=event.t + state.terms.clock.decision_ms,
    )


def _seed_given(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    if state.table_root is None or state.phase not in _BEFORE_END:
        raise WrongPhase("seeds are sent when every seat has joined")
    joined = _seat(state, event.by)
    if state.seeds[event.by] is not None:
        raise Stale("the seat has sent its seed already")
    _check_root(event.data["root"], state.table_root)
    _check_in_time(state, event)
    seed = Seed.from_hex(event.data["do"]["seed"])
    check_opens(joined.seed_commitment, seed)
    seeds = (*state.seeds[: event.by], seed, *state.seeds[event.by + 1 :])
    if None in seeds:
        return replace(state, seeds=seeds)
    return replace(state, seeds=seeds, due="deal", deadline=None)


def _check_in_time(state: MatchState, event: Event) -> None:
    if state.deadline is None or event.t > state.deadline:
        raise Late("the deadline has passed", {"deadline": state.deadline})


def _dealt(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    _check_due(state, event, server_seed)
    data, terms = event.data, state.terms
    _check_seat(state, data["dealer"])
    if ("turned" in data) != terms.ruleset.features.turned:
        _broken("deal", "a card is turned in the games that turn one")
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


def _acted(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    if state.deal is None or state.phase is not Phase.PLAY:
        raise WrongPhase("no deal is in play")
    _check_seat(state, event.by)
    _check_root(event.data["root"], state.root)
    _check_in_time(state, event)
    if "resign" in event.data["do"]:
        return _lost(state, Ending("resigned", _other_side(state, event.by)))
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
        _broken("says", "not what is announced with this card")
    if after.over:
        return replace(state, deal=after, due="score", deadline=None)
    deadline = event.t + state.terms.clock.decision_ms
    return replace(state, deal=after, since=event.t, deadline=deadline, due="show" if show_due(after) else None)


def _shown(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    _check_due(state, event, server_seed)
    deal = state.deal
    assert deal is not None
    try:
        shown = tuple(
            (one["seat"], announcement_of(card_set([parse_card(card) for card in one["cards"]])))
            for one in event.data["announcements"]
        )
        after = show(deal, shown)
    except (IllegalAction, Malformed) as error:
        raise RuleBroken(error.message, {"reason": "show"}) from error
    in_order = tuple(sorted(shown, key=lambda one: (one[0], one[1].cards & -one[1].cards)))
    if event.data != show_data(in_order):
        _broken("show", "announcements by seat, then by lowest card, their cards in order")
    return replace(state, deal=after, due=None)


def _lost(state: MatchState, ending: Ending) -> MatchState:
    return replace(state, ending=ending, due="end", deadline=None)


def _other_side(state: MatchState, seat: int) -> int:
    return 1 - state.terms.sides[seat]


def _timed_out(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    if state.due_at is None:
        _broken("order", "no clock is running")
    if event.t < state.due_at:
        _broken("clock", "a timeout before its time")
    if state.phase is Phase.SEEDS:
        return _seeds_missing(state, event)
    data, deal = event.data, state.deal
    assert deal is not None
    seat = deal.turn
    assert seat is not None
    if data.get("seat") != seat or data["overrun"] != state.overruns[seat] + 1:
        _broken("timeout", "not the seat on turn with its next overrun")
    overruns = (*state.overruns[:seat], data["overrun"], *state.overruns[seat + 1 :])
    loses = data["overrun"] == state.terms.clock.overruns
    if loses != ("do" not in data):
        _broken("timeout", "something is done for a seat exactly when the overrun does not lose")
    state = replace(state, overruns=overruns)
    if loses:
        return _lost(state, Ending("overruns", _other_side(state, seat)))
    # From outside the first legal card is not known, the first word of an auction is.
    known = deal.hands is not None or deal.trump is None
    if known and state.terms.ruleset.from_do(data["do"]) != state.terms.ruleset.first_action(deal):
        _broken("timeout", "not the first action")
    return _moved(state, event)


def _seeds_missing(state: MatchState, event: Event) -> MatchState:
    if event.data.get("missing") != missing_seats(state):
        _broken("timeout", "not the seats whose seeds are missing")
    periods = state.seed_periods + 1
    deadline = event.t + state.terms.clock.decision_ms
    state = replace(state, seed_periods=periods, since=event.t, deadline=deadline)
    if periods < SEED_PERIODS:
        return state
    complete = set(state.terms.sides) - {state.terms.sides[seat] for seat in missing_seats(state)}
    return _lost(state, Ending("seed", complete.pop() if len(complete) == 1 else None))


def missing_seats(state: MatchState) -> list[int]:
    """The seats that have not sent their seed, ascending."""
    return [seat for seat, seed in enumerate(state.seeds) if seed is None]


def _resumed(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    start, end, clock = event.data["from"], event.data["to"], state.terms.clock
    if state.phase not in _BEFORE_END:
        _broken("resume", "a match resumes between its last join and its end")
    if end - start <= clock.outage_ms or end > event.t or start < state.resumed_to:
        _broken("resume", "not an outage before this event and after the last one")
    if end < state.since:
        _broken("resume", "the outage was over before the decision began")
    return replace(state, resumed_to=end, since=event.t, deadline=event.t + clock.decision_ms)


def _scored(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    _check_due(state, event, server_seed)
    score = final_score(state)
    totals = totals_after(state, score)
    voids, pack = gathered(state, score)
    due, ending = after_score(state, totals)
    return replace(state, deal=None, pack=pack, voids=voids, totals=totals, pot=score.pot, due=due, ending=ending)


def _ended(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    if state.due is None:
        # The one end that follows from nothing: the operator's.
        ending = Ending("void", None, "operator") if state.full else Ending("cancelled", None)
        state = replace(state, ending=ending, due="end")
    _check_due(state, event, server_seed)
    return replace(state, phase=Phase.ENDED, deal=None, pack=None, due="reveal", deadline=None)


def _revealed(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    _check_due(state, event, server_seed)
    check_opens(state.terms.commitment, Seed.from_hex(event.data["server_seed"]))
    if state.full and state.terms.stake:
        return replace(state, due="settle")
    return replace(state, phase=Phase.CLOSED, due=None)


def _settled(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    _check_due(state, event, server_seed)
    return replace(state, phase=Phase.CLOSED, due=None)


_HANDLERS: Final[Mapping[str, Callable[[MatchState, Event, Seed | None], MatchState]]] = {
    "join": _joined,
    "seed": _seed_given,
    "deal": _dealt,
    "act": _acted,
    "show": _shown,
    "timeout": _timed_out,
    "resume": _resumed,
    "score": _scored,
    "end": _ended,
    "reveal": _revealed,
    "settle": _settled,
}
