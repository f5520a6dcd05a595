"""Signed notes and verifier keys (C2SP signed-note; protocol section 1.6), Ed25519, parsed strictly.

A note is a text ending in LF, an empty line, and signature lines `— <name> <base64(key id ‖ signature)>`. Stricter than
C2SP where two spellings or two readings would be left: base64 must be canonical, and a known key signs once.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from fairdeal.errors import KeyRefused, Malformed, SignatureInvalid
from fairdeal.keys import PublicKey, SigningKey
from fairdeal.limits import KEY_BYTES, MAX_KEY_NAME_BYTES, MAX_NOTE_CHARACTERS, MAX_NOTE_SIGNATURES
from fairdeal.tlog.text import decode_base64, encode_base64

ED25519: Final = 0x01
"""Key type of a signature over the note's text."""
COSIGNATURE: Final = 0x04
"""Key type of a witness's timestamped cosignature: a key of that type is read and written, but opens no note."""

_KEY_ID_BYTES = 4
# Without plus and Unicode's White_Space; without control characters and lone surrogates, as all of a note.
_NAME = re.compile(r"[^\x00-\x20+\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]+")
_KEY_ID = re.compile(r"[0-9a-f]{8}")
_SIGNATURE_LINE = re.compile(r"— ([^ ]+) ([^ ]+)\n")
# What C2SP forbids in a note, and lone surrogates, which have no UTF-8.
_FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or len(name.encode()) > MAX_KEY_NAME_BYTES:
        raise Malformed(f"a key name is 1 to {MAX_KEY_NAME_BYTES} bytes of UTF-8 without spaces, controls and +")


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name and the type it signs under. Raises Malformed."""

    name: str
    public: PublicKey
    kind: int = ED25519
    key_id: bytes = field(init=False, repr=False)
    """Four bytes that a signature line names the key by, besides its name."""

    def __post_init__(self) -> None:
        _check_name(self.name)
        if self.kind not in (ED25519, COSIGNATURE):
            raise Malformed("unknown key type")
        hashed = sha256(self.name.encode() + b"\n" + self._typed_key()).digest()
        object.__setattr__(self, "key_id", hashed[:_KEY_ID_BYTES])

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """The key written `<name>+<id>+<base64(type ‖ key)>`. Raises Malformed, KeyRefused for a weak key."""
        # The base64 part may hold a + of its own.
        name, *rest = text.split("+", 2)
        if len(rest) != 2 or not _KEY_ID.fullmatch(rest[0]):
            raise Malformed("a verifier key is <name>+<id>+<base64>")
        typed_key = decode_base64(rest[1])
        if len(typed_key) != 1 + KEY_BYTES:
            raise Malformed("a verifier key has one type byte and 32 key bytes")
        key = cls(name, PublicKey(typed_key[1:]), typed_key[0])
        if key.key_id.hex() != rest[0]:
            raise Malformed("the key id is not that of name and key")
        return key

    def format(self) -> str:
        """`<name>+<id>+<base64(type ‖ key)>`."""
        return f"{self.name}+{self.key_id.hex()}+{encode_base64(self._typed_key())}"

    def _typed_key(self) -> bytes:
        return bytes([self.kind]) + self.public.raw


@dataclass(frozen=True, slots=True)
class SignatureLine:
    """One signature of a note: the name and the four-byte id of the key it claims to be by, and its bytes."""

    name: str
    key_id: bytes
    signature: bytes

    @classmethod
    def parse(cls, line: str) -> "SignatureLine":
        """The line `— <name> <base64(key id ‖ signature)>` with its LF.

        Raises Malformed, and SignatureInvalid for base64 that is not in its one spelling: nobody's signature is that.
        """
        matched = _SIGNATURE_LINE.fullmatch(line)
        if not matched:
            raise Malformed("not a signature line")
        _check_name(matched[1])
        try:
            typed_signature = decode_base64(matched[2])
        except Malformed as error:
            raise SignatureInvalid(error.message) from None
        if len(typed_signature) <= _KEY_ID_BYTES:
            raise Malformed("a signature line without a signature")
        return cls(matched[1], typed_signature[:_KEY_ID_BYTES], typed_signature[_KEY_ID_BYTES:])

    def format(self) -> str:
        """The line with its LF."""
        return f"— {self.name} {encode_base64(self.key_id + self.signature)}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A note taken apart: nothing is verified, so the text says nothing yet."""

    text: str
    lines: tuple[SignatureLine, ...]

    @classmethod
    def parse(cls, note: str) -> "Note":
        """Splits at the last empty line. Raises Malformed, and as `SignatureLine.parse` of every line."""
        if len(note) > MAX_NOTE_CHARACTERS:
            raise Malformed(f"a note over {MAX_NOTE_CHARACTERS} characters")
        if _FORBIDDEN.search(note):
            raise Malformed("a control character in a note")
        body, blank, lines = note.rpartition("\n\n")
        if not blank or not lines.endswith("\n"):
            raise Malformed("a note is a text, an empty line and signature lines")
        if lines.count("\n") > MAX_NOTE_SIGNATURES:
            raise Malformed(f"over {MAX_NOTE_SIGNATURES} signature lines")
        return cls(body + "\n", parse_signature_lines(lines))

    def format(self) -> str:
        """The whole note."""
        return f"{self.text}\n{''.join(line.format() for line in self.lines)}"

    def signatures_of(self, keys: Iterable[VerifierKey]) -> Iterator[tuple[VerifierKey, bytes]]:
        """Each line of one of these keys: the key and the signature, still to be verified. Other lines are passed over.

        Raises Malformed when a key has two lines.
        """
        known = {(key.name, key.key_id): key for key in keys}
        met: set[VerifierKey] = set()
        for line in self.lines:
            key = known.get((line.name, line.key_id))
            if key is None:
                continue
            if key in met:
                raise Malformed("two signature lines of one known key")
            met.add(key)
            yield key, line.signature


