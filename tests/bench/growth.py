"""Whether anything that is done again and again takes longer when more matches are live, or when more of them are over;
writes the last part of docs/capacity.md.

python -m tests.bench.growth      some twenty minutes, and 10 GB of disk

The matches that are over are whole (`past`), between thousands of players. One of these plays for this run: the
regular, who sat at 200 of the month's 1,000 matches and at every twentieth before.
"""

import asyncio
import secrets
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, time
from typing import Final, TypeAlias

import psycopg
import uvloop

from fairdeal.app.proof import _PAGE as PROOF_PAGE
from fairdeal.app.proof import prove
from fairdeal.store import SqlStore
from tests.bench.__main__ import machine
from tests.bench.capacity import GROWTH, PAGE, database_s
from tests.bench.driver import Duel, Line, Person, cpu_seconds, drive, duels, keep_apart, running, stream
from tests.bench.past import Past
from tests.durability.process import Service
from tests.store.postgres import Postgres, start_postgres

TEXT: Final = Path(__file__).with_name("growth.md")
LIVE: Final = (10, 100, 1_000)
PAST: Final = (1_000, 100_000)
ROUNDS: Final = 3
MOVES: Final = 200
CALLS: Final = 150
TABLES: Final = 40
"""Live ones while the matches that are over are counted."""
MAX_GROWTH: Final = 1.25
"""Of the most to the fewest: what a busy machine lets a figure of some hundred milliseconds vary by."""
IDLE_S: Final = 10
PROOF_S: Final = 15
"""Of a proof that would take minutes only the beginning is measured."""
PASSWORD: Final = "correct horse battery"
_TEMPLATE_MOVES: Final = 20

