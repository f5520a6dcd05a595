"""Limits, over both databases: held in the transaction that moves the money or takes the seat."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy.event

from fairdeal import ledger
from fairdeal.app.cashier_ports import Moved
from fairdeal.app.ports import Seat, Store, Wallet
from fairdeal.app.safeguard_ports import (
    RAISE_DELAY_MS,
    CashMove,
    Exclusion,
    Limit,
    LimitKind,
    Period,
    period_start,
    used,
)
from fairdeal.errors import PlayerLimitReached, UnknownAccount
from fairdeal.ledger import Refund, Win
from fairdeal.store import SqlStore, cashier
from tests.store.house import ASSET, DAY, NOBODY, NOON, House, together


@pytest.mark.parametrize(
    ("period", "at", "start"),
    [
        ("day", "2026-03-29T00:00:00.000", "2026-03-29T00:00:00"),
        ("day", "2026-03-29T23:59:59.999", "2026-03-29T00:00:00"),  # a day of 23 hours in Paris
        ("week", "2026-03-29T23:59:59.999", "2026-03-23T00:00:00"),  # a Sunday
        ("week", "2026-03-30T00:00:00.000", "2026-03-30T00:00:00"),
        ("week", "2027-01-01T12:00:00.000", "2026-12-28T00:00:00"),
        ("month", "2024-02-29T23:59:59.999", "2024-02-01T00:00:00"),
        ("month", "2024-03-01T00:00:00.000", "2024-03-01T00:00:00"),
    ],
)
def test_periods_begin_by_the_calendar_in_utc(period: Period, at: str, start: str) -> None:
    ms = [round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000) for text in (at, start)]
    assert period_start(period, ms[0]) == ms[1]


M, N = "1" * 32, "2" * 32
SIT, WON = CashMove("sit", -100, M), CashMove("finish", 190, M)


@pytest.mark.parametrize(
    ("moves", "deposit", "stake", "loss"),
    [
        ([], 0, 0, 0),
        ([CashMove("deposit", 70, M), CashMove("withdraw", -50, N), CashMove("refusal", 50, N)], 70, 0, 0),
        ([CashMove("deposit", 70, M), CashMove("deposit", 30, N), CashMove("reversal", -70, M)], 30, 0, 0),
        ([CashMove("deposit", 70, M), CashMove("reversal", -30, N)], 70, 0, 0),  # of before: it makes no room here
        ([CashMove("deposit", 70, M), CashMove("withdraw", -50, N), CashMove("reversal", 50, N)], 70, 0, 0),
        ([SIT], 0, 100, 100),
        ([SIT, CashMove("stand", 100, M)], 0, 0, 0),
        ([SIT, CashMove("cancel", 100, M)], 0, 0, 0),
        ([SIT, CashMove("void", 100, M)], 0, 0, 0),
        ([SIT, WON], 0, 100, -90),
        ([SIT, CashMove("seed", 200, M), CashMove("sit", -30, N)], 0, 130, -70),
        ([CashMove("stand", 100, M), SIT], 0, 100, 100),  # the seat of before gives no room
        ([CashMove("void", 100, N), CashMove("finish", 190, N), SIT], 0, 100, 100),
        ([SIT, CashMove("stand", 100, M), SIT], 0, 100, 100),
    ],
)
def test_what_takes_up_a_limit(moves: list[CashMove], deposit: int, stake: int, loss: int) -> None:
    assert (used("deposit", moves), used("stake", moves), used("loss", moves)) == (deposit, stake, loss)


def test_a_limit_is_lowered_at_once_and_raised_a_day_later(store: Store, house: House) -> None:
    ann = house.account()
    assert store.limits(ann, NOON) == ()
    assert store.set_limit(ann, ASSET, "stake", "day", 500, NOON) == Limit(ASSET, "stake", "day", 500, None, None)
    later = NOON + RAISE_DELAY_MS
    assert store.set_limit(ann, ASSET, "stake", "day", 900, NOON) == Limit(ASSET, "stake", "day", 500, 900, later)
    assert store.limits(ann, later - 1) == (Limit(ASSET, "stake", "day", 500, 900, later),)
    assert store.limits(ann, later) == (Limit(ASSET, "stake", "day", 900, None, None),)
    assert store.set_limit(ann, ASSET, "stake", "day", None, later) == Limit(
        ASSET, "stake", "day", 900, None, later + RAISE_DELAY_MS
    )
    assert store.set_limit(ann, ASSET, "stake", "day", 300, later + 1) == Limit(ASSET, "stake", "day", 300, None, None)
    assert store.limits(ann, later + 2 * RAISE_DELAY_MS) == (Limit(ASSET, "stake", "day", 300, None, None),)
    store.set_limit(ann, ASSET, "loss", "month", 7, later)
    assert [(limit.kind, limit.amount) for limit in store.limits(ann, later + 1)] == [("loss", 7), ("stake", 300)]
    assert store.limits(house.account(), later) == ()
    with pytest.raises(UnknownAccount):
        store.set_limit(NOBODY, ASSET, "stake", "day", 5, NOON)
    kept = store.significant_events(None, 10)
    assert [event.kind for event in kept] == ["limit"] * 5
    assert kept[-1].data == {
        "account": ann,
        "amount": 500,
        "from": NOON,
        "asset": ASSET,
        "limit": "stake",
        "old": None,
        "period": "day",
    }


def limit_events(store: Store) -> list[object]:
    return [event.data["amount"] for event in store.significant_events(None, 100, "limit")]


def test_a_limit_that_stands_or_is_to_come_already_is_not_asked_for_again(store: Store, house: House) -> None:
    """Nor is a time put off that somebody has waited for."""
    ann = house.account()
    none = store.set_limit(ann, ASSET, "stake", "day", None, NOON)
    assert none == Limit(ASSET, "stake", "day", None, None, None)
    assert limit_events(store) == []
    for kind, amount, at in (("stake", 500, NOON), ("stake", 900, NOON + 5), ("loss", 500, NOON)):
        first = store.set_limit(ann, ASSET, kind, "day", amount, at)  # type: ignore[arg-type]
        assert store.set_limit(ann, ASSET, kind, "day", amount, NOON + 9) == first  # type: ignore[arg-type]
    assert limit_events(store) == [500, 900, 500]
    later = NOON + 5 + RAISE_DELAY_MS
    assert store.limits(ann, NOON + 9)[1] == Limit(ASSET, "stake", "day", 500, 900, later)
    assert store.set_limit(ann, ASSET, "stake", "day", 900, later) == Limit(ASSET, "stake", "day", 900, None, None)
    assert limit_events(store) == [500, 900, 500]


def test_a_limit_is_asked_for_no_earlier_than_the_one_before_it(store: Store, house: House) -> None:
    """Of two at once the second in the database may have the earlier time."""
    ann = house.account()
    first = store.set_limit(ann, ASSET, "stake", "day", 500, NOON + 1)
    assert store.set_limit(ann, ASSET, "stake", "day", 500, NOON) == first
    assert store.set_limit(ann, ASSET, "stake", "day", 400, NOON) == Limit(ASSET, "stake", "day", 400, None, None)
    raised = store.set_limit(ann, ASSET, "stake", "day", 450, NOON)
    assert raised.next_from == NOON + 1 + RAISE_DELAY_MS
    assert [event.at for event in store.significant_events(None, 10, "limit")] == [NOON + 1] * 3


def test_a_limit_that_stands_takes_back_what_was_to_come(store: Store, house: House) -> None:
    ann = house.account()
    for amount in (500, 900, 500, 500, None, 500, None, None):
        store.set_limit(ann, ASSET, "deposit", "week", amount, NOON)
    assert limit_events(store) == [None, 500, None, 500, 900, 500]
    expected = Limit(ASSET, "deposit", "week", 500, None, NOON + RAISE_DELAY_MS)
    assert store.limits(ann, NOON) == (expected,)


@pytest.mark.parametrize("_round", range(3))
def test_a_limit_or_a_stop_asked_for_at_once_is_one_event(_round: int, store: Store, house: House) -> None:
    ann = house.account()
    for amount in (500, 900, None):
        answers = together(*[lambda n=amount: store.set_limit(ann, ASSET, "loss", "month", n, NOON)] * 4)  # type: ignore[misc]
        assert len(set(answers)) == 1
    assert limit_events(store) == [None, 900, 500]
    assert together(*[lambda: store.exclude(ann, Exclusion("exclusion", NOON, None))] * 4) == [()] * 4
    assert len(store.significant_events(None, 10)) == 4


def test_deposits_stop_at_the_limit_and_begin_again_with_the_period(store: Store, house: House) -> None:
    ann = house.account()
    store.set_limit(ann, ASSET, "deposit", "day", 100, NOON)
    store.set_limit(ann, ASSET, "deposit", "week", 150, NOON)
    house.deposit(ann, 60)
    with pytest.raises(PlayerLimitReached) as refusal:
        house.deposit(ann, 41)
    assert refusal.value.details == {"limit": "deposit", "period": "day", "amount": 100, "left": 40}
    house.deposit(ann, 40)
    house.now = NOON // DAY * DAY + DAY
    with pytest.raises(PlayerLimitReached):
        house.deposit(ann, 51)
    house.deposit(ann, 50)
    house.now += 7 * DAY
    house.deposit(ann, 100)
    assert store.wallet(ann, ASSET) == Wallet(250, 0)


def test_a_deposit_that_is_reversed_gives_the_room_back_where_it_took_it(store: Store, house: House) -> None:
    """By day it was yesterday's room, by week and by month it is still this one's."""
    ann = house.account()
    for period, amount in (("day", 100), ("week", 150), ("month", 220)):
        store.set_limit(ann, ASSET, "deposit", period, amount, NOON)  # type: ignore[arg-type]
    mistake = house.deposit(ann, 60)
    house.deposit(ann, 40)
    house.reverse(mistake)
    assert store.wallet(ann, ASSET) == Wallet(40, 0)
    again = house.deposit(ann, 60)
    with pytest.raises(PlayerLimitReached):
        house.deposit(ann, 1)
    house.now = NOON // DAY * DAY + DAY
    house.deposit(ann, 50)
    with pytest.raises(PlayerLimitReached) as refusal:
        house.deposit(ann, 1)
    assert refusal.value.details["period"] == "week"
    house.reverse(again)
    with pytest.raises(PlayerLimitReached) as refusal:
        house.deposit(ann, 51)
    assert refusal.value.details == {"limit": "deposit", "period": "day", "amount": 100, "left": 50}
    house.deposit(ann, 50)
    house.now += DAY
    with pytest.raises(PlayerLimitReached) as refusal:
        house.deposit(ann, 11)
    assert refusal.value.details == {"limit": "deposit", "period": "week", "amount": 150, "left": 10}


def test_a_payout_that_is_reversed_is_no_deposit(store: Store, house: House) -> None:
    ann = house.account()
    store.set_limit(ann, ASSET, "deposit", "day", 100, NOON)
    house.deposit(ann, 60)
    asked = house.withdraw(ann, 50)
    house.end(asked, "paid")
    house.reverse(f"withdrawn:{asked}")
    house.deposit(ann, 40)
    with pytest.raises(PlayerLimitReached):
        house.deposit(ann, 1)


def test_stakes_stop_at_the_limit_and_what_comes_back_whole_never_counted(store: Store, house: House) -> None:
    ann = house.account(5_000)
    store.set_limit(ann, ASSET, "stake", "day", 500, NOON)
    first = house.open(ann, 500)
    seat = house.sit(first, ann)
    second = house.open(ann, 1)
    with pytest.raises(PlayerLimitReached):
        house.sit(second, ann)
    house.stand_up(first, seat)
    house.sit(second, ann)
    with pytest.raises(PlayerLimitReached):
        house.sit(house.open(ann, 500), ann)
    house.sit(house.open(ann, 0), ann)


@pytest.mark.parametrize(("outcome", "more"), [(Win(0), 500 + 405), (Win(1), 0), (Refund(), 500)])
def test_losses_stop_at_the_limit_and_winnings_make_room(
    outcome: ledger.Outcome, more: int, store: Store, house: House
) -> None:
    ann, bob = house.account(5_000), house.account(500)
    store.set_limit(ann, ASSET, "loss", "day", 500, NOON)
    match_id = house.open(ann, 500)
    house.sit(match_id, ann, 0)
    house.sit(match_id, bob, 1)
    house.start(match_id)
    with pytest.raises(PlayerLimitReached):
        house.sit(house.open(ann, 1), ann)
    house.finish(match_id, outcome)
    with pytest.raises(PlayerLimitReached) as refusal:
        house.sit(house.open(ann, more + 1), ann)
    assert refusal.value.details["left"] == more
    if more:
        house.sit(house.open(ann, more), ann)


@pytest.mark.parametrize(("period", "left"), [("month", 95), ("week", 45), ("day", 95)])
def test_a_week_that_began_in_the_month_before_counts_more_than_the_month(
    period: Period, left: int, store: Store, house: House
) -> None:
    ann = house.account(5_000)
    friday = round(datetime(2023, 12, 1, 12, tzinfo=UTC).timestamp() * 1000)
    for days, stake in ((-5, 7), (-4, 20), (-1, 30), (0, 5)):
        house.now = friday + days * DAY
        house.sit(house.open(ann, stake), ann)
    for other in ("month", "week", "day"):
        store.set_limit(ann, ASSET, "stake", other, 100 if other == period else 10_000, friday)  # type: ignore[arg-type]
    with pytest.raises(PlayerLimitReached) as refusal:
        house.sit(house.open(ann, 100), ann)
    assert refusal.value.details == {"limit": "stake", "period": period, "amount": 100, "left": left}


def test_the_money_of_the_longest_period_is_read_once_for_all_limits(tmp_path: Path) -> None:
    kept = SqlStore(tmp_path / "house.db")
    house = House(kept)
    ann, sent = house.account(500), list[str]()
    sitting = house.sitting(house.open(ann, 10), ann)
    sqlalchemy.event.listen(kept._database._engine, "before_cursor_execute", lambda *told: sent.append(told[2]))
    for kind, period in ((kind, period) for kind in ("stake", "loss") for period in ("day", "week", "month")):
        kept.set_limit(ann, ASSET, kind, period, 300, NOON)  # type: ignore[arg-type]
    kept.sit(sitting, house.once())
    assert len([sql for sql in sent if "FROM entries JOIN transactions" in sql]) == 1
    kept.close()


@pytest.mark.parametrize("_round", range(3))
def test_deposits_at_once_do_not_pass_the_limit_together(_round: int, store: Store, house: House) -> None:
    ann = house.account()
    store.set_limit(ann, ASSET, "deposit", "month", 100, NOON)
    money = [ledger.deposit(house.id(), ann, 40, asset=ASSET, at=house.now) for _ in range(6)]
    keys = [house.once() for _ in money]
    answers = together(*(lambda m=m, k=k: store.deposit(ann, m, k) for m, k in zip(money, keys, strict=True)))  # type: ignore[misc]
    assert sum(isinstance(answer, Moved) for answer in answers) == 2
    assert sum(isinstance(answer, PlayerLimitReached) for answer in answers) == 4
    assert store.wallet(ann, ASSET) == Wallet(80, 0)


@pytest.mark.parametrize("_round", range(3))
def test_deposits_and_a_reversal_at_once_do_not_pass_the_limit(_round: int, store: Store, house: House) -> None:
    """Whoever comes first: what stands never passes the limit, and what is left of it is there to be used."""
    ann = house.account()
    store.set_limit(ann, ASSET, "deposit", "month", 100, NOON)
    mistakes = [house.deposit(ann, 40), house.deposit(ann, 40)]
    money = [ledger.deposit(house.id(), ann, 40, asset=ASSET, at=house.now) for _ in range(4)]
    keys = [house.once() for _ in range(8)]
    undo = [lambda m=m, k=k: store.reverse(m, "a slip", house.now, k) for m, k in zip(mistakes, keys, strict=False)]  # type: ignore[misc]
    pay_in = [lambda m=m, k=k: store.deposit(ann, m, k) for m, k in zip(money, keys[2:], strict=False)]  # type: ignore[misc]
    answers = together(*undo, *pay_in)
    assert all(isinstance(answer, Moved) for answer in answers[:2])
    came = sum(isinstance(answer, Moved) for answer in answers[2:])
    assert came <= 2
    assert sum(isinstance(answer, PlayerLimitReached) for answer in answers[2:]) == 4 - came
    assert store.wallet(ann, ASSET) == Wallet(40 * came, 0)
    house.deposit(ann, 100 - 40 * came)
    with pytest.raises(PlayerLimitReached):
        house.deposit(ann, 1)


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_a_deposit_waits_for_a_reversal_and_finds_its_room(store: SqlStore, house: House) -> None:
    ann = house.account()
    store.set_limit(ann, ASSET, "deposit", "day", 100, NOON)
    mistake = house.deposit(ann, 100)
    money = ledger.deposit(house.id(), ann, 100, asset=ASSET, at=house.now)
    with ThreadPoolExecutor(1) as other:
        with store._database.write() as connection:
            cashier.reverse(connection, mistake, "a slip", house.now)
            coming = other.submit(store.deposit, ann, money, house.once())
            with pytest.raises(TimeoutError):
                coming.result(0.2)
        assert coming.result(120).balance == 100
    house.check()


@pytest.mark.parametrize("kind", ["stake", "loss"])
def test_seats_at_once_do_not_pass_the_limit_together(kind: LimitKind, store: Store, house: House) -> None:
    ann = house.account(5_000)
    store.set_limit(ann, ASSET, kind, "week", 100, NOON)
    sittings = [house.sitting(house.open(ann, 40), ann) for _ in range(6)]
    keys = [house.once() for _ in sittings]
    answers = together(*(lambda s=s, k=k: store.sit(s, k) for s, k in zip(sittings, keys, strict=True)))  # type: ignore[misc]
    assert sum(isinstance(answer, Seat) for answer in answers) == 2
    assert sum(isinstance(answer, PlayerLimitReached) for answer in answers) == 4
    house.check()
