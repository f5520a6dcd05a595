"""The operator undoes a deposit or a payout over HTTP; nobody else does."""

from pathlib import Path
from typing import Any

from tests.api.table import AUDITOR, OPERATOR, Service, bearer, ok


def reverse(service: Service, transaction: str, key: str, token: str = OPERATOR, reason: str = "twice") -> Any:
    body = {"transaction": transaction, "reason": reason}
    headers = bearer(token) | {"Idempotency-Key": key}
    return service.http.post("/v1/cashier/reversals", json=body, headers=headers)


def test_a_mistake_is_undone_in_the_auditors_sight(tmp_path: Path) -> None:
    service = Service(tmp_path, {"auditor_token": AUDITOR})
    alice = service.person("alice", 70)
    (line,) = ok(alice.get("/v1/wallet/lines"))["lines"]
    deposit = line["transaction"]
    for token in (AUDITOR, alice.headers["Authorization"].split()[1]):
        assert reverse(service, deposit, "not-allowed", token).json()["code"] == "forbidden"
    for wrong in (f"sit:{'0' * 32}", f"deposit:{'0' * 31}", "deposit:", f"reversal:{'0' * 32}", f"{deposit}\n"):
        assert reverse(service, wrong, "not-a-deposit").status_code == 422, wrong
    assert reverse(service, deposit, "no-reason-given", reason=" ").status_code == 422
    unknown = reverse(service, f"deposit:{'0' * 32}", "unknown-deposit").json()
    assert (unknown["code"], unknown["status"], unknown["why"]) == ("not_reversible", 409, "unknown")
    first = reverse(service, deposit, "the-first-time")
    assert (first.status_code, first.json()["balance"]) == (201, 0)
    assert reverse(service, deposit, "the-first-time").json() == first.json()
    assert reverse(service, deposit, "the-first-time", reason="else").json()["code"] == "idempotency_conflict"
    assert reverse(service, deposit, "the-second-time").json()["why"] == "reversed"
    newest = ok(alice.get("/v1/wallet/lines"))["lines"][0]
    assert (newest["kind"], newest["amount"], newest["transaction"]) == ("reversal", -70, first.json()["transaction"])
    event, *_ = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    assert event["data"] == {"account": alice.id, "transaction": deposit, "reason": "twice"}
    service.check_money()
    service.stop()


def test_a_payout_that_never_arrived_reads_as_reversed(service: Service) -> None:
    alice = service.person("alice", 70)
    asked = ok(alice.post("/v1/withdrawals", {"amount": 50}, key="withdraw-1"))
    assert (asked["status"], asked["reversed_at"]) == ("pending", None)
    path, said = f"/v1/cashier/withdrawals/{asked['id']}", {"result": "paid"}
    paid = ok(service.http.post(path, json=said, headers=bearer(OPERATOR) | {"Idempotency-Key": "answer-01"}))
    assert (paid["status"], paid["reversed_at"]) == ("paid", None)
    service.tick(1_000)
    done = reverse(service, f"withdrawn:{asked['id']}", "never-arrived").json()
    shown = ok(alice.get("/v1/withdrawals"))["withdrawals"]
    assert shown == [paid | {"status": "reversed", "reversed_at": done["at"]}]
    assert shown[0]["ended_at"] < shown[0]["reversed_at"]
    for key in ("answer-01", "answer-02"):
        told_again = service.http.post(path, json=said, headers=bearer(OPERATOR) | {"Idempotency-Key": key})
        assert ok(told_again) == shown[0]
    assert ok(alice.post("/v1/withdrawals", {"amount": 50}, key="withdraw-1")) == shown[0]
    assert [line["kind"] for line in ok(alice.get("/v1/wallet/lines"))["lines"]] == ["reversal", "withdraw", "deposit"]
    assert ok(alice.get("/v1/wallet"))["cash"] == 70
    assert ok(service.http.get("/v1/cashier/withdrawals", headers=bearer(OPERATOR)))["withdrawals"] == []
    service.check_money()


def test_no_payout_comes_back_in_money_that_the_house_has_no_more(tmp_path: Path) -> None:
    """Nobody could see it or withdraw it, and the next start would be refused: the asset comes back first."""
    both = {"assets": {"JETON": 0, "GOLD": 6}}
    service = Service(tmp_path, both)
    alice = service.person("alice")
    money = {"account": alice.id, "amount": 70, "asset": "GOLD"}
    paid_in = ok(
        service.http.post("/v1/deposits", json=money, headers=bearer(OPERATOR) | {"Idempotency-Key": "gold-in-1"})
    )
    asked = ok(alice.post("/v1/withdrawals", {"amount": 70, "asset": "GOLD"}, key="withdraw-1"))
    path, headers = f"/v1/cashier/withdrawals/{asked['id']}", bearer(OPERATOR) | {"Idempotency-Key": "answer-01"}
    ok(service.http.post(path, json={"result": "paid"}, headers=headers))
    service.overrides = {"assets": {"JETON": 0}}
    service.restart(after_ms=1_000)
    before = service.store.journal(0, 100)
    for mistake in (paid_in["transaction"], f"withdrawn:{asked['id']}"):
        refused = reverse(service, mistake, f"no-gold-{mistake[:4]}").json()
        assert (refused["code"], refused["assets"]) == ("terms_refused", ["JETON"])
    assert service.store.journal(0, 100) == before
    service.overrides = both
    service.restart(after_ms=1_000)
    assert reverse(service, f"withdrawn:{asked['id']}", "no-gold-with").json()["balance"] == 70
    assert [one["cash"] for one in ok(alice.get("/v1/wallets"))["wallets"] if one["asset"] == "GOLD"] == [70]
    service.stop()
