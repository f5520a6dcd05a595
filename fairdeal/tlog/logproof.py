"""Proofs that stand alone (C2SP `tlog-proof@v1`): a leaf's index, its inclusion proof and a witnessed checkpoint."""

from dataclasses import dataclass
from typing import Final

from fairdeal.errors import Malformed
from fairdeal.limits import MAX_EXTRA_BYTES, MAX_NOTE_CHARACTERS, MAX_PROOF_HASHES
from fairdeal.tlog.cosignature import OpenedCheckpoint
from fairdeal.tlog.merkle import leaf_hash
from fairdeal.tlog.policy import Policy
from fairdeal.tlog.proofs import check_inclusion
from fairdeal.tlog.text import decode_base64, encode_base64, parse_hash, parse_size

_FORMAT: Final = "c2sp.org/tlog-proof@v1"
_MAX_CHARACTERS: Final = MAX_NOTE_CHARACTERS + 2 * MAX_EXTRA_BYTES + 64 * (MAX_PROOF_HASHES + 2)
"""Every part at its own limit: a line of the proof is under 64 characters, base64 less than doubles the extra bytes."""


@dataclass(frozen=True, slots=True)
class LogProof:
    """What a `.tlog-proof` file says; nothing of it is verified, and `extra`, which nobody signs, never will be."""

    index: int
    hashes: tuple[bytes, ...]
    note: str
    extra: bytes = b""

    @classmethod
    def parse(cls, text: str) -> "LogProof":
        """Takes a file's text apart; the checkpoint's note is left as it is. Raises Malformed."""
        if len(text) > _MAX_CHARACTERS:
            raise Malformed(f"a tlog-proof over {_MAX_CHARACTERS} characters")
        head, blank, note = text.partition("\n\n")
        first, *lines = head.split("\n")
        if first != _FORMAT or not blank:
            raise Malformed(f"not a {_FORMAT}")
        extra = b""
        if lines and lines[0].startswith("extra "):
            extra = decode_base64(lines.pop(0).removeprefix("extra "))
            if not 0 < len(extra) <= MAX_EXTRA_BYTES:
                raise Malformed(f"extra data has 1 to {MAX_EXTRA_BYTES} bytes")
        if not lines or not lines[0].startswith("index "):
            raise Malformed("a tlog-proof names the leaf's index")
        if len(lines) > 1 + MAX_PROOF_HASHES:
            raise Malformed(f"a tlog-proof over {MAX_PROOF_HASHES} hashes")
        index = parse_size(lines[0].removeprefix("index "))
        return cls(index, tuple(parse_hash(line) for line in lines[1:]), note, extra)

    def format(self) -> str:
        """The file's text."""
        extra = [f"extra {encode_base64(self.extra)}"] if self.extra else []
        lines = [_FORMAT, *extra, f"index {self.index}", *(encode_base64(one) for one in self.hashes)]
        return "\n".join(lines) + f"\n\n{self.note}"

    def check(self, leaf: bytes, policy: Policy) -> OpenedCheckpoint:
        """The checkpoint under which the leaf's bytes stand at `index`.

        Raises as `Policy.open`, and NotIncluded when they do not.
        """
        opened = policy.open(self.note)
        checkpoint = opened.checkpoint
        check_inclusion(leaf_hash(leaf), self.index, checkpoint.size, checkpoint.root, self.hashes)
        return opened
