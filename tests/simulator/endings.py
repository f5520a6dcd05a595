"""The endings, and how a match is led to each of them."""

import random
from collections.abc import Callable
from typing import Any

from fairdeal.belote import Action, Deal, match_result, to_do
from fairdeal.belote import MatchState as Result
from fairdeal.match import MatchState, Phase, view
from tests.simulator.table import Played, Table, new_table

SEATS = (0, 1)
OUT_OF_REACH = 10_000
"""A target that no match here comes near."""


def play(seed: int, ending: str, **options: Any) -> Played:
    """The match number `seed` that ends so; the same one for the same arguments, on every machine.

    `ending` is one of `ENDINGS`; `options` are those of `new_table`, and override what the ending asks for.
    """
    defaults, lead = _LEADS[ending]
    table = new_table(random.Random(f"{ending} {seed}"), {**defaults, **options})
    lead(table)
    assert table.state.phase is Phase.CLOSED
    return table.played(seed, ending)


def _seat_all(table: Table) -> None:
    for seat in table.random.sample(SEATS, 2):
        table.join(seat)


def _start(table: Table) -> None:
    """All joins and seeds; some seeds come late, by any pattern of periods that still is in time."""
    _seat_all(table)
    arrivals = sorted((table.random.choice((0, 0, 0, 1, 2)), table.random.random(), seat) for seat in SEATS)
    for period, _, seat in arrivals:
        while table.state.seed_periods < period:
            table.time_out()
        _perhaps_resume(table, 0.05)
        table.wait()
        table.send_seed(seat)


def _perhaps_resume(table: Table, chance: float) -> None:
    if table.random.random() < chance:
        table.resume()


def _random_action(table: Table) -> None:
    """The seat on turn does something it may do, once in a while too late, and seldom after an outage."""
    _perhaps_resume(table, 0.01)
    seat = table.state.turn
    assert seat is not None
    if table.random.random() < 0.02 and table.state.overruns[seat] + 1 < table.terms.clock.overruns:
        table.time_out()
        return
    table.wait()
    table.act(seat, table.random.choice(view(table.state, seat)["legal"]))


def _to_the_end(table: Table) -> None:
    while table.state.turn is not None:
        _random_action(table)


def _target(table: Table) -> None:
    _start(table)
    _to_the_end(table)
    assert table.state.ending is not None
    assert table.state.ending.reason == "target"


def _rollout(rng: random.Random, state: MatchState, start: Deal) -> tuple[list[Action], tuple[int, ...]]:
    """One random way to play a deal out, and the totals it leads to."""
    ruleset, deal, actions = state.terms.ruleset, start, []
    while not deal.over:
        actions.append(rng.choice(ruleset.actions(deal)))
        deal = ruleset.apply(deal, actions[-1])
    return actions, tuple(sum(pair) for pair in zip(state.totals, ruleset.score(deal).marks, strict=True))


def _script(table: Table, wanted: Callable[[tuple[int, ...]], bool], tries: int) -> bool:
    """Plays this deal in a way that brings the wanted totals; passes it out when `tries` ways did not."""
    deal = table.state.deal
    assert deal is not None
    for _ in range(tries):
        actions, totals = _rollout(table.random, table.state, deal)
        if wanted(totals):
            break
    else:
        actions, totals = [table.terms.ruleset.actions(deal)[0]] * 4, table.state.totals
    for action in actions:
        assert table.state.turn is not None
        table.wait()
        table.act(table.state.turn, to_do(action))
    return wanted(totals)


def _extra_deal(table: Table) -> None:
    """Both seats reach the target with equal totals, so that one more deal decides."""
    target = table.terms.options.target
    _start(table)
    while not _script(table, lambda totals: min(totals) > 0 and 20 < max(totals) < target, 20):
        pass
    while not _script(table, lambda totals: match_result((totals[0], totals[1]), target)[0] is Result.EXTRA_DEAL, 60):
        pass
    assert table.state.totals[0] == table.state.totals[1] >= target
    _to_the_end(table)


def _overruns(table: Table) -> None:
    _start(table)
    loser = table.random.choice(SEATS)
    while table.state.turn is not None:
        if table.state.turn == loser and table.random.random() < 0.2:
            table.time_out()
        else:
            _random_action(table)


def _resigned(table: Table) -> None:
    _start(table)
    for _ in range(table.random.randrange(60)):
        _random_action(table)
    table.wait()
    table.act(table.random.choice(SEATS), {"resign": True})


def _seeds_missing(*missing: int) -> Callable[[Table], None]:
    def lead(table: Table) -> None:
        _seat_all(table)
        arrivals = {seat: table.random.randrange(3) for seat in SEATS if seat not in missing}
        for period in range(3):
            _perhaps_resume(table, 0.2)
            for seat in (seat for seat, arrival in arrivals.items() if arrival == period):
                table.wait()
                table.send_seed(seat)
            table.time_out()

    return lead


def _cancelled(*joining: int) -> Callable[[Table], None]:
    def lead(table: Table) -> None:
        for seat in joining:
            table.join(seat)
        table.cancel()

    return lead


def _void_in_seeds(table: Table) -> None:
    _seat_all(table)
    for seat in table.random.choice(((), (0,), (1,))):
        table.wait()
        table.send_seed(seat)
    for _ in range(table.random.randrange(3)):
        table.time_out()
    table.void()


def _void_in_play(table: Table) -> None:
    _start(table)
    for _ in range(table.random.randrange(60)):
        _random_action(table)
    table.void()


def _deal_limit(table: Table) -> None:
    _start(table)
    _to_the_end(table)


_LEADS: dict[str, tuple[dict[str, Any], Callable[[Table], None]]] = {
    "target": ({}, _target),
    "extra_deal": ({"target": 140}, _extra_deal),
    "overruns": ({"target": OUT_OF_REACH}, _overruns),
    "resigned": ({"target": OUT_OF_REACH}, _resigned),
    "seed_missing_0": ({}, _seeds_missing(0)),
    "seed_missing_1": ({}, _seeds_missing(1)),
    "seed_missing_both": ({}, _seeds_missing(0, 1)),
    "cancelled_empty": ({}, _cancelled()),
    "cancelled_with_0": ({}, _cancelled(0)),
    "cancelled_with_1": ({}, _cancelled(1)),
    "void_in_seeds": ({}, _void_in_seeds),
    "void_in_play": ({"target": OUT_OF_REACH}, _void_in_play),
    "deal_limit": ({"target": OUT_OF_REACH, "deals_max": 2}, _deal_limit),
}

ENDINGS = tuple(_LEADS)
"""Every way a match can end."""
