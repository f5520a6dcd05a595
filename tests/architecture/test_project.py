"""What the tree as a whole promises: locks without hosts, files without machine paths, modules with a purpose."""

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 350
PACKAGES = ("fairdeal", "verifier/python/fairdeal_verifier")
MADE = {".git", ".venv", "var", "dist", "__pycache__", ".hypothesis"}
LOCKS = ("requirements/run.txt", "requirements/dev.txt", "requirements/soak.txt")

#: Words are put together here, so that this file does not hold what it forbids.
MACHINE_PATHS = re.compile("|".join(["/" + "work/", "/" + "root/", "/" + "home/", "/" + "tmp/", "/" + "opt/"]))
FROM_A_TEST = re.compile(r"^\s*(from|import) tests\.([a-z_.]+\.)?test_")
UNFINISHED = re.compile(
    "|".join(
        [r"\bTO" + "DO", r"\bFIX" + "ME", r"\bX" + "XX", r"mark\.sk" + "ip", r"pytest\.sk" + "ip", r"\bx" + "fail\\("]
    )
)


def own_texts() -> Iterator[tuple[str, str]]:
    """Every text file of the project, without git: a tree unpacked from an archive is tested like a clone."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in MADE and not name.endswith((".egg-info", "_cache"))]
        for path in (Path(folder, name) for name in names):
            data = path.read_bytes()
            if path.is_file() and b"\0" not in data and path.suffix not in {".pyc", ".pyo"}:
                yield str(path.relative_to(ROOT)), data.decode("utf-8")


def offenders(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in own_texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def pins(lock: str) -> dict[str, str]:
    """Each requirement of a lock with its whole entry."""
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / lock).read_text())
    return {entry.partition("==")[0]: entry for entry in entries if not entry.startswith("#")}


def test_every_room_is_on_the_map() -> None:
    """Each package and module of `fairdeal` stands in ARCHITECTURE.md's table, and nothing that is gone."""
    rows = re.findall(r"^\| `fairdeal/(.*?)` \|", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    named = [name for row in rows for name in row.split("` `")]
    made = [f"{path.name}/" if path.is_dir() else path.name for path in (ROOT / "fairdeal").glob("[a-z]*")]
    assert sorted(named) == sorted(set(made) - {"py.typed"})


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_host(lock: str) -> None:
    assert not re.search(r"://|^-", (ROOT / lock).read_text(), re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_pins_and_hashes_every_line(lock: str) -> None:
    for name, entry in pins(lock).items():
        assert re.match(r"[a-z0-9-]+==[0-9][0-9A-Za-z.]*( ; [^\\]+)? \\\n", entry), name
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), name


def test_locks_agree() -> None:
    run, dev, soak = (pins(lock) for lock in LOCKS)
    assert run.keys() < dev.keys()
    assert not soak.keys() & dev.keys(), "the two are installed into one environment"
    assert {name: run[name].splitlines()[0] for name in run} == {name: dev[name].splitlines()[0] for name in run}


def test_lock_sources_are_what_the_package_declares() -> None:
    """Everything of `fairdeal[server]` and the build backend, with the same bounds, stands in requirements/run.in."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    declared = {
        *project["project"]["dependencies"],
        *extras["client"],
        *extras["server"],
        *project["build-system"]["requires"],
    }
    lines = (ROOT / "requirements/run.in").read_text().splitlines()
    assert {line for line in lines if not line.startswith("#")} == declared - {"fairdeal[client]"}


def test_client_and_verifier_declare_no_server_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    verifier = tomllib.loads((ROOT / "verifier/python/pyproject.toml").read_text())["project"]
    assert [line.partition(">")[0] for line in project["dependencies"]] == ["cryptography"]
    assert [line.partition(">")[0] for line in project["optional-dependencies"]["client"]] == ["httpx2"]
    assert verifier["dependencies"] == []


def test_no_machine_paths() -> None:
    assert not offenders(MACHINE_PATHS)


def test_what_tests_share_is_in_no_test() -> None:
    assert offenders(FROM_A_TEST) == []


def test_nothing_is_left_unfinished() -> None:
    assert not offenders(UNFINISHED)


def test_every_module_says_what_it_is_for() -> None:
    assert not [str(path) for path in modules() if not ast.get_docstring(ast.parse(path.read_text()))]


def test_tidying_up_leaves_the_money_and_the_keys(tmp_path: Path) -> None:
    """What `make serve` has made stands in var/ too."""
    kept = {"var/fairdeal.db", "var/keys/log.key", "var/log/leaves.jsonl", "var/demo/policy.txt"}
    cleaned = {"var/lock/bin/uv", ".venv/bin/python", "dist/fairdeal-verify.pyz", "fairdeal/__pycache__/ids.pyc"}
    for name in kept | cleaned:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    command = ["make", "--silent", "--directory", str(tmp_path), "--file", str(ROOT / "Makefile"), "clean"]
    subprocess.run(command, check=True)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == kept


def test_no_module_is_too_long() -> None:
    """A migration is a list of tables as they once were: nobody adds to it."""
    written = [path for path in modules() if path.parent.name != "versions"]
    assert not [str(path) for path in written if len(path.read_text().splitlines()) > MAX_LINES]


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (MACHINE_PATHS, "open('/" + "work/main/x')"),
        (MACHINE_PATHS, "see /" + "root/.bashrc"),
        (MACHINE_PATHS, "/" + "tmp/plan"),
        (UNFINISHED, "# TO" + "DO later"),
        (UNFINISHED, "@pytest.mark.sk" + "ip"),
        (UNFINISHED, "pytest.x" + "fail('no')"),
        (UNFINISHED, "@pytest.mark.sk" + "ipif(True)"),
        (FROM_A_TEST, "from tests.store.test_log import next_append"),
        (FROM_A_TEST, "import tests.test_log"),
    ],
)
def test_patterns_see_what_they_forbid(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)


@pytest.mark.parametrize("kind", ["sdist", "wheel"])
def test_what_is_installed_has_the_rules_texts_that_it_serves(kind: str, tmp_path: Path) -> None:
    """In the tree they are a link to docs/rules."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = tmp_path.iterdir()
    with ZipFile(made) if kind == "wheel" else tarfile.open(made) as archive:
        names = archive.namelist() if isinstance(archive, ZipFile) else archive.getnames()
    texts = [path.name for path in (ROOT / "docs/rules").iterdir()]
    assert sorted(name.split("/")[-1] for name in names if "api/rules_texts/" in name) == sorted(texts)
