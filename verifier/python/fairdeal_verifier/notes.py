"""Verifier keys, signed notes, checkpoints and cosignatures (protocol 1.6, after C2SP)."""

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Self

from fairdeal_verifier.canonical import MAX_INTEGER
from fairdeal_verifier.ed25519 import PublicKey
from fairdeal_verifier.errors import NoteRefused, SignatureRefused
from fairdeal_verifier.merkle import EMPTY_ROOT

MAX_SIGNATURE_LINES = 100
"""Protocol 1.6: a log key and its witnesses, with room for strangers."""
SIGNS, COSIGNS = 1, 4
"""The types of a verifier key: of a log or of receipts, of a witness."""
MAX_TIME = 2**63 - 1
"""Seconds since 1970 of a cosignature."""

KeyId = tuple[str, bytes]
"""How a key is known: its name and the four bytes of its id."""

_NAME = r"[!-*,-~]{1,255}"
_VKEY = re.compile(rf"({_NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]{{44}})").fullmatch
_LINE = re.compile(rf"\u2014 ({_NAME}) ([A-Za-z0-9+/]+={{0,2}})\n")
_BODY = re.compile(r"(?P<origin>[^\x00-\x1f]+)\n(?P<size>0|[1-9][0-9]{0,15})\n(?P<root>[A-Za-z0-9+/]{43}=)\n").fullmatch
_ID_BYTES = 4


def _base64(text: str) -> bytes:
    try:
        data = b64decode(text, validate=True)
    except NotBase64:
        raise NoteRefused("not base64") from None
    if b64encode(data).decode() != text:
        raise NoteRefused("base64 with stray bits")
    return data


def key_id(name: str, key: bytes, kind: int = SIGNS) -> KeyId:
    """The name and id of an Ed25519 note key of one of the two types."""
    return name, sha256(name.encode() + b"\n" + bytes([kind]) + key).digest()[:_ID_BYTES]


class VerifierKey(NamedTuple):
    """A verifier key as it is written; whether the 32 bytes of `raw` are a sound key is asked later."""

    name: str
    kind: int
    raw: bytes

    @property
    def id(self) -> KeyId:
        """How signature lines name it."""
        return key_id(self.name, self.raw, self.kind)


def format_verifier_key(name: str, key: bytes, kind: int = SIGNS) -> str:
    """The text of a verifier key."""
    return f"{name}+{key_id(name, key, kind)[1].hex()}+{b64encode(bytes([kind]) + key).decode()}"


def parse_verifier_key(text: str) -> VerifierKey:
    """Raises NoteRefused; of either type."""
    match = _VKEY(text)
    if not match:
        raise NoteRefused("not a verifier key")
    name, written_id, encoded = match.groups()
    data = _base64(encoded)
    key = VerifierKey(name, data[0], data[1:])
    if key.kind not in (SIGNS, COSIGNS) or key.id[1].hex() != written_id:
        raise NoteRefused("not an Ed25519 verifier key with its own id")
    return key


class SignatureLine(NamedTuple):
    """Who signed, and all bytes after the key's id."""

    key: KeyId
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A signed note: parsed, not yet verified. `text` is what is signed, with its final LF."""

    text: bytes
    lines: tuple[SignatureLine, ...]

    @classmethod
    def parse(cls, note: str) -> "Note":
        """Raises NoteRefused."""
        text, gap, signatures = note.rpartition("\n\n")
        if not gap or not signatures or re.search(r"[\x00-\x09\x0b-\x1f]", text):
            raise NoteRefused("not a signed note")
        lines: list[SignatureLine] = []
        place = 0
        while place < len(signatures):
            match = _LINE.match(signatures, place)
            if not match or len(lines) == MAX_SIGNATURE_LINES:
                raise NoteRefused("not a signature line, or too many")
            data = _base64(match[2])
            if len(data) <= _ID_BYTES:
                raise NoteRefused("no signature")
            lines.append(SignatureLine((match[1], data[:_ID_BYTES]), data[_ID_BYTES:]))
            place = match.end()
        try:
            return cls(f"{text}\n".encode(), tuple(lines))
        except UnicodeEncodeError:
            raise NoteRefused("not Unicode") from None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Size and root of a tree, as a signed note: parsed, not yet verified."""

    origin: str
    size: int
    root: bytes
    text: bytes
    lines: tuple[SignatureLine, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises NoteRefused."""
        note = Note.parse(text)
        match = _BODY(note.text.decode())
        if not match:
            raise NoteRefused("not a checkpoint")
        size, root = int(match["size"]), _base64(match["root"])
        if size > MAX_INTEGER or (size == 0 and root != EMPTY_ROOT):
            raise NoteRefused("no tree has this size and root")
        return cls(match["origin"], size, root, note.text, note.lines)


class Receipt(Checkpoint):
    """A checkpoint of a match's transcript, with its one signature (protocol 2.8)."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises NoteRefused."""
        receipt = super().parse(text)
        if len(receipt.lines) != 1 or len(receipt.signature) != 64:
            raise NoteRefused("not one Ed25519 signature")
        return receipt

    @property
    def signer(self) -> KeyId:
        """The key that the signature line names."""
        return self.lines[0].key

    @property
    def signature(self) -> bytes:
        """Its 64 bytes."""
        return self.lines[0].signature


def check_cosignature(key: PublicKey, signature: bytes, text: bytes) -> int:
    """The time of a witness's cosignature on a checkpoint's text, in seconds since 1970; raises SignatureRefused."""
    time = int.from_bytes(signature[:8])
    if len(signature) != 8 + 64 or time > MAX_TIME:
        raise SignatureRefused("not a cosignature")
    key.check(signature[8:], b"cosignature/v1\ntime %d\n%b" % (time, text))
    return time


def format_note(checkpoint: Checkpoint) -> str:
    """The text it was parsed from, which has one spelling."""
    lines = (f"\u2014 {line.key[0]} {b64encode(line.key[1] + line.signature).decode()}\n" for line in checkpoint.lines)
    return f"{checkpoint.text.decode()}\n{''.join(lines)}"
