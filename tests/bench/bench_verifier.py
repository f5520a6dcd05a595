"""What the standalone verifier costs: rules alone, and a whole bundle against its bare signature checks."""

import random
from collections.abc import Callable
from time import process_time

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from fairdeal_verifier import verify
from fairdeal_verifier.duel import Deal, replay_deal
from fairdeal_verifier.ed25519 import OpenSslPublicKey
from fairdeal_verifier.shuffle import deal_pack
from tests.bench.table import Row
from tests.verifier.builder import Match, target

DEALS = 2_000
ROUNDS = 60
EVENTS = 130
MIN_DEALS_PER_SECOND = 20_000
MAX_BARE_SIGNATURES = 1.6

SERVER_SEED = bytes(range(32))
TABLE_ROOT = bytes(range(32, 64))
SEAT_SEEDS = (bytes(range(64, 96)), bytes(range(96, 128)))


def run() -> list[Row]:
    """The best of alternating rounds each, in processor time, so that a busy machine tells the same."""
    return [replay_row(), bundle_row()]


def replay_row() -> Row:
    """Decoded deals, played out: the pack from the seeds, every action's legality, the score."""
    deals = [(deal, deal % 2, random_actions(deal)) for deal in range(1, DEALS + 1)]

    def replay() -> None:
        for deal, dealer, actions in deals:
            replay_deal(deal_pack(SERVER_SEED, TABLE_ROOT, SEAT_SEEDS, deal), dealer, actions)

    rate = DEALS / min(_seconds(replay) for _ in range(ROUNDS // 4))
    bound = f"≥ {MIN_DEALS_PER_SECOND:,}"
    return Row("verifier: decoded duel deals replayed", rate, "deals/s per core", bound, rate >= MIN_DEALS_PER_SECOND)


def random_actions(number: int) -> list[int]:
    """Legal play at random of deal `number`, taken by somebody."""
    chooser = random.Random(number)
    while True:
        deal = Deal(deal_pack(SERVER_SEED, TABLE_ROOT, SEAT_SEEDS, number), number % 2)
        actions = []
        while deal.turn is not None:
            actions.append(chooser.choice(deal.legal()))
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
