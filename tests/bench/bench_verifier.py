"""What the standalone verifier costs: rules alone, and a whole bundle against its bare signature checks."""

import random
from collections.abc import Callable
from time import process_time

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from fairdeal_verifier import verify
from fairdeal_verifier.cards import DECLARE
from fairdeal_verifier.ed25519 import OpenSslPublicKey
from fairdeal_verifier.game import replay
from fairdeal_verifier.rulesets import RULESETS, Ruleset
from fairdeal_verifier.shuffle import deal_pack
from tests.bench.table import Row
from tests.verifier.builder import Match, target

DEALS = 2_000
ROUNDS = 60
EVENTS = 130
MIN_DEALS_PER_SECOND = {"duel@1": 20_000, "classique@1": 10_000, "coinche@1": 10_000, "annonces@1": 10_000}
MAX_BARE_SIGNATURES = 1.6

SERVER_SEED = bytes(range(32))
TABLE_ROOT = bytes(range(32, 64))
SEAT_SEEDS = tuple(bytes(range(start, start + 32)) for start in (64, 96, 128, 160))


def run() -> list[Row]:
    """The best of alternating rounds each, in processor time, so that a busy machine tells the same."""
    return [*(replay_row(game) for game in MIN_DEALS_PER_SECOND), bundle_row()]


def replay_row(game: str) -> Row:
    """Decoded deals, played out: the pack from the seeds, every action's legality, the score."""
    ruleset = RULESETS[game]
    seeds = SEAT_SEEDS[: ruleset.seats]
    deals = [(deal, deal % ruleset.seats, random_actions(ruleset, deal)) for deal in range(1, DEALS + 1)]

    def replay_all() -> None:
        for number, dealer, actions in deals:
            deal = ruleset.start(deal_pack(SERVER_SEED, TABLE_ROOT, seeds, number), dealer)
            replay(deal, actions).score(0, counts_bid=True)

    rate = DEALS / min(_seconds(replay_all) for _ in range(ROUNDS // 4))
    least = MIN_DEALS_PER_SECOND[game]
    name = f"verifier: decoded deals of {game.partition('@')[0]} replayed"
    return Row(name, rate, "deals/s per core", f"≥ {least:,}", rate >= least)


def random_actions(ruleset: Ruleset, number: int) -> list[int]:
    """Legal play at random of deal `number`, taken by somebody; who can declare mostly does."""
    chooser = random.Random(number)
    pack = deal_pack(SERVER_SEED, TABLE_ROOT, SEAT_SEEDS[: ruleset.seats], number)
    while True:
        deal, actions = ruleset.start(pack, number % ruleset.seats), []
        while deal.turn is not None:
            legal = deal.legal()
            actions.append(DECLARE if legal[-1] == DECLARE and chooser.random() < 0.8 else chooser.choice(legal))
            deal.act(actions[-1])
        if deal.taker is not None:
            return actions


def bundle_row() -> Row:
    """A bundle of about 130 events with every signature and no held file, in bare checks of the same signatures."""
    match = min((target(seed) for seed in range(12)), key=lambda match: abs(len(match.events) - EVENTS))
    bundle, policy = match.bundle(), match.policy()
    bare = signatures_of(match)
    whole_times, bare_times = [], []
    for _ in range(ROUNDS):
        whole_times.append(_seconds(lambda: verify(bundle, policy, None)))
        bare_times.append(_seconds(lambda: [key.verify(signature, message) for key, signature, message in bare]))
    name = f"verifier: bundle of {len(match.events)} events, {len(bare)} signatures"
    cost = min(whole_times) / min(bare_times)
    bound = f"≤ {MAX_BARE_SIGNATURES:g}"
    return Row(name, cost, "times its bare Ed25519 checks", bound, cost <= MAX_BARE_SIGNATURES)


def signatures_of(match: Match) -> list[tuple[Ed25519PublicKey, bytes, bytes]]:
    """What `verify` hands to OpenSSL, with keys already loaded."""
    calls: list[tuple[Ed25519PublicKey, bytes, bytes]] = []
    check = OpenSslPublicKey._check_equation

    def record(key: OpenSslPublicKey, signature: bytes, message: bytes) -> None:
        calls.append((key._key, signature, message))
        check(key, signature, message)

    try:
        setattr(OpenSslPublicKey, "_check_equation", record)  # noqa: B010
        report = verify(match.bundle(), match.policy(), None)
    finally:
        setattr(OpenSslPublicKey, "_check_equation", check)  # noqa: B010
    assert report.counts.signatures == len(calls)
    return calls


def _seconds(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start
