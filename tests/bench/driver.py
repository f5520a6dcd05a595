"""Drives a service that runs as a process of its own: many duels over few keep-alive connections, and the event stream
of every seat.

It checks little while it drives, so that it takes less of a core than the service: the last that each seat was told is
verified afterwards.
"""

import asyncio
import json
import os
import resource
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from fairdeal import ledger
from fairdeal.app.once import Once
from fairdeal.app.ports import Account, Session
from fairdeal.keys import SigningKey
from fairdeal.limits import MAX_CLOCK_MS
from fairdeal.match import Event, Terms, open_receipt, receipt_key, view_message
from fairdeal.match.actions import SignedAction
from fairdeal.store import SqlStore
from fairdeal.tlog import EMPTY_ROOT, Frontier, leaf_hash
from tests.durability.process import Service, children

HOST: Final = "127.0.0.1"
STAKE: Final = 100
ASSET: Final = "JETON"
_LONGEST_LINE: Final = 1 << 20
_CORES: Final = sorted(os.sched_getaffinity(0))
_FOR_EVER_MS: Final = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with money and a login."""

    id: str
    token: str


def people(store: SqlStore, count: int) -> list[Person]:
    """So many, written into the database: to sign up takes a password's hash, which is not what is measured."""
    made = []
    for _ in range(count):
        person = Person(secrets.token_hex(16), secrets.token_hex(32))
        store.create_account(Account(person.id, person.id, "player", "none", 1))
        store.open_session(Session(sha256(person.token.encode()).digest(), person.id, _FOR_EVER_MS), 1, "none")
        money = ledger.deposit(secrets.token_hex(16), person.id, STAKE * 1_000, asset=ASSET, at=1)
        store.deposit(person.id, money, Once("bench", secrets.token_hex(16), b""))
        made.append(person)
    return made


@contextmanager
def running(home: Path, tables: int, **settings: str) -> Iterator[tuple[Service, list[Person]]]:
    """A service on a core of its own, if there are two, and people for so many duels. Nobody's time runs out."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    home.mkdir()
    endless = str(MAX_CLOCK_MS)
    free = {
        f"limits__{who}_{rate}": "1000000000"
        for who in ("account", "address", "tables")
        for rate in ("burst", "per_minute")
    }
    usual = {"decisions_ms": f"[{endless}]", "clock__join_ms": endless, "clock__outage_ms": endless, **free}
    usual["limits__connections"] = "100000"
    place = settings.get("database_url", home / "fairdeal.db")
    store = SqlStore(place)
    persons = people(store, 2 * tables)
    store.close()
    with Service(home, **usual, **settings) as service:
        keep_apart(service)
        try:
            yield service, persons
        finally:
            os.sched_setaffinity(0, _CORES)


def keep_apart(service: Service) -> None:
    """Gives a service that has just been started the first core, if there are two, and this process the others."""
    own, *others = _CORES
    if others:
        for process in (service.pid, *children(service.pid)):
            for thread in Path(f"/proc/{process}/task").iterdir():
                os.sched_setaffinity(int(thread.name), [own])
        os.sched_setaffinity(0, others)


def cpu_seconds(pid: int) -> float:
    """Processor time that the process has taken, in user mode and in the kernel's."""
    members = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(members[11]) + int(members[12])) / os.sysconf("SC_CLK_TCK")


