"""Settlements and moves that the store takes in a second, durable, beside raw statements for the same rows.

On PostgreSQL the whole of a settlement stands beside one hand-written call that writes the same rows under the same
guards, in turns, so that what else the machine does falls on both.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import psycopg

from fairdeal import canonical
from fairdeal.app.ports import Append, CommitResult, Status
from fairdeal.ledger import Win
from fairdeal.store import SqlStore
from tests.bench.table import Row
from tests.store.house import House
from tests.store.postgres import start_postgres

STAKE = 500
PLAYERS = 32
CALLERS = 8
"""Of settlements."""
CROWD = 64
"""Of moves."""
ROUND = 64
"""Settlements in one turn."""
ROUNDS = 7
LINE = b'{"act":"' + b"5" * 250 + b'"}'
MIN_SHARE = 0.7
MIN_SQLITE = 1_500


def run() -> list[Row]:
    with start_postgres() as postgres, closing(SqlStore(url := postgres.database())) as store:
        rows = list(_on_postgresql(store, url))
    with tempfile.TemporaryDirectory() as folder, closing(SqlStore(Path(folder, "house.db"))) as store:
        rows += _on_sqlite(store, Path(folder, "bare.db"))
    return rows


def _on_postgresql(store: SqlStore, url: str) -> Iterator[Row]:
    bench = Bench(store)
    with closing(Hand(url)) as hand:
        rounds = [
            (
                bench.rate(bench.settlements(ROUND), store.commit, CALLERS),
                bench.rate([hand.arguments(one) for one in bench.settlements(ROUND)], hand.settle, CALLERS),
            )
            for _ in range(ROUNDS + 1)
        ][1:]  # in the first one, every connection compiles its functions
    ours, raw = (median(rates) for rates in zip(*rounds, strict=True))
    share = median(one / other for one, other in rounds)
    yield Row(f"PostgreSQL: settlements, {CALLERS} callers", ours, "/s", "", True)
    yield Row("PostgreSQL: the same rows by one hand-written call", raw, "/s", "", True)
    yield Row("PostgreSQL: share of the hand-written call", share, "", f"≥ {MIN_SHARE:g}", share >= MIN_SHARE)
    yield from bench.moves("PostgreSQL")


def _on_sqlite(store: SqlStore, bare: Path) -> Iterator[Row]:
    bench = Bench(store)
    for callers, least in ((1, 0), (CALLERS, MIN_SQLITE)):
        rate = median(bench.rate(bench.settlements(ROUND * 2), store.commit, callers) for _ in range(ROUNDS))
        bound = f"≥ {least:,}" if least else ""
        yield Row(f"SQLite: settlements, {callers} callers", rate, "/s", bound, rate >= least)
    yield Row("SQLite: transactions of one bare row each", _bare(bare), "/s", "", True)
    yield from bench.moves("SQLite")


def _bare(path: Path) -> float:
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("PRAGMA journal_mode = WAL")
        sql.execute("PRAGMA synchronous = FULL")
        sql.execute("CREATE TABLE bare (n INTEGER PRIMARY KEY, line BLOB)")
        start = perf_counter()
        for n in range(ROUND):
            sql.execute("INSERT INTO bare VALUES (?, ?)", (n, bytes(300)))
        return ROUND / (perf_counter() - start)


class Bench:
    """A house with matches that can be settled."""

    def __init__(self, store: SqlStore) -> None:
        self._store, self._house = store, House(store)
        self._house.check = lambda: None  # type: ignore[method-assign]
        self._players = [self._house.account(10_000_000) for _ in range(PLAYERS)]

    def rate(self, jobs: Sequence[Any], act: Callable[[Any], CommitResult], callers: int) -> float:
        """Jobs a second, by as many threads."""
        parts = [jobs[caller::callers] for caller in range(callers)]
        with ThreadPoolExecutor(callers) as pool:
            start = perf_counter()
            done = list(pool.map(lambda part: [act(job) for job in part], parts))
            seconds = perf_counter() - start
        assert {one for part in done for one in part} == {CommitResult.COMMITTED}
        return len(jobs) / seconds

    def settlements(self, count: int) -> list[Append]:
        return [self._settlement(m) for m in self._live(count)]

    def moves(self, database: str) -> Iterator[Row]:
        """One event each, of as many matches."""
        matches = self._live(ROUND)
        for callers in (1, CROWD):
            rates = []
            for _ in range(ROUNDS):
                appends = [self._house.append(m) for m in matches]
                rates.append(self.rate(appends, self._store.commit, callers))
            yield Row(f"{database}: moves, {callers} callers", median(rates), "/s", "", True)

    def _live(self, count: int) -> list[str]:
        with ThreadPoolExecutor(CALLERS) as pool:
            return list(pool.map(self._start, range(count)))

    def _start(self, number: int) -> str:
        first, second = (self._players[(number * 2 + side) % PLAYERS] for side in range(2))
        m = self._house.open(first, STAKE)
        for player in (first, second):
            self._store.sit(self._house.sitting(m, player), self._house.once())
        self._house.start(m)
        return m

    def _settlement(self, m: str) -> Append:
        """What ends a match: three events, the pot paid out, and its leaf."""
        ending = self._house.append(m, lines=3, status=Status.ENDED, money=self._house.payout(m, Win(0)))
        leaf = {
            "m": m,
            "outcome": "played",
            "root": m * 2,
            "server_seed": m * 2,
            "size": ending.size + 3,
            "type": "close",
        }
        return replace(ending, lines=(LINE,) * 3, leaves=(canonical.encode(leaf),))


class Hand:
    """The settlement of a match that was won, as somebody writes it who needs nothing else of a store."""

    def __init__(self, url: str) -> None:
        self._free = [psycopg.connect(url, autocommit=True) for _ in range(CALLERS)]
        self._free[0].execute(HAND_WRITTEN)

    def close(self) -> None:
        for connection in self._free:
            connection.close()

    def arguments(self, append: Append) -> tuple[object, ...]:
        money = append.money
        assert money is not None
        moves = sorted(money.postings, key=lambda posting: ("mpht".index(posting.account[0]), posting.account))
        return (
            append.match_id,
            append.size,
            append.seating,
            list(append.lines),
            append.at,
            money.id,
            money.canonical(),
            [posting.account for posting in moves],
            [posting.amount for posting in moves],
            append.leaves[0],
        )

    def settle(self, arguments: tuple[object, ...]) -> CommitResult:
        connection = self._free.pop()
        row = connection.execute(f"SELECT by_hand({', '.join(['%s'] * len(arguments))})", arguments).fetchone()
        self._free.append(connection)
        return CommitResult.COMMITTED if row == (True,) else CommitResult.STALE


HAND_WRITTEN = """
CREATE FUNCTION by_hand(m text, old integer, old_seating integer, lines bytea[], now bigint, tx text, header bytea,
                        accounts text[], amounts bigint[], closing bytea) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE after bigint; balances_after bigint[] := '{}'; number bigint;
