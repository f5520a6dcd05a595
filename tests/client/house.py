"""A service in memory as programs see it: its routes, and two players who sit and play through them."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2

from fairdeal import canonical
from fairdeal.client import Api, Contradiction, Player, prefer_winning_tricks
from fairdeal.keys import SigningKey
from fairdeal.match import write_bundle
from fairdeal.tlog import Cosigner, Tile, format_policy, parse_path
from tests.client.server import M, Server

Route = Callable[[httpx2.Request], httpx2.Response]
WITNESS = Cosigner("witness.test/one", SigningKey.from_seed(b"w" * 32))


class House:
    """The routes of a service in memory, for two players who come with the tokens seat0 and seat1."""

    def __init__(self, target: int = 1) -> None:
        """One deal decides it, unless the `target` is higher."""
        self.server = Server(options={"target": target})
        self.lock = threading.RLock()
        self.seated: list[str] = []
        self.description: dict[str, Any] = {}
        self.bodies: list[bytes] = []
        self.policy = format_policy((self.server.log.signer.verifier_key,))
        self.before: Route | None = None

    def api(self, seat: int) -> Api:
        return Api("http://test", f"seat{seat}", transport=httpx2.MockTransport(self._handle))

    def table(self, seat: int) -> dict[str, Any]:
        server, terms = self.server, self.server.terms
        fees = terms.fees.breakdown(2 * terms.stake)
        return {
            "m": M,
            "game": "duel",
            "status": "open" if len(self.seated) < 2 else "live",
            "stake": terms.stake,
            "pot": 2 * terms.stake,
            "commission": fees.commission,
            "tax": fees.tax,
            "winner_net": fees.net,
            "fees": terms.data()["fees"],
            "asset": terms.data()["asset"],
            "decision_ms": terms.clock.decision_ms,
            "open": server.lines[0].decode(),
            "receipt": server.receipt(server.lines),
            "you": {"seat": seat, "player": f"{seat:032x}"},
        } | self.description

    def _handle(self, request: httpx2.Request) -> httpx2.Response:
        with self.lock:
            if self.before is not None:
                refused = self.before(request)
                if refused is not None:
                    return refused
            return self._route(request)

    def _route(self, request: httpx2.Request) -> httpx2.Response:
        seat = int(request.headers["Authorization"][-1])
        path, server = request.url.path, self.server
        start = int(request.url.params.get("from", 0))
        if path.endswith("/seats"):
            self.seated.append(request.headers["Idempotency-Key"])
            return httpx2.Response(200, json=self.table(seat))
        if path.startswith("/v1/tables/"):
            return httpx2.Response(200, json=self.table(seat))
        if path.endswith("/actions"):
            return self._act(seat, request.content)
        if path == "/log/policy":
            return httpx2.Response(200, text=self.policy)
        if path.startswith("/log/tile/"):
            tile = parse_path(path.removeprefix("/log/"))
            assert isinstance(tile, Tile)
            return httpx2.Response(200, content=server.log.tile(tile))
        if path.endswith("/log"):
            return httpx2.Response(200, json=server.log.answer(int(request.url.params["since"])))
        if path.endswith("/bundle"):
            part = server.log.part(server.lines, 2)
            return httpx2.Response(200, content=write_bundle(server.receipt(server.lines), server.lines, part))
        if start > len(server.lines):
            return httpx2.Response(422, json={"code": "malformed", "status": 422, "title": "…"})
        answer = server.answer(seat, start)
        if path.endswith("/stream"):
            text = f": hello\n\nid: {len(server.lines)}\ndata: {json.dumps(answer)}\n\n"
            return httpx2.Response(200, text=text, headers={"Content-Type": "text/event-stream"})
        return httpx2.Response(200, json=answer)

    def _act(self, seat: int, body: bytes) -> httpx2.Response:
        self.bodies.append(body)
        value: Any = canonical.decode(body)
        placed = [n for n, event in enumerate(self.server.events) if event.data.get("sig") == value["sig"]]
        if not placed:
            placed = [len(self.server.events)]
            self.server.take(body)
        return httpx2.Response(200, json=self.server.answer(seat, placed[0]))


def play(players: list[Player]) -> list[Any]:
    """Both play to the end; what each takes away, or the error."""

    def attempt(player: Player) -> Any:
        try:
            return player.play(M, prefer_winning_tricks)
        except Contradiction as error:
            return error

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(attempt, players))


def sit(players: list[Player]) -> None:
    for player in players:
        player.sit(M, stake=100)


def problem(status: int, code: str) -> httpx2.Response:
    return httpx2.Response(status, json={"code": code, "status": status, "title": "…", "type": f"/v1/errors/{code}"})


def on(path: str, answer: Callable[[httpx2.Request], httpx2.Response | None]) -> Any:
    """Another answer to the requests of this path."""
    return lambda request: answer(request) if request.url.path == path else None


def witness_policy(house: House) -> bytes:
    """The service's log, with a witness of its own."""
    log = house.server.log.signer.verifier_key.format()
    return f"log {log}\nwitness one {WITNESS.verifier_key.format()}\nquorum one\n".encode()
