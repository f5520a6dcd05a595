"""The audit of a whole log: what is verified, with which anchor, and how much was counted."""

from pathlib import Path

import pytest

from tests.verifier.auditing import look, note, verdict
from tests.verifier.house import House, house, matches
from tests.verifier.house_faults import plant_settlement
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, WITNESSES, policy_text


def test_a_whole_house(tmp_path: Path) -> None:
    made = house()
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])
    counts = outcome.counts
    assert (counts["matches"], counts["closed"], counts["replayed"]) == (8, 8, 8)
    assert counts["leaves"] == len(made.log.entries)
    assert counts["transactions"] == len(made.journal)
    assert verdict(tmp_path) == ("unchecked", "no_anchor")
    assert verdict(tmp_path, since=note(made.log, 20)) == ("verified", None)
    assert verdict(tmp_path, since=note(made.log, 0)) == ("unchecked", "no_anchor")
    assert verdict(tmp_path, policy=None) == ("unchecked", "no_policy")
    stranger = policy_text((NEXT_LOG_KEY,))
    assert verdict(tmp_path, stranger, since=note(made.log, 20)) == ("unchecked", "unknown_key")
    assert look(tmp_path, stranger).faults == []


def test_witnesses_anchor(tmp_path: Path) -> None:
    made = house()
    made.log.witnesses = WITNESSES[:2]
    made.signed.clear()
    made.write(tmp_path)
    quorum = policy_text((LOG_KEY,), WITNESSES, "q", "group q {} " + " ".join(name for _, name in WITNESSES))
    assert verdict(tmp_path, quorum.format(2)) == ("verified", None)
    assert verdict(tmp_path, quorum.format(3)) == ("unchecked", "no_anchor")
    assert look(tmp_path, quorum.format(2)).cosignatures == 2


def test_processes_agree_with_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal_verifier.audit.pool.BATCH", 2)
    made = plant_settlement(house())
    (tmp_path / "matches").mkdir()
    made.write(tmp_path)
    alone, together = look(tmp_path), look(tmp_path, jobs=2)
    assert alone.findings == together.findings
    assert alone.counts == together.counts
    assert alone.questions == together.questions


@pytest.mark.parametrize("matches_open", [0, 1])
def test_an_empty_log(matches_open: int, tmp_path: Path) -> None:
    made = House()
    for number in range(matches_open):
        made.open(matches()[number])
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])
    assert outcome.counts["leaves"] == matches_open


def test_a_log_of_several_tiles(tmp_path: Path) -> None:
    """Also where it has grown meanwhile: then the full tile stands for the partial one."""
    made = House()
    for number in range(300):
        made.leaf({"from": number, "to": number + 1, "type": "outage"})
    made.write(tmp_path)
    assert verdict(tmp_path) == ("unchecked", "no_anchor")
    newest = made.log.checkpoint(100)
    (tmp_path / "checkpoint").write_text(newest)
    for size in (100, 300):
        (tmp_path / f"checkpoints/{size}").unlink(missing_ok=True)
    assert (tmp_path / "tile/0/000").exists()
    assert verdict(tmp_path) == ("unchecked", "no_anchor")
