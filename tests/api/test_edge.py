"""What the door and the edge refuse, and how they say it."""

import json
import logging
from typing import Any

import pytest

from fairdeal import errors
from fairdeal.api import problems
from fairdeal.api.caller import is_french
from fairdeal.api.json_logging import JsonLines
from tests.api.table import OPERATOR, Service, bearer, code, ok, on_turn, sit_two, start_two

JSON = {"Content-Type": "application/json"}


def test_every_error_of_ours_has_its_answer() -> None:
    def walk(error: type[errors.FairdealError]) -> set[type[errors.FairdealError]]:
        return {error}.union(*(walk(child) for child in error.__subclasses__()))

    ours = {error for error in walk(errors.FairdealError) if error.__module__.startswith("fairdeal.errors.")}
    assert set(problems.OURS) == ours
    codes = [error.code for error in ours]
    assert len(codes) == len(set(codes))
    assert not set(codes) & set(problems.EDGE)


def test_every_type_is_a_page(service: Service) -> None:
    for name, kind in problems.KINDS.items():
        page = service.http.get(problems.TYPE_PREFIX + name)
        assert page.status_code == 200
        assert str(kind.status) in page.text
    assert service.http.get("/v1/errors/no_such").status_code == 404
    assert all(f"/{name}'" in service.http.get("/v1/errors").text for name in problems.KINDS)


def test_what_the_edge_refuses(service: Service) -> None:
    http, json_type = service.http, {"Content-Type": "application/json"}
    path = "/v1/accounts"
    assert code(http.get("/v1/nothing")) == (404, "not_found")
    wrong_method = http.put(path)
    assert code(wrong_method) == (405, "method_not_allowed")
    assert wrong_method.headers["allow"] == "POST"
    assert http.put("/v1/tables").headers["allow"] == "GET, HEAD, POST"
    assert code(http.put(f"/v1/tables/{'0' * 32}/seats/me")) == (405, "method_not_allowed")
    assert code(http.get("/v1/tables/", headers={"Host": "evil.example"})) == (404, "not_found")
    assert http.head("/healthz").status_code == http.head("/readyz").status_code == 200
    home = http.get("/", follow_redirects=False)
    assert (home.status_code, home.headers["location"], home.headers["cache-control"]) == (307, "/docs", "no-store")
    assert code(http.post(path, content=b"x" * 16_385, headers=json_type)) == (413, "body_too_large")
    assert code(http.post(path, content=iter([b"x" * 9_000] * 2), headers=json_type)) == (413, "body_too_large")
    assert code(http.post(path, content=b"{}", headers={"Content-Type": "text/plain"})) == (
        415,
        "unsupported_media_type",
    )
    assert code(http.post(path, content=b"{}")) == (415, "unsupported_media_type")
    assert code(http.post(path, content=b"{", headers=json_type)) == (400, "bad_request")
    assert code(http.post(path, content=b"\xff\xfe", headers=json_type)) == (400, "bad_request")
    assert code(http.post(path, content=b"[" * 16_000, headers=json_type)) == (400, "bad_request")
    assert code(http.post(path, content=b'{"a":' + b"9" * 5_000 + b"}", headers=json_type)) == (400, "bad_request")
    for ambiguous in (
        b'\xef\xbb\xbf{"name":"alice","password":"correct horse"}',
        '{"name":"alice","password":"correct horse"}'.encode("utf-16"),
        b'{"name":"alice","name":"bob","password":"correct horse"}',
        b'{"name":"alice","password":"correct horse","kind":{"a":1,"a":1}}',
        b'{"name":"alice","password":"correct horse","kind":NaN}',
    ):
        assert code(http.post(path, content=ambiguous, headers=json_type)) == (400, "bad_request")
    assert code(http.post(path, content=b"", headers=json_type)) == (422, "invalid_request")
    assert code(http.get("/v1/tables/XYZ")) == (422, "invalid_request")
    assert code(http.get(f"/v1/tables/{'0' * 32}")) == (404, "unknown_match")


@pytest.mark.parametrize("name", ["Authorization", "Idempotency-Key", "Content-Type", "Origin"])
def test_a_header_that_decides_comes_once(name: str, service: Service) -> None:
    alice = service.person("alice")
    given = {"Content-Type": "application/json", "Idempotency-Key": "deposit-1", "Origin": "http://testserver"}
    headers = [*(alice.headers | given).items()]
    twice = [*headers, *((key, value) for key, value in headers if key == name)]
    body = b'{"game":"duel","stake":0}'
    assert code(service.http.post("/v1/tables", content=body, headers=twice)) == (400, "bad_request")
    assert service.http.post("/v1/tables", content=body, headers=headers).status_code == 201


def test_faults_name_their_place_and_never_what_was_sent(service: Service) -> None:
    answer = service.http.post("/v1/accounts", json={"name": "alice", "password": "short", "also": "my secret"})
    assert code(answer) == (422, "invalid_request")
    assert [fault["where"] for fault in answer.json()["faults"]] == [["body", "password"], ["body", "also"]]
    assert "short" not in answer.text
    assert "my secret" not in answer.text


def test_the_language_asked_for_first_is_spoken() -> None:
    french = ("fr", "fr-CA", "FR, en", "en;q=0.5, fr", "de, fr;q=0.3, en;q=0.2", "en;q=0, fr;q=0.1")
    english = (
        "",
        "en",
        "*",
        "de",
        "en, fr",
        "fr;q=0.1,en;q=0.9",
        "fr;q=0",
        "en-GB,fr;q=1.0",
        "fr;q=0.7, en;q=0.8, *;q=0.1",
    )
    assert [is_french(language) for language in french + english] == [True] * len(french) + [False] * len(english)


