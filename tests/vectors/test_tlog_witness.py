"""Cosignatures, tlog-proofs and the witness exchange against the given cases."""

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest

from fairdeal.errors import FairdealError, KeyRefused, Malformed, NotIncluded, QuorumMissing, SignatureInvalid
from fairdeal.keys import SigningKey
from fairdeal.tlog import (
    AddCheckpoint,
    Checkpoint,
    Cosignature,
    Cosigner,
    LogProof,
    Note,
    Policy,
    SignatureLine,
    VerifierKey,
    WitnessAnswer,
    check_cosignature,
    cosigned,
    refused,
)
from fairdeal.tlog.witness import SIZE_TYPE, TEXT_TYPE
from tests.conftest import VECTORS

WITNESS = Cosigner("example.com/witness", SigningKey.from_seed(bytes(32)))
NOW = 1_790_000_000


def test_cosignature(cosignature: dict[str, Any]) -> None:
    key = VerifierKey.parse(cosignature["vkey"])
    note = Note.parse(cosignature["note"])
    checkpoint = Checkpoint.parse(note.text)
    [(signer, signature)] = note.signatures_of([key])
    assert check_cosignature(checkpoint, signer, signature) == Cosignature(key, cosignature["timestamp"])
    for position in range(len(signature)):
        changed = bytearray(signature)
        changed[position] ^= 1
        with pytest.raises(SignatureInvalid):
            check_cosignature(checkpoint, key, bytes(changed))
    with pytest.raises(SignatureInvalid):
        check_cosignature(Checkpoint(checkpoint.origin, checkpoint.size + 1, checkpoint.root), key, signature)


def test_cosigning_gives_the_given_line(given: dict[str, Any]) -> None:
    sign = given["cosignature_v1"]["sign"]
    key = SigningKey.from_seed(bytes.fromhex(sign["ed25519_seed_hex"]))
    cosigner = Cosigner(sign["name"], key)
    assert key.public.hex == sign["public_hex"]
    assert cosigner.verifier_key.format() == sign["vkey"]
    assert cosigner.verifier_key.key_id.hex() == sign["key_id_hex"]
    line = cosigner.cosign(Checkpoint.parse(sign["checkpoint_text"]), sign["timestamp"])
    assert line.format() == sign["signature_line"]
    key.public.verify(line.signature[8:], b64decode(sign["signed_message_b64"]))


def test_the_layout_of_a_cosignature(given: dict[str, Any]) -> None:
    layout = given["cosignature_v1"]["spec_example_layout"]
    line = SignatureLine.parse(layout["line"] + "\n")
    assert line.key_id.hex() == layout["key_id_hex"]
    assert len(line.key_id + line.signature) == layout["bytes"]
    assert int.from_bytes(line.signature[:8], "big") == layout["timestamp"]


@pytest.mark.parametrize("timestamp", [-1, 2**63])
def test_timestamps_have_a_range(timestamp: int) -> None:
    checkpoint = Checkpoint("log.example", 1, bytes(32))
    with pytest.raises(Malformed):
        WITNESS.cosign(checkpoint, timestamp)
    # Signed all the same, by somebody who does not know the range.
    key = SigningKey.from_seed(bytes(32))
    time = timestamp % 2**64
    signature = key.sign(f"cosignature/v1\ntime {time}\n{checkpoint.body()}".encode())
    with pytest.raises(SignatureInvalid):
        check_cosignature(checkpoint, WITNESS.verifier_key, time.to_bytes(8, "big") + signature)
    with pytest.raises(KeyRefused):
        check_cosignature(checkpoint, VerifierKey("example.com/witness", key.public), bytes(72))


REASONS = {
    "no-log-signature": KeyRefused,
    "wrong-origin-same-key": KeyRefused,
    "no-witnesses": QuorumMissing,
    "one-witness": QuorumMissing,
    "same-witness-twice": Malformed,
    "extension-line": Malformed,
    "cosig-timestamp-changed": SignatureInvalid,
    "wrong-index": NotIncluded,
    "index-out-of-range": NotIncluded,
    "proof-line-dropped": NotIncluded,
    "proof-lines-swapped": NotIncluded,
}
"""Where a case is refused; those that are not named are not even well-formed."""


def policy_of(given: dict[str, Any]) -> Policy:
    names = [f"w{number}" for number in range(len(given["witnesses"]))]
    witnesses = "".join(f"witness {name} {key}\n" for name, key in zip(names, given["witnesses"], strict=True))
    text = f"log {given['log']}\n{witnesses}group enough {given['quorum']} {' '.join(names)}\nquorum enough\n"
    return Policy.parse(text.encode())


