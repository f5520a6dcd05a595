"""What the store needs of a database, whichever it is."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

from sqlalchemy import Connection, Select


class Database(Protocol):
    """What the store needs of SQLite and of PostgreSQL."""

    ONE_WRITER: ClassVar[bool]
    """Whether writers take turns anyhow: then nobody else can hold what two parts of a transaction need."""

    def read(self) -> AbstractContextManager[Connection]:
        """One moment of the database, for as long as the block lasts. Raises StoreFailed."""

    def fetch(self, statement: Select[Any], **values: object) -> Sequence[Sequence[Any]]:
        """The rows of one statement, a moment by itself, with these values of its named parameters. What every move
        asks for is asked in this way, with nothing around it; the statement is a constant. Raises StoreFailed.
        """

    def write(self) -> AbstractContextManager[Connection]:
        """One transaction that writes: committed at the block's end, rolled back on any exception.

        Raises RecordsBroken when a constraint or a trigger refuses it, StoreFailed when the database cannot do it.
        """

    def call(self) -> AbstractContextManager[Connection]:
        """As `write`, for `procedures.perform` once and nothing else."""

    def alone(self, work: str) -> AbstractContextManager[bool]:
        """As `app.log_ports.LogStore.alone` says."""

    def close(self) -> None:
        """Closes every connection."""
