"""The verifier's own notes, cosignatures and policy against the shared vectors, and the leaves' schemas."""

import json
import re
from base64 import b64decode
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairdeal_verifier import Policy, canonical
from fairdeal_verifier.ed25519 import public_key
from fairdeal_verifier.errors import (
    NotCanonical,
    NoteRefused,
    ProofRefused,
    SchemaRefused,
    SignatureRefused,
    WrongUsage,
)
from fairdeal_verifier.leaves import parse_entry
from fairdeal_verifier.merkle import check_inclusion, leaf_hash, roots
from fairdeal_verifier.notes import (
    COSIGNS,
    SIGNS,
    Checkpoint,
    Note,
    Receipt,
    check_cosignature,
    format_verifier_key,
    parse_verifier_key,
)
from tests.conftest import VECTORS
from tests.verifier.builder import public, target
from tests.verifier.logged import cosigned

Given = dict[str, Any]


def key(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


def vkey(number: int, kind: int = SIGNS, name: str | None = None) -> str:
    return format_verifier_key(f"key-{number}" if name is None else name, public(key(number)), kind)


def policy_of(keys: list[str]) -> Policy:
    parsed = [parse_verifier_key(text) for text in keys]
    return Policy({one.id: public_key(one.raw) for one in parsed})


def test_verifier_key(verifier_key: Given) -> None:
    text = verifier_key["vkey"]
    if verifier_key["ok"]:
        assert format_verifier_key(*_parts(text)) == text
    else:
        with pytest.raises(NoteRefused):
            parse_verifier_key(text)


def _parts(text: str) -> tuple[str, bytes, int]:
    found = parse_verifier_key(text)
    return found.name, found.raw, found.kind


def test_note(note: Given) -> None:
    """A note is good when it parses, and some line is by a listed key, and all of these verify."""
    text = b64decode(note["note_b64"]).decode(errors="surrogateescape")
    policy = policy_of(note["vkeys"])

    def signers() -> int:
        parsed = Note.parse(text)
        return len(policy.signers(Checkpoint("", 0, b"", parsed.text, parsed.lines)))

    if note["ok"]:
        assert signers() > 0
        return
    with suppress(NoteRefused, SignatureRefused):
        assert signers() == 0


def test_checkpoint_body(checkpoint_body: Given) -> None:
    body = b64decode(checkpoint_body["text_b64"]).decode()
    note = f"{body}\n— name {'A' * 91}=\n"
    if checkpoint_body["ok"]:
        assert Checkpoint.parse(note).text.decode() == body
    else:
        with pytest.raises(NoteRefused):
            Checkpoint.parse(note)


def test_checkpoint_note(checkpoint_note: Given) -> None:
    checkpoint = Checkpoint.parse(checkpoint_note["note"])
    assert (checkpoint.origin, checkpoint.size) == (checkpoint_note["origin"], checkpoint_note["size"])
    policy = policy_of([checkpoint_note["vkey"]])
    assert policy.signers(checkpoint) == set(policy.logs)


def test_cosignature(cosignature: Given) -> None:
    checkpoint = Checkpoint.parse(cosignature["note"])
    witness = parse_verifier_key(cosignature["vkey"])
    sound = public_key(witness.raw)
    [line] = [line for line in checkpoint.lines if line.key == witness.id]
    assert check_cosignature(sound, line.signature, checkpoint.text) == cosignature["timestamp"]
    for place in range(len(line.signature)):
        changed = bytearray(line.signature)
        changed[place] ^= 1
        with pytest.raises(SignatureRefused):
            check_cosignature(sound, bytes(changed), checkpoint.text)
    with pytest.raises(SignatureRefused):
        check_cosignature(sound, line.signature[8:], checkpoint.text)


def test_the_time_of_a_cosignature_has_a_range() -> None:
    text, sound = b"log\n1\nroot\n", public_key(public(key(1)))
    for time in (0, 2**63 - 1):
        signature = time.to_bytes(8) + key(1).sign(b"cosignature/v1\ntime %d\n%b" % (time, text))
        assert check_cosignature(sound, signature, text) == time
    signature = (2**63).to_bytes(8) + key(1).sign(b"cosignature/v1\ntime %d\n%b" % (2**63, text))
    with pytest.raises(SignatureRefused):
        check_cosignature(sound, signature, text)


PROOF = re.compile(
    r"c2sp\.org/tlog-proof@v1\n(?:extra [A-Za-z0-9+/]*={0,2}\n)?index (0|[1-9][0-9]*)\n"
    r"((?:[A-Za-z0-9+/]{43}=\n)*)\n([^\n]+\n[^\n]+\n[^\n]+\n\n(?:— [^\n]+\n)+)"
)
"""A tlog-proof file, which is nothing a match has; what it holds is."""


def test_log_proof(log_proof: tuple[Given, bytes, Given]) -> None:
    given, leaf, case = log_proof
    names = [f"w{number}" for number in range(len(given["witnesses"]))]
    listed = "".join(f"witness {name} {key}\n" for name, key in zip(names, given["witnesses"], strict=True))
    group = f"group enough {given['quorum']} {' '.join(names)}\nquorum enough\n"
    policy = Policy.parse(f"log {given['log']}\n{listed}{group}".encode())

    def holds() -> bool:
        match = PROOF.fullmatch(case["proof"])
        if match is None:
            return False
        checkpoint = Checkpoint.parse(match[3])
        signers = policy.signers(checkpoint)
        proof = [b64decode(line) for line in match[2].splitlines()]
        check_inclusion(leaf_hash(leaf), int(match[1]), checkpoint.size, checkpoint.root, proof)
        by_log = not signers.isdisjoint(policy.logs)
        return by_log and checkpoint.origin == given["origin"] and policy.is_met(signers)

    try:
        found = holds()
    except (NoteRefused, SignatureRefused, ProofRefused):
        found = False
    assert found == case["ok"]


def test_the_given_cases_are_all_there() -> None:
    given = json.loads((VECTORS / "tlog.json").read_text())
    merkle = given["merkle"]

    def counted(cases: list[Given]) -> tuple[int, int]:
        found = Counter(case.get("ok_strict", case["ok"]) for case in cases)
        return found[True], found[False]

    assert counted(given["signed_note"]["notes"]) == (4, 16)
    assert counted(given["signed_note"]["vkeys"]) == (6, 6)
    assert counted(given["checkpoint_body"]) == (2, 14)
    assert counted(given["tlog_proof"]["proofs"]) == (3, 15)
    assert (len(given["checkpoint_notes"]), len(given["cosignature_v1"]["verify"])) == (1, 2)
    assert counted(merkle["inclusion_cases"]) == (3, 70)
    assert counted(merkle["consistency_cases"]) == (5, 68)


@pytest.mark.parametrize(
    "change",
    [
        lambda note: note + note.splitlines()[-1] + "\n",
        lambda note: note[:-1],
        lambda note: note.replace("— ", "- "),
        lambda note: note.replace("— ", "—  "),
        lambda note: note.replace("\n\n", "\n"),
        lambda note: note.replace("\n\n", "\nextension\n\n"),
        lambda note: note[:-3] + "B=\n",
        lambda note: "\ud800" + note,
        lambda note: "",
    ],
)
def test_a_receipt_has_one_form(change: Any) -> None:
    match = target(0, target=20)
    note = match.receipt(2, roots(match.leaves))
    assert Receipt.parse(note).size == 2
    with pytest.raises(NoteRefused):
        Receipt.parse(change(note))


def test_a_checkpoint_has_a_hundred_lines_at_most() -> None:
    note = cosigned("log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", [(key(1), "log")], [])
    line = note.splitlines(keepends=True)[-1]
    assert len(Checkpoint.parse(note + 99 * line).lines) == 100
    for wrong in (note + 100 * line, note.removesuffix(line), note.replace(line, "— log AAAAAA==\n"), note + "\n"):
        with pytest.raises(NoteRefused):
            Checkpoint.parse(wrong)
    assert Checkpoint.parse(note + "— log AAAAAAA=\n").lines[1].signature == b"\0"


KEY = f"log {vkey(1)}"
WITNESSES = "".join(f"witness w{n} {vkey(n, COSIGNS)} https://w{n}.example\n" for n in range(2, 7))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "quorum none\n",
        f"{KEY}\n",
        f"{KEY}\nquorum none",
        f"{KEY}\nquorum none\nquorum none\n",
        f"{KEY}\n{KEY}\nquorum none\n",
        f"{KEY}\nlog {vkey(1, name='other')}\nquorum none\n",
        f"{KEY}\nquorum 1\n",
        f"{KEY}\nquorum none more\n",
        f"{KEY} url more\nquorum none\n",
        f"{KEY}\nwitness a b\nquorum none\n",
        f"{KEY}\nwitness a {vkey(2)}\nquorum none\n",
        f"log {vkey(2, COSIGNS)}\nquorum none\n",
        f"{KEY}\nwitness none {vkey(2, COSIGNS)}\nquorum none\n",
        f"{KEY}\nwitness a {vkey(2, COSIGNS)}\nwitness b {vkey(2, COSIGNS, 'b')}\nquorum none\n",
        f"{KEY}\nwitness a {vkey(2, COSIGNS)}\nwitness a {vkey(3, COSIGNS)}\nquorum none\n",
        f"{KEY}\nquorum w2\n{WITNESSES}",
        f"{KEY}\r\nquorum none\r\n",
        f"{KEY}\nquorum\u000bnone\n",
        f"{KEY}\nquorum none\x7f\n",
        f"{KEY[:-2]}\nquorum none\n",
        f"log {format_verifier_key('low', bytes(32))}\nquorum none\n",
        "# \udcff\n",
        "#" * 70_000,
    ],
)
def test_a_policy_that_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(WrongUsage):
        Policy.parse(text.encode(errors="surrogateescape"))


