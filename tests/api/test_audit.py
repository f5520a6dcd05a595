"""What an auditor reads, that reading is all an auditor can do, and that nobody is identified unseen."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fairdeal.app import audit
from fairdeal.app.tables import RULESETS
from fairdeal.settings import Settings
from tests.api.table import (
    AUDITOR,
    OPERATOR,
    Player,
    Service,
    bearer,
    join_two,
    ok,
    play_out,
    sit_two,
    start_four,
    start_two,
)

FOREVER = "max-age=31536000, immutable"
NOBODY = "f" * 32
OF_THE_AUDITOR = {"log_ledger", "log_seats", "match_records", "significant_events"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path, {"auditor_token": AUDITOR})
    yield running
    running.stop()


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "PAGE_LINES", 4)


def read(service: Service, path: str, token: str | None = AUDITOR) -> Any:
    return service.http.get(path, headers=bearer(token) if token else {})


def lines(service: Service, path: str) -> list[bytes]:
    answer = read(service, path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.content == b"" or answer.content.endswith(b"\n")
    return [*answer.content.splitlines()]


def identify(service: Service, player: str, reason: str = "complaint 17", token: str = OPERATOR) -> Any:
    body = {"player": player, "reason": reason}
    return service.http.post("/v1/audit/identify", json=body, headers=bearer(token))


def events(service: Service) -> list[dict[str, Any]]:
    """Without what the first start told."""
    shown: list[dict[str, Any]] = ok(read(service, "/v1/audit/events"))["events"]
    return [event for event in shown if event["kind"] not in ("key", "schedule")]


def resign(players: tuple[Player, ...]) -> None:
    ok(players[0].send(players[0].sign({"resign": True})))


def everything(service: Service) -> str:
    with closing(sqlite3.connect(f"file:{service.folder / 'fairdeal.db'}?mode=ro", uri=True)) as database:
        return "\n".join(database.iterdump())


def operations(service: Service) -> Iterator[tuple[str, str, str, bool]]:
    """Every operation: id, method, path with a live match in it, and whether a body is asked for."""
    players = start_two(service)
    # Nothing waits for the log: on a slow machine a later call would append it.
    ok(service.http.get(f"/v1/matches/{players[0].m}/log?since=0&leaf=start"))
    values = {"m": players[0].m, "code": "ABCDEFGH", "seat": "1", "page": "0", "game": "duel"}
    for path, methods in service.app.openapi()["paths"].items():
        if path.endswith("/stream"):
            continue  # opened by a session like its match; an open stream would hold the test
        for method, operation in methods.items():
            names = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
            filled = path.format(**{name: values.get(name, "1") for name in names})
            yield operation["operationId"], method, filled, "requestBody" in operation


BODIES: dict[str, dict[str, Any]] = {
    "deposit": {"account": "0" * 32, "amount": 5},
    "open_table": {"game": "duel", "stake": 5},
    "identify": {"player": NOBODY, "reason": "curious"},
    "sit": {},
}


def test_the_auditors_token_reads_its_pages_and_opens_nothing_else(service: Service) -> None:
    every = [*operations(service)]
    service.tick()  # looking whether the service is ready beats once a second
    for name, method, path, with_body in every:
        body = {"json": BODIES.get(name, {"name": "x"})} if with_body else {}
        key = {"Idempotency-Key": f"try-{name}"}
        before = everything(service)
        answered = service.http.request(method, path, headers=bearer(AUDITOR) | key, **body)
        unnamed = service.http.request(method, path, headers=key, **body)
        assert everything(service) == before, name
        if name in OF_THE_AUDITOR:
            assert (answered.status_code, unnamed.status_code) == (200, 403), name
            for token in (OPERATOR, "x" * 26, AUDITOR + "x"):
                assert read(service, path, token).json()["code"] == "forbidden", name
        else:
            assert answered.status_code in (unnamed.status_code, 401), name
    for method in ("post", "put", "patch", "delete"):
        for path in ("/log/ledger/0.jsonl", "/log/seats/0.jsonl", "/v1/audit/events", "/v1/audit/matches"):
            assert service.http.request(method, path, headers=bearer(AUDITOR)).status_code == 405


def test_what_the_operator_does_is_not_done_by_the_auditor(service: Service) -> None:
    """With bodies that the operator's token would be obeyed for."""
    players = start_two(service)
    before = everything(service)
    account = players[0].person.id
    headers = bearer(AUDITOR) | {"Idempotency-Key": "a-gift-for-alice"}
    for path, body in (
        ("/v1/deposits", {"account": account, "amount": 5}),
        (f"/v1/matches/{players[0].m}/void", None),
        ("/v1/audit/identify", {"player": players[0].player, "reason": "curious"}),
        ("/v1/accounts", {"name": "robot", "password": "correct horse", "kind": "bot"}),
    ):
        answer = service.http.post(path, json=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), path
    assert everything(service) == before


