"""A server that breaks a rule is refused by whoever folds its events, with and without the cards (protocol 2.5–2.7)."""

from collections.abc import Callable
from typing import Any

import pytest

from fairdeal.commit import Seed
from fairdeal.errors import (
    CommitmentMismatch,
    CommitmentReused,
    FairdealError,
    IllegalAction,
    KeyRefused,
    Late,
    Malformed,
    NotYourTurn,
    RootMismatch,
    RuleBroken,
    SignatureInvalid,
    Stale,
    WrongPhase,
)
from fairdeal.match import Event, MatchState, Phase, check_signature, evolve, replay
from tests.simulator import Played, play

CLOCK = {"decision_ms": 30_000, "overruns": 3, "grace_ms": 250, "pause_ms": 4_000}
BOTH = pytest.mark.parametrize("inside", [True, False], ids=["with cards", "from outside"])


@pytest.fixture(scope="module")
def won() -> Played:
    """A staked match to 301 with timeouts on the way."""
    return next(
        match
        for match in (play(number, "target", stake=500, target=301, clock=CLOCK, log=False) for number in range(100))
        if any(event.type == "timeout" and "do" in event.data for event in match.events)
        and any("says" in event.data for event in match.events)
        and any(event.type == "resume" for event in match.events)
    )


def before(match: Played, place: int, inside: bool) -> MatchState:
    """The state that event number `place` meets."""
    return replay(match.events[:place], match.keys.server_seed if inside else None)


def place_of(match: Played, wanted: Callable[[Event], bool]) -> int:
    return next(event.n for event in match.events if wanted(event))


def changed(event: Event, **members: Any) -> Event:
    """The event with members of its envelope, or else of its data, changed; None takes one out."""
    envelope = {"n": event.n, "t": event.t, "by": event.by, "type": event.type}
    envelope |= {name: members.pop(name) for name in list(members) if name in envelope}
    left_out = {name for name, value in members.items() if value is None}
    data = {name: value for name, value in {**event.data, **members}.items() if name not in left_out}
    return Event.make(**envelope, data=data)


def refused(match: Played, event: Event, place: int, inside: bool, error: type[FairdealError]) -> FairdealError:
    with pytest.raises(error) as raised:
        evolve(before(match, place, inside), event, match.keys.server_seed if inside else None)
    assert type(raised.value) is error
    return raised.value


def broken(match: Played, event: Event, place: int, inside: bool) -> object:
    """The reason why a server's event is refused in that place."""
    return refused(match, event, place, inside, RuleBroken).details["reason"]


@BOTH
def test_no_event_can_be_left_out(won: Played, inside: bool) -> None:
    """What comes after it is refused in its place, but a resume or a timeout, or where the seats' order is free."""
    for event in won.events[1:-1]:
        following = won.events[event.n + 1]
        free_order = event.type == following.type and event.type in {"join", "seed"}
        if following.type not in {"resume", "timeout"} and not free_order:
            skipped = changed(following, n=event.n)
            with pytest.raises(FairdealError):
                evolve(before(won, event.n, inside), skipped, won.keys.server_seed if inside else None)


@BOTH
def test_envelope(won: Played, inside: bool) -> None:
    for event in won.events[1:]:
        assert broken(won, changed(event, n=event.n + 1), event.n, inside) == "order"
        last = won.events[event.n - 1].t
        assert broken(won, changed(event, t=last - 1), event.n, inside) == "clock"


@BOTH
def test_a_follow_up_has_the_time_of_its_cause(won: Played, inside: bool) -> None:
    for event in won.events:
        if event.type in {"deal", "score", "end", "reveal", "settle"}:
            assert broken(won, changed(event, t=event.t + 1), event.n, inside) == "order"


@BOTH
def test_a_match_begins_with_open_once(won: Played, inside: bool) -> None:
    seed = won.keys.server_seed if inside else None
    with pytest.raises(RuleBroken):
        evolve(None, won.events[1], seed)
    with pytest.raises(RuleBroken):
        evolve(None, changed(won.events[0], n=1), seed)
    assert broken(won, changed(won.events[0], n=1, t=won.events[0].t), 1, inside) == "order"
    with pytest.raises(Malformed):
        replay([], seed)


@BOTH
def test_nothing_follows_the_last_event(won: Played, inside: bool) -> None:
    assert before(won, len(won.events), inside).phase is Phase.CLOSED
    again = changed(won.events[-1], n=len(won.events))
    assert broken(won, again, len(won.events), inside) == "order"


