"""Many live matches at once, of players at many tables, and what must hold of all of them together afterwards."""

import threading
import time
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

import httpx2

from fairdeal.app.proof import prove
from fairdeal.client import Api, ApiError, MatchClient, Memory, Player, Strategy, Turn, Unreachable
from fairdeal.client import prefer_winning_tricks as strategy
from fairdeal.match import Event
from fairdeal.store import SqlStore
from fairdeal.tlog import Policy
from tests.agreement.auditor import AUDITOR
from tests.durability.duel import DEPOSIT, GIVE_UP_S, PURSE, STAKE, Both, Enough, Program, check_kept, give_up
from tests.durability.log_checks import Witness, check_audit, check_log, collected
from tests.durability.process import Service

PATIENCE_S: Final = 4 * GIVE_UP_S
"""For all the matches together, on a busy machine."""
TABLES: Final = 10
"""At which one account plays at once."""
GATE: Final = 3
"""Decisions of a match before the first shot."""
REST: Final = 60
"""Decisions after which it waits for the last one: two deals, which may reach the target, take more."""
AWAY: Final = frozenset({"store_failed", "log_stuck"})
"""What a service says that cannot go on for a while."""
LONG_MS, SHORT_MS = 3_600_000, 20_000
SETTINGS: Final = {
    "auditor_token": AUDITOR,
    "clock__join_ms": str(LONG_MS),
    "clock__overruns": "1",
    "decisions_ms": f"[{LONG_MS}, {SHORT_MS}]",
    "tables_max": "1000",
    "limits__tables_burst": "1000000",
    "limits__account_burst": "1000000",
    "limits__address_burst": "1000000",
    "limits__streams": str(4 * TABLES),
}


class Glance(Witness):
    """Sees the newest checkpoint alone, whenever it looks; the archive is in the export."""

    def look(self) -> None:
        with httpx2.Client(base_url=f"{self._service.url}/log", timeout=PATIENCE_S) as http:
            self._keep(http, "/checkpoint")


