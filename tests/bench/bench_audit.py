"""What the audit of a whole log costs: simulated duels in a directory, read and replayed by two processes."""

import json
import os
import tempfile
from pathlib import Path

from fairdeal.keys import SigningKey
from fairdeal_verifier.audit.run import Outcome, Wishes, audit
from fairdeal_verifier.audit.source import Directory
from fairdeal_verifier.policy import Policy
from fairdeal_verifier.report import Signatures
from tests.bench.table import Row
from tests.simulator import Played, play
from tests.verifier.builder import Match
from tests.verifier.house import RECEIPTS_KEY, House
from tests.verifier.logged import policy_text

MATCHES = 320
PROCESSES = 2
ROUNDS = 3
LEAST: dict[Signatures, int] = {"all": 50, "last": 200}
"""Matches a second per core."""


def run() -> list[Row]:
    """The best of some rounds each, in processor time of all processes together."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        return [row(Directory(Path(folder)), signatures) for signatures in LEAST]


def write(folder: Path) -> None:
    """Duels for a stake of a service with one receipts key."""
    key = SigningKey.from_seed(RECEIPTS_KEY[0].private_bytes_raw())
    house = House()
    for seed in range(MATCHES):
        house.add(match_of(play(seed, "target", stake=500, target=301, receipts=key)))
        if seed % 50 == 0:
            house.ledger()
    house.ledger()
    house.write(folder)


def match_of(played: Played) -> Match:
    """Of which only the events and the number of seats are asked for."""
    events = [json.loads(line) for line in played.bundle.splitlines()[1:]]
    keys = [RECEIPTS_KEY[0]] * played.state.terms.seats
    return Match(played.state.terms.m, RECEIPTS_KEY[0], keys, events=events)


def row(source: Directory, signatures: Signatures) -> Row:
    policy = Policy.parse(policy_text().encode())
    spent = []
    for _ in range(ROUNDS):
        before = processor_time()
        outcome = audit(source, Wishes(policy, 0, signatures=signatures, jobs=PROCESSES))
        spent.append(processor_time() - before)
        check(outcome)
    rate = MATCHES / min(spent)
    events = outcome.counts["events"] // MATCHES
    name = f"audit: duels of {events} events, {signatures} signatures, money and tree with them"
    return Row(name, rate, "matches/s per core", f"≥ {LEAST[signatures]:,}", rate >= LEAST[signatures])


def check(outcome: Outcome) -> None:
    assert not outcome.findings
    assert not outcome.faults
    assert outcome.counts["replayed"] == MATCHES


def processor_time() -> float:
    """Of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
