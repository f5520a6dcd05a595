"""What an event is refused for whatever it says: its place, its seat, the history it was signed over, its time."""

from typing import Final, NoReturn

from fairdeal.commit import Seed
from fairdeal.errors import Late, Malformed, RootMismatch, RuleBroken, WrongPhase
from fairdeal.match.events import Event
from fairdeal.match.followups import follow_up
from fairdeal.match.state import Joined, MatchState, Phase

BEFORE_END: Final = (Phase.SEEDS, Phase.PLAY)
"""The phases between the last join and the end."""
_SECRET: Final = frozenset({"deal", "show", "reveal"})
"""What these say depends on the server's secret too."""


def broken(reason: str, message: str) -> NoReturn:
    """Raises RuleBroken."""
    raise RuleBroken(message, {"reason": reason})


def check_due(state: MatchState, event: Event, server_seed: Seed | None) -> None:
    """Raises RuleBroken unless this event is due and says what it must, as far as that is known.

    `deal` and `show` see to the rest.
    """
    if state.due is None:
        broken("order", f"no {event.type} is due")
    expected = follow_up(state, server_seed)
    known = server_seed is not None or event.type not in _SECRET
    if (event.data if known else {name: event.data.get(name) for name in expected}) != expected:
        broken(event.type, f"the {event.type} is not the one that follows")


def check_seat(state: MatchState, seat: int) -> None:
    """Raises Malformed unless the table has this seat."""
    if seat >= state.terms.seats:
        raise Malformed("no such seat at this table")


def check_root(signed: str, root: bytes) -> None:
    """Raises RootMismatch unless the seat signed over this root."""
    if signed != root.hex():
        raise RootMismatch("signed over another history")


def check_in_time(state: MatchState, event: Event) -> None:
    """Raises Late unless the event is before the deadline, or at it."""
    if state.deadline is None or event.t > state.deadline:
        raise Late("the deadline has passed", {"deadline": state.deadline})


def seat_of(state: MatchState, seat: int) -> Joined:
    """Who has joined on this seat. Raises Malformed when there is no such seat, WrongPhase when nobody has."""
    check_seat(state, seat)
    joined = state.joined[seat]
    if joined is None:
        raise WrongPhase("the seat has not joined")
    return joined
