"""The operator's handbook, as it stands there, on a running service: its first session, and `fairdeal operator`."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fairdeal.cli import app, arguments
from fairdeal.cli.faults import told
from fairdeal.client import Api, ApiError
from fairdeal.errors import Unauthenticated
from fairdeal.ids import ASSET_CODE
from fairdeal.limits import MAX_STAKE
from tests.api.serving import served
from tests.api.table import OPERATOR, Service, start_two
from tests.cli.command import run

HANDBOOK = (Path(__file__).parents[2] / "docs" / "operating.md").read_text("utf-8")
AUDITOR = "auditor-token-of-the-tests"
COMMANDS = re.findall(r"^fairdeal (operator .*)$", HANDBOOK, re.MULTILINE)


@pytest.fixture
def service(tmp_path: Path) -> Service:
    """Closed by who serves it."""
    return Service(tmp_path / "service", {"auditor_token": AUDITOR})


@pytest.fixture
def url(service: Service) -> Iterator[str]:
    with served(service) as address:
        yield address


CURL = """
import sys
from urllib.request import Request, urlopen

headers, data, words = {}, None, iter(sys.argv[1:])
for word in words:
    if word == "-H":
        name, _, headers[name] = next(words).partition(": ")
    elif word == "-d":
        data = next(words).encode()
    elif word != "-s":
        url = word
print(urlopen(Request(url, data, headers)).read().decode())
"""
"""As much of it as the handbook uses: a machine that tests need not have the program."""


def test_the_first_session(service: Service, url: str, tmp_path: Path) -> None:
    (session,) = re.findall(r"```sh\n(export [^\n]*\napi=.*?)```", HANDBOOK, re.DOTALL)
    (tmp_path / "curl.py").write_text(CURL)
    curl = f'curl() {{ {sys.executable} {tmp_path / "curl.py"} "$@"; }}\n'
    script = curl + session.replace("http://127.0.0.1:8000", url).replace("a-long-secret-of-your-own", OPERATOR)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FAIRDEAL_")}
    command = ["sh", "-ec", script]
    (tmp_path / "var").mkdir()
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads((tmp_path / "var" / "alice.json").read_text())["recovery_code"]
    deposited, table, wallet = map(json.loads, done.stdout.splitlines())
    assert deposited["balance"] == 5_000
    assert (table["status"], table["stake"]) == ("open", 1_000)
    assert (wallet["cash"], wallet["held"]) == (5_000, 0)


def say(command: str, url: str, **names: str) -> Result:
    """As it stands in the handbook, with ids for its names and this service's address."""
    for name, value in {**names, "https://play.example": url}.items():
        command = command.replace(name, value)
    return CliRunner().invoke(app, shlex.split(command), env={"FAIRDEAL_OPERATOR_TOKEN": OPERATOR})


def test_the_handbooks_commands(service: Service, url: str) -> None:
    alice, _ = (player.person for player in start_two(service))
    m = service.http.get("/v1/me/matches", headers=alice.headers).json()["matches"][0]["m"]
    told: dict[str, str] = {}
    with Api(url, alice.headers["Authorization"].removeprefix("Bearer ")) as api:
        before = api.wallet()["cash"]
        asked = {result: api.withdraw(30, f"withdraw-{result}")["id"] for result in ("pay", "refuse")}
        for command in COMMANDS:
            kind = command.split()[1]
            names = {"ACCOUNT": alice.id, "WITHDRAWAL": asked.get(kind, ""), "MATCH": m}
            done = say(command, url, **names)
            assert done.exit_code == 0, (command, done.output)
            told[command] = done.output
            if kind in ("deposit", "pay", "refuse", "void"):
                assert say(command, url, **names).output == done.output, "said again, it does nothing more"
    outputs = [told[command] for command in COMMANDS]
    deposited, waiting, paid, refused, stopped, both, listed, resumed, code, voided = outputs
    assert deposited.endswith(f"  5000 JETON  balance {before - 60 + 5_000} JETON\n")
    assert [line.split()[:4] for line in waiting.splitlines()] == [
        [asked[result], alice.id, "30", "JETON"] for result in ("refuse", "pay")
    ]
    assert (paid, refused) == (f"{asked['pay']}  30 JETON  paid\n", f"{asked['refuse']}  30 JETON  refused\n")
    assert stopped == "everybody  a fault\n"
    assert both == listed == f"everybody  a fault\n{alice.id}  a court order\n"
    assert resumed == f"{alice.id}  a court order\n"
    assert voided == f"{m}  ended\n"
    with Api(url) as api:
        api.recover("alice", code.strip(), "another horse battery")
        api.sign_in("alice", "another horse battery")
        assert api.wallet() == {
            "asset": "JETON",
            "exponent": 0,
            "cash": before + 100 - 30 + 5_000,
            "held": 0,
            "pending": 0,
        }


