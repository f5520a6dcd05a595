"""The examples of README.md, run: a program that plays, and what players and auditors do with the files afterwards."""

import json
import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

import fairdeal.client
from fairdeal.client import Memory, Player, prefer_winning_tricks
from fairdeal_verifier import cli
from tests.client.house import House
from tests.client.server import M
from tests.verifier.house import house as audited
from tests.verifier.logged import policy_text

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^fairdeal-verify (.*)$", README, re.MULTILINE)
SENTENCE = re.compile(r"^verified: .*$", re.MULTILINE)


def begin(house: House, request: httpx2.Request) -> httpx2.Response | None:
    """How the program comes to its token and its table, which the house in memory does not know."""
    if (request.method, request.url.path) == ("POST", "/v1/sessions"):
        return httpx2.Response(201, json={"token": "seat0"})
    if (request.method, request.url.path) == ("POST", "/v1/tables"):
        assert json.loads(request.content) == {"game": "duel", "stake": 100, "private": False}
        return httpx2.Response(201, json=house.table(0))
    return None


def play(house: House, folder: Path) -> Any:
    """Seat 0 by the README's program, in the working directory; seat 1 by ours. What seat 0 took away."""
    [program] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    known: dict[str, Any] = {}
    other = Player(house.api(1), Memory(folder / "other.db"), folder / "other")
    other.sit(M, stake=100)
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(other.play, M, prefer_winning_tricks)
        exec(compile(program, "README.md", "exec"), known)
        playing.result()
    return known["taken"]


def test_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fairdeal.client.player._LOOK_S", 0.001)
    # Long enough for the deal that is explained.
    house = House(target=601)
    house.before = lambda request: begin(house, request)
    monkeypatch.setattr(fairdeal.client, "Api", lambda _url: house.api(0))
    Path("policy.txt").write_text(house.policy)
    taken = play(house, tmp_path)
    assert capsys.readouterr().out == f"{taken.bundle} {taken.held} True\n"
    taken.bundle.rename("MATCH.fairdeal")
    taken.held.rename("MATCH.held")
    Path("other", f"{M}.held").rename("THEIRS.held")

    # The log that is audited is another service's, with its own policy.
    audited().write(Path("month"))
    codes = {}
    for command in COMMANDS:
        first, *_ = arguments = shlex.split(command)
        if first == "audit":
            Path("policy.txt").write_text(policy_text())
        codes[first] = cli.main(arguments)
    # The first audit has nothing to compare with.
    assert codes == {"MATCH.fairdeal": 0, "explain": 0, "fork": 0, "audit": 13}
    assert Path("kept.checkpoint").exists()

    capsys.readouterr()
    Path("policy.txt").write_text(house.policy)
    assert cli.main(["MATCH.fairdeal", "--policy", "policy.txt", "--held", "MATCH.held", "--lang", "en"]) == 0
    [shown] = SENTENCE.findall(README)
    assert without_numbers(capsys.readouterr().out) == f"{without_numbers(shown)}\n"


def without_numbers(text: str) -> str:
    """The seeds are anybody's: one deal may be void, or none."""
    return re.sub(r"\d+", "0", text).replace("0 void deal.", "0 void deals.")
