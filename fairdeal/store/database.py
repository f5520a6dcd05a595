"""What the store needs of a database, whichever it is."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

from sqlalchemy import Connection, Select

from fairdeal.store.procedures import Values
from fairdeal.store.programs import Program


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

        Raises RecordsBroken when a constraint or a trigger refuses it, StoreBusy when others hold what it needs,
        StoreFailed when the database cannot do it.
        """

    def perform(self, program: Program, *calls: Values, patient: bool = True) -> list[bool]:
        """A transaction of `procedures.perform` alone, with nothing around it. Raises Unmet, and what `write` does: who
        is not patient StoreBusy as soon as others hold for more than a moment what it needs.
        """

    def alone(self, work: str) -> AbstractContextManager[bool]:
        """As `app.log_ports.LogStore.alone` says."""

    def clock_ms(self) -> int | None:
        """As `app.log_ports.LogStore` says. Raises StoreFailed."""

    def close(self) -> None:
        """Closes every connection."""
