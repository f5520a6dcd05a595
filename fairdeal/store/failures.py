"""Where a database's errors become ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

import psycopg
from sqlalchemy import exc
from sqlalchemy.exc import DBAPIError, IntegrityError

from fairdeal.errors import RecordsBroken, StoreBusy, StoreFailed

_HELD: Final = frozenset({"55P03", "40P01"})
"""PostgreSQL's words for a lock that did not come in time, and for locks that would never come."""


DatabaseError: TypeAlias = DBAPIError | sqlite3.Error | psycopg.Error


@contextmanager
def our_errors() -> Iterator[None]:
    """Raises RecordsBroken when a constraint or a trigger refused it, StoreBusy when others held what it needs,
    StoreFailed when the database could not do it.
    """
    try:
        yield
    except (IntegrityError, sqlite3.IntegrityError, psycopg.IntegrityError) as error:
        raise RecordsBroken(f"the database refused: {_reason(error)}") from None
    except (DBAPIError, sqlite3.Error, psycopg.Error) as error:
        if sqlstate(error) in _HELD:
            raise StoreBusy(f"the database waited too long: {_reason(error)}") from error
        raise StoreFailed(f"the database failed: {_reason(error)}") from error
    except exc.TimeoutError as error:
        raise StoreFailed("every connection to the database is in use") from error


def sqlstate(error: DatabaseError) -> str | None:
    """PostgreSQL's code for it."""
    return getattr(of_driver(error), "sqlstate", None)


def of_driver(error: DatabaseError) -> BaseException | None:
    """The driver's own error."""
    return error.orig if isinstance(error, DBAPIError) else error


def _reason(error: DatabaseError) -> str:
    # PostgreSQL adds the row that it refused, which nobody should read in a log.
    from_driver = of_driver(error)
    told = getattr(from_driver, "diag", None)
    return str((told and told.message_primary) or from_driver)
