"""The whole program over a connection that fails, and against a service that shows other terms than it signs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fairdeal import canonical
from fairdeal.client import (
    ApiError,
    Contradiction,
    Finding,
    MatchClient,
    Memory,
    Player,
    Unacceptable,
    Unreachable,
    prefer_winning_tricks,
)
from fairdeal.client import api as calls
from fairdeal.keys import SigningKey
from fairdeal.match import Cancel, Event, HeldLine, HeldLog, Phase, parse_bundle, parse_held, receipt_name, write_bundle
from fairdeal.tlog import VerifierKey
from tests.client.house import House, play, problem, sit
from tests.client.server import LOG, M, policy_of


@pytest.fixture
def players(house: House, memories: list[Memory], tmp_path: Path) -> list[Player]:
    """Without a policy of their own."""
    return [Player(house.api(seat), memory, tmp_path / str(seat)) for seat, memory in enumerate(memories)]


def test_both_take_away_the_same_bundle_and_their_own_held_file(house: House, players: list[Player]) -> None:
    sit(players)
    taken = play(players)
    # Nothing else happens in this log: both were shown the end under one checkpoint.
    assert taken[0].bundle.read_bytes() == taken[1].bundle.read_bytes()
    bundle = parse_bundle(taken[0].bundle.read_bytes())
    assert [event.line for event in bundle.events] == house.server.lines
    assert bundle.log is not None
    assert [one.leaf["type"] for one in bundle.log.leaves] == ["open", "full", "start", "close"]
    assert house.server.state.phase is Phase.CLOSED
    for seat in (0, 1):
        held = parse_held(taken[seat].held.read_bytes())
        joined = house.server.state.joined[seat]
        assert joined is not None
        assert (held.m, held.seat, held.key) == (M, seat, joined.key.hex)
        receipts = [line for line in held.lines if isinstance(line, HeldLine)]
        assert max(line.view["size"] for line in receipts) == len(house.server.lines)
        logged = [line for line in held.lines if isinstance(line, HeldLog)]
        assert [line.leaves[-1].leaf["type"] for line in logged] == ["open", "full", "start", "close"]
        assert held.lines.index(logged[0]) < held.lines.index(logged[-1])


def test_no_stream_of_a_match_that_has_ended(house: House, players: list[Player]) -> None:
    """It is cancelled before anybody joined; a stream would say nothing until the network ends it."""
    sit(players)
    house.server.step(Cancel())
    house.before = lambda request: (
        pytest.fail("nothing more will be said") if request.url.path.endswith("/stream") else None
    )
    assert [taken.ending.reason for taken in play(players)] == ["cancelled", "cancelled"]


def test_the_same_bytes_are_sent_again(house: House, players: list[Player]) -> None:
    """Every third action gets in and its answer is lost; every fourth does not get in."""
    calls_seen = 0

    def lose(request: httpx2.Request) -> httpx2.Response | None:
        nonlocal calls_seen
        if request.url.path.endswith("/actions"):
            calls_seen += 1
            if calls_seen % 3 == 0:
                house._route(request)
                raise httpx2.ReadError("lost", request=request)
            if calls_seen % 4 == 0:
                raise httpx2.ConnectError("refused", request=request)
        return None

    house.before = lose
    sit(players)
    assert [taken.ending.reason for taken in play(players)] == ["target", "target"]
    assert len(house.bodies) > len(set(house.bodies))
    signed = [event for event in house.server.events if "sig" in event.data]
    assert len(set(house.bodies)) == len(signed)


def test_crash_between_keeping_and_sending(house: House, players: list[Player]) -> None:
    """What was signed before the crash is sent after it, although the strategy would now say something else."""
    sit(players)
    kept: list[bytes] = []

    class Crash(Exception):
        pass

    def crash(request: httpx2.Request) -> httpx2.Response | None:
        if request.url.path.endswith("/actions") and b'"bid"' in request.content and not kept:
            kept.append(request.content)
            raise Crash
        return None

    house.before = crash

    def attempt(player: Player) -> Any:
        try:
            return player.play(M, prefer_winning_tricks)
        except Crash:
            return player.play(M, lambda turn: turn.legal[-1 if b'"pass"' in kept[0] else 0])

    with ThreadPoolExecutor(2) as pool:
        for taken in pool.map(attempt, players):
            assert taken.ending.reason == "target"
    first_bid = next(event for event in house.server.events if "bid" in event.data.get("do", {}))
    value: Any = canonical.decode(kept[0])
    assert (first_bid.data["do"], first_bid.data["sig"]) == (value["do"], value["sig"])


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("commission", 0),
        ("tax", 1),
        ("pot", 100),
        ("game", "coinche"),
        ("winner_net", 200),
        ("stake", 1),
        ("decision_ms", 5_000),
        ("fees", {"id": "other"}),
        ("asset", {"code": "EUR", "exponent": 2}),
        ("receipt", "none"),
        ("open", "{}"),
        ("m", "f" * 32),
    ],
)
def test_terms_shown_and_terms_signed(house: House, players: list[Player], member: str, value: object) -> None:
    house.description = {member: value}
    with pytest.raises(Unacceptable):
        players[0].sit(M, stake=100)
    assert not house.seated


def test_only_for_the_stake_asked_for(house: House, players: list[Player]) -> None:
    with pytest.raises(Unacceptable):
        players[0].sit(M, stake=99)
    assert not house.seated


def crash_while_sitting(house: House, players: list[Player]) -> None:
    """Seat 0 is taken, and its program does not learn it; meanwhile seat 1 sits and joins."""

    class Crash(Exception):
        pass

    def crash(request: httpx2.Request) -> httpx2.Response | None:
        if request.url.path.endswith("/seats"):
            house._route(request)
            raise Crash
        return None

    house.before = crash
    with pytest.raises(Crash):
        players[0].sit(M, stake=100)
    house.before = None
    players[1].sit(M, stake=100)
    other = MatchClient(players[1]._memory, M, players[1]._folder, house.server.policy)
    other.receive(house.server.answer(1, 0))
    other.receive_log(house.server.log.answer(), None, house.server.log.tile)
    house.server.take(other.join() or b"")
    house.before = lambda request: problem(409, "already_seated") if request.url.path.endswith("/seats") else None


def test_a_seat_is_found_again_although_the_other_one_has_joined(house: House, players: list[Player]) -> None:
    crash_while_sitting(house, players)
    assert players[0].sit(M, stake=100)["you"]["seat"] == 0
    assert [taken.ending.reason for taken in play(players)] == ["target", "target"]


@pytest.mark.parametrize("lie", ["another history", "another open", "fewer events", "no seat of ours"])
def test_a_receipt_of_a_match_that_has_gone_on_covers_its_events(house: House, players: list[Player], lie: str) -> None:
    crash_while_sitting(house, players)
    server = house.server
    opened, joined = server.lines
    changed = Event.make(0, server.events[0].t + 1, -1, "open", server.events[0].data).line
    if lie == "no seat of ours":
        house.description = {"you": None}
    elif lie == "another history":
        house.description = {"receipt": server.receipt([opened, opened])}
    elif lie == "fewer events":
        house.description = {"receipt": server.receipt([opened, joined, joined])}
    else:
        house.description = {"open": changed.decode()}
    with pytest.raises(Unacceptable):
        players[0].sit(M, stake=100)


def test_a_key_that_the_policy_does_not_list(house: House, tmp_path: Path) -> None:
    key = VerifierKey(receipt_name(LOG), SigningKey.from_seed(b"s" * 32).public)
    own = VerifierKey(receipt_name(LOG), house.server.key.public)
    stranger, both = policy_of(key), policy_of(key, own)
    memory = Memory(tmp_path / "memory.db")
    with pytest.raises(Unacceptable):
        Player(house.api(0), memory, tmp_path, stranger).sit(M, stake=100)
    Player(house.api(0), memory, tmp_path, both).sit(M, stake=100)
    with pytest.raises(Contradiction):
        Player(house.api(0), memory, tmp_path, stranger).play(M, prefer_winning_tricks)
    memory.close()


def test_fees_changed_after_sitting(house: House, players: list[Player]) -> None:
    sit(players)
    server = house.server
    opened = Event.parse(server.lines[0])
    fees = opened.data["fees"] | {"commission_bp": 900}
    changed = Event.make(0, opened.t, -1, "open", {**opened.data, "fees": fees}).line

    def lie(request: httpx2.Request) -> httpx2.Response | None:
        if request.url.path == f"/v1/matches/{M}":
            return httpx2.Response(200, json=server.say(0, 0, [changed]))
        return None

    house.before = lie
    with pytest.raises(Contradiction) as caught:
        players[0].play(M, prefer_winning_tricks)
    assert (caught.value.finding, caught.value.place) == (Finding.TERMS, 0)
    assert not house.bodies


@pytest.mark.parametrize("lie", ["a shorter match", "a receipt of less"])
def test_another_bundle_than_the_match_played(house: House, players: list[Player], lie: str) -> None:
    def shorten(request: httpx2.Request) -> httpx2.Response | None:
        if request.url.path.endswith("/bundle"):
            server, left = house.server, house.server.lines[:-1]
            lines = left if lie == "a shorter match" else server.lines
            return httpx2.Response(200, content=write_bundle(server.receipt(left), lines, server.log.part(lines, 2)))
        return None

    house.before = shorten
    sit(players)
    for error in play(players):
        assert isinstance(error, Contradiction)
        assert error.finding is Finding.FORK


def test_problems_become_errors(house: House) -> None:
    body = {"code": "table_closed", "status": 409, "title": "…", "detail": "the table is full", "type": "/v1/errors/x"}
    house.before = lambda _: httpx2.Response(409, json=body, headers={"Content-Type": "application/problem+json"})
    with pytest.raises(ApiError) as caught:
        house.api(0).table(M)
    assert (caught.value.problem, caught.value.status, caught.value.detail) == (
        "table_closed",
        409,
        "the table is full",
    )


@pytest.mark.parametrize("text", ["<html>", "[]", '"x"', "[" * 100_000])
def test_what_is_no_json_object(house: House, text: str) -> None:
    house.before = lambda _: httpx2.Response(200, text=text)
    with pytest.raises(ApiError) as caught:
        house.api(0).table(M)
    assert caught.value.problem == "not_json"


def test_nobody_answers(house: House) -> None:
    attempts = 0

    def fail(request: httpx2.Request) -> httpx2.Response:
        nonlocal attempts
        attempts += 1
        raise httpx2.ConnectError("refused", request=request)

    house.before = fail
    with pytest.raises(Unreachable):
        house.api(0).send_action(M, b"{}")
    assert attempts == calls._ATTEMPTS


def test_an_unsafe_call_is_not_repeated(house: House) -> None:
    attempts = 0

    def fail(request: httpx2.Request) -> httpx2.Response:
        nonlocal attempts
        attempts += 1
        raise httpx2.ReadError("lost", request=request)

    house.before = fail
    with pytest.raises(Unreachable):
        house.api(0).open_table({"game": "duel", "stake": 1, "private": False})
    assert attempts == 1


def test_a_seat_that_was_freed_before_we_learnt_of_it(house: House, players: list[Player]) -> None:
    house.description = {"you": None}
    with pytest.raises(Unacceptable, match="taken back"):
        players[0].sit(M, house.server.terms.stake)


def test_a_refusal_says_which_member_and_why(house: House) -> None:
    faults = [{"where": ["body", "name"], "why": "a name has letters"}, "no fault"]
    told = {"code": "invalid_request", "title": "Not so.", "faults": faults}
    house.before = lambda _request: httpx2.Response(422, json=told)
    with pytest.raises(ApiError) as caught:
        house.api(0).sign_up("Zoë?", "correct horse")
    assert str(caught.value) == "invalid_request (422): Not so. body.name: a name has letters."


def test_a_player_signs_out_everywhere(house: House) -> None:
    asked: list[tuple[str, str]] = []

    def note(request: httpx2.Request) -> httpx2.Response:
        asked.append((request.method, request.url.path))
        return httpx2.Response(204)

    house.before = note
    house.api(0).sign_out_everywhere()
    assert asked == [("DELETE", "/v1/sessions")]
