"""Who has neither the operator's key nor a seat's can damage files, and have nobody accused.

`altered` accuses nobody; `cheated` stands on a valid signature of whom it accuses (protocol section 6).
"""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairdeal_verifier import Policy, WrongUsage, verify
from tests.verifier.builder import ENDINGS, Match

STRANGER = Ed25519PrivateKey.from_private_bytes(b"\x5a" * 32)
NAMES = ("target", "resigned", "overruns", "seed", "void")


def lies(match: Match, rng: random.Random) -> list[Match]:
    """Copies that say something else: other money, another player, another time, an event less, no tail."""
    changed = [match.copy() for _ in range(5)]
    changed[0].events[-1]["data"]["lines"][1]["amount"] += 1
    place = max(n for n, event in enumerate(match.events) if event["by"] >= 0)
    changed[1].events[1]["data"]["do"]["join"]["player"] = "0" * 32
    changed[2].events[place]["t"] += 1
    del changed[3].events[rng.randrange(1, place + 1)]
    for n, event in enumerate(changed[3].events):
        event["n"] = n
    del changed[4].events[place:]
    return changed


@pytest.mark.parametrize("name", NAMES)
def test_a_stranger_who_seals_a_lie_accuses_nobody(name: str) -> None:
    """Under a key of the stranger's own and the operator's name, with the true held file or one made to fit."""
    match = ENDINGS[name](5)
    true_held, policy = match.held_file(), match.policy()
    for lie in lies(match, random.Random(name)):
        lie.server = STRANGER
        for line in lie.held[0]:
            line["sig"] = lie.sign_view(line["view"])
        for held in (true_held, lie.held_file(), None):
            assert verify(lie.bundle(), policy, held).verdict == "altered"
        # The true copy beside a held file of a stranger's making.
        for line in lie.held[0]:
            line["view"]["hand"] = ["S7"]
            line["sig"] = lie.sign_view(line["view"])
        assert verify(match.bundle(), policy, lie.held_file()).verdict == "altered"


@pytest.mark.parametrize("name", NAMES)
def test_the_operators_key_under_the_same_lies_does_accuse(name: str) -> None:
    """Or the test above would show nothing. A lost tail may have other reasons."""
    match = ENDINGS[name](5)
    policy, held = match.policy(), match.held_file()
    found = [verify(lie.bundle(), policy, held).verdict for lie in lies(match, random.Random(name))]
    assert found == ["cheated"] * 4 + ["pending"]


def test_one_changed_character_of_the_policy() -> None:
    """Not understood, since a key's id is a hash of its name and bytes: never an accusation, never `verified`."""
    match = ENDINGS["resigned"](3)
    good, bundle, held = match.policy_text().encode(), match.bundle(), match.held_file()
    told = set()
    for place in range(good.index(b"log "), len(good)):
        for other in (good[place] ^ 1, good[place] ^ 0x20, ord("A"), ord("\n")):
            changed = good[:place] + bytes([other]) + good[place + 1 :]
            if changed == good:
                continue
            try:
                told.add(verify(bundle, Policy.parse(changed), held).verdict)
            except WrongUsage:
                told.add("wrong usage")
    assert told == {"wrong usage"}
