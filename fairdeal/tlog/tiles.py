"""The tree as tiles (C2SP tlog-tiles): 256 hashes of one height each, in files that never change once they are full.

Tile `index` of `level` holds the roots over 256^level leaves each, from number 256·index on. A full tile is one hash of
the level above; the last tile of each level is partial unless the level's hashes fill it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from fairdeal.errors import Malformed
from fairdeal.limits import HASH_BYTES, MAX_TILE_LEVEL, MAX_TREE_SIZE
from fairdeal.tlog.merkle import node_hash
from fairdeal.tlog.proofs import Subtrees, tree_root

TILE_HEIGHT: Final = 8
TILE_WIDTH: Final = 1 << TILE_HEIGHT
"""Hashes in a full tile, and entries in a full entry bundle."""
MAX_TILE_INDEX: Final = MAX_TREE_SIZE >> TILE_HEIGHT

_PATH = re.compile(
    r"tile/(?P<level>[0-9]{1,2}|entries)/(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[0-9]{1,3}))?"
)


@dataclass(frozen=True, slots=True)
class Tile:
    """The name of a tile with its first `width` hashes. Raises Malformed."""

    level: int
    index: int
    width: int = TILE_WIDTH

    def __post_init__(self) -> None:
        if not 0 <= self.level <= MAX_TILE_LEVEL:
            raise Malformed(f"a tile's level is 0 to {MAX_TILE_LEVEL}")
        _check_place(self.index, self.width)

    @property
    def path(self) -> str:
        """Where it is served, below the log's prefix."""
        return f"tile/{self.level}/{_format_place(self.index, self.width)}"

    def check(self, data: bytes) -> None:
        """Raises Malformed unless `data` has the length of this tile."""
        if len(data) != self.width * HASH_BYTES:
            raise Malformed(f"{self.path} is {self.width} hashes")


@dataclass(frozen=True, slots=True)
class EntryBundle:
    """The name of a bundle: the `width` entries whose hashes are the level 0 tile of that index. Raises Malformed."""

    index: int
    width: int = TILE_WIDTH

    def __post_init__(self) -> None:
        _check_place(self.index, self.width)

    @property
    def path(self) -> str:
        """Where it is served, below the log's prefix."""
        return f"tile/entries/{_format_place(self.index, self.width)}"


def parse_path(path: str) -> Tile | EntryBundle:
    """What is served at a path below the log's prefix, written in its one form. Raises Malformed."""
    matched = _PATH.fullmatch(path)
    if not matched:
        raise Malformed("not a tile's path")
    index = int(matched["index"].replace("x", "").replace("/", ""))
    width = int(matched["width"] or TILE_WIDTH)
    entries = matched["level"] == "entries"
    named = EntryBundle(index, width) if entries else Tile(int(matched["level"]), index, width)
    if named.path != path:
        raise Malformed("a tile's path in a second spelling")
    return named


def tiles(size: int, since: int = 0) -> Iterator[Tile]:
    """The tiles that a log of `size` leaves has and one of its first `since` leaves has not, level by level.

    Every full tile, and at most one partial one on each level. Raises Malformed unless 0 ≤ since ≤ size ≤ 2^63 − 1.
    """
    if not 0 <= since <= size <= MAX_TREE_SIZE:
        raise Malformed("a log only grows, up to 2^63 − 1 leaves")
    level = 0
    while size != since:
        for index in range(since >> TILE_HEIGHT, -(-size >> TILE_HEIGHT)):
            yield Tile(level, index, min(TILE_WIDTH, size - index * TILE_WIDTH))
        level, size, since = level + 1, size >> TILE_HEIGHT, since >> TILE_HEIGHT


def entry_bundles(size: int, since: int = 0) -> Iterator[EntryBundle]:
    """The same of entry bundles: one for each tile of level 0."""
    return (EntryBundle(tile.index, tile.width) for tile in tiles(size, since) if tile.level == 0)


