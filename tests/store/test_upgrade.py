"""The migrations make what is declared, on both databases, or nothing at all."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Row, create_engine, event, make_url, text

import fairdeal.store
from fairdeal.errors import FairdealError, SchemaMismatch, StoreFailed
from fairdeal.store import SqlStore, rows, sqlite, triggers
from fairdeal.store.schema import VERSION, check_schema, create_schema, is_empty
from fairdeal.store.upgrade import alembic_config, migrate, upgrade
from tests.store.house import House
from tests.store.postgres import Postgres

STORE = Path(fairdeal.store.__file__).parent

_DESCRIPTIONS = {
    "sqlite": ("SELECT type, name, sql FROM sqlite_master ORDER BY type, name",),
    "postgresql": (
        "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns"
        " WHERE table_schema = 'public' ORDER BY 1, 2",
        "SELECT conrelid::regclass::text, conname, condeferrable, condeferred, pg_get_constraintdef(oid)"
        " FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1",
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1",
    ),
}


def describe(connection: Connection) -> list[object]:
    """Everything the database says of its schema, and the rows that a new one has."""
    told: list[object] = []
    for query in _DESCRIPTIONS[connection.dialect.name]:
        told += [_in_any_order(row) for row in connection.execute(text(query))]
    for table in [*rows.Row.metadata.sorted_tables, "alembic_version"]:
        told += [(str(table), *row) for row in connection.execute(text(f"SELECT * FROM {table}"))]
    return told


def _in_any_order(row: Row[Any]) -> tuple[object, ...]:
    """SQLite keeps the text of a CREATE TABLE, and the order of its constraints means nothing."""
    return tuple(
        sorted(line.strip(", ") for line in part.split("\n")) if isinstance(part, str) else part for part in row
    )


class Empty:
    """Databases of one kind with nothing in them."""

    def __init__(self, dialect: str, folder: Path, postgres: Postgres | None) -> None:
        self.dialect, self._folder, self._postgres = dialect, folder, postgres

    @contextmanager
    def place(self) -> Iterator[Path | str]:
        if self._postgres is None:
            yield self._folder / "empty.db"
            return
        url = self._postgres.empty_database()
        yield url
        self._postgres.drop(url)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        with self.place() as place:
            url = make_url(place).set(drivername="postgresql+psycopg") if isinstance(place, str) else "sqlite://"
            engine = create_engine(url)
            if self.dialect == "sqlite":  # transactions as the store has them
                event.listen(engine, "connect", sqlite._configure)
                event.listen(engine, "begin", sqlite._begin)
            with engine.connect() as connection:
                yield connection
            engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Empty:
    postgres = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    return Empty(request.param, tmp_path, postgres)


def test_the_migrations_make_what_is_declared(empty: Empty) -> None:
    with empty.connection() as migrated, empty.connection() as created:
        migrate(migrated)
        create_schema(created)
        check_schema(migrated)
        check_schema(created)
        assert describe(migrated) == describe(created)
        assert len(describe(created)) > 100


def test_the_version_is_that_of_the_newest_revision(empty: Empty) -> None:
    with empty.connection() as connection:
        assert ScriptDirectory.from_config(alembic_config(connection)).get_heads() == [VERSION]


def test_an_upgrade_that_fails_at_its_end_leaves_nothing(empty: Empty, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Connection) -> None:
        raise SchemaMismatch("planted")

    monkeypatch.setattr(triggers, "make", fails)
    with empty.connection() as connection:
        with pytest.raises(SchemaMismatch), connection.begin():
            migrate(connection)
        assert is_empty(connection)


def test_an_empty_postgresql_is_not_filled_by_a_service_but_by_an_upgrade(postgres: Postgres) -> None:
    url = postgres.empty_database()
    with pytest.raises(SchemaMismatch, match="no schema of ours"):
        SqlStore(url)
    assert upgrade(url) == (None, VERSION)
    with closing(SqlStore(url)) as store:
        store.beat(7)
    assert upgrade(url) == (VERSION, VERSION)
    with closing(SqlStore(url)) as store:
        assert store.last_beat() == 7
    postgres.drop(url)


NEXT = """
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.execute("UPDATE heartbeat SET at = at + 1")
    op.execute("UPDATE entries SET amount = amount")
    {last}
"""


def plant(folder: Path, monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    """A program with another revision, which writes what a guard forbids at other times."""

    def config(connection: Connection) -> Config:
        made = alembic_config(connection)
        ours = Path(str(made.get_main_option("script_location")).replace("fairdeal.store:", str(STORE) + "/"))
        made.set_main_option("version_locations", f"{ours / 'versions'}{os.pathsep}{folder}")
        return made

    (folder / "next.py").write_text(NEXT.format(last=last))
    monkeypatch.setattr("fairdeal.store.upgrade.alembic_config", config)
    monkeypatch.setattr("fairdeal.store.schema.VERSION", "0002")


@pytest.mark.parametrize("fails", [False, True])
def test_a_database_of_an_older_program_is_upgraded_whole_or_not_at_all(
    fails: bool, place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SqlStore(place)) as store:
        m, _, _ = House(store).live(500)
        store.beat(7)
        before = (store.table(m), store.journal(0, 9))
    with monkeypatch.context() as newer:
        plant(tmp_path, newer, "op.execute('SELECT nothing')" if fails else "")
        with pytest.raises(SchemaMismatch, match="has schema version 0001; this program needs version 0002"):
            SqlStore(place)
        if fails:
            with pytest.raises(StoreFailed):
                upgrade(place)
        else:
            assert upgrade(place) == ("0001", "0002")
            with closing(SqlStore(place)) as store:
                assert store.last_beat() == 8
                assert (store.table(m), store.journal(0, 9)) == before
    if fails:
        with closing(SqlStore(place)) as store:
            assert (store.last_beat(), store.table(m), store.journal(0, 9)) == (7, *before)
    else:
        with pytest.raises(SchemaMismatch, match="has schema version 0002; this program needs version 0001"):
            SqlStore(place)


def test_a_new_sqlite_file_has_the_newest_version_at_once(tmp_path: Path) -> None:
    assert upgrade(tmp_path / "new.db") == (VERSION, VERSION)


@pytest.mark.parametrize(
    ("before", "refused"),
    [
        ("CREATE TABLE cats (name TEXT)", StoreFailed),
        (
            "CREATE TABLE alembic_version (version_num TEXT); INSERT INTO alembic_version VALUES ('9999')",
            SchemaMismatch,
        ),
    ],
)
def test_somebody_elses_database_or_that_of_a_newer_program_is_left_alone(
    before: str, refused: type[FairdealError], empty: Empty
) -> None:
    with empty.place() as place:
        url = make_url(place).set(drivername="postgresql+psycopg") if isinstance(place, str) else f"sqlite:///{place}"
        engine = create_engine(url)
        with engine.begin() as connection:
            for statement in before.split(";"):
                connection.execute(text(statement))
        with pytest.raises(refused):
            upgrade(place)
        with engine.connect() as connection:
            assert len(connection.execute(text("SELECT * FROM " + before.split()[2])).all()) == before.count("INSERT")
        engine.dispose()
