"""A house of three assets, each with its decimals: tables, wallets, limits, statements and audits keep them apart."""

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fairdeal.app.proof import prove
from fairdeal.cli import app
from fairdeal.errors import Malformed
from fairdeal.ledger import check_books
from tests.agreement.auditor import audit
from tests.api.auditor import export
from tests.api.table import AUDITOR, OPERATOR, Person, Player, Service, bearer, ok

THREE = {
    "auditor_token": AUDITOR,
    "assets": {"EUR": 2, "JPY": 0, "KWD": 3},
    "asset_fees": {"JPY": {"id": "yen-1", "commission_bp": 1_000, "commission_cap": 30}},
}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path, THREE)
    yield running
    running.stop()


def give(person: Person, amount: int, asset: str | None = None) -> Any:
    body = {"account": person.id, "amount": amount} | ({"asset": asset} if asset else {})
    headers = bearer(OPERATOR) | {"Idempotency-Key": f"gift-{person.name}-{amount}-{asset}"}
    return person.service.http.post("/v1/deposits", json=body, headers=headers)


def wallets(person: Person) -> dict[str, tuple[int, int]]:
    shown = ok(person.get("/v1/wallets"))["wallets"]
    return {f"{one['asset']}/{one['exponent']}": (one["cash"], one["held"]) for one in shown}


def play(service: Service, people: tuple[Person, Person], asset: str | None, stake: int) -> str:
    """The second one resigns."""
    m: str = ok(people[0].post("/v1/tables", {"game": "duel", "stake": stake} | ({"asset": asset} if asset else {})))[
        "m"
    ]
    players = [Player(person, m) for person in people]
    for player in players:
        player.join()
    for player in players:
        player.send_seed()
    for player in players:
        player.look()
    ok(players[1].send(players[1].sign({"resign": True})))
    ok(service.http.get(f"/v1/matches/{m}/log?since=0&leaf=close"))
    return m


def test_each_asset_has_its_money_its_fees_and_its_decimals(service: Service, tmp_path: Path) -> None:
    people = service.person("alice"), service.person("bob")
    for person in people:
        for asset, amount in ((None, 1_250), ("JPY", 700), ("KWD", 5_005)):
            assert give(person, amount, asset).status_code == 201
    played = {
        asset: play(service, people, asset, stake) for asset, stake in ((None, 250), ("JPY", 500), ("KWD", 5_005))
    }
    alice, bob = people
    assert wallets(alice) == {"EUR/2": (1_475, 0), "JPY/0": (1_170, 0), "KWD/3": (9_510, 0)}
    assert wallets(bob) == {"EUR/2": (1_000, 0), "JPY/0": (200, 0), "KWD/3": (0, 0)}
    assert ok(alice.get("/v1/wallet"))["asset"] == "EUR", "the usual one"
    opened = json.loads(service.store.events(played["JPY"])[0])["data"]
    assert (opened["asset"], opened["fees"]["id"], opened["fees"]["commission_cap"]) == (
        {"code": "JPY", "exponent": 0}, "yen-1", 30,
    )  # fmt: skip
    month = f"{datetime.fromtimestamp(service.clock.ms / 1000, UTC):%Y-%m}"
    for asset, last in (("EUR", "14.75"), ("JPY", "1170"), ("KWD", "9.510")):
        answer = alice.get(f"/v1/wallet/statement.csv?month={month}&asset={asset}")
        assert [*csv.reader(answer.text.splitlines())][-1][-1] == last
        assert f"{asset}-{month}.csv" in answer.headers["content-disposition"]
        assert ok(alice.get(f"/v1/wallet/statement?month={month}&asset={asset}"))["exponent"] == len(
            last.partition(".")[2]
        )
        lines = ok(alice.get(f"/v1/wallet/lines?asset={asset}"))["lines"]
        assert [line["kind"] for line in lines] == ["finish", "sit", "deposit"]
        check_books(service.store.books(asset))
    assert prove(service.store).fault is None
    service.tick(700_000)
    ok(alice.post("/v1/tables", {"game": "duel", "stake": 0}))
    (tmp_path / "policy").write_text(service.http.get("/log/policy").text)
    export(service, tmp_path / "export")
    code, report = audit(tmp_path / "export", "--policy", tmp_path / "policy")
    assert (code, report["findings"], report["faults"]) == (13, [], [])
    assert report["counts"]["transactions"] == 6 + 3 * 4
    for program in ("csv", "beancount", "hledger"):
        out = tmp_path / f"books.{program}"
        ran = CliRunner().invoke(
            app, ["ledger", "convert", str(tmp_path / "export"), "--to", program, "--out", str(out)]
        )
        assert ran.exit_code == 0, ran.exception
        text = out.read_text()
        assert all(amount in text for amount in ("12.50", "5.005", "700")), program
        assert "700.0" not in text


