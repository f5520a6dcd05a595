"""Making the schema and recognising it: tables, functions, triggers, and the version that the migrations end with."""

from typing import Final

from sqlalchemy import Connection, insert, inspect, select

from fairdeal.errors import SchemaMismatch
from fairdeal.store import log_rows, procedures, rows, triggers
from fairdeal.tlog import EMPTY_ROOT

VERSION: Final = "0001"
"""The newest revision in `migrations`: what it and those before it make is what is declared in `rows` and here."""


def create_schema(connection: Connection) -> None:
    """Makes the newest schema in an empty database, in the caller's transaction."""
    rows.Row.metadata.create_all(connection)
    fill(connection)
    procedures.make(connection)
    triggers.make(connection)
    rows.schema_version.create(connection)
    connection.execute(insert(rows.schema_version).values(version_num=VERSION))


def fill(connection: Connection) -> None:
    """The rows that there are from the beginning."""
    connection.execute(insert(rows.heartbeat).values(only=1, at=None))
    connection.execute(insert(rows.counts), [{"rows_of": name, "size": 0} for name in ("roster", "transactions")])
    connection.execute(insert(log_rows.head).values(only=1, size=0, root=EMPTY_ROOT))
    connection.execute(insert(log_rows.journal_mark).values(only=1, size=0, subtrees=b"", at=0))


def is_empty(connection: Connection) -> bool:
    """Whether the database has no table at all."""
    return not inspect(connection).get_table_names()


def check_schema(connection: Connection) -> None:
    """Raises SchemaMismatch unless this is our schema of this version with every function and trigger as we made it."""
    found = versions(connection)
    if found != [VERSION]:
        has = f"schema version {found[0]}" if len(found) == 1 else "no schema of ours"
        raise SchemaMismatch(f"the database has {has}; this program needs version {VERSION}")
    procedures.check(connection)
    triggers.check(connection)


def versions(connection: Connection) -> list[str]:
    """What the database says its version is: one, or none where it is no database of ours."""
    if not inspect(connection).has_table(rows.schema_version.name):
        return []
    return list(connection.execute(select(rows.schema_version.c.version_num)).scalars())
