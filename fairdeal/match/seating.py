"""After the events before the first card: the seats join, and send the seeds they promised (protocol section 2.6)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fairdeal.commit import Seed, check_opens
from fairdeal.errors import CommitmentReused, KeyRefused, Stale, WrongPhase
from fairdeal.keys import PublicKey, check_registered
from fairdeal.match.checks import BEFORE_END, broken, check_in_time, check_root, check_seat, seat_of
from fairdeal.match.events import Event
from fairdeal.match.state import SEED_PERIODS, Ending, Joined, MatchState, Phase
from fairdeal.tlog import leaf_hash


def joining_key(data: Mapping[str, Any]) -> PublicKey:
    """The key that a `join` brings. Raises KeyRefused, Malformed."""
    key = PublicKey.from_hex(data["do"]["join"]["key"])
    check_registered(key)
    return key


def joined(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    """After a `join`; the last one fixes the table root."""
    if state.phase is not Phase.JOINING:
        raise WrongPhase("every seat has joined, or the match is over")
    check_seat(state, event.by)
    if state.joined[event.by] is not None:
        raise Stale("the seat has joined already")
    check_root(event.data["root"], state.join_root)
    join = event.data["do"]["join"]
    new = Joined(PublicKey.from_hex(join["key"]), join["player"], join["seed_commitment"])
    others = [other for other in state.joined if other is not None]
    if new.key in [other.key for other in others]:
        raise KeyRefused("another seat has joined with this key", {"reason": "duplicate"})
    if new.seed_commitment in [state.terms.commitment, *(other.seed_commitment for other in others)]:
        raise CommitmentReused("somebody at this table has this commitment", {"reason": "duplicate"})
    seats = (*state.joined[: event.by], new, *state.joined[event.by + 1 :])
    if None in seats:
        return replace(state, joined=seats)
    return replace(
        state,
        joined=seats,
        phase=Phase.SEEDS,
        table_root=state.frontier.append(leaf_hash(event.line)).root(),
        since=event.t,
        deadline=event.t + state.terms.clock.decision_ms,
    )


def seed_given(state: MatchState, event: Event, server_seed: Seed | None) -> MatchState:
    """After a `seed`; the last one makes the first deal due."""
    if state.table_root is None or state.phase not in BEFORE_END:
        raise WrongPhase("seeds are sent when every seat has joined")
    seat = seat_of(state, event.by)
    if state.seeds[event.by] is not None:
        raise Stale("the seat has sent its seed already")
    check_root(event.data["root"], state.table_root)
    check_in_time(state, event)
    seed = Seed.from_hex(event.data["do"]["seed"])
    check_opens(seat.seed_commitment, seed)
    seeds = (*state.seeds[: event.by], seed, *state.seeds[event.by + 1 :])
    if None in seeds:
        return replace(state, seeds=seeds)
    return replace(state, seeds=seeds, due="deal", deadline=None)


def seeds_missing(state: MatchState, event: Event) -> MatchState:
    """After a period in which seeds were missing; the last one ends the match."""
    if event.data.get("missing") != missing_seats(state):
        broken("timeout", "not the seats whose seeds are missing")
    periods = state.seed_periods + 1
    deadline = event.t + state.terms.clock.decision_ms
    state = replace(state, seed_periods=periods, since=event.t, deadline=deadline)
    if periods < SEED_PERIODS:
        return state
    complete = set(state.terms.sides) - {state.terms.sides[seat] for seat in missing_seats(state)}
    return state.lost(Ending("seed", complete.pop() if len(complete) == 1 else None))


def missing_seats(state: MatchState) -> list[int]:
    """The seats that have not sent their seed, ascending."""
    return [seat for seat, seed in enumerate(state.seeds) if seed is None]
