"""A service on a file of its own, with a clock that stands still until told, and seats that sign by themselves."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from fairdeal.app.ports import Store
from fairdeal.keys import SigningKey
from fairdeal.ledger import check_books
from fairdeal.main import create_app
from fairdeal.match import Event, MatchState, SignedAction, evolve
from fairdeal.settings import Settings
from fairdeal.tlog import EMPTY_ROOT

OPERATOR = "operator-token-of-the-tests"
AUDITOR = "auditor-token-of-the-tests"
START = 1_700_000_000_000


class FakeClock:
    def __init__(self) -> None:
        self.ms = START

    def now_ms(self) -> int:
        return self.ms


class CountedEntropy:
    """Different bytes every time, the same ones in every run."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._taken = 0

    def take(self, count: int) -> bytes:
        self._taken += 1
        return hashlib.shake_128(f"{self._label}/{self._taken}".encode()).digest(count)


@dataclass
class Service:
    """One running service. `restart` makes another over the same files."""

    folder: Path
    overrides: dict[str, Any] = field(default_factory=dict)
    clock: FakeClock = field(default_factory=FakeClock)
    label: str = "first"
    running: bool = False

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        files = {"database": self.folder / "fairdeal.db", "keys": self.folder / "keys"}
        self.settings = Settings(**(files | {"operator_token": OPERATOR} | self.overrides))
        self.app: FastAPI = create_app(self.settings, self.clock, CountedEntropy(self.label))
        self.http = TestClient(self.app, raise_server_exceptions=False)
        self.store: Store = self.app.state.store
        self.running = True

    def stop(self) -> None:
        if self.running:
            self.http.close()
            self.store.close()
        self.running = False

    def restart(self, after_ms: int) -> None:
        """The process dies, and another starts later."""
        self.stop()
        self.clock.ms += after_ms
        self.label += "+"
        self.start()
        self.tick()

    def tick(self, after_ms: int = 0) -> None:
        """Time passes, with heartbeats that leave no gap, and the clock looks."""
        end = self.clock.ms + after_ms
        while self.clock.ms < end:
            self.clock.ms = min(end, self.clock.ms + 4_000)
            self.app.state.ticker.tick()
        self.app.state.ticker.tick()

    def snapshot(self, m: str) -> tuple[object, ...]:
        """Everything that a refused call must leave as it was: the match, and all the money there is."""
        books = self.store.books("JETON")
        return self.store.events(m), self.store.table(m), books.balances, books.entries, books.holds, books.pots

    def check_money(self) -> None:
        """Every balance holds, and all of them sum to zero."""
        check_books(self.store.books("JETON"))

    def person(self, name: str, money: int = 0) -> "Person":
        return Person(self, name, money)


class Person:
    """An account with a login."""

    def __init__(self, service: Service, name: str, money: int = 0, kind: str | None = None) -> None:
        self.service = service
        self.name = name
        body = {"name": name, "password": "correct horse"} | ({"kind": kind} if kind else {})
        self.id = ok(service.http.post("/v1/accounts", json=body, headers=bearer(OPERATOR)))["id"]
        body = {"name": name, "password": "correct horse"}
        self.headers = bearer(ok(service.http.post("/v1/sessions", json=body))["token"])
        if money:
            ok(
                service.http.post(
                    "/v1/deposits",
                    json={"account": self.id, "amount": money},
                    headers=bearer(OPERATOR) | {"Idempotency-Key": f"deposit-{name}"},
                )
            )

    def get(self, path: str, **options: Any) -> Any:
        return self.service.http.get(path, headers=self.headers | options.pop("headers", {}), **options)

    def post(self, path: str, body: Any, key: str | None = None) -> Any:
        headers = self.headers | ({"Idempotency-Key": key} if key else {})
        return self.service.http.post(path, json=body, headers=headers)

    def delete(self, path: str, key: str | None = None) -> Any:
        headers = self.headers | ({"Idempotency-Key": key} if key else {})
        return self.service.http.delete(path, headers=headers)

    @property
    def wallet(self) -> tuple[int, int]:
        shown = ok(self.get("/v1/wallet"))
        return shown["cash"], shown["held"]


