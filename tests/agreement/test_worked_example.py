"""The worked example of docs/protocol.md is a real match: made by the service's code, accepted by the verifier's."""

import hashlib

from fairdeal_verifier import Policy, verify
from tests.simulator.worked_example import example, section, written


def test_text_is_what_the_code_makes() -> None:
    assert written() == section()


def test_verifier_accepts_it() -> None:
    played = example()
    report = verify(played.bundle, Policy.parse(played.policy.encode()), played.held[0])
    assert report.verdict == "verified"


def test_commitment_is_what_sha256sum_prints() -> None:
    text = written()
    seed = text.split("server seed")[1].split()[0]
    assert hashlib.sha256(bytes.fromhex(seed)).hexdigest() in text
