"""Both implementations against the edge cases on which libraries disagree: OpenSSL's answer and the strict policy."""

import json
from typing import Any

import pytest

from fairdeal_verifier.ed25519 import (
    BASE,
    LOW_ORDER,
    L,
    OpenSslPublicKey,
    P,
    PublicKey,
    _add,
    _decode,
    _encode,
    _multiply,
)
from fairdeal_verifier.errors import KeyRefused, SignatureRefused
from tests.conftest import VECTORS

CASES = json.loads((VECTORS / "ed25519.json").read_text())["vectors"]
POLICY = json.loads((VECTORS / "tlog.json").read_text())["ed25519"]
IMPLEMENTATIONS = [PublicKey, OpenSslPublicKey]
REFUSED_KEYS = {"low_order_A", "low_order_component_A", "non_canonical_A"}


def verdict(make: type[PublicKey], case: dict[str, Any]) -> bool:
    try:
        key = make(bytes.fromhex(case["key"]))
        key.check_torsion_free()
        key.check(bytes.fromhex(case["sig"]), case["msg"].encode())
    except (KeyRefused, SignatureRefused):
        return False
    return True


def equation(make: type[PublicKey], case: dict[str, Any]) -> str:
    """Without rule 4, so that keys with torsion reach the equation."""
    try:
        make(bytes.fromhex(case["key"])).check(bytes.fromhex(case["sig"]), case["msg"].encode())
    except (KeyRefused, SignatureRefused) as error:
        return type(error).__name__
    return "accepted"


def test_both_implementations_give_the_strict_verdict_on_all_edge_cases() -> None:
    wrong = []
    for case in CASES:
        flags = set(case["flags"] or [])
        strict = case["openssl"] and not flags & REFUSED_KEYS and "low_order_R" not in flags
        found = [verdict(make, case) for make in IMPLEMENTATIONS]
        if found != [strict, strict]:
            wrong.append((case["number"], strict, found))
    assert not wrong
    assert len(CASES) == 914


def test_both_implementations_agree_where_a_key_has_torsion() -> None:
    answers = [[equation(make, case) for make in IMPLEMENTATIONS] for case in CASES]
    assert all(pair[0] == pair[1] for pair in answers)
    assert {pair[0] for pair in answers} == {"accepted", "KeyRefused", "SignatureRefused"}


@pytest.mark.parametrize("make", IMPLEMENTATIONS)
def test_signatures(make: type[PublicKey]) -> None:
    good = POLICY["good"]
    key = make(bytes.fromhex(good["public"]))
    key.check_torsion_free()
    key.check(bytes.fromhex(good["sig"]), good["msg"].encode())
    signature = bytes.fromhex(good["sig"])
    for refused in (bytes.fromhex(POLICY["s_plus_L"]["sig"]), signature[:-1], signature + b"\0", b"", bytes(64)):
        with pytest.raises(SignatureRefused):
            key.check(refused, good["msg"].encode())
    with pytest.raises(SignatureRefused):
        key.check(signature, b"n")


@pytest.mark.parametrize("make", IMPLEMENTATIONS)
def test_torsion(make: type[PublicKey]) -> None:
    """A sound point plus each of the eight points of small order; only the identity leaves it sound."""
    small = {point for point in LOW_ORDER if int.from_bytes(point, "little") & (2**255 - 1) < P}
    sound = _multiply(0x1234567, BASE)
    eighth = next(point for point in map(_decoded, small) if _encode(_multiply(4, point)) != _encode((0, 1, 1, 0)))
    for multiple in range(8):
        key = make(_encode(_add(sound, _multiply(multiple, eighth))))
        if multiple == 0:
            key.check_torsion_free()
        else:
            with pytest.raises(KeyRefused):
                key.check_torsion_free()


def _decoded(encoded: bytes) -> tuple[int, int, int, int]:
    try:
        return _decode(encoded)
    except KeyRefused:
        return 0, 1, 1, 0


@pytest.mark.parametrize("make", IMPLEMENTATIONS)
@pytest.mark.parametrize("encoding", sorted(LOW_ORDER))
def test_low_order_is_refused_as_key_and_as_r(make: type[PublicKey], encoding: bytes) -> None:
    assert encoding.hex() in POLICY["low_order_encodings"]
    with pytest.raises(KeyRefused):
        make(encoding)
    key = make(bytes.fromhex(POLICY["good"]["public"]))
    with pytest.raises(SignatureRefused, match="R"):
        key.check(encoding + bytes(32), b"")


@pytest.mark.parametrize("make", IMPLEMENTATIONS)
@pytest.mark.parametrize(
    "encoding", [b"", bytes(31), bytes(33), (2).to_bytes(32, "little"), (P + 2).to_bytes(32, "little")]
)
def test_what_is_no_point_is_refused(make: type[PublicKey], encoding: bytes) -> None:
    with pytest.raises(KeyRefused):
        make(encoding)


def test_the_order_of_the_base_point() -> None:
    assert _encode(_multiply(L, BASE)) == _encode((0, 1, 1, 0))
    assert len(LOW_ORDER) == len(POLICY["low_order_encodings"]) == 14
