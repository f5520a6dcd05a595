"""The way back into an account: a code that is shown once, and the operator's help."""

from typing import Any

from fairdeal.app.codes import spelled
from tests.api.table import AUDITOR, OPERATOR, Service, bearer, ok

NEW = "another horse battery"


def sign_up(service: Service, name: str) -> dict[str, Any]:
    return ok(service.http.post("/v1/accounts", json={"name": name, "password": "correct horse"}))


def log_in(service: Service, name: str, password: str) -> Any:
    return service.http.post("/v1/sessions", json={"name": name, "password": password})


def recover(service: Service, name: str, code: str, password: str = NEW) -> Any:
    return service.http.post("/v1/recovery", json={"name": name, "code": code, "password": password})


def who(service: Service, token: str) -> int:
    return int(service.http.get("/v1/me", headers=bearer(token)).status_code)


def test_the_code_of_the_beginning_sets_another_password_once_and_signs_out_everywhere(service: Service) -> None:
    made, other = sign_up(service, "alice"), sign_up(service, "bob")
    code = made["recovery_code"]
    assert len(spelled(code)) == 25
    tokens = [ok(log_in(service, "alice", "correct horse"))["token"] for _ in range(2)]
    bobs = ok(log_in(service, "bob", "correct horse"))["token"]
    following = ok(recover(service, "Alice", code.lower().replace("-", " ")))["recovery_code"]
    assert [who(service, token) for token in (*tokens, bobs)] == [401, 401, 200]
    assert log_in(service, "alice", "correct horse").json()["code"] == "credentials_refused"
    assert ok(log_in(service, "alice", NEW))["account"]["id"] == made["id"]
    for name, spent in (("alice", code), ("alice", other["recovery_code"]), ("nobody", following), ("alice", "")):
        refused = recover(service, name, spent, "a third horse")
        assert (refused.status_code, refused.json()["code"]) == (401, "credentials_refused")
    ok(log_in(service, "alice", NEW))
    ok(recover(service, "alice", following, "a third horse"))
    ok(log_in(service, "alice", "a third horse"))


def test_a_code_is_renewed_by_the_password_and_not_by_a_login_alone(service: Service) -> None:
    first = sign_up(service, "alice")["recovery_code"]
    token = bearer(ok(log_in(service, "alice", "correct horse"))["token"])
    wrong = service.http.post("/v1/me/recovery-code", json={"password": "wrong horse"}, headers=token)
    assert wrong.json()["code"] == "credentials_refused"
    path, body = "/v1/me/recovery-code", {"password": "correct horse"}
    second = ok(service.http.post(path, json=body, headers=token))["recovery_code"]
    assert recover(service, "alice", first).json()["code"] == "credentials_refused"
    ok(recover(service, "alice", second))


def test_the_operator_resets_in_the_auditors_sight(tmp_path: Any) -> None:
    service = Service(tmp_path, {"auditor_token": AUDITOR})
    made = sign_up(service, "alice")
    token = ok(log_in(service, "alice", "correct horse"))["token"]
    path, body = f"/v1/accounts/{made['id']}/reset", {"reason": "lost everything, came with a passport"}
    assert service.http.post(path, json=body, headers=bearer(token)).json()["code"] == "forbidden"
    code = ok(service.http.post(path, json=body, headers=bearer(OPERATOR)))["recovery_code"]
    assert who(service, token) == 401
    assert log_in(service, "alice", "correct horse").json()["code"] == "credentials_refused"
    assert recover(service, "alice", made["recovery_code"]).json()["code"] == "credentials_refused"
    ok(recover(service, "alice", code))
    ok(log_in(service, "alice", NEW))
    told = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    assert [(one["kind"], one["data"]) for one in told[:1]] == [("reset", {"account": made["id"]} | body)]
    missing = service.http.post(f"/v1/accounts/{'0' * 32}/reset", json=body, headers=bearer(OPERATOR))
    assert missing.json()["code"] == "unknown_account"
    service.stop()


def test_codes_are_counted_like_passwords(service: Service) -> None:
    code = sign_up(service, "alice")["recovery_code"]
    answers = {recover(service, "alice", "0" * 25).json()["code"] for _ in range(21)}
    assert answers == {"credentials_refused", "rate_limited"}
    assert recover(service, "alice", code).json()["code"] == "rate_limited"


def test_the_code_is_nowhere_in_the_database(service: Service) -> None:
    code = sign_up(service, "alice")["recovery_code"]
    kept = b"".join(file.read_bytes() for file in service.folder.glob("fairdeal.db*"))
    assert b"alice" in kept
    assert code.encode() not in kept
    assert spelled(code).encode() not in kept
