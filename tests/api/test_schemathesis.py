"""Schemathesis, a program of others, reads our description and calls a service with what fits it and what does not.

It knows a player's login, the operator's token and the auditor's, and the ids of tables, matches and accounts that
there are, so that it gets past the first refusal. To its checks `schemathesis_checks` adds one of ours.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.api.serving import served
from tests.api.table import AUDITOR, OPERATOR, Person, Player, Service, ok, start_two
from tests.durability.process import Service as Process

ROOT: Final = Path(__file__).parents[2]
UNLIMITED: Final = {
    f"{name}_burst": 1_000_000 for name in ("account", "address", "sign_up", "tables", "wrong_name", "wrong_address")
}
SOAK: Final = float(os.environ.get("SOAK", "1"))
ACCEPTED: Final = ["2xx", "3xx", "401", "403", "404", "409", "429"]

KNOWN: Final = {
    "path.m": ["opened", "joining", "live", "ended"],
    "path.withdrawal": ["withdrawal"],
    "path.game": ["game"],
    "path.account": ["account"],
    "query.asset": ["asset"],
    "body.account": ["account"],
    "body.asset": ["asset"],
    "body.transaction": ["transaction"],
    "body.player": ["player"],
    "body.code": ["code"],
    "body.root": ["root"],
}
"""Where what is known is put, four times of five."""
SPARED: Final = ["log_out", "log_out_everywhere", "exclude"]
"""Each is called by somebody else: whoever has done it can do nothing afterwards."""

EXCEPTIONS: Final[list[tuple[str, dict[str, list[str]], dict[str, Any], str]]] = [
    (
        "positive_data_acceptance",
        {
            "include-operation-id": [
                *("rules_announcements", "rules_bids", "rules_count", "rules_legal", "rules_marks", "rules_trick"),
                *("act", "exclude", "match", "open_table", "stream"),
            ]
        },
        {"expected-statuses": [*ACCEPTED, "422"]},
        "What a form cannot say: questions that make sense in belote, the protocol's forms and how far a match has"
        " come, how long a cool-off is, what the house plays for.",
    ),
    (
        "positive_data_acceptance",
        {"include-operation-id": ["wallet", "wallet_lines", "statement", "statement_csv"]},
        {"expected-statuses": [*ACCEPTED, "422"]},
        "Which money the house has is its own affair: EUR is well written, and here there is none.",
    ),
    (
        "positive_data_acceptance",
        {"include-operation-id": ["deposit", "remove_sitter", "set_limit", "sit", "withdraw"]},
        {"expected-statuses": [*ACCEPTED, "422"]},
        "JSON Schema takes 5.0 for an integer; we do not, as two programs could write it back in two ways.",
    ),
    (
        "positive_data_acceptance",
        {"include-operation-id": ["statement", "statement_csv", "wallet", "wallet_lines"]},
        {"expected-statuses": [*ACCEPTED, "422"]},
        "Which assets the house plays for is its operator's choice: another one is `terms_refused`.",
    ),
    (
        "positive_data_acceptance",
        {"include-operation-id": ["log_tile"]},
        {"expected-statuses": [*ACCEPTED, "400"]},
        "A tile's name is C2SP's, with its own grammar; another one is a path in a second spelling.",
    ),
    (
        "not_a_server_error",
        {"include-operation-id": ["match_log"]},
        {"expected-statuses": ["2xx", "3xx", "4xx", "503"]},
        "A leaf that is asked for before it is in the log: `not_logged_yet`, with the time to ask again.",
    ),
    (
        "missing_required_header",
        {"include-tag": ["operator", "audit"]},
        {"enabled": False},
        "Operator and auditor are rights, not logins: who comes without is forbidden (403), not asked to log in (401).",
    ),
    (
        "unsupported_method",
        {"include-operation-id": ["find_table"]},
        {"enabled": False},
        "GET /v1/tables/find asks for the table whose id is find, which is none.",
    ),
    (
        "allow_header_conformance",
        {"include-operation-id": ["find_table"]},
        {"enabled": False},
        "So GET is allowed there.",
    ),
]
"""(check, of what, what it is told instead, why)."""

PATIENT: Final = (
    sys.executable,
    "-c",
    "from fairdeal.cli import main; from fairdeal.store import postgresql;"
    " postgresql._SESSION += ' -c idle_in_transaction_session_timeout=10min'; main()",
)
"""The service, where a transaction may pause: who calls it here does not call again on a machine that stands still."""
REACHED: Final = 30
"""Operations that at least have succeeded once, of more than sixty: some forty do with few examples,
fifty with many, never those that want a signature, a code or a password.
"""


def test_what_is_described_is_what_is_served(tmp_path: Path) -> None:
    """A small part of the long one below, the same calls every time."""
    service = Service(tmp_path, {"auditor_token": AUDITOR, "limits": UNLIMITED})
    world = known_world(service)
    with served(service) as url:
        explore(tmp_path, url, world, "--phases", "examples,fuzzing", "--max-examples", "1")


@pytest.mark.soak
def test_whatever_is_called_is_answered_as_described(tmp_path: Path, place: Path | str) -> None:
    """A process that serves, and every phase: examples, every boundary of every schema, chance, and sequences in which
    one answer feeds the next call.
    """
    stored = {"database_url": place} if isinstance(place, str) else {}
    before = Service(tmp_path, {"auditor_token": AUDITOR} | stored)
    world = known_world(before)
    before.stop()
    limits = {f"limits__{name}": str(value) for name, value in UNLIMITED.items()}
    with Process(tmp_path, PATIENT, auditor_token=AUDITOR, tables_max="100000", **limits, **stored) as service:
        world |= {"operator": service.token}
        explore(tmp_path, service.url, world, "--max-examples", str(max(2, round(15 * SOAK))))
        service.stop()
        service.books()
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
    assert [line for line in lines if line["level"] == "error"] == []
    calls = [line for line in lines if line["message"] == "call"]
    assert len({(call["method"], call["route"]) for call in calls if 200 <= call["status"] < 300}) >= REACHED


def explore(home: Path, url: str, world: Mapping[str, str], *arguments: str) -> None:
    """Runs Schemathesis on every operation of the service at that address, to find nothing."""
    (home / "schemathesis.toml").write_text(configuration(world))
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run"]
    command += [f"{url}/openapi.json", "--seed", "1", "--report", "json", "--report-json-path", "report.json"]
    command += arguments
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "verifier/python")])}
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    operations = json.loads((home / "report.json").read_text())["operations"]
    assert operations["tested"] == operations["total"] > 0


def configuration(world: Mapping[str, str]) -> str:
    """Schemathesis's settings, in TOML. A text of JSON is one of TOML, and so is a list of them."""
    lines = [
        "continue-on-failure = true",
        "max-stream-events = 1",
        f"hooks = {json.dumps(str(Path(__file__).with_name('schemathesis_checks.py')))}",
        *(f"auth.openapi.{role}.bearer = {json.dumps(world[role])}" for role in ("session", "operator", "auditor")),
    ]
    for where, known in KNOWN.items():
        lines += [f'dictionaries."{where}".values = {json.dumps([world[name] for name in known])}']
        lines += [f'parameters."{where}" = {{ dictionary = {json.dumps(where)}, probability = 0.8 }}']
    for operation in SPARED:
        token = json.dumps(f"Bearer {world[operation]}")
        lines += [
            "[[operations]]",
            f"include-operation-id = {json.dumps(operation)}",
            f"headers.Authorization = {token}",
        ]
    for check, selected, settings, _ in EXCEPTIONS:
        lines += ["[[operations]]", *(f"{name} = {json.dumps(value)}" for name, value in selected.items())]
        lines += [f"checks.{check}.{name} = {json.dumps(value)}" for name, value in settings.items()]
    return "\n".join(lines)


