"""Reading the log of all matches: proofs for players, the part of a bundle, and the files of C2SP tlog-tiles.

Everything is under a checkpoint that is signed, stored and published; sizes never come from beside it.
"""

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from fairdeal.app.house import Clock
from fairdeal.app.log_ports import LoggedLeaf, SignedCheckpoint
from fairdeal.app.ports import Store
from fairdeal.app.sequencer import Sequencer, read_tile
from fairdeal.errors import AheadOfLog, FairdealError, IllegalAction, NotLoggedYet, UnknownMatch
from fairdeal.match.files import LogPart, ProvenLeaf, SeenProof
from fairdeal.match.leaves import parse_leaf
from fairdeal.tlog import (
    EMPTY_ROOT,
    EntryBundle,
    Policy,
    Subtrees,
    consistency_proof,
    format_entries,
    inclusion_proof,
    parse_path,
    subtrees_of_tiles,
    tree_root,
)
from fairdeal.tlog.policy import NO_QUORUM
from fairdeal.tlog.tiles import TILE_HEIGHT, TILE_WIDTH

log = logging.getLogger("fairdeal.log")

_WITNESSED_SECONDS: Final = 60
"""How long the newest witnessed checkpoint stands for the log, while later ones wait for their witnesses."""
_CANDIDATES: Final = 100
"""Checkpoints with enough cosignatures that are looked through for one with those that the operator's policy wants."""
_WARN_MS: Final = 60_000
"""Between two lines of one kind that callers can have written."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a client asks for (protocol section 7.3): a checkpoint, the consistency proof to it, the match's leaves."""

    checkpoint: str
    consistency: tuple[bytes, ...]
    leaves: tuple[ProvenLeaf, ...]


@dataclass(frozen=True, slots=True)
class LogFile:
    """A tile or entry bundle; `full` when it never changes."""

    data: bytes
    full: bool


