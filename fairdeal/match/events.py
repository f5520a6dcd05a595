"""Events: one canonical line each, the only form in which a match is kept, hashed and sent (protocol section 2.1)."""

from dataclasses import dataclass
from typing import Any, Final, Self

from fairdeal import canonical
from fairdeal.errors import Malformed
from fairdeal.limits import MAX_EVENT_BYTES, MAX_SAFE_INTEGER, MAX_SEATS
from fairdeal.match.schema import DATA, integer, record
from fairdeal.match.terms import Terms

SERVER: Final = -1
"""Who an event of the server is by."""
SEAT_EVENTS: Final = frozenset({"join", "seed", "act"})
"""The types that a seat signs; every other one is the server's."""

_ENVELOPE: Final = record(
    {
        "by": integer(SERVER, MAX_SEATS - 1),
        "data": lambda _: None,
        "n": integer(),
        "t": integer(0, MAX_SAFE_INTEGER),
        "type": lambda _: None,
    }
)


@dataclass(frozen=True, slots=True)
class Event:
    """Event number `n` (from 0) at server time `t` (ms); `by` is a seat, or −1 for the server.

    `data` has exactly the members that protocol section 2.1 gives for `type`; `line` is the event's bytes without LF, a
    leaf of the match's tree.
    """

    n: int
    t: int
    by: int
    type: str
    data: dict[str, Any]
    line: bytes

    @classmethod
    def make(cls, n: int, t: int, by: int, type: str, data: dict[str, Any]) -> Self:  # noqa: A002
        """The event with its line. Raises Malformed when that is no event or over 16 KiB."""
        _check(by, type, data)
        line = canonical.encode({"by": by, "data": data, "n": n, "t": t, "type": type})
        if len(line) > MAX_EVENT_BYTES:
            raise Malformed(f"an event over {MAX_EVENT_BYTES} bytes")
        return cls(n, t, by, type, data, line)

    @classmethod
    def parse(cls, line: bytes) -> Self:
        """The event that a line (without LF) writes. Raises Malformed; KeyRefused for a weak receipt key."""
        value: Any = canonical.decode(line, limit=MAX_EVENT_BYTES)
        _ENVELOPE(value)
        _check(value["by"], value["type"], value["data"])
        return cls(value["n"], value["t"], value["by"], value["type"], value["data"], line)


def _check(by: int, type: object, data: Any) -> None:  # noqa: A002
    check = DATA.get(type) if isinstance(type, str) else None
    if check is None:
        raise Malformed("unknown type of event")
    if (by == SERVER) == (type in SEAT_EVENTS):
        raise Malformed("by is a seat for what seats sign, else the server")
    check(data)
    if type == "open":
        Terms.parse(data)