def subtrees_of_tiles(size: int, read: Callable[[Tile], bytes]) -> Subtrees:
    """The subtrees of a log of `size` leaves, out of its tiles; each tile is read at most once, and only when needed.

    Asking raises Malformed for a tile of the wrong length or a subtree the log does not have, and what `read` raises.
    """

    # Kept, so that the proofs of neighbours, which a batch asks for together, cost a fraction of the first.
    @cache
    def nodes(tile: Tile) -> list[list[bytes]]:
        data = read(tile)
        tile.check(data)
        return _hash_up(data)

    def subtree(level: int, index: int) -> bytes:
        if not 0 <= index < size >> level:
            raise Malformed("the tree has no such subtree")
        tile_level, height = divmod(level, TILE_HEIGHT)
        first = index << height
        width = (size >> TILE_HEIGHT * tile_level) - (first & -TILE_WIDTH)
        found = nodes(Tile(tile_level, first >> TILE_HEIGHT, min(TILE_WIDTH, width)))
        return found[height][first % TILE_WIDTH >> height]

    return subtree


@dataclass(frozen=True, slots=True)
class TileEdge:
    """The partial tile of every level: all that is needed to go on appending and to write the tiles that follow.

    `TileEdge()` is the empty log.
    """

    size: int = 0
    partial: tuple[bytes, ...] = ()
    """By level, 0 to 255 hashes each."""

    @classmethod
    def load(cls, size: int, read: Callable[[Tile], bytes]) -> "TileEdge":
        """The edge of a log of `size` leaves out of its own tiles; its `root()` is still to be compared.

        Raises Malformed for a tile of the wrong length, and what `read` raises.
        """
        partial: list[bytes] = []
        hashes = size
        while hashes:
            data = b""
            if hashes % TILE_WIDTH:
                tile = Tile(len(partial), hashes >> TILE_HEIGHT, hashes % TILE_WIDTH)
                data = read(tile)
                tile.check(data)
            partial.append(data)
            hashes >>= TILE_HEIGHT
        return cls(size, tuple(partial))

    def append(self, leaf_hashes: Sequence[bytes]) -> tuple["TileEdge", dict[Tile, bytes]]:
        """The edge after these leaves, and the tiles to be written: those of `tiles(new size, since=size)`.

        Raises Malformed unless each leaf hash is 32 bytes.
        """
        if any(len(leaf) != HASH_BYTES for leaf in leaf_hashes):
            raise Malformed(f"a leaf hash is {HASH_BYTES} bytes")
        partial = list(self.partial)
        written: dict[Tile, bytes] = {}
        level, index, fresh = 0, self.size >> TILE_HEIGHT, b"".join(leaf_hashes)
        while fresh:
            if level == len(partial):
                partial.append(b"")
            data = partial[level] + fresh
            chunks = [data[at : at + TILE_WIDTH * HASH_BYTES] for at in range(0, len(data), TILE_WIDTH * HASH_BYTES)]
            for number, chunk in enumerate(chunks):
                written[Tile(level, index + number, len(chunk) // HASH_BYTES)] = chunk
            full = [chunk for chunk in chunks if len(chunk) == TILE_WIDTH * HASH_BYTES]
            partial[level] = chunks[-1] if len(full) < len(chunks) else b""
            level, index, fresh = level + 1, index >> TILE_HEIGHT, b"".join(map(tile_root, full))
        return TileEdge(self.size + len(leaf_hashes), tuple(partial)), written

    def root(self) -> bytes:
        """The 32-byte root over all leaves so far."""
        # Every subtree that the root is made of lies in its level's partial tile.
        return tree_root(self.size, subtrees_of_tiles(self.size, lambda tile: self.partial[tile.level]))


def tile_root(data: bytes) -> bytes:
    """The hash that a full tile is in the level above."""
    return _hash_up(data)[TILE_HEIGHT][0]


def _hash_up(data: bytes) -> list[list[bytes]]:
    """The hashes in `data`, and above them the roots over each two, four and so on of them."""
    nodes = [[data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]]
    while len(below := nodes[-1]) > 1:
        nodes.append([node_hash(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)])
    return nodes


def _check_place(index: int, width: int) -> None:
    if not 0 <= index <= MAX_TILE_INDEX or not 1 <= width <= TILE_WIDTH:
        raise Malformed(f"a tile is 1 to {TILE_WIDTH} wide, and within the largest log")


def _format_place(index: int, width: int) -> str:
    groups = f"{index:,}".split(",")
    *leading, last = (group.zfill(3) for group in groups)
    partial = "" if width == TILE_WIDTH else f".p/{width}"
    return "".join(f"x{group}/" for group in leading) + last + partial
