"""One deadline for everybody, told with the service's now; and the time of a move is when it was at the door."""

import json

import pytest

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


class SlowStore:
    """Takes a minute for the seed, before anything is decided, and another to write."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        sealed_seed, commit = SqlStore.sealed_seed, SqlStore.commit

        def slow_seed(store: SqlStore, match_id: str) -> bytes:
            service.clock.ms += 60_000
            return sealed_seed(store, match_id)

        def slow_commit(store: SqlStore, append: Append) -> CommitResult:
            service.clock.ms += 60_000
            return commit(store, append)

        monkeypatch.setattr(SqlStore, "sealed_seed", slow_seed)
        monkeypatch.setattr(SqlStore, "commit", slow_commit)


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
        SlowStore(service, patched)
        answer = ok(player.send(body))
    assert service.clock.ms >= arrived + 120_000
    event = json.loads(answer["events"][0])
    assert (event["type"], event["by"], event["t"]) == ("act", player.seat, arrived)
    assert answer["deadline"] == arrived + 30_000
