"""Nothing is signed before the log is shown to have the leaf that the match has come to."""

import pytest

from fairdeal.client import NotLogged
from fairdeal.errors import WrongPhase
from tests.client.server import M, Table


def test_no_join_without_a_proof_of_the_opening(unproven: Table) -> None:
    client = unproven.clients[0]
    with pytest.raises(NotLogged):
        client.join()
    assert unproven.memories[0].action(M, 1) is None
    unproven.prove(client)
    assert client.join() is not None


def test_no_seed_without_a_proof_of_the_full_table(table: Table) -> None:
    table.proving = False
    table.joined()
    client = table.clients[0]
    with pytest.raises(NotLogged):
        client.seed()
    root = table.memories[0]._db.execute("SELECT table_root FROM sitting").fetchone()
    assert (root, table.memories[0].action(M, 3)) == ((None,), None)
    table.prove(client)
    assert client.seed() is not None


def test_no_act_without_a_proof_of_the_start(table: Table) -> None:
    table.joined()
    table.proving = False
    for client in table.clients:
        table.take(client.seed())
    client = table.on_turn
    assert client.turn is not None
    with pytest.raises(NotLogged):
        client.act(client.turn.legal[0])
    with pytest.raises(NotLogged):
        client.resign()
    assert table.memories[client.seat].action(M, client.size) is None
    table.prove(client)
    assert client.act(client.turn.legal[0])


def test_no_bundle_without_a_proof_of_the_end(table: Table) -> None:
    table.seeded()
    table.proving = False
    with pytest.raises(WrongPhase):
        table.clients[0].bundle(table.server.log.tile)
    table.take(table.clients[0].resign())
    with pytest.raises(NotLogged):
        table.clients[0].bundle(table.server.log.tile)
    table.prove(table.clients[0])
    assert table.clients[0].bundle(table.server.log.tile) is not None


@pytest.mark.parametrize("shown", [0, 1])
def test_a_log_that_is_behind_contradicts_nothing(table: Table, shown: int) -> None:
    """The leaf that is waited for is not in the answer yet: it is waited for on."""
    log = table.server.log.answer()
    client = table.clients[0]
    table.proving = False
    table.joined()
    held = client.newest
    client.receive_log(
        {**log, "consistency": [], "leaves": log["leaves"][: shown or None]}, held, table.server.log.tile
    )
    assert client.awaited == "full"
    assert len(table.memories[0].logged(M)) == 1
