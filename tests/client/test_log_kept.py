"""What a player's memory keeps of the log."""

from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.client import CheckpointMoved
from tests.client.server import LogBook, M, Table, ask, play_on


def test_what_was_seen_stands_in_the_join(table: Table) -> None:
    client, memory = table.clients[0], table.memories[0]
    held = client.newest
    assert held is not None
    body = client.join()
    value: Any = canonical.decode(body or b"")
    assert value["do"]["join"]["seen"] == {"root": held.root.hex(), "size": held.size}
    # Another match of this player moves the newest checkpoint on: the join stays the one that was signed.
    table.server.log.append(LogBook().entries[0])
    memory.keep_logged("e" * 32, held, table.server.log.checkpoint(), None)
    assert client.newest != held
    assert client.join() == body == table.client(0).join()


def test_a_program_that_starts_again_has_its_proofs(table: Table) -> None:
    play_on(table.seeded(), 3)
    seat = table.on_turn.seat
    again = table.client(seat)
    assert again.awaited is None
    assert again.newest == table.clients[seat].newest
    assert again.held() == table.clients[seat].held()
    assert again.turn is not None
    assert again.act(again.turn.legal[0])


def test_the_newest_checkpoint_moves_forward_alone(table: Table) -> None:
    """Two programs with one memory ask at once: the slower one is refused, and asks again from the newer one on."""
    client, memory, log = table.clients[0], table.memories[0], table.server.log
    held = client.newest
    assert held is not None
    slow = log.answer(held.size)
    log.append(LogBook().entries[0])
    ask(client, log)
    newest = client.newest
    with pytest.raises(CheckpointMoved):
        client.receive_log(slow, held, log.tile)
    assert client.newest == newest != held
    assert memory.sitting(M).stopped is None


def test_asking_again_and_again_does_not_grow_the_held_file(table: Table) -> None:
    for _ in range(5):
        table.server.log.append(LogBook().entries[0])
        ask(table.clients[0], table.server.log)
    assert len(table.memories[0].logged(M)) == 1
