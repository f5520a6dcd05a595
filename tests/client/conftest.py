from collections.abc import Iterator
from pathlib import Path

import pytest

from fairdeal.client import Memory, Player, api, memory
from fairdeal.tlog import Policy
from tests.client.house import House
from tests.client.server import Table


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody cuts the power here, and waiting for the disk is most of what these tests would do."""
    monkeypatch.setattr(memory, "_SCHEMA", f"{memory._SCHEMA}PRAGMA synchronous = OFF;")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.close()


@pytest.fixture
def unproven(tmp_path: Path) -> Iterator[Table]:
    """Everybody knows the events, nobody was shown the log."""
    table = Table(tmp_path, proving=False)
    yield table
    table.close()


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    """Programs that play in it never pause."""
    monkeypatch.setattr(api, "_FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr("fairdeal.client.player._LOOK_S", 0.001)
    return House()


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[list[Memory]]:
    memories = [Memory(tmp_path / f"{seat}.db") for seat in (0, 1)]
    yield memories
    for kept in memories:
        kept.close()


@pytest.fixture
def players(house: House, memories: list[Memory], tmp_path: Path) -> list[Player]:
    """With a policy of their own, that lists the service's log."""
    policy = Policy.parse(house.policy.encode())
    return [Player(house.api(seat), memory, tmp_path / str(seat), policy) for seat, memory in enumerate(memories)]
