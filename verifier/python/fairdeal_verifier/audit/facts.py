"""What a match says of itself, once its transcript was read: all that the rest of an audit asks of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fairdeal_verifier import canonical
from fairdeal_verifier.events import Event, Join, Resume, Settle


@dataclass(slots=True)
class Facts:
    """Plain values, so that they travel between processes and into the auditor's notes.

    `players` by seat, empty unless all seats joined; `lines` (account, amount) of the settlement; `seen` (event, size,
    root) of the joins that name a size; `resumes` (from, to). `fault` (step, cause, place) is what broke, if anything;
    `seats` is 0 when not even event 0 could be read.
    """

    m: str
    opened_at: int
    close_by: int
    receipt_key: str
    asset: str
    stake: int
    seats: int
    events: int = 1
    signatures: int = 0
    players: list[str] = field(default_factory=list)
    lines: list[tuple[str, int]] = field(default_factory=list)
    seen: list[tuple[int, int, str]] = field(default_factory=list)
    resumes: list[tuple[int, int]] = field(default_factory=list)
    fault: tuple[int, str, int | None] | None = None

    def take(self, events: Sequence[Event], lines: Sequence[bytes]) -> None:
        """What the events after the first one add; `lines` are their bytes."""
        players: dict[int, str] = {}
        for n, event in enumerate(events):
            match event:
                case Join():
                    data: Any = canonical.decode(lines[n])
                    players.setdefault(event.by, data["data"]["do"]["join"]["player"])
                    if event.seen_size:
                        self.seen.append((n, event.seen_size, event.seen_root.hex()))
                case Resume():
                    self.resumes.append((event.start, event.stop))
                case Settle():
                    self.lines = list(event.lines)
                case _:
                    pass
        self.events = len(events)
        if len(players) == self.seats:
            self.players = [players[seat] for seat in range(self.seats)]


def facts_of_open(line: bytes) -> Facts:
    """Those of event 0, whose schema was checked."""
    event: Any = canonical.decode(line)
    data = event["data"]
    return Facts(
        data["m"], event["t"], data["close_by"], data["receipt_key"], data["asset"]["code"],
        data["stake"], data["seats"],
    )  # fmt: skip


_SHAPES: dict[str, Any] = {
    "m": str, "opened_at": int, "close_by": int, "receipt_key": str, "asset": str, "stake": int, "seats": int,
    "events": int, "signatures": int, "players": [str], "lines": [(str, int)], "seen": [(int, int, str)],
    "resumes": [(int, int)],
}  # fmt: skip
"""Of the members: a type, a list of one shape, or a list of these shapes one after the other."""


def facts_of_notes(value: dict[str, Any]) -> Facts:
    """Those that were kept as JSON, a tuple as a list; raises TypeError, ValueError, KeyError."""
    fault = value["fault"]
    right = fault is None or _fits(fault, (int, str, int)) or _fits(fault, (int, str, type(None)))
    if not right or not all(_fits(value[name], shape) for name, shape in _SHAPES.items()):
        raise ValueError("not what is kept of a match")
    bytes.fromhex(value["receipt_key"])
    return Facts(**value)


def _fits(value: Any, shape: Any) -> bool:
    match shape:
        case [every]:
            return type(value) is list and all(_fits(one, every) for one in value)
        case type():
            return type(value) is shape
    return type(value) is list and len(value) == len(shape) and all(map(_fits, value, shape))