@BOTH
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("deal", 9), ("taker", None), ("points", [1, 161]), ("tricks", [8, 8]), ("marks", [301, 0]),
        ("totals", [301, 0]), ("belote", 0), ("belote", 1), ("outcome", "capot"), ("outcome", "void"),
    ],
)  # fmt: skip
def test_every_member_of_a_score_is_derived(won: Played, inside: bool, member: str, value: Any) -> None:
    event = next(event for event in won.events if event.type == "score" and event.data[member] != value)
    wrong = Event.make(event.n, event.t, event.by, event.type, {**event.data, member: value})
    assert broken(won, wrong, event.n, inside) == "score"


@BOTH
@pytest.mark.parametrize("change", [{"reason": "resigned"}, {"winner": "other"}, {"totals": [0, 0]}])
def test_every_member_of_an_end_is_derived(won: Played, inside: bool, change: dict[str, Any]) -> None:
    event = won.events[-3]
    assert event.type == "end"
    if "winner" in change:
        change = {"winner": 1 - event.data["winner"]}
    assert broken(won, changed(event, **change), event.n, inside) == "end"
    void = Event.make(
        event.n, event.t, -1, "end", {**event.data, "reason": "void", "cause": "operator", "winner": None}
    )
    assert broken(won, void, event.n, inside) == "end"


@BOTH
def test_an_operator_ends_no_match_while_something_is_due(won: Played, inside: bool) -> None:
    for event in won.events:
        if event.type in {"deal", "score", "end", "reveal", "settle"}:
            totals = list(before(won, event.n, inside).totals)
            data = {"reason": "void", "cause": "operator", "winner": None, "totals": totals}
            with pytest.raises(RuleBroken):
                evolve(
                    before(won, event.n, inside),
                    Event.make(event.n, event.t, -1, "end", data),
                    won.keys.server_seed if inside else None,
                )


@BOTH
def test_the_settlement_is_derived(won: Played, inside: bool) -> None:
    event = won.events[-1]
    lines = [dict(line) for line in event.data["lines"]]
    lines[1]["amount"] += 1
    lines[2]["amount"] -= 1
    assert broken(won, changed(event, lines=lines), event.n, inside) == "settle"
    assert broken(won, changed(event, lines=event.data["lines"][:-1]), event.n, inside) == "settle"


def test_deals(won: Played) -> None:
    event = next(event for event in won.events if event.type == "deal" and event.data["deal"] > 1)
    for inside in (True, False):
        assert broken(won, changed(event, deal=event.data["deal"] + 1), event.n, inside) == "deal"
        assert broken(won, changed(event, dealer=1 - event.data["dealer"]), event.n, inside) == "deal"
    turned = "S7" if event.data["turned"] != "S7" else "S8"
    assert broken(won, changed(event, turned=turned), event.n, True) == "deal"
    first = won.events[place_of(won, lambda event: event.type == "deal")]
    assert broken(won, changed(first, dealer=1 - first.data["dealer"]), first.n, True) == "deal"
    refused(won, changed(first, dealer=3), first.n, False, Malformed)


def test_the_reveal_opens_the_commitment(won: Played) -> None:
    event = won.events[-2]
    wrong = changed(event, server_seed=Seed(b"\x01" * 32).hex())
    refused(won, wrong, event.n, False, CommitmentMismatch)
    assert broken(won, wrong, event.n, True) == "reveal"


@BOTH
def test_timeouts(won: Played, inside: bool) -> None:
    event = next(event for event in won.events if event.type == "timeout" and "do" in event.data)
    due_at = before(won, event.n, inside).due_at
    assert due_at is not None
    assert broken(won, changed(event, t=due_at - 1), event.n, inside) == "clock"
    assert broken(won, changed(event, seat=1 - event.data["seat"]), event.n, inside) == "timeout"
    assert broken(won, changed(event, overrun=event.data["overrun"] + 1), event.n, inside) == "timeout"
    assert broken(won, changed(event, do=None, says=None), event.n, inside) == "timeout"
    missing = Event.make(event.n, event.t, -1, "timeout", {"missing": [0]})
    assert broken(won, missing, event.n, inside) == "timeout"


@BOTH
def test_a_timeout_passes_in_the_bidding_and_nothing_else(inside: bool) -> None:
    match = play(1, "void_in_play", clock=CLOCK)
    place = place_of(match, lambda event: event.type == "deal") + 1
    state = before(match, place, inside)
    assert state.due_at is not None
    data = {"seat": state.turn, "overrun": 1, "do": {"bid": "take"}}
    assert broken(match, Event.make(place, state.due_at, -1, "timeout", data), place, inside) == "timeout"
    evolve(
        state,
        Event.make(place, state.due_at, -1, "timeout", {**data, "do": {"bid": "pass"}}),
        match.keys.server_seed if inside else None,
    )