def test_money_of_one_asset_stakes_none_of_another(service: Service) -> None:
    alice = service.person("alice")
    give(alice, 1_000, "JPY")
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 100, "asset": "EUR"}))["m"]
    refused = alice.post(f"/v1/tables/{m}/seats", {}, key="not-in-yen")
    assert refused.json()["code"] == "insufficient_funds"
    assert alice.post("/v1/withdrawals", {"amount": 100}, key="not-in-euro").json()["code"] == "insufficient_funds"
    assert ok(alice.post("/v1/withdrawals", {"amount": 100, "asset": "JPY"}, key="but-in-yen"))["asset"] == "JPY"
    again = alice.post("/v1/withdrawals", {"amount": 100, "asset": "KWD"}, key="but-in-yen")
    assert again.json()["code"] == "idempotency_conflict"
    for path, body in (
        ("/v1/tables", {"game": "duel", "stake": 1, "asset": "USD"}),
        ("/v1/withdrawals", {"amount": 1, "asset": "USD"}),
    ):
        answer = alice.post(path, body, key="no-such-money").json()
        assert (answer["code"], answer["assets"]) == ("terms_refused", ["EUR", "JPY", "KWD"])
    assert give(alice, 5, "USD").json()["code"] == "terms_refused"
    for path in ("/v1/wallet?asset=USD", "/v1/wallet/lines?asset=USD"):
        assert alice.get(path).json()["code"] == "terms_refused"
    assert alice.get("/v1/wallet?asset=eur").status_code == 422


def test_a_limit_is_of_one_asset(service: Service) -> None:
    alice = service.person("alice")
    headers = alice.headers
    for asset, amount in ((None, 500), ("JPY", 70)):
        body = {"kind": "deposit", "period": "day", "amount": amount} | ({"asset": asset} if asset else {})
        assert service.http.put("/v1/me/limits", json=body, headers=headers).json()["asset"] == (asset or "EUR")
    assert [(one["asset"], one["amount"]) for one in ok(alice.get("/v1/me/limits"))["limits"]] == [
        ("EUR", 500), ("JPY", 70),
    ]  # fmt: skip
    assert give(alice, 100, "JPY").json()["code"] == "player_limit_reached"
    assert give(alice, 100, "EUR").status_code == 201
    assert give(alice, 9_000, "KWD").status_code == 201
    assert give(alice, 401, "EUR").json()["left"] == 400
    told = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    assert [event["data"]["asset"] for event in told if event["kind"] == "limit"] == ["JPY", "EUR"]


@pytest.mark.parametrize("played", [True, False])
@pytest.mark.parametrize(
    ("assets", "says"),
    [({"GOLD": 2, "JETON": 0}, "GOLD has 6 decimals"), ({"JETON": 0}, "money in GOLD")],
)
def test_an_asset_keeps_its_decimals_and_stays_while_there_is_money(
    assets: dict[str, int], says: str, played: bool, tmp_path: Path
) -> None:
    service = Service(tmp_path, {"assets": {"JETON": 0, "GOLD": 6}})
    alice = service.person("alice")
    give(alice, 5, "GOLD")
    if played:
        ok(alice.post("/v1/tables", {"game": "duel", "stake": 1, "asset": "GOLD"}))
    service.stop()
    service.overrides = {"assets": assets}
    with pytest.raises(Malformed, match=says):
        service.start()
    service.overrides = {"assets": {"GOLD": 6, "NEW": 1}}
    service.start()
    assert wallets(alice) == {"GOLD/6": (5, 0), "NEW/1": (0, 0)}
    service.stop()
