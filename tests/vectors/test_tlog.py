"""Merkle roots, signed notes, verifier keys and checkpoints against the given cases, and their own properties."""

import base64
import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from fairdeal.errors import FairdealError, KeyRefused, Malformed, SignatureInvalid
from fairdeal.keys import SigningKey
from fairdeal.limits import MAX_NOTE_CHARACTERS, MAX_NOTE_SIGNATURES
from fairdeal.tlog import (
    EMPTY_ROOT,
    Checkpoint,
    Frontier,
    NoteSigner,
    VerifierKey,
    leaf_hash,
    node_hash,
    open_note,
    root,
    sign_note,
)
from tests.conftest import VECTORS

GIVEN = json.loads((VECTORS / "tlog.json").read_text())
SIGNER = NoteSigner("log.example/receipts", SigningKey.from_seed(bytes(range(32))))
TEXT = "log.example/m/00\n1\n" + base64.b64encode(bytes(32)).decode() + "\n"


def check(accepted: bool, call: Callable[[], object]) -> None:
    """Only our own errors leave a parser."""
    if accepted:
        call()
    else:
        with pytest.raises(FairdealError):
            call()


def test_merkle_root(merkle_root: tuple[list[bytes], str]) -> None:
    leaves, expected = merkle_root
    assert root(leaf_hash(leaf) for leaf in leaves).hex() == expected


def test_note(note: dict[str, Any]) -> None:
    text = base64.b64decode(note["note_b64"]).decode("utf-8", "surrogateescape")
    check(note["ok"], lambda: open_note(text, [VerifierKey.parse(key) for key in note["vkeys"]]))


def test_verifier_key(verifier_key: dict[str, Any]) -> None:
    check(verifier_key["ok"], lambda: VerifierKey.parse(verifier_key["vkey"]))
    if verifier_key["ok"]:
        assert VerifierKey.parse(verifier_key["vkey"]).format() == verifier_key["vkey"]


def test_checkpoint_body(checkpoint_body: dict[str, Any]) -> None:
    text = base64.b64decode(checkpoint_body["text_b64"]).decode("utf-8", "surrogateescape")
    check(checkpoint_body["ok"], lambda: Checkpoint.parse(text))
    if checkpoint_body["ok"]:
        assert Checkpoint.parse(text).body() == text


def test_checkpoint_note(checkpoint_note: dict[str, Any]) -> None:
    opened = open_note(checkpoint_note["note"], [VerifierKey.parse(checkpoint_note["vkey"])])
    checkpoint = Checkpoint.parse(opened.text)
    assert (checkpoint.origin, checkpoint.size) == (checkpoint_note["origin"], checkpoint_note["size"])


def test_the_given_file_is_whole() -> None:
    def counts(cases: list[dict[str, Any]]) -> tuple[int, int]:
        accepted = sum(case["ok"] for case in cases)
        return accepted, len(cases) - accepted

    assert counts(GIVEN["signed_note"]["notes"]) == (4, 16)
    assert counts(GIVEN["signed_note"]["vkeys"]) == (6, 6)
    assert counts(GIVEN["checkpoint_body"]) == (2, 14)
    assert len(GIVEN["checkpoint_notes"]) == 1
    assert len(GIVEN["merkle"]["roots_hex_by_size"]) + len(GIVEN["merkle"]["leaf_n_tree"]["roots_hex"]) == 23


def test_signing_gives_the_given_line(given: dict[str, Any]) -> None:
    sign = given["signed_note"]["sign"]
    # PRIVATE+KEY+<name>+<id>+<base64(type ‖ seed)>
    name, key_id, typed_seed = sign["skey"].split("+", 4)[2:]
    signer = NoteSigner(name, SigningKey.from_seed(base64.b64decode(typed_seed)[1:]))
    assert signer.verifier_key.key_id.hex() == key_id
    assert sign_note(sign["text"], signer) == sign["text"] + "\n" + sign["signature_line"]


