"""The cashier over HTTP: withdrawals, the operator's answers, and what the payment service's webhooks may do."""

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairdeal.api.webhooks import TOLERANCE_S, WebhookSecret, check_webhook
from fairdeal.errors import Malformed, WebhookRefused
from tests.api.table import OPERATOR, Service, bearer, ok

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NEXT_SECRET = "whsec_" + b64encode(b"the secret that takes its place.").decode()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path, {"webhook_secrets": [SECRET, NEXT_SECRET]})
    yield service
    service.check_money()
    service.stop()


def wallet(person: Any) -> tuple[int, int]:
    shown = ok(person.get("/v1/wallet"))
    return shown["cash"], shown["pending"]


def answer(service: Service, withdrawal: str, result: str, key: str = "answer-01") -> Any:
    path, headers = f"/v1/cashier/withdrawals/{withdrawal}", bearer(OPERATOR) | {"Idempotency-Key": key}
    return service.http.post(path, json={"result": result}, headers=headers)


def hook(service: Service, data: dict[str, Any], kind: str = "deposit.succeeded", **changed: Any) -> Any:
    """A webhook as the payment service sends it, with some of its headers or its body `changed` afterwards."""
    body = json.dumps({"type": kind, "timestamp": "2026-11-30T04:00:00Z", "data": data}).encode()
    webhook_id, seconds = changed.get("id", "msg_1"), service.clock.ms // 1000 + changed.get("later", 0)
    signature = b64encode(WebhookSecret.parse(changed.get("secret", SECRET)).sign(webhook_id, seconds, body)).decode()
    headers = {
        "content-type": "application/json",
        "webhook-id": webhook_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{signature}",
    } | changed.get("headers", {})
    return service.http.post("/v1/cashier/webhook", content=changed.get("body", body), headers=headers)


def test_a_withdrawal_is_asked_for_once_and_answered_once(service: Service) -> None:
    alice, bob = service.person("alice", 1_000), service.person("bob")
    asked = ok(alice.post("/v1/withdrawals", {"amount": 400}, key="withdraw-1"))
    assert ok(alice.post("/v1/withdrawals", {"amount": 400}, key="withdraw-1")) == asked
    assert alice.post("/v1/withdrawals", {"amount": 401}, key="withdraw-1").json()["code"] == "idempotency_conflict"
    assert (asked["status"], asked["amount"], asked["ended_at"]) == ("pending", 400, None)
    assert wallet(alice) == (600, 400)
    assert alice.post("/v1/withdrawals", {"amount": 601}, key="withdraw-2").json()["code"] == "insufficient_funds"

    waiting = ok(service.http.get("/v1/cashier/withdrawals", headers=bearer(OPERATOR)))["withdrawals"]
    assert [(one["id"], one["account"], one["amount"]) for one in waiting] == [(asked["id"], alice.id, 400)]
    paid = ok(answer(service, asked["id"], "paid"))
    assert paid["status"] == "paid"
    assert ok(answer(service, asked["id"], "paid", key="answer-02")) == paid
    refused = answer(service, asked["id"], "refused", key="answer-03")
    assert (refused.status_code, refused.json()["code"], refused.json()["result"]) == (409, "withdrawal_ended", "paid")
    assert wallet(alice) == (600, 0)
    assert ok(alice.get("/v1/withdrawals"))["withdrawals"] == [paid]
    assert ok(bob.get("/v1/withdrawals"))["withdrawals"] == []
    assert [line["kind"] for line in ok(alice.get("/v1/wallet/lines"))["lines"]] == ["withdraw", "deposit"]


def test_a_refused_withdrawal_comes_back_whole(service: Service) -> None:
    alice = service.person("alice", 1_000)
    asked = ok(alice.post("/v1/withdrawals", {"amount": 1_000}, key="withdraw-1"))
    ok(answer(service, asked["id"], "refused"))
    assert wallet(alice) == (1_000, 0)


