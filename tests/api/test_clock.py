"""The server's clock: nobody needs to be connected; what is in time; a clock that steps back."""

import json
import time
from threading import Event, Thread
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from fairdeal.app.hub import Hub
from fairdeal.app.kept import Match
from fairdeal.app.matches import Matches
from fairdeal.errors import ClockSteppedBack, StoreBusy
from fairdeal.main import SystemClock
from fairdeal.match.decide import Tick
from tests.api.table import (
    FakeClock,
    Player,
    Service,
    first_legal,
    lines,
    ok,
    on_turn,
    start_two,
)


def test_the_first_decision_of_a_deal_has_the_pause_on_top(service: Service) -> None:
    players = start_two(service)
    service.tick(34_000 + 249)
    assert lines(players[0])[-1]["type"] == "deal"
    service.tick(1)
    last = lines(players[0])[-1]
    assert (last["type"], last["t"], last["data"]["do"]) == ("timeout", service.clock.ms, {"bid": "pass"})
    service.tick(30_249)
    assert len(lines(players[0])) == last["n"] + 1
    service.tick(1)
    assert lines(players[0])[-1]["data"]["overrun"] == 1


def test_a_card_is_played_for_who_does_not(service: Service) -> None:
    players = start_two(service)
    taker = on_turn(players)
    ok(taker.send(taker.sign({"bid": "take"})))
    sleeper = on_turn(players)
    expected = sleeper.view["legal"][0]
    service.tick(30_250)
    last = lines(sleeper)[-1]
    assert (last["type"], last["data"]["seat"], last["data"]["do"]) == ("timeout", sleeper.seat, expected)


@pytest.mark.parametrize(("wait", "status"), [(34_000, 200), (34_001, 409), (34_249, 409)])
def test_in_time_is_up_to_and_including_the_deadline(service: Service, wait: int, status: int) -> None:
    player = on_turn(start_two(service))
    body = player.sign(first_legal(player))
    service.tick(33_000)
    service.clock.ms += wait - 33_000
    answer = player.send(body)
    assert answer.status_code == status
    if status == 409:
        assert answer.json()["code"] == "late"


def test_an_action_on_its_way_is_waited_for(service: Service) -> None:
    player = on_turn(start_two(service))
    service.tick(34_000)
    matches: Matches = service.app.state.services.matches
    with matches.arriving(player.m, service.clock.ms):
        service.tick(300)
        assert lines(player)[-1]["type"] == "deal"
        service.tick(29_000)
        assert lines(player)[-1]["type"] == "deal"
        service.tick(1_000)
        assert lines(player)[-1]["type"] == "timeout"
    with matches.arriving(player.m, service.clock.ms + 60_000):
        service.tick(30_250)
    assert [line["type"] for line in lines(player)].count("timeout") == 2


def test_a_match_that_somebody_has_in_hand_does_not_keep_the_clock_from_others(service: Service) -> None:
    held, other = start_two(service), start_two(service, names=("carol", "dave"))
    matches: Matches = service.app.state.services.matches
    in_hand, go_on = Event(), Event()

    def hold(_: Match) -> None:
        in_hand.set()
        assert go_on.wait(60)

    holding = Thread(target=lambda: matches.step(held[0].m, service.clock.ms, hold))
    holding.start()
    assert in_hand.wait(60)
    service.tick(34_250)
    assert lines(other[0])[-1]["type"] == "timeout"
    assert lines(held[0])[-1]["type"] == "deal"
    with pytest.raises(StoreBusy):
        matches.step(held[0].m, service.clock.ms, lambda _: Tick(), patient=False)
    go_on.set()
    holding.join()
    service.tick(999)
    assert lines(held[0])[-1]["type"] == "deal"
    service.tick(1)
    assert lines(held[0])[-1]["type"] == "timeout"


def test_an_answer_that_is_read_slowly_is_not_waited_for(service: Service) -> None:
    player = on_turn(start_two(service))
    matches: Matches = service.app.state.services.matches
    on_their_way: list[int | None] = []

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        async def seen(message: Message) -> None:
            on_their_way.append(matches.earliest_arrival(player.m))
            await send(message)

        await service.app(scope, receive, seen)

    service.http = TestClient(watched)
    for body in (player.sign(first_legal(player)), player.sign({"card": "S7"}, size=3)):
        player.send(body)
    assert on_their_way == [None] * 4


