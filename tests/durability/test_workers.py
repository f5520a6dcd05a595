"""Several processes on one PostgreSQL: what is due is done once, whoever stands still or comes late."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx2
import psycopg
import pytest

from fairdeal.app.hub import Hub, Listener
from fairdeal.client import Api
from fairdeal.store import Notices
from tests.durability.duel import open_tables
from tests.durability.process import (
    HOST,
    STEP_MS,
    WAIT_S,
    Service,
    TimedService,
    children,
    reserved_port,
    until,
)
from tests.store.postgres import Postgres

PASSWORD: Final = "correct horse battery"
WAITING_MS: Final = 3 * STEP_MS
"""How long a table waits for players."""
TURNS: Final = 20


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    made = postgres.database()
    yield made
    postgres.drop(made)


@contextmanager
def standing_still(pids: list[int]) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def two(home: Path, url: str, **settings: str) -> TimedService:
    many = {"tables_max": "1000", "limits__tables_burst": "1000"}
    return TimedService(home, database_url=url, workers="2", table_wait_ms=str(WAITING_MS), **many, **settings)


def unfinished(service: Service) -> int:
    return int(service.rows("SELECT count(*) FROM matches WHERE status <> 'ended'")[0][0])


@contextmanager
def two_ports() -> Iterator[int]:
    """The first of two, one after the other."""
    while True:
        with reserved_port() as first, socket.socket() as second:
            second.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port: int = first.getsockname()[1]
            try:
                second.bind((HOST, port + 1))
            except (OSError, OverflowError):
                continue
            yield port
            return


def ended_by(port: int) -> int:
    """How many matches that worker has ended."""
    for line in httpx2.get(f"http://{HOST}:{port}/metrics", timeout=WAIT_S).text.splitlines():
        if line.startswith('fairdeal_events_total{type="end"}'):
            return int(float(line.split()[1]))
    return 0


def deadlines(home: Path, url: str, count: int) -> None:
    """All of them come at once. Where one worker was so much faster that it kept them all, there are as many again."""
    with two_ports() as port, two(home, url, metrics_port=str(port)) as service, ThreadPoolExecutor(4) as pool:
        until(lambda: len(children(service.pid)) == 2)
        for turn in range(1, TURNS + 1):
            names = [f"player{number}-{turn}" for number in range(4)]
            players = [pool.submit(open_tables, service, name, count // 4) for name in names]
            opened = [m for player in players for m in player.result(WAIT_S)]
            service.live_through(WAITING_MS)
            until(lambda: unfinished(service) == 0)
            assert {tuple(service.types(m)) for m in opened} == {("open", "end", "reveal")}
            shares = [ended_by(port), ended_by(port + 1)]
            assert sum(shares) == turn * count
            if all(shares):
                return
        pytest.fail(f"{shares}")


def test_each_deadline_is_kept_once(tmp_path: Path, url: str) -> None:
    deadlines(tmp_path, url, 100)


@pytest.mark.soak
def test_each_of_a_thousand_deadlines_is_kept_once(tmp_path: Path, url: str) -> None:
    deadlines(tmp_path, url, 1_000)


def test_a_worker_that_stood_still_does_nothing_twice(tmp_path: Path, url: str) -> None:
    """Whichever it is, the other one keeps the deadlines and the heartbeat: nobody was away."""
    with two(tmp_path, url) as service:
        until(lambda: len(children(service.pid)) == 2)
        for number, worker in enumerate(children(service.pid)):
            opened = open_tables(service, f"player{number}", 10)
            with standing_still([worker]):
                service.live_through(WAITING_MS)
                until(lambda: unfinished(service) == 0)
            time.sleep(0.3)  # for the worker to do what it must not
            assert {tuple(service.types(m)) for m in opened} == {("open", "end", "reveal")}
        assert service.rows("SELECT count(*) FROM outages") == [(0,)]


def test_a_worker_that_is_gone_is_replaced_and_all_stop_together(tmp_path: Path, url: str) -> None:
    with two(tmp_path, url) as service:
        until(lambda: len(children(service.pid)) == 2)
        first, second = children(service.pid)
        os.kill(first, signal.SIGKILL)
        until(lambda: len(children(service.pid)) == 2 and first not in children(service.pid))
        service.wait_ready()
        with psycopg.connect(url, autocommit=True) as ear:
            ear.execute("LISTEN fairdeal")
            (m,) = open_tables(service, "alice", 1)
            with Api(service.url) as api:
                api.sign_in("alice", PASSWORD)
                api.cancel_table(m)
            (notice,) = ear.notifies(timeout=WAIT_S, stop_after=1)
        assert f" match {m}" in notice.payload
        workers = [second, *children(service.pid)]
        service.stop()  # the process above them alone
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_what_one_tells_its_listeners_those_of_the_other_are_told() -> None:
    async def told() -> None:
        one, other = Hub(), Hub()
        one.tell_others = other.hear
        listener, elsewhere = other.listen("m", "alice", "token", 0), other.listen("n", "bruno", "token", 0)
        everybody = {"m": [listener], "n": [elsewhere]}

        def looked_at() -> dict[str, list[Listener]]:
            return {match_id: news.listeners for match_id, news in (other.changed() or {}).items()}

        assert looked_at() == everybody
        one.publish("m")
        assert looked_at() == {"m": [listener]}
        one.wake("alice")
        assert looked_at() == {"m": [listener]}
        one.publish("nobody listens to it")
        other.hear_anything()
        assert looked_at() == everybody

    asyncio.run(told())


def listening(hand: psycopg.Connection) -> set[int]:
    """The server's processes that do so."""
    listens = "datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'"
    return {pid for (pid,) in hand.execute(f"SELECT pid FROM pg_stat_activity WHERE {listens}".encode())}


def test_what_one_tells_the_other_hears_also_after_a_lost_connection(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal.store.notices.LOOK_SECONDS", 3_600.0)
    heard: list[str] = []
    anything: list[bool] = []
    others = Notices(url, heard.append, lambda: anything.append(True))
    own: list[str] = []
    notices = Notices(url, own.append, lambda: None)
    others.start()
    notices.start()
    until(lambda: bool(anything))
    notices.tell("match 1")
    until(lambda: heard == ["match 1"])
    with psycopg.connect(url, autocommit=True) as hand:
        before = listening(hand)
        hand.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) AS pid", [list(before)])
        until(lambda: len(listening(hand) - before) == 2)
    until(lambda: len(anything) > 2)
    notices.tell("match 2")
    until(lambda: heard == ["match 1", "match 2"])
    assert own == []
    others.stop()
    notices.stop()
