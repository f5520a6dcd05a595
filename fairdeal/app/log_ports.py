"""What the log of all matches needs of a store (protocol section 7). One write method is one transaction.

A leaf is queued in the transaction that makes it due, so that no step of a match is without its leaf. It gets its
index later, when the log is appended to.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from fairdeal.tlog import Frontier, Tile


class CommitResult(StrEnum):
    """What became of an append."""

    COMMITTED = "committed"
    STALE = "stale"
    """What it appends to is no longer as it expected it; nothing was written. Read it again and decide again."""


@dataclass(frozen=True, slots=True)
class LogHead:
    """How many leaves are stored, and the 32-byte root over them."""

    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class QueuedLeaf:
    """A leaf that waits for its index; `seq` only orders."""

    seq: int
    leaf: bytes


@dataclass(frozen=True, slots=True)
class LogAppend:
    """The next leaves of the log, out of the queue, with the tiles that they change and the root after them.

    `size` is the head's that it was made on.
    """

    size: int
    leaves: tuple[QueuedLeaf, ...]
    tiles: Mapping[Tile, bytes]
    root: bytes


@dataclass(frozen=True, slots=True)
class LoggedLeaf:
    """A leaf at its index."""

    index: int
    leaf: bytes


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A checkpoint as the log signed it, and the witnesses' signature lines, each with its LF."""

    size: int
    note: str
    cosignatures: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The note with all its signature lines."""
        return self.note + "".join(self.cosignatures)


@dataclass(frozen=True, slots=True)
class JournalMark:
    """How far the money journal is in the log: its first transactions as a tree, and when the leaf that says so was
    queued (ms).
    """

    frontier: Frontier
    at: int


@dataclass(frozen=True, slots=True)
class Outage:
    """The service was away (ms)."""

    start: int
    end: int


class LogCopy(Protocol):
    """The log outside of the database. Any method can raise StoreFailed."""

    def alone(self) -> AbstractContextManager[None]:
        """Around whatever changes leaves or checkpoint, and what is read for it: no other process of this machine
        writes meanwhile, and `size` is what stands there. Raises StoreFailed when its turn does not come.
        """

    @property
    def place(self) -> str:
        """Where it is kept, for the operator."""

    @property
    def size(self) -> int:
        """How many leaves it has."""

    def checkpoint(self) -> str | None:
        """The newest checkpoint that was published; None before the first."""

    def leaves(self, start: int, end: int) -> Iterator[bytes]:
        """The leaves from index `start` up to, not including, `end`."""

    def append(self, leaves: Sequence[bytes]) -> None:
        """The next leaves, on the disk when it returns."""

    def cut(self, size: int) -> None:
        """Drops the leaves from index `size` on."""

    def keep(self, note: str) -> None:
        """Takes the place of the checkpoint, on the disk when it returns."""

    def beat(self, now: int) -> None:
        """Writes the heartbeat, after the database's own."""

    def last_beat(self) -> int:
        """The last heartbeat; 0 before the first."""


class LogStore(Protocol):
    """The log's part of a store. Any method can raise an error of the family `Broken`."""

    def log_head(self) -> LogHead: ...

    def queued_leaves(self, limit: int | None) -> tuple[QueuedLeaf, ...]:
        """The leaves that wait, the first one first; None for all of them."""

    def queue_leaf(self, leaf: bytes) -> None:
        """A leaf that comes with no step of a match. Raises Malformed."""

    def replace_queue(self, leaves: Sequence[bytes]) -> None:
        """These leaves wait, and no others. Raises Malformed."""

    def append_leaves(self, append: LogAppend) -> CommitResult:
        """Leaves, tiles and head, out of the queue: a compare-and-set on the head's size."""

    def tile(self, tile: Tile) -> bytes | None:
        """The hashes of that tile, as many as its name says; None when not so many are stored."""

    def leaves(self, start: int, end: int) -> tuple[bytes, ...]:
        """The leaves from index `start` up to, not including, `end`, as far as they are stored."""

    def match_leaves(self, match_id: str) -> tuple[LoggedLeaf, ...]:
        """The leaves of a match by ascending index."""

    def key_leaves(self) -> tuple[LoggedLeaf, ...]:
        """The leaves that replace a key, by ascending index."""

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Into the archive, once for each size. Raises RecordsBroken for another note of a size, or one beyond the
        head."""

    def checkpoint(self, size: int | None = None) -> SignedCheckpoint | None:
        """The checkpoint of that size, or the newest."""

    def checkpoint_sizes(self, since: int, limit: int) -> tuple[int, ...]:
        """The sizes above `since` that there are checkpoints of, ascending."""

    def cosigned_checkpoints(
        self, least: int, witnesses: Collection[str], enough: int, limit: int
    ) -> tuple[SignedCheckpoint, ...]:
        """Those of `least` leaves or more that `enough` of these witnesses have cosigned, the newest first. A witness
        is named as in `add_cosignature`.
        """

    def add_cosignature(self, size: int, witness: str, line: str) -> None:
        """Keeps a signature line of a witness, by its key's name and id; the first one of each stands."""

    def alone(self, work: str) -> AbstractContextManager[bool]:
        """Whether no other process is at that work, which is then kept for this one until the block or the process
        ends. It saves work that would be done twice, and no more: what must not happen twice is a compare-and-set.
        """

    def clock_ms(self) -> int | None:
        """What the database's own clock says; None when it has none but the process's."""

    def add_outage(self, outage: Outage, leaf: bytes) -> CommitResult:
        """The outage, its leaf, and the heartbeat that ends it: a compare-and-set on the heartbeat that it begins with,
        so that of several processes one alone writes it.
        """

    def outages(self, since: int) -> tuple[Outage, ...]:
        """Those that ended at `since` or later, the oldest first."""

    def journal_mark(self) -> JournalMark: ...

    def move_journal_mark(self, before: JournalMark, mark: JournalMark, leaf: bytes) -> CommitResult:
        """Queues the `ledger` leaf of that mark: a compare-and-set on the mark before, and on the journal, which has
        as many transactions as the mark. What moved with a match's leaf is in the journal of any later `ledger` leaf.
        """
