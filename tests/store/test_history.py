"""What lies behind a player: statements whose months follow on one another, own matches, and how both are found."""

import random
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import event

from fairdeal import ledger
from fairdeal.app.history_ports import Statement, Total, WalletLine
from fairdeal.app.ports import Store
from fairdeal.ledger import Win
from fairdeal.store import SqlStore
from tests.store.house import ASSET, House


def deposit(house: House, account_id: str, amount: int, at: int) -> None:
    money = ledger.deposit(house.id(), account_id, amount, asset=ASSET, at=at)
    house.store.deposit(account_id, money, house.once())


def amounts(store: Store, account_id: str, start: int, end: int) -> list[int]:
    return [line.amount for line in lines(store, account_id, start, end)]


def lines(store: Store, account_id: str, start: int, end: int) -> tuple[WalletLine, ...]:
    made = store.statement(account_id, ASSET, start, end)
    return store.statement_lines(account_id, ASSET, made.after, made.last, 1_000)


def test_a_statement_has_the_lines_of_its_span_and_the_balances_around_them(store: Store, house: House) -> None:
    account, other = house.account(), house.account()
    for amount, at in ((5, 10), (7, 19), (1, 20), (2, 20), (3, 29), (4, 30)):
        deposit(house, account, amount, at)
        deposit(house, other, 100, at)
    made = store.statement(account, ASSET, 20, 30)
    assert (made.opening, made.closing) == (12, 18)
    assert made.totals == (Total("deposit", 3, 6),)
    assert [(line.amount, line.balance_before, line.balance) for line in lines(store, account, 20, 30)] == [
        (1, 12, 13),
        (2, 13, 15),
        (3, 15, 18),
    ]
    assert lines(store, account, 20, 30)[0].kind == "deposit"
    for start, end, opening, closing_ in (
        (0, 10, 0, 0),
        (11, 19, 5, 5),
        (31, 99, 22, 22),
        (30, 31, 18, 22),
        (0, 99, 0, 22),
    ):
        made = store.statement(account, ASSET, start, end)
        assert (made.opening, made.closing) == (opening, closing_), (start, end)
    assert store.statement(house.account(), ASSET, 0, 99) == Statement(0, (), 0, 0, 0)
    assert store.statement(account, "OTHER", 0, 99).closing == 0


@pytest.mark.parametrize("disorder", [0, 3, 30])
def test_spans_follow_on_one_another_whatever_the_times_are(disorder: int, store: Store, house: House) -> None:
    """Every entry is in one span, a span opens with what the one before it closed with, and no later entry moves it."""
    draw, account = random.Random(disorder), house.account()
    borders = [*range(0, 101, 10), 10_000]
    seen: dict[tuple[int, int], list[int]] = {}
    for at in range(60):
        deposit(house, account, 1 + at, 40 + at + draw.randint(-disorder, 0))
        if at % 20 != 19:
            continue
        spans = [store.statement(account, ASSET, *span) for span in pairwise(borders)]
        found = [amounts(store, account, *span) for span in pairwise(borders)]
        assert [amount for amounts_ in found for amount in amounts_] == [*range(1, at + 2)]
        assert [made.opening for made in spans] == [0, *(made.closing for made in spans[:-1])]
        assert spans[-1].closing == store.wallet(account, ASSET).cash
        for span, here in zip(pairwise(borders), found, strict=True):
            if span[1] <= 40 + at - disorder:  # nothing that comes later can have a time of this span
                assert seen.setdefault(span, here) == here


def test_with_times_in_order_a_span_is_exactly_what_happened_in_it(store: Store, house: House) -> None:
    draw, account = random.Random(5), house.account()
    times = sorted(draw.randrange(100) for _ in range(40))
    for place, at in enumerate(times):
        deposit(house, account, 1 + place, at)
    for _ in range(40):
        start, end = sorted((draw.randrange(-5, 105), draw.randrange(-5, 105)))
        assert amounts(store, account, start, end) == [1 + n for n, at in enumerate(times) if start <= at < end]


