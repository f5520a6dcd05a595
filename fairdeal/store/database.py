"""What the store needs of a database, whichever it is."""

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection


class Database(Protocol):
    """What the store needs of SQLite and of PostgreSQL."""

    def read(self) -> AbstractContextManager[Connection]:
        """One moment of the database, for as long as the block lasts. Raises StoreFailed."""

    def write(self) -> AbstractContextManager[Connection]:
        """One transaction that writes: committed at the block's end, rolled back on any exception.

        Raises RecordsBroken when a constraint or a trigger refuses it, StoreFailed when the database cannot do it.
        """

    def alone(self, work: str) -> AbstractContextManager[bool]:
        """As `app.log_ports.LogStore.alone` says."""

    def close(self) -> None:
        """Closes every connection."""
