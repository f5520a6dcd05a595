"""The verifier as one file: the same bytes each time, and whole matches verified with no package at all."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.verifier.builder import GAMES, target

HERE = Path(__file__).parents[2] / "verifier" / "python"
build = runpy.run_path(str(HERE / "build_pyz.py"))["build"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pyz") / "fairdeal-verify.pyz"
    build(path)
    return path


def run(program: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Isolated: no site-packages, no environment, another directory."""
    command = [sys.executable, "-I", "-S", str(program), *arguments]
    return subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match(game: str, program: Path, tmp_path: Path) -> None:
    match = target(0, game, target=50 if game == "duel@1" else 501)
    for name, data in (
        ("bundle", match.bundle()),
        ("policy", match.policy_text().encode()),
        ("held", match.held_file()),
        ("changed", match.bundle().replace(b'"outcome":"', b'"outcome":"x', 1)),
    ):
        (tmp_path / name).write_bytes(data)
    bundle, policy, held, changed = (str(tmp_path / name) for name in ("bundle", "policy", "held", "changed"))
    signatures = "all" if game == "duel@1" else "last"
    done = run(program, bundle, "--policy", policy, "--held", held, "--json", "--signatures", signatures)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["verdict"] == "verified"
    assert run(program, changed, "--policy", policy).returncode == 12
    told = run(program, "explain", bundle, "--deal", "1", "--json")
    assert told.returncode == 0
    assert json.loads(told.stdout)["deal"] == 1


def test_signatures_are_checked_without_any_package(program: Path) -> None:
    script = f"import sys; sys.path.insert(0, {str(program)!r}); import fairdeal_verifier.ed25519; import cryptography"
    command = [sys.executable, "-I", "-S", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert "No module named 'cryptography'" in done.stderr


def test_the_same_bytes_from_the_same_sources(program: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(HERE, copied)
    for path in copied.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700)
    build(tmp_path / "again.pyz", copied)
    assert (tmp_path / "again.pyz").read_bytes() == program.read_bytes()
    (copied / "fairdeal_verifier" / "more.py").write_text("")
    build(tmp_path / "other.pyz", copied)
    assert (tmp_path / "other.pyz").read_bytes() != program.read_bytes()


def test_what_is_in_it(program: Path) -> None:
    assert program.read_bytes().startswith(b"#!/usr/bin/env python3\n")
    assert os.access(program, os.X_OK)
    with zipfile.ZipFile(program) as archive:
        names = archive.namelist()
    modules = {path.relative_to(HERE).as_posix() for path in HERE.rglob("fairdeal_verifier/**/*.py")}
    assert names == sorted(names)
    assert set(names) == modules | {"__main__.py", "LICENSE"}
