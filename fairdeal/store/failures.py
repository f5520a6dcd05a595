"""Where a database's errors become ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import exc
from sqlalchemy.exc import DBAPIError, IntegrityError

from fairdeal.errors import RecordsBroken, StoreFailed


@contextmanager
def our_errors() -> Iterator[None]:
    """Raises RecordsBroken when a constraint or a trigger refused it, StoreFailed when the database could not do it."""
    try:
        yield
    except (IntegrityError, sqlite3.IntegrityError) as error:
        raise RecordsBroken(f"the database refused: {_reason(error)}") from None
    except (DBAPIError, sqlite3.Error, psycopg.Error) as error:
        raise StoreFailed(f"the database failed: {_reason(error)}") from error
    except exc.TimeoutError as error:
        raise StoreFailed("every connection to the database is in use") from error


def _reason(error: DBAPIError | sqlite3.Error | psycopg.Error) -> str:
    # PostgreSQL adds the row that it refused, which nobody should read in a log.
    from_driver = error.orig if isinstance(error, DBAPIError) else error
    told = getattr(from_driver, "diag", None)
    return str((told and told.message_primary) or from_driver)
