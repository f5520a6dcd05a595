"""Going on with an older database (protocol section 7.5): the log keeps all it had, live matches end as lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairdeal.app.log_keys import LogKeys
from fairdeal.app.log_ports import LogCopy
from fairdeal.app.matches import Matches
from fairdeal.app.outside import is_older, missing_leaves
from fairdeal.app.ports import Store
from fairdeal.app.sequencer import Sequencer
from fairdeal.match.leaves import parse_leaf


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done: how many leaves came back, which matches ended as lost, and those that the log had closed before
    with their `close`: their stakes went back too, so that what they came to is to be settled by hand.
    """

    leaves: int
    lost: tuple[str, ...]
    closed_before: tuple[dict[str, Any], ...]


def restore(store: Store, matches: Matches, keys: LogKeys, sequencer: Sequencer, copy: LogCopy, now: int) -> Restored:
    """Once the service is stopped. Whatever breaks on the way, it is begun again from the start: until the heartbeat
    is moved, which comes last, the service does not run. Raises LogBehind, and what `check_copy` does.
    """
    missing = missing_leaves(store, keys, copy)
    older = bool(missing) or is_older(store, copy)
    closed = {leaf["m"]: leaf for leaf in map(parse_leaf, missing) if leaf["type"] == "close"}
    with copy.alone():
        copy.cut(store.log_head().size + len(missing))  # what was never published comes no more
    store.replace_queue((*missing, *_still_waiting(store, missing)))
    unfinished = store.unfinished_matches() if older else ()
    for m in unfinished:
        matches.lose(m, now, logged=m in closed)
    sequencer.append()
    sequencer.begin()
    store.beat(max(now, copy.last_beat()))
    return Restored(
        leaves=len(missing),
        lost=tuple(m for m in unfinished if m not in closed),
        closed_before=tuple(closed[m] for m in unfinished if m in closed),
    )


def _still_waiting(store: Store, missing: Sequence[bytes]) -> list[bytes]:
    """What the older database had queued and the log does not have: a match has each leaf once."""
    there = {_name(leaf) for leaf in missing}
    waiting = store.queued_leaves(None)
    return [one.leaf for one in waiting if _name(one.leaf) not in there]


def _name(leaf: bytes) -> object:
    """What stands once in a log: a type of leaf of a match, or any other leaf."""
    parsed = parse_leaf(leaf)
    return (parsed["type"], parsed["m"]) if "m" in parsed else leaf
