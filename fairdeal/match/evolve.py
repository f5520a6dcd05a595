"""From a state and the next event to the state after it; what breaks a rule is refused (protocol sections 2.5 to 2.7).

The server, a client and an auditor fold with the same function. With the server seed it checks everything but
signatures; without it, the outside view, all that does not depend on hidden cards.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from fairdeal.commit import Seed, check_opens
from fairdeal.errors import Malformed
from fairdeal.match import playing, seating
from fairdeal.match.actions import action_message
from fairdeal.match.checks import broken, check_due, seat_of
from fairdeal.match.events import SEAT_EVENTS, Event
from fairdeal.match.followups import after_score, final_score, gathered, totals_after
from fairdeal.match.state import Ending, MatchState, Phase
from fairdeal.match.terms import Terms
from fairdeal.tlog import Frontier, leaf_hash


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
    key = seating.joining_key(data) if event.type == "join" else seat_of(state, event.by).key
    message = action_message(terms.m, data["do"], data["root"], event.by, size)
    key.verify(bytes.fromhex(data["sig"]), message)


def _opened(event: Event) -> MatchState:
    if event.type != "open" or event.n != 0:
        broken("order", "a match begins with open")
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
        broken("order", "no such event stands here")
    if event.t < state.last_t:
        broken("clock", "time goes back")
    if state.due is not None and (event.type != state.due or event.t != state.last_t):
        broken("order", f"{state.due} is due, at the same time")


def _scored(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    check_due(state, event, server_seed)
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
    check_due(state, event, server_seed)
    return replace(state, phase=Phase.ENDED, deal=None, pack=None, due="reveal", deadline=None)


def _revealed(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    check_due(state, event, server_seed)
    check_opens(state.terms.commitment, Seed.from_hex(event.data["server_seed"]))
    if state.full and state.terms.stake:
        return replace(state, due="settle")
    return replace(state, phase=Phase.CLOSED, due=None)


def _settled(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    check_due(state, event, server_seed)
    return replace(state, phase=Phase.CLOSED, due=None)


_HANDLERS: Final[Mapping[str, Callable[[MatchState, Event, Seed | None], MatchState]]] = {
    "join": seating.joined,
    "seed": seating.seed_given,
    "deal": playing.dealt,
    "act": playing.acted,
    "show": playing.shown,
    "timeout": playing.timed_out,
    "resume": playing.resumed,
    "score": _scored,
    "end": _ended,
    "reveal": _revealed,
    "settle": _settled,
}
