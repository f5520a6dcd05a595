"""A secret seed and its commitment (protocol sections 1 and 2)."""

import hmac
from hashlib import sha256
from typing import final

from fairdeal.errors import CommitmentMismatch, Malformed
from fairdeal.ids import parse_hex
from fairdeal.keys import Redacted
from fairdeal.limits import HASH_BYTES, SEED_BYTES


@final
class Seed(Redacted):
    """Exactly 32 secret bytes. Raises Malformed for another length."""

    __slots__ = ("_raw",)

    def __init__(self, raw: bytes) -> None:
        if len(raw) != SEED_BYTES:
            raise Malformed(f"a seed is {SEED_BYTES} bytes")
        self._raw = bytes(raw)

    @classmethod
    def from_hex(cls, text: object) -> "Seed":
        """The seed written by 64 lowercase hex digits. Raises Malformed."""
        return cls(parse_hex(text, SEED_BYTES))

    def reveal(self) -> bytes:
        """The secret bytes themselves."""
        return self._raw

    def hex(self) -> str:
        """The secret as the `seed` and `reveal` events write it."""
        return self._raw.hex()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seed) and hmac.compare_digest(self._raw, other._raw)

    def __hash__(self) -> int:
        return hash(self._raw)


def commitment(seed: Seed) -> str:
    """SHA-256 of the 32 raw bytes, as 64 hex digits: what `sha256sum` prints."""
    return sha256(seed.reveal()).hexdigest()


def check_opens(commitment_hex: object, seed: Seed) -> None:
    """Raises CommitmentMismatch unless `seed` is the one committed to; Malformed for what is no commitment."""
    if not hmac.compare_digest(parse_hex(commitment_hex, HASH_BYTES), sha256(seed.reveal()).digest()):
        raise CommitmentMismatch("the seed does not open the commitment")
