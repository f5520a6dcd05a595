"""One deadline for everybody, told with the service's now; and the time of a move is when it was at the door."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fairdeal.app.kept import Match
from fairdeal.app.ports import Append, CommitResult
from fairdeal.store import SqlStore
from tests.api.table import Player, Service, first_legal, ok, on_turn, start_two


def told(player: Player) -> tuple[int | None, int]:
    answer = ok(player.person.get(f"/v1/matches/{player.m}"))
    return answer["deadline"], answer["now"]


def table_told(service: Service, m: str) -> tuple[int | None, int]:
    shown = ok(service.http.get(f"/v1/tables/{m}"))
    return shown["table"]["deadline"], shown["now"]


def test_everybody_is_told_one_deadline_with_the_services_now(service: Service) -> None:
    """A moment, not a countdown: it stays where it is while now goes on, in every answer and to both seats."""
    players = start_two(service)
    m = players[0].m
    for _ in range(6):
        player = on_turn(players)
        acted = ok(player.send(player.sign(first_legal(player))))
        assert acted["now"] == service.clock.ms
        assert acted["deadline"] == service.clock.ms + 30_000
        for passed in (0, 1, 1_999, 3_000):
            service.clock.ms += passed
            expected = (acted["deadline"], service.clock.ms)
            assert [told(each) for each in players] == [expected, expected]
            assert table_told(service, m) == expected
    players[0].do({"resign": True})
    assert told(players[0]) == told(players[1]) == (None, service.clock.ms)


def slow_down(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store takes a minute for each: who is calling, the match's row where it is looked at, and writing."""
    for name in ("session_account", "table", "commit"):
        monkeypatch.setattr(SqlStore, name, slow(service, getattr(SqlStore, name)))


def slow(service: Service, work: Callable[..., Any]) -> Callable[..., Any]:
    def slowly(*arguments: Any) -> Any:
        service.clock.ms += 60_000
        return work(*arguments)

    return slowly


@pytest.mark.parametrize("wait", [0, 34_000])
def test_the_time_of_a_move_is_when_it_was_at_the_door(
    service: Service, monkeypatch: pytest.MonkeyPatch, wait: int
) -> None:
    """A database that takes minutes makes nobody late, and is not written into the record."""
    player = on_turn(start_two(service))
    body = player.sign(first_legal(player))
    service.tick(wait)
    arrived = service.clock.ms
    with monkeypatch.context() as patched:
        slow_down(service, patched)
        answer = ok(player.send(body))
    assert service.clock.ms >= arrived + 120_000
    event = json.loads(answer["events"][0])
    assert (event["type"], event["by"], event["t"]) == ("act", player.seat, arrived)
    assert answer["deadline"] == arrived + 30_000


def test_a_move_that_is_late_only_at_the_second_look_is_not_answered_as_taken(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process was faster, and what it began has less time. The outages are made up for, then it is taken."""
    player = on_turn(start_two(service))
    services = service.app.state.services
    load, make_up, made_up = services.matches.load, services.heart.make_up, list[str]()

    def with_less_time(m: str) -> Match:
        match: Match = load(m)
        return replace(match, state=replace(match.state, deadline=service.clock.ms - 1))

    def overtaken(_append: Append) -> CommitResult:
        monkeypatch.undo()
        monkeypatch.setattr(services.matches, "load", with_less_time)
        monkeypatch.setattr(services.heart, "make_up", made_up_to)
        return CommitResult.STALE

    def made_up_to(m: str) -> None:
        monkeypatch.undo()
        made_up.append(m)
        make_up(m)

    monkeypatch.setattr(service.store, "commit", overtaken)
    answer = ok(player.send(player.sign(first_legal(player))))
    assert made_up == [player.m]
    assert json.loads(answer["events"][0])["type"] == "act"
    assert answer["events"][0].encode() in service.store.events(player.m)