def test_a_statement_of_thousands_of_lines_is_read_in_pages(store: Store, house: House) -> None:
    """Whatever the page, each line once, in order; what another account does in between is not among them."""
    account, other = house.account(), house.account()
    for at in range(60):
        deposit(house, account, 1 + at, at)
        deposit(house, other, 1_000, at)
    made = store.statement(account, ASSET, 5, 55)
    assert (made.totals, made.closing - made.opening) == ((Total("deposit", 50, sum(range(6, 56))),), sum(range(6, 56)))
    for limit in (1, 7, 50, 51):
        seen: list[int] = []
        place = made.after
        while page := store.statement_lines(account, ASSET, place, made.last, limit):
            assert len(page) <= limit
            seen += [line.amount for line in page]
            place = page[-1].seq
        assert seen == [*range(6, 56)]


def test_own_matches_come_by_the_last_sitting_with_what_they_did(store: Store, house: House) -> None:
    first, ann, bob = house.live(500)
    house.deposit(ann, 100)
    second = house.open(bob, 30)
    seat = house.sit(second, ann, 0)
    house.stand_up(second, seat)
    third = house.open(ann, 0)
    house.sit(third, ann)
    house.sit(second, ann, 1)
    house.finish(first, Win(1))
    found = store.own_matches(ann, None, 10)
    assert [one.match_id for one in found] == [second, third, first]
    assert [(one.seat, one.stake, one.status, one.net) for one in found] == [
        (1, 30, "open", -30), (0, 0, "open", 0), (0, 500, "ended", -500),
    ]  # fmt: skip
    assert [one.ended_at is None for one in found] == [True, True, False]
    assert found[2].line == store.events(first)[0]
    assert found[2].last == store.events(first)[-3:]
    assert found[0].last == ()
    assert store.own_matches(ann, found[0].seq, 1) == (found[1],)
    assert store.own_matches(ann, found[2].seq, 10) == ()
    assert [one.match_id for one in store.own_matches(bob, None, 10)] == [first]
    (lost,) = store.own_matches(bob, None, 10)
    assert lost.net == 1000 - 75 - 20 - 500
    assert replace(lost, seq=1, seat=0, player=found[2].player, sat_at=found[2].sat_at, net=-500) == replace(
        found[2], seq=1
    )


def test_nothing_of_this_reads_a_whole_table(tmp_path: Path) -> None:
    """SQLite says how it would look for each statement that was sent: everywhere by an index."""
    kept = SqlStore(tmp_path / "house.db")
    house, sent = House(kept), []
    match_id, ann, _ = house.live(500)
    house.finish(match_id, Win(0))
    event.listen(kept._database._engine, "before_cursor_execute", lambda *told: sent.append((told[2], told[3])))
    kept.own_matches(ann, None, 10)
    kept.own_matches(ann, 5, 10)
    kept.wallet_lines(ann, ASSET, 7, 10)
    kept.statement(ann, ASSET, 1_005, 2_000)
    kept.statement(ann, ASSET, 0, 10)
    kept.statement_lines(ann, ASSET, 0, 9, 10)
    kept.withdrawals(ann, 9, 10)
    kept.close()
    asked = [(sql, values) for sql, values in sent if sql.startswith("SELECT")]
    assert len(asked) > 12
    with closing(sqlite3.connect(tmp_path / "house.db")) as database:
        for sql, values in asked:
            plan = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
            read = [step for step in plan if re.match(r"SCAN (?!CONSTANT)", step)]
            assert not read, (sql, plan)
            # Nor is all summed that an account ever had: a statement sums a stretch of it.
            assert "sum(" not in sql or "account=?" not in "".join(plan) or "seq>?" in "".join(plan), (sql, plan)
            # Nor is anything put in order that the index has not in order already, but for a page's few groups.
            assert "ORDER BY" not in "".join(plan) or "events.n" in sql, (sql, plan)
