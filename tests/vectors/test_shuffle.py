"""The shuffle against given permutations and deals, and against the readings of the protocol that are wrong."""

import hmac
import json
from collections.abc import Callable
from itertools import permutations as orders
from math import factorial
from random import Random
from typing import Any

import pytest

from fairdeal.commit import Seed, commitment
from fairdeal.errors import Malformed
from fairdeal.shuffle import deal_index, deal_pack, deck_from_index, first_dealer
from fairdeal.shuffle.permutation import deck_of_32
from tests.conftest import VECTORS

GIVEN = json.loads((VECTORS / "shuffle.json").read_text())
DECK_GROUPS = [n * (n - 1) for n in range(32, 13, -2)] + [12 * 11 * 10, 9 * 8 * 7, 720]


def reference_deck(index: int, cards: int) -> tuple[int, ...]:
    """Section 3, word for word."""
    deck = list(range(cards))
    for i in range(cards - 1, 0, -1):
        index, j = divmod(index, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def reference_index(key: bytes, message: bytes, cards: int, blocks: int) -> int:
    counters = [b""] if blocks == 1 else [block.to_bytes(4, "big") for block in range(blocks)]
    stream = b"".join(hmac.new(key, message + counter, "sha256").digest() for counter in counters)
    return int(stream.hex(), 16) % factorial(cards)


def inputs(deal: dict[str, Any]) -> tuple[bytes, bytes, list[bytes]]:
    seats = [bytes.fromhex(seed) for seed in deal["seat_seeds"]]
    return bytes.fromhex(deal["server_seed"]), bytes.fromhex(deal["table_root"]), seats


def test_permutation(permutation: dict[str, Any]) -> None:
    assert list(deck_from_index(int(permutation["index"]), permutation["pack"])) == permutation["deck"]


def test_deal(deal: dict[str, Any]) -> None:
    assert commitment(Seed.from_hex(deal["server_seed"])) == deal["commitment"]
    assert deal_index(*inputs(deal), deal["deal"], deal["pack"]) == int(deal["index"])
    assert list(deal_pack(*inputs(deal), deal["deal"], deal["pack"])) == deal["deck"]
    assert first_dealer(*inputs(deal)) == deal["first_dealer"]


def test_the_given_file_is_whole() -> None:
    assert (len(GIVEN["permutations"]), len(GIVEN["deals"])) == (35, 25)


def message(root: bytes, seats: list[bytes], number: bytes, label: bytes = b"fairdeal/1 deal\n") -> bytes:
    return label + root + b"".join(seats) + number


Reading = Callable[[bytes, bytes, list[bytes], int], tuple[int, ...]]


def reading(key: bytes, text: bytes, order: str = "big") -> tuple[int, ...]:
    digest = hmac.new(key, text, "sha256").digest()
    return reference_deck(int.from_bytes(digest, "big" if order == "big" else "little") % factorial(32), 32)


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


WRONG: dict[str, Reading] = {
    "server seed as hex text": lambda s, r, seats, d: reading(s.hex().encode(), message(r, seats, u32(d))),
    "root as hex text": lambda s, r, seats, d: reading(s, message(r.hex().encode(), seats, u32(d))),
    "seat seeds as hex text": lambda s, r, seats, d: reading(s, message(r, [x.hex().encode() for x in seats], u32(d))),
    "everything as hex text": lambda s, r, seats, d: reading(
        s.hex().encode(), message(r.hex().encode(), [x.hex().encode() for x in seats], u32(d))
    ),
    "seat seeds in another order": lambda s, r, seats, d: reading(s, message(r, seats[::-1], u32(d))),
    "a seat seed left out": lambda s, r, seats, d: reading(s, message(r, seats[:-1], u32(d))),
    "root after the seeds": lambda s, r, seats, d: reading(s, message(b"", [*seats, r], u32(d))),
    "deal number in decimal": lambda s, r, seats, d: reading(s, message(r, seats, str(d).encode())),
    "deal number from 0": lambda s, r, seats, d: reading(s, message(r, seats, u32(d - 1))),
    "index little-endian": lambda s, r, seats, d: reading(s, message(r, seats, u32(d)), "little"),
    "a block number for one block": lambda s, r, seats, d: reading(s, message(r, seats, u32(d) + u32(0))),
    "label without its line feed": lambda s, r, seats, d: reading(s, message(r, seats, u32(d), b"fairdeal/1 deal")),
    "the public commitment as key": lambda s, r, seats, d: reading(
        bytes.fromhex(commitment(Seed(s))), message(r, seats, u32(d))
    ),
    "plain hash in place of the MAC": lambda s, r, seats, d: reading(b"", s + message(r, seats, u32(d))),
    "swapped from the bottom up": lambda s, r, seats, d: ascending(deal_index(s, r, seats, d)),
}


def ascending(index: int) -> tuple[int, ...]:
    deck = list(range(32))
    for i in range(1, 32):
        index, j = divmod(index, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_reading_gives_another_pack(wrong: Reading) -> None:
    packs_of_32 = [deal for deal in GIVEN["deals"] if deal["pack"] == 32]
    assert len(packs_of_32) > 15
    for deal in packs_of_32:
        assert reading(*pair(deal)) == tuple(deal["deck"])
        assert wrong(*inputs(deal), deal["deal"]) != tuple(deal["deck"])


def pair(deal: dict[str, Any]) -> tuple[bytes, bytes]:
    server_seed, root, seats = inputs(deal)
    return server_seed, message(root, seats, u32(deal["deal"]))


def test_a_little_endian_deal_number_gives_another_pack() -> None:
    seen = 0
    for deal in GIVEN["deals"]:
        little = deal["deal"].to_bytes(4, "little")
        if deal["pack"] == 32 and little != u32(deal["deal"]):
            server_seed, root, seats = inputs(deal)
            assert reading(server_seed, message(root, seats, little)) != tuple(deal["deck"])
            seen += 1
    assert seen > 10


def test_hex_text_and_other_lengths_are_refused_where_bytes_are_due() -> None:
    server_seed, root, seats = inputs(GIVEN["deals"][0])
    for bad in (server_seed.hex().encode(), server_seed[:-1], server_seed + b"\0", b""):
        with pytest.raises(Malformed):
            deal_pack(bad, root, seats, 1)
        with pytest.raises(Malformed):
            deal_pack(server_seed, bad, seats, 1)
        with pytest.raises(Malformed):
            deal_pack(server_seed, root, [*seats[:-1], bad], 1)
        with pytest.raises(Malformed):
            first_dealer(bad, root, seats)
    for seat_seeds in ([], seats[:1], seats + seats):
        with pytest.raises(Malformed):
            deal_pack(server_seed, root, seat_seeds, 1)
    for number, cards in ((0, 32), (-1, 32), (2**32, 32), (1, 1), (1, 105)):
        with pytest.raises(Malformed):
            deal_pack(server_seed, root, seats, number, cards)
    for index, cards in ((-1, 32), (factorial(32), 32), (2, 2), (0, 1), (0, 105)):
        with pytest.raises(Malformed):
            deck_from_index(index, cards)


@pytest.mark.parametrize("cards", [2, 3, 4, 5])
def test_every_order_comes_from_exactly_one_index(cards: int) -> None:
    decks = [deck_from_index(index, cards) for index in range(factorial(cards))]
    assert sorted(decks) == sorted(orders(range(cards)))
    assert tuple(range(cards)) in decks


@pytest.mark.parametrize(("cards", "blocks"), [(2, 1), (32, 1), (34, 1), (35, 2), (78, 2), (79, 3), (104, 3)])
def test_blocks_of_a_pack(cards: int, blocks: int) -> None:
    assert 256 * (blocks - 1) < factorial(cards).bit_length() + 128 <= 256 * blocks
    server_seed, root, seats = inputs(GIVEN["deals"][1])
    for number in (1, 2, 258, 2**32 - 1):
        expected = reference_index(server_seed, message(root, seats, u32(number)), cards, blocks)
        assert deal_index(server_seed, root, seats, number, cards) == expected
        assert deal_pack(server_seed, root, seats, number, cards) == reference_deck(expected, cards)
        other = reference_index(server_seed, message(root, seats, u32(number)), cards, 3 - blocks if blocks < 3 else 2)
        assert cards == 2 or other != expected


def test_packs_by_tables_equal_packs_by_swaps() -> None:
    random = Random(32)
    edges = [0, 1, 31, 32, factorial(32) - 1, factorial(32), factorial(32) + 1, 2**255, 2**256 - 1, 2**118, 2**128]
    sampled = [random.getrandbits(256) for _ in range(3000)] + [2**255 | random.getrandbits(200) for _ in range(500)]
    for number in edges + sampled:
        assert deck_of_32(number) == reference_deck(number, 32)
    for index in (0, factorial(32) - 1, *(random.randrange(factorial(32)) for _ in range(300))):
        assert deck_from_index(index) == deck_of_32(index) == reference_deck(index, 32)


def test_every_entry_of_the_tables_is_right() -> None:
    for entry in range(max(DECK_GROUPS)):
        number = 0
        for radix in reversed(DECK_GROUPS):
            number = number * radix + entry % radix
        assert deck_of_32(number) == reference_deck(number, 32)


def test_packs_of_every_size() -> None:
    random = Random(104)
    for cards in range(2, 105):
        for index in (0, factorial(cards) - 1, random.randrange(factorial(cards))):
            deck = deck_from_index(index, cards)
            assert deck == reference_deck(index, cards)
            assert sorted(deck) == list(range(cards))


def test_a_deal_depends_on_every_input() -> None:
    server_seed, root, seats = bytes(32), bytes(32), [bytes(32), bytes(32)]
    one = bytes(31) + b"\1"
    packs = {
        deal_pack(server_seed, root, seats, 1),
        deal_pack(one, root, seats, 1),
        deal_pack(server_seed, one, seats, 1),
        deal_pack(server_seed, root, [one, seats[1]], 1),
        deal_pack(server_seed, root, [seats[0], one], 1),
        deal_pack(server_seed, root, [*seats, bytes(32)], 1),
        deal_pack(server_seed, root, seats, 2),
    }
    assert len(packs) == 7
