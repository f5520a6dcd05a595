"""Inclusion and consistency proofs (RFC 6962 sections 2.1.1 and 2.1.2), made from subtrees' hashes and checked.

The index and the sizes alone fix which ranges of leaves a proof is made of; maker and check walk the same ranges.
Sizes come from signed checkpoints, never from what carries the proof: the same hashes prove a leaf at index 2 of 3, 4
of 5, 8 of 9 and so on.
"""

from collections.abc import Callable, Iterator, Sequence

from fairdeal.errors import Inconsistent, Malformed, NotIncluded
from fairdeal.limits import HASH_BYTES
from fairdeal.tlog.merkle import EMPTY_ROOT, Frontier, node_hash

Subtrees = Callable[[int, int], bytes]
"""(level, index) → the 32-byte root over the 2^level leaves from index·2^level on, all of which the tree has."""
_Range = tuple[int, int]
"""The leaves from the first number up to, not including, the second."""


def tree_root(size: int, subtrees: Subtrees) -> bytes:
    """The root over the first `size` leaves."""
    return frontier(size, subtrees).root()


def frontier(size: int, subtrees: Subtrees) -> Frontier:
    """What is needed to go on appending after the first `size` leaves."""
    return Frontier(size, tuple(subtrees(level, index) for level, index in perfect_subtrees((0, size))))


def inclusion_proof(index: int, size: int, subtrees: Subtrees) -> tuple[bytes, ...]:
    """The hashes that lead from leaf `index` to the root over `size` leaves, the leaf's sibling first.

    Raises Malformed unless 0 ≤ index < size.
    """
    if not 0 <= index < size:
        raise Malformed("the tree has no leaf of that index")
    return tuple(_range_root(siblings, subtrees) for siblings in _inclusion_ranges(index, size))


def check_inclusion(leaf: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Raises NotIncluded unless the proof leads from the leaf hash at `index` to `root`, over `size` leaves."""
    if not 0 <= index < size:
        raise NotIncluded("the tree has no leaf of that index")
    ranges = _inclusion_ranges(index, size)
    _check_lengths((leaf, root, *proof), NotIncluded)
    if len(proof) != len(ranges):
        raise NotIncluded(f"such a proof has {len(ranges)} hashes")
    computed = leaf
    for (start, _), sibling in zip(ranges, proof, strict=True):
        computed = node_hash(sibling, computed) if start < index else node_hash(computed, sibling)
    if computed != root:
        raise NotIncluded("the proof leads to another root")


def consistency_proof(old_size: int, size: int, subtrees: Subtrees) -> tuple[bytes, ...]:
    """The hashes that show that the tree of `size` leaves begins with that of `old_size`; none from 0 or the same size.

    Raises Malformed unless 0 ≤ old_size ≤ size.
    """
    if not 0 <= old_size <= size:
        raise Malformed("the older tree is the smaller one")
    if old_size == 0:
        return ()
    common, ranges = _consistency_ranges(old_size, size)
    # The check knows the old root: where that is the common part itself, it is left out.
    seed = () if common == (0, old_size) else (_range_root(common, subtrees),)
    return (*seed, *(_range_root(siblings, subtrees) for siblings in ranges))


def check_consistency(old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Raises Inconsistent unless the proof shows that the tree under `root` begins with the one under `old_root`."""
    if not 0 <= old_size <= size:
        raise Inconsistent("the older tree is the smaller one")
    _check_lengths((old_root, root, *proof), Inconsistent)
    if old_size == 0:
        if proof or old_root != EMPTY_ROOT or (size == 0 and root != EMPTY_ROOT):
            raise Inconsistent("the empty tree has one root, and its proof has no hashes")
        return
    common, ranges = _consistency_ranges(old_size, size)
    hashes = list(proof)
    if common == (0, old_size):
        hashes.insert(0, old_root)
    if len(hashes) != len(ranges) + 1:
        raise Inconsistent("such a proof has another number of hashes")
    old_computed = computed = hashes[0]
    for (start, _), sibling in zip(ranges, hashes[1:], strict=True):
        if start < common[0]:
            old_computed, computed = node_hash(sibling, old_computed), node_hash(sibling, computed)
        else:
            computed = node_hash(computed, sibling)
    if old_computed != old_root or computed != root:
        raise Inconsistent("the proof leads to another root")


def perfect_subtrees(leaves: _Range) -> Iterator[tuple[int, int]]:
    """(level, index) of the perfect subtrees that a node's leaves fall into, largest first."""
    start, end = leaves
    while start < end:
        level = (end - start).bit_length() - 1
        yield level, start >> level
        start += 1 << level


def _range_root(leaves: _Range, subtrees: Subtrees) -> bytes:
    start, end = leaves
    return Frontier(end - start, tuple(subtrees(level, index) for level, index in perfect_subtrees(leaves))).root()


def _split(start: int, end: int) -> int:
    """Where a node of at least two leaves parts: after the largest power of two that is less than their number."""
    return start + (1 << ((end - start - 1).bit_length() - 1))


def _inclusion_ranges(index: int, size: int) -> list[_Range]:
    """The siblings on the way from a leaf to the root, PATH of RFC 6962."""
    ranges = []
    start, end = 0, size
    while end - start > 1:
        middle = _split(start, end)
        if index < middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    return ranges[::-1]


def _consistency_ranges(old_size: int, size: int) -> tuple[_Range, list[_Range]]:
    """SUBPROOF of RFC 6962: the last node that both trees have, and its siblings on the way to the newer root."""
    ranges = []
    start, end = 0, size
    while end != old_size:
        middle = _split(start, end)
        if old_size <= middle:
            ranges.append((middle, end))
            end = middle
        else:
            ranges.append((start, middle))
            start = middle
    return (start, end), ranges[::-1]


def _check_lengths(hashes: Sequence[bytes], error: type[NotIncluded] | type[Inconsistent]) -> None:
    if any(len(one) != HASH_BYTES for one in hashes):
        raise error(f"a hash is {HASH_BYTES} bytes")
