"""The two files that a player takes away (protocol section 5): the bundle of a match and the held file of a seat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fairdeal import canonical
from fairdeal.belote import VALUES
from fairdeal.canonical import Json
from fairdeal.cards import PACK
from fairdeal.errors import Malformed
from fairdeal.limits import (
    HASH_BYTES,
    KEY_BYTES,
    MATCH_ID_BYTES,
    MAX_BUNDLE_BYTES,
    MAX_EVENT_BYTES,
    MAX_LOG_LINE_BYTES,
    MAX_PROOF_HASHES,
    MAX_SEATS,
    MAX_TREE_SIZE,
    SIGNATURE_BYTES,
)
from fairdeal.match.events import Event
from fairdeal.match.leaves import MATCH_LEAVES, check_match_leaf
from fairdeal.match.schema import ACT, hexadecimal, integer, list_of, one_of, record, seat, text

BUNDLE_FORMAT: Final = "fairdeal/bundle@1"
HELD_FORMAT: Final = "fairdeal/held@1"

_note: Final = text(r"(?s:.+)")
_proof: Final = list_of(hexadecimal(HASH_BYTES), 0, MAX_PROOF_HASHES)
_leaves: Final = list_of(record({"index": integer(), "leaf": check_match_leaf, "proof": _proof}), 1, len(MATCH_LEAVES))
_HEADER: Final = record({"format": one_of(BUNDLE_FORMAT), "head": _note})
_LOGGED_HEADER: Final = record(
    {
        "checkpoint": _note,
        "consistency": list_of(record({"proof": _proof, "size": integer(1)}), 0, MAX_SEATS),
        "format": one_of(BUNDLE_FORMAT),
        "head": _note,
        "leaves": _leaves,
    }
)
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
_HELD_LOG: Final = record({"checkpoint": _note, "leaves": _leaves})


@dataclass(frozen=True, slots=True)
class ProvenLeaf:
    """A leaf of a match in the log of all matches, and its inclusion proof (hashes in hex)."""

    index: int
    leaf: dict[str, Any]
    proof: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        """Its form in a file and in an answer."""
        return {"index": self.index, "leaf": self.leaf, "proof": list(self.proof)}


@dataclass(frozen=True, slots=True)
class SeenProof:
    """The consistency proof (hashes in hex) from the log's first `size` leaves to the checkpoint beside it."""

    size: int
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogPart:
    """What a bundle's header says of the log: a checkpoint, the match's leaves under it, and proofs from what was
    `seen`, by ascending size.
    """

    checkpoint: str
    consistency: tuple[SeenProof, ...]
    leaves: tuple[ProvenLeaf, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle: the match's last receipt, its events, and what stands of it in the log, where there is one."""

    head: str
    events: tuple[Event, ...]
    log: LogPart | None = None


@dataclass(frozen=True, slots=True)
class HeldLine:
    """What a seat was shown at one size: the receipt, its view, and the view's signature in hex."""

    receipt: str
    sig: str
    view: dict[str, Any]

    def to_json(self) -> dict[str, Json]:
        """Its form in the file."""
        return {"receipt": self.receipt, "sig": self.sig, "view": self.view}


@dataclass(frozen=True, slots=True)
class HeldLog:
    """What a seat was shown of the log: a checkpoint and proven leaves of its match."""

    checkpoint: str
    leaves: tuple[ProvenLeaf, ...]

    def to_json(self) -> dict[str, Json]:
        """Its form in the file."""
        return {"checkpoint": self.checkpoint, "leaves": [leaf.to_json() for leaf in self.leaves]}


@dataclass(frozen=True, slots=True)
class Held:
    """A held file: whose it is (the seat's public key in hex, match, seat), and what that seat was shown, in order."""

    key: str
    m: str
    seat: int
    lines: tuple[HeldLine | HeldLog, ...]


def write_bundle(head: str, lines: Sequence[bytes], log: LogPart | None = None) -> bytes:
    """The bundle of these event lines (without LF) under the receipt `head`, with what the log has of the match.

    Raises Malformed over 16 MiB.
    """
    header: dict[str, Json] = {"format": BUNDLE_FORMAT, "head": head}
    if log is not None:
        header |= {
            "checkpoint": log.checkpoint,
            "consistency": [{"proof": list(seen.proof), "size": seen.size} for seen in log.consistency],
            "leaves": [leaf.to_json() for leaf in log.leaves],
        }
    return _joined([canonical.encode(header), *lines])


def parse_bundle(data: bytes) -> Bundle:
    """The bundle written by `data`; no signature, root, proof or rule is looked at. Raises Malformed, KeyRefused."""
    first, *lines = _split(data)
    header: Any = canonical.decode(first, limit=MAX_LOG_LINE_BYTES)
    log = None
    if type(header) is dict and "checkpoint" in header:
        _LOGGED_HEADER(header)
        sizes = [seen["size"] for seen in header["consistency"]]
        if sizes != sorted(set(sizes)):
            raise Malformed("consistency proofs by ascending size")
        seen = tuple(SeenProof(one["size"], tuple(one["proof"])) for one in header["consistency"])
        log = LogPart(header["checkpoint"], seen, proven_leaves(header["leaves"]))
    else:
        _HEADER(header)
    return Bundle(header["head"], tuple(Event.parse(line) for line in lines), log)


def proven_leaves(value: object) -> tuple[ProvenLeaf, ...]:
    """The leaves of one match with their proofs, as they stand in a header, a held file or an answer, `open` first.

    No proof is looked at. Raises Malformed.
    """
    _leaves(value)
    assert isinstance(value, list)
    types = [one["leaf"]["type"] for one in value]
    if types != [kind for kind in MATCH_LEAVES if kind in types] or types[0] != "open":
        raise Malformed("a match's leaves stand in their order, each once, from `open` on")
    return tuple(ProvenLeaf(one["index"], one["leaf"], tuple(one["proof"])) for one in value)


def write_held(held: Held) -> bytes:
    """The held file. Raises Malformed over 16 MiB."""
    header = canonical.encode({"format": HELD_FORMAT, "key": held.key, "m": held.m, "seat": held.seat})
    return _joined([header, *(canonical.encode(line.to_json()) for line in held.lines)])


def parse_held(data: bytes) -> Held:
    """The held file written by `data`; no signature, root or proof is looked at. Raises Malformed."""
    first, *lines = _split(data)
    header: Any = canonical.decode(first, limit=MAX_EVENT_BYTES)
    _HELD_HEADER(header)
    return Held(header["key"], header["m"], header["seat"], tuple(map(_held_line, lines)))


def _held_line(line: bytes) -> HeldLine | HeldLog:
    value: Any = canonical.decode(line, limit=MAX_LOG_LINE_BYTES)
    if type(value) is dict and "checkpoint" in value:
        _HELD_LOG(value)
        return HeldLog(value["checkpoint"], proven_leaves(value["leaves"]))
    if len(line) > MAX_EVENT_BYTES:
        raise Malformed(f"a receipt line over {MAX_EVENT_BYTES} bytes")
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
