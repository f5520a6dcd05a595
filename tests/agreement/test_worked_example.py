"""The worked example of docs/protocol.md is a real match: made by the service's code, accepted by the verifier's."""

import hashlib
from collections.abc import Callable

import pytest

from fairdeal_verifier import Policy, verify
from tests.simulator import Played
from tests.simulator.worked_example import example, section, written


def test_text_is_what_the_code_makes() -> None:
    assert written() == section()


@pytest.mark.parametrize(
    ("policy", "held", "verdict", "anchor"),
    [
        (lambda played: played.policy, None, "unchecked", None),
        (lambda played: played.policy, 0, "verified", "held"),
        (lambda played: played.witnessed_policy, None, "verified", "witnesses"),
    ],
)
def test_verifier_says_of_it_what_the_text_says(
    policy: Callable[[Played], str], held: int | None, verdict: str, anchor: str | None
) -> None:
    played = example()
    report = verify(played.bundle, Policy.parse(policy(played).encode()), None if held is None else played.held[held])
    assert (report.verdict, report.anchor) == (verdict, anchor)


def test_the_lost_copy_is_what_the_text_says() -> None:
    lost = example().lost(7)
    report = verify(lost.bundle, Policy.parse(example().witnessed_policy.encode()), None)
    assert (report.verdict, report.anchor) == ("verified", "witnesses")


def test_commitment_is_what_sha256sum_prints() -> None:
    text = written()
    seed = text.split("server seed")[1].split()[0]
    assert hashlib.sha256(bytes.fromhex(seed)).hexdigest() in text