@pytest.mark.parametrize(
    "group",
    [
        "group g",
        "group g 1",
        "group g 0 w2",
        "group g 01 w2",
        "group g 2 w2",
        "group g some w2",
        "group g any w2 w2",
        "group g any w9",
        "group g any g",
        "group g any none",
        "group w2 any w3",
        "group none any w2",
        "group g any w2\ngroup h any w2",
        "group g any w2\ngroup h any w3 g\ngroup i any g",
    ],
)
def test_a_group_that_is_not_understood_is_refused(group: str) -> None:
    Policy.parse(f"{KEY}\n{WITNESSES}quorum none\n".encode())
    with pytest.raises(WrongUsage):
        Policy.parse(f"{KEY}\n{WITNESSES}{group}\nquorum none\n".encode())


def test_a_policy() -> None:
    policy = Policy.parse(f"\n \t\n\t# comment\nquorum none\n {KEY}\thttps://é \n\n".encode())
    assert (len(policy.logs), policy.is_met(policy.logs)) == (1, False)
    # One key may be a log's and, under its other type, a witness's.
    assert Policy.parse(f"{KEY}\nwitness self {vkey(1, COSIGNS)}\nquorum self\n".encode()).quorum == "self"


GROUPS = "group two 2 w2 w3 w4\ngroup both all w5 w6\ngroup either any two both\n"


