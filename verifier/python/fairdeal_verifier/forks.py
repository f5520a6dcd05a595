"""Two signed texts that contradict each other, found in what people kept, and shown to anybody (protocol 7.7)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from fairdeal_verifier import canonical, fields
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.ed25519 import public_key
from fairdeal_verifier.errors import (
    KeyRefused,
    Malformed,
    NotCanonical,
    NoteRefused,
    ProofRefused,
    SchemaRefused,
    SignatureRefused,
    WrongUsage,
)
from fairdeal_verifier.files import Bundle, HeldFile, ProvenLeaf, parse_events, parse_proof
from fairdeal_verifier.leaves import TYPES, Leaf, MatchLeaf, OpenLeaf, parse_leaf
from fairdeal_verifier.merkle import check_inclusion, leaf_hash
from fairdeal_verifier.notes import Checkpoint, format_note, key_id
from fairdeal_verifier.policy import Policy

FORMAT = "fairdeal/fork@1"
MAX_FORK_BYTES = 262_144
"""Protocol 7.7: two statements, each with a proven `open` at most, and notes of a hundred signature lines."""


class KeyUnknown(Exception):
    """The policy lists no key that signed this."""


@dataclass(frozen=True, slots=True)
class LeafSaid:
    """A leaf that a checkpoint proves to stand at `index`."""

    checkpoint: Checkpoint
    index: int
    leaf: Leaf
    data: bytes
    proof: list[bytes]

    def as_json(self) -> dict[str, Json]:
        """As a fork file has it."""
        return {
            "checkpoint": format_note(self.checkpoint),
            "index": self.index,
            "leaf": canonical.decode(self.data),
            "proof": [one.hex() for one in self.proof],
        }

    def check(self, policy: Policy) -> None:
        """Raises KeyUnknown, SignatureRefused, ProofRefused."""
        _check_log(self.checkpoint, policy)
        checkpoint = self.checkpoint
        check_inclusion(leaf_hash(self.data), self.index, checkpoint.size, checkpoint.root, self.proof)

    def places(self) -> Iterator[tuple[tuple[object, ...], object]]:
        """What may be said only once, and what this says there."""
        origin = self.checkpoint.origin
        yield ("index", origin, self.index), self.data
        if isinstance(self.leaf, MatchLeaf):
            kind = TYPES[type(self.leaf)]
            yield ("leaf", origin, kind, self.leaf.m), (self.index, self.data)


@dataclass(frozen=True, slots=True)
class Opened:
    """A proven `open`, and the text of the event whose root it has: what fixes the key of a match's receipts."""

    proven: LeafSaid
    event: str

    def as_json(self) -> dict[str, Json]:
        """As a fork file has it."""
        return {**self.proven.as_json(), "event": self.event}


@dataclass(frozen=True, slots=True)
class NoteSaid:
    """A checkpoint of the log, or a receipt."""

    checkpoint: Checkpoint
    opened: Opened | None = None

    def as_json(self) -> dict[str, Json]:
        """As a fork file has it."""
        note: dict[str, Json] = {"note": format_note(self.checkpoint)}
        return note if self.opened is None else {**note, "opened": self.opened.as_json()}

    def check(self, policy: Policy) -> None:
        """Raises KeyUnknown, SignatureRefused, ProofRefused."""
        checkpoint = self.checkpoint
        log = checkpoint.origin.rpartition("/m/")[0]
        if any(_is_listed(checkpoint, policy, name) for name in (checkpoint.origin, f"{log}/receipts")):
            return
        if self.opened is None:
            raise KeyUnknown
        _check_opened(self.opened, checkpoint, policy)

    def places(self) -> Iterator[tuple[tuple[object, ...], object]]:
        """What may be said only once, and what this says there."""
        yield ("root", self.checkpoint.origin, self.checkpoint.size), self.checkpoint.root


Said = NoteSaid | LeafSaid


class Fork(NamedTuple):
    """Two statements that cannot both be true. `place` names what they differ in: a kind of `places`, and where."""

    a: Said
    b: Said
    place: tuple[object, ...]

    def text(self) -> bytes:
        """The fork file."""
        return canonical.encode({"a": self.a.as_json(), "b": self.b.as_json(), "format": FORMAT}) + b"\n"


def find_fork(files: Iterable[bytes], policy: Policy) -> Fork | None:
    """The first contradiction within and between files; None when there is none.

    Raises WrongUsage for a file that cannot be used, KeyUnknown when none of a file's keys is listed.
    """
    parts = [part for data in files for part in read(data)]
    opened = _openings((said for part in parts for said in part), policy)
    first: dict[tuple[object, ...], tuple[Said, object]] = {}
    useless: list[Exception] = []
    for part in parts:
        refused: list[Exception] = []
        for said in part:
            if isinstance(said, NoteSaid) and said.opened is None:
                said = replace(said, opened=opened.get(said.checkpoint.origin))
            try:
                said.check(policy)
            except (KeyUnknown, SignatureRefused, ProofRefused, KeyRefused) as error:
                refused.append(error)
                continue
            for place, what in said.places():
                before, known_what = first.setdefault(place, (said, what))
                if known_what != what:
                    return Fork(before, said, place)
        if len(refused) == len(part):
            useless += refused
    if any(isinstance(error, KeyUnknown) for error in useless):
        raise KeyUnknown
    if useless:
        raise WrongUsage("fork_unsigned")
    return None


