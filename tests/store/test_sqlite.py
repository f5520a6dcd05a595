"""One process, one writer, nothing half done: what holds for SQLite when something dies in the middle."""

import multiprocessing
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Barrier, Thread, Timer

import pytest
from sqlalchemy import func, select

from fairdeal.app.ports import Session, Store
from fairdeal.errors import DatabaseLocked, SchemaMismatch, StoreFailed
from fairdeal.ledger import Win, check_books
from fairdeal.store import SqlStore
from fairdeal.store import sqlite as engine
from tests.store.house import ASSET, MOST, House


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "house.db"


def test_a_second_one_is_refused_in_this_process_and_in_another(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "house.db"
    with pytest.raises(DatabaseLocked):
        SqlStore(path)
    link = tmp_path / "alias.db"
    link.symlink_to(path)
    with pytest.raises(DatabaseLocked):
        SqlStore(link)
    program = "import sys; from pathlib import Path; from fairdeal.store import SqlStore; SqlStore(Path(sys.argv[1]))"
    other = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=False)
    assert other.returncode == 1
    assert "DatabaseLocked: another process serves house.db" in other.stderr


def test_a_closed_store_can_be_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "again.db"
    first = SqlStore(path)
    match_id, _, _ = House(first).live(500)
    first.close()
    second = SqlStore(path)
    assert len(second.events(match_id)) == 3
    second.close()


def test_the_file_is_its_owners_alone_and_writes_go_to_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    store = SqlStore(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    pragmas = {}
    with store._database.read() as connection:
        for pragma in ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers"):
            pragmas[pragma] = connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "recursive_triggers": 1}
    store.close()


