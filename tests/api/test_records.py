"""The records of matches: what an auditor is told of each agrees with its events and with the journal."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fairdeal import canonical
from fairdeal.cli import app
from tests.api.auditor import export
from tests.api.serving import served
from tests.api.table import AUDITOR, Player, Service, bearer, join_two, ok, start_four, start_two


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path, {"auditor_token": AUDITOR, "fees": {"commission_bp": 750, "tax_bp": 200}})
    yield running
    running.stop()


def records(service: Service, query: str = "") -> list[dict[str, Any]]:
    page = ok(service.http.get(f"/v1/audit/matches{query}", headers=bearer(AUDITOR)))
    found: list[dict[str, Any]] = page["matches"]
    return found


def resign(players: tuple[Player, ...], seat: int) -> None:
    ok(players[seat].send(players[seat].sign({"resign": True})))


def events(service: Service, m: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in service.store.events(m)]


def test_a_record_tells_of_terms_seats_times_and_money(service: Service) -> None:
    players = start_two(service, stake=667)
    m = players[0].m
    service.tick(2_000)
    resign(players, 0)
    (record,) = records(service)
    lines = events(service, m)
    opened = lines[0]["data"]
    assert (record["m"], record["status"], record["opener"]) == (m, "ended", players[0].person.id)
    for name in ("ruleset", "asset", "stake", "fees"):
        assert record[name] == opened[name], name
    joins = [line["t"] for line in lines if line["type"] == "join"]
    dealt = next(line["t"] for line in lines if line["type"] == "deal")
    assert (record["opened_at"], record["full_at"], record["started_at"]) == (lines[0]["t"], joins[-1], dealt)
    assert record["ended_at"] == service.clock.ms > dealt
    assert record["ending"] == {"reason": "resigned", "winner": 1, "cause": None}
    assert [record[name] for name in ("pot", "payouts", "commission", "tax")] == [1334, 1208, 100, 26]
    settled = {line["account"]: line["amount"] for line in lines[-1]["data"]["lines"]}
    for player, seat in zip(players, record["seats"], strict=True):
        assert (seat["seat"], seat["side"]) == (player.seat, player.seat)
        assert (seat["account"], seat["player"]) == (player.person.id, player.player)
        assert seat["payout"] == settled[f"seat:{player.seat}"]
        assert seat["net"] == sum(step["amount"] for step in seat["money"]) == seat["payout"] - 667
        assert all(step["balance_before"] + step["amount"] == step["balance_after"] for step in seat["money"])
        assert (seat["money"][0]["balance_before"], seat["money"][-1]["balance_after"]) == (
            1_000,
            player.person.wallet[0],
        )
    journal = [json.loads(line) for line in service.store.journal(0, 100)]
    assert record["transactions"] == [one["id"] for one in journal if one.get("match") == m]
    assert [name.split(":")[0] for name in record["transactions"]] == ["sit", "sit", "pot", "end"]


def test_sides_of_two_share_and_the_pot_is_all_accounted_for(service: Service) -> None:
    players = start_four(service, "coinche", stake=101)
    resign(players, 3)
    (record,) = records(service)
    assert record["ruleset"] == {"id": "coinche@1", "options": {"scoring": "faits", "target": 1001}}
    assert record["pot"] == 404 == record["payouts"] + record["commission"] + record["tax"]
    assert [seat["side"] for seat in record["seats"]] == [0, 1, 0, 1]
    assert [seat["net"] > 0 for seat in record["seats"]] == [True, False, True, False]


def test_a_match_at_any_point_has_a_record(service: Service) -> None:
    """Open, with one who sat and left; called off; live; cut short by an older database."""
    players = join_two(service)
    alice = players[0].person
    lost = players[0].m
    service.app.state.services.matches.lose(lost, service.clock.ms, logged=False)
    called_off = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    ok(alice.post(f"/v1/tables/{called_off}/cancel", {}))
    waiting = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    Player(alice, waiting)
    ok(alice.delete(f"/v1/tables/{waiting}/seats/me", key="leave-again"))
    Player(players[1].person, waiting)
    found = {record["m"]: record for record in records(service)}
    assert [*found] == [waiting, called_off, lost], "the last one opened first"
    assert found[lost]["ending"] == {"reason": "void", "winner": None, "cause": "lost"}
    assert (found[lost]["pot"], found[lost]["payouts"], found[lost]["full_at"]) == (200, 200, service.clock.ms)
    assert found[lost]["started_at"] is None
    assert found[called_off]["ending"] == {"reason": "cancelled", "winner": None, "cause": None}
    assert (found[called_off]["pot"], found[called_off]["seats"], found[called_off]["transactions"]) == (0, [], [])
    here = found[waiting]
    assert (here["status"], here["ending"], here["ended_at"], here["full_at"]) == ("open", None, None, None)
    assert [name.split(":")[0] for name in here["transactions"]] == ["sit", "stand", "sit"]
    assert [(seat["account"], seat["net"]) for seat in here["seats"]] == [(players[1].person.id, -60)]


def test_an_outage_before_the_first_deal_does_not_hide_its_time(service: Service) -> None:
    players = join_two(service)
    for _ in range(4):
        service.restart(after_ms=20_000)
    for player in players:
        player.person.service = service
        player.send_seed()
    assert [line["type"] for line in events(service, players[0].m)].index("deal") > 2 * 2 + 1, "further than usual"
    (record,) = records(service)
    assert record["started_at"] == service.clock.ms > record["full_at"]


def test_records_in_pages_for_the_auditor_alone(service: Service) -> None:
    alice = service.person("alice", 1_000)
    opened = [ok(alice.post("/v1/tables", {"game": "duel", "stake": 0}))["m"] for _ in range(5)]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        query = f"?limit=2{f'&cursor={cursor}' if cursor else ''}"
        page = ok(service.http.get(f"/v1/audit/matches{query}", headers=bearer(AUDITOR)))
        seen += [record["m"] for record in page["matches"]]
        cursor = page["cursor"]
    assert seen == opened[::-1]
    assert alice.get("/v1/audit/matches").status_code == 403


def test_an_export_has_every_record_and_significant_event_and_is_the_same_again(
    service: Service, tmp_path: Path
) -> None:
    """A canonical line each, as the API tells them; the signs of collusion are found in them without the service."""
    players = start_two(service)
    resign(players, 1)
    service.person("carol", 60)
    waiting = ok(players[0].person.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    limit = {"kind": "loss", "period": "week", "amount": 900}
    alice = players[0].person
    ok(service.http.put("/v1/me/limits", json=limit, headers=alice.headers))
    ok(service.http.get(f"/v1/matches/{players[0].m}/log?since=0&leaf=close"))
    first = export(service, tmp_path / "first")
    assert export(service, tmp_path / "second") == first == export(service, tmp_path / "first")
    told = records(service)
    assert [one["m"] for one in told] == [waiting, players[0].m]
    assert first["records.jsonl"].splitlines() == [canonical.encode(one) for one in told]
    events = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
    assert events[0]["kind"] == "limit"
    assert first["significant_events.jsonl"].splitlines() == [canonical.encode(one) for one in events]
    signs = CliRunner().invoke(app, ["audit", "signs", str(tmp_path / "first/records.jsonl")])
    assert (signs.exit_code, signs.stdout) == (0, ""), "one match is no sign"


def test_records_by_month_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the tests stands in November 2023."""
    service = Service(tmp_path, {"auditor_token": AUDITOR})  # what serves it closes it
    monkeypatch.setenv("FAIRDEAL_AUDITOR_TOKEN", AUDITOR)
    players = start_two(service)
    resign(players, 1)
    told = records(service)
    with served(service) as url:
        ran = CliRunner().invoke(app, ["audit", "matches", "--url", url, "--month", "2023-11"])
        other = [
            CliRunner().invoke(app, ["audit", "matches", "--url", url, "--month", month])
            for month in ("2023-10", "2023-12")
        ]
        wrong = CliRunner().invoke(app, ["audit", "matches", "--url", url, "--month", "2023-13"])
    assert [json.loads(line) for line in ran.stdout.splitlines()] == told
    assert [one.stdout for one in other] == ["", ""]
    assert wrong.exit_code != 0
    file = tmp_path / "records.jsonl"
    file.write_text(ran.stdout)
    assert CliRunner().invoke(app, ["audit", "signs", str(file)]).stdout == "", "one match is no sign"
    file.write_text(ran.stdout + "{}\n")
    refused = CliRunner().invoke(app, ["audit", "signs", str(file)])
    assert "line 2: not the record of a match" in str(refused.exception)