def test_without_a_token_in_the_settings_there_is_no_auditor(tmp_path: Path) -> None:
    service = Service(tmp_path)
    for token in ("", "None", AUDITOR, OPERATOR):
        assert read(service, "/log/ledger/0.jsonl", token).status_code == 403
    service.stop()


@pytest.mark.parametrize(
    ("operator", "auditor", "fits"),
    [(None, "a" * 15, False), (None, "a" * 16, True), ("a" * 16, "a" * 16, False), ("a" * 16, "b" * 16, True)],
)
def test_which_tokens_a_service_starts_with(operator: str | None, auditor: str, fits: bool) -> None:
    def made() -> Settings:
        return Settings(operator_token=operator, auditor_token=auditor)  # type: ignore[arg-type]

    if fits:
        assert auditor not in repr(made())
        return
    with pytest.raises(ValidationError) as refused:
        made()
    assert auditor not in str(refused.value)


def test_a_match_is_one_event_until_it_has_closed(service: Service) -> None:
    players = start_two(service)
    path = f"/log/matches/{players[0].m}.jsonl"
    for token in (None, AUDITOR, OPERATOR):
        assert read(service, path, token).content == service.store.events(players[0].m)[0] + b"\n"
    assert players[0].person.get(path).content.count(b"\n") == 1
    assert read(service, path).headers["cache-control"] == "no-cache"
    resign(players)
    whole = read(service, path, None)
    assert whole.content == read(service, f"/v1/matches/{players[0].m}/transcript", None).content
    assert json.loads(whole.content.splitlines()[-1])["type"] == "settle"
    assert whole.headers["cache-control"] == f"public, {FOREVER}"
    assert read(service, f"/log/matches/{NOBODY}.jsonl").json()["code"] == "unknown_match"
    assert read(service, "/log/matches/x.jsonl").status_code == 422


def test_a_table_that_was_called_off_is_whole(service: Service) -> None:
    alice = service.person("alice", 100)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    ok(alice.post(f"/v1/tables/{m}/cancel", {}))
    assert [json.loads(line)["type"] for line in lines(service, f"/log/matches/{m}.jsonl")] == ["open", "end", "reveal"]
    assert lines(service, "/log/seats/0.jsonl") == []


def test_of_a_match_that_was_lost_what_is_left_is_shown(service: Service) -> None:
    players = start_two(service)
    m = players[0].m
    service.app.state.services.matches.lose(m, service.clock.ms, logged=False)
    left = read(service, f"/log/matches/{m}.jsonl", None)
    assert left.content == b"".join(line + b"\n" for line in service.store.events(m))
    assert left.content.count(b"\n") > 1
    assert left.headers["cache-control"] == f"public, {FOREVER}"