class Log:
    """The use cases of the log. `policy` is the text that the operator gives out. Safe to call from several threads."""

    def __init__(self, store: Store, sequencer: Sequencer, clock: Clock, policy: str) -> None:
        self._store = store
        self._sequencer = sequencer
        self._clock = clock
        self.policy = policy
        self._policy = Policy.parse(policy.encode())
        self._witnesses = [f"{one.key.name}+{one.key.key_id.hex()}" for one in self._policy.witnesses]
        self._shown = 0
        self._warned: dict[str, int] = {}

    def evidence(self, m: str, since: int, wait_for: str | None) -> Evidence:
        """What stands of the match, with proofs; `since` is the size that the client holds, `wait_for` a type of leaf
        that it will not go on without.

        Raises UnknownMatch, AheadOfLog, NotLoggedYet while that leaf is not due, LogStuck.
        """
        if self._store.table(m) is None and not self._store.match_leaves(m):
            raise UnknownMatch("there is no such match")
        newest, leaves = self._leaves(m, wait_for)
        if since > newest.size:
            self._warn("somebody asks from beyond the log", since)
            raise AheadOfLog("the log has not so many leaves", {"size": newest.size})
        subtrees = self._subtrees(newest.size)
        consistency = consistency_proof(since, newest.size, subtrees)
        return Evidence(newest.text, consistency, _proven(leaves, newest.size, subtrees))

    def check_seen(self, size: int, root: bytes) -> None:
        """Raises IllegalAction unless the log had that root at that size: what a `join` says its program has seen."""
        newest = self._sequencer.newest().size
        if size <= newest and root == (tree_root(size, self._subtrees(newest)) if size else EMPTY_ROOT):
            return
        if size:
            self._warn("a join has seen a checkpoint that is not this log's", size)
        raise IllegalAction("the log is not the one that the join has seen", {"reason": "seen"})

    def bundle_part(self, m: str, seen: Iterable[int]) -> LogPart:
        """What the bundle of a match that has closed says of the log; `seen` are the sizes that its joins name.

        Raises NotLoggedYet, LogStuck.
        """
        newest, leaves = self._leaves(m, "close")
        signed = self._best(leaves[-1].index + 1) or newest
        subtrees = self._subtrees(signed.size)
        proofs = tuple(
            SeenProof(size, _hex(consistency_proof(size, signed.size, subtrees))) for size in sorted(set(seen) - {0})
        )
        return LogPart(signed.text, proofs, _proven(leaves, signed.size, subtrees))

    def checkpoint(self) -> str:
        """What the log shows everybody: the newest checkpoint that enough witnesses have cosigned, or, once that is
        older than a minute, the newest of all. Never a smaller one than before. Raises LogStuck before the first.
        """
        shown, now = self._sequencer.newest(), self._clock.now_ms() // 1_000
        # A time that is far ahead is a wrong clock or a lie, and would stand for ever.
        fresh = range(now - _WITNESSED_SECONDS, now + _WITNESSED_SECONDS + 1)
        if (witnessed := self._best(0)) is not None:
            opened = self._policy.open(witnessed.text)
            if any(cosignature.timestamp in fresh for cosignature in opened.cosignatures):
                shown = witnessed
        if shown.size < self._shown:
            shown = self._store.checkpoint(self._shown) or shown
        self._shown = shown.size
        return shown.text

    def checkpoint_of(self, size: int) -> str | None:
        """The checkpoint of that size, if there is one."""
        found = self._store.checkpoint(size) if size <= self._sequencer.newest().size else None
        return None if found is None else found.text

    def checkpoint_sizes(self, since: int, limit: int) -> tuple[int, ...]:
        """The sizes above `since` that there are checkpoints of, ascending."""
        newest = self._sequencer.newest().size
        return tuple(size for size in self._store.checkpoint_sizes(since, limit) if size <= newest)

    def file(self, path: str) -> LogFile | None:
        """The tile or entry bundle of that path; None when the log has not come so far. Raises Malformed."""
        named, size = parse_path(path), self._sequencer.newest().size
        level = 0 if isinstance(named, EntryBundle) else named.level
        first = named.index << TILE_HEIGHT
        if size >> TILE_HEIGHT * level < first + named.width:
            return None
        if isinstance(named, EntryBundle):
            data = format_entries(self._store.leaves(first, first + named.width))
        else:
            data = read_tile(self._store, named)
        return LogFile(data, named.width == TILE_WIDTH)

    def _warn(self, what: str, held: int) -> None:
        """Anybody can say so of any size, as often as they like, and nothing is signed: told once a minute."""
        minute = self._clock.now_ms() // _WARN_MS
        if self._warned.get(what) != minute:
            self._warned[what] = minute
            log.warning(what, extra={"held": held})

    def _leaves(self, m: str, wait_for: str | None) -> tuple[SignedCheckpoint, tuple[LoggedLeaf, ...]]:
        """The newest checkpoint, and the match's leaves under it, the one of the type `wait_for` among them.

        Raises NotLoggedYet when that one does not even wait for its index.
        """
        for all_that_waits in (False, True):
            if all_that_waits:
                self._sequencer.sequence()
            newest = self._sequencer.newest()
            leaves = tuple(one for one in self._store.match_leaves(m) if one.index < newest.size)
            if wait_for is None or wait_for in [parse_leaf(one.leaf)["type"] for one in leaves]:
                return newest, leaves
        raise NotLoggedYet(f"the log has no {wait_for} of this match yet")

    def _best(self, least: int) -> SignedCheckpoint | None:
        """The newest checkpoint of `least` leaves or more that the operator's own policy believes for its witnesses."""
        if self._policy.quorum != NO_QUORUM:
            enough = self._policy.fewest()
            for signed in self._store.cosigned_checkpoints(least, self._witnesses, enough, _CANDIDATES):
                with suppress(FairdealError):
                    self._policy.open(signed.text)
                    return signed
        return None

    def _subtrees(self, size: int) -> Subtrees:
        return subtrees_of_tiles(size, lambda tile: read_tile(self._store, tile))


def _proven(leaves: Iterable[LoggedLeaf], size: int, subtrees: Subtrees) -> tuple[ProvenLeaf, ...]:
    return tuple(
        ProvenLeaf(one.index, parse_leaf(one.leaf), _hex(inclusion_proof(one.index, size, subtrees))) for one in leaves
    )


def _hex(hashes: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(one.hex() for one in hashes)
