"""What a player's program must not forget, in one private SQLite file.

Without it there would be a second signature on one size, or one seed for two table roots: so the program writes first
and sends afterwards, and what is not in here is not signed. The private key and the unsent seed are in no other place.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fairdeal.client.errors import AlreadySigned, CheckpointMoved, Contradiction, Finding, NotRemembered
from fairdeal.commit import Seed
from fairdeal.keys import SigningKey
from fairdeal.tlog import Checkpoint, Note

_PRIVATE: Final = 0o600
_BUSY_SECONDS: Final = 10.0
"""How long one program waits for another that writes to the same file."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sitting (
    m TEXT PRIMARY KEY, opened BLOB NOT NULL, key BLOB NOT NULL, seed BLOB NOT NULL,
    seat INTEGER, player TEXT, table_root BLOB, stopped TEXT
);
CREATE TABLE IF NOT EXISTS action (m TEXT NOT NULL, size INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (m, size));
CREATE TABLE IF NOT EXISTS event (m TEXT NOT NULL, n INTEGER NOT NULL, line BLOB NOT NULL, PRIMARY KEY (m, n));
CREATE TABLE IF NOT EXISTS shown (
    seq INTEGER PRIMARY KEY, m TEXT NOT NULL, size INTEGER NOT NULL,
    receipt TEXT NOT NULL, view BLOB NOT NULL, sig TEXT NOT NULL, UNIQUE (m, size, receipt, view, sig)
);
CREATE TABLE IF NOT EXISTS newest (origin TEXT PRIMARY KEY, checkpoint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS logged (
    seq INTEGER PRIMARY KEY, m TEXT NOT NULL, after INTEGER NOT NULL, checkpoint TEXT NOT NULL, leaves BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS policy (origin TEXT PRIMARY KEY, text BLOB NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One match as this memory knows it: the `open` line shown before sitting, the seat, and the two secrets."""

    m: str
    opened: bytes
    key: SigningKey = field(repr=False)
    seed: Seed = field(repr=False)
    seat: int | None
    player: str | None
    stopped: str | None
    """The finding that ended all signing in this match."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A receipt, the view of the same size as cj1 bytes, and the view's signature in hex."""

    size: int
    receipt: str
    view: bytes
    sig: str


@dataclass(frozen=True, slots=True)
class Logged:
    """A checkpoint of the log as a note, and the match's proven leaves under it as cj1 bytes, as in a held file.

    `after` is how many receipts had been shown before.
    """

    after: int
    checkpoint: str
    leaves: bytes


class Memory:
    """A player's store. Two programs may open the same file; of two different actions on one size, one is kept.

    An object is for one thread at a time. The file is readable and writable by its owner alone.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, _PRIVATE))
        path.chmod(_PRIVATE)
        self._db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        # Kept means on the disk: a signed action that a power cut forgets could be signed a second time.
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def begin(self, m: str, opened: bytes, key: SigningKey, seed: Seed) -> Sitting:
        """Remember a table before sitting at it. If it is known already, what is known stays and is given back."""
        with self._writing():
            self._db.execute(
                "INSERT INTO sitting (m, opened, key, seed) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (m, opened, key.seed, seed.reveal()),
            )
        return self.sitting(m)

    def seated(self, m: str, seat: int, player: str) -> None:
        """Remember the seat and the pseudonym that the service gave."""
        with self._writing():
            self._db.execute("UPDATE sitting SET seat = ?, player = ? WHERE m = ?", (seat, player, m))

    def sitting(self, m: str) -> Sitting:
        """What is known of the match. Raises NotRemembered."""
        row = self._db.execute(
            "SELECT opened, key, seed, seat, player, stopped FROM sitting WHERE m = ?", (m,)
        ).fetchone()
        if row is None:
            raise NotRemembered("this memory does not know the match", {"m": m})
        opened, key, seed, seat, player, stopped = row
        return Sitting(m, opened, SigningKey.from_seed(key), Seed(seed), seat, player, stopped)

    def keep_action(self, m: str, size: int, body: bytes) -> None:
        """Keep an action before it is sent; the same bytes may come again.

        Raises AlreadySigned when others are kept for that size, or when signing has been stopped.
        """
        with self._writing():
            if self.sitting(m).stopped is not None:
                raise AlreadySigned("signing has been stopped in this match", {"m": m})
            self._db.execute("INSERT INTO action VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (m, size, body))
            if self.action(m, size) != body:
                raise AlreadySigned("another action is signed for this size", {"m": m, "size": size})

    def action(self, m: str, size: int) -> bytes | None:
        """The action kept for a size."""
        row = self._db.execute("SELECT body FROM action WHERE m = ? AND size = ?", (m, size)).fetchone()
        return None if row is None else bytes(row[0])

    def keep_table_root(self, m: str, root: bytes) -> None:
        """Fix the one table root that the seed is given for. Raises AlreadySigned for any other."""
        with self._writing():
            self._db.execute("UPDATE sitting SET table_root = ? WHERE m = ? AND table_root IS NULL", (root, m))
            if self._db.execute("SELECT table_root FROM sitting WHERE m = ?", (m,)).fetchone() != (root,):
                raise AlreadySigned("the seed is promised to another table root", {"m": m})

    def keep_shown(self, m: str, first: int, lines: Sequence[bytes], shown: Shown) -> None:
        """Keep new event lines, numbered from `first`, with the receipt and view that came with them.

        Raises Contradiction when another program with this memory was sent another line for the same n.
        """
        with self._writing():
            for n, line in enumerate(lines, first):
                self._db.execute("INSERT INTO event VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (m, n, line))
                kept = self._db.execute("SELECT line FROM event WHERE m = ? AND n = ?", (m, n)).fetchone()
                if kept != (line,):
                    raise Contradiction(Finding.FORK, n, "this memory was sent another event before")
            self._db.execute(
                "INSERT INTO shown (m, size, receipt, view, sig) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (m, shown.size, shown.receipt, shown.view, shown.sig),
            )

    def events(self, m: str) -> list[bytes]:
        """The event lines kept, in order."""
        return [row[0] for row in self._db.execute("SELECT line FROM event WHERE m = ? ORDER BY n", (m,))]

    def shown(self, m: str) -> list[Shown]:
        """The receipts and views kept, in the order seen."""
        rows = self._db.execute("SELECT size, receipt, view, sig FROM shown WHERE m = ? ORDER BY seq", (m,))
        return [Shown(*row) for row in rows]

    def newest(self, origin: str) -> tuple[str, Checkpoint] | None:
        """The newest checkpoint of that log that any match of this memory was shown: the note, and what it says."""
        row = self._db.execute("SELECT checkpoint FROM newest WHERE origin = ?", (origin,)).fetchone()
        return None if row is None else (row[0], Checkpoint.parse(Note.parse(row[0]).text))

    def keep_logged(self, m: str, held: Checkpoint | None, note: str, leaves: bytes | None) -> None:
        """Keep a checkpoint that was proven to follow `held`, and the match's leaves under it if there are new ones.

        Raises CheckpointMoved, and nothing is kept, unless `held` is still the newest of its log.
        """
        checkpoint = Checkpoint.parse(Note.parse(note).text)
        with self._writing():
            newest = self.newest(checkpoint.origin)
            if held != (None if newest is None else newest[1]):
                raise CheckpointMoved("a newer checkpoint has been kept meanwhile")
            self._db.execute(
                "INSERT INTO newest VALUES (?, ?) ON CONFLICT DO UPDATE SET checkpoint = excluded.checkpoint",
                (checkpoint.origin, note),
            )
            if leaves is not None:
                self._db.execute(
                    "INSERT INTO logged (m, after, checkpoint, leaves) SELECT ?, count(*), ?, ? FROM shown WHERE m = ?",
                    (m, note, leaves, m),
                )

    def logged(self, m: str) -> list[Logged]:
        """What was kept of the log for this match, in the order seen."""
        rows = self._db.execute("SELECT after, checkpoint, leaves FROM logged WHERE m = ? ORDER BY seq", (m,))
        return [Logged(*row) for row in rows]

    def policy(self, origin: str) -> bytes | None:
        """The policy that was taken from the service for that log."""
        row = self._db.execute("SELECT text FROM policy WHERE origin = ?", (origin,)).fetchone()
        return None if row is None else bytes(row[0])

    def keep_policy(self, origin: str, text: bytes) -> None:
        """Keep the policy that the service gives out for that log."""
        with self._writing():
            self._db.execute(
                "INSERT INTO policy VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text", (origin, text)
            )

    def stop(self, m: str, finding: str) -> None:
        """Sign nothing more in this match; the first reason stays."""
        with self._writing():
            self._db.execute("UPDATE sitting SET stopped = coalesce(stopped, ?) WHERE m = ?", (finding, m))