BEGIN
UPDATE matches SET size = old + cardinality(lines), status = 'ended', due_at = NULL
    WHERE id = m AND size = old AND seating = old_seating AND status <> 'ended';
IF NOT FOUND THEN RETURN false; END IF;
INSERT INTO events SELECT m, old + place - 1, line FROM unnest(lines) WITH ORDINALITY AS t(line, place);
FOR i IN 1 .. cardinality(accounts) LOOP
    UPDATE balances SET balance = balance + amounts[i] WHERE account = accounts[i] AND asset = 'JETON'
        AND balance + amounts[i] BETWEEN 0 AND 9007199254740991 RETURNING balance INTO after;
    IF NOT FOUND THEN
        INSERT INTO balances VALUES (accounts[i], 'JETON', 0) ON CONFLICT DO NOTHING;
        UPDATE balances SET balance = balance + amounts[i] WHERE account = accounts[i] AND asset = 'JETON'
            RETURNING balance INTO STRICT after;
    END IF;
    balances_after := balances_after || after;
END LOOP;
INSERT INTO entries (transaction_id, account, asset, amount, balance)
    SELECT tx, a, 'JETON', n, b FROM unnest(accounts, amounts, balances_after) AS t(a, n, b);
UPDATE counts SET size = size + 1 WHERE rows_of = 'transactions' RETURNING size INTO number;
INSERT INTO transactions VALUES (number, tx, 'finish', m, 'JETON', now, header);
INSERT INTO match_endings VALUES (m, tx, now);
INSERT INTO log_queue (leaf, type, match_id) VALUES (closing, 'close', m);
RETURN true;
END $$
"""
