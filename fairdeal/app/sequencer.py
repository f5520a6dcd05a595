"""The one place where the log grows: what waits gets its index, then the head is signed, then it is shown.

In this order a crash makes no second history: a checkpoint is signed over what is stored, and answered when it is
stored itself. What begins again after a crash is the same code. The store's compare-and-set keeps two histories apart,
in one process and between several; locks only save work that would be lost.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Final

from fairdeal.app.house import Clock
from fairdeal.app.log_keys import LogKeys
from fairdeal.app.log_ports import CommitResult, JournalMark, LogAppend, LogCopy, LogHead, LogStore, SignedCheckpoint
from fairdeal.app.loop import Loop
from fairdeal.app.ports import Store
from fairdeal.errors import Broken, FairdealError, LogStuck, StoreFailed
from fairdeal.match.leaves import ledger_leaf
from fairdeal.tlog import (
    Checkpoint,
    Tile,
    TileEdge,
    leaf_hash,
    open_checkpoint,
    sign_note,
    subtrees_of_tiles,
    tree_root,
)
from fairdeal.tlog.tiles import TILE_WIDTH

log = logging.getLogger("fairdeal.log")

LOOK_SECONDS: Final = 0.1
"""Between two looks at what waits. Who needs a leaf sooner does not wait for it: it sequences by itself."""
STUCK_SECONDS: Final = 5.0
"""How long a leaf may wait for another one's turn, and the heart for a sign of the log's life."""
_IDLE_SECONDS: Final = 2.5
"""Between two looks of a process while another one has the work; less than the heart's patience."""
LEDGER_MS: Final = 300_000
"""Between two `ledger` leaves while there is news; the protocol asks for ten minutes at most (section 7.2)."""
_COPIED: Final = 4_096
"""Leaves that the copy is brought at a time."""
_JOURNAL_LINES: Final = 1_000
"""Transactions read at a time."""


class Sequencer:
    """Appends, signs and publishes. Safe to call from several threads. `keys` are those that it signs with."""

    def __init__(self, store: Store, keys: LogKeys, copy: LogCopy, clock: Clock) -> None:
        self.keys = keys
        self._store = store
        self._copy = copy
        self._clock = clock
        self._lock = Lock()
        self._edge: TileEdge | None = None
        self._published: int | None = None
        self._copied: str | None = None
        self._begun = self._done = 0
        self._alive_at = monotonic()
        self._signed_at = 0
        self._failed = False
        # The heart stops with the log; when it beats again the gap is made up for.
        self._loop = Loop("log", self._look_on, LOOK_SECONDS, log, "the log cannot append")

    def begin(self) -> None:
        """Before anything else: takes in what waits, then says which keys were replaced. Raises KeyMissing."""
        self.sequence()
        for leaf in self.keys.due_leaves():
            self.append_now(leaf)

    def start(self) -> None:
        """Goes on looking at what waits, in a thread of its own."""
        self._loop.start()

    def stop(self) -> None:
        """Ends the thread, and waits for it."""
        self._loop.stop()

    def newest(self) -> SignedCheckpoint:
        """The newest checkpoint that is published, by whichever process, with the cosignatures so far. Raises LogStuck
        before the first.
        """
        newest = self._store.checkpoint()
        if newest is None:
            raise LogStuck("the log has not been signed yet")
        return newest

    @property
    def signed_at(self) -> int:
        """When this process last signed a checkpoint, ms since the epoch; 0 before the first."""
        return self._signed_at

    def behind_s(self) -> float:
        """Seconds since everything that waited had its place: no leaf has waited for longer."""
        return monotonic() - self._alive_at

    def sequence(self) -> None:
        """Appends whatever waits, then signs and publishes. Raises LogStuck when its turn does not come, and what keeps
        it from appending.

        However many threads call this at once, a turn that begins after a call serves it too: all that it waits for is
        queued by then.
        """
        wanted = self._begun + 1
        with self._turn():
            if self._done >= wanted:
                return
            self._begun += 1
            with self._life():
                more = True
                while more:
                    more = self._append_batch()
                    self._publish()
            self._done = self._begun

    def append(self) -> None:
        """Appends whatever waits, and shows nothing."""
        with self._turn(), self._life():
            while self._append_batch():
                pass

    def append_now(self, leaf: bytes) -> None:
        """Appends this leaf after all that waits, and signs nothing before it stands."""
        with self._turn(), self._life():
            self._store.queue_leaf(leaf)
            while self._append_batch():
                pass
            self._publish()

    def look(self) -> None:
        """One look: a `ledger` leaf when it is time for one, then whatever waits."""
        mark_journal(self._store, self._clock.now_ms())
        self.sequence()

    def check_alive(self) -> None:
        """Raises whatever keeps the log from appending: a service without its log has no heartbeat."""
        if self._failed or monotonic() - self._alive_at > STUCK_SECONDS:
            self.sequence()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=STUCK_SECONDS):
            raise LogStuck("the log does not go on")
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def _life(self) -> Iterator[None]:
        """Around what shows whether the log lives."""
        try:
            yield
            self._failed, self._alive_at = False, monotonic()
        except BaseException:
            self._failed = True
            raise

    def _append_batch(self) -> bool:
        """Whether any of what waits may be left."""
        self._edge, more = append_batch(self._store, self._edge or load_edge(self._store))
        return more

    def _publish(self) -> None:
        """Signs the head that is stored, if it is not signed, and shows it. The copy has it before the store has: what
        is kept there goes to witnesses, and must not be lost with the store.
        """
        head = self._store.log_head()
        if head.size == self._published:
            return
        signed = self._store.checkpoint(head.size)
        if signed is None:
            now, note = self._clock.now_ms(), self._sign(head)
            self._copy_out(head.size, note)
            self._store.keep_checkpoint(head.size, note)
            self._signed_at = now
        else:
            self._copy_out(head.size, signed.note)
        self._published = head.size

    def _sign(self, head: LogHead) -> str:
        signer = self.keys.signer_of(head.size)
        return sign_note(Checkpoint(signer.verifier_key.name, head.size, head.root).body(), signer)

    def _copy_out(self, size: int, note: str) -> None:
        """Brings the copy to what is about to be shown, unless another process has brought it further."""
        with self._copy.alone():
            if self._copied_size() > size:
                return
            while leaves := self._store.leaves(self._copy.size, min(size, self._copy.size + _COPIED)):
                self._copy.append(leaves)
            self._copy.keep(note)
            self._copied = note

    def _copied_size(self) -> int:
        """Of the copy's checkpoint; 0 when it has none. Raises StoreFailed when it is of another history: two services
        with one copy, each with a database of its own, would publish two.
        """
        note = self._copy.checkpoint()
        if note is None and self._copied is None:
            return 0
        kept = kept_checkpoint(self.keys, self._copy)
        if kept is None or (
            note != self._copied
            and (kept.size > self._store.log_head().size or kept.root != root_at(self._store, kept.size))
        ):
            raise StoreFailed(
                "somebody else writes to the log's copy: another service runs with it, or it was exchanged"
            )
        self._copied = note
        return kept.size

    def _look_on(self) -> None:
        """One process has this work for as long as it lives. The others look now and then all the same: it may stand
        still, and the copy of another machine is to be brought up.
        """
        with self._store.alone("log") as mine:
            while mine:
                self.look()
                self._loop.failing = None
                self._loop.pause(LOOK_SECONDS)
        if self.behind_s() > _IDLE_SECONDS:
            self.look()


