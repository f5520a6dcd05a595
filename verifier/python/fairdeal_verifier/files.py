"""The two files of protocol 5.1 and 5.2: sizes first, then every line, then what each line says. Step 0 ends here."""

from collections.abc import Iterable
from dataclasses import dataclass

from fairdeal_verifier import actions, canonical, events, fields
from fairdeal_verifier.canonical import MAX_INTEGER, Json
from fairdeal_verifier.cards import CARDS
from fairdeal_verifier.errors import Malformed, NotCanonical, NoteRefused, SchemaRefused, WrongUsage
from fairdeal_verifier.events import Event
from fairdeal_verifier.leaves import MATCH_LEAVES, TYPES, CloseLeaf, MatchLeaf, parse_leaf
from fairdeal_verifier.merkle import MAX_PROOF_HASHES
from fairdeal_verifier.notes import Checkpoint, Receipt
from fairdeal_verifier.rulesets import MOST_SEATS
from fairdeal_verifier.terms import Open

MAX_FILE_BYTES = 16_777_216
"""Protocol 1.1: a bundle; the held file has the same bound."""
MAX_LINE_BYTES = 16_384
"""Protocol 1.1: an event, and a line of a held file."""
MAX_LOG_LINE_BYTES = 65_536
"""Protocol 1.1: a bundle's header and a held log line, which carry proofs."""
MAX_LEGAL = 49
"""Protocol 5.2: the actions of a view, of any ruleset."""
LOG_LINE = b'{"checkpoint":'
"""How a log line of a held file begins, in its one spelling."""


@dataclass(frozen=True, slots=True)
class ProvenLeaf:
    """A leaf of the match, the bytes that were logged, and the proof that they stand at `index`."""

    index: int
    leaf: MatchLeaf
    data: bytes
    proof: list[bytes]


