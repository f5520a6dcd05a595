"""Two machines on one PostgreSQL, each with a log's copy of its own, while the cable of one is pulled and put back:
the other one goes on for everybody, and who comes back serves again without a restart.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Final, TypeAlias

import httpx2
import pytest

from fairdeal.client import ApiError, Strategy, Unreachable
from fairdeal.client import prefer_winning_tricks as strategy
from fairdeal.store import Notices
from fairdeal.store.postgresql import parameters
from tests.durability.cable import Cable
from tests.durability.duel import (
    GIVE_UP_S,
    PURSE,
    Both,
    Enough,
    Program,
    check_kept,
    check_paid_once,
    check_verified,
    leave_after,
    open_tables,
    seated,
)
from tests.durability.duel import until as decisions
from tests.durability.many_matches import (
    AWAY,
    PATIENCE_S,
    SETTINGS,
    AtManyTables,
    Course,
    Duel,
    End,
    Glance,
    check,
)
from tests.durability.own_postgres import own_postgres
from tests.durability.process import HOST, STEP_MS, WAIT_S, TimedService, children, reserved_port, until
from tests.store.postgres import Postgres

SCALE: Final = float(os.environ.get("SOAK", "1"))
WORKERS: Final = 2
COUPLES: Final = 3
TABLES: Final = max(2, round(4 * SCALE))
"""At which each of them plays at once."""
CUTS: Final = 8
CALL_S: Final = 5.0
"""After so long a player calls the other machine, which is no harm either when the first one was only slow."""
WAITING_MS: Final = 3 * STEP_MS
"""How long a table waits for players."""
BACKENDS: Final = "SELECT client_port FROM pg_stat_activity WHERE client_port > 0"
HOLDERS: Final = """
    SELECT client_port FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('log', 0)
"""


class Machine(TimedService):
    """Reaches the database over a cable of its own. Keys, tokens and the time of day are those of the `first` one."""

    def __init__(self, home: Path, url: str, module: str, first: "Machine | None" = None, **settings: str) -> None:
        self.cable = Cable(url)
        super().__init__(home, module, database_url=self.cable.url, **settings)
        self.place = url
        if first is not None:
            self.keys, self.token = first.keys, first.token
            self.share_clock(first)

    def __enter__(self) -> "Machine":
        self.cable.__enter__()
        super().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.cable.__exit__(*error)

    def asked(self, path: str, session: str = "none") -> tuple[int, str | None]:
        """The status of its answer, and the problem's code."""
        answer = httpx2.get(f"{self.url}{path}", headers={"Authorization": f"Bearer {session}"}, timeout=WAIT_S)
        return answer.status_code, None if answer.is_success else answer.json()["code"]

    def processes(self) -> list[int]:
        return [self.pid, *children(self.pid)]

    def is_among(self, query: str) -> bool:
        """Whether one of the ports that the query answers is of a connection of its own."""
        return not self.cable.far_ports().isdisjoint(port for (port,) in self.rows(query))

    def log_copy(self) -> list[bytes]:
        return [(self.home / "log" / name).read_bytes() for name in ("leaves.jsonl", "checkpoint")]


Machines: TypeAlias = tuple[Machine, Machine]


@contextmanager
def two_machines(home: Path, url: str, module: str, **settings: str) -> Iterator[Machines]:
    with (
        Machine(home / "one", url, module, **settings) as one,
        Machine(home / "other", url, module, one, **settings) as other,
    ):
        yield one, other


def has_equal_copies(machines: Machines) -> bool:
    one, other = machines
    return one.log_copy() == other.log_copy()


class Paced(Course):
    """Once all matches have begun as many decisions are made as the test waits for, however fast the machine is."""

    def __init__(self) -> None:
        super().__init__()
        self._allowed = 0

    def decided(self) -> None:
        with self._changed:
            if self.gate.is_set():
                assert self._changed.wait_for(self._may_decide, PATIENCE_S)
                self._allowed -= 1
        super().decided()

    def wait_decisions(self, count: int) -> None:
        with self._changed:
            self._allowed += count
            end = self._decisions + self._allowed
            self._changed.notify_all()
        self._wait(lambda: self._decisions >= end)

    def let_all_decide(self) -> None:
        """For good."""
        self.calm.set()
        with self._changed:
            self._changed.notify_all()

    def _may_decide(self) -> bool:
        return self._allowed > 0 or self.calm.is_set() or self.fault is not None


class Traveller(AtManyTables):
    """At each table it goes to the other machine when one does not serve, and back."""

    def __init__(self, machines: Machines, name: str, course: Course) -> None:
        super().__init__(machines[0], name, course)
        self._machines = machines

    def play(self, m: str, choose: Strategy = strategy) -> None:
        end = time.monotonic() + PATIENCE_S
        for machine in cycle(self._machines):
            try:
                with self.api(machine) as api:
                    self._player(api, m).play(m, choose)
                return
            except (Unreachable, ApiError) as error:
                away = isinstance(error, Unreachable) or error.problem in AWAY
                if not away or self._course.fault is not None or time.monotonic() > end:
                    raise


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    made = postgres.database()
    yield made
    postgres.drop(made)


