"""From a command to the events it appends: the cause and everything that follows from it (protocol section 2.5)."""

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from fairdeal.belote import Deal, Ruleset, to_do
from fairdeal.commit import Seed
from fairdeal.errors import Malformed, RootMismatch, Stale, WrongPhase
from fairdeal.keys import check_registered
from fairdeal.match.actions import SignedAction
from fairdeal.match.events import SERVER, Event
from fairdeal.match.evolve import check_signature, evolve
from fairdeal.match.followups import end_data, follow_up
from fairdeal.match.seating import missing_seats
from fairdeal.match.state import Ending, MatchState, Phase
from fairdeal.match.terms import Terms


@dataclass(frozen=True, slots=True)
class Move:
    """A seat joins, sends its seed, or acts."""

    action: SignedAction


@dataclass(frozen=True, slots=True)
class Tick:
    """The clock looks at the match: a deadline may have passed."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The service was away from `from_ms` to `to_ms`."""

    from_ms: int
    to_ms: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """The match ends before every seat has joined."""


@dataclass(frozen=True, slots=True)
class Void:
    """The operator ends a match that every seat has joined; the stakes go back."""


Command: TypeAlias = Move | Tick | Resume | Cancel | Void


def open_match(terms: Terms, now: int) -> Event:
    """Event 0. Raises Malformed for terms out of range, KeyRefused for a receipt key that no client would take."""
    check_registered(terms.receipt_key)
    return Event.make(0, now, SERVER, "open", terms.data())


def decide(state: MatchState, command: Command, now: int, server_seed: Seed) -> tuple[Event, ...]:
    """The events to append in one transaction, all at max(now, time of the last event).

    `state` has the hands: it was folded with the same `server_seed`. A `Tick` before its time gives no events. Raises
    as `evolve` and `check_signature`; Stale and RootMismatch when a move was signed over another size or history. A
    repeated action is for `retry_of` to find first.
    """
    at = max(now, state.last_t)
    if isinstance(command, Tick) and (state.due_at is None or at < state.due_at):
        return ()
    events = [_cause(state, command, at)]
    after = evolve(state, events[0], server_seed)
    while after.due is not None:
        events.append(_server_event(after, after.due, at, follow_up(after, server_seed)))
        after = evolve(after, events[-1], server_seed)
    return tuple(events)


def _cause(state: MatchState, command: Command, at: int) -> Event:
    match command:
        case Move(action):
            return _move(state, action, at)
        case Tick():
            return _server_event(state, "timeout", at, _timeout_data(state))
        case Resume(start, end):
            return _server_event(state, "resume", at, {"from": start, "to": end})
        case Cancel():
            return _server_event(state, "end", at, _operator_end(state, Ending("cancelled", None)))
        case Void():
            return _server_event(state, "end", at, _operator_end(state, Ending("void", None, "operator")))


def _server_event(state: MatchState, kind: str, at: int, data: dict[str, Any]) -> Event:
    return Event.make(state.size, at, SERVER, kind, data)


def _move(state: MatchState, action: SignedAction, at: int) -> Event:
    if state.ending is not None:
        raise WrongPhase("the match is over")
    data: dict[str, Any] = {"do": action.do, "root": action.root, "sig": action.sig}
    if action.type == "act":
        _check_size(state, action)
        # Off turn nothing is announced, and the hand of the seat that is on turn is not looked at.
        if state.deal is not None and state.deal.turn == action.seat and "resign" not in action.do:
            data |= _says(state.terms.ruleset, state.deal, action.do)
    elif action.size != (1 if action.type == "join" else state.terms.seats + 1):
        raise Malformed(f"a {action.type} is signed over another size")
    event = Event.make(state.size, at, action.seat, action.type, data)
    # Before any rule is looked at: nobody but the seat learns why its cards are refused.
    check_signature(state, event)
    return event


def _check_size(state: MatchState, action: SignedAction) -> None:
    """An act is signed over as many events as there are; that they are the same ones is for `evolve` to see."""
    if action.size < state.size:
        raise Stale("the match has moved on since this was signed", {"size": state.size})
    if action.size > state.size:
        raise RootMismatch("signed over a longer history than this one", {"size": state.size})


def _says(ruleset: Ruleset, deal: Deal, do: dict[str, Any]) -> dict[str, Any]:
    """The member `says`, when something is announced with this action of the seat on turn."""
    says = ruleset.says(deal, ruleset.from_do(do))
    return {} if says is None else {"says": says.value}


def _timeout_data(state: MatchState) -> dict[str, Any]:
    if state.phase is Phase.SEEDS:
        return {"missing": missing_seats(state)}
    deal, ruleset = state.deal, state.terms.ruleset
    assert deal is not None
    seat = deal.turn
    assert seat is not None
    data: dict[str, Any] = {"seat": seat, "overrun": state.overruns[seat] + 1}
    if data["overrun"] == state.terms.clock.overruns:
        return data
    do = to_do(ruleset.first_action(deal))
    return {**data, "do": do, **_says(ruleset, deal, do)}


def _operator_end(state: MatchState, ending: Ending) -> dict[str, Any]:
    if state.full != (ending.reason == "void") or state.ending is not None:
        raise WrongPhase("a match is cancelled before its last join, and void between that and its end")
    return end_data(replace(state, ending=ending))
