"""kill −9, at any moment: what was acknowledged stands, the match goes on, pays once and verifies."""

import json
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fairdeal.match import Event
from tests.durability.duel import (
    DEPOSIT,
    GIVE_UP_S,
    STAKE,
    Both,
    Enough,
    Program,
    check_kept,
    check_paid_once,
    check_verified,
    gone,
    kinds,
    leave_after,
    play_both,
    programs,
    resumes,
    seated,
)
from tests.durability.process import HOUR_MS, STEP_MS, Service, TimedService, until
from tests.durability.wire import Heard, Moment, Plan, Strike

MATCHES = max(1, round(5 * float(os.environ.get("SOAK", "1"))))
KILLS, STRIKES = 10, 5
"""In each match of the long proof: all kills, and those of them around an action."""
AWAY_MS = HOUR_MS + STEP_MS


class Strikes:
    """Kills around chosen actions, counted over both players: action number → how."""

    def __init__(self, chosen: dict[int, Strike], otherwise: Strike | None = None) -> None:
        self.chosen = chosen
        self._otherwise = otherwise
        self._lock = threading.Lock()
        self.actions = 0
        self.struck = 0

    def __call__(self, request: httpx2.Request) -> Strike | None:
        if request.method != "POST" or not request.url.path.endswith("/actions"):
            return None
        with self._lock:
            strike = self.chosen.get(self.actions, self._otherwise)
            self.struck += self.actions in self.chosen
            self.actions += 1
            return strike


class OnCall:
    """Kills at the first call of that method to that end of a path; what is called later goes by the plan `then`."""

    def __init__(self, method: str, end: str, strike: Strike, then: Plan = lambda _: None) -> None:
        self._method, self._end, self._strike, self._then = method, end, strike, then
        self._struck = False

    def __call__(self, request: httpx2.Request) -> Strike | None:
        if self._struck:
            return self._then(request)
        if (request.method, request.url.path.endswith(self._end)) != (self._method, True):
            return None
        self._struck = True
        return self._strike


def check_all(service: Service, both: Both, m: str) -> list[str]:
    """Everything that must hold after a match, whose types of events are returned. Stops the service."""
    lines, answers = check_kept(both, m)
    assert answers > 20
    # A machine that stands still for long enough is an outage too, without any kill.
    outages = service.rows("SELECT began, ended FROM outages")
    for start, end in resumes(lines):
        assert (start, end) in outages
        assert end - start > Event.parse(lines[0]).data["clock"]["outage_ms"]
    check_verified(both, m)
    check_paid_once(service, both, m, lines)
    return kinds(lines)


def test_killed_at_a_join_in_a_deal_and_at_the_settlement(tmp_path: Path, place: Path | str) -> None:
    """Actions 0 and 1 are the joins, 2 and 3 the seeds."""
    plan = Strikes({1: Strike(Moment.LOST), 12: Strike(Moment.DURING, 0.002)})
    settings = {"database_url": place} if isinstance(place, str) else {}
    with ThreadPoolExecutor(2) as pool, Service(tmp_path, **settings) as service:
        both = programs(service, plan)
        m = seated(both)
        left, waiting = leave_after(both, m, 20, pool)
        plan.chosen[plan.actions] = Strike(Moment.LOST)
        left.resign(m)
        assert plan.struck == len(service.kills) == 3
        left.play(m)
        waiting.result(GIVE_UP_S)
        assert check_all(service, both, m)[-4:] == ["act", "end", "reveal", "settle"]


def test_killed_while_a_table_fills(tmp_path: Path) -> None:
    """A seat's stake is held once and comes back once, however often the answer is lost."""
    with Service(tmp_path) as service:
        alice, bruno = programs(service)
        m = alice.open()
        alice.plan = OnCall("POST", "/seats", Strike(Moment.LOST))
        alice.sit(m)
        assert alice.wallet() == (DEPOSIT - STAKE, STAKE)
        with service.down():  # with nobody connected
            assert list(service.books().holds.values()) == [STAKE]
        alice.plan = OnCall("DELETE", "/seats/me", Strike(Moment.LOST))
        with alice.api() as api:
            api.stand_up(m, key="stand-up-1")
        assert len(service.kills) == 3
        assert alice.wallet() == (DEPOSIT, 0)
        assert service.money(m) == ["sit", "stand"]
        m = bruno.open()
        # This time the program dies too, before it has kept which seat it was given.
        alice.plan = OnCall("POST", "/seats", Strike(Moment.LOST), gone)
        with pytest.raises(Enough):
            alice.sit(m)
        alice.plan = lambda _: None
        assert alice.sit(m)["you"]["seat"] == bruno.sit(m)["you"]["seat"] - 1 == 0
        assert alice.wallet() == bruno.wallet() == (DEPOSIT - STAKE, STAKE)
        service.stop()
        assert list(service.books().holds.values()) == [STAKE, STAKE]


