"""Leaves of the log that say something else than the events: nothing is signed on them."""

from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.client import Contradiction, EventsMissing, Finding
from fairdeal.match import Cancel, lost_leaf, parse_leaf
from tests.client.log_lies import changed, refused
from tests.client.server import M, Table, ask


@pytest.mark.parametrize("member", ["root", "commitment"])
def test_another_opening(unproven: Table, member: str) -> None:
    error = refused(unproven, 0, changed(unproven.server, "open", **{member: "ab" * 32}))
    assert (error.finding, error.place) == (Finding.LEAF, 0)


def test_a_full_table_of_another_root(unproven: Table) -> None:
    for client in unproven.clients:
        ask(client, unproven.server.log)
    unproven.joined()
    error = refused(unproven, 0, changed(unproven.server, "full", root="ab" * 32))
    assert (error.finding, error.place) == (Finding.LEAF, 2)


@pytest.mark.parametrize("other", [{"root": "ab" * 32}, {"size": 7}, {"size": 5}])
def test_another_start(table: Table, other: dict[str, Any]) -> None:
    table.joined()
    table.proving = False
    for client in table.clients:
        table.take(client.seed())
    error = refused(table, 0, changed(table.server, "start", **other))
    assert error.finding is Finding.LEAF


@pytest.mark.parametrize(
    "other",
    [
        {"outcome": "played"},
        {"outcome": "void", "cause": "operator"},
        {"outcome": "void", "cause": "lost"},
        {"root": "ab" * 32},
        {"size": 400},
        {"server_seed": "ab" * 32},
    ],
)
def test_another_end(table: Table, other: dict[str, Any]) -> None:
    table.seeded()
    table.proving = False
    table.take(table.clients[0].resign())
    error = refused(table, 0, changed(table.server, "close", **other))
    assert error.finding is Finding.LEAF


def test_a_start_of_a_match_that_never_began(table: Table) -> None:
    """The table was closed before it was full; the log has a deal of more events than there ever were."""
    server = table.server
    start = {"m": M, "root": "ab" * 32, "size": 400, "type": "start"}
    server.log.append(canonical.encode(start))
    table.proving = False
    server.step(Cancel())
    table.tell()
    assert table.clients[0].over
    assert refused(table, 0, server.log).finding is Finding.LEAF


def test_an_end_of_a_match_that_goes_on(table: Table) -> None:
    table.seeded()
    server = table.server
    leaf = {**parse_leaf(lost_leaf(server.state, server.server_seed)), "outcome": "cancelled"}
    del leaf["cause"]
    server.log.append(canonical.encode(leaf))
    assert refused(table, 0, server.log).finding is Finding.LEAF


def test_a_leaf_ahead_of_the_events_is_compared_when_they_come(table: Table) -> None:
    """The log is asked in the middle of the match, and has an end of a size that the match has not reached."""
    table.seeded()
    server = table.server
    other = {
        **parse_leaf(lost_leaf(server.state, server.server_seed)),
        "outcome": "played",
        "size": server.state.size + 1,
    }
    del other["cause"]
    server.log.append(canonical.encode(other))
    client, memory = table.on_turn, table.memories[table.on_turn.seat]
    ask(client, server.log)
    assert client.turn is not None
    server.take(client.act(client.turn.legal[0]))
    with pytest.raises(Contradiction) as caught:
        client.receive(server.answer(client.seat, client.size))
    assert caught.value.finding is Finding.LEAF
    assert memory.sitting(M).stopped == "leaf"


def test_the_full_table_waits_for_the_joins(table: Table) -> None:
    """What the other seats have seen of the log stands in their joins: before these are known it cannot be checked."""
    ours, theirs = table.clients
    table.server.take(ours.join() or b"")
    table.server.take(theirs.join() or b"")
    with pytest.raises(EventsMissing):
        ask(ours, table.server.log)
    assert ours.awaited is None
    table.tell()
    assert ours.seed() is not None
