"""The checks of the long proofs see what they are there for."""

from collections.abc import Sequence

import pytest

from fairdeal import canonical
from fairdeal.errors import NotIncluded
from fairdeal.keys import SigningKey
from fairdeal.match.leaves import outage_leaf
from fairdeal.tlog import Checkpoint, NoteSigner, Policy, format_policy, inclusion_proof, leaf_hash, root, sign_note
from tests.durability.history import check_leaves, check_one_history, check_proven

SIGNER = NoteSigner("localhost/fairdeal", SigningKey.from_seed(bytes(32)))
POLICY = Policy.parse(format_policy([SIGNER.verifier_key]).encode())
LEAVES = [outage_leaf(number, number + 1) for number in range(5)]


def signed(leaves: Sequence[bytes]) -> str:
    return sign_note(Checkpoint("localhost/fairdeal", len(leaves), root(map(leaf_hash, leaves))).body(), SIGNER)


def test_two_histories() -> None:
    notes = [signed(LEAVES[:size]) for size in range(6)]
    assert check_one_history(POLICY, LEAVES, notes) == 6
    with pytest.raises(AssertionError, match="two histories of 2 leaves"):
        check_one_history(POLICY, LEAVES, [*notes, signed(LEAVES[1:3])])
    with pytest.raises(AssertionError, match="over what the log has not"):
        check_one_history(POLICY, LEAVES[:4], notes)


def test_a_leaf_that_is_not_where_it_was_shown() -> None:
    hashes = [leaf_hash(leaf) for leaf in LEAVES]
    proof = [one.hex() for one in inclusion_proof(3, 5, lambda level, n: root(hashes[n << level : (n + 1) << level]))]
    shown = {"index": 3, "leaf": canonical.decode(LEAVES[3]), "proof": proof}
    answer = {"checkpoint": signed(LEAVES), "leaves": [shown]}
    assert check_proven(POLICY, LEAVES, [answer]) == 1
    with pytest.raises(AssertionError):
        check_proven(POLICY, [*LEAVES[:3], LEAVES[4], LEAVES[3]], [answer])
    with pytest.raises(NotIncluded):
        check_proven(POLICY, LEAVES, [answer | {"checkpoint": signed(LEAVES[::-1])}])


def test_leaves_twice_or_out_of_order() -> None:
    check_leaves(LEAVES, [])
    with pytest.raises(AssertionError):
        check_leaves([*LEAVES, LEAVES[0]], [])
    with pytest.raises(AssertionError):
        check_leaves(LEAVES, ["a match that ended"])
