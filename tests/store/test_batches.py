"""Group commit: whoever comes while a transaction is written is in the next one, with an outcome of his own."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from threading import Event, Semaphore
from typing import TypeVar

import psycopg
import pytest

from fairdeal.app.ports import Append, CommitResult, Status
from fairdeal.errors import LedgerBroken, RecordsBroken, StoreBusy, StoreFailed
from fairdeal.ledger import Win
from fairdeal.store import SqlStore, postgresql
from fairdeal.store.batches import Batches
from fairdeal.store.procedures import Values
from fairdeal.store.programs import Program
from fairdeal.store.steps import Step
from tests.store.house import House, open_leaf

Outcome = TypeVar("Outcome")

CALLERS = 6
GIVE_UP_S = 60.0


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + GIVE_UP_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


class Disk:
    """Its first transaction lasts until it is `free`. Negative jobs are refused, what 555 needs is held by
    others, 666 takes the disk with it.
    """

    def __init__(self) -> None:
        self.free, self.busy = Event(), Event()
        self.tried: list[list[int]] = []

    def write(self, jobs: Sequence[int]) -> list[int]:
        self.tried.append(sorted(jobs))
        self.busy.set()
        assert self.free.wait(GIVE_UP_S)
        if 666 in jobs:
            raise StoreFailed("the disk is gone")
        if 555 in jobs:
            raise StoreBusy("held by others")
        if min(jobs) < 0:
            raise RecordsBroken(f"refused {min(jobs)}")
        return [job * 10 for job in jobs]

    def write_one(self, job: int) -> int:
        return self.write([job])[0]


def not_alone(job: int) -> int:
    raise AssertionError(job)


def at_once(jobs: Sequence[int]) -> tuple[Disk, list[int | Exception]]:
    """The outcomes of jobs that came while the first one was being written."""
    disk = Disk()
    batches = Batches(disk.write, disk.write_one)
    with ThreadPoolExecutor(len(jobs)) as pool:
        futures = [pool.submit(batches.do, jobs[0])]
        assert disk.busy.wait(GIVE_UP_S)
        futures += [pool.submit(batches.do, job) for job in jobs[1:]]
        until(lambda: len(batches._queue) == len(jobs) - 1)
        disk.free.set()
        return disk, list(map(error_or_result, futures))


def error_or_result(future: Future[Outcome]) -> Outcome | Exception:
    error = future.exception(GIVE_UP_S)
    assert error is None or isinstance(error, Exception)
    return future.result() if error is None else error


def test_whoever_comes_alone_is_written_at_once_and_whoever_waits_is_written_together() -> None:
    disk, outcomes = at_once([1, 2, 3, 4])
    assert disk.tried == [[1], [2, 3, 4]]
    assert outcomes == [10, 20, 30, 40]


def test_no_transaction_takes_more_than_its_share() -> None:
    disk, outcomes = at_once(range(1, 131))
    assert [len(jobs) for jobs in disk.tried] == [1, 64, 64, 1]
    assert outcomes == [job * 10 for job in range(1, 131)]


def test_whoever_is_done_hears_of_it_while_the_next_transaction_is_being_written() -> None:
    may_write = Semaphore(0)

    def write(jobs: Sequence[int]) -> list[int]:
        assert may_write.acquire(timeout=GIVE_UP_S)
        return [job * 10 for job in jobs]

    batches = Batches(write, not_alone)

    def comes_again_and_again() -> list[int]:
        return [batches.do(job) for job in (1, 2, 3, 4)]

    with ThreadPoolExecutor(2) as pool:
        busy = pool.submit(comes_again_and_again)
        until(lambda: batches._working and not batches._queue)
        patient = pool.submit(batches.do, 5)
        until(lambda: len(batches._queue) == 1)
        may_write.release(2)
        try:
            assert patient.result(GIVE_UP_S) == 50
            assert not busy.done()
        finally:
            may_write.release(4)
        assert busy.result(GIVE_UP_S) == [10, 20, 30, 40]


def test_a_refused_job_is_refused_by_itself_and_the_others_are_done() -> None:
    disk, outcomes = at_once([1, 2, -3, 4])
    assert disk.tried[:2] == [[1], [-3, 2, 4]]
    assert sorted(disk.tried[2:]) == [[-3], [2], [4]]
    assert [outcomes[place] for place in (0, 1, 3)] == [10, 20, 40]
    assert isinstance(outcomes[2], RecordsBroken)
    assert str(outcomes[2]) == "refused -3"


def test_when_the_database_fails_nobody_is_told_that_it_is_done_and_nothing_is_written_again() -> None:
    disk, outcomes = at_once([1, 2, 666, 4])
    assert disk.tried == [[1], [2, 4, 666]]
    assert outcomes[0] == 10
    assert [type(outcome) for outcome in outcomes[1:]] == [StoreFailed] * 3
    assert len({id(outcome) for outcome in outcomes[1:]}) == 3


def test_whoever_has_to_wait_for_others_waits_by_himself() -> None:
    disk, outcomes = at_once([1, 2, 555, 4])
    assert disk.tried[:2] == [[1], [2, 4, 555]]
    assert sorted(disk.tried[2:]) == [[2], [4], [555]]
    assert [outcomes[place] for place in (0, 1, 3)] == [10, 20, 40]
    assert isinstance(outcomes[2], StoreBusy)


def test_whoever_is_interrupted_while_writing_for_others_leaves_nobody_waiting() -> None:
    disk = Disk()
    disk.free.set()

    def interrupted(_: Sequence[int]) -> list[int]:
        raise KeyboardInterrupt

    batches = Batches(interrupted, not_alone)
    with pytest.raises(KeyboardInterrupt):
        batches.do(1)
    batches._together = disk.write
    assert batches.do(2) == 20
    assert disk.tried == [[2]]


class Crowd:
    """Appends of several matches that come while another one is being written; how many were in each transaction, and
    what becomes of those after the first: `""`, `"lost"`, or `"kept"` and reported as failed.
    """

    def __init__(self, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fate = ""
        self.sizes: list[int] = []
        self._store = store
        self._free, self._busy = Event(), Event()
        self._together, self._perform = store._commits._together, store._database.perform
        monkeypatch.setattr(store._commits, "_together", self._write)
        monkeypatch.setattr(store._database, "perform", self._broken_perform)

    def commit(self, first: Append, others: Sequence[Append]) -> list[CommitResult | type[Exception]]:
        """The outcomes of the others."""
        with ThreadPoolExecutor(len(others) + 1) as pool:
            before = pool.submit(self._store.commit, first)
            assert self._busy.wait(GIVE_UP_S)
            futures = [pool.submit(self._store.commit, append) for append in others]
            until(lambda: len(self._store._commits._queue) == len(others))
            self._free.set()
            assert before.result(GIVE_UP_S) is CommitResult.COMMITTED
            outcomes = map(error_or_result, futures)
            return [type(one) if isinstance(one, Exception) else one for one in outcomes]

    def _write(self, steps: Sequence[Step]) -> Sequence[CommitResult]:
        self.sizes.append(len(steps))
        self._busy.set()
        assert self._free.wait(GIVE_UP_S)
        return self._together(steps)

    def _broken_perform(self, program: Program, *calls: Values, patient: bool = True) -> list[bool]:
        broken = self.fate if len(self.sizes) > 1 else ""
        if broken == "lost":  # before anything is said to the database
            raise StoreFailed("lost")
        done = self._perform(program, *calls, patient=patient)
        if broken == "kept":
            raise StoreFailed("kept, and nobody was told")
        return done


@pytest.fixture
def crowd(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> Crowd:
    return Crowd(store, monkeypatch)


def live(house: House, stake: int = 0) -> list[str]:
    return [house.live(stake)[0] for _ in range(CALLERS)]


def test_moves_of_many_matches_are_one_transaction_with_an_outcome_each(
    crowd: Crowd, store: SqlStore, house: House
) -> None:
    first, stale, *moved = live(house)
    appends = [house.append(m) for m in (stale, *moved)]
    overtaken = replace(appends[0], size=appends[0].size - 1)
    outcomes = crowd.commit(house.append(first), [overtaken, *appends[1:]])
    assert outcomes == [CommitResult.STALE] + [CommitResult.COMMITTED] * len(moved)
    assert crowd.sizes == [1, CALLERS - 1]
    for append in appends[1:]:
        assert store.events(append.match_id, append.size) == append.lines
    assert len(store.events(stale)) == appends[0].size


def test_of_two_moves_of_one_match_in_a_transaction_one_is_stale(crowd: Crowd, store: SqlStore, house: House) -> None:
    first, m = live(house)[:2]
    ways = [replace(house.append(m), lines=(b"%d" % way,)) for way in range(2)]
    outcomes = crowd.commit(house.append(first), ways)
    assert crowd.sizes == [1, 2]
    assert sorted(outcomes, key=str) == [CommitResult.COMMITTED, CommitResult.STALE]
    assert store.events(m)[-1:] == ways[outcomes.index(CommitResult.COMMITTED)].lines


def test_a_move_that_a_guard_refuses_is_refused_by_itself(crowd: Crowd, store: SqlStore, house: House) -> None:
    first, bad, *good = live(house)
    twice = replace(house.append(bad), leaves=(open_leaf(bad),))
    outcomes = crowd.commit(house.append(first), [twice, *map(house.append, good)])
    assert outcomes == [RecordsBroken] + [CommitResult.COMMITTED] * len(good)
    assert crowd.sizes == [1, CALLERS - 1]
    assert len(store.events(bad)) == twice.size


@pytest.mark.parametrize("fate", ["lost", "kept"])
def test_when_a_transaction_of_many_fails_each_of_them_is_told_and_tries_again(
    fate: str, crowd: Crowd, store: SqlStore, house: House
) -> None:
    first, *others = live(house)
    appends = [house.append(m) for m in others]
    crowd.fate = fate
    assert crowd.commit(house.append(first), appends) == [StoreFailed] * len(others)
    assert crowd.sizes == [1, len(others)]
    crowd.fate = ""
    for append in appends:
        kept = fate == "kept"
        assert len(store.events(append.match_id)) == append.size + kept
        assert store.commit(append) is (CommitResult.STALE if kept else CommitResult.COMMITTED)
        assert store.events(append.match_id, append.size) == append.lines


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_where_writers_take_turns_anyhow_settlements_are_written_together(
    crowd: Crowd, store: SqlStore, house: House
) -> None:
    first, bad, *good = live(house, 500)
    ends = [house.append(m, status=Status.ENDED, money=house.payout(m, Win(0))) for m in good]
    other = house.append(bad, status=Status.ENDED, money=house.payout(bad, Win(0)))
    assert other.money is not None
    euros = replace(other, money=replace(other.money, asset="EUR"))
    outcomes = crowd.commit(house.append(first), [euros, *ends])
    assert outcomes == [LedgerBroken] + [CommitResult.COMMITTED] * len(good)
    assert crowd.sizes == [1, CALLERS - 1]
    house.check()
    assert store.commit(other) is CommitResult.COMMITTED
    house.check()


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
@pytest.mark.parametrize("alone", [True, False])
def test_who_waits_for_a_row_that_another_process_holds_keeps_nobody_else_waiting(
    place: str, monkeypatch: pytest.MonkeyPatch, *, alone: bool
) -> None:
    monkeypatch.setattr(postgresql, "_SESSION", "-c lock_timeout=0")
    with closing(SqlStore(place)) as store:
        check_nobody_else_waits(store, place, alone=alone)


def check_nobody_else_waits(store: SqlStore, place: str, *, alone: bool) -> None:
    house = House(store)
    held, *others = live(house)
    first = [] if alone else [house.append(others.pop())]
    waiting = house.append(held)
    with ThreadPoolExecutor(3) as pool, psycopg.connect(place) as hand:
        hand.execute("SELECT FROM matches WHERE id = %s FOR UPDATE", [held])
        jobs = [waiting, *first]
        waiters = [pool.submit(store.commit, append) for append in jobs]
        for m in others:
            for _ in range(2):
                assert pool.submit(store.commit, house.append(m)).result(GIVE_UP_S) is CommitResult.COMMITTED
        assert all(waiter.result(GIVE_UP_S) is CommitResult.COMMITTED for waiter in waiters[1:])
        assert not waiters[0].done()
        with pytest.raises(StoreBusy):
            store.commit(replace(waiting, patient=False))
        hand.rollback()
        assert waiters[0].result(GIVE_UP_S) is CommitResult.COMMITTED
