"""The second verifier, in JavaScript: its own tests, run by a node binary that is always there."""

import re
import subprocess

from tests.verifier.javascript import ROOT, node


def test_its_own_tests_pass() -> None:
    files = sorted((ROOT / "test").glob("*.test.js"))
    run = subprocess.run([node(), "--test", "--test-reporter=tap", *files], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stdout[-8_000:] + run.stderr
    counts = {name: int(number) for name, number in re.findall(r"^# (pass|fail|skipped|todo) (\d+)$", run.stdout, re.M)}
    assert counts["pass"] > 100
    assert (counts["fail"], counts["skipped"], counts["todo"]) == (0, 0, 0)


def test_its_core_needs_no_node_and_no_package() -> None:
    sources = sorted((ROOT / "src").glob("*.js"))
    assert len(sources) > 10
    for source in sources:
        text = source.read_text()
        imported = re.findall(r'(?:^import|\bfrom|\bimport\() ?"([^"]+)"', text, re.M)
        assert all(name.startswith("./") for name in imported), source.name
        assert not re.search(r"\b(process|Buffer|require|globalThis\.node|__dirname)\b", text), source.name
