"""Two services on one PostgreSQL, of which one stands still at the worst moment while the other one's clock goes on: no
decision is made twice, and what was in time stands, or is counted and said. And one whose clock is wrong, which decides
nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest

from fairdeal.app.heart import BEAT_MS
from fairdeal.app.ports import CommitResult
from fairdeal.app.right_clock import APART_MS
from fairdeal.errors import ClockApart
from fairdeal.match import Event
from fairdeal.store import SqlStore
from tests.api.table import OPERATOR, FakeClock, Player, Service, bearer, first_legal, ok, on_turn, start_two
from tests.durability.two_services import Both, written

TIMEOUT_MS = 34_250
"""From the first deal on: the decision, the pause before it, and the grace."""


@pytest.fixture
def player(both: Both) -> Player:
    """Who is on turn, at the first deal, and plays through the first service."""
    return on_turn(start_two(both[0]))


def types(player: Player) -> list[str]:
    """Of the events from the first deal on."""
    lines = [Event.parse(line.encode()) for line in ok(player.person.get(f"/v1/matches/{player.m}"))["events"]]
    return [event.type for event in lines[5:]]


def metric(service: Service, name: str) -> float:
    for line in generate_latest(service.app.state.services.metrics.registry).decode().splitlines():
        if line.startswith(f"{name} "):
            return float(line.split()[1])
    raise AssertionError


def overtaken(service: Service) -> float:
    return metric(service, "fairdeal_overtaken_total")


def test_a_worker_that_stood_still_with_a_timeout_in_its_hands_writes_no_second_one(both: Both, player: Player) -> None:
    first, other = both
    other.tick(TIMEOUT_MS - 1)
    results = written(first, other.app.state.ticker.tick)
    first.clock.ms += 1
    first.app.state.ticker.tick()
    assert results == [CommitResult.STALE]
    first.app.state.ticker.tick()
    assert types(player) == ["deal", "timeout"]
    assert results == [CommitResult.STALE]


def test_a_worker_that_slept_through_a_deadline_goes_on_from_what_happened(both: Both, player: Player) -> None:
    """It had the match in its memory, as it stood before."""
    first, other = both
    other.tick(TIMEOUT_MS)
    other.tick(30_250)
    results = written(first)
    first.app.state.ticker.tick()
    assert results == []
    assert types(player) == ["deal", "timeout", "timeout"]
    assert first.store.outages(0) == (), "the other one was there all the time"


def test_a_timeout_that_is_written_after_a_move_in_time_is_none(both: Both, player: Player) -> None:
    """The move was received in time, and is written while the other service stands still with the timeout."""
    first, other = both
    body = player.sign(first_legal(player))

    def meanwhile() -> None:
        first.clock.ms -= 250
        ok(player.send(body))
        first.clock.ms += 250

    other.tick(TIMEOUT_MS - 1)
    results = written(other, meanwhile)
    other.clock.ms += 1
    other.app.state.ticker.tick()
    assert results == [CommitResult.STALE]
    assert types(player)[:2] == ["deal", "act"]
    assert overtaken(first) == overtaken(other) == 0


def test_a_move_in_time_that_a_timeout_written_elsewhere_beat_is_counted_and_said(
    both: Both, player: Player, caplog: pytest.LogCaptureFixture
) -> None:
    """The service that received it stands still until after the grace, which is all that another one waits."""
    first, other = both
    body = player.sign(first_legal(player))
    results = written(first, lambda: other.tick(TIMEOUT_MS))
    answer: Any = player.send(body)
    assert (answer.status_code, answer.json()["code"]) == (409, "stale")
    assert results == [CommitResult.STALE]
    assert types(player) == ["deal", "timeout"]
    assert (overtaken(first), overtaken(other)) == (1, 0)
    assert "an action in time was overtaken by a timeout" in caplog.text


@pytest.fixture
def astray(both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A third one, with a clock of its own. The database's clock is that of the two others."""
    first, _ = both
    monkeypatch.setattr("fairdeal.app.right_clock.APART_MS", APART_MS)
    monkeypatch.setattr(SqlStore, "clock_ms", lambda _: first.clock.ms)
    service = Service(tmp_path, first.overrides, FakeClock(), "astray")
    yield service
    service.stop()


@pytest.mark.parametrize("apart_ms", [TIMEOUT_MS, 3_600_000, -TIMEOUT_MS, BEAT_MS + APART_MS])
def test_a_machine_with_a_wrong_clock_times_nobody_out_and_takes_no_move(
    both: Both, player: Player, astray: Service, apart_ms: int, caplog: pytest.LogCaptureFixture
) -> None:
    first, _ = both
    astray.app.state.ticker.tick()
    beat = first.store.last_beat()
    astray.clock.ms += apart_ms
    for _ in range(2):
        with pytest.raises(ClockApart):
            astray.app.state.ticker.tick()
    path, body = f"/v1/matches/{player.m}/actions", player.sign(first_legal(player))
    for answer in (astray.http.get("/readyz"), astray.http.post(path, json=body, headers=player.person.headers)):
        assert (answer.status_code, answer.json()["code"]) == (503, "clock_apart")
    assert (types(player), first.store.last_beat(), first.store.outages(0)) == (["deal"], beat, ())
    assert metric(astray, "fairdeal_clock_ahead_seconds") == apart_ms / 1_000
    assert caplog.text.count("the machine's clock and the database's are apart") == 1

    ok(player.send(body))
    astray.clock.ms = first.clock.ms
    astray.app.state.ticker.tick()
    assert ok(astray.http.get("/readyz"))["status"] == "ok"
    assert types(player)[:2] == ["deal", "act"]
    assert metric(astray, "fairdeal_clock_ahead_seconds") == 0


