"""Asking a witness and being one (C2SP tlog-witness, `add-checkpoint`), without the HTTP between.

A witness keeps one checkpoint of each log. For a request it does, in this order and the last two in one transaction:
`AddCheckpoint.parse`, the log's keys by origin, `check` against the checkpoint it keeps, keep the new one; only then it
cosigns and answers. Raised on the way is what `refused` turns into the answer.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from fairdeal.errors import (
    FairdealError,
    Inconsistent,
    KeyRefused,
    Malformed,
    SignatureInvalid,
    UnknownLog,
    WitnessConflict,
    WitnessRefused,
)
from fairdeal.limits import MAX_NOTE_CHARACTERS, MAX_PROOF_HASHES
from fairdeal.tlog.checkpoint import Checkpoint
from fairdeal.tlog.cosignature import check_cosignature, open_checkpoint
from fairdeal.tlog.merkle import EMPTY_ROOT
from fairdeal.tlog.note import Note, SignatureLine, VerifierKey, parse_signature_lines
from fairdeal.tlog.proofs import check_consistency
from fairdeal.tlog.text import encode_base64, parse_hash, parse_size

SIZE_TYPE: Final = "text/x.tlog.size"
"""Content type of a 409: the size of the checkpoint that the witness keeps."""
TEXT_TYPE: Final = "text/plain; charset=utf-8"

MAX_REQUEST_BYTES: Final = 4 * MAX_NOTE_CHARACTERS
"""A note at its limit in the longest UTF-8, which leaves the few lines before it ample room."""


@dataclass(frozen=True, slots=True)
class AddCheckpoint:
    """A request to cosign the checkpoint in `note`, shown to be consistent with that of `old_size`. Not verified."""

    old_size: int
    proof: tuple[bytes, ...]
    note: str
    checkpoint: Checkpoint
    """What stands in the note."""

    @classmethod
    def parse(cls, body: bytes) -> "AddCheckpoint":
        """The request in a body. Raises Malformed, and SignatureInvalid for a signature that is badly written."""
        try:
            text = body[: MAX_REQUEST_BYTES + 1].decode()
            head, blank, note = text.partition("\n\n")
            old, *lines = head.split("\n")
            if (
                len(body) > MAX_REQUEST_BYTES
                or not blank
                or not old.startswith("old ")
                or len(lines) > MAX_PROOF_HASHES
            ):
                raise Malformed("a request is an old size, up to 63 hashes, an empty line and a checkpoint")
            old_size, proof = parse_size(old.removeprefix("old ")), tuple(parse_hash(line) for line in lines)
            body_of_note = Note.parse(note).text
        except (Malformed, UnicodeDecodeError) as error:
            raise Malformed(f"invalid input: {error}") from None
        try:
            return cls(old_size, proof, note, Checkpoint.parse(body_of_note))
        except Malformed as error:
            raise Malformed(f"invalid checkpoint: {error.message}") from None

    def format(self) -> bytes:
        """The body of the request."""
        lines = [f"old {self.old_size}", *(encode_base64(one) for one in self.proof)]
        return ("\n".join(lines) + f"\n\n{self.note}").encode()

    def check(self, log_keys: Collection[VerifierKey], kept: Checkpoint | None) -> None:
        """What a witness checks before it keeps `checkpoint` instead of `kept`, its newest of that origin, if any.

        `log_keys` are those it trusts for that origin. Raises UnknownLog when there are none; Malformed;
        SignatureInvalid and KeyRefused when none of them has signed; WitnessConflict when the request does not build
        on `kept` or is a fork at its size; Inconsistent when the proof does not verify.
        """
        if not log_keys:
            raise UnknownLog("unknown log")
        open_checkpoint(self.note, log_keys)
        if self.old_size > self.checkpoint.size:
            raise Malformed("invalid input: the old size is over the checkpoint's")
        kept_size, kept_root = (kept.size, kept.root) if kept else (0, EMPTY_ROOT)
        if self.old_size != kept_size:
            raise WitnessConflict("the newest checkpoint kept has another size", {"size": kept_size})
        if self.checkpoint.size == kept_size and self.checkpoint.root != kept_root:
            raise WitnessConflict("a fork: the checkpoint kept of that size has another root", {"size": kept_size})
        check_consistency(kept_size, kept_root, self.checkpoint.size, self.checkpoint.root, self.proof)


@dataclass(frozen=True, slots=True)
class WitnessAnswer:
    """An answer to `add-checkpoint`, as HTTP carries it."""

    status: int
    body: str
    content_type: str = TEXT_TYPE

    def cosignatures(self, checkpoint: Checkpoint, keys: Collection[VerifierKey]) -> tuple[SignatureLine, ...]:
        """The lines by which the witness's keys cosigned the checkpoint that was sent, verified; others are ignored.

        Raises WitnessConflict when it keeps another checkpoint, of the size in the details: of the old size that was
        sent, that is a fork; WitnessRefused for any other refusal; Malformed; SignatureInvalid; KeyRefused when
        none of the keys has cosigned.
        """
        if len(self.body) > MAX_NOTE_CHARACTERS:
            raise Malformed(f"an answer over {MAX_NOTE_CHARACTERS} characters")
        if self.status == 409 and self.content_type == SIZE_TYPE:
            if not self.body.endswith("\n"):
                raise Malformed("a size ends in LF")
            raise WitnessConflict("the witness keeps another checkpoint", {"size": parse_size(self.body[:-1])})
        if self.status != 200:
            raise WitnessRefused("the witness gave no cosignature", {"status": self.status})
        note = Note(checkpoint.body(), parse_signature_lines(self.body))
        lines = []
        for key, signature in note.signatures_of(keys):
            check_cosignature(checkpoint, key, signature)
            lines.append(SignatureLine(key.name, key.key_id, signature))
        if not lines:
            raise KeyRefused("no cosignature of a known key")
        return tuple(lines)


def cosigned(line: SignatureLine) -> WitnessAnswer:
    """The answer of a witness that has checked, kept and cosigned."""
    return WitnessAnswer(200, line.format())


def refused(error: FairdealError) -> WitnessAnswer:
    """The answer for what `AddCheckpoint.parse` and `check` raise; any other error is raised again."""
    match error:
        case Malformed():
            return WitnessAnswer(400, f"{error.message}\n")
        case SignatureInvalid() | KeyRefused():
            return WitnessAnswer(403, "invalid signature\n")
        case UnknownLog():
            return WitnessAnswer(404, "unknown log\n")
        case WitnessConflict():
            return WitnessAnswer(409, f"{error.details['size']}\n", SIZE_TYPE)
        case Inconsistent():
            return WitnessAnswer(422, "the consistency proof does not verify\n")
        case _:
            raise error
