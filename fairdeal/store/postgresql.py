"""The PostgreSQL engine: many writers at once, each statement on what is committed, nothing acknowledged that is not on
disk.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, ClassVar, Final

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import URL, Connection, Select, create_engine, event, func, make_url, select, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from fairdeal.errors import DatabaseLocked, Malformed, StoreFailed
from fairdeal.store import procedures
from fairdeal.store.dialects import Constants
from fairdeal.store.failures import our_errors
from fairdeal.store.procedures import Values
from fairdeal.store.programs import Program

_CONNECTIONS: Final = 16
"""At most, for one process; a transaction takes some ms, and PostgreSQL allows 100 in all as it comes."""
_CONNECT_SECONDS: Final = 5
_PROBES: Final = (
    "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=10s"
)
# A process that stands still in the middle of a transaction holds its rows; nobody waits for it so long that it
# would be an outage.
# What is a transaction by itself is of the usual isolation, whatever that is where a database or a role has its own.
_SESSION: Final = (
    r"-c lock_timeout=10s -c idle_in_transaction_session_timeout=3s -c default_transaction_isolation=read\ committed"
)
_FOR_A_MOMENT: Final = b" FROM set_config('lock_timeout', '250ms', true)"
"""Behind a query: what follows in it waits for no lock for longer."""
_CLOCK: Final = select(func.floor(func.extract("epoch", func.clock_timestamp()) * 1000))
_DURABLE: Final = ("fsync", "full_page_writes", "synchronous_commit")
_USERS: Final = 0x6661697264
"""An advisory lock's number, the same for every program of ours: each connection of a service shares it, also one that
is made again after a loss, and who wants the database for himself has it alone. The session's `lock_timeout` is for
connections that ended a moment ago and may still hold it."""


def connecting(options: str = "") -> dict[str, Any]:
    """What libpq is told for every connection, with more options of the session.

    Each side takes the other one for gone when it has not answered for some ten seconds: what a machine had locked that
    was cut off without a word would be held for hours, and the machine would wait for its answer for a quarter of one.
    """
    return {
        "connect_timeout": _CONNECT_SECONDS,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,  # ms; without it what is on its way is sent again and again, and nobody probed
        "options": f"{_PROBES} {options}",
    }


def parameters(url: str) -> dict[str, Any]:
    """The place as libpq is told of it, for a connection of one's own: libpq would read some URLs in another way than
    the engine does, and say in an error what it takes for wrong in a password. Raises Malformed.
    """
    place = _place(url)
    return dict(place.get_dialect()().create_connect_args(place)[1])


def _place(url: str) -> URL:
    try:
        place = make_url(url)
    except (ArgumentError, ValueError):
        place = None
    if place is None or place.drivername != "postgresql":
        raise Malformed("the database's URL is not like postgresql://user:password@host/name")
    return place.set(drivername="postgresql+psycopg")


class PostgresqlDatabase:
    """Transactions on the database of a URL (`postgresql://user:password@host/name`), which is not changed.

    READ COMMITTED, with row locks in one order: SERIALIZABLE would cost retries. Several processes serve one database;
    `sole` is for what bears no other user. Raises Malformed for another URL, DatabaseLocked when somebody has it to
    himself (or, for `sole`, when anybody has it), StoreFailed when nothing answers there or the server may lose what it
    acknowledged.
    """

    ONE_WRITER: ClassVar[bool] = False

    def __init__(self, url: str, *, sole: bool = False) -> None:
        engine = create_engine(
            _place(url),
            isolation_level="AUTOCOMMIT",
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_use_lifo=True,  # what a connection has prepared serves again
            pool_reset_on_return=None,  # none comes back in the middle of a transaction
            hide_parameters=True,
            connect_args=connecting(_SESSION),
        )
        self._engine = engine
        self._constants = Constants(engine.dialect)
        self._held: Connection | None = None
        self._reader = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self._writer = engine.execution_options(isolation_level="READ COMMITTED")
        try:
            if sole:
                event.listen(engine, "connect", _have_alone, once=True)
                with our_errors():
                    self._held = engine.connect()
            else:
                event.listen(engine, "connect", _share)
            with self.read() as connection:
                _check_durable(connection)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """As `Database` says."""
        with our_errors(), self._reader.begin() as connection:
            yield connection

    def fetch(self, statement: Select[Any], **values: object) -> Sequence[Sequence[Any]]:
        """As `Database` says."""
        text, named = self._constants.spelled(statement, values)
        with self._for_one_statement() as connection:
            return connection.execute(text.encode(), named).fetchall()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """As `Database` says."""
        with our_errors(), self._writer.begin() as connection:
            yield connection

    def perform(self, program: Program, *calls: Values, patient: bool = True) -> list[bool]:
        """As `Database` says."""
        with self._for_one_statement() as connection:
            return procedures.query(connection, program, calls, b"" if patient else _FOR_A_MOMENT)

    @contextmanager
    def _for_one_statement(self) -> Iterator[psycopg.Connection]:
        """The driver's connection: a statement outside of a transaction is one by itself, and needs no words around
        it, while the engine's would take longer than the way to the server.
        """
        with our_errors(), closing(self._engine.raw_connection()) as borrowed:
            connection: psycopg.Connection = borrowed.driver_connection  # type: ignore[assignment]
            try:
                yield connection
                if connection.info.transaction_status is not TransactionStatus.IDLE:
                    raise StoreFailed("a statement was to be a transaction by itself, and is not committed")
            finally:
                if connection.closed:
                    borrowed.invalidate()
                    self._engine.dispose()  # what broke this one has broken the others
                elif connection.info.transaction_status is not TransactionStatus.IDLE:
                    borrowed.invalidate()

    @contextmanager
    def alone(self, work: str) -> Iterator[bool]:
        """As `Database` says: an advisory lock, which PostgreSQL gives free when the connection ends."""
        key = func.hashtextextended(work, 0)
        with our_errors(), self._engine.connect() as connection:
            mine: bool = connection.execute(select(func.pg_try_advisory_lock(key))).scalar_one()
            try:
                yield mine
            finally:
                if mine:
                    connection.execute(select(func.pg_advisory_unlock(key)))

    def clock_ms(self) -> int:
        """As `Database` says: that of the machine that the server runs on, at this moment."""
        return int(self.fetch(_CLOCK)[0][0])

    def close(self) -> None:
        """Closes every connection."""
        if self._held is not None:
            self._held.close()
        self._engine.dispose()


def _have_alone(connection: psycopg.Connection, _entry: ConnectionPoolEntry) -> None:
    _take(connection, "SELECT pg_advisory_lock(%s)")


def _share(connection: psycopg.Connection, _entry: ConnectionPoolEntry) -> None:
    _take(connection, "SELECT pg_advisory_lock_shared(%s)")


def _take(connection: psycopg.Connection, statement: str) -> None:
    try:
        connection.execute(statement, [_USERS])
    except psycopg.errors.LockNotAvailable:
        raise DatabaseLocked("another process uses this database, and one of the two must have it alone") from None


def _check_durable(connection: Connection) -> None:
    for setting in _DURABLE:
        if connection.execute(text(f"SHOW {setting}")).scalar_one() == "off":
            raise StoreFailed(f"the server may lose what it acknowledged: {setting} is off")