def test_time_never_goes_back_in_a_match(service: Service) -> None:
    player = on_turn(start_two(service))
    service.clock.ms -= 3_600_000
    answer = ok(player.send(player.sign(first_legal(player))))
    assert json.loads(answer["events"][0])["t"] == service.clock.ms + 3_600_000


def test_a_match_that_cannot_go_on_does_not_stop_the_others(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    players = start_two(service)
    matches: Matches = service.app.state.services.matches
    real = matches.step

    def broken(match_id: str, *rest: Any, **named: Any) -> Any:
        if match_id == players[0].m:
            raise RuntimeError("broken")
        return real(match_id, *rest, **named)

    carol = service.person("carol", 100)
    m = ok(carol.post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    Player(carol, m)
    monkeypatch.setattr(matches, "step", broken)
    service.tick(600_000)
    assert carol.wallet == (100, 0)
    assert service.store.last_beat() == service.clock.ms


def test_the_clock_runs_by_itself(service: Service) -> None:
    players = start_two(service)
    service.tick(33_000)
    service.clock.ms += 1_250
    ticker = service.app.state.ticker
    ticker.start()
    ticker.stop()
    assert lines(players[0])[-1]["type"] == "timeout"


def stepped(monkeypatch: pytest.MonkeyPatch, clock: SystemClock, ms: int) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: ms * 1_000_000)
    clock.now_ms()


def test_a_small_step_back_is_waited_out_and_a_larger_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SystemClock()
    stepped(monkeypatch, clock, 50_000)
    stepped(monkeypatch, clock, 49_000)
    assert clock.now_ms() == 50_000
    with pytest.raises(ClockSteppedBack):
        stepped(monkeypatch, clock, 48_999)
    stepped(monkeypatch, clock, 49_500)
    stepped(monkeypatch, clock, 50_001)
    assert clock.now_ms() == 50_001


def test_while_the_clock_is_wrong_nothing_is_signed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    player = on_turn(start_two(service))
    service.tick(33_000)
    body, before = player.sign(first_legal(player)), service.snapshot(player.m)

    def wrong(_clock: FakeClock) -> int:
        raise ClockSteppedBack("an hour")

    with monkeypatch.context() as patched:
        patched.setattr(FakeClock, "now_ms", wrong)
        with pytest.raises(ClockSteppedBack):
            service.app.state.ticker.tick()
        for answer in (
            service.http.get("/readyz"),
            player.send(body),
            player.person.get(f"/v1/matches/{player.m}"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (503, "clock_stepped_back")
        assert ok(service.http.get("/healthz")) == {"status": "ok"}
    assert service.snapshot(player.m) == before
    assert ok(service.http.get("/readyz")) == {"status": "ok", "warnings": []}
    ok(player.send(body))


def test_a_clock_behind_the_last_heartbeat_keeps_the_service_from_starting(service: Service) -> None:
    service.tick()
    with pytest.raises(ClockSteppedBack, match="1001 ms behind the last heartbeat"):
        service.restart(-1_001)
    service.clock.ms += 1
    service.start()


def test_an_action_in_time_that_another_process_beat_is_counted_and_told(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A second process does not see what is on its way through this one; its clock waits for the grace alone."""
    players = start_two(service)
    player = on_turn(players)
    matches = service.app.state.services.matches
    other = Matches(service.store, matches._house, Hub())
    real = matches.step

    def late(m: str, now: int, choose: Any) -> Any:
        other.step(m, service.clock.ms + 60_000, lambda _: Tick())
        return real(m, now, choose)

    body = player.sign(first_legal(player))
    with monkeypatch.context() as patched:
        patched.setattr(matches, "step", late)
        assert player.send(body).json()["code"] == "stale"
    assert lines(player)[-1]["type"] == "timeout"
    assert matches.tally().overtaken == 1
    assert "overtaken by a timeout" in caplog.text
    assert player.send(body).json()["code"] == "stale"
    assert matches.tally().overtaken == 2, "sent again it is another action in time"
    service.clock.ms += 50_000
    assert player.send(body).json()["code"] == "stale"
    assert matches.tally().overtaken == 2
