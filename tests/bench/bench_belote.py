"""Random deals of each game through the public door of `fairdeal.belote`, from the pack to the score."""

from collections.abc import Sequence
from math import factorial
from time import process_time

from fairdeal.belote import RULESETS, Ruleset
from fairdeal.shuffle import deck_from_index
from tests.bench.table import Row

MIN_DEALS_PER_SECOND = {"duel@1": 10_000, "classique@1": 8_000, "coinche@1": 8_000, "annonces@1": 8_000}
PACKS = 2_000
ROUNDS = 5
STRIDE = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C834
"""A large odd step between the indexes of the packs, so that they differ everywhere."""


def play_random_deal(rules: Ruleset, pack: tuple[int, ...], dealer: int, seed: int) -> int:
    """Play one deal with random legal actions; returns the marks of both sides, so that nothing is optimised away."""
    deal = rules.start(pack, dealer, rules.defaults)
    while actions := rules.actions(deal):
        seed = (seed * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        deal = rules.apply(deal, actions[(seed >> 8) % len(actions)])
    return sum(rules.score(deal).marks)


def deals_per_second(rules: Ruleset, packs: Sequence[tuple[int, ...]]) -> float:
    """On one core, in processor time, the best of a few rounds."""
    seconds = []
    for _ in range(ROUNDS):
        start = process_time()
        for number, pack in enumerate(packs):
            play_random_deal(rules, pack, number % rules.players, number)
        seconds.append(process_time() - start)
    return len(packs) / min(seconds)


def run() -> list[Row]:
    """A row for each game."""
    packs = [deck_from_index(number * STRIDE % factorial(32)) for number in range(PACKS)]
    rows = []
    for rules in RULESETS.values():
        least, rate = MIN_DEALS_PER_SECOND[rules.id], deals_per_second(rules, packs)
        name = f"random {rules.id.partition('@')[0]} deals through belote"
        rows.append(Row(name, rate, "deals/s per core", f"≥ {least:,}", rate >= least))
    return rows
