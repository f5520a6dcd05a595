"""Every durable write of a match's life is broken once, in two ways: it is lost, or it is kept and reported as failed.

The whole service in one process, from its routes to its files, on SQLite and on PostgreSQL. Callers do what the client
does: they send again.
"""

import copy
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias, TypeVar

import pytest
from sqlalchemy import Connection

from fairdeal.errors import StoreFailed
from fairdeal.match import Event, Terms, open_receipt, receipt_key
from fairdeal.match.leaves import parse_leaf
from fairdeal.store import LogCopy
from fairdeal.store.database import Database
from fairdeal.store.postgresql import PostgresqlDatabase
from fairdeal.store.sqlite import SqliteDatabase
from fairdeal.tlog import Policy, leaf_hash, root
from fairdeal_verifier import Policy as VerifierPolicy
from fairdeal_verifier import verify
from tests.api.table import Person, Player, Service, first_legal, ok, on_turn
from tests.durability.history import check_leaves, check_one_history, check_proven
from tests.store.postgres import Postgres

MONEY, STAKE = 1_000, 100
OUTAGE_MS = 10_000
COPY_WRITES = ("append", "keep", "beat", "cut")
TRIES = 5
"""A start writes too, and may meet the next fault."""
STEP = max(1, round(1 / float(os.environ.get("SOAK", "1"))))
Result = TypeVar("Result")
Write: TypeAlias = Callable[[Any], AbstractContextManager[Connection]]


class Way(Enum):
    LOST = "lost"
    KEPT = "kept"


@dataclass
class Faults:
    """Counts the writes, and breaks those that `strikes` picks by number and name: what was asked of the store or of
    the log's copy. `names` are those of all so far, `struck` of the broken ones.
    """

    way: Way
    strikes: Callable[["Faults", str], bool]
    names: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)

    @contextmanager
    def around(self, name: str) -> Iterator[bool]:
        """Yields whether the write inside must be lost."""
        strikes = self.strikes(self, name)
        self.names.append(name)
        if strikes:
            self.struck.append(name)
        yield strikes and self.way is Way.LOST
        if strikes:
            raise StoreFailed(f"{name} was {self.way.value}")


def name_of(method: FrameType) -> str:
    """What was asked of the store; of a commit also the types of the leaves that come with it."""
    while method.f_code.co_name in ("perform", "write_steps"):
        assert method.f_back is not None
        method = method.f_back
    name, given = method.f_code.co_name, method.f_locals
    if name == "commit":
        appends = [given["append"]]
    elif name in ("_commit_together", "_commit_alone"):
        appends = [step.append for step in given.get("steps") or [given["step"]]]
    else:
        return name
    return " ".join(["commit", *(parse_leaf(leaf)["type"] for append in appends for leaf in append.leaves)])


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Callable[[Faults], None]:
    """Puts the faults at the two places where anything is written for good: transactions, and the copy's files."""
    real_writes = {kind: kind.write for kind in (SqliteDatabase, PostgresqlDatabase)}
    real_perform = PostgresqlDatabase.perform
    real_copy = {name: getattr(LogCopy, name) for name in COPY_WRITES}

    def set_up(faults: Faults) -> None:
        def on_transactions(real_write: Write) -> Write:
            @contextmanager
            def write(database: Database) -> Iterator[Connection]:
                asked = name_of(sys._getframe(2))  # two contexts up: `with`, then the method of the store
                with faults.around(asked) as lost, real_write(database) as connection:
                    yield connection
                    if lost:
                        raise StoreFailed(f"{asked} was lost")

            return write

        def perform(database: PostgresqlDatabase, *given: Any, **named: Any) -> list[bool]:
            asked = name_of(sys._getframe(1))
            with faults.around(asked) as lost:
                if lost:  # on the way to the server: a call is committed when it is answered
                    raise StoreFailed(f"{asked} was lost")
                return real_perform(database, *given, **named)

        def on_copy(name: str) -> Callable[..., Any]:
            def wrapped(self: LogCopy, *given: Any) -> Any:
                with faults.around(f"copy.{name}") as lost:
                    if lost:
                        raise StoreFailed(f"copy.{name} was lost")
                    return real_copy[name](self, *given)

            return wrapped

        for kind, real_write in real_writes.items():
            monkeypatch.setattr(kind, "write", on_transactions(real_write))
        monkeypatch.setattr(PostgresqlDatabase, "perform", perform)  # SQLite's is a `write`
        for name in COPY_WRITES:
            monkeypatch.setattr(LogCopy, name, on_copy(name))

    return set_up


