"""The SQLite engine: one file, one process, one writer at a time, and nothing acknowledged that is not on disk."""

import fcntl
import logging
import os
import sqlite3
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Final

from sqlalchemy import Connection, Select, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from fairdeal.errors import DatabaseLocked, SchemaMismatch, StoreFailed
from fairdeal.store import procedures
from fairdeal.store.dialects import Constants
from fairdeal.store.failures import our_errors
from fairdeal.store.procedures import Values
from fairdeal.store.programs import Program
from fairdeal.store.schema import create_schema, is_empty

log = logging.getLogger("fairdeal.store")

_READERS: Final = 8
"""The engine's connections kept open; a read takes well under a millisecond, so more threads than this rarely meet."""
_FETCHERS: Final = 96
"""The driver's connections kept open: as many as threads can fetch at once, forty that take moves, forty for
all other calls and the service's own. To open one takes longer than a hundred fetches."""

# FULL, because NORMAL may lose acknowledged commits when the power goes. Recursive triggers, so that a REPLACE fires
# DELETE triggers. Secure deletion, so that a name that was erased does not stay in the file's free space.
_PRAGMAS: Final = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "recursive_triggers = ON",
    "secure_delete = ON",
)


class SqliteDatabase:
    """Transactions on one database file, which is made when it is not there, with the schema.

    What others than its owner could read or write is closed to them, with a warning. Raises DatabaseLocked when another
    process (or another object of this one) has it, SchemaMismatch when it is no database, StoreFailed when it cannot be
    closed to others.
    """

    ONE_WRITER: ClassVar[bool] = True

    def __init__(self, path: Path) -> None:
        path = path.resolve()  # two names of one file have one lock
        self._lock_file = _take_lock(path)
        self._writing = Lock()
        self._writer: Connection | None = None
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
            _close_to_others(path)
        except BaseException:
            os.close(self._lock_file)
            raise
        self._path = path
        self._fetchers: deque[sqlite3.Connection] = deque()
        self._fetchers_kept = _FETCHERS
        self._constants = Constants(sqlite.dialect(paramstyle="named"))
        self._engine = create_engine(f"sqlite:///{path}", pool_size=_READERS, hide_parameters=True)
        event.listen(self._engine, "connect", _configure)
        event.listen(self._engine, "begin", _begin)
        try:
            with self.write() as connection:
                if is_empty(connection):
                    create_schema(connection)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One moment of the database, for as long as the block lasts. Raises StoreFailed."""
        with our_errors(), self._engine.begin() as connection:
            yield connection

    def fetch(self, statement: Select[Any], **values: object) -> Sequence[Sequence[Any]]:
        """As `Database` says: by the driver, which takes some microseconds where the engine takes a hundred more."""
        text, named = self._constants.spelled(statement, values)
        with our_errors():
            try:
                connection = self._fetchers.pop()
            except IndexError:
                connection = self._connect()
            try:
                rows = connection.execute(text, named).fetchall()
            except BaseException:
                connection.close()
                raise
            self._fetchers.append(connection)
            if len(self._fetchers) > self._fetchers_kept:
                self._close_fetchers()
            return rows

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        _configure(connection)
        return connection

    def _close_fetchers(self) -> None:
        """Closes those that wait and are not to be kept, the one used longest ago first."""
        while len(self._fetchers) > self._fetchers_kept:
            try:
                self._fetchers.popleft().close()
            except IndexError:  # another thread has taken it
                return

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction that writes: committed at the block's end, rolled back on any exception.

        Raises RecordsBroken when a constraint or a trigger refuses it, StoreFailed when the database cannot do it.
        """
        # Waiting on a lock of our own is fair and wakes at once; SQLite's busy handler sleeps and may starve.
        with self._writing, our_errors(), _foreign_files():
            if self._writer is None:
                self._writer = self._engine.connect().execution_options(writes=True)
            with self._writer.begin():
                yield self._writer

    def perform(self, program: Program, *calls: Values, patient: bool = True) -> list[bool]:
        """As `Database` says: nobody else holds anything."""
        with self.write() as connection:
            return procedures.perform(connection, program, *calls)

    @contextmanager
    def alone(self, _work: str) -> Iterator[bool]:
        """As `Database` says: there is no other process."""
        yield True

    def clock_ms(self) -> None:
        """As `Database` says."""

    def close(self) -> None:
        """Closes every connection and gives the file free."""
        self._fetchers_kept = 0  # first: who is fetching closes what it comes back with
        self._close_fetchers()
        if self._writer is not None:
            self._writer.close()
        self._engine.dispose()
        os.close(self._lock_file)


@contextmanager
def _foreign_files() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise SchemaMismatch("the file is not a database") from error
        raise


def _take_lock(path: Path) -> int:
    lock_file = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock_file)
        raise DatabaseLocked(f"another process serves {path.name}; SQLite is for one process") from None
    return lock_file


def _close_to_others(path: Path) -> None:
    """The database and what SQLite keeps beside it: sealed seeds, the hashes of passwords, who sat where."""
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
            if mode & 0o077:
                file.chmod(0o600)
                log.warning("open to others: mode 600 now", extra={"file": file.name, "mode": f"{mode:o}"})
        except FileNotFoundError:
            continue
        except OSError:
            raise StoreFailed(f"{file} is open to others than its owner (chmod 600)") from None


def _configure(connection: sqlite3.Connection, _entry: ConnectionPoolEntry | None = None) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself: `_begin` does
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # A deferred read that becomes a write fails at once whatever the busy timeout: writers say so from the start.
    writes = connection.get_execution_options().get("writes", False)
    driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
