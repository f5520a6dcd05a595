"""Cases from files become tests: one each, named by its id, from the committed files or from any other of the schema.

pytest tests --cases FILE · --shuffle-cases FILE · --tlog-cases FILE

And the databases: what asks for a `place` runs on SQLite and on a real PostgreSQL. Another one joins by its name here.
"""

import json
import os
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, settings

from fairdeal.api import connections
from fairdeal.app import passwords, right_clock, sequencer, witnesses
from fairdeal.belote import RULESETS
from fairdeal.client import api as client_api
from fairdeal.store import postgresql
from fairdeal.tlog import leaf_hash
from fairdeal.tlog import root as tree
from fairdeal.witness import asking
from tests.rules.questions import QUESTIONS, question_of

if TYPE_CHECKING:
    from tests.store.postgres import Postgres

VECTORS = Path(__file__).parent / "vectors"
UNHURRIED_S = 3_600.0
ANSWER_S = 240.0
"""For the next bytes of an answer: whoever never says any is still found out."""

# The same examples on every machine, and none that is a fault because the machine was slow with it.
settings.register_profile("anywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("anywhere")

# Whoever operates a service has its settings in the shell: they are not those of the tests.
for _name in [name for name in os.environ if name.startswith("FAIRDEAL_")]:
    del os.environ[_name]

Named = Iterable[tuple[str, Any]]


def rules_cases(document: Any) -> Named:
    """Those of games that matches are played of: a case names the game without its version."""
    games = {ruleset.partition("@")[0] for ruleset in RULESETS}
    return ((case["id"], case) for case in document["cases"] if case["ruleset"] in games)


def cases_of_every_game(document: Any) -> Named:
    return ((case["id"], case) for case in document["cases"])


def questions(document: Any) -> Named:
    """The cases that `fairdeal rules` and `/v1/rules` answer."""
    return ((case["id"], question_of(case)) for case in document["cases"] if case["type"] in QUESTIONS)


def permutations(document: Any) -> Named:
    return ((f"{case['pack']}-cards-{case['index']}", case) for case in document["permutations"])


def deals(document: Any) -> Named:
    return ((f"{number}-{case['pack']}-cards", case) for number, case in enumerate(document["deals"]))


def merkle_roots(document: Any) -> Named:
    """Each as (leaves, root in hex)."""
    merkle = document["merkle"]
    inputs = [bytes.fromhex(leaf) for leaf in merkle["leaf_inputs_hex"]]
    for size, root in enumerate(merkle["roots_hex_by_size"]):
        yield f"inputs-{size}", (inputs[:size], root)
    for size, root in merkle["leaf_n_tree"]["roots_hex"].items():
        yield f"leaf-n-{size}", ([b"leaf %d" % number for number in range(int(size))], root)


def notes(document: Any) -> Named:
    return ((case["id"], case) for case in document["signed_note"]["notes"])


def verifier_keys(document: Any) -> Named:
    return ((case["vkey"], case) for case in document["signed_note"]["vkeys"])


def checkpoint_bodies(document: Any) -> Named:
    return ((case["id"], case) for case in document["checkpoint_body"])


def checkpoint_notes(document: Any) -> Named:
    return ((case["id"], case) for case in document["checkpoint_notes"])


def inclusion_cases(document: Any) -> Named:
    """Each with leaf hash and root as bytes; those of `leaf_n_tree` all hold."""
    merkle = document["merkle"]
    for case in merkle["inclusion_cases"]:
        leaf, root, *proof = (b64decode(one) for one in (case["leaf_hash"], case["root"], *case["proof"]))
        yield case["id"], (leaf, case["index"], case["size"], root, proof, case["ok"])
    roots = merkle["leaf_n_tree"]["roots_hex"]
    for case in merkle["leaf_n_tree"]["inclusion"]:
        index, size, proof = case["index"], case["size"], [b64decode(one) for one in case["proof"]]
        leaf = leaf_hash(b"leaf %d" % index)
        yield f"leaf-n/{index}-{size}", (leaf, index, size, bytes.fromhex(roots[str(size)]), proof, True)
    moved = merkle["index_size_malleability"]
    leaf, root, *proof = (b64decode(one) for one in (moved["leaf_hash"], moved["root"], *moved["proof"]))
    for index, size in moved["also_verifies"]:
        yield f"also-verifies/{index}-{size}", (leaf, index, size, root, proof, True)


def consistency_cases(document: Any) -> Named:
    """Each with the roots as bytes; `ok_strict` is the verdict of a verifier that wants 32-byte hashes."""
    merkle = document["merkle"]
    for case in merkle["consistency_cases"]:
        old_root, root, *proof = (b64decode(one) for one in (case["root1"], case["root2"], *case["proof"]))
        yield case["id"], (case["size1"], old_root, case["size2"], root, proof, case.get("ok_strict", case["ok"]))
    for case in merkle["leaf_n_tree"]["consistency"]:
        old_size, size, proof = case["size1"], case["size2"], [b64decode(one) for one in case["proof"]]
        # Not all of these roots are given.
        old_root, root = (tree(leaf_hash(b"leaf %d" % n) for n in range(leaves)) for leaves in (old_size, size))
        yield f"leaf-n/{old_size}-{size}", (old_size, old_root, size, root, proof, True)
    forged = merkle["forged_prepend"]
    for number, bad in enumerate(forged["bad_proofs"]):
        old_root, root, *proof = (b64decode(one) for one in (forged["root1"], forged["root2"], *bad))
        yield f"forged-prepend-{number}", (2, old_root, 4, root, proof, False)


def tile_paths(document: Any) -> Named:
    """Each as (path, what it names or None)."""
    yield from ((case["path"], (case["path"], case)) for case in document["tiles"]["paths"])
    yield from ((path, (path, None)) for path in document["tiles"]["bad_paths"])


def tile_sizes(document: Any) -> Named:
    return ((str(case["size"]), case) for case in document["tiles"]["tiles_for_size"])


def bundles_of_entries(document: Any) -> Named:
    """Each as (bytes, width, entries or None)."""
    for number, case in enumerate(document["entry_bundle"]["good"]):
        entries = tuple(bytes.fromhex(entry) for entry in case["entries_hex"])
        yield f"good-{number}", (bytes.fromhex(case["bundle_hex"]), case["width"], entries)
    for case in document["entry_bundle"]["bad"]:
        yield case["why"], (bytes.fromhex(case["bundle_hex"]), case["width"], None)


def cosignatures(document: Any) -> Named:
    return ((case["id"], case) for case in document["cosignature_v1"]["verify"])


def witness_requests(document: Any) -> Named:
    """Each as (the log's key, the requests before it in the sequence, the request)."""
    given = document["witness_add_checkpoint"]
    sequence = given["stateful_sequence"]
    return ((case["id"], (given["vkey"], sequence[:number], case)) for number, case in enumerate(sequence))


def log_proofs(document: Any) -> Named:
    """Each as (policy, leaf, proof)."""
    given = document["tlog_proof"]
    return ((case["id"], (given["policy"], given["leaf"].encode(), case)) for case in given["proofs"])


def low_order_encodings(document: Any) -> Named:
    return ((encoding, encoding) for encoding in document["ed25519"]["low_order_encodings"])


def canonical_texts(document: Any) -> Named:
    """Each as (base64, accepted)."""
    profile = document["canonical_profile"]
    yield from ((f"accept-{number}", (text, True)) for number, text in enumerate(profile["accept_b64"]))
    yield from ((case["why"], (case["b64"], False)) for case in profile["reject"])


FIXTURES: dict[str, tuple[str, Callable[[Any], Named]]] = {
    "rules_case": ("cases", cases_of_every_game),
    "question": ("cases", questions),
    "permutation": ("shuffle_cases", permutations),
    "deal": ("shuffle_cases", deals),
    "merkle_root": ("tlog_cases", merkle_roots),
    "note": ("tlog_cases", notes),
    "verifier_key": ("tlog_cases", verifier_keys),
    "checkpoint_body": ("tlog_cases", checkpoint_bodies),
    "checkpoint_note": ("tlog_cases", checkpoint_notes),
    "canonical_text": ("tlog_cases", canonical_texts),
    "inclusion_case": ("tlog_cases", inclusion_cases),
    "consistency_case": ("tlog_cases", consistency_cases),
    "tile_path": ("tlog_cases", tile_paths),
    "tile_size": ("tlog_cases", tile_sizes),
    "bundle_of_entries": ("tlog_cases", bundles_of_entries),
    "cosignature": ("tlog_cases", cosignatures),
    "witness_request": ("tlog_cases", witness_requests),
    "log_proof": ("tlog_cases", log_proofs),
    "low_order_encoding": ("tlog_cases", low_order_encodings),
    "given": ("tlog_cases", lambda document: [("whole-file", document)]),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    for option, name in (("--cases", "rules"), ("--shuffle-cases", "shuffle"), ("--tlog-cases", "tlog")):
        parser.addoption(option, type=Path, default=VECTORS / f"{name}.json", help=f"a file like {name}.json")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture, (option, read) in FIXTURES.items():
        if fixture in metafunc.fixturenames:
            document = json.loads(metafunc.config.getoption(option).read_text(encoding="utf-8"))
            metafunc.parametrize(fixture, [pytest.param(case, id=name) for name, case in read(document)])


@pytest.fixture(scope="session", autouse=True)
def cheap_and_unhurried() -> Iterator[None]:
    """In this process nobody guesses passwords, and hashing them well would be a quarter of what the tests do. And no
    test comes out otherwise for taking seconds, on a machine that is busy or stands still: a log that nobody asks to go
    on does not, a transaction may pause and wait, callers may in the middle of a call, and so may answers. Clocks
    are the tests' own, and are held against no database's.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        patch.setattr(sequencer, "STUCK_SECONDS", UNHURRIED_S)
        patch.setattr(right_clock, "APART_MS", 10**15)
        patch.setattr(witnesses, "FIRST_SECONDS", UNHURRIED_S)
        for calls in (client_api, asking):
            patch.setattr(calls, "_TIMEOUT_S", ANSWER_S)
        for name in ("HEAD_SECONDS", "BODY_SECONDS", "STALL_SECONDS"):
            patch.setattr(connections, name, UNHURRIED_S)
        patient = "-c lock_timeout=10min -c idle_in_transaction_session_timeout=10min"
        patch.setattr(postgresql, "_SESSION", f"{postgresql._SESSION} {patient}")
        patch.setattr(postgresql, "_CONNECT_SECONDS", round(UNHURRIED_S))
        yield


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Postgres]":
    from tests.store.postgres import start_postgres

    with start_postgres() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """Where a store can be opened: the path of a SQLite file, or the URL of a PostgreSQL with our schema."""
    if request.param == "sqlite":
        yield tmp_path / "house.db"
        return
    postgres = request.getfixturevalue("postgres")
    url = postgres.database()
    yield url
    postgres.drop(url)
