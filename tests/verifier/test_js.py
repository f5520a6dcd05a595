"""The second verifier, in JavaScript: its own tests, run by a node binary that is always there."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from fairdeal_verifier.files import MAX_FILE_BYTES
from tests.verifier.javascript import ROOT, node

TESTS = sorted((ROOT / "test").glob("*.test.js"))


def test_it_has_its_own_tests() -> None:
    assert len(TESTS) >= 9


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name)
def test_its_own_tests_pass(file: Path) -> None:
    run = subprocess.run([node(), "--test", "--test-reporter=tap", file], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stdout[-8_000:] + run.stderr
    counts = {name: int(number) for name, number in re.findall(r"^# (pass|fail|skipped|todo) (\d+)$", run.stdout, re.M)}
    assert counts["pass"] >= 3
    assert (counts["fail"], counts["skipped"], counts["todo"]) == (0, 0, 0)


def test_its_core_needs_no_node_and_no_package() -> None:
    sources = sorted((ROOT / "src").glob("*.js"))
    assert len(sources) > 10
    for source in sources:
        text = source.read_text()
        imported = re.findall(r'(?:^import|\bfrom|\bimport\() ?"([^"]+)"', text, re.M)
        assert all(name.startswith("./") for name in imported), source.name
        assert not re.search(r"\b(process|Buffer|require|globalThis\.node|__dirname)\b", text), source.name


def test_the_largest_file_of_empty_lines_fits_a_small_memory(tmp_path: Path) -> None:
    """A page in a browser has no more than a tab's."""
    bundle = tmp_path / "bundle"
    bundle.write_bytes(b"\n" * MAX_FILE_BYTES)
    command = [node(), "--max-old-space-size=128", ROOT / "cli.mjs", bundle, "--json"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 12, run.stderr
    assert json.loads(run.stdout)["cause"] == "encoding"