class Stubborn(Person):
    """Sends a call again when the service says that its store failed, after `recover`; keeps what it was answered."""

    answers: list[tuple[str, dict[str, Any]]]
    recover: Callable[[], None]

    def get(self, path: str, **options: Any) -> Any:
        return self._insist(path, lambda: super(Stubborn, self).get(path, **options))

    def post(self, path: str, body: Any, key: str | None = None) -> Any:
        return self._insist(path, lambda: super(Stubborn, self).post(path, body, key))

    def _insist(self, path: str, call: Callable[[], Any]) -> Any:
        answer = call()
        if answer.status_code == 503:
            assert answer.json()["code"] == "store_failed"
            self.recover()
            answer = call()
        if answer.is_success:
            self.answers.append((path, answer.json()))
        return answer


@dataclass(frozen=True)
class House:
    """A service where two people have money, which has stopped; copied for every match."""

    folder: Path
    people: list[Stubborn]
    postgres: Postgres | None
    url: str | None

    @property
    def database(self) -> str:
        return "sqlite" if self.url is None else "postgresql"

    @contextmanager
    def copy(self, folder: Path) -> Iterator[Service]:
        """The service on a copy of it all, which runs; gone at the end of the block."""
        shutil.copytree(self.folder, folder)
        if self.postgres is None or self.url is None:
            service, url = Service(folder), None
        else:
            url = self.postgres.copy(self.url)
            service = Service(folder, {"database_url": url})
        try:
            yield service
        finally:
            service.stop()
            shutil.rmtree(folder)
            if self.postgres is not None and url is not None:
                self.postgres.drop(url)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> House:
    postgres = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    url = postgres.database() if postgres else None
    service = Service(tmp_path_factory.mktemp("house"), {"database_url": url} if url else {})
    people = [Stubborn.__new__(Stubborn) for _ in range(2)]
    for person, name in zip(people, ("alice", "bob"), strict=True):
        vars(person).update(vars(Person(service, name, MONEY)))
    service.stop()
    return House(service.folder, people, postgres, url)


class Course:
    """A staked match: opened, filled, begun, played over an outage and a timeout, given up, taken away."""

    def __init__(self, service: Service, people: list[Stubborn], *, restarts: bool) -> None:
        self._restarts = restarts
        self.notes: list[str] = []
        self.answers: list[tuple[str, dict[str, Any]]] = []
        self.service = service
        self.service.tick()
        self.people = [copy.copy(person) for person in people]
        for person in self.people:
            person.service, person.answers, person.recover = self.service, self.answers, self.recover

    def recover(self) -> None:
        """What is shown in between is collected too."""
        if self.service.running:
            self.look_at_log()
        if self._restarts or not self.service.running:
            self.insist(lambda: self.service.restart(0))

    def insist(self, act: Callable[[], Result]) -> Result:
        for _ in range(TRIES):
            try:
                return act()
            except StoreFailed:
                self.recover()
        return act()

    def look_at_log(self) -> None:
        shown = self.service.http.get("/log/checkpoint")
        if shown.is_success:
            self.notes.append(shown.text)

    def tick(self, ms: int) -> None:
        """Time passes in heartbeats of a second or more, so that the clock sees no gap."""
        for _ in range(0, ms, 4_000):
            self.service.clock.ms += 4_000
            self.insist(lambda: self.service.app.state.ticker.tick())

    def logged(self, m: str, leaf: str) -> None:
        ok(self.people[0].get(f"/v1/matches/{m}/log", params={"leaf": leaf}))
        self.look_at_log()

    def play(self) -> tuple[str, bytes]:
        """The match and its bundle."""
        alice, bob = self.people
        m = ok(alice.post("/v1/tables", {"game": "duel", "stake": STAKE}))["m"]
        self.logged(m, "open")
        players = (Player(alice, m), Player(bob, m))
        for player in players:
            player.join()
        self.logged(m, "full")
        for player in players:
            player.send_seed()
        self.logged(m, "start")
        self.move(players)
        self.insist(lambda: self.service.restart(OUTAGE_MS))
        self.insist(lambda: self.service.app.state.sequencer.look())
        self.move(players)
        self.tick(48_000)
        self.insist(lambda: self.service.app.state.sequencer.look())
        players[0].do({"resign": True})
        self.logged(m, "close")
        bundle = self.service.http.get(f"/v1/matches/{m}/bundle")
        assert bundle.is_success, bundle.text
        return m, bundle.content

    def move(self, players: tuple[Player, ...]) -> None:
        player = on_turn(players)
        player.take(ok(player.send(player.sign(first_legal(player)))))

    def check(self, m: str, bundle: bytes) -> list[str]:
        """Everything that must hold. The types of events."""
        text = self.service.http.get("/log/policy").content
        policy = Policy.parse(text)
        leaves = self.service.store.leaves(0, 1_000)
        sizes = self.service.http.get("/log/checkpoints").text.split()
        signed = [self.service.http.get(f"/log/checkpoints/{size}").text for size in sizes]
        kept = LogCopy(self.service.folder / "log")
        assert list(kept.leaves(0, 1_000)) == list(leaves)
        proofs = [answer for path, answer in self.answers if path.endswith("/log")]
        notes = [*self.notes, *signed, kept.checkpoint() or "", *(answer["checkpoint"] for answer in proofs)]
        assert check_one_history(policy, leaves, notes) >= 5
        assert check_proven(policy, leaves, proofs) >= 4
        check_leaves(leaves, [m])
        report = verify(bundle, VerifierPolicy.parse(text), None)
        assert report.verdict in ("unchecked", "verified"), report
        lines = bundle[:-1].split(b"\n")[1:]
        check_acknowledged(lines, [answer for _, answer in self.answers if "receipt" in answer and "events" in answer])
        self.check_paid_once(m, [Event.parse(line) for line in lines])
        return [Event.parse(line).type for line in lines]

    def check_paid_once(self, m: str, events: list[Event]) -> None:
        paid = {line["account"]: line["amount"] for line in events[-1].data["lines"]}
        table = self.service.store.table(m)
        assert table is not None
        seats = [seat.account_id for seat in table.seated]
        for person in self.people:
            assert person.wallet == (MONEY - STAKE + paid.get(f"seat:{seats.index(person.id)}", 0), 0)
        kinds = sorted(json.loads(line)["kind"] for line in self.service.store.journal(0, 100))
        assert kinds == sorted(["deposit", "deposit", "sit", "sit", "pot", "finish"])
        self.service.check_money()


