"""What answers in the service's place: a command tells that it failed, and nothing of it as a result."""

import json
import subprocess
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from fairdeal.cli import answers
from tests.api.table import OPERATOR
from tests.cli.command import run

AUDITOR: Final = "auditor-token-of-the-tests"
ID: Final = "0" * 32
JSON: Final = {"Content-Type": "application/json"}
MONEY: Final = {"transaction": "deposit:1", "amount": 5, "asset": "JETON", "exponent": 0, "balance": 5}
WITHDRAWAL: Final = {"id": ID, "amount": 5, "asset": "JETON", "exponent": 0}

COMMANDS: Final[dict[str, dict[str, Any] | None]] = {
    f"operator deposit {ID} 5 --reference transfer-4711": MONEY,
    f"operator reverse deposit:{ID} --reason twice": MONEY,
    "operator withdrawals": {"withdrawals": [WITHDRAWAL | {"account": ID, "asked_at": 0}], "cursor": None},
    f"operator pay {ID}": WITHDRAWAL | {"status": "paid"},
    f"operator stop {ID} --reason x": {"off": [{"account": ID, "reason": "x"}]},
    "operator stopped": {"off": [{"account": None, "reason": "x"}]},
    f"operator reset {ID} --reason x": {"recovery_code": "x"},
    f"operator erase {ID} --reason x": None,
    f"operator void {ID}": {"status": "ended"},
    f"audit identify {ID} --reason x": {"account": ID, "name": "alice", "m": ID, "seat": 0},
    "audit matches": {"matches": [{"opened_at": 0}], "cursor": None},
    "audit matches --month 2026-11": {"matches": [{"opened_at": 1_793_500_000_000}], "cursor": None},
}
"""Each with an answer that it takes; None for one without a body."""

RUBBISH: Final = {
    "a page": (200, {"Content-Type": "text/html"}, b"<h1>It works!</h1>"),
    "a page that nothing is there": (404, {"Content-Type": "text/html"}, b"<h1>Not found</h1>"),
    "a fault": (500, {"Content-Type": "text/html"}, b"<h1>Oops</h1>"),
    "a way to somewhere else": (302, {"Location": "https://elsewhere.example/"}, b""),
    "nothing": (200, JSON, b""),
    "no object": (200, JSON, b"[]"),
    "an empty object": (200, JSON, b"{}"),
    "a nest": (200, JSON, b"[" * 100_000),
    "no coding": (200, JSON | {"Content-Encoding": "gzip"}, b"{}"),
    "no text": (200, JSON, b'{"status":"\xff'),
    "no problem": (409, {"Content-Type": "application/problem+json"}, b'{"code":[],"detail":{},"faults":[7]}'),
}


@dataclass
class Impostor:
    """What answers every call with the same."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: JSON)
    body: bytes = b""

    def answer(self, _: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(self.status, headers=self.headers, stream=httpx2.ByteStream(self.body))


@pytest.fixture
def impostor(monkeypatch: pytest.MonkeyPatch) -> Impostor:
    """Behind every address."""
    made, client = Impostor(), httpx2.Client

    def connected(**named: Any) -> httpx2.Client:
        return client(**named | {"transport": httpx2.MockTransport(made.answer)})

    monkeypatch.setattr(httpx2, "Client", connected)
    return made


def say(words: str, url: str = "http://127.0.0.1:9") -> subprocess.CompletedProcess[str]:
    return run(*words.split(), "--url", url, FAIRDEAL_OPERATOR_TOKEN=OPERATOR, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)


@pytest.mark.parametrize("rubbish", RUBBISH.values(), ids=RUBBISH.keys())
def test_rubbish_is_no_result(rubbish: tuple[int, dict[str, str], bytes], impostor: Impostor, tmp_path: Path) -> None:
    impostor.status, impostor.headers, impostor.body = rubbish
    for words in (*COMMANDS, f"audit export {tmp_path / 'month'}"):
        done = say(words)
        assert (done.returncode, done.stdout) == (1, ""), words
        assert done.stderr.startswith("fairdeal: "), words
        assert not list(tmp_path.iterdir()), words


NO_FACTS: Final = ([], 1.5, "\x1b[2J", "\ud800")


@pytest.mark.parametrize(("words", "taken"), COMMANDS.items(), ids=COMMANDS.keys())
def test_an_answer_has_the_members_that_are_told(words: str, taken: dict[str, Any] | None, impostor: Impostor) -> None:
    """Every one of them, of its type, in characters that a terminal does not obey."""
    impostor.status, impostor.headers = 204 if taken is None else 200, JSON
    impostor.body = b"" if taken is None else json.dumps(taken).encode()
    if not words.startswith("audit matches"):  # written in bytes, which `run` does not take
        assert say(words).returncode == 0
    if taken is None:
        return
    told = next((value[0] for value in taken.values() if isinstance(value, list)), taken)
    for (member, value), other in zip([*told.items()], cycle(NO_FACTS), strict=False):
        told[member] = other
        impostor.body = json.dumps(taken).encode()
        done = say(words)
        assert (done.returncode, done.stdout) == (1, ""), (member, other)
        assert done.stderr.startswith("fairdeal: not_of_its_form: "), (member, other)
        told[member] = value


def test_the_service_answers_what_is_asked_of_it() -> None:
    """By its description, with every member there always."""
    api = json.loads((Path(__file__).parents[2] / "openapi/fairdeal.v1.json").read_text("utf-8"))
    forms: dict[type[answers.Answer], tuple[str, ...]] = {
        answers.Moved: ("DepositOut", "ReversalOut"),
        answers.Pending: ("PendingWithdrawalOut",),
        answers.Withdrawal: ("WithdrawalOut",),
        answers.Stopped: ("StoppedOut",),
        answers.Switches: ("SwitchesOut",),
        answers.Reset: ("RecoveryOut",),
        answers.Table: ("TableOut",),
        answers.Identity: ("IdentityOut",),
        answers.Opened: ("MatchRecordOut",),
    }
    for form, schemas in forms.items():
        for schema in schemas:
            assert form.model_fields.keys() <= {*api["components"]["schemas"][schema]["required"]}, schema


def test_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal.client.api._FIRST_PAUSE_S", 0)
    for words in ("operator stopped", f"audit export {tmp_path / 'month'}"):
        done = say(words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("fairdeal: unreachable: ")
        assert list(tmp_path.iterdir()) == []
