"""The stores that the behaviour suite runs over. Another one joins by another name here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fairdeal.app.ports import Store
from fairdeal.store import SqlStore
from tests.store.house import House


@pytest.fixture(params=["sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    assert request.param == "sqlite"
    kept = SqlStore(tmp_path / "house.db")
    yield kept
    kept.close()


@pytest.fixture
def house(store: Store) -> House:
    return House(store)
