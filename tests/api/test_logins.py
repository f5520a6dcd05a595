"""Who calls: names, passwords, logins, and the operator's token."""

import unicodedata
from pathlib import Path

import pytest

from tests.api.table import OPERATOR, Person, Service, bearer, code, ok, sit_two

SAME_CALL = {"X-Request-Id": "one-and-the-same"}


def test_names_and_passwords(service: Service) -> None:
    service.person("alice")
    taken = service.http.post("/v1/accounts", json={"name": "alice", "password": "another one"})
    assert code(taken) == (409, "name_taken")
    answers = [
        service.http.post("/v1/sessions", json={"name": name, "password": password}, headers=SAME_CALL)
        for name, password in (("alice", "wrong horse"), ("nobody", "correct horse"))
    ]
    assert [code(answer) for answer in answers] == [(401, "credentials_refused")] * 2
    assert answers[0].content == answers[1].content
    assert answers[0].headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("name", ["Zoé", "Zoe\u0301", "Œdipe-2", "7.na_me", "É" * 32])
def test_a_name_has_the_letters_of_western_europe(name: str, service: Service) -> None:
    composed = unicodedata.normalize("NFC", name)
    assert service.person(name).get("/v1/me").json()["name"] == composed
    for other in (composed.upper(), composed.lower(), unicodedata.normalize("NFD", composed)):
        body = {"name": other, "password": "correct horse"}
        assert code(service.http.post("/v1/accounts", json=body)) == (409, "name_taken")
        assert ok(service.http.post("/v1/sessions", json=body))["account"]["name"] == composed


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a" * 33,
        "-a",
        ".a",
        "a b",
        "a\n",
        "аlice",
        "al\u202eice",
        "al\u200dice",
        "a\u0334",
        "ﬁn",
        "Ａ",
        "x×y",
        "ı",
        "é\u0301",
    ],
)
def test_a_name_has_no_other_letters_and_is_told_so(name: str, service: Service) -> None:
    answer = service.http.post("/v1/accounts", json={"name": name, "password": "correct horse"})
    assert code(answer) == (422, "invalid_request")
    assert "accents of western Europe" in answer.json()["faults"][0]["why"]


def test_a_token_comes_in_one_form(service: Service) -> None:
    """The scheme's case does not matter (RFC 9110, section 11.1); everything else does."""
    alice = service.person("alice")
    token = alice.headers["Authorization"].removeprefix("Bearer ")
    forms = (
        "{}",
        "Basic {}",
        "Token {}",
        "Bearer",
        "Bearer ",
        "Bearer {} x",
        "Bearer\t{}",
        "Bearer {}\xff",
        "Bearer {}0",
    )
    given = [*(form.format(token) for form in forms), f"Bearer {token.upper()}", "Bearer " + "a" * 10_000, ""]
    for form in given:
        headers = {"Authorization": form.encode("latin-1")}
        assert code(service.http.get("/v1/me", headers=headers)) == (401, "unauthenticated")
        assert code(service.http.get("/v1/switches", headers=headers)) == (403, "forbidden")
    for scheme in ("bearer", "BEARER"):
        assert ok(service.http.get("/v1/me", headers={"Authorization": f"{scheme} {token}"}))["id"] == alice.id
        assert service.http.get("/v1/switches", headers={"Authorization": f"{scheme} {OPERATOR}"}).is_success


def test_logging_out_everywhere_ends_every_login_of_this_account(service: Service) -> None:
    alice, bob = service.person("alice"), service.person("bob")
    other = ok(service.http.post("/v1/sessions", json={"name": "alice", "password": "correct horse"}))["token"]
    assert service.http.delete("/v1/sessions").status_code == 401
    assert alice.delete("/v1/sessions").status_code == 204
    for ended in (alice.headers, bearer(other)):
        assert code(service.http.get("/v1/me", headers=ended)) == (401, "unauthenticated")
    assert ok(bob.get("/v1/me"))["name"] == "bob"


