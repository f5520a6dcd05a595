"""What docs/capacity.md reckons with: what one move takes of a worker and of its database, on PostgreSQL and on SQLite.

python -m tests.bench.capacity
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psycopg
import uvloop

from tests.bench.driver import cpu_seconds, drive, duels, rss_kib, running, stream
from tests.bench.table import Row, format_table
from tests.durability.process import Service, children
from tests.store.postgres import start_postgres

TABLES: Final = 120
WARM_UP: Final = 600
MOVES: Final = 4_000
AT_ONCE: Final = 16
IDLE_S: Final = 10


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, start_postgres() as postgres:
        rows = uvloop.run(sqlite(Path(folder, "sqlite")))
        for workers in (1, 2):
            url = postgres.database()
            rows += uvloop.run(postgresql(Path(folder, f"workers-{workers}"), url, workers))
            postgres.drop(url)
    print(format_table(rows))
    return 0


async def sqlite(home: Path) -> list[Row]:
    """One worker; what is written is the database's file with its log of writes, put into one."""
    with running(home, TABLES) as (service, persons):
        playing = await duels(service.port, persons, TABLES)
        await stream(playing)
        await drive(playing, WARM_UP, AT_ONCE)
        before = cpu_seconds(service.pid)
        driven = await drive(playing, MOVES, AT_ONCE)
        spent = cpu_seconds(service.pid) - before
        idle = await idle_ms(service, lambda: cpu_seconds(service.pid))
        events = sum(len(duel.lines) for duel in playing)
        await asyncio.to_thread(service.stop)
        kib = size_kib(service.database) / events
    return [
        figure("SQLite: moves, one worker", driven.rate, "moves/s"),
        figure("SQLite: processor time of the worker for a move", spent / len(driven.answers) * 1_000, "ms"),
        figure("SQLite: a worker that does nothing", idle, "ms of a second"),
        figure("SQLite: kept for an event of a staked duel", kib, "KiB"),
    ]


async def postgresql(home: Path, url: str, workers: int) -> list[Row]:
    """The workers together, and the database's processes together."""
    name = f"PostgreSQL, {workers} worker{'s' if workers > 1 else ''}"
    with running(home, TABLES, database_url=url, workers=str(workers)) as (service, persons):
        pids = children(service.pid) if workers > 1 else [service.pid]

        def workers_s() -> float:
            return sum(map(cpu_seconds, pids))

        playing = await duels(service.port, persons, TABLES)
        await stream(playing)
        await drive(playing, WARM_UP, AT_ONCE)
        with psycopg.connect(url, autocommit=True) as sql:
            before, database_before, written = workers_s(), database_s(sql), wal_bytes(sql)
            driven = await drive(playing, MOVES, AT_ONCE)
            spent, database = workers_s() - before, database_s(sql) - database_before
            written = wal_bytes(sql) - written
            idle = await idle_ms(service, workers_s)
            memory = max(map(rss_kib, pids)) / 1_024
    moves = len(driven.answers)
    return [
        figure(f"{name}: moves, on two cores with the driver and the database", driven.rate, "moves/s"),
        figure(f"{name}: processor time of the workers for a move", spent / moves * 1_000, "ms"),
        figure(f"{name}: processor time of PostgreSQL for a move", database / moves * 1_000, "ms"),
        figure(f"{name}: written ahead for a move", written / moves / 1_024, "KiB"),
        figure(f"{name}: workers that do nothing", idle, "ms of a second"),
        figure(f"{name}: memory of a worker with these tables", memory, "MiB"),
    ]


async def idle_ms(service: Service, spent_s: Callable[[], float]) -> float:
    """Processor time in a second in which nobody calls."""
    before = spent_s()
    await asyncio.sleep(IDLE_S)
    return (spent_s() - before) / IDLE_S * 1_000


def database_s(sql: psycopg.Connection) -> float:
    """Processor time of every process of the server, as long as it runs."""
    backend = sql.info.backend_pid
    parent = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
    return sum(map(cpu_seconds, [parent, *children(parent)]))


def wal_bytes(sql: psycopg.Connection) -> int:
    row = sql.execute("SELECT pg_current_wal_lsn() - '0/0'").fetchone()
    assert row is not None
    return int(row[0])


def size_kib(database: Path) -> float:
    return sum(path.stat().st_size for path in database.parent.glob(f"{database.name}*")) / 1_024


def figure(name: str, value: float, unit: str) -> Row:
    return Row(name, value, unit, "", True)


if __name__ == "__main__":
    sys.exit(main())
