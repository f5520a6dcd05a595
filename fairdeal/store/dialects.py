"""The few statements that both databases have, and SQLAlchemy has no word of its own for; and what is a constant."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Dialect, Select, Table, func, select, text
from sqlalchemy.dialects.postgresql import Insert, insert

NUL: Final = "\0"
"""PostgreSQL has no text with it, not even to look for: what a caller sends has to be looked at first."""


def insert_unless_there(table: Table, *key: str) -> Insert:
    """An INSERT that does nothing where a row of that key stands, of any key if none is named. The two databases say it
    in the same words, which SQLAlchemy compiles for SQLite from PostgreSQL's form, but not the other way round.
    """
    return insert(table).on_conflict_do_nothing(index_elements=key or None)


def lock(connection: Connection, table: Table, which: ColumnElement[bool]) -> None:
    """Makes every other writer of these rows wait for the end of the transaction. What is read afterwards is what the
    writers before have committed. On SQLite there is one writer anyway, and the statement is a plain SELECT.
    """
    connection.execute(select(*table.primary_key).where(which).with_for_update(key_share=True))


def share(connection: Connection, number: int) -> None:
    """Makes who excludes the others of that number wait for the end of this transaction, and waits for them. On SQLite
    there is one writer anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock_shared(number)))


def exclude_others(connection: Connection, number: int) -> None:
    """Waits for every transaction that shares the number, and makes others wait for the end of this one."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(number)))


class Constants:
    """Statements that are constants, as a driver takes them: each is compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._compiled: dict[Select[Any], tuple[str, dict[str, Any]]] = {}

    def spelled(self, statement: Select[Any], values: Mapping[str, object]) -> tuple[str, dict[str, object]]:
        """The statement's text and its parameters with these values, by name."""
        found = self._compiled.get(statement)
        if found is None:
            compiled = statement.compile(dialect=self._dialect)
            found = self._compiled[statement] = (compiled.string, compiled.params)
        return found[0], {**found[1], **values}


def take_time(connection: Connection) -> None:
    """Lets this transaction stand still for as long as it likes between two statements. For one that works for long and
    holds nobody up, since it only reads or is alone: PostgreSQL would end its connection.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
