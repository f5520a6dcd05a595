"""The log's tree: its entries from C2SP bundles, the root of every size, the tiles compared (protocol 7.1)."""

from collections.abc import Iterator

from fairdeal_verifier.audit.source import Source
from fairdeal_verifier.errors import FileFault
from fairdeal_verifier.merkle import EMPTY_ROOT, leaf_hash, node_hash

TILE_WIDTH = 256
TILE_HEIGHT = 8
HASH_BYTES = 32
MAX_BUNDLE_BYTES = TILE_WIDTH * (2 + 65_535)
"""What 256 lengths of two bytes can announce: an entry over the size of a leaf is a finding, not a file's damage."""


class Tree:
    """Every node that is the root of a full subtree: `_levels[h][i]` covers leaves i·2^h … (i + 1)·2^h − 1."""

    def __init__(self) -> None:
        self._levels: list[list[bytes]] = [[]]

    @property
    def size(self) -> int:
        """How many leaves were added."""
        return len(self._levels[0])

    def add(self, leaf: bytes) -> None:
        """Appends a leaf by its bytes."""
        node, height = leaf_hash(leaf), 0
        self._levels[0].append(node)
        while len(self._levels[height]) % 2 == 0:
            left, node = self._levels[height][-2:]
            node = node_hash(left, node)
            height += 1
            if height == len(self._levels):
                self._levels.append([])
            self._levels[height].append(node)

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves, at most all of them."""
        node = None
        for height in range(size.bit_length()):
            if size >> height & 1:
                peak = self._levels[height][(size >> height) - 1]
                node = peak if node is None else node_hash(peak, node)
        return EMPTY_ROOT if node is None else node

    def tiles(self) -> Iterator[tuple[str, int, bytes]]:
        """Every tile of this tree: its path without a width, its width, its bytes."""
        for level, nodes in enumerate(self._levels[::TILE_HEIGHT]):
            for number, start in enumerate(range(0, len(nodes), TILE_WIDTH)):
                part = nodes[start : start + TILE_WIDTH]
                yield f"tile/{level}/{numbered(number)}", len(part), b"".join(part)


def numbered(number: int) -> str:
    """A tile's number in a path: groups of three digits, all but the last with an x (C2SP tlog-tiles)."""
    groups = [f"{number % 1000:03}"]
    while number := number // 1000:
        groups.append(f"x{number % 1000:03}")
    return "/".join(reversed(groups))


def read_entries(source: Source, size: int) -> Iterator[bytes]:
    """The first `size` entries of a log; raises FileFault, NotFetched."""
    for number, start in enumerate(range(0, size, TILE_WIDTH)):
        width = min(TILE_WIDTH, size - start)
        path = f"tile/entries/{numbered(number)}"
        data, grown = _read_tile(source, path, width, MAX_BUNDLE_BYTES)
        yield from _split(data, width, path, grown=grown)


def check_tiles(source: Source, tree: Tree) -> Iterator[FileFault]:
    """Each tile that is missing or not the tree's; raises NotFetched."""
    for path, width, data in tree.tiles():
        try:
            found, grown = _read_tile(source, path, width, TILE_WIDTH * HASH_BYTES)
            if (found[: len(data)] if grown else found) != data:
                raise FileFault("damaged", path, "not the tile of these entries")
        except FileFault as fault:
            yield fault


def _read_tile(source: Source, path: str, width: int, limit: int) -> tuple[bytes, bool]:
    """A tile of that width, or of a log that has grown past it the full one; and whether it is that."""
    if width == TILE_WIDTH:
        return source.read(path, limit), False
    try:
        return source.read(f"{path}.p/{width}", limit), False
    except FileFault as fault:
        if fault.code != "missing":
            raise
    return source.read(path, limit), True


def _split(data: bytes, width: int, path: str, *, grown: bool) -> Iterator[bytes]:
    position = 0
    for _ in range(width):
        start = position + 2
        position = start + int.from_bytes(data[position:start], "big")
        if len(data) < max(position, start):
            raise FileFault("damaged", path, "fewer entries than its width")
        yield data[start:position]
    if position != len(data) and not grown:
        raise FileFault("damaged", path, "more than the entries of its width")
