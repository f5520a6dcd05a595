"""kill −9 under load: all checkpoints that were ever served are of one log, and every match ends and pays once."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import httpx2
import pytest

from fairdeal.client import Api, Unreachable
from fairdeal.errors import FairdealError
from fairdeal.match import Event
from tests.agreement.auditor import AUDITOR
from tests.durability.duel import DEPOSIT, GIVE_UP_S, PURSE, STAKE, Both, Enough, Program, check_kept, leave_after
from tests.durability.log_checks import Witness, check_audit, check_log, collected
from tests.durability.process import Kill, Service, children, runs, until, wait_for_end
from tests.durability.wire import Moment, Strike
from tests.store.postgres import Postgres

SCALE = float(os.environ.get("SOAK", "1"))
SETTINGS = {"auditor_token": AUDITOR, "clock__join_ms": "600000"}
STRIKE = 0.04
"""The chance of a call that changes something to be shot at."""
Result = TypeVar("Result")


class Guns:
    """Kills around random calls, whatever they are, until there were so many kills."""

    def __init__(self, service: Service, number: int, kills: int) -> None:
        self._service, self._kills = service, kills
        self._choice = random.Random(number)
        self._lock = threading.Lock()

    @property
    def empty(self) -> bool:
        return len(self._service.kills) >= self._kills

    def __call__(self, request: httpx2.Request) -> Strike | None:
        with self._lock:
            if self.empty or request.method == "GET" or self._choice.random() > STRIKE:
                return None
            moments = [Moment.LOST, Moment.DURING, Moment.HALF, Moment.AFTER]
            return Strike(self._choice.choice(moments), self._choice.uniform(0, 0.02))

    def shoot(self) -> None:
        """By the clock on the wall too, now and then while the service is still starting."""
        while not self.empty:
            if self._choice.random() < 0.8:
                self._service.wait_ready()
            time.sleep(self._choice.uniform(0, 1))
            if not self.empty:
                self._service.kill()


def insist(call: Callable[[], Result]) -> Result:
    """However long the service is away."""
    until = time.monotonic() + GIVE_UP_S
    while True:
        try:
            return call()
        except Unreachable:
            assert time.monotonic() < until


def play_on(both: Both, guns: Guns, played: list[tuple[Both, str]]) -> None:
    """Match after match until the last shot, each given up somewhere."""
    with ThreadPoolExecutor(2) as pool, both[0].service.lost_with_the_test():
        while True:
            m = insist(both[0].open)
            for program in both:
                insist(partial(program.sit, m))
            left, waiting = leave_after(both, m, len(played) % 5 * 6 + 2, pool)
            # Where the clock or a lost answer was faster, the match is played on instead.
            with suppress(FairdealError):
                insist(partial(left.resign, m))
            (other,) = [program for program in both if program is not left]
            playing = [pool.submit(left.play, m)]
            with suppress(Enough):
                waiting.result(GIVE_UP_S)
            playing.append(pool.submit(other.play, m))
            for one in playing:
                one.result(GIVE_UP_S)
            played.append((both, m))
            if guns.empty:
                return


def kill_under_load(service: Service, number: int, kills: int, pairs: int) -> None:
    home = service.home
    with service:
        guns, witness = Guns(service, number, kills), Witness(service)
        couples = [(Program(service, f"a{pair}", guns), Program(service, f"b{pair}", guns)) for pair in range(pairs)]
        programs = [program for both in couples for program in both]
        with service.operator() as operator:
            for program in programs:
                operator.deposit(program.account, PURSE, key=f"purse-{program.name}")
        played: list[tuple[Both, str]] = []
        with witness.watching(), ThreadPoolExecutor(pairs + 1) as pool:
            loads = [pool.submit(play_on, both, guns, played) for both in couples]
            loads.append(pool.submit(guns.shoot))
            for load in loads:
                load.result(kills * GIVE_UP_S)
            service.wait_ready()
        assert len(service.kills) >= kills
        call_off(service, couples)
        check_audit(service, home, witness)
        notes = witness.notes | collected(programs, played)
        for both, m in played:
            check_kept(both, m)
        check_paid(service, programs, played)
        service.stop()
        check_log(service, programs, notes)


def call_off(service: Service, couples: list[Both]) -> None:
    """Tables whose opener never learnt that they were opened."""
    sessions = {both[0].account: both[0].session for both in couples}
    for m, opener in service.rows("SELECT id, opener FROM matches WHERE status = 'open'"):
        headers = {"Authorization": f"Bearer {sessions[opener]}"}
        httpx2.post(f"{service.url}/v1/tables/{m}/cancel", headers=headers, timeout=60).raise_for_status()
    with Api(service.url) as api:
        for (m,) in service.rows("SELECT id FROM matches"):
            api.log(m, 0, "close")


def check_paid(service: Service, programs: list[Program], played: list[tuple[Both, str]]) -> None:
    """Every match ended once, and the wallets are what the settlements say."""
    assert service.rows("SELECT count(*) FROM matches WHERE status <> 'ended'") == [(0,)]
    money = {program.account: DEPOSIT + PURSE for program in programs}
    for _, m in played:
        ((line,),) = service.rows("SELECT line FROM events WHERE match_id = ? ORDER BY n DESC LIMIT 1", m)
        paid = {line["account"]: line["amount"] for line in Event.parse(line).data["lines"]}
        assert service.money(m) == sorted(["sit", "sit", "pot", "finish"])
        for account, seat in service.rows("SELECT account_id, seat FROM seats WHERE match_id = ?", m):
            money[account] += paid.get(f"seat:{seat}", 0) - STAKE
    for program in programs:
        assert program.wallet() == (money[program.account], 0)


def test_a_few_kills_under_load(tmp_path: Path) -> None:
    kill_under_load(Service(tmp_path, **SETTINGS), 0, kills=3, pairs=1)


@pytest.mark.soak
def test_fifty_kills_under_load(tmp_path: Path) -> None:
    kill_under_load(Service(tmp_path, **SETTINGS), 1, kills=max(4, round(50 * SCALE)), pairs=2)


class Workers(Service):
    """Three processes on one PostgreSQL; a shot hits one of them."""

    def __init__(self, home: Path, url: str) -> None:
        super().__init__(home, database_url=url, workers="3", **SETTINGS)

    def kill(self) -> None:
        until(self._kill_one)

    def _kill_one(self) -> bool:
        """Whether any was there to be killed: after several shots in a row there may be none for a moment."""
        with self._lock:
            running = [pid for pid in children(self.pid) if runs(pid)]
            if running:
                pid = random.choice(running)
                os.kill(pid, signal.SIGKILL)
                wait_for_end([pid])
                beat = self.rows("SELECT at FROM heartbeat")
                self.kills.append(Kill(beat[0][0]))
        return bool(running)

    def stop(self) -> None:
        self._wanted.clear()
        super().kill()


def test_a_worker_dies_under_load(tmp_path: Path, postgres: Postgres) -> None:
    """Whoever it served is served by the others: each match ends, pays once and verifies."""
    url = postgres.database()
    kill_under_load(Workers(tmp_path, url), 2, kills=2, pairs=3)
    postgres.drop(url)


@pytest.mark.soak
def test_workers_die_under_load(tmp_path: Path, postgres: Postgres) -> None:
    """Thirty live matches at any time."""
    url = postgres.database()
    kill_under_load(Workers(tmp_path, url), 3, kills=max(4, round(20 * SCALE)), pairs=30)
    postgres.drop(url)
