"""The stores that the behaviour suite runs over: SQLite, and a real PostgreSQL. Another joins by another name here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fairdeal.app.ports import Store
from fairdeal.store import SqlStore
from tests.store.house import House
from tests.store.postgres import Postgres, start_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with start_postgres() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """Where a store can be opened: a path, or a URL."""
    if request.param == "sqlite":
        yield tmp_path / "house.db"
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.database()
    yield url
    postgres.drop(url)


@pytest.fixture
def store(place: Path | str) -> Iterator[Store]:
    kept = SqlStore(place)
    yield kept
    kept.close()


@pytest.fixture
def house(store: Store) -> House:
    return House(store)
