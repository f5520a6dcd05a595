"""`fairdeal demo` from its first line to its verdict, once; and what its files are worth without it."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from fairdeal.match import parse_bundle
from fairdeal.tlog import Policy

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


def play(folder: Path, language: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fairdeal", "demo", "--lang", language, "--folder", str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    return Demo(folder, play(folder, "fr"))


def verify(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fairdeal_verifier", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


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
    lines = map(json.loads, demo.file("server.log").read_text("utf-8").splitlines())
    [listening] = [line for line in lines if line["message"] == "listening"]
    assert f"http://{listening['host']}:{listening['port']}" in demo.done.stdout


def test_it_tells_the_command_that_gave_the_verdict(demo: Demo) -> None:
    command = shlex.split(demo.lines[-2])
    assert command[:3] == [sys.executable, "-m", "fairdeal_verifier"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=600, check=False)
    assert (done.returncode, done.stdout) == (0, demo.lines[-1] + "\n")


def test_it_shows_deals_and_money(demo: Demo) -> None:
    text = demo.done.stdout
    assert re.search(r"Donne 1 +(Alice prend à|Bruno prend à|personne ne prend)", text)
    assert "pot 2000 = gagnant 1860 + commission 100 + taxe 40" in text
    assert text.count("5000 JETON") >= 2
    assert re.search(r"(Alice|Bruno) +5860 JETON", text)
    assert re.search(r"(Alice|Bruno) +4000 JETON disponibles, 0 JETON en jeu", text)


def test_it_tells_where_the_match_stands_in_the_log(demo: Demo) -> None:
    told = re.search(r"les entrées (\d+), (\d+), (\d+), (\d+) de cette partie .* (\d+) premières", demo.done.stdout)
    assert told is not None
    *indexes, size = map(int, told.groups())
    log = parse_bundle(demo.file(".fairdeal").read_bytes()).log
    assert log is not None
    assert [one.index for one in log.leaves] == indexes
    assert log.checkpoint.split("\n")[1] == str(size)
    assert size > indexes[-1]


def test_its_policy_lists_the_log(demo: Demo) -> None:
    log = parse_bundle(demo.file(".fairdeal").read_bytes()).log
    assert log is not None
    policy = Policy.parse(demo.file("policy.txt").read_bytes())
    assert policy.open(log.checkpoint).checkpoint.origin == log.checkpoint.split("\n")[0]


def test_its_files_verify_by_themselves(demo: Demo, tmp_path: Path) -> None:
    bundle, held, policy = demo.file(".fairdeal"), demo.file(".held"), demo.file("policy.txt")
    assert verify(bundle, "--policy", policy, "--held", held).returncode == 0
    assert verify(bundle, "--policy", policy).returncode == 13
    assert verify(bundle, "--held", held).returncode == 13
    changed = tmp_path / "changed"
    data = bytearray(bundle.read_bytes())
    digit = data.index(b'"sig":"') + 10
    data[digit] = ord("1" if data[digit] == ord("0") else "0")
    changed.write_bytes(data)
    assert verify(changed, "--policy", policy, "--held", held).returncode == 15


def test_no_secret_is_left(demo: Demo) -> None:
    seed = re.search(rb'"server_seed":"([0-9a-f]{64})"', demo.file(".fairdeal").read_bytes())
    assert seed is not None
    keys = demo.folder / "keys"
    secrets = [seed[1], *(path.read_bytes().strip() for path in keys.iterdir())]
    files = [path for path in demo.folder.iterdir() if path != keys]
    assert {path.suffix for path in files} == {".fairdeal", ".held", ".txt", ".log"}
    for path in files:
        found = [secret for secret in secrets if secret in path.read_bytes()]
        # The end of a match in the log has the seed, and stands in both of the player's files.
        assert found == ([seed[1]] if path.suffix in (".fairdeal", ".held") else [])
    assert keys.stat().st_mode & 0o077 == 0


def test_another_demo_leaves_the_first_match_as_it_was(demo: Demo, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    shutil.copytree(demo.folder, folder)
    first, held, policy = (folder / demo.file(ending).name for ending in (".fairdeal", ".held", "policy.txt"))
    other = play(folder, "en")
    assert other.returncode == 0, other.stderr
    assert len(list(folder.glob("*.fairdeal"))) == 2
    assert verify(first, "--policy", policy, "--held", held).returncode == 0
    text = other.stdout
    assert re.search(r"this match’s entries \d+, \d+, \d+, \d+ are proven", text)
    assert re.search(r"Deal 1 +(Alice takes in|Bruno takes in|nobody takes).*[♠♥♦♣]", text)
    assert not re.search(r"[VDR][♠♥♦♣]", text)


@pytest.mark.parametrize("game", ["classique", "coinche", "annonces"])
def test_four_programs_play_and_partners_choose_each_other(tmp_path: Path, game: str) -> None:
    done = play(tmp_path, "en", "--game", game)
    text = done.stdout
    assert (done.returncode, done.stderr) == (0, ""), text
    assert text.rstrip("\n").split("\n")[-1].startswith("verified")
    assert re.search(r"(Alice & Chloé|Bruno & David) win \d+ – \d+", text)
    codes = re.findall(r"(\w+) sits, and gives (\w+) the code of the seat face to face: [0-9A-Z]{8}\n", text)
    money = re.findall(r"(\w+) +(\d+) JETON free, 0 JETON held", text)
    if game == "annonces":
        assert (codes, money) == ([], [])
    else:
        assert codes == [("Alice", "Chloé"), ("Bruno", "David")]
        assert sorted(cash for _, cash in money[4:]) == ["4000", "4000", "5860", "5860"]
        assert "pot 4000 = winner 3720 + commission 200 + tax 80\n  the two winners: 1860 + 1860\n" in text


def test_another_game_is_wrong_usage(tmp_path: Path) -> None:
    done = play(tmp_path, "en", "--game", "bridge")
    assert done.returncode == 2
    assert "bridge" in done.stderr
    assert list(tmp_path.iterdir()) == []
