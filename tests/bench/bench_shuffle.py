"""Packs dealt in a second by one core, against one HMAC call over the same bytes in the same run."""

import hmac
from collections.abc import Callable
from time import process_time

from fairdeal.shuffle import deal_pack
from tests.bench.table import Row

DEALS = 20_000
ROUNDS = 5
MIN_DECKS_PER_SECOND = 150_000
MAX_HMAC_CALLS = 4.0

SERVER_SEED = bytes(range(32))
TABLE_ROOT = bytes(range(32, 64))
SEAT_SEEDS = (bytes(range(64, 96)), bytes(range(96, 128)))


def run() -> list[Row]:
    """The rate of decks of 32 for two seats, and its cost in HMAC calls; the best of alternating rounds each."""
    deal_pack(SERVER_SEED, TABLE_ROOT, SEAT_SEEDS, 1)
    message = b"fairdeal/1 deal\n" + TABLE_ROOT + b"".join(SEAT_SEEDS) + bytes(4)
    deck_times, hmac_times = [], []
    for _ in range(ROUNDS):
        deck_times.append(_seconds(lambda deal: deal_pack(SERVER_SEED, TABLE_ROOT, SEAT_SEEDS, deal)))
        hmac_times.append(_seconds(lambda _: hmac.digest(SERVER_SEED, message, "sha256")))
    decks_per_second = DEALS / min(deck_times)
    hmac_calls = min(deck_times) / min(hmac_times)
    return [
        Row(
            "decks of 32, seeds to pack",
            decks_per_second,
            "decks/s per core",
            f"≥ {MIN_DECKS_PER_SECOND:,}",
            decks_per_second >= MIN_DECKS_PER_SECOND,
        ),
        Row(
            "cost of a deck of 32",
            hmac_calls,
            "HMAC calls of the same run",
            f"≤ {MAX_HMAC_CALLS:g}",
            hmac_calls <= MAX_HMAC_CALLS,
        ),
    ]


def _seconds(call: Callable[[int], object]) -> float:
    start = process_time()
    for deal in range(1, DEALS + 1):
        call(deal)
    return process_time() - start
