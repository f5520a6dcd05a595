"""Packs and dealers from the seeds (protocol 3)."""

from collections.abc import Sequence
from functools import cache
from hmac import digest
from math import factorial

SPARE_BITS = 128
"""Bits by which the drawn integer exceeds n!, so that no order of the pack is favoured noticeably."""


@cache
def _shape(cards: int) -> tuple[int, int]:
    """n! of a pack of n cards, and how many blocks of 256 bits a draw takes."""
    orders = factorial(cards)
    return orders, -(-(orders.bit_length() + SPARE_BITS) // 256)


def deal_index(server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes], deal: int, cards: int = 32) -> int:
    """Which of the n! orders deal number `deal` has; seeds and root are 32 raw bytes each."""
    message = b"fairdeal/1 deal\n" + table_root + b"".join(seat_seeds) + deal.to_bytes(4, "big")
    orders, blocks = _shape(cards)
    if blocks == 1:
        drawn = digest(server_seed, message, "sha256")
    else:
        drawn = b"".join(digest(server_seed, message + b.to_bytes(4, "big"), "sha256") for b in range(blocks))
    return int.from_bytes(drawn, "big") % orders


def deck_from_index(index: int, cards: int = 32) -> list[int]:
    """The order of that number; deck[0] is the first card to leave the pack."""
    deck = list(range(cards))
    for i in range(cards - 1, 0, -1):
        index, j = divmod(index, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def deal_pack(server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes], deal: int) -> list[int]:
    """The 32 cards of deal number `deal`, from 1."""
    return deck_from_index(deal_index(server_seed, table_root, seat_seeds, deal))


def first_dealer(server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes]) -> int:
    """The seat that deals deal number 1."""
    message = b"fairdeal/1 dealer\n" + table_root + b"".join(seat_seeds)
    return int.from_bytes(digest(server_seed, message, "sha256"), "big") % len(seat_seeds)


LEAST_CUT = 3
"""Cards that stay in either part of a cut pack."""


def cut_pack(
    pack: Sequence[int], server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes], deal: int
) -> list[int]:
    """A gathered pack of 32 cards, cut for deal number `deal` (protocol 4.5)."""
    message = b"fairdeal/1 cut\n" + table_root + b"".join(seat_seeds) + deal.to_bytes(4, "big")
    drawn = int.from_bytes(digest(server_seed, message, "sha256"), "big")
    return cut_at(pack, LEAST_CUT + drawn % (len(pack) - 2 * LEAST_CUT + 1))


def cut_at(pack: Sequence[int], count: int) -> list[int]:
    """The first `count` cards go under the others."""
    return [*pack[count:], *pack[:count]]
