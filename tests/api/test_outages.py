"""The service away: nobody pays for its absence (protocol section 2.7)."""

import json
import sqlite3
from contextlib import closing
from threading import Thread
from typing import Any

import pytest

from fairdeal.app.hub import Hub
from fairdeal.app.matches import Matches
from fairdeal.app.ports import Append, CommitResult
from fairdeal.errors import StoreFailed
from fairdeal.match.decide import Tick
from fairdeal.store import SqlStore
from tests.api.table import (
    Player,
    Service,
    first_legal,
    join_two,
    lines,
    ok,
    on_turn,
    sit_four,
    sit_two,
    start_two,
)


def test_a_restart_in_the_middle_gives_everybody_a_fresh_decision(service: Service) -> None:
    players = start_two(service)
    player = on_turn(players)
    body = player.sign(first_legal(player))
    service.tick(33_000)
    last_beat = service.store.last_beat()
    service.restart(7_200_000)
    last = lines(player)[-1]
    assert (last["type"], last["t"]) == ("resume", service.clock.ms)
    assert last["data"] == {"from": last_beat, "to": service.clock.ms}
    answer = player.person.get(f"/v1/matches/{player.m}").json()
    assert answer["deadline"] == service.clock.ms + 30_000
    assert player.send(body).json()["code"] == "stale"
    service.tick(30_000)
    assert lines(player)[-1]["type"] == "resume"
    player.do(first_legal(on_turn(players)))
    service.check_money()


def test_a_short_restart_is_nobodys_excuse(service: Service) -> None:
    player = on_turn(start_two(service))
    service.tick(33_000)
    service.restart(5_000)
    assert lines(player)[-1]["type"] == "timeout"


def test_a_gap_in_the_heartbeat_is_an_outage_too(service: Service) -> None:
    """A machine that was asleep: a call that comes before the clock looks again is not held against the player."""
    player = on_turn(start_two(service))
    service.tick(33_000)
    body = player.sign(first_legal(player))
    service.clock.ms += 60_000
    assert player.send(body).json()["code"] == "stale"
    assert lines(player)[-1]["type"] == "resume"
    player.do(first_legal(player))


def test_an_outage_in_the_seed_phase_restarts_the_period(service: Service) -> None:
    players = join_two(service)
    players[0].send_seed()
    service.tick(30_250)
    assert lines(players[0])[-1]["data"] == {"missing": [1]}
    service.restart(600_000)
    assert lines(players[0])[-1]["type"] == "resume"
    service.tick(30_000)
    assert players[1].send_seed()["events"]
    assert lines(players[0])[-1]["type"] == "deal"


def test_an_outage_before_the_last_join_restarts_its_time_without_an_event(service: Service) -> None:
    players = sit_two(service)
    players[0].join()
    service.tick(50_000)
    service.restart(600_000)
    assert [line["type"] for line in lines(players[0])] == ["open", "join"]
    assert ok(service.http.get(f"/v1/tables/{players[0].m}"))["due_at"] == service.clock.ms + 60_000
    service.tick(59_000)
    players[1].join()
    assert lines(players[0])[-1]["type"] == "join"


@pytest.mark.parametrize("first", ["the join", "the clock"])
def test_a_join_that_meets_the_end_of_an_outage_does_not_take_its_time_away(
    service: Service, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """Both write at once: neither writes over what the other has just written."""
    players = sit_four(service)
    service.tick()
    players[0].look()
    body = players[0].sign({"join": players[0].promise()})
    service.clock.ms += 70_000
    real, others = service.store.commit, [lambda: players[0].send(body), service.tick]
    if first == "the join":
        others.reverse()
    second = Thread(target=others[0])

    def meeting(append: Append) -> CommitResult:
        monkeypatch.undo()
        second.start()
        second.join(0.3)
        return real(append)

    monkeypatch.setattr(service.store, "commit", meeting)
    others[1]()
    second.join()
    table = ok(service.http.get(f"/v1/tables/{players[0].m}"))
    assert (table["status"], table["due_at"]) == ("joining", service.clock.ms + 60_000)
    assert table["table"]["joined"] == [True, False, False, False]


def outages(service: Service) -> list[tuple[int, int]]:
    """Those in the log."""
    service.app.state.sequencer.sequence()
    leaves = [json.loads(leaf) for leaf in service.store.leaves(0, 1_000)]
    return [(leaf["from"], leaf["to"]) for leaf in leaves if leaf["type"] == "outage"]


def spans(player: Player) -> list[tuple[int, int]]:
    """Those of the match's resumes."""
    return [(line["data"]["from"], line["data"]["to"]) for line in lines(player) if line["type"] == "resume"]


def test_every_resume_has_the_numbers_of_an_outage_in_the_log(service: Service) -> None:
    player = on_turn(start_two(service))
    service.tick()
    service.restart(60_000)
    service.restart(60_000)
    first, second = spans(player)
    assert second[0] >= first[1]
    assert outages(service) == [first, second]


@pytest.mark.parametrize("again_ms", [10, 60_000])
def test_a_death_between_the_outage_and_its_resumes_loses_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch, again_ms: int
) -> None:
    class Died(BaseException):
        pass

    def dies(*_: Any, **_named: Any) -> None:
        raise Died

    player = on_turn(start_two(service))
    service.tick(33_000)
    service.clock.ms += 60_000
    monkeypatch.setattr(service.app.state.services.matches, "step", dies)
    with pytest.raises(Died):
        service.app.state.ticker.tick()
    service.restart(again_ms)
    assert lines(player)[-1]["type"] == "resume"
    assert spans(player) == outages(service)[: len(spans(player))]
    assert ok(player.person.get(f"/v1/matches/{player.m}"))["deadline"] == service.clock.ms + 30_000
    player.do(first_legal(player))


