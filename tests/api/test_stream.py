"""The event stream: the same answers, nothing missed, and an end."""

import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fairdeal.api import connections
from fairdeal.app.hub import MAX_LISTENERS
from tests.api.serving import served
from tests.api.table import Player, Service, first_legal, ok, on_turn, start_two
from tests.durability.process import WAIT_S, until


@pytest.fixture
def unserved(tmp_path: Path) -> Service:
    """Stopped by its own lifespan."""
    return Service(tmp_path)


def messages(url: str, player: Player, start: int, resumed: int | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    headers = player.person.headers | ({} if resumed is None else {"Last-Event-ID": str(resumed)})
    path = f"{url}/v1/matches/{player.m}/stream"
    with httpx2.stream("GET", path, params={"from": start}, headers=headers, timeout=WAIT_S) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        for message in httpx2.EventSource(response, 1_000_000):
            yield message.id, json.loads(message.data)


def told(heard: list[tuple[str, dict[str, Any]]], player: Player) -> bool:
    """Whether the stream has said all that this player has looked at."""
    assert player.state is not None
    return bool(heard) and int(heard[-1][0]) >= player.state.size


def test_a_stream_says_everything_once_and_ends(unserved: Service) -> None:
    players = start_two(unserved)
    heard: list[tuple[str, dict[str, Any]]] = []
    with served(unserved) as url:
        listening = threading.Thread(target=lambda: heard.extend(messages(url, players[0], 0)))
        listening.start()
        for _ in range(10):
            player = on_turn(players)
            until(partial(told, heard, player))
            player.take(ok(player.send(player.sign(first_legal(player)))))
        players[1].look()
        ok(players[1].send(players[1].sign({"resign": True})))
        listening.join(WAIT_S)
        assert not listening.is_alive()
        whole = unserved.http.get(f"/v1/matches/{players[0].m}/transcript").text.splitlines()
    assert [line for _, answer in heard for line in answer["events"]] == whole
    assert len(heard) > 10
    for size, answer in heard:
        assert int(size) == answer["from"] + len(answer["events"]) == answer["view"]["size"]
        assert answer["view"]["seat"] == players[0].seat


def test_a_stream_resumes_from_what_is_known(unserved: Service) -> None:
    players = start_two(unserved)
    ok(players[1].send(players[1].sign({"resign": True})))
    with served(unserved) as url:
        size = int(list(messages(url, players[0], 0))[-1][0])
        resumed = list(messages(url, players[0], 0, resumed=size - 2))
        nothing = list(messages(url, players[0], size))
    assert [len(answer["events"]) for _, answer in resumed] == [2]
    assert [(answer["from"], answer["events"]) for _, answer in nothing] == [(size, [])]


def test_one_stream_too_many_ends_the_oldest(unserved: Service) -> None:
    players = start_two(unserved)
    with served(unserved) as url:
        streams = [messages(url, players[0], 0) for _ in range(MAX_LISTENERS + 1)]
        for stream in streams:
            next(stream)
        assert list(streams[0]) == []
        other = messages(url, players[1], 0)
        next(other)
        for stream in streams[1:]:
            stream.close()  # type: ignore[attr-defined]
        other.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["/v1/sessions/current", "/v1/sessions"])
def test_a_stream_ends_with_its_login(path: str, unserved: Service) -> None:
    players = start_two(unserved)
    with served(unserved) as url:
        stream, other = messages(url, players[0], 0), messages(url, players[1], 0)
        next(stream)
        next(other)
        assert players[0].person.delete(path).status_code == 204
        assert list(stream) == []
        ok(players[1].send(players[1].sign({"resign": True})))
        assert list(other) != []


def test_a_stream_tells_an_expired_login_nothing(unserved: Service) -> None:
    unserved.overrides["session_ms"] = 10_000
    unserved.stop()
    unserved.start()
    players = start_two(unserved)
    with served(unserved) as url:
        stream = messages(url, players[0], 0)
        next(stream)
        unserved.clock.ms += 10_000
        unserved.app.state.services.hub.publish(players[0].m)
        assert list(stream) == []


@pytest.mark.parametrize("behind", [b"", b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"], ids=["alone", "with a call"])
def test_a_stream_ends_when_its_reader_hangs_up(unserved: Service, behind: bytes) -> None:
    """Behind a call that waits for its turn nothing more is read: who is gone shows when there is more to tell."""
    players = start_two(unserved)
    hub = unserved.app.state.services.hub
    head = f"GET /v1/matches/{players[0].m}/stream HTTP/1.1\r\nHost: here\r\nAuthorization: "
    with served(unserved) as url:
        with closing(socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), timeout=WAIT_S)) as connection:
            connection.sendall(f"{head}{players[0].person.headers['Authorization']}\r\n\r\n".encode() + behind)
            assert connection.recv(16).startswith(b"HTTP/1.1 200 ")
            until(lambda: hub.count() == 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for _ in range(8):
            player = on_turn(players)
            player.take(ok(player.send(player.sign(first_legal(player)))))
        until(lambda: hub.count() == 0)


def test_a_stopping_service_does_not_wait_for_its_streams(unserved: Service) -> None:
    players = start_two(unserved)
    with served(unserved) as url:
        stream = messages(url, players[0], 0)
        next(stream)
    assert list(stream) == []


def test_a_slow_body_is_cut_off(unserved: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.2)
    with served(unserved) as url:
        host, port = url.removeprefix("http://").split(":")
        with closing(socket.create_connection((host, int(port)))) as connection:
            connection.sendall(
                b"POST /v1/accounts HTTP/1.1\r\nHost: here\r\n"
                b"Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
            )
            connection.settimeout(WAIT_S)
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"body_timeout" in answer
