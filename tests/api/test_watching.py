"""What an operator sees: metrics, log lines, the alarm of a disk, and a service that is about to stop."""

import io
import json
import logging
import resource
import shutil
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from fairdeal.api import connections
from fairdeal.api.json_logging import JsonLines
from fairdeal.api.metrics import Metrics
from fairdeal.api.server import Server, bounded, serve_metrics
from fairdeal.app.disks import Disks
from fairdeal.errors import AddressRefused, StoreFailed
from tests.api.serving import served
from tests.api.table import OPERATOR, Service, bearer, ok, on_turn, play_out, start_two
from tests.durability.process import WAIT_S, reserved_port, until

Labels = tuple[tuple[str, str], ...]


@pytest.fixture
def unserved(tmp_path: Path) -> Service:
    """Stopped by its own lifespan."""
    return Service(tmp_path)


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the service logs, as it would stand on stderr."""
    written, root = io.StringIO(), logging.getLogger()
    handler, before = logging.StreamHandler(written), root.level
    handler.setFormatter(JsonLines())
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)


def metrics(service: Service) -> dict[tuple[str, Labels], float]:
    text = generate_latest(service.app.state.services.metrics.registry).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_match_is_counted_and_nobody_is_named(service: Service) -> None:
    players = start_two(service)
    play_out(players)
    service.http.get(f"/v1/matches/{'0' * 32}/bundle")
    service.http.get("/v1/nothing-of-the-kind")
    found = metrics(service)
    events = [json.loads(line) for line in service.store.events(players[0].m)]
    for kind in ("join", "seed", "deal", "act", "score", "end"):
        assert found["fairdeal_events_total", (("type", kind),)] == sum(event["type"] == kind for event in events)
    cards = sum("card" in event["data"].get("do", ()) for event in events)
    assert found["fairdeal_actions_total", (("kind", "card"),)] == cards > 0
    assert found["fairdeal_actions_total", (("kind", "join"),)] == 2
    acts = (("method", "POST"), ("route", "/v1/matches/{m}/actions"))
    seats = sum(event["type"] in ("join", "seed", "act") for event in events)
    assert found["fairdeal_calls_total", (*acts, ("status", "200"))] == seats
    assert found["fairdeal_call_seconds_count", acts] == seats
    assert found["fairdeal_commits_total", ()] == seats
    assert found["fairdeal_problems_total", (("code", "unknown_match"),)] == 1
    assert found["fairdeal_calls_total", (("method", "GET"), ("route", ""), ("status", "404"))] == 1
    hidden = [players[0].m, *(player.player for player in players), *(player.person.id for player in players), "S10"]
    text = generate_latest(service.app.state.services.metrics.registry).decode()
    assert not [word for word in [*hidden, "alice", "nothing-of-the-kind"] if word in text]


def test_what_is_read_when_somebody_asks(service: Service) -> None:
    alice, _ = start_two(service)
    ok(alice.person.post("/v1/tables", {"game": "duel", "stake": 5}))
    service.tick()
    service.clock.ms += 3_600_000
    found = metrics(service)
    assert [found["fairdeal_matches", (("status", status),)] for status in ("open", "joining", "live")] == [1, 0, 1]
    assert found["fairdeal_due_seconds", ()] > 3_000
    before = found["fairdeal_outages_total", ()]
    service.app.state.ticker.tick()
    found = metrics(service)
    assert found["fairdeal_outages_total", ()] == before + 1
    service.tick(600_000)
    found = metrics(service)
    assert found["fairdeal_events_total", (("type", "timeout"),)] > 0
    assert found["fairdeal_due_seconds", ()] == 0
    queued = len(service.store.queued_leaves(None))
    assert found["fairdeal_log_queue", ()] == queued > 0
    service.app.state.sequencer.sequence()
    found = metrics(service)
    assert found["fairdeal_log_queue", ()] == 0
    assert found["fairdeal_log_size", ()] == service.store.log_head().size >= queued
    assert found["fairdeal_log_signed_timestamp_seconds", ()] == service.clock.ms / 1000
    assert found["fairdeal_log_behind_seconds", ()] < 5
    assert found["fairdeal_disk_free_bytes", (("kept", "database"),)] > 0


def test_a_store_in_trouble_hides_no_other_number(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise StoreFailed("full")

    monkeypatch.setattr(service.store, "log_head", broken)
    found = metrics(service)
    assert ("fairdeal_log_size", ()) not in found
    assert ("fairdeal_log_queue", ()) in found


def test_metrics_are_for_this_machine_and_no_route_of_the_api(service: Service) -> None:
    assert service.http.get("/metrics", headers=bearer(OPERATOR)).status_code == 404
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as taken,
        pytest.raises(AddressRefused),
        serve_metrics(Metrics(), taken.getsockname()[1]),
    ):
        pytest.fail("it listens on a port that is taken")
    with closing(reserved_port()) as holder:
        port = holder.getsockname()[1]
        with serve_metrics(service.app.state.services.metrics, port):
            answer = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_S)
            assert "fairdeal_matches" in answer.text
            assert answer.headers["content-type"].startswith("text/plain")
        with serve_metrics(service.app.state.services.metrics, None), pytest.raises(httpx2.ConnectError):
            httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_S)


def test_one_line_for_a_call_and_its_id_in_every_line(
    service: Service, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = service.person("alice")
    lines.truncate(0)
    headers = {"X-Request-Id": "from-the-proxy.1", "Cookie": "fairdeal=secret-cookie"}
    alice.get("/v1/tables?cursor=secret-value", headers=headers)

    def broken(*_: object) -> None:
        logging.getLogger("fairdeal.test").info("in a thread of the call's own")
        raise RuntimeError("secret-message")

    monkeypatch.setattr(service.app.state.services.accounts, "wallet", broken)
    alice.get("/v1/wallet", headers=headers)
    service.http.post("/v1/sessions", json={"name": "alice", "password": "secret-password"})
    written = [json.loads(line) for line in lines.getvalue().strip("\0").splitlines()]
    ours = [line for line in written if line["logger"].startswith("fairdeal")]
    assert [line["message"] for line in ours] == ["call", "in a thread of the call's own", "fault", "call", "call"]
    assert {line["request"] for line in ours[:4]} == {"from-the-proxy.1"}
    assert ours[4]["request"] != "from-the-proxy.1"
    assert [(line["path"], line["status"], line["code"]) for line in ours if line["message"] == "call"] == [
        ("/v1/tables", 422, "invalid_request"),
        ("/v1/wallet", 500, "internal_error"),
        ("/v1/sessions", 401, "credentials_refused"),
    ]
    token = alice.headers["Authorization"].split()[1]
    assert "secret" not in json.dumps(ours)
    assert token not in json.dumps(ours)


def test_a_disk_is_an_alarm_before_it_is_full(
    tmp_path: Path, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 2_000

    class Usage:
        def __init__(self, _: Path) -> None:
            self.free = free

    monkeypatch.setattr(shutil, "disk_usage", Usage)
    disks = Disks({"database": tmp_path, "log_copy": tmp_path / "log"}, 1_000)
    assert disks.short() == ()
    free = 999
    assert disks.short() == disks.short() == ("database", "log_copy")
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [(line["message"], line["disk"], line["free"]) for line in told] == [
        ("disk nearly full", "database", 999),
        ("disk nearly full", "log_copy", 999),
    ]
    free = 1_000
    assert disks.short() == ()


def test_a_disk_that_does_not_answer_is_an_alarm_too(tmp_path: Path) -> None:
    disks = Disks({"log_copy": tmp_path / "nowhere"}, 1)
    assert disks.free() == {}
    assert disks.short() == ("log_copy",)


def test_the_service_is_ready_and_says_what_it_needs(tmp_path: Path) -> None:
    service = Service(tmp_path)
    assert ok(service.http.get("/readyz")) == {"status": "ok", "warnings": []}
    service.overrides["disk_free_mb"] = 10**9
    service.restart(1_000)
    assert ok(service.http.get("/readyz"))["warnings"] == ["disk nearly full: database", "disk nearly full: log_copy"]
    assert metrics(service)["fairdeal_disk_short", ()] == 2
    service.stop()


def test_a_service_about_to_stop_seats_nobody_and_plays_on(service: Service) -> None:
    players = start_two(service)
    carol = service.person("carol", 1_000)
    table = ok(carol.post("/v1/tables", {"game": "duel", "stake": 5}))["m"]
    Server(service.app, "127.0.0.1", 0).handle_exit(signal.SIGTERM, None)
    for refused in (
        carol.post("/v1/tables", {"game": "duel", "stake": 5}),
        carol.post(f"/v1/tables/{table}/seats", {}, key="sit-now-please"),
        service.http.get("/readyz"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (503, "stopping")
        assert refused.headers["retry-after"] == "2"
    assert service.http.get("/healthz").is_success
    player = on_turn(players)
    ok(player.send(player.sign(player.view["legal"][0])))
    assert carol.wallet == (1_000, 0)


def test_streams_say_when_to_come_back_and_end(unserved: Service) -> None:
    players = start_two(unserved)
    heard = b""

    def listen(url: str) -> None:
        nonlocal heard
        path = f"{url}/v1/matches/{players[0].m}/stream"
        with httpx2.stream("GET", path, headers=players[0].person.headers, timeout=WAIT_S) as response:
            for part in response.iter_bytes():
                heard += part
                begun.set()

    begun = threading.Event()
    with served(unserved) as url:
        listening = threading.Thread(target=listen, args=(url,))
        listening.start()
        assert begun.wait(WAIT_S)
    listening.join(WAIT_S)
    waits = [line for line in heard.decode().splitlines() if line.startswith("retry: ")]
    assert len(waits) == 1
    assert 500 <= int(waits[0][7:]) < 1_000


def test_an_account_has_a_bounded_number_of_streams(tmp_path: Path) -> None:
    unserved = Service(tmp_path, {"limits": {"streams": 2}})
    players = start_two(unserved)
    path = f"/v1/matches/{players[0].m}/stream"
    with served(unserved) as url, httpx2.Client(base_url=url, timeout=WAIT_S) as http:
        mine, theirs = players[0].person.headers, players[1].person.headers
        with http.stream("GET", path, headers=mine) as one, http.stream("GET", path, headers=mine) as two:
            parts = [stream.iter_bytes() for stream in (one, two)]
            assert all(next(part) for part in parts)
            refused = http.get(path, headers=mine)
            assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
            assert int(refused.headers["retry-after"]) > 0
            assert metrics(unserved)["fairdeal_streams", ()] == 2
            with http.stream("GET", path, headers=theirs) as other:
                assert other.status_code == 200


def said(port: int, sent: bytes) -> bytes:
    """What comes back until the other end closes."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=WAIT_S)) as caller:
        caller.sendall(sent)
        return to_the_end(caller)


