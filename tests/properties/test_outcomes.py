"""What the cards depend on: the server's secret, and nothing that came after the last promise."""

import random
from collections.abc import Callable

from fairdeal.commit import Seed
from fairdeal.match import Event, MatchState, Move, Tick, decide, evolve
from fairdeal.shuffle import deal_pack
from tests.simulator import Table, new_table

CLOCK = {"decision_ms": 30_000, "overruns": 3, "grace_ms": 250, "pause_ms": 4_000, "outage_ms": 5_000}
Cards = tuple[object, ...]


def joined() -> Table:
    """Always the same secrets and the same joins."""
    it = new_table(random.Random(12), {"stake": 500, "target": 301, "clock": CLOCK})
    it.join(0)
    it.join(1)
    return it


def cards(state: MatchState) -> Cards:
    """Where every card of the deal is."""
    assert state.deal is not None
    return state.dealer, state.deal.turned, state.deal.hands, state.deal.stock


def test_with_everything_public_the_same_another_secret_deals_other_cards() -> None:
    """Commitment, table root, seat seeds, times: all equal. Who knows only those knows nothing of the cards."""
    it = joined()
    it.send_seed(0)
    last = Move(it.signed(1, {"seed": it.keys.seat_seeds[1].hex()}))
    dealt: list[Cards] = []
    for number in range(128):
        secret = Seed(number.to_bytes(32, "big"))
        state: MatchState | None = it.state
        events = decide(it.state, last, it.now, secret)
        for event in events:
            state = evolve(state, event, secret)
        assert events[0].line == decide(it.state, last, it.now, it.keys.server_seed)[0].line
        assert state is not None
        dealt.append(cards(state))
    dealers, turned, hands, stocks = (set(column) for column in zip(*dealt, strict=True))
    assert dealers == {0, 1}
    assert len(turned) > 25
    assert len(hands) == len(stocks) == len(dealt)


def test_a_seat_alone_changes_every_card_too() -> None:
    """The server's secret is not enough to know them: each seat's seed is in the deal."""
    server_seed, root, own = bytes([1]) * 32, bytes([2]) * 32, bytes([3]) * 32
    for seat in range(2):
        seeds = [
            [other if place == seat else own for place in range(2)] for other in (bytes([n]) * 32 for n in range(64))
        ]
        packs = {deal_pack(server_seed, root, each, 1) for each in seeds}
        assert len(packs) == 64
        assert len({pack[0] for pack in packs}) > 20


def seeds_at_once(it: Table) -> None:
    it.send_seed(0)
    it.send_seed(1)


def seeds_the_other_way_round_and_late(it: Table) -> None:
    it.now += 7_001
    it.send_seed(1)
    it.now += 11_003
    it.send_seed(0)


def seeds_after_a_period_and_an_outage(it: Table) -> None:
    it.send_seed(1)
    it.time_out()
    it.resume()
    it.now += 17
    it.send_seed(0)


def everybody_passes(it: Table) -> None:
    for _ in range(4):
        assert it.state.turn is not None
        it.act(it.state.turn, {"bid": "pass"})


def the_clock_passes(it: Table) -> None:
    for _ in range(4):
        it.time_out()


def some_of_both_and_an_outage(it: Table) -> None:
    it.time_out()
    it.resume()
    for _ in range(3):
        it.now += 1_234
        assert it.state.turn is not None
        it.act(it.state.turn, {"bid": "pass"})


Way = Callable[[Table], None]
SEEDING: tuple[Way, ...] = (seeds_at_once, seeds_the_other_way_round_and_late, seeds_after_a_period_and_an_outage)
PASSING: tuple[Way, ...] = (everybody_passes, the_clock_passes, some_of_both_and_an_outage)


def test_no_order_and_no_time_after_the_last_promise_changes_a_card() -> None:
    """Seeds early or late, in either order, around timeouts and outages; then a first deal that ends as it may."""
    first, second, histories = set[Cards](), set[Cards](), set[bytes]()
    for seeding in SEEDING:
        for passing in PASSING:
            it = joined()
            seeding(it)
            assert it.state.deal_number == 1
            first.add(cards(it.state))
            passing(it)
            assert it.state.deal_number == 2
            second.add(cards(it.state))
            histories.add(it.state.root)
    assert len(histories) == len(SEEDING) * len(PASSING)
    assert len(first) == len(second) == 1
    assert first != second


def test_no_card_is_dealt_without_every_seats_own_seed() -> None:
    """No default stands in for a seed that does not come, however long one waits."""
    for sent in ((), (0,), (1,)):
        it = joined()
        for seat in sent:
            it.send_seed(seat)
        while it.state.ending is None:
            it.time_out()
        assert [event for event in it.events if event.type == "deal"] == []
        assert it.state.deal is None
        assert decide_nothing(it) == ()


def decide_nothing(it: Table) -> tuple[Event, ...]:
    return decide(it.state, Tick(), it.now + 10**9, it.keys.server_seed)
