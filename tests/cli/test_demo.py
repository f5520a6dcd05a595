"""`fairdeal demo` from its first line to its verdict, once; and what its files are worth without it."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

MATCH = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Demo:
    folder: Path
    done: subprocess.CompletedProcess[str]

    @property
    def lines(self) -> list[str]:
        return self.done.stdout.rstrip("\n").split("\n")

    def file(self, ending: str) -> Path:
        (path,) = self.folder.glob(f"*{ending}")
        return path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "fairdeal", "demo", "--lang", "fr", "--folder", str(folder)]
    return Demo(folder, subprocess.run(command, capture_output=True, text=True, timeout=55, check=False))


def verify(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fairdeal_verifier", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_its_last_line_is_the_verdict(demo: Demo) -> None:
    assert demo.done.returncode == 0, demo.done.stderr
    assert demo.done.stderr == ""
    assert demo.lines[-1].startswith("verified")
    assert "partie" in demo.lines[-1]


def test_it_tells_where_the_files_are(demo: Demo) -> None:
    bundle, held, policy = demo.file(".fairdeal"), demo.file(".held"), demo.file("policy.txt")
    assert bundle.stem == held.stem
    assert MATCH.fullmatch(bundle.stem)
    told = [Path(line.strip()) for line in demo.lines]
    assert [path for path in told if path in (bundle, held, policy)] == [bundle, held, policy]
    assert demo.file("server.log").stat().st_size


def test_it_shows_deals_and_money(demo: Demo) -> None:
    text = demo.done.stdout
    assert re.search(r"Donne 1 +(Alice prend à|Bruno prend à|personne ne prend)", text)
    assert "pot 2000 = gagnant 1860 + commission 100 + taxe 40" in text
    assert text.count("5000 JETON") >= 2
    assert re.search(r"(Alice|Bruno) +5860 JETON", text)
    assert re.search(r"(Alice|Bruno) +4000 JETON disponibles, 0 JETON en jeu", text)


def test_its_files_verify_by_themselves(demo: Demo) -> None:
    bundle, held, policy = demo.file(".fairdeal"), demo.file(".held"), demo.file("policy.txt")
    assert verify(bundle, "--policy", policy, "--held", held).returncode == 0
    assert verify(bundle, "--policy", policy).returncode == 13
    assert verify(bundle, "--held", held).returncode == 13
    changed = demo.folder / "changed"
    data = bytearray(bundle.read_bytes())
    digit = data.index(b'"sig":"') + 10
    data[digit] = ord("1" if data[digit] == ord("0") else "0")
    changed.write_bytes(data)
    assert verify(changed, "--policy", policy, "--held", held).returncode == 15


def test_no_secret_is_left(demo: Demo) -> None:
    assert {path.suffix for path in demo.folder.iterdir() if path.name != "changed"} == {
        ".fairdeal",
        ".held",
        ".txt",
        ".log",
    }
    seed = re.search(rb'"server_seed":"([0-9a-f]{64})"', demo.file(".fairdeal").read_bytes())
    assert seed is not None
    for name in (".held", "policy.txt", "server.log"):
        assert seed[1] not in demo.file(name).read_bytes()