def to_the_end(caller: socket.socket) -> bytes:
    return b"".join(iter(lambda: caller.recv(4_096), b""))


def test_connections_are_bounded(tmp_path: Path) -> None:
    unserved = Service(tmp_path, {"limits": {"connections": 2}})
    with served(unserved) as url:
        port = int(url.rsplit(":", 1)[1])
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]  # taken in their order
        head, _, body = said(port, b"").partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 2" in head
        assert json.loads(body)["code"] == "busy"
        for caller in idle:
            caller.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert caller.recv(4_096).startswith(b"HTTP/1.1 200 ")
            caller.close()
        # When it has seen that they hung up.
        until(lambda: httpx2.get(f"{url}/healthz", timeout=WAIT_S).is_success)


def test_a_server_may_open_a_file_for_every_connection_and_its_own(unserved: Service) -> None:
    """With the usual 1,024, a thousand strangers who say nothing kept the heartbeat from being written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1_024, soft), hard))
    try:
        config = bounded(unserved.app, "127.0.0.1", 0, 1_000)
        needed = 1_000 + config.backlog + 512
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (min(needed, hard), hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    unserved.stop()


def test_a_server_that_may_open_too_few_files_says_so(
    unserved: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (700, 700))
    bounded(unserved.app, "127.0.0.1", 0, 1_000)
    (told,) = [vars(record) for record in caplog.records if record.name == "fairdeal.server"]
    assert (told["levelname"], told["allowed"], told["needed"]) == ("WARNING", 700, 1_000 + 2_048 + 512)
    unserved.stop()


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nHost:"])
def test_a_caller_who_never_finishes_the_head_is_cut_off(
    begun: bytes, unserved: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(unserved) as url:
        port = int(url.rsplit(":", 1)[1])
        # Also after a whole call on the same connection.
        with closing(socket.create_connection(("127.0.0.1", port), timeout=WAIT_S)) as caller:
            caller.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            answered = b""
            while not answered.endswith(b'{"status":"ok"}'):
                answered += (part := caller.recv(4_096))
                assert part
            monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
            caller.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
            assert b"head_timeout" in to_the_end(caller)
        head, _, body = said(port, begun).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert json.loads(body)["code"] == "head_timeout"


def test_a_call_may_take_longer_than_its_head(unserved: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    timers, begin = [], connections.BoundedConnection._await_head

    def await_head(connection: connections.BoundedConnection) -> None:
        begin(connection)
        timers.append(connection._late)

    monkeypatch.setattr(connections.BoundedConnection, "_await_head", await_head)
    players = start_two(unserved)
    path = f"/v1/matches/{players[0].m}/stream"
    with (
        served(unserved) as url,
        httpx2.stream("GET", url + path, headers=players[0].person.headers, timeout=WAIT_S) as stream,
    ):
        parts = stream.iter_bytes()
        next(parts)
        assert timers
        assert all(timer is None or timer.cancelled() for timer in timers)
        ok(players[1].send(players[1].sign({"resign": True})))
        assert b"resign" in b"".join(parts)