def test_a_match_over_two_machines_of_which_one_is_cut_off(tmp_path: Path, url: str) -> None:
    """Each player learns of the other one's moves by NOTIFY alone. Then the machine of the one who has to move is cut
    off, and they play on at the other one, until one gives up.
    """
    with two_machines(tmp_path, url, "tests.durability.told") as machines, ThreadPoolExecutor(2) as pool:
        both = Program(machines[0], "alice", lambda _: None), Program(machines[1], "bruno", lambda _: None)
        m = seated(both)
        left, waiting = leave_after(both, m, 6, pool)
        at = both.index(left)
        cut, left.service, stayed = machines[at], machines[1 - at], both[1 - at]
        cut.cable.cut()
        playing = pool.submit(left.play, m, decisions(6))
        with suppress(Enough):
            waiting.result(GIVE_UP_S)
        staying = pool.submit(stayed.play, m)
        with pytest.raises(Enough):
            playing.result(GIVE_UP_S)
        left.resign(m)
        staying.result(GIVE_UP_S)
        left.play(m)
        lines, _ = check_kept(both, m)
        cut.cable.heal()
        cut.wait_ready()
        until(lambda: has_equal_copies(machines))
        check_verified(both, m)
        cut.stop()
        check_paid_once(left.service, both, m, lines)


def test_who_waits_for_news_learns_that_none_can_come(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a stream of a machine that is cut off would go on saying that it is alive."""
    monkeypatch.setattr("fairdeal.store.notices.LOOK_SECONDS", 3_600.0)
    looks: list[bool] = []
    with Cable(url) as cable:
        notices = Notices(cable.url, lambda _: None, lambda: looks.append(True))
        notices.start()
        until(lambda: bool(looks))
        cable.refuse()
        until(lambda: len(looks) > 5)
        notices.stop()


@pytest.mark.parametrize("password", ["100%sure", "a b/c#d?e"])
def test_notices_go_where_the_engine_reads_in_the_url_that_it_goes(
    password: str, caplog: pytest.LogCaptureFixture
) -> None:
    """libpq reads these in another way, and says in its error what it takes for wrong in the password."""
    looks: list[bool] = []
    with reserved_port() as nobody:
        port = nobody.getsockname()[1]
        url = f"postgresql://somebody:{password}@{HOST}:{port}/fairdeal"
        given = {"host": HOST, "port": port, "user": "somebody", "password": password, "dbname": "fairdeal"}
        assert parameters(url) == given
        notices = Notices(url, lambda _: None, lambda: looks.append(True))
        notices.start()
        until(lambda: bool(looks))
        notices.stop()
    told = [vars(line)["why"] for line in caplog.records if line.name == "fairdeal.notices"]
    assert told
    assert all(f"port {port} failed" in why for why in told)


def couples_of(machines: Machines, course: Course) -> list[Both]:
    """Of each one plays at one machine and one at the other."""
    couples = [
        (Traveller(machines, f"a{number}", course), Traveller(machines[::-1], f"b{number}", course))
        for number in range(COUPLES)
    ]
    with machines[0].operator() as operator:
        for program in (program for both in couples for program in both):
            operator.deposit(program.account, PURSE, key=f"purse-{program.name}")
    return list(couples)


def cut_off_for_long(machines: Machines, course: Course, session: str) -> None:
    """The one that lets the log grow. It ends when it is there again, in the same processes."""
    cut, left = machines if machines[0].is_among(HOLDERS) else machines[::-1]
    until(lambda: cut.log.read_text().count('"listening"') == WORKERS)
    opened = open_tables(left, "carole", 10)
    before = cut.processes()
    cut.cable.cut()
    left.live_through(WAITING_MS)
    until(lambda: {tuple(left.types(m)) for m in opened} == {("open", "end", "reveal")})
    course.wait_decisions(3 * COUPLES * TABLES)  # in each match the next one waits until the one before is taken
    assert cut.asked("/readyz") == (503, "store_failed")
    assert cut.asked("/v1/wallet", session) == (503, "store_failed")
    until(lambda: not cut.is_among(BACKENDS))
    until(lambda: left.is_among(HOLDERS))
    cut.cable.heal()
    cut.wait_ready()
    assert cut.processes() == before
    until(lambda: cut.asked("/v1/wallet", session) == (200, None))
    assert {tuple(cut.types(m)) for m in opened} == {("open", "end", "reveal")}


def cut_off_often(machines: Machines, course: Course) -> None:
    """For as long as the others need for some moves; every other time it is told that its connections are no more."""
    for number in range(CUTS):
        cable = machines[number // 2 % 2].cable
        (cable.cut if number % 2 else cable.refuse)()
        course.wait_decisions(2 * COUPLES * TABLES)
        cable.heal()


@pytest.mark.soak
def test_machines_are_cut_off_in_the_middle_of_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal.client.api._TIMEOUT_S", CALL_S)
    monkeypatch.setattr("fairdeal.client.api._ATTEMPTS", 3)
    settings = SETTINGS | {"workers": str(WORKERS), "table_wait_ms": str(WAITING_MS)}
    with (
        reserved_port() as port,
        own_postgres(port.getsockname()[1]) as postgres,
        two_machines(tmp_path, postgres.url, "tests.durability.ahead", **settings) as machines,
    ):
        course, witness = Paced(), Glance(machines[0])
        couples = couples_of(machines, course)
        duels = [Duel(course, both, End.RESIGNED) for both in couples for _ in range(TABLES)]
        with ThreadPoolExecutor(2 * len(duels)) as pool:
            try:
                playing = [pool.submit(duel.play, program) for duel in duels for program in duel.both]
                course.wait_arrived(len(duels))
                course.gate.set()
                witness.look()
                cut_off_for_long(machines, course, couples[0][0].session)
                cut_off_often(machines, course)
                for machine in machines:
                    machine.wait_ready()
                course.let_all_decide()
                for one in playing:
                    one.result(PATIENCE_S)
            except BaseException as fault:
                course.fail(fault)
                for machine in machines:
                    machine.stop()
                raise
        until(lambda: has_equal_copies(machines))
        machines[1].stop()
        for program in (program for both in couples for program in both):
            program.service = machines[0]
        check(machines[0], witness, [program for both in couples for program in both], duels)
