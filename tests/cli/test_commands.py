"""The small commands: what they print, where, and how they end."""

import os
import socket
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from pydantic import ValidationError
from pydantic_settings import SettingsError

from fairdeal.cli.operator import check_directory
from fairdeal.errors import StoreFailed
from fairdeal.keyfiles import LOG_KEY, write_key
from fairdeal.keys import SigningKey
from fairdeal.settings import Settings
from fairdeal.tlog import Policy, VerifierKey, format_policy
from tests.cli.command import run, run_process


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    write_key(tmp_path / LOG_KEY, b"\x07" * 32)
    return tmp_path


def test_policy_lists_the_log_key_under_the_logs_name(keys: Path) -> None:
    done = run("policy", "--keys", keys, FAIRDEAL_LOG="example.org/fairdeal")
    assert (done.returncode, done.stderr) == (0, "")
    (log,) = Policy.parse(done.stdout.encode()).logs
    assert (log.key.name, log.key.public) == (
        "example.org/fairdeal",
        SigningKey.from_seed(b"\x07" * 32).public,
    )


def test_policy_takes_the_environments_keys(keys: Path) -> None:
    assert run("policy", FAIRDEAL_KEYS=str(keys)).stdout == run("policy", "--keys", keys).stdout


@pytest.mark.parametrize("content", [None, "", "07" * 31, "zz" * 32])
def test_policy_without_a_key(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / LOG_KEY).write_text(content)
        (tmp_path / LOG_KEY).chmod(0o600)
    done = run("policy", "--keys", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fairdeal: key_refused: ")
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr


def test_policy_with_a_key_open_to_others(keys: Path) -> None:
    (keys / LOG_KEY).chmod(0o644)
    done = run("policy", "--keys", keys)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fairdeal: key_refused: ")
    assert "chmod 600" in done.stderr


def test_settings_that_do_not_fit(keys: Path) -> None:
    done = run("policy", "--keys", keys, FAIRDEAL_LOG="two words")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fairdeal: malformed: settings: FAIRDEAL_LOG: ")


WRITTEN_AS_JSON = sorted(name for name, field in Settings.model_fields.items() if field.examples)


@pytest.mark.parametrize("name", WRITTEN_AS_JSON)
def test_a_setting_that_cannot_be_read(name: str, keys: Path) -> None:
    """Told in a line by its variable, in its form, and without what stands in it, which may be secret."""
    variable = f"FAIRDEAL_{name.upper()}"
    [form] = Settings.model_fields[name].examples or [""]
    for unreadable in ("whsec_c2VjcmV0", "", "{"):
        done = run("policy", "--keys", keys, **{variable: unreadable})
        told = f"fairdeal: malformed: settings: {variable} is to be JSON, such as {form}\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", told)
    readable = form.replace("…", "c2VjcmV0" * 4)
    assert run("policy", "--keys", keys, **{variable: readable}).returncode == 0


def test_whatever_is_written_as_json_shows_its_form(monkeypatch: pytest.MonkeyPatch) -> None:
    unreadable = []
    for name in Settings.model_fields:
        with monkeypatch.context() as patched:
            patched.setenv(f"FAIRDEAL_{name.upper()}", "{")
            try:
                Settings()
            except SettingsError:
                unreadable.append(name)
            except ValidationError:
                pass
    assert sorted(unreadable) == WRITTEN_AS_JSON


@pytest.mark.parametrize(
    "line",
    ["serve", "restore", "ledger check", "db upgrade", "keys list", "operator stopped --url=http://127.0.0.1:9"],
)
def test_every_command_tells_of_a_setting_that_cannot_be_read(line: str) -> None:
    done = run(*line.split(), FAIRDEAL_TRUSTED_PROXIES="127.0.0.0/8")
    told = 'fairdeal: malformed: settings: FAIRDEAL_TRUSTED_PROXIES is to be JSON, such as ["127.0.0.0/8"]\n'
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


def test_settings_that_do_not_fit_each_other(keys: Path) -> None:
    done = run("policy", "--keys", keys, FAIRDEAL_FEES__COMMISSION_BP="9000", FAIRDEAL_FEES__TAX_BP="2000")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "fairdeal: malformed: settings: commission and tax together take at most the whole pot\n"