def rss_kib(pid: int) -> int:
    """Its resident memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


class Line:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, method: str, path: str, token: str, body: object = None, key: str = "") -> Any:
        """The decoded answer. Raises AssertionError for a refusal."""
        head, answer = await self._exchange(
            method, path, token, b"" if body is None else json.dumps(body).encode(), key
        )
        assert head[9:10] == b"2", (head, answer)
        return json.loads(answer)

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._ends is None or self._ends[0].at_eof():
            self._ends = await asyncio.open_connection(HOST, self._port, limit=_LONGEST_LINE)
        return self._ends

    async def _exchange(self, method: str, path: str, token: str, body: bytes, key: str) -> tuple[bytes, bytes]:
        reader, writer = await self.open()
        keyed = f"Idempotency-Key: {key}\r\n" if key else ""
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n{keyed}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return head, await reader.readexactly(length)


@dataclass(eq=False)
class Seat:
    """A person at a table, and the last that it was told."""

    person: Person
    number: int
    player: str
    key: SigningKey
    seed: bytes
    told: dict[str, Any] = field(default_factory=dict)
    size: int = 0
    """How far its stream has told it."""
    at: float = 0.0
    """When it was told that, by `perf_counter`."""
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self, m: str, port: int, ready: Callable[[], None]) -> None:
        """Follows the stream, until it ends."""
        reader, writer = await asyncio.open_connection(HOST, port, limit=_LONGEST_LINE)
        head = f"GET /v1/matches/{m}/stream?from={self.size} HTTP/1.1\r\nHost: {HOST}\r\n"
        writer.write(f"{head}Authorization: Bearer {self.person.token}\r\n\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    self.at = perf_counter()
                    self.told = json.loads(line[6:])
                    self.size = self.told["view"]["size"]
                    self.heard.set()
                    ready()
        finally:
            writer.close()

    async def reached(self, size: int) -> None:
        """Returns once the stream has told so many events."""
        while self.size < size:
            self.heard.clear()
            await self.heard.wait()


class Duel:
    """A staked duel of two people, from its opening to its end."""

    def __init__(self, port: int, m: str, seats: list[Seat]) -> None:
        self.port, self.m, self.seats = port, m, seats
        self.frontier = Frontier()
        self.lines: list[str] = []
        self.streams: list[asyncio.Task[None]] = []
        self.on_turn: Seat | None = None

    @classmethod
    async def open(cls, line: Line, port: int, pair: Sequence[Person]) -> "Duel":
        """Both have joined and sent their seeds: the first deal lies before them."""
        m = (await line.call("POST", "/v1/tables", pair[0].token, {"game": "duel", "stake": STAKE}))["m"]
        seats = []
        for person in pair:
            key = secrets.token_hex(16)
            you = (await line.call("POST", f"/v1/tables/{m}/seats", person.token, {}, key))["you"]
            secret = secrets.token_bytes(32)
            seats.append(Seat(person, you["seat"], you["player"], SigningKey.from_seed(secret), secret))
        duel = cls(port, m, seats)
        duel._take(await line.call("GET", f"/v1/matches/{m}", pair[0].token))
        first = duel.frontier.root()
        for seat in seats:
            commitment = sha256(seat.seed).hexdigest()
            seen = {"root": EMPTY_ROOT.hex(), "size": 0}
            join = {"key": seat.key.public.hex, "player": seat.player, "seed_commitment": commitment, "seen": seen}
            await duel._send(line, seat, {"join": join}, first, 1)
        table = duel.frontier.root()
        for seat in seats:
            await duel._send(line, seat, {"seed": seat.seed.hex()}, table, len(seats) + 1)
        for seat in seats:
            duel.take_turn(seat, await line.call("GET", f"/v1/matches/{m}?from={len(duel.lines)}", seat.person.token))
        return duel

    async def stream(self) -> None:
        """Opens both seats' streams, and returns when they have begun."""
        for seat in self.seats:
            seat.size = len(self.lines)
            begun = asyncio.Event()
            self.streams.append(asyncio.create_task(seat.listen(self.m, self.port, begun.set)))
            await begun.wait()

    async def move(self, line: Line) -> tuple[float, float]:
        """The seat on turn does the first thing that it may. Seconds to the answer, and to the other seat's stream."""
        seat = self.on_turn
        assert seat is not None
        other = self.seats[1 - seat.number]
        do = next((do for do in seat.told["view"]["legal"] if do == {"bid": "take"}), seat.told["view"]["legal"][0])
        start = perf_counter()
        answer = await self._send(line, seat, do, self.frontier.root(), len(self.lines))
        answered = perf_counter()
        self.take_turn(seat, answer)
        told = answered
        if self.streams:
            await other.reached(len(self.lines))
            told = other.at
            self.take_turn(other, other.told)
        elif self.on_turn is None and not self.over:
            path = f"/v1/matches/{self.m}?from={len(self.lines)}"
            self.take_turn(other, await line.call("GET", path, other.person.token))
        return answered - start, told - start

    async def resign(self, line: Line) -> None:
        """The first seat gives up."""
        await self._send(line, self.seats[0], {"resign": True}, self.frontier.root(), len(self.lines))

    @property
    def over(self) -> bool:
        """Nothing follows."""
        return '"type":"settle"' in self.lines[-1] or '"type":"reveal"' in self.lines[-1]

    def take_turn(self, seat: Seat, answer: dict[str, Any]) -> None:
        """Whose turn it is, as far as this answer to the seat says."""
        seat.told = answer
        if answer["view"]["legal"]:
            self.on_turn = seat
        elif self.on_turn is seat:
            self.on_turn = None

    def close(self) -> None:
        for stream in self.streams:
            stream.cancel()

    def check(self) -> None:
        """The last that each seat was told is signed, and its receipt is for the events. Raises AssertionError."""
        key = receipt_key(Terms.parse(Event.parse(self.lines[0].encode()).data))
        for seat in self.seats:
            told = open_receipt(seat.told["receipt"], key)
            frontier = Frontier()
            for line in self.lines[: told.size]:
                frontier = frontier.append(leaf_hash(line.encode()))
            assert told.root == frontier.root()
            key.public.verify(bytes.fromhex(seat.told["sig"]), view_message(seat.told["view"]))

    async def _send(self, line: Line, seat: Seat, do: dict[str, Any], root: bytes, size: int) -> dict[str, Any]:
        action = SignedAction.sign(seat.key, self.m, do, root.hex(), seat.number, size)
        answer: dict[str, Any] = await line.call(
            "POST", f"/v1/matches/{self.m}/actions", seat.person.token, action.to_json()
        )
        self._take(answer)
        return answer

    def _take(self, answer: dict[str, Any]) -> None:
        assert answer["from"] == len(self.lines)
        for event in answer["events"]:
            self.frontier = self.frontier.append(leaf_hash(event.encode()))
            self.lines.append(event)


