"""Witnessed checkpoints (C2SP tlog-cosignature, `cosignature/v1`): who saw this tree as the log's newest, and when."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from fairdeal.errors import KeyRefused, Malformed, SignatureInvalid
from fairdeal.keys import SigningKey
from fairdeal.limits import MAX_TIMESTAMP, SIGNATURE_BYTES
from fairdeal.tlog.checkpoint import Checkpoint
from fairdeal.tlog.note import COSIGNATURE, Note, SignatureLine, VerifierKey

_TIMESTAMP_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Cosignature:
    """A witness's word that the checkpoint was, at `timestamp` (seconds since the epoch), the largest it had seen."""

    key: VerifierKey
    timestamp: int


@dataclass(frozen=True, slots=True)
class OpenedCheckpoint:
    """A checkpoint that its log has signed, with the cosignatures of known witnesses, all verified."""

    checkpoint: Checkpoint
    cosignatures: tuple[Cosignature, ...]


class Cosigner:
    """A witness's signing key and name. Raises Malformed for a name that cannot stand in a note."""

    __slots__ = ("_key", "verifier_key")

    verifier_key: VerifierKey

    def __init__(self, name: str, key: SigningKey) -> None:
        self.verifier_key = VerifierKey(name, key.public, COSIGNATURE)
        self._key = key

    def cosign(self, checkpoint: Checkpoint, timestamp: int) -> SignatureLine:
        """The line that says: seen at `timestamp`, seconds since the epoch. Raises Malformed for one out of range."""
        if not 0 <= timestamp <= MAX_TIMESTAMP:
            raise Malformed("a timestamp is 0 to 2^63 − 1 seconds")
        signature = self._key.sign(_message(checkpoint, timestamp))
        key = self.verifier_key
        return SignatureLine(key.name, key.key_id, timestamp.to_bytes(_TIMESTAMP_BYTES, "big") + signature)


def check_cosignature(checkpoint: Checkpoint, key: VerifierKey, signature: bytes) -> Cosignature:
    """What the witness of `key` said of the checkpoint, from its line's `signature`.

    Raises SignatureInvalid, and KeyRefused when the key is not one that cosigns.
    """
    if key.kind != COSIGNATURE:
        raise KeyRefused("not a cosignature key")
    timestamp = int.from_bytes(signature[:_TIMESTAMP_BYTES], "big")
    if len(signature) != _TIMESTAMP_BYTES + SIGNATURE_BYTES or timestamp > MAX_TIMESTAMP:
        raise SignatureInvalid("a cosignature is a timestamp to 2^63 − 1 and 64 bytes")
    key.public.verify(signature[_TIMESTAMP_BYTES:], _message(checkpoint, timestamp))
    return Cosignature(key, timestamp)


def open_checkpoint(note: str, known_keys: Iterable[VerifierKey]) -> OpenedCheckpoint:
    """Checks every line of a known key: of logs by their Ed25519 keys, of witnesses by their cosignature keys.

    Raises Malformed; SignatureInvalid when a known key's signature is wrong; KeyRefused unless a known log key that has
    the checkpoint's origin for its name has signed.
    """
    parsed = Note.parse(note)
    checkpoint = Checkpoint.parse(parsed.text)
    by_its_log = False
    cosignatures: list[Cosignature] = []
    for key, signature in parsed.signatures_of(known_keys):
        if key.kind == COSIGNATURE:
            cosignatures.append(check_cosignature(checkpoint, key, signature))
        else:
            key.public.verify(signature, parsed.text.encode())
            by_its_log |= key.name == checkpoint.origin
    if not by_its_log:
        raise KeyRefused("no signature of a known key of that log")
    return OpenedCheckpoint(checkpoint, tuple(cosignatures))


def _message(checkpoint: Checkpoint, timestamp: int) -> bytes:
    return f"cosignature/v1\ntime {timestamp}\n{checkpoint.body()}".encode()
