"""Two hundred live matches over three processes on one PostgreSQL, while kill −9 takes a process, all of them, the
PostgreSQL, and everything at once: nothing acknowledged is lost, every match ends, pays once and verifies.
"""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from tests.durability.duel import PURSE, Both
from tests.durability.log_checks import Witness
from tests.durability.many_matches import PATIENCE_S, SETTINGS, TABLES, AtManyTables, Course, Duel, End, Glance, check
from tests.durability.own_postgres import OwnPostgres, own_postgres
from tests.durability.process import Service, children, halted, wait_for_end

SCALE: Final = float(os.environ.get("SOAK", "1"))
WORKERS: Final = 3
TO_THE_TARGET: Final = 100
"""Of so many matches one is played to its target; of the others one player gives up when the last shot has fallen."""
LEFT_ALONE: Final = 20
"""To so many matches comes one more that a player leaves for good, so that the clock plays on."""
BETWEEN_SHOTS: Final = 0.5
"""Decisions a match, on average, from the end of one kill to the next one."""


class Workers(Service):
    """Started again on what is there; with the database away, again and again."""

    def __init__(self, home: Path, postgres: OwnPostgres) -> None:
        super().__init__(home, database_url=postgres.url, workers=str(WORKERS), **SETTINGS)
        self._postgres = postgres
        self.down_s = 0.5

    def kill_workers(self, count: int) -> None:
        """They are started again by the process above them."""
        for pid in children(self.pid)[:count]:
            os.kill(pid, signal.SIGKILL)

    def kill_postgres(self) -> None:
        self._postgres.kill()
        self._postgres.start()

    def kill_everything(self) -> None:
        """As when a machine loses its power."""
        with self._lock:
            pids = halted(self.pid)
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            wait_for_end(pids)
            self._postgres.kill()
            self._postgres.start()


def ends(matches: int) -> Iterator[End]:
    for number in range(matches):
        yield End.TARGET if number % TO_THE_TARGET == 0 else End.RESIGNED
        if number % LEFT_ALONE == 0:
            yield End.LEFT


def pairs(service: Service, course: Course, count: int) -> list[Both]:
    def pair(number: int) -> Both:
        both = AtManyTables(service, f"a{number}", course), AtManyTables(service, f"b{number}", course)
        with service.operator() as operator:
            for program in both:
                operator.deposit(program.account, PURSE, key=f"purse-{program.name}")
        return both

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(pair, range(count)))


def live(service: Service) -> int:
    return int(service.rows("SELECT count(*) FROM matches WHERE status = 'live'")[0][0])


def shoot(service: Workers, witness: Witness, course: Course, matches: int) -> None:
    shots: list[Callable[[], None]] = [
        lambda: service.kill_workers(1),
        service.kill_postgres,
        lambda: service.kill_workers(WORKERS),
        service.kill_everything,
    ]
    for shot in shots:
        witness.look()
        assert live(service) >= matches
        shot()
        course.wait_decisions(round(BETWEEN_SHOTS * matches))
    service.wait_ready()
    assert live(service) >= matches


def killed_again_and_again(service: Workers, matches: int) -> None:
    course, witness = Course(), Glance(service)
    couples = pairs(service, course, -(-matches // TABLES))
    programs = [program for both in couples for program in both]
    wanted = list(ends(matches))
    with ThreadPoolExecutor(len(couples)) as pool:
        shares = [wanted[number :: len(couples)] for number in range(len(couples))]
        seated = pool.map(lambda both, share: [Duel(course, both, end) for end in share], couples, shares)
        duels = [duel for some in seated for duel in some]
    patient, left = [[duel for duel in duels if (duel.end is End.LEFT) is alone] for alone in (False, True)]
    with ThreadPoolExecutor(2 * len(duels)) as pool:
        try:
            playing = [pool.submit(duel.play, program) for duel in patient for program in duel.both]
            course.wait_arrived(matches)
            playing += [pool.submit(duel.play, program) for duel in left for program in duel.both]
            course.gate.set()
            shoot(service, witness, course, matches)
            course.calm.set()
            for one in playing:
                one.result(PATIENCE_S)
        except BaseException as fault:
            course.fail(fault)
            service.stop()
            raise
    check(service, witness, programs, duels)


@pytest.mark.soak
def test_whatever_dies_under_two_hundred_live_matches(tmp_path: Path) -> None:
    matches = max(TABLES, round(200 * SCALE))
    with own_postgres() as postgres, Workers(tmp_path, postgres) as service:
        killed_again_and_again(service, matches)
    shutil.rmtree(tmp_path)  # four hundred memories, each of some MiB