def test_a_cookie_that_is_no_login_any_more_goes_with_the_refusal(service: Service) -> None:
    alice, _ = sit_two(service)
    http, own = service.http, {"Origin": "http://testserver"}
    http.post("/v1/sessions", json={"name": "alice", "password": "correct horse", "cookie": True}, headers=own)
    ok(http.get(f"/v1/tables/{alice.m}"))
    service.app.state.services.accounts.log_out_everywhere(alice.person.id)
    refused = http.get(f"/v1/tables/{alice.m}")
    assert code(refused) == (401, "unauthenticated")
    assert "Max-Age=0" in refused.headers["set-cookie"]
    assert not http.cookies
    ok(http.get(f"/v1/tables/{alice.m}"))
    assert "set-cookie" not in alice.person.get("/v1/me").headers
    for _ in range(2):
        assert http.delete("/v1/sessions/current", headers=own).status_code == 204


def test_a_login_ends_when_it_is_ended_and_when_it_expires(service: Service) -> None:
    alice = service.person("alice")
    other = ok(service.http.post("/v1/sessions", json={"name": "alice", "password": "correct horse"}))
    assert alice.delete("/v1/sessions/current").status_code == 204
    assert code(alice.get("/v1/me")) == (401, "unauthenticated")
    alice.headers = bearer(other["token"])
    assert ok(alice.get("/v1/me"))["name"] == "alice"
    service.clock.ms = other["expires_at"]
    assert code(alice.get("/v1/me")) == (401, "unauthenticated")


def test_a_browser_logs_in_by_a_cookie_that_only_our_own_page_can_use(service: Service) -> None:
    service.person("alice")
    http, own = service.http, {"Origin": "http://testserver"}
    body = {"name": "alice", "password": "correct horse", "cookie": True}
    assert code(http.post("/v1/sessions", json=body)) == (403, "forbidden")
    answer = http.post("/v1/sessions", json=body, headers=own)
    assert answer.json()["token"] is None
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert ok(http.get("/v1/me"))["name"] == "alice"
    table = {"game": "duel", "stake": 0}
    assert code(http.post("/v1/tables", json=table)) == (403, "forbidden")
    assert code(http.post("/v1/tables", json=table, headers={"Origin": "https://evil.example"})) == (403, "forbidden")
    assert ok(http.post("/v1/tables", json=table, headers=own))["m"]
    assert http.delete("/v1/sessions/current", headers=own).status_code == 204
    assert code(http.get("/v1/me")) == (401, "unauthenticated")


def test_the_operator_marks_machines_and_they_play_for_nothing_only(service: Service) -> None:
    bot = {"name": "robot", "password": "correct horse", "kind": "bot"}
    assert code(service.http.post("/v1/accounts", json=bot)) == (403, "forbidden")
    assert code(service.http.post("/v1/accounts", json=bot, headers=bearer(OPERATOR + "x"))) == (403, "forbidden")
    robot = Person(service, "robot", 100, kind="bot")
    alice = service.person("alice", 100)
    staked = ok(alice.post("/v1/tables", {"game": "duel", "stake": 1}))["m"]
    assert code(robot.post(f"/v1/tables/{staked}/seats", {}, key="sit-down-robot")) == (403, "bot_refused")
    free = ok(alice.post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
    seats = ok(robot.post(f"/v1/tables/{free}/seats", {}, key="sit-robot-free"))["seats"]
    assert [seat["kind"] for seat in seats] == ["bot", None]


def test_without_an_operator_token_nobody_is_the_operator(tmp_path: Path) -> None:
    service = Service(tmp_path, {"operator_token": None})
    for header in ({}, bearer(""), bearer("None"), bearer(OPERATOR)):
        answer = service.http.post(
            "/v1/deposits",
            json={"account": "0" * 32, "amount": 1},
            headers=header | {"Idempotency-Key": "deposit-1"},
        )
        assert code(answer) == (403, "forbidden")
    service.stop()