def test_what_the_service_refuses_and_what_it_is_not_asked_without_a_token(service: Service, url: str) -> None:
    person = service.person("alice")
    refused = say(f"operator pay {'0' * 32} --url {url}", url)
    assert isinstance(refused.exception, ApiError)
    assert refused.exception.problem == "unknown_withdrawal"
    unasked = CliRunner().invoke(app, ["operator", "reset", person.id, "--reason", "a guess", "--url", url])
    assert isinstance(unasked.exception, Unauthenticated)


def test_what_a_player_may_do_about_money_by_methods(service: Service, url: str) -> None:
    alice = service.person("alice", 1_000)
    with Api(url, alice.headers["Authorization"].removeprefix("Bearer ")) as api:
        asked = api.withdraw(300, "withdrawal-1")
        assert api.withdrawals()["withdrawals"] == [asked]
        assert [line["kind"] for line in api.wallet_lines()["lines"]] == ["withdraw", "deposit"]
        month = datetime.fromtimestamp(service.clock.now_ms() / 1000, UTC).strftime("%Y-%m")
        assert api.statement(month)["closing"] == 700
        assert api.set_limit("loss", "week", 50) == api.limits()["limits"][0]
        table = api.open_table({"game": "duel", "stake": 10, "private": True})
        assert api.find_table(table["code"])["m"] == table["m"]
        assert api.open_tables()["tables"] == []
        api.sit(table["m"], table["code"], "sitting-1")
        assert [one["m"] for one in api.own_matches()["matches"]] == [table["m"]]
        assert api.free_seat(table["m"], 0, "freeing-1")["seats"] == api.table(table["m"])["seats"]
        assert api.own_matches()["matches"] == []
        assert api.cancel_table(table["m"])["status"] == "ended"
        assert api.exclusion()["kind"] is None
        assert api.exclude("exclusion", None)["kind"] == api.exclusion()["kind"] == "exclusion"
        code = api.renew_recovery("correct horse")["recovery_code"]
    with Api(url) as api:
        assert api.recover("alice", code, "another horse battery")["recovery_code"] != code
    with Api(url, AUDITOR) as api:
        assert [event["kind"] for event in api.significant_events()["events"][:2]] == ["exclusion", "limit"]
        assert [event["data"]["amount"] for event in api.significant_events(kind="limit")["events"]] == [50]
        assert [record["m"] for record in api.match_records()["matches"]] == [table["m"]]


def test_a_mistake_is_undone_and_a_person_taken_out(service: Service, url: str) -> None:
    alice = service.person("alice")
    paid_in = say(f"operator deposit {alice.id} 70 --reference transfer-4711 --url {url}", url).output.split()[0]
    kept = say(f"operator erase {alice.id} --reason asked --url {url}", url)
    assert isinstance(kept.exception, ApiError)
    assert (kept.exception.problem, kept.exception.details["why"]) == ("account_in_use", "money")
    with Api(url, alice.headers["Authorization"].removeprefix("Bearer ")) as api:
        asked = api.withdraw(70, "withdrawal-1")["id"]
    reverse = f"operator reverse {paid_in} --reason twice --url {url}"
    early = say(reverse, url)
    say(f"operator refuse {asked} --url {url}", url)
    assert say(reverse, url).output == f"reversal:{paid_in.removeprefix('deposit:')}  -70 JETON  balance 0 JETON\n"
    again = say(reverse, url)
    refused = [one.exception.problem for one in (early, again) if isinstance(one.exception, ApiError)]
    assert refused == ["insufficient_funds", "not_reversible"]
    assert say(f"operator erase {alice.id} --reason asked --url {url}", url).output == f"{alice.id}  erased\n"
    with Api(url, AUDITOR) as api:
        assert [event["kind"] for event in api.significant_events()["events"][:2]] == ["erasure", "reversal"]