def test_the_cashiers_answers_are_the_operators(service: Service) -> None:
    alice = service.person("alice", 1_000)
    asked = ok(alice.post("/v1/withdrawals", {"amount": 10}, key="withdraw-1"))
    path = f"/v1/cashier/withdrawals/{asked['id']}"
    assert alice.post(path, {"result": "paid"}, key="answer-01").json()["code"] == "forbidden"
    assert alice.get("/v1/cashier/withdrawals").json()["code"] == "forbidden"
    assert answer(service, "0" * 32, "paid").json()["code"] == "unknown_withdrawal"
    assert wallet(alice) == (990, 10)


def test_a_webhook_pays_in_once_however_often_it_comes(service: Service) -> None:
    alice = service.person("alice")
    data = {"account": alice.id, "amount": 70, "asset": "JETON"}
    for later in (0, 60, -60):
        assert hook(service, data, later=later).status_code == 204
    assert wallet(alice) == (70, 0)
    assert hook(service, data | {"amount": 71}).json()["code"] == "idempotency_conflict"
    assert hook(service, data, id="msg_2").status_code == 204
    assert hook(service, data | {"asset": "EUR"}, id="msg_3").json()["code"] == "terms_refused"
    assert hook(service, data | {"account": "0" * 32}, id="msg_4").json()["code"] == "unknown_account"
    assert wallet(alice) == (140, 0)


def test_the_secret_changes_without_a_break(service: Service) -> None:
    """Two secrets here, or two signatures there, and what was signed by the one is the same by the other."""
    alice = service.person("alice")
    data = {"account": alice.id, "amount": 70, "asset": "JETON"}
    for webhook_id, secret in (("a", SECRET), ("b", NEXT_SECRET), ("a", NEXT_SECRET)):
        assert hook(service, data, id=webhook_id, secret=secret).status_code == 204
    assert wallet(alice) == (140, 0)


@pytest.mark.parametrize("body", [b'{"type": "deposit.lost"}', b'{"amount": 70}', b"[]", b""])
def test_who_says_it_comes_before_what_is_said(body: bytes, service: Service) -> None:
    data: dict[str, Any] = {"account": "0" * 32}
    assert hook(service, data).json()["code"] == "invalid_request"
    assert hook(service, data, body=body).json()["code"] == "webhook_refused"
    assert hook(service, data, headers={"webhook-id": "another"}).json()["code"] == "webhook_refused"


def test_a_webhook_ends_a_withdrawal(service: Service) -> None:
    alice = service.person("alice", 100)
    ids = [ok(alice.post("/v1/withdrawals", {"amount": 30}, key=f"withdraw-{n}"))["id"] for n in range(2)]
    for webhook_id, withdrawal, result in (("a", ids[0], "paid"), ("b", ids[1], "refused"), ("c", ids[0], "paid")):
        done = hook(service, {"withdrawal": withdrawal, "result": result}, kind="withdrawal.ended", id=webhook_id)
        assert done.status_code == 204
    late = hook(service, {"withdrawal": ids[0], "result": "refused"}, kind="withdrawal.ended", id="d")
    assert late.json()["code"] == "withdrawal_ended"
    assert wallet(alice) == (70, 0)


@pytest.mark.parametrize(
    "changed",
    [
        {"later": TOLERANCE_S + 1},
        {"later": -TOLERANCE_S - 1},
        {"secret": "whsec_" + b64encode(b"another secret, 32 bytes of it..").decode()},
        {"headers": {"webhook-id": "msg_2"}},
        {"headers": {"webhook-timestamp": "1700000001"}},
        {"headers": {"webhook-timestamp": "+1700000000"}},
        {"headers": {"webhook-signature": ""}},
        {"headers": {"webhook-signature": "v1a," + "A" * 43 + "="}},
        {"headers": {"webhook-signature": "v1," + "A" * 43 + "="}},
        {"id": "msg.1"},
        {"id": "m" * 129},
    ],
    ids=str,
)
def test_a_webhook_that_is_not_the_cashiers_does_nothing(changed: dict[str, Any], service: Service) -> None:
    alice = service.person("alice")
    refused = hook(service, {"account": alice.id, "amount": 70, "asset": "JETON"}, **changed)
    assert (refused.status_code, refused.json()["code"]) == (401, "webhook_refused")
    assert wallet(alice) == (0, 0)


