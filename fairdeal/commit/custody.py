"""The server seed of a live match at rest: sealed under a key that the database never sees.

AES-256-GCM with a random 12-byte nonce for each sealing and the match id as associated data, so that a sealed seed
moved to another match does not open.
"""

from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from typing import final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from fairdeal.commit.seeds import Seed
from fairdeal.errors import KeyRefused, Malformed, SealBroken
from fairdeal.ids import parse_hex
from fairdeal.keys import Redacted
from fairdeal.limits import CUSTODY_KEY_BYTES, CUSTODY_NONCE_BYTES, MATCH_ID_BYTES, SEED_BYTES

_LABEL = b"fairdeal/1 custody\n"
_FINGERPRINT_LABEL = b"fairdeal/1 sealing key\n"
_TAG_BYTES = 16
_SEALED_BYTES = CUSTODY_NONCE_BYTES + SEED_BYTES + _TAG_BYTES


@final
class Custody(Redacted):
    """Seals server seeds under a 32-byte key, and opens what was sealed under it or under a `retired` one.

    `fingerprint` tells the key from others and nothing of it: 8 hex digits of a hash. Raises KeyRefused for another
    length.
    """

    __slots__ = ("_cipher", "_opening", "fingerprint")

    fingerprint: str

    def __init__(self, key: bytes, retired: Iterable[bytes] = ()) -> None:
        keys = (key, *retired)
        if any(len(one) != CUSTODY_KEY_BYTES for one in keys):
            raise KeyRefused(f"a custody key is {CUSTODY_KEY_BYTES} bytes")
        self._opening = tuple(map(AESGCM, keys))
        self._cipher = self._opening[0]
        self.fingerprint = sha256(_FINGERPRINT_LABEL + key).digest()[:4].hex()

    def seal(self, seed: Seed, match_id: str, nonce: bytes) -> bytes:
        """nonce ‖ ciphertext ‖ tag, 60 bytes. `nonce` is 12 fresh random bytes. Raises Malformed."""
        if len(nonce) != CUSTODY_NONCE_BYTES:
            raise Malformed(f"a custody nonce is {CUSTODY_NONCE_BYTES} bytes")
        return nonce + self._cipher.encrypt(nonce, seed.reveal(), _bound_to(match_id))

    def open(self, sealed: bytes, match_id: str) -> Seed:
        """The seed sealed for this match. Raises SealBroken for anything else, Malformed for what is no match id."""
        if len(sealed) != _SEALED_BYTES:
            raise SealBroken(f"a sealed seed is {_SEALED_BYTES} bytes")
        nonce, ciphertext = sealed[:CUSTODY_NONCE_BYTES], sealed[CUSTODY_NONCE_BYTES:]
        for cipher in self._opening:
            with suppress(InvalidTag):
                return Seed(cipher.decrypt(nonce, ciphertext, _bound_to(match_id)))
        raise SealBroken("the sealed seed does not open for this match under any key at hand")


def _bound_to(match_id: str) -> bytes:
    return _LABEL + parse_hex(match_id, MATCH_ID_BYTES)