@pytest.mark.parametrize(
    ("quorum", "by", "met"),
    [
        ("w2", "2", True),
        ("w2", "3456", False),
        ("two", "24", True),
        ("two", "4", False),
        ("both", "56", True),
        ("both", "5", False),
        ("either", "56", True),
        ("either", "234", True),
        ("either", "25", False),
        ("none", "23456", False),
    ],
)
def test_a_quorum_is_met_by_its_members(quorum: str, by: str, met: bool) -> None:
    policy = Policy.parse(f"{KEY}\n{WITNESSES}{GROUPS}quorum {quorum}\n".encode())
    assert policy.is_met({policy.names[f"w{n}"] for n in by}) == met


def test_groups_may_stand_in_groups_as_deep_as_a_policy_is_long() -> None:
    groups = "".join(f"group g{n} 1 g{n - 1}\n" if n else "group g0 1 w2\n" for n in range(2_500))
    policy = Policy.parse(f"{KEY}\n{WITNESSES}{groups}quorum g2499\n".encode())
    assert policy.is_met({policy.names["w2"]})
    assert not policy.is_met({policy.names["w3"]})


HASH, M, SIGNATURE = "ab" * 32, "cd" * 16, "ef" * 64
CLOSE = {"m": M, "outcome": "played", "root": HASH, "server_seed": HASH, "size": 12, "type": "close"}
NO_SEED = CLOSE | {"outcome": "no_seed", "seats": [0, 2]}
VOID = CLOSE | {"outcome": "void", "cause": "lost"}
KEYS = {
    "new": vkey(2, name="log"), "old": vkey(1, name="log"), "sig_new": SIGNATURE, "sig_old": SIGNATURE, "type": "key",
}  # fmt: skip
LEAVES: dict[str, Given] = {
    "open": {"commitment": HASH, "m": M, "root": HASH, "type": "open"},
    "full": {"m": M, "root": HASH, "type": "full"},
    "start": {"m": M, "root": HASH, "size": 6, "type": "start"},
    "close": CLOSE,
    "no_seed": NO_SEED,
    "void": VOID,
    "ledger": {"root": HASH, "size": 0, "type": "ledger"},
    "outage": {"from": 0, "to": 1, "type": "outage"},
    "key": KEYS,
}


def encoded(leaf: Given) -> bytes:
    return canonical.encode(leaf)


@pytest.mark.parametrize("name", LEAVES)
def test_a_leaf_has_exactly_its_members(name: str) -> None:
    leaf = LEAVES[name]
    parse_entry(encoded(leaf))
    for member in leaf:
        with pytest.raises(SchemaRefused):
            parse_entry(encoded({key: value for key, value in leaf.items() if key != member}))
        for value in (None, -1, "", [], {}, True):
            with pytest.raises(SchemaRefused):
                parse_entry(encoded(leaf | {member: value}))
    with pytest.raises(SchemaRefused):
        parse_entry(encoded(leaf | {"zz": 0}))


@pytest.mark.parametrize(
    "leaf",
    [
        *({"type": "other"}, CLOSE | {"outcome": "lost"}, CLOSE | {"seats": [0]}, CLOSE | {"cause": "lost"}),
        *(NO_SEED | {"seats": seats} for seats in ([], [1, 0], [0, 0], [4], [0, 1, 2, 3, 3])),
        *(VOID | {"cause": cause} for cause in ("", "seed", None)),
        LEAVES["start"] | {"size": 0},
        LEAVES["outage"] | {"from": 1},
        *(KEYS | {"new": new} for new in (KEYS["old"], vkey(2, name="other"), vkey(2, COSIGNS, "log"))),
    ],
)
def test_what_no_leaf_may_say(leaf: Given) -> None:
    with pytest.raises(SchemaRefused):
        parse_entry(encoded(leaf))


@pytest.mark.parametrize("entry", [b"", b"{}", b"[]", b'{"type":"full" }', b'"' + b"x" * 16_384 + b'"', b"\xff"])
def test_what_is_no_leaf_at_all(entry: bytes) -> None:
    with pytest.raises((SchemaRefused, NotCanonical)):
        parse_entry(entry)