def test_log_proof(log_proof: tuple[dict[str, Any], bytes, dict[str, Any]]) -> None:
    given, leaf, case = log_proof
    policy = policy_of(given)
    if not case["ok"]:
        with pytest.raises(REASONS.get(case["id"], Malformed)):
            LogProof.parse(case["proof"]).check(leaf, policy)
        return
    proof = LogProof.parse(case["proof"])
    opened = proof.check(leaf, policy)
    assert (opened.checkpoint.origin, len(opened.cosignatures)) == (given["origin"], given["quorum"])
    assert proof.format() == case["proof"]
    with pytest.raises(NotIncluded):
        proof.check(leaf + b" ", policy)


def test_every_change_of_one_character_of_a_log_proof_is_refused(given: dict[str, Any]) -> None:
    good = given["tlog_proof"]["proofs"][0]["proof"]
    policy = policy_of(given["tlog_proof"]["policy"])
    leaf = given["tlog_proof"]["leaf"].encode()
    for position, character in enumerate(good):
        for changed in (chr(ord(character) ^ 1), "\n", ""):
            if changed == character:
                continue
            with pytest.raises(FairdealError):
                LogProof.parse(good[:position] + changed + good[position + 1 :]).check(leaf, policy)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\nindex", "\nextra \nindex"),
        ("\nindex", "\nextra YQ=\nindex"),
        ("\nindex", "\nextra YQ==\nextra YQ==\nindex"),
        ("\nindex", f"\nextra {b64encode(bytes(16 * 1024 + 1)).decode()}\nindex"),
        ("index 6\n", ""),
        ("index 6\n", "index 6\n" + f"{b64encode(bytes(32)).decode()}\n" * 60),
        ("index 6\n", "index 9223372036854775808\n"),
        ("index 6\n", "index 6\nAAAA\n"),
        ("@v1\n", "@v1\n" + "x" * 200_000),
    ],
)
def test_what_is_no_log_proof_is_refused(given: dict[str, Any], old: str, new: str) -> None:
    good = given["tlog_proof"]["proofs"][0]["proof"]
    assert good.count(old) == 1
    with pytest.raises(Malformed):
        LogProof.parse(good.replace(old, new))


def ask(body: bytes, log: VerifierKey, kept: dict[str, Checkpoint]) -> WitnessAnswer:
    """A witness of one log."""
    try:
        request = AddCheckpoint.parse(body)
        origin = request.checkpoint.origin
        request.check([log] if origin == log.name else [], kept.get(origin))
    except FairdealError as error:
        return refused(error)
    kept[origin] = request.checkpoint
    return cosigned(WITNESS.cosign(request.checkpoint, NOW))


def test_witness_request(witness_request: tuple[str, list[dict[str, Any]], dict[str, Any]]) -> None:
    vkey, before, case = witness_request
    log, kept = VerifierKey.parse(vkey), dict[str, Checkpoint]()
    for earlier in before:
        ask(earlier["body"].encode(), log, kept)
    body = case["body"].encode()
    state = dict(kept)
    answer = ask(body, log, kept)
    assert answer.status == case["status"]
    assert case["body_contains"] in answer.body
    assert answer.content_type == (SIZE_TYPE if answer.status == 409 else TEXT_TYPE)
    if answer.status == 200:
        request = AddCheckpoint.parse(body)
        assert request.format() == body
        [line] = answer.cosignatures(request.checkpoint, [WITNESS.verifier_key])
        assert check_cosignature(request.checkpoint, WITNESS.verifier_key, line.signature).timestamp == NOW
        assert kept == {request.checkpoint.origin: request.checkpoint}
    else:
        assert kept == state


def test_the_given_file_is_whole() -> None:
    given = json.loads((VECTORS / "tlog.json").read_text())
    assert len(given["cosignature_v1"]["verify"]) == 2
    assert given["witness_add_checkpoint"]["content_type_on_409"] == SIZE_TYPE
    statuses = [case["status"] for case in given["witness_add_checkpoint"]["stateful_sequence"]]
    assert [statuses.count(status) for status in (200, 400, 403, 404, 409, 422)] == [3, 2, 1, 1, 2, 2]
    proofs = given["tlog_proof"]["proofs"]
    assert (sum(case["ok"] for case in proofs), len(proofs)) == (3, 18)
    assert REASONS.keys() < {case["id"] for case in proofs}