@dataclass(frozen=True, slots=True)
class LogPart:
    """What a bundle brings of the log: a checkpoint, the leaves by type, and consistency proofs by their old size."""

    checkpoint: Checkpoint
    consistency: dict[int, list[bytes]]
    leaves: dict[str, ProvenLeaf]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that keeps step 0: the head, its part of the log, and the events with the bytes of their lines."""

    head: Receipt
    log: LogPart | None
    open: Open
    events: list[Event]
    lines: list[bytes]

    @property
    def close(self) -> CloseLeaf | None:
        """The leaf that closed the match in the log."""
        proven = None if self.log is None else self.log.leaves.get("close")
        return proven.leaf if proven is not None and isinstance(proven.leaf, CloseLeaf) else None

    @classmethod
    def parse(cls, data: bytes) -> "Bundle":
        """Step 0; raises Malformed."""
        if len(data) > MAX_FILE_BYTES:
            raise Malformed("size", None)
        lines = data.split(b"\n")
        if lines.pop() or not lines:
            raise Malformed("encoding", None)
        header = _line(lines[0], MAX_LOG_LINE_BYTES, None)
        values = [_line(line, MAX_LINE_BYTES, index) for index, line in enumerate(lines[1:])]
        head, log = _header(header)
        terms, found = _events(values)
        return cls(head, log, terms, found, lines[1:])


def parse_events(lines: Iterable[bytes]) -> tuple[Open, list[Event]]:
    """The events of these lines, the first of which opens the match; raises Malformed, as step 0 of a bundle does."""
    return _events([_line(line, MAX_LINE_BYTES, index) for index, line in enumerate(lines)])


def _events(values: list[Json]) -> tuple[Open, list[Event]]:
    found: list[Event] = []
    game = None
    for index, value in enumerate(values):
        try:
            n, event = events.parse_event(value, game)
        except SchemaRefused:
            raise Malformed("schema", index) from None
        if index == 0 and isinstance(event, Open):
            game = event.ruleset
        if n != index:
            raise Malformed("index", index)
        found.append(event)
    if not found or not isinstance(found[0], Open):
        raise Malformed("schema", 0)
    return found[0], found


def _line(line: bytes, most: int, place: int | None) -> Json:
    if len(line) > most:
        raise Malformed("size", place)
    try:
        return canonical.decode(line)
    except NotCanonical:
        raise Malformed("encoding", place) from None


def _header(value: Json) -> tuple[Receipt, LogPart | None]:
    try:
        if type(value) is dict and "checkpoint" in value:
            checkpoint, consistency, form, head, leaves = fields.members(
                value, "checkpoint", "consistency", "format", "head", "leaves"
            )
            log = LogPart(_checkpoint(checkpoint), _consistency(consistency), _proven_leaves(leaves))
        else:
            form, head = fields.members(value, "format", "head")
            log = None
        fields.choice(form, "fairdeal/bundle@1")
        return _receipt(head), log
    except (SchemaRefused, NoteRefused):
        raise Malformed("header", None) from None


def _checkpoint(value: Json) -> Checkpoint:
    if type(value) is not str:
        raise SchemaRefused("not a note")
    return Checkpoint.parse(value)


def _consistency(value: Json) -> dict[int, list[bytes]]:
    """The proofs by their old sizes, which ascend."""
    found: dict[int, list[bytes]] = {}
    least = 1
    for one in fields.items(value, 0, MAX_INTEGER):
        proof, size = fields.members(one, "proof", "size")
        old = fields.integer(size, least)
        found[old] = parse_proof(proof)
        least = old + 1
    return found


def parse_proof(value: Json) -> list[bytes]:
    """A proof of the log; raises SchemaRefused."""
    return [fields.hex32(one) for one in fields.items(value, 0, MAX_PROOF_HASHES)]


def _proven_leaves(value: Json) -> dict[str, ProvenLeaf]:
    """The leaves of a match by type: in the order of MATCH_LEAVES, each once, `open` always."""
    found: dict[str, ProvenLeaf] = {}
    due = iter(MATCH_LEAVES)
    for one in fields.items(value, 1, len(MATCH_LEAVES)):
        index, written, proof = fields.members(one, "index", "leaf", "proof")
        leaf = parse_leaf(written)
        kind = TYPES.get(type(leaf))
        # `in` takes the types from `due` up to the one found.
        if isinstance(leaf, MatchLeaf) and kind is not None and kind in due and (found or kind == "open"):
            found[kind] = ProvenLeaf(fields.integer(index), leaf, canonical.encode(written), parse_proof(proof))
        else:
            raise SchemaRefused("not a leaf of a match, or out of their order")
    return found


def _receipt(value: Json) -> Receipt:
    if type(value) is not str:
        raise SchemaRefused("not a note")
    return Receipt.parse(value)


@dataclass(frozen=True, slots=True)
class View:
    """What the server showed a seat at one size: as numbers of `cards`."""

    hand: list[int]
    legal: list[int]
    m: str
    seat: int
    size: int


@dataclass(frozen=True, slots=True)
class HeldLine:
    """A receipt, the view of the same size as the bytes that were signed, and its signature."""

    receipt: Receipt
    view: View
    view_bytes: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class HeldLogLine:
    """A checkpoint of the log and leaves of the match that it covers."""

    checkpoint: Checkpoint
    leaves: dict[str, ProvenLeaf]


@dataclass(frozen=True, slots=True)
class HeldFile:
    """What a client kept while it played: parsed, nothing verified."""

    key: bytes
    m: str
    seat: int
    lines: list[HeldLine]
    log_lines: list[HeldLogLine]

    @classmethod
    def parse(cls, data: bytes) -> "HeldFile":
        """Raises WrongUsage."""
        if len(data) > MAX_FILE_BYTES:
            raise WrongUsage("held_size")
        lines = data.split(b"\n")
        if lines.pop() or not lines:
            raise WrongUsage("held_cut")
        number = 1
        try:
            owner = _held_owner(_held_json(lines[0], MAX_LINE_BYTES))
            held, logged = [], []
            for number, line in enumerate(lines[1:], 2):  # noqa: B007 - the line that is refused is named
                if line.startswith(LOG_LINE):
                    logged.append(_held_log_line(_held_json(line, MAX_LOG_LINE_BYTES)))
                else:
                    held.append(_held_line(_held_json(line, MAX_LINE_BYTES)))
        except (NotCanonical, SchemaRefused, NoteRefused):
            raise WrongUsage("held_line", number) from None
        return cls(*owner, held, logged)


def _held_json(line: bytes, most: int) -> Json:
    if len(line) > most:
        raise SchemaRefused("too long")
    return canonical.decode(line)


def _held_owner(value: Json) -> tuple[bytes, str, int]:
    form, key, m, seat = fields.members(value, "format", "key", "m", "seat")
    fields.choice(form, "fairdeal/held@1")
    return fields.hex32(key), fields.hex16(m), fields.integer(seat, 0, MOST_SEATS - 1)


def _held_log_line(value: Json) -> HeldLogLine:
    checkpoint, leaves = fields.members(value, "checkpoint", "leaves")
    return HeldLogLine(_checkpoint(checkpoint), _proven_leaves(leaves))


def _held_line(value: Json) -> HeldLine:
    receipt, signature, view = fields.members(value, "receipt", "sig", "view")
    hand, legal, m, seat, size = fields.members(view, "hand", "legal", "m", "seat", "size")
    shown = View(
        [actions.card(one) for one in fields.items(hand, 0, CARDS)],
        [actions.action(one, actions.ANY_BID, declares=True) for one in fields.items(legal, 0, MAX_LEGAL)],
        fields.hex16(m),
        fields.integer(seat, 0, MOST_SEATS - 1),
        fields.integer(size, 1),
    )
    return HeldLine(_receipt(receipt), shown, canonical.encode(view), fields.hex64(signature))
