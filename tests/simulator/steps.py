"""What happens at any table: people sit down, send their seeds, and do something they may do."""

from typing import Any

from fairdeal.belote.annonces import check_declare
from fairdeal.errors import IllegalAction
from fairdeal.match import view
from tests.simulator.table import Table

PASS = {"bid": "pass"}


def seat_all(table: Table) -> None:
    for seat in table.random.sample(table.seats, len(table.seats)):
        table.join(seat)


def start(table: Table) -> None:
    """All joins and seeds; some seeds come late, by any pattern of periods that still is in time."""
    seat_all(table)
    arrivals = sorted((table.random.choice((0, 0, 0, 1, 2)), table.random.random(), seat) for seat in table.seats)
    for period, _, seat in arrivals:
        while table.state.seed_periods < period:
            table.time_out()
        perhaps_resume(table, 0.05)
        table.wait()
        table.send_seed(seat)


def perhaps_resume(table: Table, chance: float) -> None:
    if table.random.random() < chance:
        table.resume()


def random_action(table: Table) -> None:
    """The seat on turn does something it may do, once in a while too late, and seldom after an outage."""
    perhaps_resume(table, 0.01)
    seat = table.state.turn
    assert seat is not None
    if table.random.random() < 0.02 and table.state.overruns[seat] + 1 < table.terms.clock.overruns:
        table.time_out()
        return
    table.wait()
    if table.terms.ruleset.features.announcements:
        for other in may_declare(table):
            if table.random.random() < 0.3:
                table.act(other, {"declare": True})
    table.act(seat, choose(table, view(table.state, seat)["legal"]))


def choose(table: Table, legal: list[dict[str, Any]]) -> dict[str, Any]:
    """One of these at random; in an auction mostly a word that does not drive it to the top."""
    if table.terms.ruleset.features.contract and legal[0] == PASS:
        roll = table.random.random()
        if roll < 0.9:
            return PASS if roll < 0.55 else table.random.choice(legal[:9])
    return table.random.choice(legal)


def may_declare(table: Table) -> list[int]:
    """The seats, on turn or not, that may declare now."""
    seats = []
    for seat in table.seats:
        try:
            assert table.state.deal is not None
            check_declare(table.state.deal, seat)
        except IllegalAction:
            continue
        seats.append(seat)
    return seats


def to_the_end(table: Table) -> None:
    while table.state.turn is not None:
        random_action(table)
