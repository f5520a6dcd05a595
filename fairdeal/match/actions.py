"""Signed actions: what a seat sends (protocol section 2.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from fairdeal import canonical
from fairdeal.errors import Malformed
from fairdeal.keys import SigningKey
from fairdeal.limits import HASH_BYTES, MAX_TREE_SIZE, SIGNATURE_BYTES
from fairdeal.match.events import Event
from fairdeal.match.schema import ACT, JOIN, SEED, hexadecimal, integer, record, seat

_LABEL: Final = b"fairdeal/1 action\n"
_DO: Final = {"join": JOIN, "seed": SEED}


def _do(value: object) -> None:
    _DO.get(_type_of(value), ACT)(value)


def _type_of(do: object) -> str:
    return next((name for name in _DO if isinstance(do, dict) and name in do), "act")


_FORM: Final = record(
    {
        "do": _do,
        "root": hexadecimal(HASH_BYTES),
        "seat": seat,
        "sig": hexadecimal(SIGNATURE_BYTES),
        "size": integer(1, MAX_TREE_SIZE),
    }
)


def action_message(m: str, do: dict[str, Any], root: str, seat: int, size: int) -> bytes:
    """The bytes a seat signs: `do` over the history of `size` events with that root (64 hex) in match `m`."""
    return _LABEL + canonical.encode({"do": do, "m": m, "root": root, "seat": seat, "size": size})


@dataclass(frozen=True, slots=True)
class SignedAction:
    """A join, a seed or an act of a seat, over the first `size` events with that `root`; hex as in the event."""

    do: dict[str, Any]
    root: str
    seat: int
    sig: str
    size: int

    @property
    def type(self) -> str:
        """The type of the event it becomes: join, seed or act."""
        return _type_of(self.do)

    @classmethod
    def sign(cls, key: SigningKey, m: str, do: dict[str, Any], root: str, seat: int, size: int) -> Self:
        """The action, signed."""
        return cls(do, root, seat, key.sign(action_message(m, do, root, seat, size)).hex(), size)

    @classmethod
    def parse(cls, value: object) -> Self:
        """The action written by a decoded JSON object with exactly these members. Raises Malformed."""
        _FORM(value)
        if not isinstance(value, dict):
            raise Malformed("not an action")
        return cls(**value)

    def to_json(self) -> dict[str, Any]:
        """The object that `parse` reads."""
        return {"do": self.do, "root": self.root, "seat": self.seat, "sig": self.sig, "size": self.size}


def retry_of(lines: Sequence[bytes], action: SignedAction) -> int | None:
    """The index of the event that this very action already became; None when it became none.

    `lines` are those of the whole transcript; few of them are looked at. To be asked before any other check: a repeated
    action is answered, not refused.
    """
    # A join or a seed stands at some place from the size it signs on, an act at exactly that place.
    end = action.size + 1 if action.type == "act" else len(lines)
    for line in lines[action.size : end]:
        event = Event.parse(line)
        if event.type == action.type and event.by == action.seat:
            same = (event.data["do"], event.data["root"], event.data["sig"]) == (action.do, action.root, action.sig)
            return event.n if same else None
    return None
