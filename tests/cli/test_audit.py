"""`fairdeal audit`, the command, against a service behind a real socket."""

import json
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from fairdeal.app.ports import SignificantEvent
from fairdeal.app.safeguard_ports import Exclusion
from fairdeal.cli import app
from fairdeal.cli import audit as command
from fairdeal.cli.mirror import Mirrored
from fairdeal.tlog import EMPTY_ROOT, Checkpoint
from tests.api.serving import served
from tests.api.table import OPERATOR, Player, Service, sit_two
from tests.cli.command import run
from tests.durability.process import until

AUDITOR = "auditor-token-of-the-tests"


@pytest.fixture
def service(tmp_path: Path) -> Service:
    """Closed by who serves it."""
    return Service(tmp_path / "service", {"auditor_token": AUDITOR})


@pytest.fixture
def players(service: Service) -> tuple[Player, ...]:
    return sit_two(service)


@pytest.fixture
def url(service: Service, players: tuple[Player, ...]) -> Iterator[str]:
    """The leaves of the table and of the journal are in the log."""
    assert players
    with served(service) as address:
        until(lambda: service.http.get("/log/checkpoint").text.split("\n")[1] == "2")
        yield address


def test_export(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "directory"
    done = run("audit", "export", folder, "--url", url, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    assert done.returncode == 0, done.stderr
    told = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert told["log"] == "localhost/fairdeal"
    assert told["checkpoint"].startswith("2 leaves, root "), "of the table and of the journal"
    assert told["matches"] == "0 closed, 1 not closed"
    assert told["directory"] == str(folder)
    assert (folder / "checkpoint").read_text().splitlines()[:2] == ["localhost/fairdeal", "2"]
    again = run("audit", "export", folder, "--url", url, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    assert again.returncode == 0
    assert " 0 were there" in done.stdout
    assert " 0 were there" not in again.stdout


def test_events_of_every_kind_or_of_one(url: str, service: Service, players: tuple[Player, ...]) -> None:
    def told(*kind: str) -> list[dict[str, Any]]:
        words = ["audit", "events", *kind, "--url", url]
        done = CliRunner().invoke(app, words, env={"FAIRDEAL_AUDITOR_TOKEN": AUDITOR})
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    service.store.exclude(players[0].person.id, Exclusion("exclusion", 7, None))
    for at in range(120):
        service.store.keep_significant(SignificantEvent(at, "void", {"m": f"{at:032x}"}))
    assert [one["at"] for one in told("--kind", "void")] == [*reversed(range(120))]
    stop = {"account": players[0].person.id, "stop": "exclusion", "until": None}
    assert told("--kind", "exclusion") == [{"at": 7, "kind": "exclusion", "data": stop}]
    assert told("--kind", "reversal") == []
    assert Counter(one["kind"] for one in told()) == {"void": 120, "exclusion": 1, "schedule": 1, "key": 3}


def test_a_kind_that_there_is_not_is_asked_of_nobody() -> None:
    done = run("audit", "events", "--kind", "gift", "--url", "http://127.0.0.1:9", FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Invalid value for '--kind'" in done.stderr


def test_export_of_what_the_service_lacks(url: str, service: Service, tmp_path: Path) -> None:
    """A log of more leaves than the service has transcripts for."""
    service.app.state.services.audit.transcript = _unknown
    done = run("audit", "export", tmp_path / "directory", "--url", url, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[-1].startswith("missing    matches/")


def _unknown(_m: str) -> None:
    return None


def test_identify(url: str, players: tuple[Player, ...]) -> None:
    asked = ("audit", "identify", players[1].player, "--reason", "complaint 17", "--url", url)
    done = run(*asked, FAIRDEAL_OPERATOR_TOKEN=OPERATOR)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"account  {players[1].person.id}",
        f"name     {players[1].person.name}",
        f"match    {players[1].m}",
        f"seat     {players[1].seat}",
    ]


@pytest.mark.parametrize(
    ("player", "token", "problem"),
    [("f" * 32, OPERATOR, "unknown_player"), ("f" * 32, AUDITOR, "forbidden")],
)
def test_identify_that_is_refused(player: str, token: str, problem: str, url: str) -> None:
    asked = ("audit", "identify", player, "--reason", "a guess", "--url", url)
    done = run(*asked, FAIRDEAL_OPERATOR_TOKEN=token)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"fairdeal: {problem}: ")


@pytest.mark.parametrize(
    ("asked", "variable"), [("export", "FAIRDEAL_AUDITOR_TOKEN"), ("identify", "FAIRDEAL_OPERATOR_TOKEN")]
)
def test_without_a_token_nobody_is_called(asked: str, variable: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        rest = ["0" * 32, "--reason", "a guess"] if asked == "identify" else [tmp_path / "x"]
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        done = run("audit", asked, *rest, "--url", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == f"fairdeal: unauthenticated: the token goes into {variable}"
    assert done.stderr.splitlines()[1].startswith("hint: ")
    assert not (tmp_path / "x").exists()


def test_another_token_exports_nothing(url: str, tmp_path: Path) -> None:
    done = run("audit", "export", tmp_path / "directory", "--url", url, FAIRDEAL_AUDITOR_TOKEN="x" * 16)
    assert (done.returncode, done.stdout) == (1, "")
    assert "fairdeal: forbidden: this is for the auditor\nhint: " in done.stderr
    assert not (tmp_path / "directory/checkpoint").exists()


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("export x", "'--url'"),
        (f"identify {'0' * 32} --url http://y", "'--reason'"),
        ("identify x --reason y --url http://y", "'PLAYER'"),
        ("matches --month 2026-13 --url http://y", "'--month': '2026-13' is not a month, such as 2026-11"),
        ("matches --month 2026-11 --url play", "'--url'"),
    ],
)
def test_wrong_usage(line: str, named: str) -> None:
    done = run("audit", *line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr


def test_that_there_is_no_sign_is_told_beside_the_output(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").touch()
    done = run("audit", "signs", tmp_path / "records.jsonl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "matches read: 0, signs found: 0\n")


def test_progress_is_told_once_a_second(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    moments = iter([0.0, 0.5, 1.0, 1.0, 1.5, 2.0, 2.0])
    monkeypatch.setattr(command, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    tell = command._Progress()
    made = Mirrored(Checkpoint("o", 0, EMPTY_ROOT), fetched=7, fetched_bytes=3 << 20)
    for path in ("a", "b", "c", "d"):
        tell(made, path)
    told = capsys.readouterr()
    assert (told.out, told.err.splitlines()) == ("", ["7 files, 3 MiB: b", "7 files, 3 MiB: d"])
