"""Entries that the log of all matches takes in a second, 256 at a time on the disk, beside bare inserts of SQLite."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter

from fairdeal import canonical
from fairdeal.app.sequencer import append_batch, load_edge
from fairdeal.store import SqlStore
from tests.bench.table import Row

BATCH = 256
BATCHES = 40
ROUNDS = 5
MIN_ENTRIES_PER_SECOND = 20_000
MAX_INSERTS = 20.0


def run() -> list[Row]:
    """The rate of durable appends, and what one costs in bare inserts of the same bytes; the best of each.

    In time by the wall: most of it is waiting for the disk.
    """
    leaves = [_leaf(number) for number in range(BATCH * BATCHES)]
    with tempfile.TemporaryDirectory() as folder:
        appends = min(_appends(Path(folder, f"log-{number}.db"), leaves) for number in range(ROUNDS))
        inserts = min(_inserts(Path(folder, f"bare-{number}.db"), leaves) for number in range(ROUNDS))
    rate, cost = len(leaves) / appends, appends / inserts
    return [
        Row(
            "entries appended to the log, on the disk",
            rate,
            "entries/s",
            f"≥ {MIN_ENTRIES_PER_SECOND:,}",
            rate >= MIN_ENTRIES_PER_SECOND,
        ),
        Row("cost of an entry", cost, "bare inserts of the same run", f"≤ {MAX_INSERTS:g}", cost <= MAX_INSERTS),
    ]


def _leaf(number: int) -> bytes:
    return canonical.encode({"m": f"{number:032x}", "root": f"{number:064x}", "type": "full"})


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _appends(path: Path, leaves: list[bytes]) -> float:
    store = SqlStore(path)
    store.replace_queue(leaves)

    def work() -> None:
        edge, more = load_edge(store), True
        while more:
            edge, more = append_batch(store, edge)

    try:
        return _seconds(work)
    finally:
        assert store.log_head().size == len(leaves)
        store.close()


def _inserts(path: Path, leaves: list[bytes]) -> float:
    """The same bytes in as many transactions, in the same mode of the database."""
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("PRAGMA journal_mode = WAL")
        sql.execute("PRAGMA synchronous = FULL")
        sql.execute("CREATE TABLE bare (n INTEGER PRIMARY KEY, leaf BLOB)")

        def work() -> None:
            for first in range(0, len(leaves), BATCH):
                sql.execute("BEGIN IMMEDIATE")
                sql.executemany("INSERT INTO bare VALUES (?, ?)", enumerate(leaves[first : first + BATCH], first))
                sql.execute("COMMIT")

        return _seconds(work)
