"""Answers of the log that prove nothing, or that the policy does not believe: nothing is signed on them."""

from collections.abc import Callable
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.client import Contradiction, Finding, MatchClient, NotLogged, UnknownLogKey
from fairdeal.match import parse_leaf
from fairdeal.tlog import Note, NoteSigner, SignatureLine, VerifierKey
from tests.client.log_lies import is_ours, lost, refused
from tests.client.server import LOG, OTHER_KEY, LogBook, M, Table, ask, policy_of


def test_a_leaf_of_another_match(unproven: Table) -> None:
    log = unproven.server.log
    log.append(canonical.encode({**parse_leaf(log.entries[-2]), "m": "f" * 32}))
    error = refused(unproven, 0, log, log.answer(0, "f" * 32))
    assert error.finding is Finding.LEAF


def test_a_loss_of_another_match(table: Table) -> None:
    log = lost(table.seeded(), m="f" * 32)
    client = table.clients[0]
    assert client.newest is not None
    answer = log.answer(client.newest.size)
    answer["leaves"].append(log.proven(len(log.entries) - 2))
    assert refused(table, 0, log, answer).finding is Finding.LEAF


def test_a_proof_of_another_leaf(unproven: Table) -> None:
    log = unproven.server.log
    answer = log.answer()
    answer["leaves"][0]["proof"] = log.proven(7)["proof"]
    assert refused(unproven, 0, log, answer).finding is Finding.INCLUSION


def test_a_leaf_that_is_not_in_the_log(unproven: Table) -> None:
    server = unproven.server
    answer = server.log.answer()
    answer["leaves"][0]["leaf"]["root"] = "ab" * 32
    assert refused(unproven, 0, server.log, answer).finding is Finding.INCLUSION


@pytest.mark.parametrize("kind", ["another signature", "another log's name", "no base64", "two lines"])
def test_a_checkpoint_that_the_policy_does_not_believe(unproven: Table, kind: str) -> None:
    server, log = unproven.server, unproven.server.log
    note, key = log.checkpoint(), log.signer.verifier_key
    text = Note.parse(note).text
    false = SignatureLine(key.name, key.key_id, OTHER_KEY.sign(text.encode()))
    notes = {
        "another signature": lambda: Note(text, (false,)).format(),
        "another log's name": lambda: log.checkpoint(origin=f"{LOG}/receipts", signer=server.signer),
        "no base64": lambda: note[: note.rindex(" ") + 1] + note[note.rindex(" ") + 1 :].swapcase(),
        "two lines": lambda: note + note[note.index("—") :],
    }
    assert refused(unproven, 0, log, log.answer() | {"checkpoint": notes[kind]()}).finding is Finding.CHECKPOINT


@pytest.mark.parametrize("kind", ["another key", "the receipts key"])
def test_a_key_that_the_policy_does_not_list_contradicts_nothing(unproven: Table, kind: str) -> None:
    """Nothing is signed on it, and with a policy that lists the old key and the new one the match goes on."""
    server, log = unproven.server, unproven.server.log
    client, memory = unproven.clients[0], unproven.memories[0]
    other = NoteSigner(LOG, OTHER_KEY) if kind == "another key" else server.signer
    with pytest.raises(UnknownLogKey, match="old key and the new one"):
        ask(client, log, log.answer() | {"checkpoint": log.checkpoint(other)})
    with pytest.raises(NotLogged):
        client.join()
    assert (memory.sitting(M).stopped, memory.newest(LOG), memory.logged(M)) == (None, None, [])
    assert not list(unproven.folder.glob("**/*.evidence"))
    both = policy_of(log.signer.verifier_key, VerifierKey(LOG, OTHER_KEY.public))
    log.signer = NoteSigner(LOG, OTHER_KEY)
    again = MatchClient(memory, M, unproven.folder, both)
    again.receive(server.answer(0, 0))
    ask(again, log)
    assert again.join() is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"checkpoint": None},
        {"checkpoint": "\ud800"},
        {"checkpoint": "x" * 20_000},
        {"consistency": None},
        {"consistency": ["AB" * 32]},
        {"consistency": ["ab" * 32] * 64},
        {"leaves": None},
        {"leaves": [{}]},
        {"leaves": [{"index": 1, "leaf": {"m": M, "root": "ab" * 32, "type": "full"}, "proof": []}]},
    ],
)
def test_an_answer_of_another_form(unproven: Table, wrong: dict[str, Any]) -> None:
    log = unproven.server.log
    assert refused(unproven, 0, log, {**log.answer(), **wrong}).finding is Finding.ANSWER


def test_leaves_in_another_order(unproven: Table) -> None:
    log = LogBook()
    full = canonical.encode({"m": M, "root": "ab" * 32, "type": "full"})
    log.append(full, *(entry for entry in unproven.server.log.entries if is_ours(entry, "open")))
    answer = log.answer()
    answer["leaves"] = answer["leaves"][::-1]
    assert refused(unproven, 0, log, answer).finding is Finding.LOG_ORDER


def test_without_a_log_in_the_policy_none_is_asked(unproven: Table) -> None:
    server = unproven.server
    client = MatchClient(unproven.memories[0], M, unproven.folder, policy_of(server.signer.verifier_key))
    assert (client.logged, client.awaited, client.newest) == (False, None, None)
    value: Any = canonical.decode(client.join() or b"")
    assert value["do"]["join"]["seen"]["size"] == 0


@pytest.mark.parametrize("listed", [(), ("log",), ("receipts",)])
def test_a_policy_of_another_service(unproven: Table, listed: tuple[str, ...]) -> None:
    """Neither its log nor its receipts: also when the key is listed under another name."""
    key = unproven.server.key.public
    names: dict[str, Callable[[], VerifierKey]] = {
        "log": lambda: VerifierKey("other.test/log", unproven.server.log.signer.verifier_key.public),
        "receipts": lambda: VerifierKey("other.test/log/receipts", key),
    }
    keys = [names[name]() for name in listed] or [VerifierKey("other.test/log", OTHER_KEY.public)]
    with pytest.raises(Contradiction) as caught:
        MatchClient(unproven.memories[0], M, unproven.folder, policy_of(*keys))
    assert caught.value.finding is Finding.TERMS
