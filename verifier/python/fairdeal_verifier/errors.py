"""Everything this package raises, each with what a caller needs to tell the user."""

from typing import Literal


class VerifierError(Exception):
    """Root of every error of this package."""


class NotCanonical(VerifierError):
    """The bytes are not cj1 (protocol 1.1)."""


class NoteRefused(VerifierError):
    """The text is not a verifier key, a signed note or a checkpoint (protocol 1.6)."""


class KeyRefused(VerifierError):
    """The public key breaks rule 1 or 4 of protocol 1.3."""


class SignatureRefused(VerifierError):
    """The signature breaks rule 2 or 3 of protocol 1.3."""


class ProofRefused(VerifierError):
    """The inclusion or consistency proof does not verify (protocol 1.7)."""


class SchemaRefused(VerifierError):
    """The value is not what protocol 2.1, 2.2, 5 or 7.2 allows."""


class IllegalAction(VerifierError):
    """The bid or card is not allowed here (protocol 4)."""


class WrongUsage(VerifierError):
    """A file cannot be used: exit 2. `reason` is a key of `usage.REASONS`; its text there has a place for `value`."""

    def __init__(self, reason: str, value: object = None) -> None:
        super().__init__(reason, value)
        self.reason = reason
        self.value = value


class NotFetched(VerifierError):
    """Something could not be fetched: exit 14. `path` is what was asked for, `why` what went wrong."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why


class FileFault(VerifierError):
    """A file of a log is `missing`, or `damaged`: not what was signed, or not of its form. It accuses nobody."""

    def __init__(self, code: Literal["missing", "damaged"], path: str, why: str) -> None:
        super().__init__(code, path, why)
        self.code = code
        self.path = path
        self.why = why


class NotRevealed(VerifierError):
    """The server seed is not out yet, so no deal can be computed: exit 11 of `explain`."""


class Malformed(VerifierError):
    """Step 0 fails, with its cause and the index of the event (None for the header and for the file as a whole)."""

    def __init__(self, cause: str, place: int | None) -> None:
        super().__init__(cause, place)
        self.cause = cause
        self.place = place


class Broken(VerifierError):
    """A later step fails, with its cause and place; `size` is set when a root or view of that size is what differs."""

    def __init__(self, step: int, cause: str, place: int | None, *, size: int | None = None) -> None:
        super().__init__(step, cause, place)
        self.step = step
        self.cause = cause
        self.place = place
        self.size = size