@pytest.mark.usefixtures("small_pages")
def test_the_journal_in_pages(service: Service) -> None:
    """Two deposits, two sittings: a full page; the next one is there, and empty, before anything stands on it."""
    players = sit_two(service)
    first = read(service, "/log/ledger/0.jsonl")
    assert first.headers["cache-control"] == f"private, {FOREVER}"
    assert read(service, "/log/ledger/1.jsonl").headers["cache-control"] == "no-cache"
    assert lines(service, "/log/ledger/1.jsonl") == []
    assert read(service, "/log/ledger/2.jsonl").json()["code"] == "not_found"
    for player in players:
        player.join()
    assert read(service, "/log/ledger/0.jsonl").content == first.content
    kinds = [json.loads(line)["kind"] for page in (0, 1) for line in lines(service, f"/log/ledger/{page}.jsonl")]
    assert kinds == ["deposit", "deposit", "sit", "sit", "pot"]
    told = json.loads(lines(service, "/log/ledger/1.jsonl")[0])
    assert told["id"] == f"pot:{players[0].m}"
    assert {"account": f"match:{players[0].m}:pot", "amount": 200} in told["entries"]
    assert set(told) == {"asset", "at", "entries", "format", "id", "kind", "match"}


@pytest.mark.parametrize("page", ["00", "01", "-1", "1e3", "9999999999", "x"])
def test_a_page_has_one_name(page: str, service: Service) -> None:
    assert read(service, f"/log/ledger/{page}.jsonl").status_code in (404, 422)
    assert read(service, f"/log/seats/{page}.jsonl").status_code in (404, 422)


@pytest.mark.usefixtures("small_pages")
def test_seats_stand_from_the_last_join_on_in_one_order(service: Service) -> None:
    players = sit_two(service)
    assert lines(service, "/log/seats/0.jsonl") == []
    for player in players:
        player.join()
    seats = [
        {"account": player.person.id, "m": player.m, "player": player.player, "seat": player.seat}
        for player in sorted(players, key=lambda one: one.seat)
    ]
    assert [json.loads(line) for line in lines(service, "/log/seats/0.jsonl")] == seats
    assert read(service, "/log/seats/0.jsonl").headers["cache-control"] == "no-cache"
    service.tick(200_000)  # no seed came: the match has ended, and the seats stay
    assert [json.loads(line) for line in lines(service, "/log/seats/0.jsonl")] == seats


def test_nothing_public_names_an_account(service: Service) -> None:
    players = start_four(service)
    resign(players)
    m = players[0].m
    public = [f"/log/matches/{m}.jsonl", f"/v1/tables/{m}", f"/v1/matches/{m}/bundle", "/v1/tables"]
    told = b"".join(read(service, path, None).content for path in public).lower()
    assert told.count(players[0].player.encode()) > 1
    for player in players:
        for private in (player.person.id, player.person.name):
            assert private.encode() not in told
    seats = b"\n".join(lines(service, "/log/seats/0.jsonl"))
    assert all(player.person.id.encode() in seats for player in players)


def test_the_operator_asks_whose_a_pseudonym_is_and_the_auditor_sees_it(service: Service) -> None:
    players = join_two(service)
    told = ok(identify(service, players[1].player))
    bob = players[1]
    assert told == {"account": bob.person.id, "name": bob.person.name, "m": bob.m, "seat": bob.seat}
    asked = {"m": bob.m, "player": bob.player, "reason": "complaint 17", "seat": bob.seat}
    assert events(service) == [{"at": service.clock.ms, "kind": "identify", "data": asked}]


def test_asking_about_nobody_is_refused_and_seen_all_the_same(service: Service) -> None:
    refused = identify(service, NOBODY, "a guess")
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_player")
    assert [event["data"] for event in events(service)] == [
        {"m": None, "player": NOBODY, "reason": "a guess", "seat": None}
    ]


@pytest.mark.parametrize("reason", ["", " ", "\n\t", "x" * 501])
def test_nobody_is_identified_without_a_reason(reason: str, service: Service) -> None:
    players = sit_two(service)
    assert identify(service, players[0].player, reason).status_code == 422
    assert events(service) == []


