"""A match that a restored store has lost, as the log tells the player."""

from typing import Any

import pytest

from fairdeal.client import Finding
from fairdeal.errors import WrongPhase
from tests.client.log_lies import is_ours, lost, refused, signed
from tests.client.server import M, Table, ask, play_on


@pytest.mark.parametrize("back", [0, 1])
def test_a_lost_match_is_over(table: Table, back: int) -> None:
    play_on(table.seeded(), 5)
    client, memory = table.on_turn, table.memories[table.on_turn.seat]
    turn = client.turn
    assert turn is not None
    before = signed(memory)
    log = lost(table, client.size - back)
    ask(client, log)
    for one in (client, table.client(client.seat)):
        assert one.over
        assert one.lost == client.size - back
        with pytest.raises(WrongPhase):
            one.act(turn.legal[0])
    assert signed(memory) == before
    assert memory.sitting(M).stopped is None


@pytest.mark.parametrize("back", range(1, 7))
def test_an_end_that_was_told_may_be_lost_too(table: Table, back: int) -> None:
    """But not by a store that has it: `end`, `reveal` and `settle` are the last three events."""
    play_on(table.seeded(), 5)
    table.proving = False
    table.take(table.clients[0].resign())
    client, memory = table.clients[0], table.memories[0]
    log = lost(table, client.size - back)
    del log.entries[next(n for n, entry in enumerate(log.entries) if is_ours(entry, "close"))]
    if back < 3:
        assert refused(table, 0, log).finding is Finding.LEAF
        return
    ask(client, log)
    for one in (client, table.client(0)):
        assert one.over
        assert one.lost == client.size - back
        assert one.awaited is None
    assert memory.sitting(M).stopped is None


@pytest.mark.parametrize("wrong", [{"root": "ab" * 32}, {"server_seed": "ab" * 32}])
def test_a_loss_that_says_something_else(table: Table, wrong: dict[str, Any]) -> None:
    play_on(table.seeded(), 5)
    assert refused(table, 0, lost(table, **wrong)).finding is Finding.LEAF