class NoteSigner:
    """A signing key with the name it signs notes under. Raises Malformed for a name that cannot stand in a note."""

    __slots__ = ("_key", "verifier_key")

    verifier_key: VerifierKey

    def __init__(self, name: str, key: SigningKey) -> None:
        self.verifier_key = VerifierKey(name, key.public)
        self._key = key

    def sign(self, message: bytes) -> bytes:
        """The key's 64-byte signature."""
        return self._key.sign(message)


@dataclass(frozen=True, slots=True)
class OpenedNote:
    """A note that verified: its text with the final LF, its known signers, and how many signature lines it has."""

    text: str
    signers: tuple[VerifierKey, ...]
    signature_count: int


def sign_note(text: str, signer: NoteSigner) -> str:
    """`text` as a note with one signature line. Raises Malformed for a text that cannot be a note's."""
    if not text.endswith("\n") or _FORBIDDEN.search(text):
        raise Malformed("a note's text ends in LF and has no control characters")
    key = signer.verifier_key
    return Note(text, (SignatureLine(key.name, key.key_id, signer.sign(text.encode())),)).format()


def open_note(note: str, known_keys: Iterable[VerifierKey]) -> OpenedNote:
    """Checks every signature line of a known key; lines of unknown keys are parsed and ignored.

    Raises Malformed; SignatureInvalid when a known key's signature is wrong or any is badly written; KeyRefused when no
    known key signed, or a known key is not of the type that signs notes.
    """
    keys = tuple(known_keys)
    if any(key.kind != ED25519 for key in keys):
        raise KeyRefused("a cosignature key opens no note")
    parsed = Note.parse(note)
    message = parsed.text.encode()
    signers: list[VerifierKey] = []
    for key, signature in parsed.signatures_of(keys):
        key.public.verify(signature, message)
        signers.append(key)
    if not signers:
        raise KeyRefused("no signature of a known key")
    return OpenedNote(parsed.text, tuple(signers), len(parsed.lines))


def parse_signature_lines(lines: str) -> tuple[SignatureLine, ...]:
    """The signature lines in a text of nothing else, at least one. Raises as `SignatureLine.parse`."""
    if not lines.endswith("\n"):
        raise Malformed("signature lines end in LF")
    return tuple(SignatureLine.parse(f"{line}\n") for line in lines[:-1].split("\n"))
