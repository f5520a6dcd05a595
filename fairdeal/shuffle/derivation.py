"""One HMAC, one integer, one deal (protocol section 3).

    key   = server seed (32 bytes)
    msg   = "fairdeal/1 deal\\n" || table_root (32) || seed_0 (32) || … || seed_{k-1} (32) || u32be(d)
    index = int(HMAC-SHA256(key, msg), big-endian) mod cards!

Seeds and root are raw bytes, never their hex. A pack that needs more than one block takes
HMAC(key, msg || u32be(0)) || HMAC(key, msg || u32be(1)) || … as the integer.
"""

import hmac
from collections.abc import Sequence

from fairdeal.errors import Malformed
from fairdeal.limits import HASH_BYTES, MAX_DEAL, MAX_SEATS, MIN_SEATS, SEED_BYTES
from fairdeal.shuffle.permutation import FACTORIALS, check_pack_size, deck_from_index, deck_of_32

_DEAL = b"fairdeal/1 deal\n"
_DEALER = b"fairdeal/1 dealer\n"
_CUT = b"fairdeal/1 cut\n"
_CUT_FROM = 3
"""Fewer cards than this are never cut off, nor left."""
_CUT_PLACES = 32 - 2 * _CUT_FROM + 1
_SPARE_BITS = 128
"""Bits beyond those of cards!, which bound the bias of the reduction by 2^-128 (FIPS 186-5 A.2.1 asks for 64)."""
_BLOCK_BITS = 256
_BLOCKS = tuple(-(-(number.bit_length() + _SPARE_BITS) // _BLOCK_BITS) for number in FACTORIALS)


def deal_index(server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes], deal: int, cards: int = 32) -> int:
    """The permutation index of deal number `deal` (from 1): 0 ≤ index < cards!. Raises Malformed."""
    return _deal_number(server_seed, table_root, seat_seeds, deal, cards) % FACTORIALS[cards]


def deal_pack(
    server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes], deal: int, cards: int = 32
) -> tuple[int, ...]:
    """The pack of deal number `deal` (from 1); element 0 is the first card to leave it. Raises Malformed."""
    number = _deal_number(server_seed, table_root, seat_seeds, deal, cards)
    if cards == 32:
        return deck_of_32(number)
    return deck_from_index(number % FACTORIALS[cards], cards)


def first_dealer(server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes]) -> int:
    """The seat that deals first. Raises Malformed."""
    message = _message(_DEALER, server_seed, table_root, seat_seeds)
    return int.from_bytes(hmac.digest(server_seed, message, "sha256"), "big") % len(seat_seeds)


def cut_place(server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes], deal: int) -> int:
    """How many cards are cut off an unshuffled pack before deal number `deal`: 3…29 of 32. Raises Malformed."""
    _check_deal(deal)
    message = _message(_CUT, server_seed, table_root, seat_seeds) + deal.to_bytes(4, "big")
    return _CUT_FROM + int.from_bytes(hmac.digest(server_seed, message, "sha256"), "big") % _CUT_PLACES


def _check_deal(deal: int) -> None:
    if not 1 <= deal <= MAX_DEAL:
        raise Malformed(f"a deal's number is 1 to {MAX_DEAL}")


def _deal_number(server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes], deal: int, cards: int) -> int:
    check_pack_size(cards)
    _check_deal(deal)
    message = _message(_DEAL, server_seed, table_root, seat_seeds) + deal.to_bytes(4, "big")
    blocks = _BLOCKS[cards]
    if blocks == 1:
        return int.from_bytes(hmac.digest(server_seed, message, "sha256"), "big")
    stream = (hmac.digest(server_seed, message + block.to_bytes(4, "big"), "sha256") for block in range(blocks))
    return int.from_bytes(b"".join(stream), "big")


def _message(label: bytes, server_seed: bytes, table_root: bytes, seat_seeds: Sequence[bytes]) -> bytes:
    if len(server_seed) != SEED_BYTES or len(table_root) != HASH_BYTES:
        raise Malformed(f"server seed and table root are {SEED_BYTES} bytes each")
    if not MIN_SEATS <= len(seat_seeds) <= MAX_SEATS:
        raise Malformed(f"{MIN_SEATS} to {MAX_SEATS} seats, each with its seed")
    for seed in seat_seeds:
        if len(seed) != SEED_BYTES:
            raise Malformed(f"a seat's seed is {SEED_BYTES} bytes")
    return b"".join((label, table_root, *seat_seeds))