def test_identifying_is_for_the_operator(service: Service) -> None:
    players = sit_two(service)
    for headers in ({}, players[0].person.headers, bearer(AUDITOR)):
        body = {"player": players[0].player, "reason": "curious"}
        assert service.http.post("/v1/audit/identify", json=body, headers=headers).json()["code"] == "forbidden"
    assert events(service) == []


def test_a_void_by_the_operator_is_seen_once(service: Service) -> None:
    players = join_two(service)
    for _ in range(2):
        ok(service.http.post(f"/v1/matches/{players[0].m}/void", headers=bearer(OPERATOR)))
    assert events(service) == [{"at": service.clock.ms, "kind": "void", "data": {"m": players[0].m}}]


def test_other_endings_are_no_act_of_the_operator(service: Service) -> None:
    join_two(service)
    service.tick(200_000)
    assert events(service) == []


def test_a_void_by_the_rules_is_no_act_of_the_operator(tmp_path: Path) -> None:
    service = Service(tmp_path, {"auditor_token": AUDITOR, "deals_max": 1})
    players = start_two(service)
    play_out(players)
    assert players[0].state is not None
    assert players[0].state.ending is not None
    assert players[0].state.ending.cause == "deal_limit"
    assert events(service) == []
    service.stop()


def test_events_in_pages(service: Service) -> None:
    for number in range(5):
        identify(service, NOBODY, f"guess {number}")
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = ok(read(service, f"/v1/audit/events?limit=2{f'&cursor={cursor}' if cursor else ''}"))
        seen += [event["data"].get("reason", event["kind"]) for event in page["events"]]
        cursor = page["cursor"]
    assert seen == [*(f"guess {number}" for number in (4, 3, 2, 1, 0)), "schedule", *["key"] * 3]


def test_events_of_one_kind_lie_behind_nobodys_others(service: Service) -> None:
    """In pages of their own, whatever a player does meanwhile."""
    alice = service.person("alice")
    for number in range(5):
        identify(service, NOBODY, f"guess {number}")
        for amount in (3, 4):
            limit = {"kind": "stake", "period": "day", "amount": amount - number % 2}
            ok(service.http.put("/v1/me/limits", json=limit, headers=alice.headers))
    path = "/v1/audit/events?kind=identify&limit=2"
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = ok(read(service, f"{path}&cursor={cursor}" if cursor else path))
        seen += [event["data"]["reason"] for event in page["events"]]
        cursor = page["cursor"]
    assert seen == [f"guess {number}" for number in (4, 3, 2, 1, 0)]
    assert ok(read(service, "/v1/audit/events?kind=void")) == {"events": [], "cursor": None}
    for unknown in ("gift", "", "Void", "void,key"):
        refused = read(service, f"/v1/audit/events?kind={unknown}")
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request"), unknown


def test_the_rules_texts(service: Service) -> None:
    for game in RULESETS:
        answer = read(service, f"/log/rules/{game}.md", None)
        assert answer.content == Path(f"docs/rules/{game}.md").read_bytes()
        assert answer.headers["content-type"].startswith("text/markdown")
    for name in ("poker", "..", "..%2f..%2fpyproject", "duel.md", "Duel"):
        assert read(service, f"/log/rules/{name}.md", None).status_code in (400, 404, 422)


def test_the_key_history(service: Service) -> None:
    """The first log key and the first receipts key, from the beginning on."""
    answer = read(service, "/log/keys.jsonl", None)
    assert answer.headers["cache-control"] == "no-cache"
    told = [json.loads(line) for line in lines(service, "/log/keys.jsonl")]
    assert [key["from"] for key in told] == [0, 0]
    assert [key["vkey"].split("+")[0] for key in told] == ["localhost/fairdeal", "localhost/fairdeal/receipts"]
    assert told[0]["vkey"] in read(service, "/log/policy", None).text
