"""Cases from files become tests: one each, named by its id, from the committed files or from any other of the schema.

pytest tests --cases FILE · --shuffle-cases FILE · --tlog-cases FILE
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from fairdeal.belote import RULESETS

VECTORS = Path(__file__).parent / "vectors"
Named = Iterable[tuple[str, Any]]


def rules_cases(document: Any) -> Named:
    """Those of rulesets that exist: a case names the game without its version."""
    games = {ruleset.partition("@")[0] for ruleset in RULESETS}
    return ((case["id"], case) for case in document["cases"] if case["ruleset"] in games)


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


def canonical_texts(document: Any) -> Named:
    """Each as (base64, accepted)."""
    profile = document["canonical_profile"]
    yield from ((f"accept-{number}", (text, True)) for number, text in enumerate(profile["accept_b64"]))
    yield from ((case["why"], (case["b64"], False)) for case in profile["reject"])


FIXTURES: dict[str, tuple[str, Callable[[Any], Named]]] = {
    "rules_case": ("cases", rules_cases),
    "permutation": ("shuffle_cases", permutations),
    "deal": ("shuffle_cases", deals),
    "merkle_root": ("tlog_cases", merkle_roots),
    "note": ("tlog_cases", notes),
    "verifier_key": ("tlog_cases", verifier_keys),
    "checkpoint_body": ("tlog_cases", checkpoint_bodies),
    "checkpoint_note": ("tlog_cases", checkpoint_notes),
    "canonical_text": ("tlog_cases", canonical_texts),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    for option, name in (("--cases", "rules"), ("--shuffle-cases", "shuffle"), ("--tlog-cases", "tlog")):
        parser.addoption(option, type=Path, default=VECTORS / f"{name}.json", help=f"a file like {name}.json")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture, (option, read) in FIXTURES.items():
        if fixture in metafunc.fixturenames:
            document = json.loads(metafunc.config.getoption(option).read_text(encoding="utf-8"))
            metafunc.parametrize(fixture, [pytest.param(case, id=name) for name, case in read(document)])
