"""The verifier's own canonical JSON, tree, proofs and shuffle against the shared vectors."""

from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier import canonical
from fairdeal_verifier.errors import NotCanonical, ProofRefused
from fairdeal_verifier.merkle import EMPTY_ROOT, check_consistency, check_inclusion, leaf_hash, node_hash, roots
from fairdeal_verifier.shuffle import deal_index, deal_pack, deck_from_index, first_dealer


def test_canonical_text(canonical_text: tuple[str, bool]) -> None:
    text, accepted = canonical_text
    data = b64decode(text)
    if accepted:
        assert canonical.encode(canonical.decode(data)) == data
    else:
        with pytest.raises(NotCanonical):
            canonical.decode(data)


@pytest.mark.parametrize(
    "text", ["[" * 33 + "]" * 33, "[" * 8000 + "]" * 8000, "9" * 5000, '"\\ud83d\\ude00"', '{"a":"[[","b":"\\u0041"}']
)
def test_hostile_text_is_refused_and_no_more(text: str) -> None:
    with pytest.raises(NotCanonical):
        canonical.decode(text.encode())


def test_brackets_in_strings_are_no_levels() -> None:
    text = b'{"a":"' + b"[" * 40 + b'"}'
    assert canonical.decode(text) == {"a": "[" * 40}


def test_merkle_root(merkle_root: tuple[list[bytes], str]) -> None:
    leaves, root = merkle_root
    found = roots(leaves)
    assert len(found) == len(leaves) + 1
    assert found[-1].hex() == root


def held(accepted: bool, check: Callable[..., None], *arguments: Any) -> None:
    if accepted:
        check(*arguments)
    else:
        with pytest.raises(ProofRefused):
            check(*arguments)


def test_inclusion(inclusion_case: tuple[Any, ...]) -> None:
    *arguments, accepted = inclusion_case
    held(accepted, check_inclusion, *arguments)


def test_consistency(consistency_case: tuple[Any, ...]) -> None:
    *arguments, accepted = consistency_case
    held(accepted, check_consistency, *arguments)


@pytest.mark.parametrize("old", [-1, 0, 1, 2, 3])
def test_consistency_at_the_edges(old: int) -> None:
    tree = roots([b"a", b"b"])
    proof = [leaf_hash(b"b")] if old == 1 else []
    held(0 <= old <= 2, check_consistency, old, tree[max(old, 0)] if old < 3 else tree[2], 2, tree[2], proof)
    for wrong in (bytes(32), tree[2][:31], node_hash(tree[2], tree[2])):
        held(False, check_consistency, old, wrong, 2, tree[2], proof)
        held(False, check_consistency, old, tree[1], 2, tree[2], [*proof, wrong])
    held(False, check_consistency, 1, tree[1], 2, tree[2], [])
    held(False, check_consistency, 0, EMPTY_ROOT, 2, tree[2], [EMPTY_ROOT])


def test_permutation(permutation: dict[str, Any]) -> None:
    assert deck_from_index(int(permutation["index"]), permutation["pack"]) == permutation["deck"]


def test_deal(deal: dict[str, Any]) -> None:
    seeds = [bytes.fromhex(seed) for seed in deal["seat_seeds"]]
    server, root = bytes.fromhex(deal["server_seed"]), bytes.fromhex(deal["table_root"])
    assert deal_index(server, root, seeds, deal["deal"], deal["pack"]) == int(deal["index"])
    assert deck_from_index(int(deal["index"]), deal["pack"]) == deal["deck"]
    assert first_dealer(server, root, seeds) == deal["first_dealer"]
    if deal["pack"] == 32:
        assert deal_pack(server, root, seeds, deal["deal"]) == deal["deck"]