def test_an_address_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = run("serve", "--port", port, "--database", tmp_path / "x.db", "--keys", tmp_path / "keys")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == f"fairdeal: address_refused: cannot listen on 127.0.0.1, port {port}"
    assert done.stderr.splitlines()[1].startswith("hint: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("audit signs {0}/none.jsonl", "none.jsonl: No such file or directory"),
        ("audit signs {0}", ": Is a directory"),
        ("db upgrade --database {0}", ": Is a directory"),
        ("keys make --keys {0}/file", "file: File exists"),
    ],
)
def test_a_file_that_cannot_be_used(line: str, named: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run(*line.format(tmp_path).split())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fairdeal: file_refused: ")
    assert done.stderr.endswith(f"{named}\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["ledger check", "restore", "db upgrade"])
@pytest.mark.parametrize("name", ["x.db", "none/x.db", "empty.db"])
def test_a_database_that_is_not_there_is_not_made(command: str, name: str, tmp_path: Path) -> None:
    """Made anew, its books would hold, and a log would go on in it without the money."""
    (tmp_path / "empty.db").touch(0o644)
    done = run(*command.split(), "--database", tmp_path / name, FAIRDEAL_KEYS=str(tmp_path / "keys"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"fairdeal: store_failed: there is no database {tmp_path / name}"
    assert {path.name for path in tmp_path.iterdir()} <= {"empty.db", "keys"}


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        *product(("ledger check", "restore", "db upgrade"), ("a text", "another program's", "one that is in use")),
        ("serve", "another program's"),
        ("witness", "another program's"),
    ],
)
def test_somebody_elses_file_is_left_as_it_is(command: str, kind: str, tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "home/other.db"
    home.mkdir()
    with closing(sqlite3.connect(other)) as database, socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        line = [*command.split(), "--database", other]
        if command in ("serve", "witness"):
            line += ["--port", str(holder.getsockname()[1]), "--keys", tmp_path / "keys"]
        if command == "witness":
            (tmp_path / "logs.txt").write_text(
                format_policy([VerifierKey("a.log", SigningKey.from_seed(bytes(32)).public)])
            )
            line += ["--name", "w.example", "--logs", tmp_path / "logs.txt"]
        if kind == "a text":
            other.write_text("a text of somebody's\n" * 100)
        else:
            database.execute(f"PRAGMA journal_mode = {'WAL' if kind == 'one that is in use' else 'DELETE'}")
            database.execute("CREATE TABLE cats (name TEXT)")
        other.chmod(0o644)
        before = {path: path.name.endswith("-shm") or path.read_bytes() for path in home.iterdir()}
        done = run(*line, FAIRDEAL_KEYS=str(tmp_path / "keys"))
        assert (done.returncode, done.stdout) == (1, ""), done.stderr
        assert done.stderr.splitlines()[-1].startswith(f"fairdeal: store_failed: {other} is no ")
        assert {path: path.name.endswith("-shm") or path.read_bytes() for path in home.iterdir()} == before
        assert stat.S_IMODE(other.stat().st_mode) == 0o644


def test_a_directory_that_was_named_is_not_made_for_a_database(tmp_path: Path) -> None:
    done = run("serve", "--database", tmp_path / "farideal/x.db", "--keys", tmp_path / "keys")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"fairdeal: store_failed: there is no directory {tmp_path / 'farideal'}: mend the database's path, or make it\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_usual_directory_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`make serve` in a fresh clone."""
    monkeypatch.chdir(tmp_path)
    usual = Settings().database
    check_directory(usual, usual)
    with pytest.raises(StoreFailed):
        check_directory(usual.with_name("x.db"), usual)


def test_without_the_servers_packages(tmp_path: Path) -> None:
    """A player who has fairdeal[client] is told what the command needs."""
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(name='typer')\n")
    done = run_process(["--version"], os.environ | {"PYTHONPATH": str(tmp_path)})
    assert (done.returncode, done.stdout) == (1, "")
    assert "needs typer" in done.stderr
    assert "import fairdeal.client" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_language_that_is_not_spoken() -> None:
    assert "'de' is neither fr nor en" in run("demo", "--lang", "de").stderr


@pytest.mark.parametrize("arguments", [["demo", "--lang", "de"], ["play"], ["serve", "--port", "0"], ["policy", "x"]])
def test_wrong_usage(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: fairdeal" in done.stderr


@pytest.mark.parametrize("command", ["demo", "serve", "policy"])
def test_help(command: str) -> None:
    assert command in run("--help").stdout
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"Usage: fairdeal {command}" in done.stdout


def test_version() -> None:
    done = run("--version")
    assert done.stdout == "fairdeal 0.1.0\n"
    real = run_process(["--version"], dict(os.environ))
    assert (real.returncode, real.stdout, real.stderr) == (done.returncode, done.stdout, done.stderr)


def test_small_commands_load_no_framework() -> None:
    code = "import sys, fairdeal.cli; print({'fastapi', 'sqlmodel', 'httpx2', 'pydantic'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_keys_are_made_once_and_replaced_without_loss(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    made = run("keys", "make", "--keys", keys)
    assert (made.returncode, made.stdout) == (0, "")
    written = {path.name: path.read_text() for path in keys.iterdir()}
    assert written.keys() == {"log.key", "receipts.key", "sealing.key"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (keys, *keys.iterdir())} == {0o700, 0o600}
    again = run("keys", "make", "--keys", keys)
    assert again.returncode == 0
    assert {path.name: path.read_text() for path in keys.iterdir()} == written
    for name in ("log", "receipts", "sealing"):
        for _ in range(2):
            rotated = run("keys", "rotate", name, "--keys", keys)
            assert rotated.returncode == 0
            assert "At the next start" in rotated.stderr
    now = [path.read_text() for path in keys.iterdir()]
    assert len(set(now)) == 9
    assert set(now) >= set(written.values())
    listed = run("keys", "list", "--keys", keys, FAIRDEAL_LOG="example.org/fairdeal")
    lines = [line.split() for line in listed.stdout.splitlines()]
    assert [(line[0], line[-2]) for line in lines] == [
        (name, use) for name in ("log", "receipts", "sealing") for use in ("use", "retired", "retired")
    ]
    for secret in now:
        assert secret.strip() not in made.stderr + rotated.stdout + rotated.stderr + listed.stdout
    current = SigningKey.from_seed(bytes.fromhex((keys / "log.key").read_text()))
    assert VerifierKey.parse(lines[0][-1]) == VerifierKey("example.org/fairdeal", current.public)


def test_there_is_no_key_to_replace(tmp_path: Path) -> None:
    done = run("keys", "rotate", "log", "--keys", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fairdeal: key_refused: ")
    assert "hint: `fairdeal keys make`" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_production_asks_for_keys_to_be_made(tmp_path: Path) -> None:
    done = run(
        *("serve", "--port", "1024", "--database", tmp_path / "x.db", "--keys", tmp_path),
        FAIRDEAL_ENVIRONMENT="production",
        FAIRDEAL_ORIGIN="https://play.example",
        FAIRDEAL_LOG="play.example",
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "hint: `fairdeal keys make`" in done.stderr


def test_production_asks_for_the_logs_name(keys: Path) -> None:
    """Or the first checkpoint would be signed for ever under a name that everybody has."""
    production = {"FAIRDEAL_ENVIRONMENT": "production", "FAIRDEAL_ORIGIN": "https://play.example"}
    done = run("policy", "--keys", keys, **production)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("fairdeal: malformed: settings: in production the log is named by FAIRDEAL_LOG")
    assert run("policy", "--keys", keys, FAIRDEAL_LOG="play.example", **production).returncode == 0


def test_a_policy_file_that_is_none_is_named(keys: Path) -> None:
    path = keys / "witnesses.txt"
    path.write_text("quorum nobody\n")
    expected = f"fairdeal: malformed: {path}: line 1 of the policy: "
    assert run("policy", "--keys", keys, FAIRDEAL_WITNESSES=str(path)).stderr.startswith(expected)
    witness = run("witness", "--name", "w.example", "--logs", path, "--keys", keys, "--database", keys / "w.db")
    assert (witness.returncode, witness.stdout) == (1, "")
    assert witness.stderr.startswith(expected)
    assert not (keys / "w.db").exists()


def test_the_help_of_policy_tells_of_witnesses() -> None:
    assert "FAIRDEAL_WITNESSES" in run("policy", "--help").stdout
