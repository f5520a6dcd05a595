"""What holds for any match: replay is a fold, views know nothing hidden, no unit of money is made or lost."""

import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal import canonical
from fairdeal.errors import FairdealError
from fairdeal.ledger import SeedForfeit, Win
from fairdeal.match import (
    Event,
    MatchState,
    Move,
    SignedAction,
    Tick,
    decide,
    evolve,
    legal,
    money_outcome,
    parse_bundle,
    parse_held,
    replay,
    table_view,
    view,
    write_bundle,
    write_held,
)
from tests.properties.hidden import DOS, from_outside, states, with_other_hidden_cards
from tests.simulator import GAMES, Played, endings, play

SCALE = float(os.environ.get("SOAK", "1"))

Kind = tuple[str, str]
numbers = st.integers(0, 2**32)
any_kind = st.sampled_from([(game, ending) for game in GAMES for ending in endings(game)])
any_match = given(numbers, any_kind)
game = pytest.mark.parametrize("game", GAMES)


def match_of(number: int, kind: Kind) -> Played:
    return play(number, kind[1], kind[0])


@any_match
@settings(max_examples=40)
def test_replaying_the_lines_gives_the_live_state(number: int, kind: Kind) -> None:
    match = match_of(number, kind)
    events = parse_bundle(match.bundle).events
    assert events == match.events
    assert replay(events, match.keys.server_seed) == match.state


@any_match
@settings(max_examples=25)
def test_the_outside_view_is_the_servers_less_what_is_hidden(number: int, kind: Kind) -> None:
    match = match_of(number, kind)
    outside = None
    for event, state in zip(match.events, states(match), strict=True):
        outside = evolve(outside, event, None)
        assert outside == from_outside(state)


@any_match
@settings(max_examples=25)
def test_every_event_and_every_file_parses_to_what_wrote_it(number: int, kind: Kind) -> None:
    match = match_of(number, kind)
    for event in match.events:
        assert Event.parse(event.line) == event
        assert Event.make(event.n, event.t, event.by, event.type, event.data) == event
    bundle = parse_bundle(match.bundle)
    assert write_bundle(bundle.head, [event.line for event in bundle.events], bundle.log) == match.bundle
    for held in match.held:
        assert write_held(parse_held(held)) == held


@any_match
@settings(max_examples=40)
def test_the_pot_is_payouts_and_fees(number: int, kind: Kind) -> None:
    match = match_of(number, kind)
    terms = match.state.terms
    settled = [event for event in match.events if event.type == "settle"]
    assert len(settled) == (1 if match.state.full and terms.stake else 0)
    for event in settled:
        lines = {line["account"]: line["amount"] for line in event.data["lines"]}
        pot = terms.stake * terms.seats
        assert lines["pot"] == -pot
        assert sum(lines.values()) == 0
        assert min(lines[name] for name in lines if name != "pot") >= 0
        outcome = money_outcome(match.state)
        fees = terms.fees.breakdown(pot) if isinstance(outcome, Win) else terms.fees.breakdown(0)
        assert (lines["commission"], lines["tax"]) == (fees.commission, fees.tax)
        paid = [[lines[f"seat:{seat}"] for seat in range(terms.seats) if seat % 2 == side] for side in (0, 1)]
        if isinstance(outcome, Win | SeedForfeit):
            assert set(paid[1 - outcome.side]) == {0}
            assert 0 <= paid[outcome.side][0] - paid[outcome.side][-1] <= 1
        else:
            assert {*paid[0], *paid[1]} == {terms.stake}


@any_match
@settings(max_examples=25)
def test_every_deal_shares_all_its_points_and_no_litige_is_lost(number: int, kind: Kind) -> None:
    """162 before belote, announcements and capot; what marks do not hold waits in the pot until somebody gets it."""
    match = match_of(number, kind)
    pot = 0
    for event in match.events:
        if event.type != "score":
            continue
        data = event.data
        before, pot = pot, data.get("pot", 0)
        assert sum(data["points"]) == (0 if data["outcome"] == "void" else 162)
        if data["outcome"] == "void":
            assert pot == before
        elif "pot" in data:
            won = {"capot": 252, "dedans": 160 if kind[0] == "annonces@1" else 162}.get(data["outcome"], 162)
            full = won + (20 if data["belote"] is not None else 0) + sum(data.get("announcements", ()))
            assert sum(data["marks"]) + pot == full + before
            assert (data["outcome"] == "litige") == (pot > before)
    assert match.state.pot == pot


def told(state: MatchState, match: Played, seat: int) -> bytes:
    """Everything that `seat` can get to hear at this state: its view, the table, and an answer to whatever it does."""
    answers: list[object] = [view(state, seat), table_view(state)]
    if state.turn == seat:
        answers.append(legal(from_outside(state), seat, state.deal.hands[seat]))  # type: ignore[union-attr, index]
    for do in [*DOS, {"resign": True}]:
        action = SignedAction.sign(match.keys.seats[seat], state.terms.m, do, state.root.hex(), seat, state.size)
        try:
            events = decide(state, Move(action), state.last_t, match.keys.server_seed)
            answers.append([event.line.decode() for event in events])
        except FairdealError as error:
            answers.append([error.code, error.message, dict(error.details)])
    if state.turn == seat:
        assert state.due_at is not None
        answers.append([event.line.decode() for event in decide(state, Tick(), state.due_at, match.keys.server_seed)])
    return canonical.encode(answers)  # type: ignore[arg-type]


def check_blind(match: Played, rng: random.Random, samples: int) -> int:
    """Compares what is told at some states of a match with their hidden cards mixed; how many really differed."""
    in_play = [state for state in states(match) if state.deal is not None and state.due is None]
    differing = 0
    for state in rng.sample(in_play, min(samples, len(in_play))):
        for seat in range(state.terms.seats):
            other = with_other_hidden_cards(state, seat, rng)
            differing += other != state
            assert told(other, match, seat) == told(state, match, seat)
    return differing


@given(numbers, st.sampled_from(GAMES), st.sampled_from(["target", "resigned", "void_in_play"]))
@settings(max_examples=25)
def test_a_seat_is_told_nothing_that_depends_on_hidden_cards(number: int, game: str, ending: str) -> None:
    check_blind(play(number, ending, game), random.Random(number), 3)


@pytest.mark.soak
@game
def test_a_seat_is_told_nothing_that_depends_on_hidden_cards_in_many_matches(game: str) -> None:
    matches = 60 if game == "duel@1" else 12
    for number in range(max(1, int(matches * SCALE))):
        assert check_blind(play(number, "target", game), random.Random(number), 20) > 0


@game
def test_the_comparison_would_see_a_leak(game: str) -> None:
    """Shown to the other seat, the same mixed states are told apart."""
    match, rng = play(3, "target", game), random.Random(3)
    state = next(state for state in states(match) if state.deal is not None)
    other = with_other_hidden_cards(state, 0, rng)
    assert told(other, match, 1) != told(state, match, 1)
