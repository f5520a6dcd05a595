"""The work for an answer does not depend on cards that its reader may not know.

Time itself is not measured: the same lines of our code run, in the same order, whatever those cards are.
"""

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from fairdeal.errors import FairdealError
from fairdeal.match import MatchState, Move, SignedAction, decide, legal, table_view, view
from tests.properties.hidden import DOS, from_outside, states, with_other_hidden_cards
from tests.simulator import Played, play

CODE = str(Path(view.__code__.co_filename).parents[1])


def lines_run(work: Callable[[], object]) -> list[tuple[str, int]]:
    """Every line of ours that runs, in order."""
    ran: list[tuple[str, int]] = []

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(CODE):
            return None
        if event == "line":
            ran.append((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except FairdealError:
        pass
    finally:
        sys.settrace(before)
    return ran


def works(state: MatchState, match: Played, seat: int) -> list[Callable[[], object]]:
    """All that is worked out for `seat` at this state: what it is shown, and a step or a refusal for what it does."""
    moves = [
        Move(SignedAction.sign(match.keys.seats[seat], state.terms.m, do, state.root.hex(), seat, state.size))
        for do in DOS
    ]
    return [
        lambda: view(state, seat),
        lambda: table_view(state),
        *(lambda move=move: decide(state, move, state.last_t, match.keys.server_seed) for move in moves),
    ]


def in_play(number: int) -> tuple[Played, list[MatchState]]:
    match = play(number, "target")
    return match, [state for state in states(match) if state.deal is not None and state.due is None]


def test_the_same_lines_run_whatever_the_hidden_cards_are() -> None:
    match, all_states = in_play(2)
    rng, differing = random.Random(2), 0
    for state in rng.sample(all_states, 12):
        for seat in range(2):
            other = with_other_hidden_cards(state, seat, rng)
            differing += other != state
            for work, same_work in zip(works(state, match, seat), works(other, match, seat), strict=True):
                ran = lines_run(work)
                assert len(ran) > 5
                assert ran == lines_run(same_work)
    assert differing > 15


def test_other_cards_of_ones_own_run_other_lines() -> None:
    """Or the comparison above would see nothing."""
    match, all_states = in_play(2)
    rng = random.Random(2)
    differing = 0
    for state in rng.sample(all_states, 6):
        other = with_other_hidden_cards(state, 0, rng)
        pairs = zip(works(state, match, 1), works(other, match, 1), strict=True)
        differing += sum(lines_run(work) != lines_run(other_work) for work, other_work in pairs)
    assert differing > 0


def test_a_view_is_made_of_ones_own_hand_alone() -> None:
    """It is made just as well where the other hand and the stock are not there to be looked at."""
    _, all_states = in_play(3)
    for state in all_states:
        assert state.deal is not None
        assert state.deal.hands is not None
        for seat in range(2):
            hands: Any = tuple(hand if other == seat else None for other, hand in enumerate(state.deal.hands))
            blind = replace(state, deal=state.deal._replace(hands=hands, stock=None))
            assert view(blind, seat) == view(state, seat)
            assert legal(from_outside(state), seat, state.deal.hands[seat]) == view(state, seat)["legal"]
        assert table_view(from_outside(state)) == table_view(state)
