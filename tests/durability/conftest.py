import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.api.table import Service
from tests.durability.two_services import Both
from tests.store.postgres import Postgres


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start of the service takes as long as it takes: the client tries for minutes, not for six seconds."""
    monkeypatch.setattr("fairdeal.client.api._ATTEMPTS", 1_000)
    monkeypatch.setattr("fairdeal.client.api.time", SimpleNamespace(sleep=lambda s: time.sleep(min(s, 0.2))))


@pytest.fixture
def both(tmp_path: Path, postgres: Postgres) -> Iterator[Both]:
    url = postgres.database()
    first = Service(tmp_path, {"database_url": url})
    other = Service(tmp_path, {"database_url": url}, first.clock, "other")
    yield first, other
    first.stop()
    other.stop()
    postgres.drop(url)