def known_world(service: Service) -> dict[str, str]:
    """Makes a match in every state, by the time it is; what may be known of them."""
    service.clock.ms = round(time.time() * 1000)
    live = start_two(service, money=1_000_000)
    alice, bob = (player.person for player in live)
    joining, ended = (ok(alice.post("/v1/tables", {"game": "duel", "stake": 10}))["m"] for _ in range(2))
    sitting = {m: [Player(person, m) for person in (alice, bob)] for m in (joining, ended)}
    for do in (Player.join, Player.send_seed, Player.look):
        for player in sitting[ended]:
            do(player)
    ok(player.send(player.sign({"resign": True})))
    opened = ok(bob.post("/v1/tables", {"game": "coinche", "stake": 0}))["m"]
    private = ok(bob.post("/v1/tables", {"game": "duel", "stake": 10, "private": True}))
    withdrawal = ok(alice.post("/v1/withdrawals", {"amount": 5}, key="withdrawal-1"))["id"]
    spare = {operation: service.person(f"spare-{number}") for number, operation in enumerate(SPARED)}
    state = live[0].state
    assert state is not None
    return {operation: token_of(person) for operation, person in spare.items()} | {
        "session": token_of(alice),
        "operator": OPERATOR,
        "auditor": AUDITOR,
        "game": "coinche",
        "opened": opened,
        "code": private["code"],
        "joining": joining,
        "live": live[0].m,
        "ended": ended,
        "root": state.root.hex(),
        "player": live[1].player,
        "withdrawal": withdrawal,
        "account": spare["exclude"].id,
        "asset": service.app.state.services.accounts.asset(None).code,
        "transaction": ok(alice.get("/v1/wallet/lines"))["lines"][-1]["transaction"],
    }


def token_of(person: Person) -> str:
    return person.headers["Authorization"].removeprefix("Bearer ")
