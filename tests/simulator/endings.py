"""The endings, and how a match of any game is led to each of them."""

import random
from collections.abc import Callable
from itertools import product
from typing import Any

from fairdeal.belote import RULESETS, Scoring
from fairdeal.match import Phase
from tests.simulator.scripts import SCRIPTS, extra_deal
from tests.simulator.steps import perhaps_resume, random_action, seat_all, start, to_the_end
from tests.simulator.table import Played, Table, new_table

DUEL = "duel@1"
GAMES = tuple(RULESETS)
"""Every game."""


def play(seed: int, ending: str, game: str = DUEL, **options: Any) -> Played:
    """The match number `seed` of a game that ends so; the same one for the same arguments, on every machine.

    `ending` is one of `endings(game)`; `options` are those of `new_table`, and override what the ending asks for. There
    is a log of all matches, if `log` is not False.
    """
    defaults, lead = _leads(game)[ending]
    number = f"{ending} {seed}" if game == DUEL else f"{game} {ending} {seed}"
    table = new_table(random.Random(number), {"game": game, "log": True, **defaults, **options})
    lead(table)
    assert table.state.phase is Phase.CLOSED
    return table.played(seed, ending)


def _target(table: Table) -> None:
    start(table)
    to_the_end(table)
    assert table.state.ending is not None
    assert table.state.ending.reason == "target"


def _overruns(table: Table) -> None:
    start(table)
    loser = table.random.choice(table.seats)
    while table.state.turn is not None:
        if table.state.turn == loser and table.random.random() < 0.2:
            table.time_out()
        else:
            random_action(table)


def _resigned(table: Table) -> None:
    start(table)
    for _ in range(table.random.randrange(60)):
        random_action(table)
    table.wait()
    table.act(table.random.choice(table.seats), {"resign": True})


def _seeds_missing(*sides: int) -> Callable[[Table], None]:
    """These sides are not complete when the third period ends: one seat of each is missing, or all."""

    def lead(table: Table) -> None:
        seat_all(table)
        missing = _some_of_each(table, sides)
        arrivals = {seat: table.random.randrange(3) for seat in table.seats if seat not in missing}
        for period in range(3):
            perhaps_resume(table, 0.2)
            for seat in (seat for seat, arrival in arrivals.items() if arrival == period):
                table.wait()
                table.send_seed(seat)
            table.time_out()

    return lead


def _some_of_each(table: Table, sides: tuple[int, ...]) -> set[int]:
    """One seat or more of each of these sides."""
    missing: set[int] = set()
    for side in sides:
        seats = [seat for seat in table.seats if table.terms.sides[seat] == side]
        missing.update(seats if len(seats) == 1 else table.random.sample(seats, table.random.randint(1, len(seats))))
    return missing


def _cancelled(*sides: int) -> Callable[[Table], None]:
    """Some of these sides have joined, never everybody."""

    def lead(table: Table) -> None:
        for seat in sorted(_some_of_each(table, sides)):
            table.join(seat)
        table.cancel()

    return lead


def _void_in_seeds(table: Table) -> None:
    seat_all(table)
    patterns = [sent for sent in product((False, True), repeat=len(table.seats)) if not all(sent)]
    sent = table.random.choice(
        sorted((sum(sent), tuple(seat for seat in table.seats if sent[seat])) for sent in patterns)
    )
    for seat in sent[1]:
        table.wait()
        table.send_seed(seat)
    for _ in range(table.random.randrange(3)):
        table.time_out()
    table.void()


def _void_in_play(table: Table) -> None:
    start(table)
    for _ in range(table.random.randrange(60)):
        random_action(table)
    table.void()


def _deal_limit(table: Table) -> None:
    start(table)
    to_the_end(table)


Lead = tuple[dict[str, Any], Callable[[Table], None]]

_LEADS: dict[str, Lead] = {
    "target": ({}, _target),
    "extra_deal": ({"target": 140}, extra_deal),
    "overruns": ({"target": 10_000}, _overruns),
    "resigned": ({"target": 10_000}, _resigned),
    "seed_missing_0": ({}, _seeds_missing(0)),
    "seed_missing_1": ({}, _seeds_missing(1)),
    "seed_missing_both": ({}, _seeds_missing(0, 1)),
    "cancelled_empty": ({}, _cancelled()),
    "cancelled_with_0": ({}, _cancelled(0)),
    "cancelled_with_1": ({}, _cancelled(1)),
    "void_in_seeds": ({}, _void_in_seeds),
    "void_in_play": ({"target": 10_000}, _void_in_play),
    "deal_limit": ({"target": 10_000, "deals_max": 2}, _deal_limit),
}
_FOUR: dict[str, dict[str, Any]] = {
    "extra_deal": {"target": 501, "scoring": Scoring.MADE},
    "overruns": {"target": 2001},
    "resigned": {"target": 2001},
    "void_in_play": {"target": 2001},
    "deal_limit": {"target": 1001, "deals_max": 2},
}
"""What the games for four ask for instead; their targets are fixed."""

ENDINGS = tuple(_LEADS)
"""Every way a match can end."""


def endings(game: str) -> tuple[str, ...]:
    """What `play` can lead a match of this game to: every ending, and what seldom happens by itself in this game."""
    return tuple(_leads(game))


def _leads(game: str) -> dict[str, Lead]:
    if game == DUEL:
        return _LEADS
    leads = {ending: (_FOUR.get(ending, defaults), lead) for ending, (defaults, lead) in _LEADS.items()}
    options = {"target": 501, "deals_max": 1_000}
    return leads | {name: (options, lead) for name, (games, lead) in SCRIPTS.items() if game in games}