def check_acknowledged(lines: list[bytes], answers: list[dict[str, Any]]) -> None:
    """Every event and receipt that was answered is in the transcript."""
    key = receipt_key(Terms.parse(Event.parse(lines[0]).data))
    assert len(answers) > 10
    for answer in answers:
        opened = open_receipt(answer["receipt"], key)
        assert opened.root == root(map(leaf_hash, lines[: opened.size]))
        start, events = answer["from"], [line.encode() for line in answer["events"]]
        assert lines[start : start + len(events)] == events


WRITES = {
    "open_table",
    "sit",
    "commit",
    "commit full",
    "commit start",
    "commit close",
    "append_leaves",
    "keep_checkpoint",
    "add_outage",
    "move_journal_mark",
    "beat",
    "copy.append",
    "copy.keep",
    "copy.beat",
}
"""What a match's life writes; a commit by the leaves that come with it."""
AT_A_START = {"sqlite": {"__init__", "check_ready"}, "postgresql": {"check_ready"}}
"""Looks at the schema, in transactions that could write; where there is none yet, it is made."""
REFUSED = {"keep_significant"}
"""The auditor is told of a start that a broken write has kept from being one."""


def play(
    folder: Path, house: House, plant: Callable[[Faults], None], faults: Faults, *, restarts: bool = True
) -> list[str]:
    with house.copy(folder) as service:
        course = Course(service, house.people, restarts=restarts)
        plant(faults)
        return course.check(*course.play())


def nothing(_faults: Faults, _name: str) -> bool:
    return False


def first_of_its_kind(faults: Faults, name: str) -> bool:
    return name not in faults.names


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
def test_every_kind_of_write_can_break(tmp_path: Path, house: House, plant: Callable[[Faults], None]) -> None:
    """The first one of each kind, one after the other in the same match."""
    for way in Way:
        faults = Faults(way, first_of_its_kind)
        types = play(tmp_path / way.value, house, plant, faults)
        assert {"join", "seed", "deal", "act", "resume", "timeout", "end", "reveal", "settle"} <= set(types)
        assert set(faults.struck) == set(faults.names) == WRITES | AT_A_START[house.database] | REFUSED


@pytest.mark.parametrize("house", ["postgresql"], indirect=True)
def test_what_moves_money_and_the_log_can_break_on_postgresql(
    tmp_path: Path, house: House, plant: Callable[[Faults], None]
) -> None:
    """As above for the pot, its end, and the log's append; the long proof takes every write."""
    chosen = {"commit full", "commit close", "append_leaves"}
    for way in Way:
        faults = Faults(way, lambda faults, name: name in chosen and first_of_its_kind(faults, name))
        play(tmp_path / way.value, house, plant, faults)
        assert set(faults.struck) == chosen
        assert set(faults.names) == WRITES | AT_A_START[house.database]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("house", "restarts"),
    [("sqlite", True), ("sqlite", False), ("postgresql", True)],
    ids=["sqlite-restarted", "sqlite-running-on", "postgresql-restarted"],
    indirect=["house"],
)
@pytest.mark.parametrize("way", Way)
def test_every_single_write_can_break(
    tmp_path: Path, house: House, plant: Callable[[Faults], None], way: Way, restarts: bool
) -> None:
    counted = Faults(way, nothing)
    assert {"resume", "timeout"} <= set(play(tmp_path / "whole", house, plant, counted))
    assert set(counted.names) == WRITES | AT_A_START[house.database]
    for number in range(0, len(counted.names), STEP):
        faults = Faults(way, lambda faults, _, number=number: len(faults.names) == number)
        play(tmp_path / f"{number}", house, plant, faults, restarts=restarts)
        assert faults.struck == counted.names[number : number + 1]
