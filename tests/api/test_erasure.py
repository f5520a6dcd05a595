"""The person goes, the log stays: what an audit reads is the same to the last byte, and verifies, before and after."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fairdeal.app.proof import prove
from fairdeal.cli.operator import log_policy
from tests.agreement.auditor import audit
from tests.api.auditor import export
from tests.api.table import AUDITOR, OPERATOR, Person, Service, bearer, ok, start_two

NAME = "Théodora-Zénaïde"


def erase(service: Service, account: str, reason: str = "asked for it") -> Any:
    return service.http.post(f"/v1/accounts/{account}/erase", json={"reason": reason}, headers=bearer(OPERATOR))


def empty(person: Person) -> None:
    """All the money is withdrawn, and paid."""
    asked = ok(person.post("/v1/withdrawals", {"amount": person.wallet[0]}, key=f"all-of-{person.name.encode().hex()}"))
    headers = bearer(OPERATOR) | {"Idempotency-Key": f"pay-{asked['id']}"}
    ok(person.service.http.post(f"/v1/cashier/withdrawals/{asked['id']}", json={"result": "paid"}, headers=headers))


def test_what_an_audit_reads_is_the_same_before_and_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_KEYS", str(tmp_path / "keys"))
    service = Service(tmp_path, {"auditor_token": AUDITOR})
    players = start_two(service)
    alice, bob = (player.person for player in players)
    ok(players[1].send(players[1].sign({"resign": True})))
    gift = {"account": alice.id, "amount": 7}
    mistake = ok(
        service.http.post("/v1/deposits", json=gift, headers=bearer(OPERATOR) | {"Idempotency-Key": "a-slip-1"})
    )
    undone = {"transaction": mistake["transaction"], "reason": "a slip"}
    ok(
        service.http.post(
            "/v1/cashier/reversals", json=undone, headers=bearer(OPERATOR) | {"Idempotency-Key": "a-slip-2"}
        )
    )
    empty(alice)
    empty(bob)
    m = players[0].m
    service.tick(700_000)  # the journal is under the log
    ok(service.http.get(f"/v1/matches/{m}/log?since=0&leaf=close"))
    (tmp_path / "policy").write_text(log_policy(None))
    before = export(service, tmp_path / "before")
    bundle = service.http.get(f"/v1/matches/{m}/bundle").content
    for person in (alice, bob):
        assert erase(service, person.id).status_code == 204
    assert alice.get("/v1/me").status_code == 401
    after = export(service, tmp_path / "after")
    told = "significant_events.jsonl"
    erasures, told_before = after[told].removesuffix(before[told]), before.pop(told)
    assert [json.loads(line)["data"]["account"] for line in erasures.splitlines()] == [bob.id, alice.id]
    assert after.pop(told) == erasures + told_before
    assert after == before, "all the rest to the last byte, the records of matches among it"
    assert service.http.get(f"/v1/matches/{m}/bundle").content == bundle
    assert prove(service.store).fault is None
    service.stop()
    kept = tmp_path / "kept.checkpoint"
    code, report = audit(tmp_path / "before", "--policy", tmp_path / "policy", "--keep", kept)
    assert (code, report["findings"], report["faults"]) == (13, [], []), "nobody has witnessed it"
    code, report = audit(tmp_path / "after", "--policy", tmp_path / "policy", "--since", kept)
    assert (code, report["verdict"], report["findings"], report["faults"]) == (0, "verified", [], [])
    assert report["counts"]["transactions"] == 12, "a deposit that was reversed among them"


def test_the_name_is_nowhere_in_the_database(tmp_path: Path) -> None:
    """Nor in what SQLite keeps of deleted rows; a namesake may come."""
    service = Service(tmp_path, {"auditor_token": AUDITOR})
    person = Person(service, NAME)
    assert erase(service, person.id).status_code == 204
    again = {"name": NAME, "password": "correct horse"}
    for name in (NAME, f"erased:{person.id}"):
        refused = service.http.post("/v1/sessions", json={"name": name, "password": "correct horse"})
        assert refused.json()["code"] == "credentials_refused"
    for code in ("", "A" * 25):
        body = {"name": f"erased:{person.id}", "code": code, "password": "correct horse"}
        assert service.http.post("/v1/recovery", json=body).json()["code"] in ("credentials_refused", "invalid_request")
    service.stop()
    with closing(sqlite3.connect(tmp_path / "fairdeal.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert NAME.encode() not in path.read_bytes(), path
            assert NAME.casefold().encode() not in path.read_bytes(), path
    service.start()
    assert service.http.post("/v1/accounts", json=again).status_code == 201
    service.stop()


def test_the_operator_alone_erases_and_the_auditor_sees_it(tmp_path: Path) -> None:
    service = Service(tmp_path, {"auditor_token": AUDITOR, "account_kept_days": 30})
    alice = service.person("alice", 100)
    path = f"/v1/accounts/{alice.id}/erase"
    assert alice.post(path, {"reason": "mine"}).json()["code"] == "forbidden"
    assert service.http.post(path, json={"reason": "x"}, headers=bearer(AUDITOR)).json()["code"] == "forbidden"
    assert erase(service, alice.id, " ").status_code == 422
    refused = erase(service, alice.id).json()
    assert (refused["code"], refused["status"], refused["why"]) == ("account_in_use", 409, "money")
    empty(alice)
    assert erase(service, alice.id).json()["why"] == "too_soon"
    service.tick(1_000)
    service.clock.ms += 30 * 86_400_000
    assert erase(service, alice.id).status_code == 204
    assert erase(service, alice.id).json()["code"] == "unknown_account"
    assert erase(service, "f" * 32).status_code == 404
    event, *_ = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    assert event == {
        "at": service.clock.ms, "kind": "erasure", "data": {"account": alice.id, "reason": "asked for it"},
    }  # fmt: skip
    service.stop()