def test_an_outage_that_a_joining_table_is_owed_is_given_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("broken")

    m = sit_two(service)[0].m
    service.tick(50_000)
    with monkeypatch.context() as patched:
        patched.setattr(service.app.state.services.matches, "postpone", broken)
        service.clock.ms += 60_000
        service.tick()
    service.tick(10_000)
    assert ok(service.http.get(f"/v1/tables/{m}"))["due_at"] == service.clock.ms + 60_000
    service.tick(60_000)
    assert ok(service.http.get(f"/v1/tables/{m}"))["status"] == "ended"


def test_a_decision_that_began_after_an_outage_is_owed_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor when it begins while the outages are being looked up."""
    service.tick()
    service.clock.ms += 60_000
    service.tick()
    service.clock.ms += 1
    player = on_turn(start_two(service))
    real = service.store.outages
    monkeypatch.setattr(service.store, "outages", lambda _since: real(0))
    service.app.state.services.heart.make_up(player.m)
    assert spans(player) == []
    assert len(outages(service)) == 1


def test_a_table_that_filled_after_an_outage_is_owed_nothing(service: Service) -> None:
    service.tick()
    service.clock.ms += 60_000
    service.tick()
    service.clock.ms += 1
    m = sit_two(service)[0].m
    service.tick(59_999)
    assert ok(service.http.get(f"/v1/tables/{m}"))["status"] == "joining"
    service.tick(1)
    assert ok(service.http.get(f"/v1/tables/{m}"))["status"] == "ended"


def test_making_up_for_an_outage_is_no_outage(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """With very many matches the resumes take longer than an outage; they are written once, each with its full time."""
    player = on_turn(start_two(service))
    service.tick(4_000)
    matches: Matches = service.app.state.services.matches
    real = matches.load

    def slow(match_id: str) -> Any:
        service.clock.ms += 10_000
        return real(match_id)

    monkeypatch.setattr(matches, "load", slow)
    service.clock.ms += 60_000
    service.tick()
    monkeypatch.setattr(matches, "load", real)
    service.tick()
    assert [line["type"] for line in lines(player)].count("resume") == 1
    assert lines(player)[-1]["t"] > lines(player)[-1]["data"]["to"]


def test_an_outage_is_owed_until_the_store_has_taken_its_resumes(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = on_turn(start_two(service))
    service.tick(33_000)
    beat = service.store.last_beat()
    service.clock.ms += 60_000

    def full_disk(_append: Any) -> None:
        raise StoreFailed("the disk is full")

    monkeypatch.setattr(service.store, "commit", full_disk)
    with pytest.raises(StoreFailed):
        service.tick()
    assert player.send(player.sign(first_legal(player))).json()["code"] == "store_failed"
    monkeypatch.undo()
    assert service.store.last_beat() == service.clock.ms
    service.tick()
    assert lines(player)[-1]["data"] == {"from": beat, "to": service.clock.ms}
    assert outages(service) == spans(player)


@pytest.mark.parametrize("first", ["the clock", "an action"])
def test_a_match_that_could_not_be_resumed_is_owed_its_time(
    service: Service, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """Its players are not charged for the outage when it can go on again, although the heart has beaten meanwhile."""
    player = on_turn(start_two(service))
    service.tick(33_000)
    beat, body = service.store.last_beat(), player.sign(first_legal(player))

    def broken(*_: Any, **_named: Any) -> None:
        raise RuntimeError("broken")

    matches: Matches = service.app.state.services.matches
    with monkeypatch.context() as patched:
        patched.setattr(matches, "step", broken)
        service.clock.ms += 60_000
        end = service.clock.ms
        service.tick()
        assert service.store.last_beat() == end
    if first == "an action":
        assert player.send(body).json()["code"] == "stale"
    else:
        service.tick(10_000)
    last = lines(player)[-1]
    assert (last["type"], last["data"]) == ("resume", {"from": beat, "to": end})
    service.tick(30_000)
    assert lines(player)[-1] == last
    service.tick(250)
    assert lines(player)[-1]["type"] == "timeout"


def test_a_standby_without_the_last_moves_is_not_played_on_as_if_it_had_them(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It takes over from a database that failed; as many events as were lost come in from another process."""

    def gone() -> int:
        raise StoreFailed("the server is gone")

    players = start_two(service)
    first = on_turn(players)
    with (
        closing(sqlite3.connect(service.folder / "fairdeal.db")) as source,
        closing(sqlite3.connect(service.folder / "standby.db")) as copy,
    ):
        source.backup(copy)
    first.do(first_legal(first))
    second = on_turn(players)
    body = second.sign(first_legal(second))
    with monkeypatch.context() as patched:
        patched.setattr(service.store, "last_beat", gone)
        service.app.state.ticker._loop.look()
    matches: Matches = service.app.state.services.matches
    with closing(SqlStore(service.folder / "standby.db")) as standby:
        monkeypatch.setattr(matches, "_store", standby)
        other = Matches(standby, matches._house, Hub())
        other.step(first.m, service.clock.ms + 60_000, lambda _: Tick())
        assert second.send(body).status_code == 409
        assert matches.load(first.m).state == other.load(first.m).state
        assert "has not what was written" in caplog.text
        fresh = Matches(standby, matches._house, Hub())
        assert fresh.load(first.m).state == other.load(first.m).state
