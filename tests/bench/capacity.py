"""Measures what one move takes of a worker and of its database, and writes docs/capacity.md with what follows from it.

python -m tests.bench.capacity      some three minutes
"""

import asyncio
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
import uvloop

from tests.bench.__main__ import machine
from tests.bench.driver import cost_ms, cpu_seconds, drive, duels, idle_kib, running, stream
from tests.durability.process import children
from tests.store.postgres import start_postgres

PAGE: Final = Path(__file__).parents[2] / "docs" / "capacity.md"
TEXT: Final = Path(__file__).with_name("capacity.md")
"""The page, with places for the figures."""
GROWTH: Final = "\n## A longer past\n"
"""How the last part of the page begins, which `growth` writes."""
TABLES: Final = 120
WARM_UP: Final = 600
MOVES: Final = 4_000
AT_ONCE: Final = 16
IDLE_S: Final = 10
IDLE_TABLES: Final = 600

# What is assumed, not measured; the page says so.
PACE_S: Final = 5
"""From one move of a table to the next: people think."""
BUSY: Final = 0.5
"""Of each core, so that a move in a burst waits for few others."""
AT_A_TIME: Final = 0.1
"""Of a million players, those who play at the busiest hour; a third of them over the day."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured of one service: moves a second, processor time in ms a move, written KiB a move."""

    rate: float
    worker_ms: float
    idle_ms: float
    database_ms: float = 0.0
    written_kib: float = 0.0


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, start_postgres() as postgres:
        one, kib_event, kib_table, kib_stream = uvloop.run(sqlite(Path(folder, "sqlite")))
        many = []
        for workers in (1, 2):
            url = postgres.database()
            many.append(uvloop.run(postgresql(Path(folder, f"workers-{workers}"), url, workers)))
            postgres.drop(url)
    _, mark, growth = PAGE.read_text(encoding="utf-8").partition(GROWTH)
    PAGE.write_text(page(one, many[0], many[1], kib_event, kib_table, kib_stream) + mark + growth, encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
    return 0


async def sqlite(home: Path) -> tuple[Cost, float, float, float]:
    """One worker; KiB of the database's file for an event, and of the worker's memory for a table and a stream."""
    with running(home, TABLES + IDLE_TABLES) as (service, persons):
        playing = await duels(service.port, persons, TABLES)
        await stream(playing)
        await drive(playing, WARM_UP, AT_ONCE)

        def spent_s() -> float:
            return cpu_seconds(service.pid)

        driven, worker_ms = await cost_ms(playing, MOVES, AT_ONCE, spent_s)
        idle, kib_table, kib_stream = await idle_kib(service.pid, service.port, persons[2 * TABLES :], IDLE_TABLES)
        nothing = await idle_ms(spent_s)
        events = sum(len(duel.lines) for duel in playing + idle)
        await asyncio.to_thread(service.stop)
        with closing(sqlite3.connect(service.database)) as sql:
            sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        kib_event = service.database.stat().st_size / 1_024 / events
    cost = Cost(driven.rate, worker_ms, nothing)
    return cost, kib_event, kib_table, kib_stream


async def postgresql(home: Path, url: str, workers: int) -> Cost:
    """The workers together, and the database's processes together."""
    with running(home, TABLES, database_url=url, workers=str(workers)) as (service, persons):
        pids = children(service.pid) if workers > 1 else [service.pid]

        def workers_s() -> float:
            return sum(map(cpu_seconds, pids))

        playing = await duels(service.port, persons, TABLES)
        await stream(playing)
        await drive(playing, WARM_UP, AT_ONCE)
        with psycopg.connect(url, autocommit=True) as sql:
            before, written = database_s(sql), wal_bytes(sql)
            driven, worker_ms = await cost_ms(playing, MOVES, AT_ONCE, workers_s)
            database, written = database_s(sql) - before, wal_bytes(sql) - written
            nothing = await idle_ms(workers_s)
    moves = len(driven.answers)
    return Cost(driven.rate, worker_ms, nothing, database / moves * 1_000, written / moves / 1_024)


async def idle_ms(spent_s: Callable[[], float]) -> float:
    """Processor time in a second in which nobody calls."""
    before = spent_s()
    await asyncio.sleep(IDLE_S)
    return (spent_s() - before) / IDLE_S * 1_000


def database_s(sql: psycopg.Connection) -> float:
    """Processor time of every process of the server, those that have ended included."""
    backend = sql.info.backend_pid
    parent = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
    spent = cpu_seconds(parent)
    for child in children(parent):
        with suppress(FileNotFoundError):  # it has ended meanwhile
            spent += cpu_seconds(child)
    members = Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()
    return spent + (int(members[13]) + int(members[14])) / os.sysconf("SC_CLK_TCK")


def wal_bytes(sql: psycopg.Connection) -> int:
    row = sql.execute("SELECT pg_current_wal_lsn() - '0/0'").fetchone()
    assert row is not None
    return int(row[0])


def page(one: Cost, single: Cost, pair: Cost, kib_event: float, kib_table: float, kib_stream: float) -> str:
    """docs/capacity.md, its arithmetic done with these figures."""
    worker = BUSY * 1_000 / pair.worker_ms
    database = BUSY * 1_000 / pair.database_ms
    tables_one = BUSY * 1_000 / one.worker_ms * PACE_S
    kib_duel = kib_table + 2 * kib_stream
    peak = 1_000_000 * AT_A_TIME / 2 / PACE_S
    day = peak / 3 * 86_400
    figures = {
        "one": one,
        "single": single,
        "pair": pair,
        "machine": machine(),
        "one_worker": BUSY * 1_000 / one.worker_ms,
        "one_tables": tables_one,
        "one_players": 2 * tables_one,
        "one_gib": tables_one * kib_duel / 1_024 / 1_024,
        "four": 4 * worker,
        "four_tables": 4 * worker * PACE_S,
        "four_database": 4 * worker * pair.database_ms / 1_000,
        "four_written": 4 * worker * pair.written_kib / 1_024,
        "forty": 40 * worker,
        "forty_tables": 40 * worker * PACE_S,
        "forty_database": 40 * worker / database,
        "forty_written": 40 * worker * pair.written_kib / 1_024,
        "database": database,
        "million_tables": 1_000_000 * AT_A_TIME / 2,
        "million": peak,
        "million_workers": peak / worker,
        "million_database": peak / database,
        "million_written": peak * pair.written_kib / 1_024,
        "day": day / 1e6,
        "day_tib": day * kib_event / 1_024**3,
        "year_pib": day * 365 * kib_event / 1_024**4,
        "pace": PACE_S,
        "busy": BUSY,
        "at_a_time": AT_A_TIME,
        "kib_table": kib_table,
        "kib_stream": kib_stream,
        "kib_event": kib_event,
    }
    return TEXT.read_text(encoding="utf-8").format(**figures)


if __name__ == "__main__":
    sys.exit(main())