def test_known_hashes(given: dict[str, Any]) -> None:
    merkle = given["merkle"]
    assert merkle["empty_root"] == EMPTY_ROOT.hex() == root([]).hex() == Frontier().root().hex()
    assert base64.b64encode(leaf_hash(b"hello world")).decode() == merkle["leaf_hash_of_hello_world_b64"]
    assert [leaf_hash(bytes.fromhex(leaf)).hex() for leaf in merkle["leaf_inputs_hex"]] == merkle["leaf_hashes_hex"]


def by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(by_definition(leaves[:split]), by_definition(leaves[split:]))


def test_a_frontier_is_the_tree_at_every_size_and_never_changes() -> None:
    leaves = [leaf_hash(b"%d" % number) for number in range(130)]
    frontiers = [Frontier()]
    for leaf in leaves:
        frontiers.append(frontiers[-1].append(leaf))
    for size, frontier in enumerate(frontiers):
        assert frontier.size == size
        assert len(frontier.subtrees) == size.bit_count()
        assert frontier.root() == by_definition(leaves[:size])


@pytest.mark.parametrize("leaf", [b"", bytes(31), bytes(33), bytes(64)])
def test_only_hashes_are_appended(leaf: bytes) -> None:
    with pytest.raises(Malformed):
        Frontier().append(leaf)


def test_a_note_opens_with_its_key_alone() -> None:
    note = sign_note(TEXT, SIGNER)
    opened = open_note(note, [SIGNER.verifier_key])
    assert (opened.text, opened.signers, opened.signature_count) == (TEXT, (SIGNER.verifier_key,), 1)
    same_name = NoteSigner("log.example/receipts", SigningKey.from_seed(bytes(32)))
    same_key = NoteSigner("log.example/other", SigningKey.from_seed(bytes(range(32))))
    for other in (same_name, same_key):
        with pytest.raises(KeyRefused):
            open_note(note, [other.verifier_key])
    with pytest.raises(KeyRefused):
        open_note(note, [])


def test_lines_of_unknown_keys_are_counted_and_ignored() -> None:
    stranger = NoteSigner("witness.example", SigningKey.from_seed(bytes(32)))
    line = sign_note(TEXT, stranger).removeprefix(TEXT + "\n")
    opened = open_note(sign_note(TEXT, SIGNER) + line, [SIGNER.verifier_key])
    assert (opened.signers, opened.signature_count) == ((SIGNER.verifier_key,), 2)


def test_a_key_name_may_be_any_unicode_without_spaces_and_plus() -> None:
    """C2SP signed-note: a stranger's line under such a name is ignored, and a key of such a name signs."""
    stranger = NoteSigner("témoin.example/ŵ\x7f", SigningKey.from_seed(bytes(32)))
    note = sign_note(TEXT, SIGNER) + sign_note(TEXT, stranger).removeprefix(TEXT + "\n")
    assert open_note(note, [SIGNER.verifier_key]).signers == (SIGNER.verifier_key,)
    assert open_note(note, [VerifierKey.parse(stranger.verifier_key.format())]).signers == (stranger.verifier_key,)


def test_every_change_of_one_character_is_refused() -> None:
    note = sign_note(TEXT, SIGNER)
    for position, character in enumerate(note):
        for other in {"A", "\n", " ", "—", "\0", chr(ord(character) ^ 1)} - {character}:
            with pytest.raises(FairdealError):
                open_note(note[:position] + other + note[position + 1 :], [SIGNER.verifier_key])
        with pytest.raises(FairdealError):
            open_note(note[:position] + note[position + 1 :], [SIGNER.verifier_key])


def test_a_key_id_that_is_known_with_a_short_signature_is_refused() -> None:
    short = base64.b64encode(SIGNER.verifier_key.key_id + bytes(63)).decode()
    with pytest.raises(SignatureInvalid):
        open_note(f"{TEXT}\n— {SIGNER.verifier_key.name} {short}\n", [SIGNER.verifier_key])
    bare = base64.b64encode(SIGNER.verifier_key.key_id).decode()
    with pytest.raises(Malformed):
        open_note(f"{TEXT}\n— {SIGNER.verifier_key.name} {bare}\n", [SIGNER.verifier_key])


