from collections.abc import Iterator
from pathlib import Path

import pytest

from fairdeal.client import memory
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
