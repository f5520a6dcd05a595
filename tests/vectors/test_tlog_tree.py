"""Proofs, tiles and entry bundles against the given cases."""

import json
from base64 import b64decode
from typing import Any

import pytest

from fairdeal.errors import Inconsistent, Malformed, NotIncluded
from fairdeal.tlog import (
    EMPTY_ROOT,
    EntryBundle,
    Tile,
    TileEdge,
    check_consistency,
    check_inclusion,
    consistency_proof,
    entry_bundles,
    format_entries,
    frontier,
    inclusion_proof,
    leaf_hash,
    parse_entries,
    parse_path,
    subtrees_of_tiles,
    tile_root,
    tiles,
    tree_root,
)
from tests.conftest import VECTORS

Inclusion = tuple[bytes, int, int, bytes, list[bytes], bool]
Consistency = tuple[int, bytes, int, bytes, list[bytes], bool]


def leaf_n(size: int) -> dict[Tile, bytes]:
    return TileEdge().append([leaf_hash(b"leaf %d" % number) for number in range(size)])[1]


def test_inclusion(inclusion_case: Inclusion) -> None:
    *arguments, accepted = inclusion_case
    if accepted:
        check_inclusion(*arguments)
    else:
        with pytest.raises(NotIncluded):
            check_inclusion(*arguments)


def test_consistency(consistency_case: Consistency) -> None:
    *arguments, accepted = consistency_case
    if accepted:
        check_consistency(*arguments)
    else:
        with pytest.raises(Inconsistent):
            check_consistency(*arguments)


def test_the_given_proofs_are_made(given: dict[str, Any]) -> None:
    tree = given["merkle"]["leaf_n_tree"]
    for case in tree["inclusion"]:
        subtrees = subtrees_of_tiles(case["size"], leaf_n(case["size"]).__getitem__)
        proof = inclusion_proof(case["index"], case["size"], subtrees)
        assert list(proof) == [b64decode(one) for one in case["proof"]]
    for case in tree["consistency"]:
        subtrees = subtrees_of_tiles(case["size2"], leaf_n(case["size2"]).__getitem__)
        proof = consistency_proof(case["size1"], case["size2"], subtrees)
        assert list(proof) == [b64decode(one) for one in case["proof"]]


def test_tile_path(tile_path: tuple[str, dict[str, Any] | None]) -> None:
    path, named = tile_path
    if named is None:
        with pytest.raises(Malformed):
            parse_path(path)
        return
    tile = Tile(named["level"], named["n"], named["w"])
    assert (parse_path(path), tile.path) == (tile, path)
    bundle = EntryBundle(named["n"], named["w"])
    entries = path.replace(f"tile/{named['level']}/", "tile/entries/")
    assert (parse_path(entries), bundle.path) == (bundle, entries)


def test_tiles_of_a_size(tile_size: dict[str, Any]) -> None:
    listed = list(tiles(tile_size["size"]))
    partial = {(tile.level, tile.index, tile.width) for tile in listed if tile.width < 256}
    full = [tile for tile in listed if tile.width == 256]
    # The case lists every partial tile, and full ones of the first level where they are few.
    given = {(level, index, width) for level, index, width in tile_size["tiles"]}
    assert partial == {tile for tile in given if tile[2] < 256}
    assert given - partial <= {(tile.level, tile.index, 256) for tile in full}
    for level, count in tile_size["full_per_level"].items():
        assert [tile.index for tile in full if tile.level == int(level)] == list(range(count))
    assert len(full) == sum(tile_size["full_per_level"].values())
    bundles = [(bundle.index, bundle.width) for bundle in entry_bundles(tile_size["size"])]
    assert bundles == [(tile.index, tile.width) for tile in listed if tile.level == 0]


def test_entry_bundle(bundle_of_entries: tuple[bytes, int, tuple[bytes, ...] | None]) -> None:
    data, width, entries = bundle_of_entries
    if entries is None:
        with pytest.raises(Malformed):
            parse_entries(data, width)
    else:
        assert parse_entries(data, width) == entries
        assert format_entries(entries) == data


def test_a_log_of_300_leaves_made_by_other_software(given: dict[str, Any]) -> None:
    tree = given["tiles"]["sunlight_300_leaf_tree"]
    served = {
        Tile(0, 0): b64decode(tree["tile_0_000_b64"]),
        Tile(0, 1, 44): b64decode(tree["tile_0_001_p_44_b64"]),
        Tile(1, 0, 1): b64decode(tree["tile_1_000_p_1_b64"]),
    }
    root = b64decode(tree["root_b64"])
    assert list(tiles(300)) == list(served)
    assert tile_root(served[Tile(0, 0)]) == served[Tile(1, 0, 1)]
    assert tree_root(300, subtrees_of_tiles(300, served.__getitem__)) == root
    assert TileEdge.load(300, served.__getitem__).root() == root
    leaves = [data[at : at + 32] for data in list(served.values())[:2] for at in range(0, len(data), 32)]
    edge, written = TileEdge().append(leaves)
    assert (written, edge.root()) == (served, root)