async def each(count: int, work: Callable[[int], Awaitable[None]], at_once: int = 16) -> None:
    """`work` of the numbers below `count`, so many at once."""
    waiting = iter(range(count))

    async def some() -> None:
        for number in waiting:
            await work(number)

    await asyncio.gather(*(some() for _ in range(at_once)))


async def duels(port: int, persons: Sequence[Person], count: int) -> list[Duel]:
    """So many, each of two of the people."""
    lines = [Line(port) for _ in range(16)]
    made: list[Duel] = []

    async def one(number: int) -> None:
        line = lines.pop()
        made.append(await Duel.open(line, port, persons[2 * number : 2 * number + 2]))
        lines.append(line)

    await each(count, one)
    return made


async def stream(playing: Sequence[Duel]) -> None:
    """Opens the streams of all of them."""
    await each(len(playing), lambda number: playing[number].stream())


@dataclass(frozen=True, slots=True)
class Driven:
    """Seconds to each move's answer and to the opponent's stream, sorted, and how long it all took."""

    answers: list[float]
    told: list[float]
    seconds: float

    @property
    def rate(self) -> float:
        return len(self.answers) / self.seconds


async def drive(playing: list[Duel], moves: int, at_once: int, per_second: float | None = None) -> Driven:
    """So many moves, spread over all matches in turn. With `per_second` they are begun at that pace, without it as fast
    as they are answered. Matches that are over are left out.
    """
    queue = asyncio.Queue[Duel]()
    for duel in playing:
        if not duel.over:
            queue.put_nowait(duel)
    begun = 0
    answers: list[float] = []
    told: list[float] = []
    start = perf_counter()

    async def some() -> None:
        nonlocal begun
        line = Line(playing[0].port)
        while begun < moves:
            number, begun = begun, begun + 1
            if per_second is not None:
                await asyncio.sleep(max(0.0, start + number / per_second - perf_counter()))
            duel = await queue.get()
            answered, streamed = await duel.move(line)
            answers.append(answered)
            told.append(streamed)
            if not duel.over:
                queue.put_nowait(duel)
        _, writer = await line.open()
        writer.close()

    await asyncio.gather(*(some() for _ in range(at_once)))
    return Driven(sorted(answers), sorted(told), perf_counter() - start)


async def cost_ms(playing: list[Duel], moves: int, at_once: int, spent_s: Callable[[], float]) -> tuple[Driven, float]:
    """So many moves as fast as they are answered, and the processor time of one, by a clock of it (seconds)."""
    before = spent_s()
    driven = await drive(playing, moves, at_once)
    return driven, (spent_s() - before) / len(driven.answers) * 1_000


async def idle_kib(pid: int, port: int, persons: Sequence[Person], count: int) -> tuple[list[Duel], float, float]:
    """So many tables that only stand there, both streams open; the process's memory for a table and for a stream."""
    before = rss_kib(pid)
    idle = await duels(port, persons, count)
    with_tables = rss_kib(pid)
    await stream(idle)
    return idle, (with_tables - before) / count, (rss_kib(pid) - with_tables) / (2 * count)