class Player:
    """A person at a table: folds what the service answers, and signs."""

    def __init__(self, person: Person, m: str, code: str | None = None, **sitting: Any) -> None:
        self.person = person
        self.m = m
        self.key = SigningKey.from_seed(hashlib.sha256(f"key {person.name} {m}".encode()).digest())
        self.seed = hashlib.sha256(f"seed {person.name} {m}".encode()).digest()
        body = sitting | ({"code": code} if code else {})
        you = ok(person.post(f"/v1/tables/{m}/seats", body, key=f"sit-{m[:16]}"))["you"]
        self.partner_code: str | None = you.get("partner_code")
        self.seat: int = you["seat"]
        self.player: str = you["player"]
        self.state: MatchState | None = None
        self.view: dict[str, Any] = {}
        self.received: list[Any] = []

    def look(self) -> None:
        """Asks for what is new."""
        start = self.state.size if self.state else 0
        self.take(ok(self.person.get(f"/v1/matches/{self.m}", params={"from": start})))

    def take(self, answer: dict[str, Any]) -> None:
        self.received.append(answer)
        for line in answer["events"]:
            event = Event.parse(line.encode())
            if event.n == (self.state.size if self.state else 0):
                self.state = evolve(self.state, event, None)
        self.view = answer["view"]

    def sign(self, do: dict[str, Any], **other: Any) -> dict[str, Any]:
        state = self.state
        assert state is not None
        if "join" in do:
            size, root = 1, state.join_root
        elif "seed" in do:
            assert state.table_root is not None
            size, root = state.terms.seats + 1, state.table_root
        else:
            size, root = state.size, state.root
        parts = {"key": self.key, "m": self.m, "do": do, "root": root.hex(), "seat": self.seat, "size": size}
        return SignedAction.sign(**(parts | other)).to_json()

    def send(self, body: dict[str, Any]) -> Any:
        return self.person.post(f"/v1/matches/{self.m}/actions", body)

    def do(self, do: dict[str, Any]) -> dict[str, Any]:
        """Looks, signs, sends; the answer."""
        self.look()
        answer = ok(self.send(self.sign(do)))
        self.look()
        return answer

    def join(self, **other: Any) -> dict[str, Any]:
        return self.do({"join": self.promise(**other)})

    def promise(self, **other: Any) -> dict[str, Any]:
        return {
            "key": self.key.public.hex,
            "player": self.player,
            "seed_commitment": hashlib.sha256(self.seed).hexdigest(),
            "seen": {"root": EMPTY_ROOT.hex(), "size": 0},
        } | other

    def send_seed(self) -> dict[str, Any]:
        return self.do({"seed": self.seed.hex()})


Choice = Callable[[Player], dict[str, Any]]


def first_legal(player: Player) -> dict[str, Any]:
    """Takes, bids what nobody has bid over, declares, when it can; else the first thing allowed."""
    legal: list[dict[str, Any]] = player.view["legal"]
    for wanted in ({"bid": "take"}, {"bid": {"suit": "S", "value": 80}}, {"declare": True}):
        if wanted in legal:
            return wanted
    return legal[0]


def sit_two(
    service: Service, stake: int = 100, money: int = 1_000, names: tuple[str, str] = ("alice", "bob"), **table: Any
) -> tuple[Player, Player]:
    """Two people at a new table."""
    alice, bob = (service.person(name, money) for name in names)
    opened = ok(alice.post("/v1/tables", {"game": "duel", "stake": stake, **table}))
    return Player(alice, opened["m"], opened["code"]), Player(bob, opened["m"], opened["code"])


def join_two(service: Service, **options: Any) -> tuple[Player, Player]:
    players = sit_two(service, **options)
    for player in players:
        player.join()
    return players


def start_two(service: Service, **options: Any) -> tuple[Player, Player]:
    """Two people with the first deal before them."""
    players = join_two(service, **options)
    for player in players:
        player.send_seed()
    for player in players:
        player.look()
    return players


def sit_four(service: Service, game: str = "classique", stake: int = 100, **table: Any) -> tuple[Player, ...]:
    """Four people at a new table, partners with each other's code where there is one."""
    people = [service.person(name, 1_000) for name in ("alice", "bob", "carol", "dave")]
    m = ok(people[0].post("/v1/tables", {"game": game, "stake": stake, **table}))["m"]
    players: list[Player] = []
    for seat, person in enumerate(people):
        code = players[seat - 2].partner_code if seat > 1 else None
        players.append(Player(person, m, seat=seat, **({"partner_code": code} if code else {})))
    return tuple(players)


def join_four(service: Service, game: str = "classique", stake: int = 100, **table: Any) -> tuple[Player, ...]:
    players = sit_four(service, game, stake, **table)
    for player in players:
        player.join()
    return players


def start_four(service: Service, game: str = "classique", stake: int = 100, **table: Any) -> tuple[Player, ...]:
    """Four people with the first deal before them."""
    players = join_four(service, game, stake, **table)
    for player in players:
        player.send_seed()
    for player in players:
        player.look()
    return players


def on_turn(players: tuple[Player, ...]) -> Player:
    for player in players:
        player.look()
    state = players[0].state
    assert state is not None
    assert state.deal is not None
    assert state.deal.turn is not None
    return players[state.deal.turn]


def lines(player: Player) -> list[dict[str, Any]]:
    """The lines of the player's match, asked for anew."""
    return [json.loads(line) for line in ok(player.person.get(f"/v1/matches/{player.m}"))["events"]]


def play_out(players: tuple[Player, ...], choose: Choice = first_legal) -> None:
    """Plays until nothing follows. Who is on turn looks, and all at the beginning and at the end."""
    player = on_turn(players)
    while True:
        player.take(ok(player.send(player.sign(choose(player)))))
        state = player.state
        assert state is not None
        if state.ending is not None:
            for each in players:
                each.look()
            return
        assert state.deal is not None
        assert state.deal.turn is not None
        player = players[state.deal.turn]
        player.look()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def ok(response: Any) -> dict[str, Any]:
    assert response.is_success, response.text
    body: dict[str, Any] = response.json()
    return body


def code(response: Any) -> tuple[int, str]:
    """The status and the code of a refusal, which is a problem (RFC 9457)."""
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["type"] == f"/v1/errors/{body['code']}"
    assert body["status"] == response.status_code
    return response.status_code, body["code"]