def test_more_events_than_there_are(service: Service) -> None:
    alice, _ = sit_two(service)
    assert code(alice.person.get(f"/v1/matches/{alice.m}", params={"from": 2})) == (422, "malformed")


def test_health_and_readiness(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ok(service.http.get("/healthz")) == {"status": "ok"}
    assert ok(service.http.get("/readyz")) == {"status": "ok", "warnings": []}

    def broken() -> None:
        raise errors.SchemaMismatch("version 7 of /somewhere/secret.db")

    monkeypatch.setattr(service.store, "check_ready", broken)
    answer = service.http.get("/readyz")
    assert code(answer) == (503, "schema_mismatch")
    assert "secret" not in answer.text
    assert ok(service.http.get("/healthz"))


def test_an_unforeseen_fault_shows_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    alice = service.person("alice", 1)

    def broken(*_: object) -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(service.app.state.services.accounts, "wallet", broken)
    with caplog.at_level(logging.INFO):
        answer = alice.get("/v1/wallet")
    assert code(answer) == (500, "internal_error")
    assert "the secret" not in answer.text + "".join(JsonLines().format(record) for record in caplog.records)


def test_no_path_breaks_a_line_of_the_log_or_fills_it(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert code(service.http.get(f"/v1/%C2%85%E2%80%A8%1B%C2%9B2J%00{'é' * 5_000}")) == (400, "bad_request")
    (line,) = (JsonLines().format(record) for record in caplog.records if record.message == "call")
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 2_000


def test_headers_that_every_answer_has(service: Service) -> None:
    for path in ("/healthz", "/v1/nothing", "/docs"):
        headers = service.http.get(path).headers
        assert len(headers["x-request-id"]) == 16
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    assert "http" not in service.http.get("/docs").text.replace("Bearer", "")


def test_the_page_of_calls_shows_their_bodies(service: Service) -> None:
    page = service.http.get("/docs").text
    assert "`" not in page
    for members in (
        "name, password, kind",
        "do, root, seat, sig, size",
        "stake, asset, private, decision_ms, game, target",
    ):
        assert f"<code>{members}</code>" in page


def test_a_size_past_what_the_protocol_writes_is_no_size(service: Service) -> None:
    player = on_turn(start_two(service))
    action = player.sign({"bid": "take"}, size=2**53 - 1)
    assert code(player.send(action)) == (409, "root_mismatch")
    assert code(player.send(action | {"size": 2**53})) == (422, "invalid_request")
    path = f"/v1/matches/{player.m}"
    assert code(player.person.get(path, params={"from": 2**53 - 1})) == (422, "malformed")
    assert code(player.person.get(path, params={"from": 2**53})) == (422, "invalid_request")


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("asst=JETON", ("asst", "is not asked for")),
        ("asset=JETON&asset=EUR", ("asset", "stands there twice")),
        ("asset=JETON&a=1&b=2", ("a", "is not asked for")),
        (f"{'x' * 1_000}=1", ("x" * 64, "is not asked for")),
    ],
)
def test_nothing_in_a_query_is_passed_over(service: Service, query: str, fault: tuple[str, str]) -> None:
    alice = service.person("alice")
    answer = alice.get(f"/v1/wallet?{query}")
    assert code(answer) == (422, "invalid_request")
    (told,) = answer.json()["faults"]
    assert (told["where"], told["why"]) == (["query", fault[0]], fault[1])
    assert alice.get("/v1/wallet?asset=JETON").status_code == 200


def test_a_move_has_no_query(service: Service) -> None:
    player = on_turn(start_two(service))
    path = f"/v1/matches/{player.m}/actions?now=1"
    assert code(player.person.post(path, player.sign({"bid": "take"}))) == (422, "invalid_request")


def test_a_call_is_timed_by_its_last_byte(service: Service) -> None:
    """Time spent sending the body is the sender's."""
    player = on_turn(start_two(service))
    body = json.dumps(player.sign({"bid": "take"})).encode()
    service.tick(34_000)

    def late() -> Any:
        yield body[:-1]
        service.clock.ms += 1
        yield body[-1:]

    headers = player.person.headers | {"Content-Type": "application/json"}
    answer = service.http.post(f"/v1/matches/{player.m}/actions", content=late(), headers=headers)
    assert code(answer) == (409, "late")


def test_text_that_is_no_text(service: Service) -> None:
    for body in (
        b'{"name":"alice","password":"\\ud800 correct"}',
        b'{"name":"alice\\u0000","password":"correct horse"}',
        b'{"name":"alice","password":"correct horse","\\ud800":1}',
    ):
        answer = service.http.post("/v1/accounts", content=body, headers=JSON)
        assert code(answer) == (422, "invalid_request")
    answer = service.http.post("/v1/sessions", content=b'{"name":"\\udfff","password":"x"}', headers=JSON)
    assert code(answer) == (422, "invalid_request")


@pytest.mark.parametrize("reason", ["", " ", "\u3000", "a\0b", "\x1b[2J", "two\nlines", "\x85", "x" * 501])
def test_a_reason_is_a_line_that_says_something(reason: str, service: Service) -> None:
    """It is kept for ever, by databases that take no NUL, and read in terminals."""
    alice = service.person("alice")
    calls = {
        f"/v1/accounts/{alice.id}/reset": {},
        "/v1/audit/identify": {"player": "0" * 32},
        "/v1/switches": {"account": None, "play": "off"},
    }
    for path, body in calls.items():
        answer = service.http.post(path, json=body | {"reason": reason}, headers=bearer(OPERATOR))
        assert code(answer) == (422, "invalid_request")
    assert ok(alice.get("/v1/me"))["id"] == alice.id
