"""Two services on one PostgreSQL that play one match in turn: each has a moment of it in its memory that the other one
has left behind.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select

from fairdeal.app.hub import AS_IT_STANDS
from fairdeal.app.ports import CommitResult
from tests.api.table import Player, Service, first_legal, ok, on_turn, start_two
from tests.durability.two_services import Both, written


def asked(service: Service) -> list[Select[Any]]:
    """What it asks its database for, from here on."""
    database = service.store._database  # type: ignore[attr-defined]
    real, statements = database.fetch, list[Select[Any]]()

    def fetch(statement: Select[Any], **values: object) -> Sequence[Sequence[Any]]:
        statements.append(statement)
        rows: Sequence[Sequence[Any]] = real(statement, **values)
        return rows

    vars(database)["fetch"] = fetch
    return statements


def move(players: tuple[Player, ...], service: Service) -> Player:
    """Who is on turn looks and moves, through that service."""
    for player in players:
        player.person.service = service
    player = on_turn(players)
    ok(player.send(player.sign(first_legal(player))))
    player.look()
    return player


def test_a_move_asks_for_its_login_alone_and_is_one_write(both: Both) -> None:
    first, _ = both
    players = start_two(first)
    move(players, first)
    player = on_turn(players)
    statements, results = asked(first), written(first)
    ok(player.send(player.sign(first_legal(player))))
    assert (len(statements), results) == (1, [CommitResult.COMMITTED])


def test_who_comes_to_a_worker_that_knows_less_than_there_is_is_answered_by_what_there_is(both: Both) -> None:
    first, other = both
    players = start_two(first)
    move(players, first)
    for _ in range(3):
        move(players, other)
    player = on_turn(players)
    results = written(first)
    for each in players:
        each.person.service = first
    body = player.sign(first_legal(player))
    answer = ok(player.send(body))
    assert results == [CommitResult.COMMITTED], "it was not tried on what the first one knew"
    mover = move(players, other)
    size = mover.view["size"]
    mover.person.service = player.person.service = first
    again = ok(player.send(body))
    assert (again["from"], again["events"][: len(answer["events"])]) == (answer["from"], answer["events"])
    assert again["view"]["size"] == size
    move(players, other)
    size = on_turn(players).view["size"]
    player.person.service = first
    late = player.send(body | {"size": answer["view"]["size"]})
    assert (late.status_code, late.json()["code"], late.json()["size"]) == (409, "stale", size)
    assert results == [CommitResult.COMMITTED]


def test_who_is_told_that_a_match_has_grown_looks_unless_it_knows_as_much(both: Both) -> None:
    first, other = both
    players = start_two(first)
    m, size = players[0].m, move(players, first).view["size"]
    grown = move(players, other).view["size"]
    statements, matches = asked(first), first.app.state.services.matches
    assert matches.beyond(m, size).state.size == size
    assert statements == []
    caught_up = matches.beyond(m, grown)
    assert caught_up.state.size == grown
    assert len(statements) == 1
    assert caught_up == matches.load(m)
    last = move(players, other).view["size"]
    assert matches.beyond(m, AS_IT_STANDS).state.size == last
    for player in players:
        player.person.service = other
    players[0].do({"resign": True})
    ended = matches.beyond(m, last + 1)
    assert ended.closed
    assert ended == matches.load(m)
