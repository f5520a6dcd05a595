"""Bringing a database to the newest schema, by the migrations of Alembic."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection

from fairdeal.errors import SchemaMismatch, StoreFailed
from fairdeal.store import procedures, triggers
from fairdeal.store.dialects import take_time
from fairdeal.store.schema import check_schema, is_empty, versions
from fairdeal.store.sql import open_database


def upgrade(where: Path | str) -> tuple[str | None, str]:
    """Makes the schema, or brings it to the newest version, in one transaction; gives the versions before and after.

    Raises StoreFailed for a database with tables of something else, SchemaMismatch for one of a newer program, and what
    `open_database` does.
    """
    database = open_database(where, sole=True)
    try:
        with database.write() as connection:
            take_time(connection)  # nobody else is there, and a migration may compute for long
            before = versions(connection)
            if not before and not is_empty(connection):
                raise StoreFailed("the database has tables that are not of this service; it was left as it is")
            migrate(connection)
            check_schema(connection)
            return (before[0] if before else None), versions(connection)[0]
    finally:
        database.close()


def migrate(connection: Connection) -> None:
    """Runs what is missing, in the caller's transaction, without functions and guards, and makes these anew."""
    triggers.remove(connection)
    procedures.remove(connection)
    try:
        command.upgrade(alembic_config(connection), "head")
    except CommandError as error:
        raise SchemaMismatch(f"the schema cannot be brought to this version: {error}") from None
    procedures.make(connection)
    triggers.make(connection)


def alembic_config(connection: Connection) -> Config:
    """What Alembic's commands need to work on that connection."""
    config = Config()
    config.set_main_option("script_location", "fairdeal.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
