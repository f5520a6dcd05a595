"""An audit that goes on from the auditor's own checkpoint, or from the notes of an audit that was stopped."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from fairdeal_verifier import cli
from fairdeal_verifier.audit.state import State
from tests.verifier.auditing import look, note
from tests.verifier.builder import target
from tests.verifier.house import TERMS, house, matches
from tests.verifier.house_faults import plant_settlement


def test_since_spares_what_was_closed_under_it(tmp_path: Path) -> None:
    made = house()
    made.write(tmp_path)
    since = note(made.log)
    match = target(73, target=40, **TERMS)
    made.add(match)
    made.ledger()
    made.write(tmp_path)
    for old in matches():
        (tmp_path / f"matches/{old.m}.jsonl").unlink()
    outcome = look(tmp_path, since=since)
    assert (outcome.findings, outcome.faults) == ([], [])
    assert (outcome.counts["replayed"], outcome.counts["skipped"]) == (1, 8)


def test_notes_spare_what_was_replayed(tmp_path: Path) -> None:
    house().write(tmp_path / "log")
    state = tmp_path / "notes"
    assert audited(tmp_path, state)["resumed"] == 0
    data = state.read_bytes()
    lines = data.splitlines(keepends=True)
    assert len(lines) == 8
    for kept in (len(data), len(data) - 1, len(data) - len(lines[-1]) - 1, 10):
        state.write_bytes(data[:kept])
        known = data[:kept].count(b"\n")
        assert audited(tmp_path, state)["resumed"] == known
        assert sorted(state.read_bytes().splitlines()) == sorted(data.splitlines())
    # Not even their files are asked for.
    for match in matches():
        (tmp_path / f"log/matches/{match.m}.jsonl").unlink()
    assert audited(tmp_path, state)["resumed"] == 8
    # Another way of replaying them is another thing.
    assert cli.main(["audit", str(tmp_path / "log"), "--state", str(state), "--signatures", "last"]) == 13


def audited(folder: Path, state: Path) -> dict[str, Any]:
    kept = State(state)
    outcome = look(folder / "log", state=kept)
    kept.close()
    assert (outcome.findings, outcome.faults) == ([], [])
    assert outcome.questions.endings["played"] == 4
    return outcome.counts


def test_notes_keep_a_finding(tmp_path: Path) -> None:
    plant_settlement(house()).write(tmp_path / "log")
    for known in (0, 8):
        kept = State(tmp_path / "notes")
        outcome = look(tmp_path / "log", state=kept)
        kept.close()
        assert [found.code for found in outcome.findings] == ["transcript"]
        assert outcome.counts["resumed"] == known


def test_an_audit_killed_in_its_midst_goes_on(tmp_path: Path) -> None:
    """By SIGKILL while it reads the fifth match."""
    house().write(tmp_path / "log")
    script = f"""
import os, signal
from fairdeal_verifier.audit import pool, source
from fairdeal_verifier.cli import main
pool.BATCH = 1
read, seen = source.Directory.read, []
def killed(self, path, limit):
    seen.append(path)
    if sum("matches/" in path for path in seen) == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return read(self, path, limit)
source.Directory.read = killed
main(["audit", {str(tmp_path / "log")!r}, "--state", {str(tmp_path / "notes")!r}, "--jobs", "1"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=600)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert audited(tmp_path, tmp_path / "notes")["resumed"] == 4
