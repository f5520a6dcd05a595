"""The Merkle tree of RFC 6962 section 2.1: leaf prefix 00, node prefix 01, split at the largest power of two."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from fairdeal.errors import Malformed
from fairdeal.limits import HASH_BYTES

EMPTY_ROOT: Final = sha256().digest()
"""The root of no leaves: the hash of nothing."""


def leaf_hash(leaf: bytes) -> bytes:
    """The 32-byte hash of one leaf's bytes."""
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The 32-byte hash of two subtrees' hashes."""
    return sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that is needed of a tree to go on appending: the roots of its perfect subtrees, largest first.

    There is one for each binary digit 1 of `size`. `Frontier()` is the empty tree.
    """

    size: int = 0
    subtrees: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> "Frontier":
        """The tree with one more leaf, given by its hash. Raises Malformed unless that is 32 bytes."""
        if len(leaf) != HASH_BYTES:
            raise Malformed(f"a leaf hash is {HASH_BYTES} bytes")
        subtrees, carry, merged = self.subtrees, leaf, self.size
        while merged & 1:
            carry = node_hash(subtrees[-1], carry)
            subtrees = subtrees[:-1]
            merged >>= 1
        return Frontier(self.size + 1, (*subtrees, carry))

    def root(self) -> bytes:
        """The 32-byte root over all leaves so far."""
        if not self.subtrees:
            return EMPTY_ROOT
        *larger, result = self.subtrees
        for subtree in reversed(larger):
            result = node_hash(subtree, result)
        return result


def root(leaf_hashes: Iterable[bytes]) -> bytes:
    """The 32-byte root over these leaf hashes. Raises Malformed unless each is 32 bytes."""
    frontier = Frontier()
    for leaf in leaf_hashes:
        frontier = frontier.append(leaf)
    return frontier.root()