Call: TypeAlias = Callable[[Line], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Measured:
    """One database with one past: processor time of the service and of its PostgreSQL, in ms, by what was done; what
    starting and idling took, the file's bytes, the events of a match, and transactions proved in a second.
    """

    ms: dict[str, float]
    start_s: float
    idle_ms: float
    size: int
    events: int
    proved: float


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, start_postgres() as postgres:
        home = Path(folder)
        moves = uvloop.run(live(home / "live"))
        found = {
            "SQLite": {count: uvloop.run(past(home / f"sqlite-{count}", count, None)) for count in PAST},
            "PostgreSQL": {count: uvloop.run(past(home / f"postgresql-{count}", count, postgres)) for count in PAST},
        }
    part = TEXT.read_text(encoding="utf-8").format(machine=machine(), **figures(moves, found))
    PAGE.write_text(PAGE.read_text(encoding="utf-8").partition(GROWTH)[0] + part, encoding="utf-8")
    print(part)
    grown = [moves[-1] / moves[0]]
    for few, many in (both.values() for both in found.values()):
        grown += [many.ms[name] / few.ms[name] for name in few.ms]
    return 0 if max(grown) <= MAX_GROWTH else 1


async def live(home: Path) -> list[float]:
    """The cost of a move by the number of live tables, in ms."""
    playing: list[Duel] = []
    move: list[float] = []
    with running(home, LIVE[-1]) as (service, persons):
        for count in LIVE:
            more = await duels(service.port, persons[2 * len(playing) : 2 * count], count - len(playing))
            await stream(more)
            playing += more
            cost = [await spent_ms(lambda: cpu_seconds(service.pid), MOVES, playing) for _ in range(ROUNDS)]
            move.append(median(cost))
            playing = [duel for duel in playing if not duel.over]
    return move


async def spent_ms(spent_s: Callable[[], float], moves: int, playing: list[Duel]) -> float:
    before = spent_s()
    await drive(playing, moves, 8)
    return (spent_s() - before) / moves * 1_000


async def past(home: Path, count: int, postgres: Postgres | None) -> Measured:
    """Everything, with so many matches that are over."""
    auditor = secrets.token_hex(16)
    settings = {"tables_max": "1000000", "auditor_token": auditor}
    with ExitStack() as stack:
        if postgres is not None:
            settings["database_url"] = url = postgres.database()
            stack.callback(postgres.drop, url)
        service, persons = stack.enter_context(running(home, TABLES, **settings))
        house = House(service, persons, auditor)
        template = await played(service, persons)
        with service.down():
            began = perf_counter()
            month = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            house.past = Past(service.place, template)
            house.past.write(count, int(month.timestamp() * 1_000), int(time() * 1_000))
            print(f"{count:,} matches written in {perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        measured = await house.measure()
        print(measured, file=sys.stderr, flush=True)
        return measured


async def played(service: Service, persons: Sequence[Person]) -> str:
    """A duel for a stake that somebody gave up in the middle, and all of it in the log."""
    (duel,) = await duels(service.port, persons, 1)
    await drive([duel], _TEMPLATE_MOVES, 1)
    await duel.resign(Line(service.port))
    while len(service.rows("SELECT n FROM leaves WHERE match_id = ?", duel.m)) < 4:
        await asyncio.sleep(0.1)
    return duel.m


class House:
    """A service with a past, and what is done to it."""

    past: Past

    def __init__(self, service: Service, persons: list[Person], auditor: str) -> None:
        self.service, self.persons, self.auditor = service, persons, auditor
        self.line = Line(service.port)

    async def measure(self) -> Measured:
        await self.settled()  # the copy of the log, and a leaf of the journal
        with self.service.down():
            pass
        start_s = cpu_seconds(self.service.pid)
        keep_apart(self.service)
        await self.settled()
        before = self.spent_s()
        await asyncio.sleep(IDLE_S)
        idle_ms = (self.spent_s() - before) / IDLE_S * 1_000
        ms = {"a move": await self.moves(), "a settlement, by giving up": await self.settlements()}
        for name, call in (await self.calls()).items():
            ms[name] = median([await self.each(call, CALLS) for _ in range(ROUNDS)])
            print(f"{name}: {ms[name]:.2f} ms", file=sys.stderr, flush=True)
        self.service.stop()
        events = self.service.size(self.past.m)
        return Measured(ms, start_s, idle_ms, self.size(), events, self.proved())

    def spent_s(self) -> float:
        """Processor time so far, of the service and of all of its PostgreSQL."""
        spent = cpu_seconds(self.service.pid)
        if isinstance(self.service.place, str):
            with psycopg.connect(self.service.place) as sql:
                spent += database_s(sql)
        return spent

    async def settled(self) -> None:
        """Returns when it has done what it does after a start."""
        before = self.spent_s()
        while True:
            await asyncio.sleep(1)
            spent, before = self.spent_s() - before, self.spent_s()
            if spent < 0.1:
                return

    async def each(self, call: Call, count: int) -> float:
        before = self.spent_s()
        for _ in range(count):
            await call(self.line)
        return (self.spent_s() - before) / count * 1_000

    async def moves(self) -> float:
        playing = await duels(self.service.port, self.persons, TABLES)
        await stream(playing)
        await drive(playing, TABLES, 1)
        cost = median([await spent_ms(self.spent_s, MOVES, playing) for _ in range(ROUNDS)])
        for duel in playing:
            duel.close()
        return cost

    async def settlements(self) -> float:
        cost = []
        for _ in range(ROUNDS):
            playing = await duels(self.service.port, self.persons, TABLES)
            before = self.spent_s()
            for duel in playing:
                await duel.resign(self.line)
            cost.append((self.spent_s() - before) / TABLES * 1_000)
        return median(cost)

    async def calls(self) -> dict[str, Call]:
        """What is asked of it again and again, by what it is called in the report."""
        regular, opener, operator = self.past.token, self.persons[0].token, self.service.token
        name = secrets.token_hex(8)
        await self.line.call("POST", "/v1/accounts", "", {"name": name, "password": PASSWORD})
        limit = {"kind": "stake", "period": "month", "amount": 10**9}
        await self.line.call("PUT", "/v1/me/limits", regular, limit)
        m = (await self.line.call("POST", "/v1/tables", opener, {"game": "duel", "stake": 100}))["m"]
        month = datetime.now(UTC).strftime("%Y-%m")

        async def open_and_cancel(line: Line) -> None:
            opened = (await line.call("POST", "/v1/tables", opener, {"game": "duel", "stake": 0}))["m"]
            await line.call("POST", f"/v1/tables/{opened}/cancel", opener)

        async def sit_and_stand(line: Line) -> None:
            await line.call("POST", f"/v1/tables/{m}/seats", regular, {}, secrets.token_hex(16))
            await line.call("DELETE", f"/v1/tables/{m}/seats/me", regular, None, secrets.token_hex(16))

        async def withdraw(line: Line) -> None:
            asked = await line.call("POST", "/v1/withdrawals", regular, {"amount": 1}, secrets.token_hex(16))
            path = f"/v1/cashier/withdrawals/{asked['id']}"
            await line.call("POST", path, operator, {"result": "paid"}, secrets.token_hex(16))

        async def deposit(line: Line) -> None:
            given = {"account": self.past.regular, "amount": 1}
            await line.call("POST", "/v1/deposits", operator, given, secrets.token_hex(16))

        async def log_in(line: Line) -> None:
            await line.call("POST", "/v1/sessions", "", {"name": name, "password": PASSWORD})

        def get(path: str, token: str) -> Call:
            return lambda line: line.call("GET", path, token)

        own, lines, records = self.late("seats", "account_id"), self.late("entries", "account"), 60
        ((old,),) = self.service.rows("SELECT id FROM matches ORDER BY seq LIMIT 1 OFFSET 50")
        return {
            "a table opened, and called off": open_and_cancel,
            "a seat taken under a monthly limit, and left": sit_and_stand,
            "a deposit": deposit,
            "a withdrawal, asked for and paid": withdraw,
            "a login (most of it the password's hash)": log_in,
            "`GET /v1/me`": get("/v1/me", regular),
            "own matches, the newest 50": get("/v1/me/matches", regular),
            "own matches, the oldest 50": get(f"/v1/me/matches?cursor={own}", regular),
            "own lines, the newest 50": get("/v1/wallet/lines", regular),
            "own lines, the oldest 50": get(f"/v1/wallet/lines?cursor={lines}", regular),
            "a month's statement, its first page": get(f"/v1/wallet/statement?month={month}", regular),
            "open tables": get("/v1/tables", regular),
            "withdrawals that wait": get("/v1/cashier/withdrawals", operator),
            "significant events, the newest 50": get("/v1/audit/events", self.auditor),
            "records of matches, the newest 50": get("/v1/audit/matches", self.auditor),
            "records of matches, the oldest 50": get(f"/v1/audit/matches?cursor={records}", self.auditor),
            "an old match's leaves with their proofs": get(f"/v1/matches/{old}/log", opener),
        }

    def late(self, table: str, column: str) -> int:
        """A cursor with fifty of the regular's rows behind it."""
        owner = self.past.regular if table == "seats" else f"player:{self.past.regular}:cash"
        query = f"SELECT seq FROM {table} WHERE {column} = ? ORDER BY seq LIMIT 1 OFFSET 50"
        return int(self.service.rows(query, owner)[0][0])

    def size(self) -> int:
        if isinstance(self.service.place, str):
            return int(self.service.rows("SELECT pg_database_size(current_database())")[0][0])
        return self.service.place.stat().st_size

    def proved(self) -> float:
        """Transactions of the books that a second of a core proves. Raises AssertionError where they do not hold."""
        began, pages = process_time(), 0

        def page() -> None:
            nonlocal pages
            pages += 1
            if process_time() - began > PROOF_S:
                raise TimeoutError

        store = SqlStore(self.service.place)
        try:
            proof = prove(store, page)
            assert proof.fault is None, proof.fault
            return proof.transactions / (process_time() - began)
        except TimeoutError:
            return pages * PROOF_PAGE / (process_time() - began)
        finally:
            store.close()


def figures(moves: list[float], found: dict[str, dict[int, Measured]]) -> dict[str, str]:
    """What the text has places for, with what was found on each database by the number of matches that are over."""
    few, many = (f"{count:,}" for count in PAST)
    ways = [tuple(both.values()) for both in found.values()]
    head = ["| {}, {:,} over | {:,} over | ratio ".format(database, *both) for database, both in found.items()]
    rows = []
    for name in ways[0][0].ms:
        pairs = [(short.ms[name], long.ms[name]) for short, long in ways]
        rows.append(f"| {name} " + "".join(f"| {one:.2f} | {two:.2f} | {two / one:.2f} " for one, two in pairs) + "|")
    table = ["| processor time, ms " + "".join(head) + "|", "|---" + "|---:" * 3 * len(ways) + "|", *rows]
    return {
        "few": few,
        "many": many,
        "events": str(ways[0][0].events),
        "moves": ", ".join(f"{ms:.2f} ms with {count:,}" for ms, count in zip(moves, LIVE, strict=True)),
        "table": "\n".join(table),
        "idle": _each(found, "idle_ms", "{0:.0f} and {1:.0f} ms a second"),
        "start": _each(found, "start_s", "{0:.1f} and {1:.1f} s"),
        "proved": _each(found, "proved", "{0:,.0f} and {1:,.0f} a second"),
        "size": ", ".join(f"{_kib_match(both):.1f} KiB ({database})" for database, both in found.items()),
    }


def _kib_match(both: dict[int, Measured]) -> float:
    (few, short), (many, long) = both.items()
    return (long.size - short.size) / (many - few) / 1_024


def _each(found: dict[str, dict[int, Measured]], what: str, form: str) -> str:
    pairs = {database: [getattr(one, what) for one in both.values()] for database, both in found.items()}
    return ", ".join(f"{form.format(*pair)} ({database})" for database, pair in pairs.items())


if __name__ == "__main__":
    sys.exit(main())