def _openings(statements: Iterable[Said], policy: Policy) -> dict[str, Opened]:
    """By origin, what fixes the key of a match's receipts, for those that came without; a stranger's is passed over."""
    found: dict[str, Opened] = {}
    for said in statements:
        if isinstance(said, NoteSaid) and said.opened is not None:
            with suppress(KeyUnknown, SignatureRefused, ProofRefused, KeyRefused):
                said.check(policy)
                found[said.checkpoint.origin] = said.opened
    return found


def read(data: bytes) -> list[list[Said]]:
    """What a file says, in parts of which each has to be of use; raises WrongUsage."""
    if not data.startswith(b"{"):
        return [[NoteSaid(_parse_note(data))]]
    try:
        first = canonical.decode(data.partition(b"\n")[0])
        form = first.get("format") if type(first) is dict else None
    except NotCanonical:
        raise WrongUsage("fork_file") from None
    if form == FORMAT:
        return [[said] for said in read_fork(data)]
    if form == "fairdeal/held@1":
        return [[*_held(HeldFile.parse(data))]]
    try:
        return [[*_bundle(Bundle.parse(data))]]
    except Malformed:
        raise WrongUsage("fork_file") from None


def read_fork(data: bytes) -> tuple[Said, Said]:
    """The two statements of a fork file; raises WrongUsage."""
    try:
        if len(data) > MAX_FORK_BYTES or data[-1:] != b"\n":
            raise SchemaRefused("size")
        a, b, form = fields.members(canonical.decode(data[:-1]), "a", "b", "format")
        fields.choice(form, FORMAT)
        return _said(a), _said(b)
    except (SchemaRefused, NotCanonical, NoteRefused):
        raise WrongUsage("fork_file") from None


def _parse_note(data: bytes) -> Checkpoint:
    try:
        return Checkpoint.parse(data.decode())
    except (UnicodeDecodeError, NoteRefused):
        raise WrongUsage("fork_file") from None


def _bundle(bundle: Bundle) -> Iterator[Said]:
    log = bundle.log
    if log is None:
        yield NoteSaid(bundle.head)
        return
    leaves = {kind: _leaf_said(log.checkpoint, proven) for kind, proven in log.leaves.items()}
    yield NoteSaid(log.checkpoint)
    yield NoteSaid(bundle.head, Opened(leaves["open"], bundle.lines[0].decode()))
    yield from leaves.values()


def _held(held: HeldFile) -> Iterator[Said]:
    for line in held.log_lines:
        yield NoteSaid(line.checkpoint)
        yield from (_leaf_said(line.checkpoint, proven) for proven in line.leaves.values())
    yield from (NoteSaid(line.receipt) for line in held.lines)


def _leaf_said(checkpoint: Checkpoint, proven: ProvenLeaf) -> LeafSaid:
    return LeafSaid(checkpoint, proven.index, proven.leaf, proven.data, proven.proof)


def _said(value: Json) -> Said:
    if type(value) is dict and "note" in value:
        if "opened" not in value:
            (note,) = fields.members(value, "note")
            return NoteSaid(_note(note))
        note, opened = fields.members(value, "note", "opened")
        checkpoint, event, index, leaf, proof = fields.members(opened, "checkpoint", "event", "index", "leaf", "proof")
        return NoteSaid(_note(note), Opened(_proven(checkpoint, index, leaf, proof), fields.text(event, bool)))
    return _proven(*fields.members(value, "checkpoint", "index", "leaf", "proof"))


def _proven(checkpoint: Json, index: Json, leaf: Json, proof: Json) -> LeafSaid:
    return LeafSaid(
        _note(checkpoint), fields.integer(index), parse_leaf(leaf), canonical.encode(leaf), parse_proof(proof)
    )


def _note(value: Json) -> Checkpoint:
    return Checkpoint.parse(fields.text(value, bool))


def _check_log(checkpoint: Checkpoint, policy: Policy) -> None:
    if not _is_listed(checkpoint, policy, checkpoint.origin):
        raise KeyUnknown


def _is_listed(checkpoint: Checkpoint, policy: Policy, name: str) -> bool:
    """Whether a listed log key of that name signed; raises SignatureRefused when it did not, under its own id."""
    keys = [(policy.logs[line.key], line.signature) for line in checkpoint.lines if line.key in policy.logs]
    named = [line.key for line in checkpoint.lines if line.key in policy.logs and line.key[0] == name]
    for key, signature in keys:
        key.check(signature, checkpoint.text)
    return bool(named)


def _check_opened(opened: Opened, receipt: Checkpoint, policy: Policy) -> None:
    """The receipt is signed by the key that the match's event 0 names, and the log has that event's root."""
    proven, line = opened.proven, opened.event.encode()
    proven.check(policy)
    try:
        terms, _ = parse_events([line])
    except Malformed:
        raise SignatureRefused("not an event that opens a match") from None
    if not isinstance(proven.leaf, OpenLeaf) or leaf_hash(line) != proven.leaf.root:
        raise ProofRefused("not the event that was logged")
    signer = receipt.lines[0]
    if len(receipt.lines) != 1:
        raise SignatureRefused("not a receipt")
    named = key_id(terms.receipt_name, terms.receipt_key)
    if (receipt.origin, terms.log, signer.key) != (terms.origin, proven.checkpoint.origin, named):
        raise SignatureRefused("not a receipt of this match")
    key = public_key(terms.receipt_key)
    key.check_torsion_free()
    key.check(signer.signature, receipt.text)
