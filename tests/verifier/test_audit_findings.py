"""The findings of an audit: every one planted, and each names its place."""

from pathlib import Path

import pytest

from tests.verifier.auditing import BOTH, look, verdict
from tests.verifier.builder import Server, public
from tests.verifier.house import NEXT_RECEIPTS_KEY, RECEIPTS_KEY, TERMS, house, matches
from tests.verifier.house_faults import PLANTS, plant_settlement, rotate
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, policy_text


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_fault_is_the_one_finding(name: str, tmp_path: Path) -> None:
    code, detail, plant = PLANTS[name]
    plant(house()).write(tmp_path)
    outcome = look(tmp_path, BOTH)
    assert [(found.code, found.detail[0]) for found in outcome.findings] == [(code, detail)]
    assert outcome.faults == []
    assert verdict(tmp_path, BOTH) == ("cheated", None)
    assert verdict(tmp_path, None) == ("unchecked", "no_policy")


def test_a_finding_names_its_place(tmp_path: Path) -> None:
    made = plant_settlement(house())
    made.write(tmp_path)
    [found] = look(tmp_path).findings
    match = matches()[0]
    assert found.detail == ("step_at", 10, "settle", len(match.events) - 1)
    assert (found.index, found.m) == (made.find("close", match.m), match.m)


def test_a_seed_used_twice(tmp_path: Path) -> None:
    made = house()
    server = Server(64, **TERMS, commitment=matches()[6].events[0]["data"]["commitment"])
    server.server_seed = bytes.fromhex(matches()[6].events[-1]["data"]["server_seed"])
    server.end("cancelled", None)
    made.add(server.match)
    made.write(tmp_path)
    assert [found.code for found in look(tmp_path).findings] == ["commitment", "seed"]


def test_keys_of_their_time(tmp_path: Path) -> None:
    made = house()
    rotate(made, LOG_KEY, NEXT_LOG_KEY)
    rotate(made, RECEIPTS_KEY, NEXT_RECEIPTS_KEY)
    made.open(Server(67, **TERMS | {"receipt_key": public(NEXT_RECEIPTS_KEY[0]).hex()}).match)
    made.write(tmp_path)
    outcome = look(tmp_path, BOTH)
    assert (outcome.findings, outcome.faults) == ([], [])
    # The old key signed checkpoints of its time, and the log's leaf says so.
    assert look(tmp_path, policy_text((NEXT_LOG_KEY,))).findings == []
