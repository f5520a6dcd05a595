"""Two programs that play a staked duel through `fairdeal.client` while the service dies, and what must hold then."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, Final, NoReturn, TypeAlias

import httpx2
import pytest

from fairdeal.cli.operator import log_policy
from fairdeal.client import Api, ApiError, MatchClient, Memory, Player, Strategy, Turn, Unreachable
from fairdeal.client import prefer_winning_tricks as strategy
from fairdeal.match import Event, Terms, open_receipt, receipt_key
from fairdeal.tlog import Frontier, Policy, leaf_hash
from tests.durability.process import WAIT_S, Service
from tests.durability.wire import Heard, Plan, Wire

STAKE: Final = 1_000
DEPOSIT: Final = 5_000
PURSE: Final = 10_000_000
"""Beside the usual deposit: enough to lose for as long as there are shots."""
PASSWORD: Final = "correct horse battery"
GIVE_UP_S: Final = 2 * WAIT_S
"""For a whole match with its restarts on a busy machine."""


class Enough(Exception):
    """A program stops in the middle, as if it had crashed."""


class Program:
    """One player's program. Whatever it was answered is in `heard`, over all its lives."""

    def __init__(self, service: Service, name: str, plan: Plan) -> None:
        self.service, self.name, self.plan = service, name, plan
        self.folder = service.home / name
        self.memory = Memory(self.folder / "memory.db")
        self.policy = self.folder / "policy.txt"
        self.policy.write_text(log_policy(service.keys), "utf-8")
        self.heard: list[Heard] = []
        with Api(service.url) as api:
            self.account: str = api.sign_up(name, PASSWORD)["id"]
            self.session: str = api.sign_in(name, PASSWORD)["token"]
        with service.operator() as operator:
            operator.deposit(self.account, DEPOSIT, key=f"deposit-{name}")

    def api(self, service: Service | None = None) -> Api:
        """A new line to the service, or to another machine's, as a program that starts again would have."""
        service = service or self.service
        wire = Wire(service.kill, lambda request: self.plan(request))
        wire.heard = self.heard
        return Api(service.url, self.session, transport=wire)

    def player(self, api: Api) -> Player:
        return Player(api, self.memory, self.folder, Policy.parse(self.policy.read_bytes()))

    def open(self, decision_ms: int | None = None) -> str:
        with Api(self.service.url, self.session) as api:
            return str(self.player(api).open_table(STAKE, decision_ms=decision_ms)["m"])

    def sit(self, m: str) -> Any:
        with self.api() as api:
            return self.player(api).sit(m, STAKE)

    def play(self, m: str, choose: Strategy = strategy) -> None:
        """To the end, or until `choose` has had enough. It starts again when the service is away for long."""
        until = time.monotonic() + GIVE_UP_S
        while True:
            try:
                with self.api() as api:
                    self.player(api).play(m, choose)
                    return
            except Unreachable:
                assert time.monotonic() < until
                assert not self.service.over

    def resign(self, m: str) -> None:
        """Gives up, with another object on the same memory."""
        client = MatchClient(self.memory, m, self.folder, Policy.parse(self.policy.read_bytes()))
        with self.api() as api:
            give_up(api, client)

    def wallet(self) -> tuple[int, int]:
        with Api(self.service.url, self.session) as api:
            wallet = api.wallet()
            return wallet["cash"], wallet["held"]


Both: TypeAlias = tuple[Program, Program]
Moments: TypeAlias = Mapping[int, Callable[[], None]]
_NONE: Final[Moments] = {}


def programs(service: Service, plan: Plan = lambda _: None) -> Both:
    return Program(service, "alice", plan), Program(service, "bruno", plan)


def seated(both: Both, decision_ms: int | None = None) -> str:
    m = both[0].open(decision_ms)
    for program in both:
        program.sit(m)
    return m


def open_tables(service: Service, name: str, count: int) -> list[str]:
    """Their matches; nobody sits down."""
    with Api(service.url) as api:
        api.sign_up(name, PASSWORD)
        api.sign_in(name, PASSWORD)
        return [api.open_table({"game": "duel", "stake": 0})["m"] for _ in range(count)]


def play_both(both: Both, m: str) -> None:
    with ThreadPoolExecutor(2) as pool, both[0].service.lost_with_the_test():
        for playing in [pool.submit(program.play, m) for program in both]:
            playing.result(GIVE_UP_S)


