"""The two files of protocol 5.1 and 5.2: sizes first, then every line, then what each line says. Step 0 ends here."""

from dataclasses import dataclass

from fairdeal_verifier import actions, canonical, events, fields
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.cards import CARDS
from fairdeal_verifier.errors import Malformed, NotCanonical, NoteRefused, SchemaRefused, WrongUsage
from fairdeal_verifier.events import Event
from fairdeal_verifier.notes import Receipt
from fairdeal_verifier.rulesets import MOST_SEATS
from fairdeal_verifier.terms import Open

MAX_FILE_BYTES = 16_777_216
"""Protocol 1.1: a bundle; the held file has the same bound."""
MAX_LINE_BYTES = 16_384
"""Protocol 1.1: an event, and any other line."""
MAX_LEGAL = 49
"""Protocol 5.2: the actions of a view, of any ruleset."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that keeps step 0: the head, and the events with the bytes of their lines."""

    head: Receipt
    open: Open
    events: list[Event]
    leaves: list[bytes]

    @classmethod
    def parse(cls, data: bytes) -> "Bundle":
        """Step 0; raises Malformed."""
        if len(data) > MAX_FILE_BYTES:
            raise Malformed("size", None)
        lines = data.split(b"\n")
        if lines.pop() or not lines:
            raise Malformed("encoding", None)
        values = [_line(line, None if index < 0 else index) for index, line in enumerate(lines, -1)]
        head = _head(values[0])
        found: list[Event] = []
        game = None
        for index, value in enumerate(values[1:]):
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
        return cls(head, found[0], found, lines[1:])


def _line(line: bytes, place: int | None) -> Json:
    if len(line) > MAX_LINE_BYTES:
        raise Malformed("size", place)
    try:
        return canonical.decode(line)
    except NotCanonical:
        raise Malformed("encoding", place) from None


def _head(value: Json) -> Receipt:
    try:
        form, head = fields.members(value, "format", "head")
        fields.choice(form, "fairdeal/bundle@1")
        return _receipt(head)
    except (SchemaRefused, NoteRefused):
        raise Malformed("header", None) from None


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
class HeldFile:
    """What a client kept while it played: parsed, nothing verified."""

    key: bytes
    m: str
    seat: int
    lines: list[HeldLine]

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
            owner = _held_owner(_held_json(lines[0]))
            held = []
            for number, line in enumerate(lines[1:], 2):  # noqa: B007 - the line that is refused is named
                held.append(_held_line(_held_json(line)))
        except (NotCanonical, SchemaRefused, NoteRefused):
            raise WrongUsage("held_line", number) from None
        return cls(*owner, held)


def _held_json(line: bytes) -> Json:
    if len(line) > MAX_LINE_BYTES:
        raise SchemaRefused("too long")
    return canonical.decode(line)


def _held_owner(value: Json) -> tuple[bytes, str, int]:
    form, key, m, seat = fields.members(value, "format", "key", "m", "seat")
    fields.choice(form, "fairdeal/held@1")
    return fields.hex32(key), fields.hex16(m), fields.integer(seat, 0, MOST_SEATS - 1)


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
