"""Two services on one PostgreSQL, of which one stands still at the worst moment while the other one's clock goes on: no
decision is made twice, and what was in time stands, or is counted and said.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from prometheus_client import generate_latest

from fairdeal.app.ports import Append, CommitResult
from fairdeal.match import Event
from tests.api.table import Player, Service, first_legal, ok, on_turn, start_two
from tests.store.postgres import Postgres

TIMEOUT_MS = 34_250
"""From the first deal on: the decision, the pause before it, and the grace."""
Both: TypeAlias = tuple[Service, Service]


@pytest.fixture
def both(tmp_path: Path, postgres: Postgres) -> Iterator[Both]:
    url = postgres.database()
    first = Service(tmp_path, {"database_url": url})
    other = Service(tmp_path, {"database_url": url}, first.clock, "other")
    yield first, other
    first.stop()
    other.stop()
    postgres.drop(url)


@pytest.fixture
def player(both: Both) -> Player:
    """Who is on turn, at the first deal, and plays through the first service."""
    return on_turn(start_two(both[0]))


def types(player: Player) -> list[str]:
    """Of the events from the first deal on."""
    lines = [Event.parse(line.encode()) for line in ok(player.person.get(f"/v1/matches/{player.m}"))["events"]]
    return [event.type for event in lines[5:]]


def standing_still(service: Service, meanwhile: Callable[[], object]) -> list[CommitResult]:
    """What its writes come to; between the decision and the first one it stands still for `meanwhile`."""
    real, rested, results = service.store.commit, list[bool](), list[CommitResult]()

    def commit(append: Append) -> CommitResult:
        if not rested:
            rested.append(True)
            meanwhile()
        results.append(real(append))
        return results[-1]

    vars(service.store)["commit"] = commit
    return results


def overtaken(service: Service) -> float:
    """As its metrics say."""
    for line in generate_latest(service.app.state.services.metrics.registry).decode().splitlines():
        if line.startswith("fairdeal_overtaken_total "):
            return float(line.split()[1])
    raise AssertionError


def test_a_worker_that_stood_still_with_a_timeout_in_its_hands_writes_no_second_one(both: Both, player: Player) -> None:
    first, other = both
    other.tick(TIMEOUT_MS - 1)
    results = standing_still(first, other.app.state.ticker.tick)
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
    results = standing_still(first, lambda: None)
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
    results = standing_still(other, meanwhile)
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
    results = standing_still(first, lambda: other.tick(TIMEOUT_MS))
    answer: Any = player.send(body)
    assert (answer.status_code, answer.json()["code"]) == (409, "stale")
    assert results == [CommitResult.STALE]
    assert types(player) == ["deal", "timeout"]
    assert (overtaken(first), overtaken(other)) == (1, 0)
    assert "an action in time was overtaken by a timeout" in caplog.text
