"""A SQLite file that a path names, looked at before it is opened: opening locks it, closes it to others, and writes."""

import sqlite3
from contextlib import closing
from pathlib import Path

from fairdeal.errors import StoreFailed
from fairdeal.store import log_rows


def check_file(path: Path, *, made: bool) -> None:
    """That a database of the service is there; where `made`, also that nothing is, since the caller makes it.

    An empty file, or a database without a table, is what a first start leaves that was broken off: nothing. Whatever is
    there stays as it is. Raises StoreFailed, and OSError for a file that cannot be read.
    """
    found = _tables(path) if path.exists() and _has_bytes(path) else set()
    if not found and not made:
        raise StoreFailed(f"there is no database {path}")
    if found and log_rows.head.name not in found:
        raise StoreFailed(f"{path} is no database of this service; it was left as it is")


def _has_bytes(path: Path) -> bool:
    with path.open("rb") as file:
        return bool(file.read(1))


def _tables(path: Path) -> set[str]:
    # What has no log beside it nobody has open: declared immutable, it is read without making files beside it.
    alone = "" if path.with_name(f"{path.name}-wal").exists() else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{alone}", uri=True)) as database:
            return {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise StoreFailed(f"{path} is no database; it was left as it is") from None
        return {log_rows.head.name}  # one that another process holds, or that is broken: opening it says so
