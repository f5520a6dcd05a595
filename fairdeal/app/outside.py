"""The log's copy outside of the database: keeping it, and holding the database against it (protocol section 7.5)."""

import logging
from itertools import islice
from typing import Final

from fairdeal.app.log_keys import LogKeys
from fairdeal.app.log_ports import LogCopy, LogStore
from fairdeal.app.ports import Store
from fairdeal.app.sequencer import kept_checkpoint, load_edge, root_at
from fairdeal.errors import LogBehind
from fairdeal.tlog import Checkpoint, leaf_hash

log = logging.getLogger("fairdeal.log")

_REMEDY: Final = "put back the newest database there is, or, when it is lost, run `fairdeal restore`"
_COMPARED: Final = 4_096
"""Leaves that are compared at a time."""


def check_copy(store: Store, keys: LogKeys, copy: LogCopy) -> None:
    """To be called before anything is appended. Raises LogBehind unless the database has all that the copy has."""
    # The database after the copy: another process may be writing both, the database first.
    kept, beat = kept_checkpoint(keys, copy), copy.last_beat()
    head = store.log_head()
    if kept is not None and kept.size > head.size:
        raise LogBehind(
            f"the log's copy in {copy.place} has {kept.size} leaves and this database {head.size}: it is an older one,"
            f" and would go on with a second history; {_REMEDY}. (One of another log needs a copy of its own:"
            " FAIRDEAL_LOG_COPY)"
        )
    if kept is not None:
        _check_same(store, kept)
    if beat > (store.last_beat() or 0):
        raise LogBehind(f"the heartbeat beside the log's copy is later than this database's: {_REMEDY}")
    if copy.size > head.size:
        log.warning("leaves of the copy that were never published are dropped", extra={"leaves": copy.size - head.size})
        with copy.alone():
            copy.cut(head.size)
    _cut_damage(store, copy)
    if copy.size < head.size:
        log.warning("the log's copy is completed", extra={"from": copy.size, "to": head.size})


def is_older(store: Store, copy: LogCopy) -> bool:
    """Whether the service lived on after this database was taken aside: moves without a leaf may be missing."""
    return copy.last_beat() > (store.last_beat() or 0)


def missing_leaves(store: LogStore, keys: LogKeys, copy: LogCopy) -> tuple[bytes, ...]:
    """The leaves that the copy has and the database has not, checked against the copy's checkpoint. Raises LogBehind
    when they do not continue the database's own, or the database went on from another point with others.
    """
    kept, head = kept_checkpoint(keys, copy), store.log_head()
    if kept is None:
        return ()
    if kept.size <= head.size:
        _check_same(store, kept)
        return ()
    missing = tuple(copy.leaves(head.size, kept.size))
    edge, _ = load_edge(store).append([leaf_hash(leaf) for leaf in missing])
    if (edge.size, edge.root()) != (kept.size, kept.root):
        raise LogBehind("the leaves of the log's copy do not continue this database: one of them is of another log")
    return missing


def _check_same(store: LogStore, kept: Checkpoint) -> None:
    if kept.root != root_at(store, kept.size):
        raise LogBehind(
            "the log's copy and this database have different leaves: it is another log's, or an older one that went on"
            " by itself, and no `fairdeal restore` helps it: put back the newest database of this log, or a backup"
        )


def _cut_damage(store: LogStore, copy: LogCopy) -> None:
    """Drops the copy's leaves from the first one on that is not the database's: they are needed when that is lost."""
    place, theirs = 0, copy.leaves(0, copy.size)
    while place < copy.size and (own := store.leaves(place, min(place + _COMPARED, copy.size))):
        told = tuple(islice(theirs, len(own)))
        if told != own:
            place += next((n for n, pair in enumerate(zip(own, told, strict=False)) if pair[0] != pair[1]), len(told))
            log.error("the log's copy was damaged", extra={"index": place})
            with copy.alone():
                copy.cut(place)
            return
        place += len(own)