@BOTH
def test_missing_seats_are_named(inside: bool) -> None:
    match = play(0, "seed_missing_0")
    event = next(event for event in match.events if event.type == "timeout" and event.data["missing"] == [0])
    assert broken(match, changed(event, missing=[0, 1]), event.n, inside) == "timeout"
    assert broken(match, changed(event, missing=[1]), event.n, inside) == "timeout"
    in_play = Event.make(event.n, event.t, -1, "timeout", {"seat": 0, "overrun": 1})
    assert broken(match, in_play, event.n, inside) == "timeout"
    end = match.events[place_of(match, lambda event: event.type == "end")]
    assert broken(match, changed(end, winner=0), end.n, inside) == "end"


@BOTH
def test_resumes(won: Played, inside: bool) -> None:
    event = next(event for event in won.events if event.type == "resume")
    span = {"from": event.data["from"], "to": event.data["to"]}
    for change in ({"to": span["from"] + 5_000}, {"to": event.t + 1}):
        assert broken(won, changed(event, **change), event.n, inside) == "resume"
    again = changed(event, n=event.n + 1)
    assert broken(won, again, event.n + 1, inside) == "resume"


@BOTH
def test_acts(won: Played, inside: bool) -> None:
    place = place_of(won, lambda event: event.type == "act" and "card" in event.data["do"])
    event, state = won.events[place], before(won, place, inside)
    assert state.deadline is not None
    refused(won, changed(event, t=state.deadline + 1), place, inside, Late)
    refused(won, changed(event, by=1 - event.by), place, inside, NotYourTurn)
    refused(won, changed(event, by=3), place, inside, Malformed)
    refused(won, changed(event, root="00" * 32), place, inside, RootMismatch)
    refused(won, changed(event, do={"bid": "take"}), place, inside, IllegalAction)
    assert state.deal is not None
    already = next(e for e in reversed(won.events) if e.type == "act" and "card" in e.data["do"])
    error = refused(
        won, changed(already, do=won.events[already.n - 1].data["do"], says=None), already.n, inside, IllegalAction
    )
    assert error.details == {"reason": "not_in_hand"}


def test_announcements(won: Played) -> None:
    event = next(event for event in won.events if event.data.get("says") == "belote")
    assert broken(won, changed(event, says=None), event.n, True) == "says"
    for inside in (True, False):
        refused(won, changed(event, says="rebelote"), event.n, inside, IllegalAction)
    plain = next(e for e in won.events if e.type == "act" and "card" in e.data["do"] and "says" not in e.data)
    with pytest.raises((IllegalAction, RuleBroken)):
        evolve(before(won, plain.n, True), changed(plain, says="belote"), won.keys.server_seed)


@BOTH
def test_joins_and_seeds(won: Played, inside: bool) -> None:
    first, second, seed = won.events[1], won.events[2], won.events[place_of(won, lambda e: e.type == "seed")]

    def joining(**members: str) -> Event:
        return changed(second, do={"join": {**second.data["do"]["join"], **members}})

    refused(won, changed(second, by=first.by), 2, inside, Stale)
    refused(won, changed(second, root="00" * 32), 2, inside, RootMismatch)
    refused(won, joining(key=first.data["do"]["join"]["key"]), 2, inside, KeyRefused)
    refused(won, joining(seed_commitment=first.data["do"]["join"]["seed_commitment"]), 2, inside, CommitmentReused)
    refused(won, joining(seed_commitment=won.state.terms.commitment), 2, inside, CommitmentReused)
    refused(won, changed(second, n=seed.n, t=seed.t), seed.n, inside, WrongPhase)
    refused(won, changed(seed, do={"seed": "00" * 32}), seed.n, inside, CommitmentMismatch)
    refused(won, changed(seed, root="00" * 32), seed.n, inside, RootMismatch)
    refused(won, changed(seed, n=2, t=second.t), 2, inside, WrongPhase)
    deadline = before(won, seed.n, inside).deadline
    assert deadline is not None
    refused(won, changed(seed, t=deadline + 1), seed.n, inside, Late)


def test_signatures(won: Played) -> None:
    for event in won.events[1:]:
        state = before(won, event.n, False)
        check_signature(state, event)
        if event.by >= 0:
            with pytest.raises(SignatureInvalid):
                check_signature(state, changed(event, root="00" * 32))
    act = next(event for event in won.events if event.type == "act")
    with pytest.raises(SignatureInvalid):
        check_signature(before(won, act.n, False), changed(act, by=1 - act.by))
    with pytest.raises(WrongPhase):
        check_signature(before(won, 1, False), act)
