"""`fairdeal-verify audit` as it is called: a directory or a URL, in both languages, with every exit code."""

import json
import os
import re
import runpy
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from fairdeal_verifier import cli
from fairdeal_verifier.audit import findings, words
from tests.verifier.builder import target
from tests.verifier.house import TERMS, House, house, matches
from tests.verifier.house_faults import PLANTS
from tests.verifier.logged import NEXT_LOG_KEY, Log, policy_text

TOKEN = "an-auditors-token"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    house().write(tmp_path / "log")
    (tmp_path / "policy").write_text(policy_text())
    (tmp_path / "other").write_text(policy_text((NEXT_LOG_KEY,)))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = cli.main(["audit", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_first_audit_and_the_next(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = (folder / "log", "--policy", folder / "policy", "--keep", folder / "kept")
    code, out, err = run(capsys, *given, "--lang", "en")
    assert (code, err) == (13, "")
    assert out.splitlines()[-1].startswith("unchecked: everything agrees, but by the operator’s word alone")
    assert (folder / "kept").read_bytes() == (folder / "log/checkpoint").read_bytes()
    code, out, _ = run(capsys, *given, "--since", folder / "kept", "--lang", "fr")
    assert code == 0
    assert out.splitlines()[-1] == "verified: vérifiée, tout le journal est en règle ; 38 feuilles, 8 parties."


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, folder / "log", "--policy", folder / "policy", "--json", "--lang", "en")
    told = json.loads(out)
    assert code == 13
    assert set(told) == {
        "format", "verdict", "cause", "origin", "checkpoint", "since", "signatures", "counts", "findings", "faults",
        "questions", "sentence",
    }  # fmt: skip
    assert (told["format"], told["verdict"], told["cause"]) == ("fairdeal/audit@1", "unchecked", "no_anchor")
    assert told["checkpoint"]["size"] == 38
    assert told["counts"] == {
        "checkpoints": 10, "closed": 8, "events": 413, "leaves": 38, "matches": 8, "replayed": 8, "resumed": 0,
        "signatures": 339, "skipped": 0, "transactions": 32,
    }  # fmt: skip
    assert set(told["questions"]) == {
        "accounts",
        "backwards",
        "endings",
        "lost",
        "not_closed",
        "seen",
        "unsigned",
        "void",
    }


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", PLANTS)
def test_a_finding_is_told(name: str, language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code_of, detail, plant = PLANTS[name]
    plant(house()).write(tmp_path)
    (tmp_path / "policy").write_text(policy_text((House().log.key, NEXT_LOG_KEY)))
    given = (tmp_path, "--policy", tmp_path / "policy", "--lang", language, "--keep", tmp_path / "kept")
    code, out, _ = run(capsys, *given)
    assert code == 10
    assert out.splitlines()[-1].startswith("cheated: ")
    [told] = [line for line in out.splitlines() if line.startswith(f"  {code_of}: ")]
    assert words.CODES[code_of][language == "fr"] in told
    assert findings.DETAILS[detail][language == "fr"].split("{")[0] in told
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_everything_to_ask_about_is_told(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = house()
    late = target(90, target=40, **TERMS)
    late.events[0]["t"] -= 3_600_000
    made.open(late)
    made.write(tmp_path)
    (tmp_path / "keys.jsonl").unlink()
    code, out, _ = run(capsys, tmp_path, "--policy", _policy(tmp_path), "--lang", language, "--signatures", "last")
    assert code == 15
    french = language == "fr"
    for key in ("not_closed", "endings", "accounts", "void", "backwards", "faults", "last"):
        assert words.WORDS[key][french].split("{")[0] in out, key
    assert "1 h" in out
    assert "keys.jsonl" in out


def _policy(folder: Path) -> Path:
    path = folder / "policy"
    path.write_text(policy_text())
    return path


def test_words_are_there_in_both_languages() -> None:
    for english, french in [*words.WORDS.values(), *words.CODES.values(), *findings.DETAILS.values()]:
        assert english
        assert french
        assert sorted(re.findall(r"{\d?}", english)) == sorted(re.findall(r"{\d?}", french))


def test_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign, unsigned = Log(), Log(NEXT_LOG_KEY)
    (folder / "foreign").write_text(foreign.checkpoint(0, origin="other.example"))
    (folder / "unsigned").write_text(unsigned.checkpoint(0))
    (folder / "junk").write_text("junk\n")
    (folder / "token").write_bytes(b"two\nlines")
    log, policy = folder / "log", folder / "policy"
    for given, said in (
        ((folder / "nowhere",), "neither a directory nor an address"),
        ((log, "--policy", folder / "nowhere"), "there is no file"),
        ((log, "--policy", folder / "junk"), "policy"),
        ((log, "--policy", policy, "--since", folder / "junk"), "is not a checkpoint"),
        ((log, "--policy", policy, "--since", folder / "foreign"), "of another log"),
        ((log, "--policy", policy, "--since", folder / "unsigned"), "not signed by a log key"),
        ((log, "--policy", policy, "--state", folder / "junk"), "notes of an audit"),
        ((log, "--policy", policy, "--token-file", folder / "token"), "holds no token"),
        ((log, "--policy", policy, "--keep", folder / "nowhere/kept"), "cannot be written"),
    ):
        code, _, err = run(capsys, *given, "--lang", "en")
        assert (code, said in err) == (2, True), (given, err)


@pytest.mark.parametrize(
    "changed",
    [
        {"players": "ab"}, {"lines": [["pot"]]}, {"seen": [[1, "2", "00"]]}, {"resumes": [[1]]}, {"seats": "2"},
        {"stake": None}, {"fault": [1]}, {"fault": ["1", "leaf", None]}, {"receipt_key": "zz"}, {"receipt_key": 7},
        {"more": 1}, {"key": ["of", "a", "match"]},
    ],
)  # fmt: skip
def test_notes_of_another_form(changed: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = (folder / "log", "--policy", folder / "policy", "--state", folder / "notes", "--lang", "en")
    run(capsys, *given)
    first, *others = (folder / "notes").read_text().splitlines()
    notes = "\n".join([json.dumps(json.loads(first) | changed), *others, ""])
    (folder / "notes").write_text(notes)
    code, _, err = run(capsys, *given)
    assert (code, "notes of an audit" in err) == (2, True), err
    assert (folder / "notes").read_text() == notes
    (folder / "notes").write_text("[" * 100_000 + "\n")
    assert run(capsys, *given)[0] == 2


def test_exit_codes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = folder / "log"
    assert run(capsys, log)[0] == 13
    assert run(capsys, log, "--policy", folder / "other")[0] == 13
    (log / "checkpoint").write_text("junk")
    code, _, err = run(capsys, log, "--policy", folder / "policy", "--lang", "en", "--keep", folder / "kept")
    assert (code, err) == (15, f"fairdeal-verify: the checkpoint is not kept in {folder / 'kept'}\n")
    assert not (folder / "kept").exists()


# Over HTTP.


class Web(ThreadingHTTPServer):
    """The log under /log, for those who have the token; answers as it is told before that."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.busy = 0
        self.dripping = threading.Event()
        self.private: tuple[str, ...] = ("/",)
        self.redirect: str | None = None
        self.listing: Callable[[int], bytes] | None = self.sizes
        self.seen: list[tuple[str, str | None]] = []

    def sizes(self, since: int) -> bytes:
        """Three at a time."""
        sizes = sorted(int(path.name) for path in (self.folder / "checkpoints").iterdir())
        return "".join(f"{size}\n" for size in [size for size in sizes if size > since][:3]).encode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/log"


class _Handler(BaseHTTPRequestHandler):
    server: Web

    def do_GET(self) -> None:
        authorization = self.headers.get("Authorization")
        self.server.seen.append((self.path, authorization))
        path = self.server.folder / self.path.removeprefix("/log/")
        if self.server.dripping.is_set():
            self._drip()
        elif self.server.busy:
            self.server.busy -= 1
            self._answer(503)
        elif self.server.redirect is not None:
            self._answer(302, location=self.server.redirect + self.path)
        elif self.path.startswith(self.server.private) and authorization != f"Bearer {TOKEN}":
            self._answer(401)
        elif "?since=" in self.path and self.server.listing is not None:
            self._answer(200, self.server.listing(int(self.path.partition("=")[2])))
        elif path.is_file():
            self._answer(200, path.read_bytes())
        else:
            self._answer(404)

    def _drip(self) -> None:
        while self.server.dripping.is_set():
            self.wfile.write(b"H")
            time.sleep(0.05)

    def _answer(self, code: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def serve(folder: Path) -> Iterator[Web]:
    with Web(folder) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def web(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    monkeypatch.setattr("fairdeal_verifier.audit.source.PAUSES_S", (0.0, 0.0))
    monkeypatch.setenv("FAIRDEAL_AUDITOR_TOKEN", TOKEN)
    yield from serve(folder / "log")


@pytest.mark.parametrize(
    ("language", "says"),
    [("en", "there is no log here: it has no file “checkpoint”"), ("fr", "il n’y a pas de journal ici : ")],
)
def test_where_no_log_is(language: str, says: str, folder: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    """No file is missing of what never was a log: an export that is not finished, or an address without /log."""
    (folder / "log" / "checkpoint").unlink()
    given = ("--policy", folder / "policy", "--lang", language)
    code, out, err = run(capsys, folder / "log", *given)
    assert (code, out) == (2, "")
    assert err.startswith(f"fairdeal-verify: {says}")
    for address in (web.url, web.url.removesuffix("/log")):
        assert run(capsys, address, *given) == (2, "", err)


def test_a_url(folder: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    here = run(capsys, folder / "log", "--policy", folder / "policy", "--json")
    there = run(capsys, web.url + "/", "--policy", folder / "policy", "--json", "--jobs", "2")
    assert there == here
    assert len([path for path, _ in web.seen if "/log/checkpoints/" in path]) == 9
    assert all(authorization == f"Bearer {TOKEN}" for _, authorization in web.seen)


@pytest.mark.parametrize(
    "listing", [None, lambda since: b"<html></html>", lambda since: b"3\n2\n", lambda since: b"9999999\n"]
)
def test_an_archive_that_is_not_listed(
    listing: Callable[[int], bytes] | None, folder: Path, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    web.listing = listing
    code, out, _ = run(capsys, web.url, "--policy", folder / "policy", "--json")
    assert code == 13
    assert json.loads(out)["counts"]["checkpoints"] == 1


def test_a_service_that_goes_on(folder: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    """Its archive and its tiles are ahead of the checkpoint that was read."""
    newest = (folder / "log/checkpoint").read_bytes()
    made = house()
    made.add(target(80, target=40, **TERMS))
    made.ledger()
    made.write(folder / "log")
    (folder / "log/checkpoint").write_bytes(newest)
    assert (
        run(capsys, web.url, "--policy", folder / "policy", "--since", folder / f"log/checkpoints/{min(made.signed)}")[
            0
        ]
        == 0
    )


def test_a_server_that_drips_bytes_is_left(
    folder: Path, web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fairdeal_verifier.audit.source.FILE_S", 1.0)
    web.dripping.set()
    code, _, err = run(capsys, web.url, "--policy", folder / "policy", "--lang", "en")
    web.dripping.clear()
    assert (code, err) == (14, "fairdeal-verify: checkpoint could not be fetched: not whole after 1 s\n")
    assert len(web.seen) == 1


def test_a_token_from_a_file(
    folder: Path, web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FAIRDEAL_AUDITOR_TOKEN")
    code, _, err = run(capsys, web.url, "--policy", folder / "policy", "--lang", "en")
    why = "HTTP 401, the auditor’s token is missing or not the right one"
    assert (code, err) == (14, f"fairdeal-verify: checkpoint could not be fetched: {why}\n")
    (folder / "token").write_text(TOKEN + "\n")
    assert run(capsys, web.url, "--policy", folder / "policy", "--token-file", folder / "token")[0] == 13


def test_without_the_token_nothing_is_replayed_in_vain(
    folder: Path, web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log itself is public."""
    monkeypatch.delenv("FAIRDEAL_AUDITOR_TOKEN")
    web.private = ("/log/ledger/", "/log/seats/")
    assert run(capsys, web.url, "--policy", folder / "policy")[0] == 14
    assert web.seen[-1] == ("/log/ledger/0.jsonl", None)
    assert not [path for path, _ in web.seen if "matches" in path]


def test_a_busy_server_is_asked_again(folder: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    web.busy = 2
    assert run(capsys, web.url, "--policy", folder / "policy")[0] == 13
    web.busy = 3
    assert run(capsys, web.url, "--policy", folder / "policy")[0] == 14


def test_a_server_that_is_not_there(folder: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    url = web.url
    web.shutdown()
    web.server_close()
    code, out, err = run(capsys, url, "--policy", folder / "policy", "--lang", "fr", "--keep", folder / "kept")
    assert (code, out) == (14, "")
    assert "n’a pas pu être lu" in err
    assert not (folder / "kept").exists()


def test_what_a_server_does_not_have_is_missing(folder: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / f"log/matches/{matches()[0].m}.jsonl").unlink()
    code, out, _ = run(capsys, web.url, "--policy", folder / "policy", "--json")
    assert code == 15
    assert [(fault["code"], fault["path"]) for fault in json.loads(out)["faults"]] == [
        ("missing", f"matches/{matches()[0].m}.jsonl")
    ]


def test_a_list_of_checkpoints_without_end_is_read_as_far_as_the_log(
    folder: Path, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = []

    def endless(since: int) -> bytes:
        assert len(listed) < 100
        listed.append(since)
        return b"".join(b"%d\n" % (since + number) for number in range(1, 8))

    web.listing = endless
    assert run(capsys, web.url, "--policy", folder / "policy")[0] == 15
    assert listed[-1] < int((folder / "log/checkpoint").read_text().split("\n")[1])


def test_the_token_goes_to_no_other_host(folder: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    for other in serve(folder / "log"):
        web.redirect = f"http://localhost:{other.server_port}"
        assert run(capsys, web.url, "--policy", folder / "policy")[0] == 14
        assert other.seen == [("/log/checkpoint", None)]


def test_progress_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("fairdeal_verifier.audit.pool.Progress.EVERY_S", 0.0)
    monkeypatch.setattr("fairdeal_verifier.audit.pool.BATCH", 4)
    _, _, err = run(capsys, folder / "log", "--jobs", "1", "--lang", "en")
    assert err == "4 of 8 matches read\n8 of 8 matches read\n"


def test_the_verifier_as_one_file_audits_with_processes(folder: Path) -> None:
    program = folder / "fairdeal-verify.pyz"
    runpy.run_path(str(Path(cli.__file__).parents[1] / "build_pyz.py"))["build"](program)
    made = House()
    for number in range(20):
        made.open(target(100 + number, target=1, **TERMS))
    made.write(folder / "many")
    command = [sys.executable, "-I", "-S", str(program), "audit", "many", "--policy", "policy", "--jobs", "2", "--json"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=600, env={**os.environ}
    )
    assert (done.returncode, done.stderr) == (13, "")
    assert json.loads(done.stdout)["counts"]["matches"] == 20
