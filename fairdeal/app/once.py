"""Idempotency keys, as the use cases and the store speak of them."""

from dataclasses import dataclass
from hashlib import sha256

from fairdeal import canonical


@dataclass(frozen=True, slots=True)
class Once:
    """An idempotency key within a scope (an account's id, "operator" or "webhook"), and the SHA-256 of what is asked
    under it.

    The first answer under a key is given again for ever, also when it was a refusal; the same key with another intent
    is refused with IdempotencyConflict.
    """

    scope: str
    key: str
    intent: bytes


def intent(what: str, **members: canonical.Json) -> bytes:
    """The SHA-256 of what is asked under an idempotency key."""
    return sha256(canonical.encode({"what": what, **members})).digest()
