"""Stops of one's own and the operator's switch, over both databases: held in the transaction that takes the seat."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from fairdeal.app.ports import Status, Store, Wallet
from fairdeal.app.safeguard_ports import (
    Exclusion,
    ExclusionKind,
    Switch,
)
from fairdeal.errors import Excluded, PlayStopped, StoreFailed, UnknownAccount
from fairdeal.ledger import Win
from fairdeal.store import SqlStore, lobby
from tests.store.house import ASSET, DAY, NOBODY, NOON, House, together


def test_a_stop_within_the_one_in_force_is_no_event(store: Store, house: House) -> None:
    ann = house.account()

    def stop(kind: ExclusionKind, at: int, until: int | None) -> Exclusion | None:
        store.exclude(ann, Exclusion(kind, at, until))
        return store.exclusion(ann, at)

    first = stop("cool_off", NOON, NOON + 9)
    for kind, until in (("cool_off", NOON + 9), ("exclusion", NOON + 9), ("cool_off", NOON + 8)):
        assert stop(kind, NOON + 1, until) == first  # type: ignore[arg-type]
    longer = stop("exclusion", NOON + 2, NOON + 10)
    assert longer == Exclusion("exclusion", NOON + 2, NOON + 10)
    again = stop("cool_off", NOON + 10, NOON + 11)
    assert again == Exclusion("cool_off", NOON + 10, NOON + 11)
    assert stop("exclusion", NOON + 10, None) == stop("exclusion", NOON + 11, None)
    assert stop("exclusion", NOON + 11, NOON + DAY) == Exclusion("exclusion", NOON + 10, None)
    told = [event.data["until"] for event in store.significant_events(None, 10, "exclusion")]
    assert told == [None, NOON + 11, NOON + 10, NOON + 9]


@pytest.mark.parametrize("until", [NOON + DAY, None])
def test_a_stop_of_ones_own_ends_seats_and_deposits_and_nothing_else(
    until: int | None, store: Store, house: House
) -> None:
    match_id, ann, _ = house.live(500)
    house.deposit(ann, 100)
    table = house.open(house.account(), 0)
    store.exclude(ann, Exclusion("exclusion", NOON, until))
    for forbidden in (lambda: house.sit(table, ann), lambda: house.deposit(ann, 5), lambda: house.open(ann, 0)):
        with pytest.raises(Excluded) as refusal:
            forbidden()
        assert refusal.value.details == {"stop": "exclusion", "until": until}
    asked = house.withdraw(ann, 60)
    house.end(asked, "paid")
    house.finish(match_id, Win(0))
    assert store.wallet(ann, ASSET).cash > 40
    store.exclude(ann, Exclusion("cool_off", NOON, NOON + 5))  # a shorter one takes nothing back
    house.now = NOON + DAY - 1_000
    with pytest.raises(Excluded):
        house.sit(table, ann)
    house.now = NOON + DAY
    if until is None:
        with pytest.raises(Excluded):
            house.sit(table, ann)
    else:
        assert store.exclusion(ann, house.now) is None
        house.sit(table, ann)
    kept = store.significant_events(None, 10)
    assert kept[-1].data == {"account": ann, "stop": "exclusion", "until": until}
    with pytest.raises(UnknownAccount):
        store.exclude(NOBODY, Exclusion("exclusion", NOON, until))


@pytest.mark.parametrize("whose", ["own", "operator's"])
def test_who_stops_waits_at_no_table_any_more(whose: str, store: Store, house: House) -> None:
    """What was full or live goes on."""
    live, ann, bob = house.live(500)
    house.deposit(ann, 700)
    full, staked, free = (house.open(bob, stake) for stake in (100, 600, 0))
    for table in (full, staked, free):
        house.sit(table, ann)
    house.deposit(bob, 100)
    house.sit(full, bob)
    other = house.open(ann, 0)
    house.sit(other, bob)
    before = store.wallet(ann, ASSET)
    if whose == "own":
        left = store.exclude(ann, Exclusion("cool_off", NOON, NOON + DAY))
    else:
        left = store.switch(Switch(ann, False, "a fraud", NOON))
    assert sorted(left) == sorted([staked, free])
    seated = {
        m: [seat.account_id for seat in table.seated]
        for m in (live, full, staked, free, other)
        if (table := store.table(m))
    }
    assert seated == {live: [ann, bob], full: [ann, bob], staked: [], free: [], other: [bob]}
    assert store.wallet(ann, ASSET) == Wallet(before.cash + 600, before.held - 600)
    assert store.exclude(ann, Exclusion("cool_off", NOON, NOON + DAY)) == ()
    house.check()


@pytest.mark.parametrize("_round", range(5))
def test_stops_called_off_tables_and_seats_at_once_wait_for_each_other_in_no_circle(
    _round: int, store: Store, house: House
) -> None:
    """Two who stop at once sit at the same tables, some of which are called off, or filled, in the same moment."""
    ann, bob, eve = (house.account(5_000) for _ in range(3))
    tables = [house.open(eve, 100, seats=4) for _ in range(6)]
    for table in (*tables, *reversed(tables)):
        house.sit(table, bob if house.table(table).seated else ann)
    works: list[Callable[[], object]] = [
        lambda who=who: store.exclude(who, Exclusion("exclusion", NOON, None))  # type: ignore[misc]
        for who in (ann, bob)
    ]
    cancellations = [house.cancellation(table) for table in tables[:3]]
    sittings = [(house.sitting(table, eve), house.once()) for table in tables[3:]]
    works += [lambda append=append: store.commit(append) for append in cancellations]  # type: ignore[misc]
    works += [lambda sitting=sitting, once=once: store.sit(sitting, once) for sitting, once in sittings]  # type: ignore[misc]
    answers = together(*works)
    assert not [answer for answer in answers if isinstance(answer, StoreFailed)]
    open_still = [table for table in map(house.table, tables) if table.status is Status.OPEN]
    assert len(open_still) >= 3
    assert {seat.account_id for table in open_still for seat in table.seated} <= {eve}
    for who in (ann, bob):
        assert store.wallet(who, ASSET) == Wallet(5_000, 0)
    house.check()


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_seat_that_is_being_taken_is_taken_before_everybodys_play_stops(store: SqlStore, house: House) -> None:
    ann = house.account(500)
    table = house.open(ann, 500)
    with ThreadPoolExecutor(1) as other:
        with store._database.write() as connection:
            lobby.sit(connection, house.sitting(table, ann))
            stopping = other.submit(store.switch, Switch(None, False, "a fault", NOON))
            with pytest.raises(TimeoutError):
                stopping.result(0.2)
        assert stopping.result(120) == ()
    with pytest.raises(PlayStopped):
        house.sit(house.open(ann, 0), ann)


def test_the_operators_switch_lets_running_matches_finish(store: Store, house: House) -> None:
    match_id, ann, bob = house.live(500)
    table = house.open(ann, 0)
    for whose, stopped, others in ((None, (ann, bob), ()), (ann, (ann,), (bob,))):
        store.switch(Switch(whose, False, "a fault", NOON))
        assert [(one.account_id, one.reason) for one in store.switches_off()] == [(whose, "a fault")]
        for account in stopped:
            with pytest.raises(PlayStopped):
                house.sit(table, account)
            with pytest.raises(PlayStopped):
                house.open(account, 0)
        for account in others:
            house.stand_up(table, house.sit(table, account))
        store.switch(Switch(whose, True, "mended", NOON))
        assert store.switches_off() == ()
    store.switch(Switch(None, False, "a fault", NOON))
    house.deposit(ann, 5)  # nobody's money is refused for a fault of the game
    store.switch(Switch(ann, False, "a fraud", NOON))
    with pytest.raises(PlayStopped):
        house.deposit(ann, 5)
    house.end(house.withdraw(ann, 5), "refused")
    house.finish(match_id, Win(0))
    assert [event.kind for event in store.significant_events(None, 10)] == ["switch"] * 6
    with pytest.raises(UnknownAccount):
        store.switch(Switch(NOBODY, False, "nobody", NOON))