def test_another_body_than_the_one_signed_does_nothing(service: Service) -> None:
    alice = service.person("alice")
    body = {"account": alice.id, "amount": 70, "asset": "JETON"}
    more = json.dumps({"type": "deposit.succeeded", "timestamp": "", "data": body | {"amount": 700}}).encode()
    assert hook(service, body, body=more).json()["code"] == "webhook_refused"
    assert wallet(alice) == (0, 0)


def test_without_a_secret_no_webhook_is_taken(tmp_path: Path) -> None:
    service = Service(tmp_path)
    alice = service.person("alice")
    assert hook(service, {"account": alice.id, "amount": 7, "asset": "JETON"}).json()["code"] == "webhook_refused"
    service.stop()


VECTOR = (["msg_p5jXN8AQM9LWM0D4loKWxJek"], ["1614265330"], b'{"test": 2432232314}', 1_614_265_330_000)
"""The example that Standard Webhooks' own libraries test with."""
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("line", [SIGNATURE, f"v1,{'A' * 43}= {SIGNATURE}", f"v1a,abc {SIGNATURE}"])
def test_the_published_example(line: str) -> None:
    ids, times, body, now = VECTOR
    assert check_webhook([WebhookSecret.parse(SECRET)], ids, times, [line], body, now) == ids[0]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, ["a", "a"]),
        (0, []),
        (1, ["1614265330", "1614265330"]),
        (2, [SIGNATURE, SIGNATURE]),
        (2, [" ".join([SIGNATURE] * 9)]),
        (2, [SIGNATURE[:-1]]),
        (2, [SIGNATURE.replace(",", ", ")]),
        (3, b'{"test": 2432232315}'),
        (4, 1_614_265_330_000 + TOLERANCE_S * 1000 + 1),
    ],
)
def test_the_published_example_with_a_fault(place: int, value: Any) -> None:
    ids, times, body, now = VECTOR
    parts: list[Any] = [ids, times, [SIGNATURE], body, now]
    parts[place] = value
    with pytest.raises(WebhookRefused):
        check_webhook([WebhookSecret.parse(one) for one in (SECRET, NEXT_SECRET)], *parts)


@pytest.mark.parametrize("text", ["", "whsec_", SECRET[6:], "whsec_" + "A" * 30, SECRET + "!", "whsec_" + "A" * 92])
def test_another_secret_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        WebhookSecret.parse(text)


def test_a_secret_is_not_shown() -> None:
    secret = WebhookSecret.parse(SECRET)
    assert str(secret.key) not in repr(secret)


def test_money_goes_to_another_player_by_no_route(service: Service) -> None:
    """Every call that changes something, made by Alice with everything she knows of Bob, moves nothing to him."""
    alice, bob = service.person("alice", 1_000), service.person("bob")
    form = {"account": bob.id, "to": bob.id, "player": bob.id, "name": "bob", "amount": 100, "result": "paid"}
    changing = 0
    for path, methods in service.app.openapi()["paths"].items():
        for method, operation in methods.items():
            if method == "get":
                continue
            changing += 1
            wanted = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            known = service.app.openapi()["components"]["schemas"].get(wanted.get("$ref", "").split("/")[-1], {})
            body = {name: value for name, value in form.items() if name in known.get("properties", {})}
            address = path.replace("{withdrawal}", bob.id).replace("{m}", bob.id).replace("{seat}", "0")
            key = {"Idempotency-Key": f"transfer-{changing}"}
            service.http.request(method.upper(), address, json=body, headers=alice.headers | key)
    assert changing > 10
    assert wallet(bob) == (0, 0)
    moved = [line.decode() for line in service.store.journal(0, 100)]
    assert not any(alice.id in line and bob.id in line for line in moved)
