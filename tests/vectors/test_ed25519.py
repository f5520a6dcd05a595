"""One strict rule set for Ed25519, against the 914 edge cases on which libraries disagree."""

import json
from typing import Any

import pytest

from fairdeal.errors import FairdealError, KeyRefused, SignatureInvalid
from fairdeal.keys import PublicKey, SigningKey, check_registered
from tests.conftest import VECTORS

CASES = json.loads((VECTORS / "ed25519.json").read_text())["vectors"]
POLICY = json.loads((VECTORS / "tlog.json").read_text())["ed25519"]
GOOD_KEY = PublicKey.from_hex(POLICY["good"]["public"])
GOOD_MESSAGE = POLICY["good"]["msg"].encode()
GOOD_SIGNATURE = bytes.fromhex(POLICY["good"]["sig"])
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
WEAK = {"low_order_A", "low_order_component_A", "non_canonical_A"}


def accepted(case: dict[str, Any]) -> bool:
    """The key joins, and then its signature verifies."""
    try:
        key = PublicKey.from_hex(case["key"])
        check_registered(key)
        key.verify(bytes.fromhex(case["sig"]), case["msg"].encode())
    except FairdealError:
        return False
    return True


def may_join(case: dict[str, Any]) -> bool:
    try:
        check_registered(PublicKey.from_hex(case["key"]))
    except KeyRefused:
        return False
    return True


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["number"]))
def test_edge_case(case: dict[str, Any]) -> None:
    flags = set(case["flags"] or [])
    assert may_join(case) is not bool(flags & WEAK)
    assert accepted(case) is (case["openssl"] and not flags & WEAK and "low_order_R" not in flags)


def test_the_edge_cases_fall_on_both_sides() -> None:
    assert len(CASES) == 914
    assert sum(map(may_join, CASES)) == 28
    assert sum(map(accepted, CASES)) == 1


def test_good_signature() -> None:
    check_registered(GOOD_KEY)
    GOOD_KEY.verify(GOOD_SIGNATURE, GOOD_MESSAGE)


def test_s_beyond_the_group_order_is_refused() -> None:
    case = POLICY["s_plus_L"]
    assert case["sig"] != POLICY["good"]["sig"]
    assert case["sig"][:64] == POLICY["good"]["sig"][:64]
    with pytest.raises(SignatureInvalid):
        GOOD_KEY.verify(bytes.fromhex(case["sig"]), GOOD_MESSAGE)


def test_low_order_points_are_refused_as_key_and_as_r(low_order_encoding: str) -> None:
    with pytest.raises(KeyRefused):
        PublicKey.from_hex(low_order_encoding)
    with pytest.raises(SignatureInvalid, match="low-order R"):
        GOOD_KEY.verify(bytes.fromhex(low_order_encoding) + GOOD_SIGNATURE[32:], GOOD_MESSAGE)


@pytest.mark.parametrize("y", [P + 2, P + 18, 2**255 - 1])
@pytest.mark.parametrize("sign", [0, 1])
def test_a_second_spelling_of_a_key_is_refused(y: int, sign: int) -> None:
    with pytest.raises(KeyRefused):
        PublicKey((y | sign << 255).to_bytes(32, "little"))


def test_what_is_no_point_of_the_curve_may_not_join() -> None:
    def on_curve(y: int) -> bool:
        d = -121665 * pow(121666, -1, P)
        square = (y * y - 1) * pow(d * y * y + 1, -1, P) % P
        return pow(square, (P - 1) // 2, P) in (0, 1)

    outside = [y for y in range(2, 60) if not on_curve(y)]
    assert len(outside) > 10
    for y in outside:
        with pytest.raises(KeyRefused, match="not a point"):
            check_registered(PublicKey(y.to_bytes(32, "little")))


def test_keys_of_ours_may_join() -> None:
    for number in range(40):
        check_registered(SigningKey.from_seed(bytes([number]) * 32).public)


def test_rfc_8032_test_1() -> None:
    key = SigningKey.from_seed(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    assert key.public.hex == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    signature = key.sign(b"")
    assert signature.hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465"
        "5141438e7a100b"
    )
    key.public.verify(signature, b"")


def test_a_signature_is_for_one_key_and_one_message() -> None:
    key, other = SigningKey.from_seed(bytes(32)), SigningKey.from_seed(bytes(31) + b"\1")
    signature = key.sign(b"message")
    key.public.verify(signature, b"message")
    for refused in (signature[:-1], signature + b"\0", b"", bytes([signature[0] ^ 1]) + signature[1:]):
        with pytest.raises(SignatureInvalid):
            key.public.verify(refused, b"message")
    with pytest.raises(SignatureInvalid):
        key.public.verify(signature, b"message ")
    with pytest.raises(SignatureInvalid):
        other.public.verify(signature, b"message")


@pytest.mark.parametrize("raw", [b"", bytes(31), bytes(33), bytes(64)])
def test_other_lengths_are_no_keys(raw: bytes) -> None:
    with pytest.raises(KeyRefused):
        PublicKey(raw)
    with pytest.raises(KeyRefused):
        SigningKey.from_seed(raw)


def test_a_signing_key_comes_back_from_its_seed() -> None:
    seed = bytes(range(32))
    key = SigningKey.from_seed(seed)
    assert key.seed == seed
    assert SigningKey.from_seed(key.seed).public == key.public
