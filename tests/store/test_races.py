"""Everything at once on the same tables, players and keys: threads of one process on SQLite, processes of their own on
PostgreSQL. Whatever comes first, each match has at most one pot and exactly one end, and all money is where the journal
says.
"""

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from threading import Barrier, Thread
from typing import Any, TypeAlias

import pytest

from fairdeal import ledger
from fairdeal.app.cashier_ports import Moved
from fairdeal.app.once import Once
from fairdeal.app.ports import Account, CommitResult, Seat, Status, Store
from fairdeal.errors import FairdealError
from fairdeal.ledger import Refund, Win
from fairdeal.store import SqlStore
from tests.store.house import ASSET, House

WORKERS = 4
STAKE = 500
SOAK = float(os.environ.get("SOAK", "1"))
MATCHES, BATCH = 1_000, 100
"""Of a long proof on each database, with SOAK=1; so many at once."""
Job: TypeAlias = tuple[str, Any]
"""A method of the store, and what it is called with."""
Shares: TypeAlias = list[list[tuple[int, Job]]]


def act(store: Store, job: Job) -> object:
    """What the store answers; of a refusal its code."""
    method, *given = job
    try:
        return getattr(store, method)(*given)
    except FairdealError as refusal:
        return refusal.code


def in_threads(store: Store, shares: Shares) -> Iterator[tuple[int, object]]:
    barrier = Barrier(len(shares))
    answers: list[tuple[int, object]] = []

    def work(share: list[tuple[int, Job]]) -> None:
        barrier.wait()
        answers.extend((number, act(store, job)) for number, job in share)

    threads = [Thread(target=work, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield from answers


def in_processes(url: str, shares: Shares) -> Iterator[tuple[int, object]]:
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(len(shares))

    def work(share: list[tuple[int, Job]], answers: Connection) -> None:
        store = SqlStore(url)
        barrier.wait(240)
        answers.send([(number, act(store, job)) for number, job in share])
        store.close()

    pipes = [context.Pipe(duplex=False) for _ in shares]
    workers = [
        context.Process(target=work, args=(share, answers)) for share, (_, answers) in zip(shares, pipes, strict=True)
    ]
    for worker in workers:
        worker.start()
    for worker, (reader, answers) in zip(workers, pipes, strict=True):
        answers.close()
        yield from reader.recv()
        reader.close()
        worker.join()


class Race:
    """Gives jobs to the workers, in an order of their own each, and keeps the answers in the order of the jobs."""

    def __init__(self, place: Path | str, store: Store, house: House) -> None:
        self.store, self.house, self._place, self._random = store, house, place, Random(7)

    def run(self, jobs: list[Job]) -> list[object]:
        numbered = list(enumerate(jobs))
        self._random.shuffle(numbered)
        # What belongs together comes at about the same time, each time to another worker.
        numbered.sort(key=lambda one: one[0] // (WORKERS * 4))
        shares = [numbered[worker::WORKERS] for worker in range(WORKERS)]
        if isinstance(self._place, str):
            answers = dict(in_processes(self._place, shares))
        else:
            answers = dict(in_threads(self.store, shares))
        self.house.check()
        return [answers[number] for number in range(len(jobs))]

    def ended_in_the_journal(self) -> Counter[str]:
        """How often each transaction stands there."""
        ids: Counter[str] = Counter()
        while page := self.store.journal(ids.total(), 1_000):
            ids.update(json.loads(line)["id"] for line in page)
        return ids

    def check_ends(self, tables: list[str], with_pot: list[str]) -> None:
        """One end each, and one pot, which is empty, for those that had one."""
        times, pots = self.ended_in_the_journal(), set(with_pot)
        balances = self.store.books(ASSET).balances
        for m in tables:
            assert times[f"end:{m}"] == 1
            assert times[f"pot:{m}"] == (m in pots)
            table = self.house.table(m)
            assert table.status is Status.ENDED
            assert len(self.store.events(m)) == table.size
            assert balances.get(f"match:{m}:pot", 0) == 0


@pytest.fixture
def race(place: Path | str, store: Store, house: House) -> Race:
    return Race(place, store, house)


def full_tables(house: House, count: int) -> list[str]:
    """Tables of few players who sit against each other again and again, on either side."""
    players = [house.account(STAKE * count) for _ in range(3)]
    pairs = [pair[::turn] for pair in combinations(players, 2) for turn in (1, -1)]
    tables = []
    for number in range(count):
        first, second = pairs[number % len(pairs)]
        m = house.open(first, STAKE)
        for player in (first, second):
            house.store.sit(house.sitting(m, player), house.once())
        tables.append(m)
    return tables


def endings(house: House, m: str) -> list[Job]:
    """A win that is settled and tried again, a resignation, a void, and a move that makes them all stale."""
    ways = [
        house.append(m, lines=3, status=Status.ENDED, money=house.payout(m, outcome))
        for outcome in (Win(0), Win(1), Refund())
    ]
    return [("commit", append) for append in (*ways, ways[0], house.append(m))]


def starts(house: House, m: str) -> list[Job]:
    """The pot, twice, and the cancellation, twice."""
    joins = house.joins(m)
    again = replace(joins, commitment=house.id() * 2)
    return [("commit", append) for append in (joins, house.cancellation(m), again, house.cancellation(m))]


def settle_everything(race: Race, count: int) -> None:
    """From full tables on: each gets its pot or is called off, and what has a pot ends."""
    house, tables = race.house, full_tables(race.house, count)
    answers = race.run([job for m in tables[1:] for job in starts(house, m)])
    assert set(answers) == {CommitResult.COMMITTED, CommitResult.STALE}
    for at in range(0, len(answers), 4):
        assert answers[at : at + 4].count(CommitResult.COMMITTED) == 1
    # Whatever chance did, there is one.
    assert race.run([("commit", house.joins(tables[0]))]) == [CommitResult.COMMITTED]
    with_pot = [m for m in tables if house.table(m).status is Status.LIVE]
    live = with_pot
    while live:
        answers = race.run([job for m in live for job in endings(house, m)])
        assert set(answers) <= {CommitResult.COMMITTED, CommitResult.STALE}
        for at in range(0, len(answers), 5):
            assert answers[at : at + 5].count(CommitResult.COMMITTED) in (1, 2), "one end, perhaps after the move"
        live = [m for m in live if house.table(m).status is not Status.ENDED]
    assert not race.store.books(ASSET).holds
    race.check_ends(tables, with_pot)


def test_a_match_has_one_pot_and_one_end_whatever_comes_at_once(race: Race) -> None:
    settle_everything(race, 12)


@pytest.mark.soak
def test_thousands_of_matches_have_one_pot_and_one_end_each(race: Race) -> None:
    for _ in range(max(1, round(MATCHES * SOAK / BATCH))):
        settle_everything(race, BATCH)


def called_off(race: Race, count: int) -> None:
    """While the last one sits down somebody calls the table off, twice, who does not see it yet."""
    house = race.house
    first, second = (house.account(count * STAKE) for _ in range(2))
    tables = [house.open(first, STAKE) for _ in range(count)]
    for m in tables:
        house.store.sit(house.sitting(m, first), house.once())
    jobs: list[Job] = []
    for m in tables:
        cancel = ("commit", house.cancellation(m))
        jobs += [cancel, ("sit", house.sitting(m, second), house.once()), cancel]
    answers = race.run(jobs)
    for m, at in zip(tables, range(0, len(answers), 3), strict=True):
        one, sitting, other = answers[at : at + 3]
        sat = isinstance(sitting, Seat)
        assert sat or sitting == "table_closed"
        assert [one, other].count(CommitResult.COMMITTED) == (0 if sat else 1)
        assert [one, other].count(CommitResult.STALE) == (2 if sat else 1)
        assert house.table(m).status is (Status.JOINING if sat else Status.ENDED)
        if sat:
            house.store.commit(house.cancellation(m))
    books = race.store.books(ASSET)
    assert not books.holds
    assert [race.store.wallet(player, ASSET).cash for player in (first, second)] == [count * STAKE] * 2
    race.check_ends(tables, [])


def test_who_sits_down_as_a_table_is_called_off_has_the_stake_back(race: Race) -> None:
    called_off(race, 24)


@pytest.mark.soak
def test_hundreds_of_tables_are_called_off_as_somebody_sits_down(race: Race) -> None:
    for _ in range(max(1, round(MATCHES / 4 * SOAK / BATCH))):
        called_off(race, BATCH)


def test_one_balance_many_tables_double_clicks_and_keys_used_for_something_else(race: Race) -> None:
    """Every player has money for three of six tables; each sitting is clicked twice, and its key serves another one."""
    house = race.house
    players = [house.account(3 * STAKE) for _ in range(4)]
    tables = [house.open(players[0], STAKE) for _ in range(6)]
    jobs: list[Job] = []
    for m in tables:
        for player in players:
            once = house.once()
            sitting = house.sitting(m, player)
            other = Once(once.scope, once.key, b"o" * 32)
            jobs += [("sit", sitting, once), ("sit", sitting, once), ("sit", house.sitting(m, player), other)]
    answers = race.run(jobs)
    for at in range(0, len(answers), 3):
        first, second, other_intent = answers[at : at + 3]
        assert first == second, "a double click has one answer"
        assert (first == "idempotency_conflict") != (other_intent == "idempotency_conflict")
    for player in players:
        wallet = race.store.wallet(player, ASSET)
        sat = sum(seat.account_id == player for m in tables for seat in house.table(m).seated)
        assert (wallet.cash, wallet.held) == ((3 - sat) * STAKE, sat * STAKE)
    times = race.ended_in_the_journal()
    assert max(times.values()) == 1


def test_tables_are_left_and_called_off_at_once(race: Race) -> None:
    house, store = race.house, race.store
    players = [house.account(3 * STAKE) for _ in range(2)]
    tables, jobs = [house.open(players[0], STAKE, seats=3) for _ in range(3)], []
    for m in tables:
        for seat in [house.sit(m, player) for player in players]:
            money = ledger.stand_up(m, seat.account_id, seat.player, STAKE, asset=ASSET, at=house.now)
            jobs += [("stand_up", m, seat, money, house.once()) for _ in range(2)]
        jobs += [("commit", house.cancellation(m)) for _ in range(2)]
    race.run(jobs)
    for m in tables:
        table = house.table(m)
        if table.status is Status.OPEN:
            house.cancel(m)
    assert [store.wallet(player, ASSET).cash for player in players] == [3 * STAKE] * 2
    house.check()


def test_two_players_who_meet_at_many_tables_lock_each_other_in_one_order(race: Race) -> None:
    """On either side by turns: of two settlements that took them in two orders one would be lost to a deadlock."""
    house, tables = race.house, []
    players = [house.account(60 * STAKE) for _ in range(2)]
    for number in range(60):
        tables.append(m := house.open(players[0], STAKE))
        for player in players[:: 1 if number % 2 else -1]:
            house.store.sit(house.sitting(m, player), house.once())
    assert race.run([("commit", house.joins(m)) for m in tables]) == [CommitResult.COMMITTED] * 60
    ends = [house.append(m, status=Status.ENDED, money=house.payout(m, Refund())) for m in tables]
    assert race.run([("commit", end) for end in ends]) == [CommitResult.COMMITTED] * 60
    race.check_ends(tables, tables)


def test_an_opener_passes_no_bound_and_a_commitment_serves_once(race: Race) -> None:
    house = race.house
    opener = house.account()
    answers = race.run([("open_table", house.new_table(opener, 0), 3) for _ in range(12)])
    assert Counter(answers) == {None: 3, "limit_exceeded": 9}
    new = [replace(house.new_table(house.account(), 0), commitment=f"{n // 4:064x}") for n in range(40)]
    assert Counter(race.run([("open_table", table, 100) for table in new])) == {None: 10, "commitment_reused": 30}


def test_limits_of_a_player_hold_whatever_comes_at_once(race: Race) -> None:
    """Three deposits and three stakes a day, of twelve each."""
    house, player = race.house, race.house.account(12 * STAKE)
    tables = [house.open(player, STAKE) for _ in range(12)]
    race.store.set_limit(player, ASSET, "deposit", "day", 3 * 100 + 12 * STAKE, house.now)
    race.store.set_limit(player, ASSET, "stake", "day", 3 * STAKE, house.now)
    jobs: list[Job] = []
    for m in tables:
        money = ledger.deposit(house.id(), player, 100, asset=ASSET, at=house.now)
        jobs += [("deposit", player, money, house.once()), ("sit", house.sitting(m, player), house.once())]
    answers = Counter(answer if isinstance(answer, str) else type(answer) for answer in race.run(jobs))
    assert answers == {Moved: 3, Seat: 3, "player_limit_reached": 18}
    wallet = race.store.wallet(player, ASSET)
    assert (wallet.cash, wallet.held) == (9 * STAKE + 3 * 100, 3 * STAKE)


def test_one_of_many_gets_a_name(race: Race) -> None:
    accounts = [Account(race.house.id(), "Zoé" if number % 2 else "ZOÉ", "player", "hash", 5) for number in range(8)]
    assert Counter(race.run([("create_account", account) for account in accounts])) == {None: 1, "name_taken": 7}