NO_AMOUNTS = ("0", "05", "5.00", "5.", "1_000", "+3", "' 7 '", "1e3", "٣", "9" * 5_000)
"""Each of them is a number to somebody, and not the same one to everybody."""


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("deposit x 5 --reference transfer-4711", "'ACCOUNT': 'x' is not an account's id: 32 digits"),
        *((f"deposit 0* {amount} --reference transfer-4711", "'AMOUNT'") for amount in NO_AMOUNTS),
        (f"deposit 0* {MAX_STAKE + 1} --reference transfer-4711", "'AMOUNT'"),
        ("deposit 0* 5 --reference short", "'--reference': 'short' is not 8 to 64 letters"),
        ("deposit 0* 5 --reference transfer-4711 --asset jeton", "'--asset': 'jeton' is not the code of an asset"),
        ("pay 4711", "'WITHDRAWAL'"),
        ("refuse 0000-0000", "'WITHDRAWAL'"),
        ("reverse 0* --reason twice", "'TRANSACTION'"),
        ("reverse deposit:0* --reason ' '", "'--reason'"),
        ("stop everbody --reason 'a fault'", "'WHO': 'everbody' is not an account's id"),
        ("stop everybody --reason ''", "'--reason': a reason is one line of 1 to 500 characters"),
        (f"resume everybody --reason {'x' * 501}", "'--reason'"),
        ("resume everybody --reason \udcff", "'--reason'"),
        ("reset alice --reason 'a passport'", "'ACCOUNT'"),
        ("erase alice --reason asked", "'ACCOUNT'"),
        ("void duel", "'MATCH'"),
        ("stopped --url play.example", "'--url': 'play.example' is not the service's address"),
        ("stopped --url http://play.example/v1", "'--url'"),
        ("stopped --url http://[::::]", "'--url'"),
        ("stopped --url http://a..b", "'--url'"),
        (f"stopped --url http://{'a' * 64}.example", "'--url'"),
        ("stopped --url http://256.1.1.1", "'--url'"),
        ("stopped --url http://10.1", "'--url'"),
        ("stopped --url http://127.0.0.1:65536", "'--url'"),
        ("stopped --url http://127.0.0.1:0", "'--url'"),
    ],
)
def test_what_is_written_wrongly_is_told_by_its_name_and_sent_to_nobody(words: str, named: str) -> None:
    line = f"operator {words.replace('0*', '0' * 32)}"
    done = run(*shlex.split(line if "--url" in line else f"{line} --url http://127.0.0.1:9"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"Invalid value for {named}" in done.stderr


def test_the_forms_are_those_of_the_api() -> None:
    api = json.loads((Path(__file__).parents[2] / "openapi/fairdeal.v1.json").read_text("utf-8"))
    schemas = {name: one.get("properties", {}) for name, one in api["components"]["schemas"].items()}
    reason, asset = schemas["ReversalIn"]["reason"], schemas["DepositIn"]["asset"]["anyOf"][0]
    header = api["paths"]["/v1/deposits"]["post"]["parameters"][0]["schema"]
    month = api["paths"]["/v1/wallet/statement"]["get"]["parameters"]
    forms = {
        arguments.ID: schemas["DepositIn"]["account"]["pattern"],
        arguments.TRANSACTION: schemas["ReversalIn"]["transaction"]["pattern"],
        arguments.REFERENCE: header["pattern"],
        arguments.REASON: reason["pattern"],
        arguments.MONTH: next(one["schema"]["pattern"] for one in month if one["name"] == "month"),
        ASSET_CODE: asset["pattern"],
    }
    assert [f"^{ours}$" for ours in forms] == [*forms.values()]
    assert (reason["maxLength"], schemas["DepositIn"]["amount"]["maximum"]) == (arguments.REASON_LENGTH, MAX_STAKE)


def test_a_refusal_has_its_own_code_the_commands_words_and_a_hint(service: Service, url: str) -> None:
    resigned, _ = start_two(service)
    resigned.send(resigned.sign({"resign": True}))
    alice, nobody = resigned.person, "0" * 32
    alice.post("/v1/tables", {"game": "duel", "stake": 0})

    def say(words: str, token: str = OPERATOR) -> str:
        done = run("operator", *shlex.split(words), "--url", url, FAIRDEAL_OPERATOR_TOKEN=token)
        assert (done.returncode, done.stdout) == (1, ""), done.stderr
        return done.stderr

    refused = {
        "idempotency_conflict": say(f"deposit {alice.id} 71 --reference deposit-alice"),
        "terms_refused": say(f"deposit {alice.id} 70 --reference transfer-4712 --asset GOLD"),
        "unknown_account": say(f"reset {nobody} --reason 'a passport'"),
        "unknown_withdrawal": say(f"pay {nobody}"),
        "unknown_match": say(f"void {nobody}"),
        "wrong_phase": say(f"void {resigned.m}"),
        "not_reversible": say(f"reverse withdrawn:{nobody} --reason twice"),
        "account_in_use": say(f"erase {alice.id} --reason asked"),
        "forbidden": say("stopped", token="x" * 16),
    }
    for code, text in refused.items():
        assert text.startswith(f"fairdeal: {code}: "), text
        assert not any(word in text for word in ("dempotency key", "Idempotency-Key", "pattern"))
    assert "--reference" in refused["idempotency_conflict"]
    assert "the service does not play for that asset (assets: JETON)\n" in refused["terms_refused"]
    assert refused["account_in_use"].endswith("the account has a table or a match that has not ended\n")
    assert "\nhint: `fairdeal operator withdrawals`" in refused["unknown_withdrawal"]
    assert "\nhint: what has ended stays as it ended" in refused["wrong_phase"]
    assert "FAIRDEAL_OPERATOR_TOKEN" in refused["forbidden"]


def test_that_there_is_nothing_is_told_beside_the_output(url: str) -> None:
    for words, nothing in (
        ("withdrawals", "no withdrawal waits"),
        ("stopped", "the operator has stopped nobody's play"),
        ("resume everybody --reason mended", "the operator has stopped nobody's play"),
    ):
        done = run("operator", *words.split(), "--url", url, FAIRDEAL_OPERATOR_TOKEN=OPERATOR)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", f"{nothing}\n")


def test_money_is_told_in_the_decimals_of_its_asset(tmp_path: Path) -> None:
    """What is given stays in the smallest unit, in the command as in a call."""
    house = Service(tmp_path, {"assets": {"EUR": 2, "KWD": 3}})
    with served(house) as address:
        alice = house.person("alice", 0)
        deposit = f"operator deposit {alice.id} 5 --url {address} --reference transfer"
        deposited = say(f"{deposit}-4711", address).output
        assert deposited.endswith("  0.05 EUR  balance 0.05 EUR\n")
        assert say(f"{deposit}-4712 --asset KWD", address).output.endswith("  0.005 KWD  balance 0.005 KWD\n")
        with Api(address, alice.headers["Authorization"].removeprefix("Bearer ")) as api:
            asked = api.withdraw(2, "withdrawal-1")["id"]
        assert "  0.02 EUR  " in say(f"operator withdrawals --url {address}", address).output
        assert say(f"operator refuse {asked} --url {address}", address).output == f"{asked}  0.02 EUR  refused\n"
        undone = say(f"operator reverse {deposited.split()[0]} --reason twice --url {address}", address).output
        assert undone.endswith("  -0.05 EUR  balance 0.00 EUR\n")


@pytest.mark.parametrize("token", ["", "short", "with a space in it", "with-a-line-end-\n", "with-an-é-in-it-too"])
@pytest.mark.parametrize("role", ["OPERATOR", "AUDITOR"])
def test_a_token_that_cannot_be_one_is_told_by_its_variable(role: str, token: str) -> None:
    variables = {
        "FAIRDEAL_OPERATOR_TOKEN": OPERATOR,
        "FAIRDEAL_AUDITOR_TOKEN": AUDITOR,
        f"FAIRDEAL_{role}_TOKEN": token,
    }
    done = run("operator", "stopped", "--url", "http://127.0.0.1:9", **variables)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        f"fairdeal: malformed: settings: FAIRDEAL_{role}_TOKEN: 16 characters or more, of ASCII"
    )


def test_what_answers_in_the_services_place_is_told_apart() -> None:
    (line,) = told(ApiError("http_error", 502, "no detail"))
    assert line == "fairdeal: http_error: something before the service, or in its place, answered with status 502"
