"""What holds for any match: replay is a fold, views know nothing hidden, no unit of money is made or lost."""

import os
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal import canonical
from fairdeal.belote import Bid, Play, card_set, cards_in, to_do
from fairdeal.cards import PACK
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
from tests.simulator import ENDINGS, Played, play

SCALE = float(os.environ.get("FAIRDEAL_SOAK", "1"))
DOS = [to_do(action) for action in (*Bid, *map(Play, PACK))]

numbers = st.integers(0, 2**32)
any_match = given(numbers, st.sampled_from(ENDINGS))


def states(match: Played) -> Iterator[MatchState]:
    """The state after each event, as the server has it."""
    state = None
    for event in match.events:
        state = evolve(state, event, match.keys.server_seed)
        yield state


def from_outside(state: MatchState) -> MatchState:
    """The same state with everything hidden taken out."""
    return state if state.deal is None else replace(state, deal=state.deal._replace(hands=None, stock=None))


@any_match
@settings(max_examples=40, deadline=None)
def test_replaying_the_lines_gives_the_live_state(number: int, ending: str) -> None:
    match = play(number, ending)
    events = parse_bundle(match.bundle).events
    assert events == match.events
    assert replay(events, match.keys.server_seed) == match.state


@any_match
@settings(max_examples=25, deadline=None)
def test_the_outside_view_is_the_servers_less_what_is_hidden(number: int, ending: str) -> None:
    match = play(number, ending)
    outside = None
    for event, state in zip(match.events, states(match), strict=True):
        outside = evolve(outside, event, None)
        assert outside == from_outside(state)


@any_match
@settings(max_examples=25, deadline=None)
def test_every_event_and_every_file_parses_to_what_wrote_it(number: int, ending: str) -> None:
    match = play(number, ending)
    for event in match.events:
        assert Event.parse(event.line) == event
        assert Event.make(event.n, event.t, event.by, event.type, event.data) == event
    bundle = parse_bundle(match.bundle)
    assert write_bundle(bundle.head, [event.line for event in bundle.events]) == match.bundle
    for held in match.held:
        assert write_held(parse_held(held)) == held


@any_match
@settings(max_examples=40, deadline=None)
def test_the_pot_is_payouts_and_fees(number: int, ending: str) -> None:
    match = play(number, ending)
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
        if isinstance(outcome, Win | SeedForfeit):
            assert lines[f"seat:{1 - outcome.side}"] == 0
        else:
            assert lines["seat:0"] == lines["seat:1"] == terms.stake


def with_other_hidden_cards(state: MatchState, seat: int, rng: random.Random) -> MatchState:
    """The same match but for cards that `seat` may not know: the other hand and the stock, mixed anew."""
    deal = state.deal
    assert deal is not None
    assert deal.hands is not None
    assert deal.stock is not None
    other = 1 - seat
    gone, left = deal.stock[: len(deal.stock) - deal.stock_left], deal.stock[len(deal.stock) - deal.stock_left :]
    # The turned card was seen when it was picked up.
    known = [card for card in cards_in(deal.hands[other]) if card == deal.turned]
    hidden = [card for card in cards_in(deal.hands[other]) if card != deal.turned]
    mixed = rng.sample([*hidden, *left], len(hidden) + len(left))
    hands = list(deal.hands)
    hands[other] = card_set([*known, *mixed[: len(hidden)]])
    stock = (*gone, *mixed[len(hidden) :])
    return replace(state, deal=deal._replace(hands=tuple(hands), stock=stock))


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
        for seat in range(2):
            other = with_other_hidden_cards(state, seat, rng)
            differing += other != state
            assert told(other, match, seat) == told(state, match, seat)
    return differing


@given(numbers, st.sampled_from(["target", "resigned", "void_in_play"]))
@settings(max_examples=15, deadline=None)
def test_a_seat_is_told_nothing_that_depends_on_hidden_cards(number: int, ending: str) -> None:
    check_blind(play(number, ending), random.Random(number), 3)


@pytest.mark.soak
def test_a_seat_is_told_nothing_that_depends_on_hidden_cards_in_many_matches() -> None:
    for number in range(max(1, int(60 * SCALE))):
        assert check_blind(play(number, "target"), random.Random(number), 20) > 0


def test_the_comparison_would_see_a_leak() -> None:
    """Shown to the other seat, the same mixed states are told apart."""
    match, rng = play(3, "target"), random.Random(3)
    state = next(state for state in states(match) if state.deal is not None)
    other = with_other_hidden_cards(state, 0, rng)
    assert told(other, match, 1) != told(state, match, 1)
