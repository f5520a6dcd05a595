"""Honest matches through the client: it plays, remembers, and takes its files away."""

from pathlib import Path

import pytest

from fairdeal.belote import Bid
from fairdeal.errors import IllegalAction, WrongPhase
from tests.client.server import Table, play_on


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_match_is_played_to_its_target(tmp_path: Path, number: int) -> None:
    table = Table(tmp_path, number)
    play_on(table.seeded())
    for client in table.clients:
        assert client.over
        assert client.state.ending is not None
        assert client.state.ending.reason == "target"
        assert client.lines() == table.server.lines
        assert client.state.totals == table.server.state.totals
    table.close()


def test_a_program_that_starts_again_goes_on_where_it_was(table: Table) -> None:
    play_on(table.seeded(), 25)
    again = table.client(0)
    before = table.clients[0]
    assert (again.state, again.hand, again.turn, again.lines()) == (
        before.state,
        before.hand,
        before.turn,
        before.lines(),
    )


def test_it_sees_the_whole_match_at_once(table: Table) -> None:
    """A client that was away: its moves were the clock's, its cards came and went unseen."""
    table.seeded()
    away = table.clients[1]
    for _ in range(60):
        if table.server.state.turn is None:
            break
        if table.server.state.turn == 1 and table.server.state.overruns[1] < 2:
            table.server.run_out()
        elif table.server.state.turn == 1:
            away.receive(table.server.answer(1, away.size))
            turn = away.turn
            assert turn is not None
            table.server.take(away.act(turn.legal[0]))
        else:
            present = table.clients[0]
            present.receive(table.server.answer(0, present.size))
            turn = present.turn
            assert turn is not None
            table.server.take(present.act(turn.legal[-1]))
    away.receive(table.server.answer(1, away.size))
    assert away.lines() == table.server.lines


def test_the_clock_may_end_it(table: Table) -> None:
    table.seeded()
    while table.server.state.ending is None:
        table.server.run_out()
        table.tell()
    assert table.clients[0].over


def test_resigning(table: Table) -> None:
    table.seeded()
    table.take(table.clients[0].resign())
    ending = table.clients[1].state.ending
    assert ending is not None
    assert (ending.reason, ending.winner) == ("resigned", 1)


def test_the_hand_is_the_one_dealt(table: Table) -> None:
    table.seeded()
    for _ in range(80):
        client = table.on_turn
        assert client.turn is not None
        table.take(client.act(client.turn.legal[0] if client.state.deal_number % 2 else client.turn.legal[-1]))
        deal = table.server.state.deal
        if deal is None:
            break
        assert deal.hands is not None
        for other in table.clients:
            assert sum(1 << card for card in other.hand) == deal.hands[other.seat]


def test_the_seed_waits_for_every_join(table: Table) -> None:
    client = table.clients[0]
    assert client.seed() is None
    table.take(client.join())
    assert client.seed() is None
    assert client.join() is None
    table.take(table.clients[1].join())
    assert client.seed() is not None


def test_off_turn_and_illegal_actions_are_not_signed(table: Table) -> None:
    table.seeded()
    waiting = table.clients[1 - table.on_turn.seat]
    with pytest.raises(WrongPhase):
        waiting.act(Bid.PASS)
    with pytest.raises(IllegalAction):
        table.on_turn.act(Bid.SPADES)
