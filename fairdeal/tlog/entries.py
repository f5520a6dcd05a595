"""Entry bundles (C2SP tlog-tiles): the leaves themselves, each after its length in two bytes."""

from collections.abc import Iterable
from typing import Final

from fairdeal.errors import Malformed
from fairdeal.limits import MAX_ENTRY_BYTES
from fairdeal.tlog.tiles import TILE_WIDTH

_LENGTH_BYTES: Final = 2


def format_entries(entries: Iterable[bytes]) -> bytes:
    """The bundle of 1 to 256 entries. Raises Malformed for another number, or an entry over 65,535 bytes."""
    listed = tuple(entries)
    if not 1 <= len(listed) <= TILE_WIDTH:
        raise Malformed(f"a bundle has 1 to {TILE_WIDTH} entries")
    if any(len(entry) > MAX_ENTRY_BYTES for entry in listed):
        raise Malformed(f"an entry is at most {MAX_ENTRY_BYTES} bytes")
    return b"".join(len(entry).to_bytes(_LENGTH_BYTES, "big") + entry for entry in listed)


def parse_entries(data: bytes, width: int) -> tuple[bytes, ...]:
    """The `width` entries of a bundle and nothing after them. Raises Malformed."""
    entries = []
    position = 0
    for _ in range(width):
        start = position + _LENGTH_BYTES
        position = start + int.from_bytes(data[position:start], "big")
        if position > len(data):
            raise Malformed("an entry bundle is cut off")
        entries.append(data[start:position])
    if not 1 <= width <= TILE_WIDTH or position != len(data):
        raise Malformed("an entry bundle of another width")
    return tuple(entries)