class Fetchers:
    """Every connection that `fetch` has opened, and threads that are all in the middle of a fetch at one moment."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened: list[sqlite3.Connection] = []
        self.meet: Callable[[], int] = int
        self._connect = engine.SqliteDatabase._connect
        monkeypatch.setattr(engine.SqliteDatabase, "_connect", lambda database: self.connect(database))
        self.database = engine.SqliteDatabase(path)

    def connect(self, database: engine.SqliteDatabase) -> sqlite3.Connection:
        connection = self._connect(database)
        connection.create_function("meet", 0, lambda: self.meet())
        self.opened.append(connection)
        return connection

    def fetch_at_once(self, number: int, meanwhile: Callable[[], None] = lambda: None) -> None:
        self.meet = Barrier(number, meanwhile).wait
        threads = [Thread(target=self.database.fetch, args=[select(func.meet())]) for _ in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def still_open(self) -> int:
        answering = 0
        for connection in self.opened:
            with suppress(sqlite3.ProgrammingError):  # "Cannot operate on a closed database."
                answering += connection.execute("SELECT 1").fetchone()[0]
        return answering


def test_a_connection_is_opened_for_each_thread_that_fetches_at_once_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetchers = Fetchers(tmp_path / "house.db", monkeypatch)
    for _ in range(2):
        fetchers.fetch_at_once(20)
        assert (len(fetchers.opened), fetchers.still_open()) == (20, 20)
    fetchers.database.close()
    assert fetchers.still_open() == 0


def test_connections_beyond_those_that_are_kept_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_FETCHERS", 3)
    fetchers = Fetchers(tmp_path / "house.db", monkeypatch)
    fetchers.fetch_at_once(10)
    assert (len(fetchers.opened), fetchers.still_open()) == (10, 3)
    fetchers.database.close()


def test_who_is_fetching_while_the_database_is_closed_closes_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetchers = Fetchers(tmp_path / "house.db", monkeypatch)
    fetchers.fetch_at_once(5, fetchers.database.close)
    assert (len(fetchers.opened), fetchers.still_open()) == (5, 0)


def test_a_file_that_others_may_read_is_closed_to_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "mine.db"
    SqlStore(path).close()
    assert caplog.records == []
    beside = [path.with_name(f"mine.db-{kind}") for kind in ("wal", "shm")]
    with closing(sqlite3.connect(path)) as reading:  # keeps the files beside the database where they are
        reading.execute("SELECT * FROM heartbeat").fetchall()
        for file, mode in zip((path, *beside), (0o644, 0o640, 0o602), strict=True):
            file.chmod(mode)
        SqlStore(path).close()
        assert {stat.S_IMODE(file.stat().st_mode) for file in (path, *beside)} == {0o600}
    assert [(one.levelname, vars(one)["file"], vars(one)["mode"]) for one in caplog.records] == [
        ("WARNING", "mine.db", "644"),
        ("WARNING", "mine.db-wal", "640"),
        ("WARNING", "mine.db-shm", "602"),
    ]


def test_a_file_that_cannot_be_closed_to_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.db"
    SqlStore(path).close()
    path.chmod(0o644)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", refuse)
        with pytest.raises(StoreFailed, match="chmod 600"):
            SqlStore(path)
    SqlStore(path).close()  # the lock was given free


def test_a_hand_at_the_sql_prompt_makes_a_writer_wait_and_not_fail(tmp_path: Path, store: Store, house: House) -> None:
    table = house.new_table(house.account(), 0)
    with closing(sqlite3.connect(tmp_path / "house.db", isolation_level=None, check_same_thread=False)) as sql:
        sql.execute("BEGIN IMMEDIATE")
        sql.execute("UPDATE heartbeat SET at = 1")
        release = Timer(0.2, sql.execute, ["COMMIT"])
        release.start()
        store.open_table(table, MOST)  # reads before it writes: begun as a reader, it would now stand on a stale moment
        release.join()
    assert store.last_beat() == 1


def test_expired_logins_go_when_their_account_logs_in_again(tmp_path: Path, store: Store, house: House) -> None:
    ann = house.account()
    for now, token_hash in ((10, b"1" * 32), (50, b"2" * 32), (100, b"3" * 32)):
        store.open_session(Session(token_hash, ann, now + 90), now, "hash")
    with closing(sqlite3.connect(tmp_path / "house.db")) as sql:
        assert sql.execute("SELECT token_hash FROM sessions ORDER BY 1").fetchall() == [(b"2" * 32,), (b"3" * 32,)]


def test_a_database_that_fails_is_reported_as_our_own_error(tmp_path: Path, store: Store) -> None:
    with closing(sqlite3.connect(tmp_path / "house.db")) as sql:
        sql.execute("DROP TABLE heartbeat")
    with pytest.raises(StoreFailed):
        store.last_beat()
    with pytest.raises(StoreFailed):
        store.beat(5)


def test_a_plain_sqlite_backup_of_a_running_store_is_whole(tmp_path: Path, store: Store, house: House) -> None:
    match_id, _, _ = house.live(500)
    with closing(sqlite3.connect(tmp_path / "house.db")) as live, closing(sqlite3.connect(tmp_path / "copy.db")) as to:
        live.backup(to)
    house.finish(match_id, Win(0))
    copy = SqlStore(tmp_path / "copy.db")
    assert len(copy.events(match_id)) == 3
    check_books(copy.books(ASSET))
    copy.close()


def _play_for_ever(path: Path, acknowledged: int) -> None:
    store = SqlStore(path)
    house = House(store)
    match_id, _, _ = house.live(500)
    os.write(acknowledged, match_id.encode() + b"\n")
    while True:
        house.commit(house.append(match_id))
        os.write(acknowledged, b"%d\n" % house.table(match_id).size)
        house.deposit(house.account(), 7)


@pytest.mark.parametrize("moves", [1, 10, 40])
def test_what_was_acknowledged_outlives_kill_9(moves: int, tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    reader, writer = os.pipe()
    child = multiprocessing.get_context("fork").Process(target=_play_for_ever, args=(path, writer))
    child.start()
    os.close(writer)
    with os.fdopen(reader, "rb") as acknowledged:
        match_id = acknowledged.readline().decode().strip()
        for _ in range(moves):
            acknowledged.readline()
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        rest = acknowledged.read().splitlines()
    last = int(rest[-1]) if rest else 3 + moves
    store = SqlStore(path)  # the lock died with its owner
    lines = store.events(match_id)
    assert len(lines) in (last, last + 1)  # the one in flight may have been kept
    check_books(store.books(ASSET))
    House(store).finish(match_id, Win(1))
    store.close()


def test_somebody_elses_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_bytes(b"not a database " * 100)
    with pytest.raises(SchemaMismatch):
        SqlStore(text)
    assert text.read_bytes() == b"not a database " * 100
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as sql:
        sql.execute("CREATE TABLE cats (name TEXT)")
    with pytest.raises(SchemaMismatch):
        SqlStore(other)
    with closing(sqlite3.connect(other)) as sql:
        assert sql.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)
