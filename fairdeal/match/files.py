"""The two files that a player takes away (protocol section 5): the bundle of a match and the held file of a seat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fairdeal import canonical
from fairdeal.belote import VALUES
from fairdeal.cards import PACK
from fairdeal.errors import Malformed
from fairdeal.limits import (
    KEY_BYTES,
    MATCH_ID_BYTES,
    MAX_BUNDLE_BYTES,
    MAX_JSON_BYTES,
    MAX_TREE_SIZE,
    SIGNATURE_BYTES,
)
from fairdeal.match.events import Event
from fairdeal.match.schema import ACT, hexadecimal, integer, list_of, one_of, record, seat, text

BUNDLE_FORMAT: Final = "fairdeal/bundle@1"
HELD_FORMAT: Final = "fairdeal/held@1"

_note: Final = text(r"(?s:.+)")
_BUNDLE_HEADER: Final = record({"format": one_of(BUNDLE_FORMAT), "head": _note})
_HELD_HEADER: Final = record(
    {
        "format": one_of(HELD_FORMAT),
        "key": hexadecimal(KEY_BYTES),
        "m": hexadecimal(MATCH_ID_BYTES),
        "seat": seat,
    }
)
_ACTIONS_LISTED: Final = 1 + 4 * len(VALUES)
"""No hand and no auction offers more than the first word of a coinche."""
check_view: Final = record(
    {
        "hand": list_of(text("[SHDC](7|8|9|10|J|Q|K|A)"), 0, len(PACK)),
        "legal": list_of(ACT, 0, _ACTIONS_LISTED),
        "m": hexadecimal(MATCH_ID_BYTES),
        "seat": seat,
        "size": integer(1, MAX_TREE_SIZE),
    }
)
"""Raises Malformed unless this has the form of a view: one of another form would spoil a held file."""
_HELD_LINE: Final = record({"receipt": _note, "sig": hexadecimal(SIGNATURE_BYTES), "view": check_view})


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle: the match's last receipt, and its events."""

    head: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class HeldLine:
    """What a seat was shown at one size: the receipt, its view, and the view's signature in hex."""

    receipt: str
    sig: str
    view: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """A held file: whose it is (the seat's public key in hex, match, seat), and what that seat was shown, in order."""

    key: str
    m: str
    seat: int
    lines: tuple[HeldLine, ...]


def write_bundle(head: str, lines: Sequence[bytes]) -> bytes:
    """The bundle of these event lines (without LF) under the receipt `head`. Raises Malformed over 16 MiB."""
    return _joined([canonical.encode({"format": BUNDLE_FORMAT, "head": head}), *lines])


def parse_bundle(data: bytes) -> Bundle:
    """The bundle written by `data`; no signature, root or rule is looked at. Raises Malformed, KeyRefused."""
    first, *lines = _split(data)
    header: Any = canonical.decode(first, limit=MAX_JSON_BYTES)
    _BUNDLE_HEADER(header)
    return Bundle(header["head"], tuple(Event.parse(line) for line in lines))


def write_held(held: Held) -> bytes:
    """The held file. Raises Malformed over 16 MiB."""
    header = canonical.encode({"format": HELD_FORMAT, "key": held.key, "m": held.m, "seat": held.seat})
    shown = [canonical.encode({"receipt": line.receipt, "sig": line.sig, "view": line.view}) for line in held.lines]
    return _joined([header, *shown])


def parse_held(data: bytes) -> Held:
    """The held file written by `data`; no signature or root is looked at. Raises Malformed."""
    first, *lines = _split(data)
    header: Any = canonical.decode(first, limit=MAX_JSON_BYTES)
    _HELD_HEADER(header)
    return Held(header["key"], header["m"], header["seat"], tuple(map(_held_line, lines)))


def _held_line(line: bytes) -> HeldLine:
    value: Any = canonical.decode(line, limit=MAX_JSON_BYTES)
    _HELD_LINE(value)
    return HeldLine(**value)


def _joined(lines: Sequence[bytes]) -> bytes:
    data = b"".join(line + b"\n" for line in lines)
    if len(data) > MAX_BUNDLE_BYTES:
        raise Malformed(f"over {MAX_BUNDLE_BYTES} bytes")
    return data


def _split(data: bytes) -> list[bytes]:
    if len(data) > MAX_BUNDLE_BYTES:
        raise Malformed(f"over {MAX_BUNDLE_BYTES} bytes")
    if not data.endswith(b"\n"):
        raise Malformed("the last line does not end in LF")
    return data[:-1].split(b"\n")
