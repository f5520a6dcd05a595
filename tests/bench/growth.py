"""Whether a move, or opening a table, takes longer when more matches are live, or when more of them are over.

python -m tests.bench.growth      some minutes, and 2 GB of disk

The matches that are over are copies of one that was played to its end here, each under ids of its own, all of them
opened by the person who opens tables in this run. They are written by SQL, with the guards set aside meanwhile; their
leaves wait for the service, which takes them all into its log at the next start. Their money is not copied: neither a
move nor opening a table looks at it.
"""

import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import uvloop

from tests.bench.driver import Duel, Line, Person, cpu_seconds, drive, duels, keep_apart, running, stream
from tests.bench.table import Row, format_table
from tests.durability.process import Service

LIVE: Final = (10, 100, 1_000)
PAST: Final = (1_000, 10_000, 100_000)
MOVES: Final = 200
OPENINGS: Final = 200
TABLES: Final = 40
"""Live ones while the matches that are over are counted."""
MAX_GROWTH: Final = 1.25
"""Of the most to the fewest: what a busy machine lets a figure of some hundred milliseconds vary by."""
_TEMPLATE_MOVES: Final = 30

# Table → what is another in each copy: `k` counts the copies from 1, `copy` is the copy's match.
_COPIED: Final = {
    "matches": {"seq": "(SELECT max(seq) FROM matches) + k", "id": "copy"},
    "events": {"match_id": "copy"},
    "seals": {"match_id": "copy"},
    "commitments": {"match_id": "copy", "commitment": "substr(commitment, 1, 32) || copy"},
    "seats": {"match_id": "copy", "seq": "NULL", "player": "substr(copy, 2) || seat"},
    "match_endings": {"match_id": "copy"},
}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        rows = uvloop.run(live(Path(folder, "live"))) + uvloop.run(past(Path(folder, "past")))
    print(format_table(rows))
    return 0 if all(row.met for row in rows) else 1


async def live(home: Path) -> list[Row]:
    """The cost of a move by the number of live tables."""
    playing: list[Duel] = []
    move: list[float] = []
    with running(home, LIVE[-1]) as (service, persons):
        for count in LIVE:
            more = await duels(service.port, persons[2 * len(playing) : 2 * count], count - len(playing))
            await stream(more)
            playing += more
            move.append(await move_ms(service, playing))
            playing = [duel for duel in playing if not duel.over]
    return grown("move: processor time of the service", "live tables", LIVE, move)


async def past(home: Path) -> list[Row]:
    """The cost of a move, and of opening a table, by the number of matches that are over."""
    move: list[float] = []
    opening: list[float] = []
    with running(home, TABLES, tables_max="1000000") as (service, persons):
        opener = persons[0]
        (template,) = await duels(service.port, persons, 1)
        line = Line(service.port)
        await drive([template], _TEMPLATE_MOVES, 1)
        await template.resign(line)
        playing = await duels(service.port, persons, TABLES)
        copies = 0
        await settled(service)  # the log has all of the match that is copied
        for count in PAST:
            with service.down():
                copy_match(service.database, template.m, count - copies)
            copies = count
            keep_apart(service)
            await settled(service)
            await stream(playing)
            await drive(playing, TABLES, 1)
            move.append(await move_ms(service, playing))
            opening.append(await opening_ms(service, opener))
    return [
        *grown("move: processor time of the service", "matches that are over", PAST, move),
        *grown("opening a table: processor time of the service", "matches that are over", PAST, opening),
    ]


async def settled(service: Service) -> None:
    """Returns when it has done what it does after a start."""
    before = cpu_seconds(service.pid)
    while True:
        await asyncio.sleep(1)
        spent, before = cpu_seconds(service.pid) - before, cpu_seconds(service.pid)
        if spent < 0.05:
            return


async def move_ms(service: Service, playing: list[Duel]) -> float:
    """Of the service's processor, for one move of several."""
    return await cpu_ms(service, MOVES, lambda: drive(playing, MOVES, 8))


async def opening_ms(service: Service, opener: Person) -> float:
    line = Line(service.port)

    async def openings() -> None:
        for _ in range(OPENINGS):
            m = (await line.call("POST", "/v1/tables", opener.token, {"game": "duel", "stake": 0}))["m"]
            await line.call("POST", f"/v1/tables/{m}/cancel", opener.token)

    return await cpu_ms(service, OPENINGS, openings)


async def cpu_ms(service: Service, count: int, work: Callable[[], Awaitable[object]]) -> float:
    """The median of some rounds."""
    spent = []
    for _ in range(3):
        before = cpu_seconds(service.pid)
        await work()
        spent.append((cpu_seconds(service.pid) - before) / count * 1_000)
    return median(spent)


def copy_match(database: Path, m: str, count: int) -> None:
    """So many more matches like this one. The service is down."""
    began = perf_counter()
    with closing(sqlite3.connect(database, isolation_level=None)) as sql:
        sql.execute("PRAGMA synchronous = OFF")
        guards = sql.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        sql.execute("BEGIN")
        for name, _ in guards:
            sql.execute(f"DROP TRIGGER {name}")
        sql.execute(
            "CREATE TEMP TABLE copies AS WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < ?)"
            " SELECT k, lower(hex(randomblob(16))) AS copy FROM n",
            [count],
        )
        for table, other in _COPIED.items():
            columns = [row[1] for row in sql.execute(f"PRAGMA table_info({table})")]
            chosen = ", ".join(other.get(column, column) for column in columns)
            own = "id" if table == "matches" else "match_id"
            sql.execute(f"INSERT INTO {table} SELECT {chosen} FROM copies, {table} WHERE {own} = ?", [m])
        sql.execute(
            "INSERT INTO log_queue (leaf, type, match_id)"
            " SELECT CAST(replace(CAST(leaf AS TEXT), match_id, copy) AS BLOB), type, copy FROM copies, leaves"
            " WHERE match_id = ? ORDER BY copies.k, n",
            [m],
        )
        for _, statement in guards:
            sql.execute(statement)
        sql.execute("COMMIT")
    print(f"{count:,} matches written in {perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


def grown(what: str, of: str, counts: Sequence[int], figures: Sequence[float]) -> list[Row]:
    """One row a count; the last is held against the first."""
    rows = [
        Row(f"{what}, {count:,} {of}", figure, "ms", "", True) for count, figure in zip(counts, figures, strict=True)
    ]
    growth = figures[-1] / figures[0]
    bound = f"≤ {MAX_GROWTH:g}"
    return [
        *rows,
        Row(f"{what}, {counts[-1]:,} against {counts[0]:,} {of}", growth, "times", bound, growth <= MAX_GROWTH),
    ]


if __name__ == "__main__":
    sys.exit(main())
