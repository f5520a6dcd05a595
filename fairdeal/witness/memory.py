"""What a witness must never forget: of each log the newest checkpoint that it let through."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from fairdeal.errors import StoreFailed, WitnessConflict
from fairdeal.tlog import AddCheckpoint, Checkpoint, Note, VerifierKey

log = logging.getLogger("fairdeal.witness")

_BUSY_SECONDS: Final = 10.0
"""How long another process on the same file may hold things up."""
# FULL, because NORMAL may lose the last commits when the power goes: a cosignature would outlive what it is for.
_PRAGMAS: Final = ("journal_mode = WAL", "synchronous = FULL", "recursive_triggers = ON")
_TABLE: Final = "checkpoints"
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS checkpoints"
    " (origin TEXT PRIMARY KEY, size INTEGER NOT NULL, note TEXT NOT NULL) STRICT",
    "CREATE TRIGGER IF NOT EXISTS checkpoints_grow BEFORE UPDATE ON checkpoints"
    " WHEN NEW.origin <> OLD.origin OR NEW.size < OLD.size BEGIN SELECT RAISE(ABORT, 'a log only grows'); END",
    "CREATE TRIGGER IF NOT EXISTS checkpoints_stay BEFORE DELETE ON checkpoints"
    " BEGIN SELECT RAISE(ABORT, 'no log is forgotten'); END",
)


class Memory:
    """The checkpoints kept in one SQLite file, which is made when it is not there. Safe to call from several threads.

    Raises StoreFailed, as every method.
    """

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        with _our_errors():
            self._database = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            tables = {name for (name,) in self._database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            if tables and _TABLE not in tables:
                self._database.close()
                raise StoreFailed(f"{path} is no witness's database; it was left as it is")
            for pragma in _PRAGMAS:
                self._database.execute(f"PRAGMA {pragma}")
        with self._transaction() as database:
            for statement in _SCHEMA:
                database.execute(statement)

    def close(self) -> None:
        """Closes the file."""
        self._database.close()

    def advance(self, request: AddCheckpoint, log_keys: tuple[VerifierKey, ...]) -> None:
        """Keeps the request's checkpoint instead of the one kept of its log. It is on disk when this returns.

        Compared and kept in one transaction, so that two requests at once never both pass. Raises as
        `AddCheckpoint.check`; a proven fork is logged with both notes.
        """
        checkpoint = request.checkpoint
        with self._transaction() as database:
            row = database.execute("SELECT note FROM checkpoints WHERE origin = ?", (checkpoint.origin,)).fetchone()
            kept = Checkpoint.parse(Note.parse(row[0]).text) if row else None
            try:
                request.check(log_keys, kept)
            except WitnessConflict:
                # Its signature was verified before: that its log has signed both is what the two notes prove.
                if kept and kept.size == checkpoint.size and kept.root != checkpoint.root:
                    log.error("fork", extra={"kept": row[0], "sent": request.note})
                raise
            database.execute(
                "INSERT INTO checkpoints VALUES (?, ?, ?) ON CONFLICT (origin)"
                " DO UPDATE SET size = excluded.size, note = excluded.note",
                (checkpoint.origin, checkpoint.size, request.note),
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, _our_errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise


@contextmanager
def _our_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreFailed(f"the witness's database failed: {error}") from error
