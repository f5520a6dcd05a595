"""Trees of any leaves: proofs verify, no altered one does, and tiles hold what the definition says."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.errors import Inconsistent, NotIncluded
from fairdeal.tlog import (
    TileEdge,
    check_consistency,
    check_inclusion,
    consistency_proof,
    format_entries,
    frontier,
    inclusion_proof,
    node_hash,
    parse_entries,
    subtrees_of_tiles,
    tiles,
    tree_root,
)

Hashes = list[bytes]
sizes = st.integers(1, 40) | st.integers(1, 700) | st.sampled_from([255, 256, 257, 511, 512, 513])


def leaves(size: int, seed: int = 0) -> Hashes:
    return [sha256(b"%d/%d" % (seed, number)).digest() for number in range(size)]


def split(size: int) -> int:
    power = 1
    while power * 2 < size:
        power *= 2
    return power


def by_definition(hashes: Hashes) -> bytes:
    """MTH of RFC 6962 section 2.1."""
    if len(hashes) == 1:
        return hashes[0]
    middle = split(len(hashes))
    return node_hash(by_definition(hashes[:middle]), by_definition(hashes[middle:]))


def path(index: int, hashes: Hashes) -> Hashes:
    """PATH of section 2.1.1."""
    if len(hashes) == 1:
        return []
    middle = split(len(hashes))
    if index < middle:
        return [*path(index, hashes[:middle]), by_definition(hashes[middle:])]
    return [*path(index - middle, hashes[middle:]), by_definition(hashes[:middle])]


def subproof(old_size: int, hashes: Hashes, whole: bool) -> Hashes:
    """SUBPROOF of section 2.1.2."""
    if old_size == len(hashes):
        return [] if whole else [by_definition(hashes)]
    middle = split(len(hashes))
    if old_size <= middle:
        return [*subproof(old_size, hashes[:middle], whole), by_definition(hashes[middle:])]
    return [*subproof(old_size - middle, hashes[middle:], False), by_definition(hashes[:middle])]


@st.composite
def grown(draw: st.DrawFn) -> tuple[int, int]:
    size = draw(sizes)
    return draw(st.integers(1, size)), size


def altered(draw: st.DataObject, proof: tuple[bytes, ...]) -> list[bytes]:
    """The proof with one thing wrong."""
    changed = list(proof)
    kinds = ["insert", *(["flip", "drop", "cut", "repeat"] if proof else [])]
    kind = draw.draw(st.sampled_from(kinds))
    place = draw.draw(st.integers(0, len(proof) - (kind != "insert")))
    if kind == "insert":
        changed.insert(place, draw.draw(st.binary(min_size=32, max_size=32)))
    elif kind == "flip":
        bit = draw.draw(st.integers(0, 255))
        changed[place] = (int.from_bytes(changed[place], "big") ^ 1 << bit).to_bytes(32, "big")
    elif kind == "drop":
        del changed[place]
    elif kind == "cut":
        changed[place] = changed[place][:-1]
    else:
        changed.insert(place, changed[place])
    return changed


@settings(max_examples=60)
@given(grown(), st.data())
def test_inclusion(case: tuple[int, int], data: st.DataObject) -> None:
    index, size = case[0] - 1, case[1]
    hashes = leaves(size)
    edge, served = TileEdge().append(hashes)
    root = by_definition(hashes)
    subtrees = subtrees_of_tiles(size, served.__getitem__)
    proof = inclusion_proof(index, size, subtrees)
    assert list(proof) == path(index, hashes)
    assert edge.root() == tree_root(size, subtrees) == root
    check_inclusion(hashes[index], index, size, root, proof)
    other = data.draw(st.integers(0, size - 1))
    refused = [(hashes[index], index, root, altered(data, proof)), (node_hash(root, root), index, root, proof)]
    refused.append((hashes[index], index, node_hash(root, root), proof))
    if other != index:
        refused += [(hashes[index], other, root, proof), (hashes[other], index, root, proof)]
    for leaf, at, under, shown in refused:
        with pytest.raises(NotIncluded):
            check_inclusion(leaf, at, size, under, shown)


@settings(max_examples=60)
@given(grown(), st.data())
def test_consistency(case: tuple[int, int], data: st.DataObject) -> None:
    old_size, size = case
    hashes = leaves(size)
    _, served = TileEdge().append(hashes)
    old_root, root = by_definition(hashes[:old_size]), by_definition(hashes)
    proof = consistency_proof(old_size, size, subtrees_of_tiles(size, served.__getitem__))
    assert list(proof) == subproof(old_size, hashes, True)
    check_consistency(old_size, old_root, size, root, proof)
    wrong = node_hash(root, root)
    refused = [(old_root, root, altered(data, proof)), (wrong, root, proof), (old_root, wrong, proof)]
    if old_size != size:
        refused.append((root, old_root, proof))
    for old, new, shown in refused:
        with pytest.raises(Inconsistent):
            check_consistency(old_size, old, size, new, shown)
    check_consistency(0, sha256().digest(), size, root, ())


@settings(max_examples=60)
@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_nothing_proves_a_history_put_before_the_old_one(old_size: int, added: int, data: st.DataObject) -> None:
    """Any hashes of both trees, in the number that such a proof has."""
    old, before = leaves(old_size), leaves(added, seed=1)
    hashes = before + old
    old_root, root = by_definition(old), by_definition(hashes)
    nodes = [old_root, root, by_definition(before), *old, *before]
    length = len(subproof(old_size, hashes, True))
    proof = data.draw(st.lists(st.sampled_from(nodes), min_size=length, max_size=length))
    with pytest.raises(Inconsistent):
        check_consistency(old_size, old_root, len(hashes), root, proof)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 600), max_size=6))
def test_a_log_grown_in_any_batches_has_the_same_tiles(batches: list[int]) -> None:
    total = sum(batches)
    hashes = leaves(total)
    edge, served, size = TileEdge(), {}, 0
    for batch in batches:
        edge, written = edge.append(hashes[size : size + batch])
        assert list(written) == list(tiles(size + batch, size))
        served |= written
        size += batch
        assert TileEdge.load(size, served.__getitem__) == edge
        assert edge.root() == frontier(size, subtrees_of_tiles(size, served.__getitem__)).root()
    whole = TileEdge().append(hashes)[1]
    assert list(whole) == list(tiles(total))
    assert {tile: served[tile] for tile in whole} == whole


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=256))
def test_entries_come_back_and_in_no_other_number(entries: list[bytes]) -> None:
    assert parse_entries(format_entries(entries), len(entries)) == tuple(entries)
