"""What the house opens tables for, and who may sit at them."""

import json
from pathlib import Path

from tests.api.table import Service, code, ok, sit_two


def test_an_account_has_a_bounded_number_of_unfinished_tables(tmp_path: Path) -> None:
    service = Service(tmp_path, {"tables_max": 2})
    alice, table = service.person("alice"), {"game": "duel", "stake": 0}
    opened = [ok(alice.post("/v1/tables", table))["m"] for _ in range(2)]
    assert code(alice.post("/v1/tables", table)) == (409, "limit_exceeded")
    ok(alice.post(f"/v1/tables/{opened[0]}/cancel", {}))
    ok(alice.post("/v1/tables", table))
    service.stop()


def test_the_house_opens_tables_on_its_own_terms_only(service: Service) -> None:
    alice = service.person("alice", 100)
    for terms, expected in (
        ({"decision_ms": 10_000}, "terms_refused"),
        ({"game": "poker"}, "invalid_request"),
        ({"stake": -1}, "invalid_request"),
        ({"stake": 10**15 + 1}, "invalid_request"),
        ({"stake": True}, "invalid_request"),
        ({"stake": 1.0}, "invalid_request"),
        ({"private": 0}, "invalid_request"),
        ({"target": 1}, "invalid_request"),
    ):
        assert code(alice.post("/v1/tables", {"game": "duel", "stake": 1} | terms)) == (422, expected)
    assert ok(service.http.get("/v1/tables"))["tables"] == []


def test_a_table_has_the_house_usual_time_unless_it_asks_for_another(tmp_path: Path) -> None:
    service = Service(tmp_path, {"decisions_ms": [10_000, 60_000]})
    alice = service.person("alice")
    for asked, given in (({}, 10_000), ({"decision_ms": None}, 10_000), ({"decision_ms": 60_000}, 60_000)):
        assert ok(alice.post("/v1/tables", {"game": "duel", "stake": 0} | asked))["decision_ms"] == given
    assert code(alice.post("/v1/tables", {"game": "duel", "stake": 0, "decision_ms": 30_000})) == (422, "terms_refused")
    service.stop()


def test_seats_need_an_idempotency_key(service: Service) -> None:
    alice = service.person("alice", 100)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 1}))["m"]
    assert code(alice.post(f"/v1/tables/{m}/seats", {})) == (422, "invalid_request")
    assert code(alice.post(f"/v1/tables/{m}/seats", {}, key="short")) == (422, "invalid_request")
    assert alice.wallet == (100, 0)


def test_a_third_player_and_the_same_one_twice(service: Service) -> None:
    alice, _ = sit_two(service)
    carol = service.person("carol", 1_000)
    assert code(carol.post(f"/v1/tables/{alice.m}/seats", {}, key="carol-sits")) == (409, "table_closed")
    assert carol.wallet == (1_000, 0)
    described = ok(carol.get(f"/v1/tables/{alice.m}"))
    assert described["you"] is None
    assert described["status"] == "joining"
    assert alice.person.id not in json.dumps(described)
