"""The leaves of the log of all matches, each by its exact schema (protocol 7.2)."""

from typing import NamedTuple

from fairdeal_verifier import canonical
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.errors import NoteRefused, SchemaRefused
from fairdeal_verifier.fields import choice, hex16, hex32, hex64, integer, items, members
from fairdeal_verifier.notes import SIGNS, VerifierKey, parse_verifier_key
from fairdeal_verifier.rulesets import MOST_SEATS

MAX_LEAF_BYTES = 16_384
"""Protocol 7.2."""
MATCH_LEAVES = ("open", "full", "start", "close")
"""The types of those of a match, in their order."""
LOST = "lost"
"""The cause of the `close` of a match that a restored store still had live (protocol 7.5)."""


class OpenLeaf(NamedTuple):
    """A table is opened; `root` is Root(1)."""

    commitment: bytes
    m: str
    root: bytes


class FullLeaf(NamedTuple):
    """All seats joined; `root` is the table root."""

    m: str
    root: bytes


class StartLeaf(NamedTuple):
    """All seeds are there; `size` counts the events up to the first `deal`, that one included."""

    m: str
    root: bytes
    size: int


class CloseLeaf(NamedTuple):
    """A match is over, after `size` events. `seats`: those that sent no seed; `cause`: of a void match."""

    m: str
    outcome: str
    root: bytes
    server_seed: bytes
    size: int
    seats: tuple[int, ...] | None
    cause: str | None

    @property
    def is_lost(self) -> bool:
        """Whether the match ended by this leaf alone, without an `end` event."""
        return self.cause == LOST


class LedgerLeaf(NamedTuple):
    """The money journal at one size."""

    root: bytes
    size: int


class OutageLeaf(NamedTuple):
    """The service was out from `start` to `stop`, in ms: the numbers of its `resume` events."""

    start: int
    stop: int


class KeyLeaf(NamedTuple):
    """A key was replaced, and both signed it."""

    new: VerifierKey
    old: VerifierKey
    sig_new: bytes
    sig_old: bytes


MatchLeaf = OpenLeaf | FullLeaf | StartLeaf | CloseLeaf
Leaf = MatchLeaf | LedgerLeaf | OutageLeaf | KeyLeaf

TYPES: dict[type[Leaf], str] = dict(zip((OpenLeaf, FullLeaf, StartLeaf, CloseLeaf), MATCH_LEAVES, strict=True))


def parse_leaf(value: Json) -> Leaf:
    """Raises SchemaRefused."""
    if type(value) is not dict:
        raise SchemaRefused("not a leaf")
    match value.get("type"):
        case "open":
            commitment, m, root, _ = members(value, "commitment", "m", "root", "type")
            return OpenLeaf(hex32(commitment), hex16(m), hex32(root))
        case "full":
            m, root, _ = members(value, "m", "root", "type")
            return FullLeaf(hex16(m), hex32(root))
        case "start":
            m, root, size, _ = members(value, "m", "root", "size", "type")
            return StartLeaf(hex16(m), hex32(root), integer(size, 1))
        case "close":
            return _close(value)
        case "ledger":
            root, size, _ = members(value, "root", "size", "type")
            return LedgerLeaf(hex32(root), integer(size))
        case "outage":
            start, stop, _ = members(value, "from", "to", "type")
            return OutageLeaf(integer(start), integer(stop, integer(start) + 1))
        case "key":
            return _key(value)
    raise SchemaRefused("not a type of leaf")


def parse_entry(entry: bytes) -> Leaf:
    """A leaf from the bytes that were logged; raises SchemaRefused or NotCanonical."""
    if len(entry) > MAX_LEAF_BYTES:
        raise SchemaRefused("too long")
    return parse_leaf(canonical.decode(entry))


def _close(value: dict[str, Json]) -> CloseLeaf:
    names = ["m", "outcome", "root", "server_seed", "size", "type"]
    more = {"no_seed": ["seats"], "void": ["cause"]}
    outcome = choice(value.get("outcome"), "played", "forfeit", "no_seed", "cancelled", "void")
    names = sorted(names + more.get(outcome, []))
    found = dict(zip(names, members(value, *names), strict=True))
    seats = None
    if outcome == "no_seed":
        seats = tuple(integer(seat, 0, MOST_SEATS - 1) for seat in items(found["seats"], 1, MOST_SEATS))
        if seats != tuple(sorted(set(seats))):
            raise SchemaRefused("not ascending")
    return CloseLeaf(
        hex16(found["m"]),
        outcome,
        hex32(found["root"]),
        hex32(found["server_seed"]),
        integer(found["size"], 1),
        seats,
        choice(found["cause"], "deal_limit", "operator", LOST) if outcome == "void" else None,
    )


def _key(value: dict[str, Json]) -> KeyLeaf:
    new, old, sig_new, sig_old, _ = members(value, "new", "old", "sig_new", "sig_old", "type")
    leaf = KeyLeaf(_verifier_key(new), _verifier_key(old), hex64(sig_new), hex64(sig_old))
    if leaf.new.name != leaf.old.name or leaf.new == leaf.old:
        raise SchemaRefused("not two keys of one name")
    return leaf


def _verifier_key(value: Json) -> VerifierKey:
    try:
        key = parse_verifier_key(value) if type(value) is str else None
    except NoteRefused:
        key = None
    if key is None or key.kind != SIGNS:
        raise SchemaRefused("not a verifier key")
    return key