def test_a_log_of_70000_entries_grown_in_batches(given: dict[str, Any]) -> None:
    root = bytes.fromhex(given["tiles"]["own_70000"]["root_hex"])
    edge, served = TileEdge(), {}
    for start in range(0, 70_000, 700):
        entries = (b'{"n":%d,"type":"test"}' % number for number in range(start, start + 700))
        edge, written = edge.append([leaf_hash(entry) for entry in entries])
        served |= written
    assert edge.root() == root
    subtrees = subtrees_of_tiles(70_000, served.__getitem__)
    assert tree_root(70_000, subtrees) == frontier(70_000, subtrees).root() == root
    assert (len(list(tiles(70_000))), len(list(entry_bundles(70_000)))) == (277, 274)
    for index in (0, 255, 256, 65_535, 65_536, 69_999):
        leaf = leaf_hash(b'{"n":%d,"type":"test"}' % index)
        check_inclusion(leaf, index, 70_000, root, inclusion_proof(index, 70_000, subtrees))


def test_the_given_file_is_whole() -> None:
    given = json.loads((VECTORS / "tlog.json").read_text())
    merkle = given["merkle"]
    assert sum(case["ok"] for case in merkle["inclusion_cases"]) == 3
    assert len(merkle["inclusion_cases"]) == 73
    assert sum(case.get("ok_strict", case["ok"]) for case in merkle["consistency_cases"]) == 5
    assert len(merkle["consistency_cases"]) == 73
    assert len(merkle["leaf_n_tree"]["inclusion"]) == 9
    assert len(merkle["leaf_n_tree"]["consistency"]) == 10
    assert len(merkle["index_size_malleability"]["also_verifies"]) == 5
    assert len(merkle["forged_prepend"]["bad_proofs"]) == 4
    assert (len(given["tiles"]["paths"]), len(given["tiles"]["bad_paths"])) == (7, 12)
    assert len(given["tiles"]["tiles_for_size"]) == 9
    assert (len(given["entry_bundle"]["good"]), len(given["entry_bundle"]["bad"])) == (1, 4)


@pytest.mark.parametrize(
    "path",
    ["tile/0/000.p/256", "tile/entries/x000/001", "tile/00/000", "tile/٠/000", "tile/0/000\n", "/tile/0/000", "tile/0/",
     "tile/0/x036/x028/x797/x018/x963/968", "tile/0/x001/x000/x000/x000/x000/x000/000", "tile/entries/000.p/-1"],
)  # fmt: skip
def test_other_paths_are_refused(path: str) -> None:
    with pytest.raises(Malformed):
        parse_path(path)


def test_the_last_tile_there_can_be_has_a_path() -> None:
    tile = Tile(63, (2**63 - 1) >> 8, 255)
    assert parse_path(tile.path) == tile
    assert tile.path == "tile/63/x036/x028/x797/x018/x963/967.p/255"


def test_limits_of_entry_bundles() -> None:
    longest = b"x" * 65_535
    assert parse_entries(format_entries([longest] * 256), 256) == (longest,) * 256
    for entries in ([], [b""] * 257, [longest + b"x"]):
        with pytest.raises(Malformed):
            format_entries(entries)
    for width in (0, -1, 257):
        with pytest.raises(Malformed):
            parse_entries(b"\0\0" * max(width, 0), width)


def test_the_empty_tree_has_one_root() -> None:
    root = leaf_hash(b"")
    check_consistency(0, EMPTY_ROOT, 0, EMPTY_ROOT, ())
    check_consistency(0, EMPTY_ROOT, 1, root, ())
    for old_root, size, newer in ((root, 1, root), (EMPTY_ROOT, 0, root), (root, 0, root)):
        with pytest.raises(Inconsistent):
            check_consistency(0, old_root, size, newer, ())


def test_nonsense_is_refused() -> None:
    served = leaf_n(300)
    subtrees = subtrees_of_tiles(300, served.__getitem__)
    for level, index in ((0, 300), (0, -1), (2, 75), (8, 1), (9, 0)):
        with pytest.raises(Malformed):
            subtrees(level, index)
    for index, size in ((-1, 300), (300, 300), (0, 0)):
        with pytest.raises(Malformed):
            inclusion_proof(index, size, subtrees)
    for old_size, size in ((-1, 300), (301, 300)):
        with pytest.raises(Malformed):
            consistency_proof(old_size, size, subtrees)
        with pytest.raises(Malformed):
            list(tiles(size, old_size))
    with pytest.raises(Malformed):
        list(tiles(2**63))
    with pytest.raises(Malformed):
        TileEdge().append([bytes(31)])
    cut = {tile: data[:-1] for tile, data in served.items()}
    with pytest.raises(Malformed):
        TileEdge.load(300, cut.__getitem__)
    with pytest.raises(Malformed):
        subtrees_of_tiles(300, cut.__getitem__)(0, 0)
