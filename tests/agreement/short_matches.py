"""A match with few events for each ending: its mutants are many, and each is verified."""

from functools import cache

from tests.simulator import Played, play

SHORT = {
    "target": 17, "extra_deal": 8, "overruns": 92, "resigned": 18, "seed_missing_0": 1, "seed_missing_1": 24,
    "seed_missing_both": 9, "cancelled_empty": 3, "cancelled_with_0": 1, "cancelled_with_1": 2, "void_in_seeds": 4,
    "void_in_play": 56, "deal_limit": 11,
}  # fmt: skip
"""The numbers of these matches."""


@cache
def short(ending: str, log: bool = True) -> Played:
    options = {"deals_max": 1} if ending == "deal_limit" else {}
    match = play(SHORT[ending], ending, stake=0 if ending == "seed_missing_1" else 500, log=log, **options)
    assert len(match.events) < 120, "choose another number"
    return match
