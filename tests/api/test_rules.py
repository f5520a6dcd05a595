"""`/v1/rules`: the cases, the same answers as the command, how long they may be kept, and how it refuses."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from fairdeal.cli import app
from tests.api.table import Service
from tests.rules.questions import Question, arguments_of, facts


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    service = Service(tmp_path_factory.mktemp("rules"))
    yield service.http
    service.stop()


def test_a_case_is_answered_as_by_the_command(http: TestClient, question: Question) -> None:
    told = http.get(f"/v1/rules/{question.name}", params=question.asked)
    assert told.status_code == 200, told.text
    assert facts(question, told.json()) == question.expect
    arguments = [*arguments_of(question.name, question.asked), "--json", "--lang=en"]
    assert told.json() == json.loads(CliRunner().invoke(app, arguments).stdout)


SPADES = "S7,S8,S9,S10,SJ,SQ,SK,SA"


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("bids", {"game": "coinche", "auction": "80S,pass,100♥,coinche"}),
        ("bids", {"game": "classique", "auction": "pass", "turned": "V♥", "dealer": 2}),
        ("announcements", {"hand": SPADES, "trump": "♠"}),
        ("count", {"game": "duel", "trump": "S", "taken": SPADES, "last_trick": 0}),
    ],
)
def test_the_same_answer_as_the_command(http: TestClient, name: str, asked: dict[str, Any]) -> None:
    told = http.get(f"/v1/rules/{name}", params=asked, headers={"Accept-Language": "fr-FR,fr;q=0.9"})
    arguments = [*arguments_of(name, asked), "--json", "--lang=fr"]
    assert told.json() == json.loads(CliRunner().invoke(app, arguments).stdout)


def test_the_list(http: TestClient) -> None:
    told = http.get("/v1/rules")
    assert told.json() == json.loads(CliRunner().invoke(app, ["rules", "list", "--json"]).stdout)


def test_answers_may_be_kept_and_refusals_not(http: TestClient) -> None:
    asked = {"game": "duel", "trump": "S", "trick": "S7,S8"}
    kept = http.get("/v1/rules/trick", params=asked).headers
    assert (kept["cache-control"], kept["vary"]) == ("public, max-age=3600", "Accept-Language")
    assert http.get("/v1/rules/trick", params=asked | {"trick": "S7"}).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("name", "asked", "code"),
    [
        ("trick", {"game": "duel", "trump": "S"}, "invalid_request"),
        ("trick", {"game": "duel", "trump": "S", "trick": "S7,S8", "more": "1"}, "invalid_request"),
        ("trick", {"game": "duel", "trump": "S", "trick": "S7,S8", "leader": "4"}, "invalid_request"),
        ("trick", {"game": "duel", "trump": "S", "trick": "S" * 161}, "invalid_request"),
        ("trick", {"game": "duel", "trump": "S", "trick": "S7,S7"}, "malformed"),
        ("trick", {"game": "poker", "trump": "S", "trick": "S7,S8"}, "malformed"),
        ("marks", {"game": "duel", "taker": "0", "points": "100,60"}, "malformed"),
        ("marks", {"game": "coinche", "taker": "0", "points": "82,80", "double": "twice"}, "invalid_request"),
        ("bids", {"game": "coinche", "auction": "80S,80H"}, "illegal_action"),
    ],
)
def test_refusals_are_problems(http: TestClient, name: str, asked: dict[str, str], code: str) -> None:
    told = http.get(f"/v1/rules/{name}", params=asked)
    assert told.headers["content-type"] == "application/problem+json"
    assert (told.status_code, told.json()["code"]) == (422, code)


def test_the_word_that_may_not_be_said(http: TestClient) -> None:
    asked = {"game": "coinche", "auction": "80S,pass,80H"}
    told = http.get("/v1/rules/bids", params=asked, headers={"Accept-Language": "fr"}).json()
    assert (told["at"], told["reason"]) == (2, "bid_not_allowed")
    assert told["detail"] == "80H: Cette enchère n’est pas permise à ce moment."
