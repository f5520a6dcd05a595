"""Random duel deals through the public door of `fairdeal.belote`, from the pack to the score."""

from math import factorial
from time import perf_counter

from fairdeal.belote import find_ruleset
from fairdeal.shuffle import deck_from_index
from tests.bench.table import Row

MIN_DEALS_PER_SECOND = 10_000
PACKS = 2_000
ROUNDS = 5
STRIDE = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C834
"""A large odd step between the indexes of the packs, so that they differ everywhere."""


def play_random_deal(pack: tuple[int, ...], dealer: int, seed: int) -> int:
    """Play one deal with random legal actions; returns the marks of both sides, so that nothing is optimised away."""
    rules = find_ruleset("duel@1")
    deal = rules.start(pack, dealer, rules.defaults)
    while actions := rules.actions(deal):
        seed = (seed * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        deal = rules.apply(deal, actions[(seed >> 8) % len(actions)])
    return sum(rules.score(deal).marks)


def run() -> list[Row]:
    """Deals per second on one core, the best of a few rounds."""
    packs = [deck_from_index(number * STRIDE % factorial(32)) for number in range(PACKS)]
    seconds = []
    for _ in range(ROUNDS):
        start = perf_counter()
        for number, pack in enumerate(packs):
            play_random_deal(pack, number & 1, number)
        seconds.append(perf_counter() - start)
    rate = PACKS / min(seconds)
    bound = f"≥ {MIN_DEALS_PER_SECOND:,}"
    return [Row("random duel deals through belote", rate, "deals/s per core", bound, rate >= MIN_DEALS_PER_SECOND)]
