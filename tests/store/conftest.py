"""What the tests of any store run over: a store on each database, and a small house on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fairdeal.app.ports import Store
from fairdeal.store import SqlStore
from tests.store.house import House


@pytest.fixture
def store(place: Path | str) -> Iterator[Store]:
    kept = SqlStore(place)
    yield kept
    kept.close()


@pytest.fixture
def house(store: Store) -> House:
    return House(store)
