"""The verifier's own canonical JSON, notes, tree and shuffle against the shared vectors."""

from base64 import b64decode
from typing import Any

import pytest

from fairdeal_verifier import canonical
from fairdeal_verifier.errors import NotCanonical, NoteRefused, WrongUsage
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.notes import Checkpoint, Policy, format_verifier_key, parse_verifier_key
from fairdeal_verifier.shuffle import deal_index, deal_pack, deck_from_index, first_dealer
from tests.verifier.builder import target


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


def test_verifier_key(verifier_key: dict[str, Any]) -> None:
    """Witness keys (type 4) are sound keys of another kind: not for receipts."""
    text = verifier_key["vkey"]
    accepted = verifier_key["ok"] and not text.startswith("witness.example.org+")
    if accepted:
        (name, _), key = parse_verifier_key(text)
        assert format_verifier_key(name, key) == text
    else:
        with pytest.raises(NoteRefused):
            parse_verifier_key(text)


def test_checkpoint_body(checkpoint_body: dict[str, Any]) -> None:
    body = b64decode(checkpoint_body["text_b64"]).decode()
    note = f"{body}\n— name {'A' * 91}=\n"
    if checkpoint_body["ok"]:
        assert Checkpoint.parse(note).text.decode() == body
    else:
        with pytest.raises(NoteRefused):
            Checkpoint.parse(note)


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
    assert Checkpoint.parse(note).size == 2
    with pytest.raises(NoteRefused):
        Checkpoint.parse(change(note))


KEY = target(0, target=20).policy_text().splitlines()[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "quorum none\n",
        f"{KEY}\n",
        f"{KEY}\nquorum none",
        f"{KEY}\nquorum none\nquorum none\n",
        f"{KEY}\n{KEY}\nquorum none\n",
        f"{KEY}\nquorum 1\n",
        f"{KEY}\nwitness a b\nquorum none\n",
        f"{KEY} \nquorum none\n",
        f"{KEY}\r\nquorum none\r\n",
        f" {KEY}\nquorum none\n",
        f"{KEY[:-2]}\nquorum none\n",
        f"log {format_verifier_key('low', bytes(32))}\nquorum none\n",
        "# \udcff\n",
        "#" * 70_000,
    ],
)
def test_a_policy_that_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(WrongUsage):
        Policy.parse(text.encode(errors="surrogateescape"))


def test_a_policy() -> None:
    assert len(Policy.parse(f"\n# comment\nquorum none\n{KEY}\n\n".encode()).keys) == 1


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
