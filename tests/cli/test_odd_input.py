"""Paths that are none, files of another kind, a full disk, an end in the middle: told in a line, and nothing left."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairdeal.cli import app
from fairdeal.cli.operator import serve_until_stopped
from fairdeal.errors import FairdealError, StoreFailed
from fairdeal.keys import SigningKey
from fairdeal.tlog import VerifierKey, format_policy
from tests.cli.command import run
from tests.durability.process import WAIT_S, until

NAMES_A_PLACE = {
    "--keys": ["policy", "keys make", "keys list", "keys rotate log", "serve", "restore", "witness"],
    "--database": ["serve", "restore", "db upgrade", "ledger check", "witness"],
    "--folder": ["demo"],
    "--out": ["ledger convert month --to csv"],
    "--logs": ["witness --name w.example"],
    "--host": ["serve", "witness --name w.example --logs logs.txt"],
    "DIR": ["audit export --url http://127.0.0.1:9", "ledger convert --to csv --out x.csv"],
    "FILE": ["audit signs"],
}


@pytest.mark.parametrize("path", ["", " \t"])
def test_an_empty_text_is_not_the_working_directory_nor_every_address(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what a script gives whose variable is not set."""
    monkeypatch.chdir(tmp_path)
    for named, lines in NAMES_A_PLACE.items():
        for line in lines:
            words = [*line.split(), *([named] if named.startswith("--") else []), path]
            done = CliRunner().invoke(app, words)
            assert (done.exit_code, done.stdout) == (2, ""), line
            assert f"Invalid value for '{named}': an empty " in done.stderr, line
    for name in ("KEYS", "DATABASE", "LOG_COPY", "WITNESSES"):
        told = run("keys", "make", **{f"FAIRDEAL_{name}": path})
        assert (told.returncode, told.stdout) == (1, "")
        assert told.stderr.startswith(f"fairdeal: malformed: settings: FAIRDEAL_{name}: an empty path")
    assert list(tmp_path.iterdir()) == []


def test_a_witness_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    logs = tmp_path / "logs.txt"
    logs.write_text(format_policy([VerifierKey("a.log", SigningKey.from_seed(bytes(32)).public)]))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        home = ["--port", port, "--keys", tmp_path / "keys", "--database", tmp_path / "deep/witness.db"]
        given = [(name, logs) for name in ("two words", "a+b", "", "w.example")]
        given += [("w.example", wrong) for wrong in (tmp_path, tmp_path / "none", Path(sys.executable))]
        codes = []
        for name, policy in given:
            done = CliRunner().invoke(app, [*map(str, ("witness", "--name", name, "--logs", policy, *home))])
            assert isinstance(done.exception, FairdealError)
            codes.append(done.exception.code)
            assert list(tmp_path.iterdir()) == [logs]
    assert codes == ["malformed"] * 3 + ["address_refused"] + ["malformed"] * 3


@pytest.mark.parametrize("kind", ["a directory", "a text"])
def test_a_service_on_what_is_no_database_leaves_nothing(kind: str, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir() if kind == "a directory" else there.write_text("a text of somebody's\n" * 100)
    with pytest.raises((OSError, StoreFailed)):
        serve_until_stopped("127.0.0.1", 1, there, None, tmp_path / "keys", None)
    assert [*tmp_path.rglob("*")] == [there]


@pytest.mark.parametrize("option", ["--database", "--database-url"])
def test_a_restore_of_nothing_leaves_nothing(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("restore", option, "none.db")
    assert (done.returncode, done.stdout) == (1, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", [".", "/", "there"])
def test_books_are_a_file(out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    done = run("ledger", "convert", "month", "--to", "csv", "--out", out)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"fairdeal: file_refused: {out}: Is a directory\n")
    assert [*tmp_path.rglob("*")] == [tmp_path / "there"]


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file that is open already the system tells no name."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("fairdeal.cli.ledger.read_journal", full)
    done = run("ledger", "convert", tmp_path, "--to", "csv", "--out", tmp_path / "x.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "fairdeal: file_refused: No space left on device\n"
    assert list(tmp_path.iterdir()) == []


def test_records_without_a_line_end(tmp_path: Path) -> None:
    """Not read whole: it may be a device."""
    (tmp_path / "zeros").write_bytes(bytes(1 << 20))
    done = run("audit", "signs", tmp_path / "zeros")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"fairdeal: malformed: {tmp_path / 'zeros'}, line 1: not the record of a match\n"


@pytest.mark.soak
def test_a_demo_that_is_stopped_stops_its_service(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fairdeal", "demo", "--folder", str(tmp_path)]
    demo = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = tmp_path / "server.log"
    until(lambda: log.exists() and b'"listening"' in log.read_bytes())
    (port,) = (line["port"] for line in map(json.loads, log.read_text().splitlines()) if line["message"] == "listening")
    demo.send_signal(signal.SIGTERM)
    assert demo.wait(WAIT_S) == 128 + signal.SIGTERM
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), WAIT_S)