def test_the_check_sees_what_was_forgotten(tmp_path: Path) -> None:
    """Planted: an answer with an event that is not in the transcript, or not at that index."""
    with Service(tmp_path) as service:
        both = programs(service)
        m = seated(both)
        play_both(both, m)
        check_kept(both, m)
        last = max(_answers(both[0]), key=lambda answer: answer["from"])
        for forged in (
            {"events": [last["events"][0].replace('"n"', '"N"'), *last["events"][1:]]},
            {"events": last["events"][1:]},
            {"from": last["from"] - 1},
            {"receipt": _answers(both[0])[0]["receipt"]},
        ):
            heard = Heard(f"/v1/matches/{m}", 200, False, bytearray(json.dumps(last | forged).encode()))
            both[0].heard.append(heard)
            with pytest.raises(AssertionError):
                check_kept(both, m)
            both[0].heard.remove(heard)


def _answers(program: Program) -> list[dict[str, Any]]:
    told = [message for heard in program.heard if "/matches/" in heard.path for message in heard.messages()]
    return [message for message in told if message.get("events")]


@pytest.mark.parametrize("outage_ms", [2 * STEP_MS, 24 * HOUR_MS], ids=["an-outage", "no-outage"])
def test_time_away_is_held_against_nobody(tmp_path: Path, outage_ms: int) -> None:
    """Both have gone, and the deadline passes while the service is away. A longer absence than `outage_ms` gives a
    new deadline before anything is held against a player; a shorter one does not.
    """
    settings = {"clock__overruns": "1", "clock__outage_ms": str(outage_ms)}
    with ThreadPoolExecutor(2) as pool, TimedService(tmp_path, **settings) as service:
        both = programs(service)
        m = seated(both)
        _, waiting = leave_after(both, m, 2, pool)
        for program in both:
            program.plan = gone
        before = service.size(m)
        with service.down():
            assert isinstance(waiting.exception(GIVE_UP_S), Enough)
            service.put_forward(AWAY_MS)
        if outage_ms < AWAY_MS:
            service.live_through(AWAY_MS)
        until(lambda: service.rows("SELECT status FROM matches WHERE id = ?", m) == [("ended",)])
        for program in both:
            program.plan = lambda _: None
        play_both(both, m)
        lines, _ = check_kept(both, m)
        away = service.kills[0].last_beat
        assert away is not None
        after = [event for event in map(Event.parse, lines[before:]) if event.t > away + AWAY_MS]
        if outage_ms > AWAY_MS:
            assert after[0].type == "timeout"
            assert not resumes(lines)
        else:
            assert after[0].type == "resume"
            assert after[0].data["from"] == away
            assert after[1].type == "timeout"
            assert after[1].t >= after[0].t + HOUR_MS + 250
        assert kinds(lines)[-4:] == ["timeout", "end", "reveal", "settle"]
        check_verified(both, m)
        check_paid_once(service, both, m, lines)


def shoot(service: Service, choice: random.Random, kills: int) -> None:
    """Kills at random moments until there were so many, now and then while the service is still starting."""
    while len(service.kills) < kills:
        if choice.random() < 0.7:
            service.wait_ready()
        time.sleep(choice.uniform(0, 1))
        service.kill()


@pytest.mark.soak
@pytest.mark.parametrize("number", range(MATCHES))
def test_fifty_kills(tmp_path: Path, number: int) -> None:
    """In five matches to their target: ten kills each, around actions, by the clock on the wall, and one when the
    match has just been paid and nobody knows yet.
    """
    choice = random.Random(number)
    paid = Strike(Moment.LOST, containing=rb"\"type\":\"settle\"")
    plan, at = Strikes({}, paid), 0
    for _ in range(STRIKES):
        at += choice.randrange(1, 12)
        plan.chosen[at] = Strike(choice.choice(list(Moment)), choice.uniform(0, 0.02))
    with ThreadPoolExecutor(1) as pool, Service(tmp_path) as service:
        both = programs(service, plan)
        m = seated(both)
        shooting = pool.submit(shoot, service, choice, KILLS)
        play_both(both, m)
        shooting.result(GIVE_UP_S)
        service.wait_ready()
        assert paid.spent
        assert len(service.kills) >= KILLS
        check_all(service, both, m)
