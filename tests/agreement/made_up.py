"""A log of all matches made up afterwards, around a match as its forger would have it.

It begins as the true one, which is what the seats have seen, and has no cosignature: no witness was there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fairdeal import canonical
from fairdeal.errors import Malformed
from fairdeal.match import LOST, MATCH_LEAVES, HeldLog, LogPart, parse_leaf
from tests.agreement.mutants import EventDict
from tests.simulator import Played, ServiceLog

LeafDict = dict[str, Any]

_OUTCOMES: Final = {
    "target": "played", "overruns": "forfeit", "resigned": "forfeit", "seed": "no_seed", "cancelled": "cancelled",
    "void": "void",
}  # fmt: skip


def is_closed(events: Sequence[EventDict]) -> bool:
    """Protocol 6.1, but for a lost copy."""
    types = [event["type"] for event in events]
    if "settle" in types:
        return True
    if "reveal" not in types:
        return False
    seats = {event["by"] for event in events if event["type"] == "join"}
    terms = events[0]["data"]
    return "reveal" in types[:-1] or terms["stake"] == 0 or len(seats) < terms["seats"]


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A log, the match in it that its forger is about, and the sizes that its seats had seen."""

    log: ServiceLog
    m: str
    seen: tuple[int, ...]

    def part(self) -> LogPart:
        """What the bundle's header says."""
        return self.log.part(self.m, self.log.size, self.seen)

    def held(self, line: HeldLog) -> HeldLog:
        """What the service would have answered instead of this."""
        return self.log.held(self.m, min(log_size(line.checkpoint), self.log.size))


def log_size(checkpoint: str) -> int:
    return int(checkpoint.split("\n")[1])


def make_up(match: Played, events: Sequence[EventDict], root: Callable[[int], bytes]) -> MadeUp:
    """The log in which the match is these events; `root` gives Root(size) of them.

    Where these are no events of a match, or no leaf could say what they say, the log stays as it is.
    """
    log, m = match.service_log, match.state.terms.m
    true = {leaf["type"]: (index, leaf) for index, leaf in log.own(m)}
    leaves = log.leaves
    try:
        new = {leaf["type"]: canonical.encode(leaf) for leaf in _due(events, root, true["close"][1])}
        m = {parse_leaf(leaf)["m"] for leaf in new.values()}.pop()
        leaves = list(_woven(log.leaves, {index: kind for kind, (index, _) in true.items()}, new))
    except (AttributeError, IndexError, KeyError, TypeError, Malformed):
        pass
    seen = tuple(size for size in _seen(events) if size <= len(leaves))
    return MadeUp(log.with_leaves(leaves, ()), m, seen)


def seen_again(match: Played, open_leaf: LeafDict) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What a seat would say it had seen, of a log with this first leaf of the match, where it said the truth."""
    log = match.service_log
    index = log.own(match.state.terms.m)[0][0]
    other = log.with_leaves([*log.leaves[:index], canonical.encode(open_leaf), *log.leaves[index + 1 :]], ())

    def again(seen: dict[str, Any]) -> dict[str, Any]:
        size = seen["size"]
        return other.seen(size) if size <= log.size and seen == log.seen(size) else seen

    return again


def _due(events: Sequence[EventDict], root: Callable[[int], bytes], close: LeafDict) -> Iterator[LeafDict]:
    """The leaves that these events ask for; `close` is the true one."""
    terms, types = events[0]["data"], [event["type"] for event in events]
    m, seats, have = terms["m"], terms["seats"], len(events)
    if seats not in (2, 4):
        raise Malformed("no game has so many seats")
    yield {"commitment": terms["commitment"], "m": m, "root": root(1).hex(), "type": "open"}
    if types[1 : seats + 1] == ["join"] * seats:
        yield {"m": m, "root": root(seats + 1).hex(), "type": "full"}
    if "deal" in types:
        size = types.index("deal") + 1
        yield {"m": m, "root": root(size).hex(), "size": size, "type": "start"}
    closing = {"m": m, "root": root(have).hex(), "server_seed": close["server_seed"], "size": have, "type": "close"}
    if is_closed(events):
        yield closing | _outcome(events)
    elif close.get("cause") == LOST:
        yield closing | {"cause": LOST, "outcome": "void"}


def _outcome(events: Sequence[EventDict]) -> LeafDict:
    """What a `close` leaf says by the first `end` and `reveal`."""
    end, reveal = (
        next((event["data"] for event in events if event["type"] == kind), None) for kind in ("end", "reveal")
    )
    said: LeafDict = {"outcome": "played" if end is None else _OUTCOMES[end["reason"]]}
    if reveal is not None:
        said["server_seed"] = reveal["server_seed"]
    if end is not None and end["reason"] == "void":
        said["cause"] = end["cause"]
    if end is not None and end["reason"] == "seed":
        sent = {event["by"] for event in events if event["type"] == "seed"}
        said["seats"] = [seat for seat in range(events[0]["data"]["seats"]) if seat not in sent]
    return said


def _woven(leaves: Sequence[bytes], own: Mapping[int, str], new: Mapping[str, bytes]) -> Iterator[bytes]:
    """The true leaves with new ones in the place of the match's own; those that it had not, before its `close`.

    Of a match that has not closed the log is shown as it was before.
    """
    for index, leaf in enumerate(leaves):
        kind = own.get(index)
        if kind is None:
            yield leaf
            continue
        if kind == "close":
            yield from (new[other] for other in MATCH_LEAVES if other in new and other not in own.values())
            if kind not in new:
                return
        if kind in new:
            yield new[kind]


def _seen(events: Sequence[EventDict]) -> Iterator[int]:
    for event in events:
        try:
            size = event["data"]["do"]["join"]["seen"]["size"]
        except (KeyError, TypeError):
            continue
        if type(size) is int and size > 0:
            yield size
