"""Checkpoints (C2SP tlog-checkpoint): a tree's size and root as the text of a note, three lines and no extensions."""

from dataclasses import dataclass

from fairdeal.errors import Malformed
from fairdeal.limits import HASH_BYTES, MAX_ORIGIN_BYTES, MAX_TREE_SIZE
from fairdeal.tlog.merkle import EMPTY_ROOT
from fairdeal.tlog.text import encode_base64, parse_hash, parse_size


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`size` leaves under the 32-byte `root` in the log called `origin`. Raises Malformed for what cannot be one."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        if not self.origin.isprintable() or not 0 < len(self.origin.encode()) <= MAX_ORIGIN_BYTES:
            raise Malformed(f"an origin is one line of 1 to {MAX_ORIGIN_BYTES} bytes")
        if not 0 <= self.size <= MAX_TREE_SIZE:
            raise Malformed("a tree's size is 0 to 2^63 − 1")
        if len(self.root) != HASH_BYTES or (self.size == 0 and self.root != EMPTY_ROOT):
            raise Malformed("a root is 32 bytes, and one alone for the empty tree")

    def body(self) -> str:
        """The note's text: origin, size and base64 root, each on its line."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """The checkpoint that `text` is the body of. Raises Malformed for anything else, extension lines included."""
        origin, *rest = text.split("\n")
        if len(rest) != 3 or rest[2]:
            raise Malformed("a checkpoint is three lines: origin, size, root")
        return cls(origin, parse_size(rest[0]), parse_hash(rest[1]))