def test_the_text_is_what_stands_before_the_last_empty_line() -> None:
    for text in ("\n", "a\n\nb\n", "a\n\n"):
        assert open_note(sign_note(text, SIGNER), [SIGNER.verifier_key]).text == text
    with pytest.raises(Malformed):
        open_note(sign_note("\n", SIGNER).removeprefix("\n\n"), [SIGNER.verifier_key])


def test_a_cosignature_key_opens_no_note() -> None:
    witness = VerifierKey("log.example/receipts", SIGNER.verifier_key.public, 0x04)
    with pytest.raises(KeyRefused):
        open_note(sign_note(TEXT, SIGNER), [SIGNER.verifier_key, witness])


def test_sizes_of_notes() -> None:
    line = sign_note(TEXT, SIGNER).removeprefix(TEXT + "\n")
    stranger = sign_note(TEXT, NoteSigner("w", SigningKey.from_seed(bytes(32)))).removeprefix(TEXT + "\n")
    open_note(TEXT + "\n" + line + stranger * (MAX_NOTE_SIGNATURES - 1), [SIGNER.verifier_key])
    with pytest.raises(Malformed, match="100 signature lines"):
        open_note(TEXT + "\n" + line + stranger * MAX_NOTE_SIGNATURES, [SIGNER.verifier_key])
    long_text = "x" * (MAX_NOTE_CHARACTERS - len(line) - 2) + "\n"
    open_note(sign_note(long_text, SIGNER), [SIGNER.verifier_key])
    with pytest.raises(Malformed, match="characters"):
        open_note(sign_note("x" + long_text, SIGNER), [SIGNER.verifier_key])


@pytest.mark.parametrize("text", ["", "no line feed", "a\r\n", "tab\t\n", "\ud800\n", "nul\0\n"])
def test_what_cannot_be_a_text_is_not_signed(text: str) -> None:
    with pytest.raises(Malformed):
        sign_note(text, SIGNER)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\n", "a\x1f", "é" * 128, "\u2003", "a\x85", "\ud800"])
def test_what_cannot_be_a_key_name_is_refused(name: str) -> None:
    with pytest.raises(Malformed):
        NoteSigner(name, SigningKey.from_seed(bytes(32)))
    with pytest.raises(FairdealError):
        VerifierKey.parse(f"{name}+00000000+{base64.b64encode(bytes(33)).decode()}")


def test_a_weak_key_has_no_verifier_key() -> None:
    typed_key = b"\x01" + bytes(32)
    key_id = sha256(b"log.example\n" + typed_key).hexdigest()[:8]
    with pytest.raises(KeyRefused):
        VerifierKey.parse(f"log.example+{key_id}+{base64.b64encode(typed_key).decode()}")


@pytest.mark.parametrize(
    ("origin", "size", "digest"),
    [
        ("", 1, bytes(32)),
        ("a\nb", 1, bytes(32)),
        ("\ud800", 1, bytes(32)),
        ("x" * 256, 1, bytes(32)),
        ("log.example", -1, bytes(32)),
        ("log.example", 2**63, bytes(32)),
        ("log.example", 1, bytes(31)),
        ("log.example", 0, bytes(32)),
    ],
)
def test_what_cannot_be_a_checkpoint_is_not_made(origin: str, size: int, digest: bytes) -> None:
    with pytest.raises(Malformed):
        Checkpoint(origin, size, digest)


@pytest.mark.parametrize("more", ["x", "x\n", "\n", " "])
def test_a_checkpoint_has_no_more_lines(more: str) -> None:
    with pytest.raises(Malformed):
        Checkpoint.parse(TEXT + more)


def test_the_largest_tree_has_a_checkpoint() -> None:
    checkpoint = Checkpoint("log.example/m/0f", 2**63 - 1, bytes(range(32)))
    assert Checkpoint.parse(checkpoint.body()) == checkpoint
