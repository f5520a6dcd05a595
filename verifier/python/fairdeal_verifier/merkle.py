"""Merkle trees (protocol 1.5, RFC 6962 section 2.1), and the proofs of the log (1.7)."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from fairdeal_verifier.errors import ProofRefused

EMPTY_ROOT = sha256(b"").digest()
MAX_PROOF_HASHES = 63
"""Protocol 1.7: a path in a tree of less than 2^63 leaves."""


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of a leaf's bytes."""
    return sha256(b"\0" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over the hashes of its two children."""
    return sha256(b"\1" + left + right).digest()


def roots(leaves: Iterable[bytes]) -> list[bytes]:
    """The root of the first n leaves, for every n from 0 on: what each seat signed, in one pass.

    `peaks` are the roots of the full subtrees from left to right, as the binary digits of n; folded from the right they
    are Root(n).
    """
    found = [EMPTY_ROOT]
    peaks: list[bytes] = []
    for n, leaf in enumerate(leaves):
        node = sha256(b"\0" + leaf).digest()
        while n & 1:
            node = sha256(b"\1" + peaks.pop() + node).digest()
            n >>= 1
        peaks.append(node)
        for peak in peaks[-2::-1]:
            node = sha256(b"\1" + peak + node).digest()
        found.append(node)
    return found


def check_inclusion(leaf: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """The leaf of hash `leaf` stands at `index` in the tree of `size` leaves (RFC 9162 2.1.3.2); raises ProofRefused.

    `size` and `root` come from a signed checkpoint: one proof fits several sizes.
    """
    if not 0 <= index < size:
        raise ProofRefused("no such leaf")
    _check_hashes(leaf, root, *proof)
    node, last = index, size - 1
    found = leaf
    for sibling in proof:
        if last == 0:
            raise ProofRefused("too long")
        if node & 1 or node == last:
            found = node_hash(sibling, found)
            node, last = _skip_missing(node, last)
        else:
            found = node_hash(found, sibling)
        node, last = node >> 1, last >> 1
    if last != 0 or found != root:
        raise ProofRefused("another root")


def check_consistency(old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """The tree of `size` leaves begins with that of `old` leaves (RFC 9162 2.1.4.2); raises ProofRefused."""
    _check_hashes(old_root, root, *proof)
    if not 0 <= old <= size:
        raise ProofRefused("smaller than before")
    if old in (0, size):
        if proof or old_root != (EMPTY_ROOT if old == 0 else root):
            raise ProofRefused("another root of the same size")
        return
    path = list(proof)
    if old & (old - 1) == 0:
        path.insert(0, old_root)
    if not path:
        raise ProofRefused("empty")
    node, last = old - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise ProofRefused("too long")
        if node & 1 or node == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            node, last = _skip_missing(node, last)
        else:
            after = node_hash(after, sibling)
        node, last = node >> 1, last >> 1
    if last != 0 or (before, after) != (old_root, root):
        raise ProofRefused("another root")


def _skip_missing(node: int, last: int) -> tuple[int, int]:
    """Up the right edge, past the levels where the node has no sibling."""
    while node and not node & 1:
        node, last = node >> 1, last >> 1
    return node, last


def _check_hashes(*hashes: bytes) -> None:
    if any(len(one) != sha256().digest_size for one in hashes):
        raise ProofRefused("not a hash")