@pytest.mark.parametrize("apart_ms", [5 * 86_400_000, -3_600_000])
def test_a_machine_with_a_wrong_clock_gives_no_seat_moves_no_money_and_signs_and_proves_nothing(
    both: Both, player: Player, astray: Service, apart_ms: int
) -> None:
    """By its times a table would be over before anybody joins, a stop of one's own too early, and neither the money's
    journal nor the books be looked at for days.
    """
    first, _ = both
    opened = ok(player.person.post("/v1/tables", {"game": "duel", "stake": 0}))
    for service in both:
        service.clock.ms = first.clock.ms + 5_000
    astray.clock.ms = first.clock.ms + apart_ms
    before = (first.store.table(opened["m"]), first.store.journal_mark(), first.store.last_significant("proof", {}))
    money, key = {"account": player.person.id, "amount": 5}, {"Idempotency-Key": "deposit-astray"}
    mine = player.person.headers
    asked = {
        "/v1/tables": ({"game": "duel", "stake": 0}, mine),
        f"/v1/tables/{opened['m']}/seats": ({"code": opened["code"]}, mine | key),
        "/v1/deposits": (money, bearer(OPERATOR) | key),
        "/v1/me/exclusion": ({"kind": "cool_off", "until": astray.clock.ms + 1_000}, mine),
        f"/v1/matches/{player.m}/void": ({}, bearer(OPERATOR)),
    }
    for path, (body, headers) in asked.items():
        answer = astray.http.post(path, json=body, headers=headers)
        assert (path, answer.status_code, answer.json()["code"]) == (path, 503, "clock_apart")
    for look in (astray.app.state.nightly.look, astray.app.state.sequencer.look):
        with pytest.raises(ClockApart):
            look()
    after = (first.store.table(opened["m"]), first.store.journal_mark(), first.store.last_significant("proof", {}))
    assert after == before
    ok(astray.http.get(f"/v1/matches/{player.m}", headers=mine))
    ok(astray.http.get(f"/v1/tables/{opened['m']}", headers=mine))


def test_a_clock_that_jumps_in_the_middle_of_a_look_times_nobody_out(player: Player, astray: Service) -> None:
    real = astray.store.last_beat

    def jump() -> int | None:
        astray.clock.ms += TIMEOUT_MS
        return real()

    vars(astray.store)["last_beat"] = jump
    astray.app.state.ticker.tick()
    assert types(player) == ["deal"]


@pytest.mark.parametrize("apart_ms", [APART_MS, -APART_MS])
def test_clocks_that_nearly_agree_are_right(both: Both, astray: Service, apart_ms: int) -> None:
    both[0].clock.ms += 2 * BEAT_MS
    astray.clock.ms += 2 * BEAT_MS + apart_ms
    astray.app.state.ticker.tick()


def test_a_clock_that_runs_away_is_found_out_with_the_next_beat(both: Both, astray: Service) -> None:
    """It gains a hundredth; all the time the right one is there too."""
    first, _ = both
    for _ in range(APART_MS // 10):
        first.tick(BEAT_MS)
        astray.tick(BEAT_MS + 10)
    first.tick(BEAT_MS)
    with pytest.raises(ClockApart, match=f"{APART_MS + 10} ms ahead"):
        astray.tick(BEAT_MS + 10)


def test_an_answer_that_was_long_on_its_way_is_no_difference(
    both: Both, astray: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = both

    def slow(_: SqlStore) -> int:
        told = first.clock.ms + 5_000
        for service in (first, astray):
            service.clock.ms += 10_000
        return told

    astray.clock.ms += BEAT_MS
    first.clock.ms += BEAT_MS
    monkeypatch.setattr(SqlStore, "clock_ms", slow)
    astray.app.state.ticker.tick()


@pytest.mark.parametrize("apart_ms", [APART_MS + 1, -APART_MS - 1])
def test_a_machine_with_a_wrong_clock_does_not_start(both: Both, astray: Service, apart_ms: int) -> None:
    """What it wrote would keep the others from starting."""
    with pytest.raises(ClockApart, match=f"{APART_MS + 1} ms"):
        astray.restart(apart_ms)
    told = both[0].store.last_significant("refused_start", {})
    assert told is not None
    assert told.data["code"] == "clock_apart"