def leave_after(
    both: Both, m: str, decisions: int, pool: Executor, moments: Moments = _NONE
) -> tuple[Program, Future[None]]:
    """Play until that many decisions were made, by both together; the program that then stopped, on turn, and the
    other one, which waits for it. `moments` is as in `until`.
    """
    choose = until(decisions, moments)
    playing = {pool.submit(program.play, m, choose): program for program in both}
    (left,), (waiting,) = wait(playing, GIVE_UP_S, FIRST_COMPLETED)
    with pytest.raises(Enough):
        left.result()
    return playing[left], waiting


def give_up(api: Api, client: MatchClient) -> None:
    """Resigns; again when something was written meanwhile, such as the end of an outage."""
    while True:
        client.receive(api.answer(client.m, client.size))
        try:
            api.send_action(client.m, client.resign())
            return
        except ApiError as error:
            if error.problem != "stale":
                raise


def gone(_: httpx2.Request) -> NoReturn:
    """The plan of a program that has ended: it calls nobody."""
    raise Enough


def until(decisions: int, moments: Moments = _NONE) -> Strategy:
    """As `prefer_winning_tricks`, until that many decisions have been made, by both together. Before the decision of a
    number something else happens, while the service waits for it.
    """
    made = 0

    def choose(turn: Turn) -> Any:
        nonlocal made
        made += 1
        if made in moments:
            moments[made]()
        if made > decisions:
            raise Enough
        return strategy(turn)

    return choose


def check_kept(both: Both, m: str) -> tuple[list[bytes], int]:
    """Every event and receipt that was ever answered is in the final transcript. Its lines, and how many answers."""
    with Api(both[0].service.url) as api:
        header, *lines = api.bundle(m)[:-1].split(b"\n")
    roots, frontier = [Frontier()], Frontier()
    for line in lines:
        frontier = frontier.append(leaf_hash(line))
        roots.append(frontier)
    key = receipt_key(Terms.parse(Event.parse(lines[0]).data))
    told = [message for program in both for message in _told(program, m)]
    assert told
    receipts: dict[int, str] = {}
    for message in told:
        opened = open_receipt(message["receipt"], key)
        assert opened.size <= len(lines)
        assert opened.root == roots[opened.size].root()
        assert receipts.setdefault(opened.size, message["receipt"]) == message["receipt"]
        if "events" in message:
            start, events = message["from"], [event.encode() for event in message["events"]]
            assert lines[start : start + len(events)] == events
            assert start + len(events) == opened.size == message["view"]["size"]
    assert json.loads(header)["head"] == receipts[len(lines)]
    return lines, len(told)


def _told(program: Program, m: str) -> list[dict[str, Any]]:
    """All answers that bring a receipt of this match."""
    messages = [message for heard in list(program.heard) if m in heard.path for message in heard.messages()]
    return [message for message in messages if "receipt" in message and message.get("m") == m]


def check_paid_once(service: Service, both: Both, m: str, lines: list[bytes]) -> None:
    """Stops the service, for a look into its books."""
    settle = Event.parse(lines[-1])
    end = next(event for event in map(Event.parse, reversed(lines)) if event.type == "end")
    assert settle.type == "settle"
    paid = {line["account"]: line["amount"] for line in settle.data["lines"]}
    assert sum(paid.values()) == 0
    assert service.money(m) == sorted(["sit", "sit", "pot", "finish" if end.data["winner"] is not None else "void"])
    seats = dict(service.rows("SELECT account_id, seat FROM seats WHERE match_id = ?", m))
    for program in both:
        won = paid.get(f"seat:{seats[program.account]}", 0)
        assert program.wallet() == (DEPOSIT - STAKE + won, 0)
    service.stop()
    books = service.books()
    assert books.balances[f"match:{m}:pot"] == 0
    assert books.balances["house:commission"] == paid.get("commission", 0)
    assert not books.holds
    assert not books.pots
    assert books.balances["cashier"] == -2 * DEPOSIT
    assert service.rows("SELECT count(*) FROM match_endings WHERE match_id = ?", m) == [(1,)]


def check_verified(both: Both, m: str) -> None:
    """By the verifier, in a process of its own, for each player's files."""
    for program in both:
        command = [sys.executable, "-m", "fairdeal_verifier", str(program.folder / f"{m}.fairdeal"), "--json"]
        command += ["--policy", str(program.policy), "--held", str(program.folder / f"{m}.held")]
        done = subprocess.run(command, capture_output=True, check=False, timeout=GIVE_UP_S)
        assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "verified"), done.stdout


def kinds(lines: list[bytes]) -> list[str]:
    return [Event.parse(line).type for line in lines]


def resumes(lines: list[bytes]) -> list[tuple[int, int]]:
    return [(event.data["from"], event.data["to"]) for event in map(Event.parse, lines) if event.type == "resume"]
