"""Signed notes and verifier keys (C2SP signed-note; protocol section 1.6), Ed25519, parsed strictly.

A note is a text ending in LF, an empty line, and signature lines `— <name> <base64(key id ‖ signature)>`. Stricter than
C2SP where two spellings or two readings would be left: base64 must be canonical, names are printable ASCII, and a
known key signs once.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from fairdeal.errors import KeyRefused, Malformed
from fairdeal.keys import PublicKey, SigningKey
from fairdeal.limits import KEY_BYTES, MAX_KEY_NAME_BYTES, MAX_NOTE_CHARACTERS, MAX_NOTE_SIGNATURES

ED25519: Final = 0x01
"""Key type of a signature over the note's text."""
COSIGNATURE: Final = 0x04
"""Key type of a witness's timestamped cosignature: a key of that type is read and written, but opens no note."""

_KEY_ID_BYTES = 4
_NAME = re.compile(rf"[!-*,-~]{{1,{MAX_KEY_NAME_BYTES}}}")
_KEY_ID = re.compile(r"[0-9a-f]{8}")
_SIGNATURE_LINE = re.compile(rf"— ({_NAME.pattern}) (\S+)")
# What C2SP forbids in a note, and lone surrogates, which have no UTF-8.
_FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name and the type it signs under. Raises Malformed."""

    name: str
    public: PublicKey
    kind: int = ED25519
    key_id: bytes = field(init=False, repr=False)
    """Four bytes that a signature line names the key by, besides its name."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise Malformed("a key name is printable ASCII without space and +")
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
        return f"{self.name}+{self.key_id.hex()}+{b64encode(self._typed_key()).decode()}"

    def _typed_key(self) -> bytes:
        return bytes([self.kind]) + self.public.raw


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
    signature = b64encode(signer.verifier_key.key_id + signer.sign(text.encode())).decode()
    return f"{text}\n— {signer.verifier_key.name} {signature}\n"


def open_note(note: str, known_keys: Iterable[VerifierKey]) -> OpenedNote:
    """Checks every signature line of a known key; lines of unknown keys are parsed and ignored.

    Raises Malformed; SignatureInvalid when a known key's signature is wrong; KeyRefused when no known key signed, or a
    known key is not of the type that signs notes.
    """
    known = {(key.name, key.key_id): key for key in known_keys}
    if any(key.kind != ED25519 for key in known.values()):
        raise KeyRefused("a cosignature key opens no note")
    text, signatures = _split(note)
    message = text.encode()
    signers: list[VerifierKey] = []
    for name, typed_signature in signatures:
        key = known.get((name, typed_signature[:_KEY_ID_BYTES]))
        if key is None:
            continue
        if key in signers:
            raise Malformed("two signature lines of one known key")
        key.public.verify(typed_signature[_KEY_ID_BYTES:], message)
        signers.append(key)
    if not signers:
        raise KeyRefused("no signature of a known key")
    return OpenedNote(text, tuple(signers), len(signatures))


def decode_base64(text: str) -> bytes:
    """The bytes of standard, padded base64 in its one canonical spelling. Raises Malformed."""
    try:
        raw = b64decode(text, validate=True)
    except ValueError:
        raise Malformed("not base64") from None
    if b64encode(raw).decode() != text:
        raise Malformed("base64 in a second spelling")
    return raw


def _split(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The text, and each signature line's name and bytes."""
    if len(note) > MAX_NOTE_CHARACTERS:
        raise Malformed(f"a note over {MAX_NOTE_CHARACTERS} characters")
    if _FORBIDDEN.search(note):
        raise Malformed("a control character in a note")
    body, blank, lines = note.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise Malformed("a note is a text, an empty line and signature lines")
    signatures = []
    for line in lines[:-1].split("\n"):
        matched = _SIGNATURE_LINE.fullmatch(line)
        if not matched:
            raise Malformed("not a signature line")
        typed_signature = decode_base64(matched[2])
        if len(typed_signature) <= _KEY_ID_BYTES:
            raise Malformed("a signature line without a signature")
        signatures.append((matched[1], typed_signature))
    if len(signatures) > MAX_NOTE_SIGNATURES:
        raise Malformed(f"over {MAX_NOTE_SIGNATURES} signature lines")
    return body + "\n", signatures
