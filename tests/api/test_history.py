"""Own matches and monthly statements over HTTP."""

import csv
from datetime import UTC, datetime
from typing import Any

import pytest

from fairdeal.api import history
from tests.api.table import Person, Player, Service, ok, sit_two, start_two


def matches(person: Person, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ok(person.get(f"/v1/me/matches{query}"))["matches"]
    return found


def resign(players: tuple[Player, ...], seat: int) -> None:
    ok(players[seat].send(players[seat].sign({"resign": True})))


def test_own_matches_tell_how_they_ended_and_where_their_record_is(service: Service) -> None:
    players = start_two(service)
    winner, loser = players[0], players[1]
    for player in players:
        (live,) = matches(player.person)
        assert (live["status"], live["seat"], live["player"]) == ("live", player.seat, player.player)
        assert [live[name] for name in ("ending", "won", "net", "bundle", "ended_at")] == [None] * 5
    resign(players, 1)
    (won,), (lost,) = matches(winner.person), matches(loser.person)
    assert (won["won"], won["net"], lost["won"], lost["net"]) == (True, 90, False, -100)
    assert won["ending"] == lost["ending"] == {"reason": "resigned", "winner": winner.seat, "cause": None}
    assert (won["m"], won["game"], won["stake"], won["asset"]) == (
        winner.m,
        "duel",
        100,
        {"code": "JETON", "exponent": 0},
    )
    assert won["ended_at"] == service.clock.ms
    assert service.http.get(won["bundle"]).status_code == 200


def test_a_match_that_was_called_off_void_or_lost_has_no_winner(service: Service) -> None:
    players = start_two(service)
    service.app.state.services.matches.lose(players[0].m, service.clock.ms, logged=False)
    alice = players[0].person
    called_off = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    Player(alice, called_off)
    ok(alice.post(f"/v1/tables/{called_off}/cancel", {}))
    second, first = matches(alice)
    assert (second["m"], second["ending"]) == (called_off, {"reason": "cancelled", "winner": None, "cause": None})
    assert first["ending"] == {"reason": "void", "winner": None, "cause": "lost"}
    for one in (first, second):
        assert (one["won"], one["net"], one["status"]) == (None, 0, "ended")


def test_own_matches_in_pages_and_nobody_elses(service: Service) -> None:
    alice, bob = service.person("alice", 1_000), service.person("bob", 1_000)
    opened = []
    for _ in range(3):
        opened.append(ok(alice.post("/v1/tables", {"game": "duel", "stake": 10}))["m"])
        Player(alice, opened[-1])
    first = ok(alice.get("/v1/me/matches?limit=2"))
    rest = ok(alice.get(f"/v1/me/matches?limit=2&cursor={first['cursor']}"))
    assert [one["m"] for one in first["matches"] + rest["matches"]] == opened[::-1]
    assert rest["cursor"] is None
    assert matches(bob) == []
    assert service.http.get("/v1/me/matches").status_code == 401


def test_a_statement_comes_to_what_is_in_the_wallet(service: Service) -> None:
    players = start_two(service)
    resign(players, 1)
    alice = players[0].person
    month = f"{datetime.fromtimestamp(service.clock.ms / 1000, UTC):%Y-%m}"
    made = ok(alice.get(f"/v1/wallet/statement?month={month}"))
    assert (made["opening"], made["closing"], made["asset"], made["exponent"]) == (0, alice.wallet[0], "JETON", 0)
    assert [line["kind"] for line in made["lines"]] == ["deposit", "sit", "finish"]
    assert made["totals"] == [
        {"kind": "deposit", "lines": 1, "amount": 1_000},
        {"kind": "finish", "lines": 1, "amount": 190},
        {"kind": "sit", "lines": 1, "amount": -100},
    ]
    newest_first = ok(alice.get("/v1/wallet/lines"))["lines"]
    assert made["lines"] == newest_first[::-1]
    assert [(line["balance_before"], line["balance"]) for line in made["lines"]] == [
        (0, 1_000),
        (1_000, 900),
        (900, 1_090),
    ]
    rows = [*csv.reader(alice.get(f"/v1/wallet/statement.csv?month={month}").text.splitlines())]
    assert rows[0] == ["at", "kind", "transaction", "match", "amount", "balance_before", "balance_after"]
    assert rows[1] == ["", "opening", "", "", "", "", "0"]
    assert rows[-1] == ["", "closing", "", "", "", "", "1090"]
    assert [row[1:] for row in rows[2:-1]] == [
        [
            line["kind"],
            line["transaction"],
            line["m"] or "",
            *(str(line[name]) for name in ("amount", "balance_before", "balance")),
        ]
        for line in made["lines"]
    ]


def test_a_long_month_comes_in_pages_and_whole_as_a_table(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_PAGE", 2)
    alice = service.person("alice", 1)
    for amount in range(2, 8):
        service.app.state.services.cashier.deposit("operator", f"deposit-of-{amount}", alice.id, amount)
    month = f"{datetime.fromtimestamp(service.clock.ms / 1000, UTC):%Y-%m}"
    seen: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        query = f"month={month}&limit=3{f'&cursor={cursor}' if cursor else ''}"
        page = ok(alice.get(f"/v1/wallet/statement?{query}"))
        assert (page["opening"], page["closing"], page["totals"][0]["lines"]) == (0, 28, 7)
        seen += [line["amount"] for line in page["lines"]]
        cursor = page["cursor"]
    assert seen == [*range(1, 8)]
    rows = [*csv.reader(alice.get(f"/v1/wallet/statement.csv?month={month}").text.splitlines())]
    assert [row[4] for row in rows[2:-1]] == [str(amount) for amount in seen]
    early = ok(alice.get(f"/v1/wallet/statement?month={month}&cursor=0"))
    assert [line["amount"] for line in early["lines"]] == seen, "a cursor reaches into no other month"


def test_months_end_at_midnight_utc(service: Service) -> None:
    """The clock of the tests begins in November 2023."""
    alice = service.person("alice", 5)
    for text, amount in (
        ("2023-12-31T23:59:59.999", 7),
        ("2024-01-01T00:00:00.000", 11),
        ("2024-02-29T12:00:00.000", 13),
    ):
        service.clock.ms = round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)
        service.app.state.services.cashier.deposit("operator", f"deposit-of-{amount}", alice.id, amount)
    told = service.app.state.services.accounts
    spans = [(2023, 10), (2023, 11), (2023, 12), (2024, 1), (2024, 2), (2024, 3)]
    usual = told.asset(None)
    months = [told.statement(alice.id, usual, *span) for span in spans]
    assert [[line.amount for line in told.statement_lines(alice.id, usual, made, None, 9)] for made in months] == [
        [],
        [5],
        [7],
        [11],
        [13],
        [],
    ]
    assert [made.opening for made in months] == [0, 0, 5, 12, 23, 36]


def test_only_months_are_asked_for(service: Service) -> None:
    alice, _ = (player.person for player in sit_two(service))
    for month in ("", "2023", "2023-13", "2023-00", "2023-1", "1999-12", "2023-11-01", "٢٠٢٣-١١"):
        assert alice.get(f"/v1/wallet/statement?month={month}").status_code == 422, month
        assert alice.get(f"/v1/wallet/statement.csv?month={month}").status_code == 422, month
    assert alice.get("/v1/wallet/statement").status_code == 422
    assert alice.get("/v1/wallet/statement?month=2999-12").status_code == 200
    assert service.http.get("/v1/wallet/statement?month=2023-11").status_code == 401
