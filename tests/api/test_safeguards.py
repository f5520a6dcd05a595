"""Limits and stops over HTTP."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api.table import AUDITOR, OPERATOR, Service, bearer, ok, start_two

DAY = 86_400_000


def put(person: Any, path: str, body: dict[str, Any]) -> Any:
    return person.service.http.put(path, json=body, headers=person.headers)


def sit(person: Any, m: str, key: str) -> Any:
    return person.post(f"/v1/tables/{m}/seats", {}, key=key)


def test_a_players_own_limit_stops_seats_and_is_raised_a_day_later(service: Service) -> None:
    alice = service.person("alice", 1_000)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    limit = {"kind": "stake", "period": "day", "amount": 99}
    assert ok(put(alice, "/v1/me/limits", limit)) == limit | {"asset": "JETON", "next_amount": None, "next_from": None}
    refused = sit(alice, m, "sit-first")
    assert (refused.status_code, refused.json()["code"]) == (409, "player_limit_reached")
    assert (refused.json()["limit"], refused.json()["period"], refused.json()["left"]) == ("stake", "day", 99)
    raised = ok(put(alice, "/v1/me/limits", limit | {"amount": 100}))
    assert (raised["amount"], raised["next_amount"], raised["next_from"]) == (99, 100, service.clock.ms + DAY)
    assert ok(alice.get("/v1/me/limits"))["limits"] == [raised]
    assert sit(alice, m, "sit-again").json()["code"] == "player_limit_reached"
    service.clock.ms += DAY
    assert ok(alice.get("/v1/me/limits"))["limits"][0]["amount"] == 100
    assert put(alice, "/v1/me/limits", limit | {"period": "year"}).status_code == 422
    assert put(alice, "/v1/me/limits", limit | {"amount": -1}).status_code == 422


def test_who_stops_plays_the_match_to_its_end_and_takes_no_other_seat(service: Service) -> None:
    players = start_two(service)
    alice, now = players[0].person, service.clock.ms
    assert ok(alice.get("/v1/me/exclusion")) == {"kind": None, "at": None, "until": None}
    for body in (
        {"kind": "cool_off", "until": None},
        {"kind": "cool_off", "until": now + 43 * DAY},
        {"kind": "cool_off", "until": now},
        {"kind": "exclusion", "until": now - 1},
    ):
        assert alice.post("/v1/me/exclusion", body).status_code == 422
    stop = ok(alice.post("/v1/me/exclusion", {"kind": "cool_off", "until": now + DAY}))
    assert stop == {"kind": "cool_off", "at": now, "until": now + DAY}
    assert ok(alice.post("/v1/me/exclusion", {"kind": "cool_off", "until": now + 1})) == stop
    assert alice.delete("/v1/me/exclusion").json()["code"] == "method_not_allowed"
    refused = alice.post("/v1/tables", {"game": "duel", "stake": 0})
    assert (refused.status_code, refused.json()["code"], refused.json()["until"]) == (403, "excluded", now + DAY)
    ok(alice.post("/v1/withdrawals", {"amount": 5}, key="withdraw-1"))
    players[0].do({"resign": True})
    service.check_money()


def test_who_waits_at_the_table_sees_that_the_other_has_stopped(service: Service) -> None:
    alice, bob = service.person("alice", 1_000), service.person("bob", 1_000)
    table = ok(alice.post("/v1/tables", {"game": "classique", "stake": 100}))["m"]
    for person in (alice, bob):
        sit(person, table, "sit-first")
    told: list[str] = []
    service.app.state.services.hub.tell_others = told.append
    ok(bob.post("/v1/me/exclusion", {"kind": "exclusion", "until": None}))
    assert told == [f"match {table}"]
    assert (bob.wallet, alice.wallet) == ((1_000, 0), (900, 100))
    seats = ok(alice.get(f"/v1/tables/{table}"))["seats"]
    assert [seat["player"] is not None for seat in seats].count(True) == 1
    service.check_money()


def test_the_switch_is_the_operators_and_is_told_to_the_auditor(tmp_path: Path) -> None:
    service = Service(tmp_path, {"auditor_token": AUDITOR})
    players = start_two(service)
    alice = players[0].person
    body = {"account": None, "play": "off", "reason": "a fault in the rules"}
    assert alice.post("/v1/switches", body).json()["code"] == "forbidden"
    done = ok(service.http.post("/v1/switches", json=body, headers=bearer(OPERATOR)))
    assert [(one["account"], one["reason"]) for one in done["off"]] == [(None, "a fault in the rules")]
    assert alice.post("/v1/tables", {"game": "duel", "stake": 0}).json()["code"] == "play_stopped"
    players[0].do({"resign": True})
    on = ok(service.http.post("/v1/switches", json=body | {"play": "on"}, headers=bearer(OPERATOR)))
    assert on == ok(service.http.get("/v1/switches", headers=bearer(OPERATOR))) == {"off": []}
    ok(alice.post("/v1/tables", {"game": "duel", "stake": 0}))
    told = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    assert [(one["kind"], one["data"]["play"]) for one in told[:2]] == [("switch", "on"), ("switch", "off")]
    assert "switch" not in [one["kind"] for one in told[2:]]
    service.stop()


def test_what_a_player_asks_for_again_answers_the_same_and_is_told_to_nobody(tmp_path: Path) -> None:
    service = Service(tmp_path, {"auditor_token": AUDITOR})
    alice = service.person("alice")
    limit = {"kind": "loss", "period": "week", "amount": 50}
    until = service.clock.ms + DAY

    def thrice(ask: Callable[[], Any]) -> Any:
        first = ok(ask())
        for _ in range(2):
            service.clock.ms += 1
            assert ok(ask()) == first
        return first

    thrice(lambda: put(alice, "/v1/me/limits", limit | {"amount": None}))
    thrice(lambda: put(alice, "/v1/me/limits", limit))
    asked_at = service.clock.ms
    assert thrice(lambda: put(alice, "/v1/me/limits", limit | {"amount": 70}))["next_from"] == asked_at + DAY
    thrice(lambda: alice.post("/v1/me/exclusion", {"kind": "cool_off", "until": until}))
    told = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    assert [one["kind"] for one in told[:4]] == ["exclusion", "limit", "limit", "schedule"]
    service.stop()


@pytest.mark.parametrize("whose", ["everybody", "an account"])
def test_a_switch_that_is_set_already_answers_the_same_and_is_no_second_event(whose: str, tmp_path: Path) -> None:
    service = Service(tmp_path, {"auditor_token": AUDITOR})
    account = None if whose == "everybody" else service.person("alice").id

    def say(play: str, reason: str) -> Any:
        body = {"account": account, "play": play, "reason": reason}
        return ok(service.http.post("/v1/switches", json=body, headers=bearer(OPERATOR)))

    assert say("on", "it is on from the beginning") == {"off": []}
    stopped = say("off", "a fault")
    service.clock.ms += 1
    assert say("off", "a fault") == stopped
    assert [one["reason"] for one in say("off", "another fault")["off"]] == ["another fault"]
    assert say("on", "mended") == say("on", "mended") == say("on", "in other words") == {"off": []}
    told = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    switched = [(one["data"]["play"], one["data"]["reason"]) for one in told if one["kind"] == "switch"]
    assert switched == [("on", "mended"), ("off", "another fault"), ("off", "a fault")]
    service.stop()
