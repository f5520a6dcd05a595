"""The import contracts hold, cover the tree, and catch each import they forbid when it is planted."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]

#: contract → (module, what it must not import). Modules that the tree lacks are made.
VIOLATIONS = {
    "layers": [
        ("fairdeal.errors", "fairdeal.canonical"),
        ("fairdeal.keys", "fairdeal.commit"),
        ("fairdeal.commit", "fairdeal.shuffle"),
        ("fairdeal.shuffle", "fairdeal.tlog"),
        ("fairdeal.ledger", "fairdeal.belote"),
        ("fairdeal.belote", "fairdeal.match"),
        ("fairdeal.match", "fairdeal.app"),
        ("fairdeal.client", "fairdeal.app"),
        ("fairdeal.client", "fairdeal.store"),
        ("fairdeal.client", "fairdeal.api"),
        ("fairdeal.client", "fairdeal.settings"),
        ("fairdeal.client", "fairdeal.main"),
        ("fairdeal.app", "fairdeal.client"),
        ("fairdeal.app", "fairdeal.store"),
        ("fairdeal.api", "fairdeal.store"),
        ("fairdeal.store", "fairdeal.settings"),
        ("fairdeal.cli", "fairdeal.main"),
        ("fairdeal.keyfiles", "fairdeal.settings"),
    ],
    "verifier": [
        ("fairdeal.app", "fairdeal_verifier"),
        ("fairdeal_verifier", "fairdeal"),
    ],
    "pure": [
        ("fairdeal.canonical", "asyncio"),
        ("fairdeal.keys", "os"),
        ("fairdeal.ids", "secrets"),
        ("fairdeal.shuffle", "random"),
        ("fairdeal.commit", "pathlib"),
        ("fairdeal.tlog", "httpx2"),
        ("fairdeal.ledger", "sqlite3"),
        ("fairdeal.match", "time"),
    ],
    "frameworks": [
        ("fairdeal.errors", "starlette"),
        ("fairdeal.match", "pydantic"),
        ("fairdeal.client", "fastapi"),
        ("fairdeal.client", "typer"),
        ("fairdeal.app", "sqlmodel"),
    ],
    "standalone": [
        ("fairdeal_verifier", "httpx2"),
        ("fairdeal_verifier", "pydantic"),
        ("fairdeal_verifier", "socket"),
        ("fairdeal_verifier.audit.tree", "urllib"),
    ],
}


def lint(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache", *options],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "verifier/python")])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of both packages and of the contracts, for planting in."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("fairdeal", "verifier/python/fairdeal_verifier"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def module_file(tree: Path, module: str) -> Path:
    """The file of a module in the tree; one that is missing is made, empty."""
    base = tree / "verifier/python" if module.startswith("fairdeal_verifier") else tree
    path = base.joinpath(*module.split("."))
    if path.is_dir():
        return path / "__init__.py"
    file = path.with_suffix(".py")
    file.touch()
    return file


def test_contracts_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_contract_is_tried() -> None:
    assert {contract["id"] for contract in CONTRACTS} == set(VIOLATIONS)


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_planted_imports_are_caught(tree: Path, contract: str) -> None:
    for importer, imported in VIOLATIONS[contract]:
        if imported.startswith("fairdeal"):
            module_file(tree, imported)
        with module_file(tree, importer).open("a") as source:
            source.write(f"\nimport {imported}\n")
    result = lint(tree, "--contract", contract)
    assert result.returncode == 1, result.stdout + result.stderr
    missed = [f"{a} -> {b}" for a, b in VIOLATIONS[contract] if f"{a} -> {b} " not in result.stdout]
    assert not missed, result.stdout


def test_a_module_without_a_layer_is_caught(tree: Path) -> None:
    (tree / "fairdeal/helpers.py").touch()
    result = lint(tree, "--contract", "layers")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "helpers" in result.stdout