def append_batch(store: LogStore, edge: TileEdge) -> tuple[TileEdge, bool]:
    """Appends what waits, up to a tile's width; the edge after it, and whether any of it may be left. What comes in
    meanwhile does not count, or a turn might never end. The edge is read again when another append was faster.
    """
    queued = store.queued_leaves(TILE_WIDTH)
    if not queued:
        return edge, False
    after, tiles = edge.append([leaf_hash(one.leaf) for one in queued])
    made = LogAppend(edge.size, queued, tiles, after.root())
    if store.append_leaves(made) is CommitResult.COMMITTED:
        return after, len(queued) == TILE_WIDTH
    return load_edge(store), True


def load_edge(store: LogStore) -> TileEdge:
    """What is needed to go on appending, out of the tiles. Raises Broken unless it has the head's root."""
    head = store.log_head()
    edge = TileEdge.load(head.size, lambda tile: read_tile(store, tile))
    if edge.root() != head.root:
        raise Broken("the log's tiles have not the root of its head")
    return edge


def read_tile(store: LogStore, tile: Tile) -> bytes:
    """The hashes of a tile that the log must have. Raises Broken."""
    data = store.tile(tile)
    if data is None:
        raise Broken(f"the log has not its {tile.path}")
    return data


def root_at(store: LogStore, size: int) -> bytes:
    """The root of the log's first `size` leaves."""
    return tree_root(size, subtrees_of_tiles(store.log_head().size, lambda tile: read_tile(store, tile)))


def kept_checkpoint(keys: LogKeys, copy: LogCopy) -> Checkpoint | None:
    """The copy's checkpoint; None when it has none. Raises Broken when it is not this log's."""
    note = copy.checkpoint()
    if note is None:
        return None
    try:
        return open_checkpoint(note, keys.at_hand()).checkpoint
    except FairdealError as error:
        raise Broken(
            f"the log's copy in {copy.place} has a checkpoint that is not this log's ({error.message}): every database"
            " has a copy of its own, in the directory that FAIRDEAL_LOG_COPY names"
        ) from error


def mark_journal(store: Store, now: int) -> None:
    """Queues a `ledger` leaf when there is news of the money and the last one is old enough; at the next look if a
    transaction came in between.
    """
    before = store.journal_mark()
    if now - before.at < LEDGER_MS:
        return
    frontier = before.frontier
    while lines := store.journal(frontier.size, _JOURNAL_LINES):
        for line in lines:
            frontier = frontier.append(leaf_hash(line))
    if frontier.size > before.frontier.size:
        store.move_journal_mark(before, JournalMark(frontier, now), ledger_leaf(frontier.root(), frontier.size))