class Course:
    """What all matches wait for and count together."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._decisions = self._arrived = 0
        self.fault: BaseException | None = None
        self.gate, self.calm = threading.Event(), threading.Event()
        """Opened when every match has begun; set when the last shot has fallen and the service serves again."""

    def arrive(self) -> None:
        with self._changed:
            self._arrived += 1
            self._changed.notify_all()
        assert self.gate.wait(PATIENCE_S)

    def rest(self) -> None:
        assert self.calm.wait(PATIENCE_S)

    def decided(self) -> None:
        with self._changed:
            self._decisions += 1
            self._changed.notify_all()

    def fail(self, fault: BaseException) -> None:
        """For everybody."""
        with self._changed:
            self.fault = self.fault or fault
            self._changed.notify_all()
        self.gate.set()
        self.calm.set()

    def wait_arrived(self, count: int) -> None:
        self._wait(lambda: self._arrived == count)

    def wait_decisions(self, count: int) -> None:
        """So many more."""
        until = self._decisions + count
        self._wait(lambda: self._decisions >= until)

    def _wait(self, happens: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.fault is not None or happens(), PATIENCE_S)
        if self.fault is not None:
            raise self.fault


class AtManyTables(Program):
    """One account at many tables at once, at each with a program of its own, which is started again whenever the
    service was away for too long.
    """

    def __init__(self, service: Service, name: str, course: Course) -> None:
        super().__init__(service, name, lambda _: None)
        self._course = course

    def sit(self, m: str) -> Any:
        with self.api() as api:
            return self._player(api, m).sit(m, STAKE)

    def play(self, m: str, choose: Strategy = strategy) -> None:
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                with self.api() as api:
                    self._player(api, m).play(m, choose)
                return
            except (Unreachable, ApiError) as error:
                away = isinstance(error, Unreachable) or error.problem in AWAY
                if not away or self._course.fault is not None or time.monotonic() > until:
                    raise

    def resign(self, m: str) -> None:
        client = MatchClient(self._memory(m), m, self.folder, self._policy())
        with self.api() as api:
            give_up(api, client)

    def _player(self, api: Api, m: str) -> Player:
        return Player(api, self._memory(m), self.folder, self._policy())

    def _memory(self, m: str) -> Memory:
        return Memory(self.folder / f"{m}.db")

    def _policy(self) -> Policy:
        return Policy.parse(self.policy.read_bytes())


class End(Enum):
    """The reasons that its `end` may have. On a slow machine the clock may be there before the seeds."""

    TARGET = ("target",)
    RESIGNED = ("resigned",)
    LEFT = ("overruns", "seed")


class Duel:
    """One match with both its players, each in a thread of its own, which take turns."""

    def __init__(self, course: Course, both: Both, end: End) -> None:
        self.both, self.end = both, end
        self._course = course
        self._decisions = 0
        self._left: int | None = None
        self._over = threading.Event()
        self.m = both[0].open(SHORT_MS if end is End.LEFT else LONG_MS)
        for program in both:
            program.sit(self.m)

    def play(self, program: Program) -> None:
        try:
            self._play(program)
        except BaseException as fault:
            self._course.fail(fault)
            raise
        finally:
            self._over.set()

    def _play(self, program: Program) -> None:
        try:
            program.play(self.m, self._choose)
        except Enough:
            if self.end is End.RESIGNED:
                program.resign(self.m)
            else:
                assert self._over.wait(PATIENCE_S)
            program.play(self.m)

    def _choose(self, turn: Turn) -> Any:
        self._decisions += 1
        if self.end is not End.LEFT:
            if self._decisions == GATE:
                self._course.arrive()
            if self._decisions == REST:
                self._course.rest()
        assert self._course.fault is None
        self._course.decided()
        if self._left is None and self._decisions > GATE and self._has_enough():
            self._left = turn.seat
        if turn.seat == self._left:
            raise Enough
        return strategy(turn)

    def _has_enough(self) -> bool:
        return self.end is End.LEFT or (self.end is End.RESIGNED and self._course.calm.is_set())


def check(service: Service, witness: Witness, programs: list[Program], duels: list[Duel]) -> None:
    played = [(duel.both, duel.m) for duel in duels]
    check_audit(service, service.home, witness)
    notes = witness.notes | collected(programs, played)
    for duel in duels:
        lines, answers = check_kept(duel.both, duel.m)
        assert answers > GATE
        (end,) = [event for event in map(Event.parse, lines) if event.type == "end"]
        assert end.data["reason"] in duel.end.value
        check_settled(service, duel.m, end)
    check_wallets(service, programs)
    ((matches,),) = service.rows("SELECT count(*) FROM matches")
    service.stop()
    check_log(service, programs, notes)
    store = SqlStore(service.place)
    proof = prove(store)
    store.close()
    assert (proof.fault, proof.matches) == (None, matches)


def check_settled(service: Service, m: str, end: Event) -> None:
    """Once."""
    assert service.rows("SELECT count(*) FROM match_endings WHERE match_id = ?", m) == [(1,)]
    assert service.money(m) == sorted(["sit", "sit", "pot", "seed" if end.data["reason"] == "seed" else "finish"])


def check_wallets(service: Service, programs: list[Program]) -> None:
    """They are what all the settlements together say."""
    money = {program.account: DEPOSIT + PURSE for program in programs}
    settled = service.rows("SELECT DISTINCT ON (match_id) match_id, line FROM events ORDER BY match_id, n DESC")
    for m, line in settled:
        paid = {line["account"]: line["amount"] for line in Event.parse(line).data.get("lines", ())}
        assert sum(paid.values()) == 0
        for account, seat in service.rows("SELECT account_id, seat FROM seats WHERE match_id = ?", m):
            money[account] += paid[f"seat:{seat}"] - STAKE
    for program in programs:
        assert program.wallet() == (money[program.account], 0)
