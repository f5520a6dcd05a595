"""The root of all errors, and what is wrong with bytes and proofs, whoever sends them."""

from collections.abc import Mapping
from typing import ClassVar


class FairdealError(Exception):
    """The root: whatever the library refuses is one of these."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, object] = dict(details or {})


class Malformed(FairdealError):
    """The bytes or the text are not in the one form they must have."""

    code = "malformed"


class Proof(FairdealError):
    """A cryptographic check failed."""

    code = "proof_failed"


class CommitmentMismatch(Proof):
    """The seed does not open the commitment."""

    code = "commitment_mismatch"


class Inconsistent(Proof):
    """The consistency proof does not show that the newer tree only adds to the older one."""

    code = "inconsistent"


class KeyRefused(Proof):
    """The key is weak, is of an unknown kind, or is not the one asked for."""

    code = "key_refused"


class NotIncluded(Proof):
    """The inclusion proof does not show that the leaf stands at that index under that root."""

    code = "not_included"


class QuorumMissing(Proof):
    """The checkpoint is the log's own, and too few witnesses of the policy have cosigned it."""

    code = "quorum_missing"


class SealBroken(Proof):
    """The sealed seed was altered, belongs to another match, or was sealed under another key."""

    code = "seal_broken"


class SignatureInvalid(Proof):
    """The signature is not by that key over those bytes."""

    code = "signature_invalid"
