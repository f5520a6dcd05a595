"""What somebody can say who writes bytes and keeps to no rules: a problem is the answer, or the connection is cut."""

import json
import logging
import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from fairdeal.api import connections, history
from fairdeal.api.connections import MAX_HEAD_BYTES, MAX_PIPELINED
from fairdeal.api.json_logging import JsonLines
from tests.api.raw import PATIENCE_S, code, connect, heard, said
from tests.api.serving import served
from tests.api.table import Person, Service, start_two
from tests.durability.process import until

HERE: Final = b"Host: here\r\n"
JSON: Final = HERE + b"Content-Type: application/json\r\n"
LAST: Final = b"Connection: close\r\n\r\n"
SIGN_UP: Final = b"POST /v1/accounts HTTP/1.1\r\n" + JSON
CHUNKED: Final = SIGN_UP + b"Transfer-Encoding: chunked\r\n\r\n"
WELL: Final = b"GET /healthz HTTP/1.1\r\n" + HERE


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Stopped by its own lifespan."""
    return Service(tmp_path_factory.mktemp("raw"))


@pytest.fixture(scope="module")
def alice(service: Service) -> Person:
    return service.person("alice")


@pytest.fixture(scope="module")
def port(service: Service, alice: Person) -> Iterator[int]:
    with served(service) as url:
        yield int(url.rsplit(":", 1)[1])


NO_HTTP: Final = {
    "noise": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "a method of its own": b"BREW /healthz HTTP/1.1\r\n" + HERE + b"\r\n",
    "a small method": b"get /healthz HTTP/1.1\r\n" + HERE + b"\r\n",
    "no path": b"GET healthz HTTP/1.1\r\n" + HERE + b"\r\n",
    "a path of other bytes": b"GET /\xff\xfe HTTP/1.1\r\n" + HERE + b"\r\n",
    "a NUL in the path": b"GET /a\x00b HTTP/1.1\r\n" + HERE + b"\r\n",
    "a NUL in a header": WELL + b"X-A: a\x00b\r\n\r\n",
    "a header over two lines": WELL + b"X-A: a\r\n b\r\n\r\n",
    "a space before the colon": b"GET /healthz HTTP/1.1\r\nHost : here\r\n\r\n",
    "lines that end in LF": b"GET /healthz HTTP/1.1\nHost: here\n\n",
    "Host twice": WELL + HERE + b"\r\n",
    **{
        f"Content-Length {length.decode('latin-1')}": SIGN_UP + b"Content-Length: " + length + b"\r\n\r\n{}"
        for length in (b"", b"-1", b"+2", b"0x2", b"2,2", b"1e1", b"\xb2", b"9" * 20)
    },
    "Content-Length twice": SIGN_UP + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "two lengths": SIGN_UP + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "another coding": SIGN_UP + b"Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "two codings": SIGN_UP + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "no coding": SIGN_UP + b"Transfer-Encoding: identity\r\n\r\n{}",
    "a chunk of no size": CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n",
    "a chunk that is shorter": CHUNKED + b"5\r\n{}\r\n0\r\n\r\n",
    "an upgrade with a body": SIGN_UP + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
}


@pytest.mark.parametrize("bytes_sent", NO_HTTP.values(), ids=NO_HTTP.keys())
def test_what_is_no_http_is_a_bad_request(bytes_sent: bytes, port: int) -> None:
    assert code(said(port, bytes_sent)) == (400, "bad_request")


@pytest.mark.parametrize(
    ("bytes_sent", "expected"),
    [
        (SIGN_UP + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b", (415, "unsupported_media_type")),
        (b"GET /v1/tables HTTP/1.1\r\n" + HERE + b"Content-Length: 5\r\n\r\nhello", (415, "unsupported_media_type")),
        (SIGN_UP + b"Content-Length: 999999999\r\n\r\n", (413, "body_too_large")),
        (b"GET /v1/tables HTTP/1.1\r\n" + HERE + b"Content-Length: 999999999\r\n\r\n", (413, "body_too_large")),
        (SIGN_UP + b"Content-Length: 2 \t\r\n" + LAST + b"{}", (422, "invalid_request")),
        (SIGN_UP + b"Content-Length: 2\r\nExpect: gold\r\n" + LAST + b"{}", (422, "invalid_request")),
        (b"OPTIONS * HTTP/1.1\r\n" + HERE + LAST, (404, "not_found")),
        (b"TRACE /v1/tables HTTP/1.1\r\n" + HERE + LAST, (405, "method_not_allowed")),
        (b"GET /log/rules/../../../../etc/passwd.md HTTP/1.1\r\n" + HERE + LAST, (404, "not_found")),
        (b"GET /log/rules/..%2f..%2fapp.md HTTP/1.1\r\n" + HERE + LAST, (400, "bad_request")),
        (b"GET /log/tile/../../fairdeal.db HTTP/1.1\r\n" + HERE + LAST, (400, "bad_request")),
        (b"GET /log/tile/%2e%2e/keys HTTP/1.1\r\n" + HERE + LAST, (400, "bad_request")),
        (b"GET //v1/tables HTTP/1.1\r\n" + HERE + LAST, (404, "not_found")),
        (b"GET /v1/tables/%ff HTTP/1.1\r\n" + HERE + LAST, (400, "bad_request")),
        (b"POST /v1/tables HTTP/1.1\r\nX-HTTP-Method-Override: GET\r\n" + HERE + LAST, (401, "unauthenticated")),
    ],
)
def test_what_is_http_and_no_more(bytes_sent: bytes, expected: tuple[int, str], port: int) -> None:
    assert code(said(port, bytes_sent)) == expected


@pytest.mark.parametrize(
    "head",
    [
        b"GET /v1/rules/legal?game=" + b"a" * MAX_HEAD_BYTES + b" HTTP/1.1\r\n" + HERE,
        WELL + b"X-A: " + b"a" * MAX_HEAD_BYTES + b"\r\n",
        WELL + b"X-A: a\r\n" * 10_000,
        WELL + b"X-A: " + b"a" * 10_000_000,
    ],
    ids=["path", "header", "headers", "without an end"],
)
def test_a_head_is_bounded(head: bytes, port: int) -> None:
    """Cut off in the middle of it, somebody may not hear why."""
    answer = said(port, head + LAST)
    assert answer == b"" or code(answer) == (431, "head_too_large")
    assert said(port, WELL + b"X-A: " + b"a" * (MAX_HEAD_BYTES - 1_000) + b"\r\n" + LAST).startswith(b"HTTP/1.1 200 ")


def test_what_stands_around_a_body_is_bounded(port: int) -> None:
    for endless in (b"1;" + b"a" * 10_000_000, b"0\r\nX-A: " + b"a" * 10_000_000):
        answer = said(port, CHUNKED, endless)
        assert answer == b"" or code(answer) == (431, "head_too_large")


def test_a_header_behind_the_body_is_none(port: int, alice: Person) -> None:
    """Who looked at the head, such as a proxy, has not seen it."""
    token = alice.headers["Authorization"].encode()
    log_out = b"DELETE /v1/sessions HTTP/1.1\r\n" + HERE + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    answer = said(port, log_out + b"0\r\nAuthorization: " + token + b"\r\n\r\n")
    assert code(answer) == (401, "unauthenticated")
    assert alice.get("/v1/me").is_success


@pytest.mark.parametrize("packets", [1, 2])
@pytest.mark.parametrize("call", [b"GET /healthz", b"POST /v1/accounts"])
def test_the_body_behind_an_upgrade_is_no_call(call: bytes, packets: int, port: int, alice: Person) -> None:
    hidden = b"DELETE /v1/sessions HTTP/1.1\r\nAuthorization: " + alice.headers["Authorization"].encode() + b"\r\n\r\n"
    head = call + b" HTTP/1.1\r\n" + JSON + b"Connection: Upgrade\r\nUpgrade: h2c\r\n"
    for length in (b"", b"Content-Length: %d\r\n" % len(hidden)):
        sent = [head + length + b"\r\n", hidden] if packets == 2 else [head + length + b"\r\n" + hidden]
        assert said(port, *sent).count(b"HTTP/1.1 ") <= 1
        assert alice.get("/v1/me").is_success


def test_calls_in_one_packet_are_answered_in_their_order(port: int) -> None:
    calls = [WELL + b"X-Request-Id: call-%04d\r\n" % number for number in range(3)]
    answer = said(port, b"\r\n".join(calls) + LAST)
    assert answer.count(b"HTTP/1.1 200 OK") == 3
    assert answer.index(b"call-0000") < answer.index(b"call-0001") < answer.index(b"call-0002")
    many = said(port, (WELL + b"\r\n") * 1_000)
    assert many.count(b"HTTP/1.1 200 OK") == 1 + MAX_PIPELINED
    assert said(port, WELL + LAST).startswith(b"HTTP/1.1 200 ")


def test_what_follows_a_call_is_not_its_answer(port: int) -> None:
    """The first call is under way when the second one is found to be none."""
    for _ in range(20):
        answer = said(port, b"GET /v1/tables HTTP/1.1\r\n" + HERE + b"\r\nnoise\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.count(b"HTTP/1.1 ") == 1


def test_half_a_call_does_nothing(port: int, service: Service) -> None:
    body = b'{"name":"carol","password":"correct horse"}'
    with closing(connect(port)) as connection:
        connection.sendall(SIGN_UP + b"Content-Length: %d\r\n\r\n" % (len(body) + 1) + body)
        connection.shutdown(socket.SHUT_WR)
        heard(connection)
    with closing(connect(port)) as connection:
        connection.sendall(CHUNKED + b"%x\r\n" % len(body) + body + b"\r\n")
        connection.shutdown(socket.SHUT_WR)
        heard(connection)
    service.person("carol")


def test_what_many_ask_at_once_is_done_once(port: int, service: Service) -> None:
    """A name is one account's in every spelling, a balance leaves once, and a key is one withdrawal."""
    rich = [service.person(name, 100) for name in ("erin", "frank")]

    def post(path: str, body: object, person: Person | None = None, key: str = "") -> Any:
        headers = {"Idempotency-Key": key} | (person.headers if person else {})
        return httpx2.post(f"http://127.0.0.1:{port}{path}", json=body, headers=headers, timeout=PATIENCE_S)

    names = [{"name": name, "password": "correct horse"} for name in ("Zoé", "zoé", "ZOÉ", "Zoe\u0301") * 2]
    with ThreadPoolExecutor(8) as pool:
        signed_up = list(pool.map(lambda body: post("/v1/accounts", body), names))
        new_keys = list(
            pool.map(lambda n: post("/v1/withdrawals", {"amount": 100}, rich[0], f"a-key-{n:02}"), range(8))
        )
        one_key = list(pool.map(lambda _: post("/v1/withdrawals", {"amount": 100}, rich[1], "the-same-key"), range(8)))
    for answers, refused in ((signed_up, "name_taken"), (new_keys, "insufficient_funds")):
        assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
        assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {refused}
    assert {answer.status_code for answer in one_key} == {201}
    assert len({answer.json()["id"] for answer in one_key}) == 1
    assert [person.wallet for person in rich] == [(0, 0)] * 2


def test_a_body_that_does_not_come_is_given_up_whatever_the_method(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.1)
    for method in (b"GET", b"HEAD", b"OPTIONS", b"POST"):
        answer = said(port, method + b" /v1/tables HTTP/1.1\r\n" + JSON + b"Content-Length: 9\r\n\r\n{")
        assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_comes_by_drops_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.3)
    with closing(connect(port)) as connection:
        connection.sendall(SIGN_UP + b"Content-Length: 9999\r\n\r\n{")
        connection.settimeout(0.01)
        answer = b""
        while not answer:
            connection.sendall(b" ")
            with suppress(TimeoutError):
                answer = connection.recv(4_096)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"body_timeout"' in answer


def heard_well(connection: socket.socket) -> bytes:
    """Everything up to the answer to WELL."""
    answer = b""
    while not answer.endswith(b'{"status":"ok"}'):
        part = connection.recv(65_536)
        assert part, answer
        answer += part
    return answer


def test_an_empty_line_after_a_call_begins_the_next(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(connect(port)) as connection:
        connection.sendall(WELL + b"\r\n")
        heard_well(connection)
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
        connection.sendall(b"\r\n")
        assert code(heard(connection)) == (408, "head_timeout")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[connections.BoundedConnection]:
    """The connections that the service makes from here on, which hand little to the kernel."""
    kept: list[connections.BoundedConnection] = []
    make = connections.BoundedConnection.connection_made

    def with_a_small_buffer(connection: connections.BoundedConnection, transport: Any) -> None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        kept.append(connection)
        make(connection, transport)

    monkeypatch.setattr(connections.BoundedConnection, "connection_made", with_a_small_buffer)
    return kept


def connect_small(port: int) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.settimeout(PATIENCE_S)
    connection.connect(("127.0.0.1", port))
    return connection


@pytest.mark.parametrize("last", [LAST, b"\r\n"], ids=["closes", "stays"])
@pytest.mark.parametrize("path", [b"/openapi.json", b"/v1/rules"], ids=["much", "little"])
def test_a_reader_that_stalls_is_dropped(
    port: int, made: list[connections.BoundedConnection], path: bytes, last: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when so little is left that the service goes on writing."""
    call = b"GET " + path + b" HTTP/1.1\r\n" + HERE
    whole = len(said(port, call + LAST))
    monkeypatch.setattr(connections, "STALL_SECONDS", 0.2)
    monkeypatch.setattr(made[-1].config, "timeout_keep_alive", 0)
    with closing(connect_small(port)) as connection:
        connection.sendall((call + b"\r\n") * 7 + call + last)
        read = len(connection.recv(1))
        until(lambda: made[-1] not in made[-1].connections)
        read += len(heard(connection))
    assert read < whole * 7


def test_a_slow_reader_is_not_one_that_stalls(port: int, made: list[connections.BoundedConnection]) -> None:
    call = b"GET /openapi.json HTTP/1.1\r\n" + HERE
    with closing(connect_small(port)) as connection:
        connection.sendall(call + LAST)
        assert connection.recv(1)
        (slow,) = made
        until(lambda: slow._stalled is not None)
        unread = slow.transport.get_write_buffer_size()
        slow.loop.call_soon_threadsafe(slow._check_read, unread + connections.MIN_READ_BYTES)
        until(lambda: slow._stalled is not None)
        assert not slow.transport.is_closing() or slow in slow.connections
        slow.loop.call_soon_threadsafe(slow._check_read, unread + connections.MIN_READ_BYTES - 1)
        until(lambda: slow not in slow.connections)


def test_a_reader_that_reads_is_not(port: int, made: list[connections.BoundedConnection]) -> None:
    with closing(connect_small(port)) as connection:
        connection.sendall((b"GET /openapi.json HTTP/1.1\r\n" + HERE + b"\r\n") * 7 + WELL + b"\r\n")
        answer = heard_well(connection)
        assert made[-1]._stalled is None
    assert answer.count(b"HTTP/1.1 200 ") == 8


@pytest.mark.parametrize(
    "after",
    [b"GARBAGE\r\n\r\n", b"x" * 40_000, SIGN_UP + b"Content-Length: 9\r\n\r\n{", WELL + b"X-Half: "],
    ids=["no HTTP", "long", "half a body", "half a head"],
)
@pytest.mark.parametrize("calls", [1, 3])
def test_what_was_said_before_is_answered_whatever_comes_behind_it(port: int, calls: int, after: bytes) -> None:
    with closing(connect(port)) as connection:
        connection.sendall((b"GET /v1/rules HTTP/1.1\r\n" + HERE + b"\r\n") * calls + after)
        if b"{" in after or b"X-Half" in after:
            connection.shutdown(socket.SHUT_WR)  # what is half here would be waited for
        answer = heard(connection)
    assert answer.count(b"HTTP/1.1 200 ") == calls


@pytest.mark.parametrize("calls", [1, 3])
def test_who_says_no_more_is_answered(port: int, calls: int) -> None:
    with closing(connect(port)) as connection:
        connection.sendall((b"GET /v1/rules HTTP/1.1\r\n" + HERE + b"\r\n") * calls)
        connection.shutdown(socket.SHUT_WR)
        answer = heard(connection)
    assert answer.count(b"HTTP/1.1 200 ") == calls


@pytest.mark.parametrize(
    "call", [b"GET /healthz HTTP/1.1\r\n" + LAST, b"GET /healthz HTTP/2.0\r\n" + HERE + LAST], ids=["no host", "2.0"]
)
def test_what_is_not_http_as_we_speak_it_is_refused(port: int, call: bytes) -> None:
    assert code(said(port, call)) == (400, "bad_request")


NOT_ASKED: Final = (b"date: ", b"x-request-id: ", b"transfer-encoding: ")
"""Lines of a head that say nothing of the resource."""


@pytest.mark.parametrize(
    "path",
    [
        b"/healthz",
        b"/v1/tables",
        b"/openapi.json",
        b"/log/checkpoint",
        b"/v1/nothing",
        b"/v1/me",
        b"/v1/accounts",
        b"/",
    ],
)
def test_a_head_is_that_of_the_get(path: bytes, port: int) -> None:
    """And no byte more: the call behind it on the connection is answered where it should be."""
    get, head = (
        said(port, method + b" " + path + b" HTTP/1.1\r\n" + HERE + b"\r\n" + WELL + LAST)
        for method in (b"GET", b"HEAD")
    )
    (of_get, *_), (of_head, *others) = get.split(b"\r\n\r\n"), head.split(b"\r\n\r\n")
    lines = [[line for line in told.split(b"\r\n") if not line.startswith(NOT_ASKED)] for told in (of_get, of_head)]
    assert lines[0] == lines[1]
    assert b"HTTP/1.1 " in get.split(b"\r\n\r\n")[0]
    assert [other[:15] for other in others] == [b"HTTP/1.1 200 OK", b'{"status":"ok"}']


def test_the_methods_of_a_path_are_told(port: int) -> None:
    assert b"allow: GET, HEAD, POST\r\n" in said(port, b"PUT /v1/tables HTTP/1.1\r\n" + HERE + LAST)
    assert b"allow: POST\r\n" in said(port, b"HEAD /v1/accounts HTTP/1.1\r\n" + HERE + LAST)


def test_the_head_of_a_stream_begins_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(tmp_path)
    player, _ = start_two(service)
    listened: list[str] = []
    monkeypatch.setattr(service.app.state.services.hub, "listen", lambda m, *_: listened.append(m))
    token = player.person.headers["Authorization"].encode()
    head = f"HEAD /v1/matches/{player.m}/stream HTTP/1.1\r\n".encode() + HERE + b"Authorization: " + token
    with served(service) as url:
        answer = said(int(url.rsplit(":", 1)[1]), head + b"\r\n\r\n" + WELL + LAST)
    first, second, body = answer.split(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"content-type: text/event-stream" in first
    assert (second[:15], body) == (b"HTTP/1.1 200 OK", b'{"status":"ok"}')
    assert listened == []


@pytest.mark.parametrize("path", ["/v1/%74ables", "/%76%31/tables", "/v1/tables%2F", "/v1/tables%00", "/%"])
def test_a_path_has_one_spelling(path: str, port: int) -> None:
    """A proxy may let through, or count, what it does not take for the call that it is."""
    for method in ("GET", "HEAD", "POST"):
        answer = said(port, f"{method} {path} HTTP/1.1\r\n".encode() + HERE + LAST)
        if method == "HEAD":
            assert answer.startswith(b"HTTP/1.1 400 ")
        else:
            assert code(answer) == (400, "bad_request")


def test_a_chunked_answer_goes_on_to_the_end_for_who_says_no_more(
    port: int, alice: Person, made: list[connections.BoundedConnection], monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def rows(*_: object) -> Iterator[str]:
        yield "the first row"
        assert go_on.wait(PATIENCE_S)
        yield "the last row"

    monkeypatch.setattr(history, "_rows", rows)
    call = b"GET /v1/wallet/statement.csv?month=2026-11 HTTP/1.1\r\n" + HERE
    call += b"Authorization: " + alice.headers["Authorization"].encode() + b"\r\n\r\n"
    with closing(connect(port)) as connection:
        connection.sendall(call)
        answer = b""
        while b"the first row" not in answer:
            answer += connection.recv(4_096)
        connection.shutdown(socket.SHUT_WR)
        until(lambda: made[-1]._deaf)
        go_on.set()
        answer += heard(connection)
    assert b"the last row" in answer
    assert answer.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (WELL + b"X-A: " + b"a" * MAX_HEAD_BYTES + b"\r\n" + LAST, "head_too_large"),
        (WELL + b"X-A: " + b"a" * MAX_HEAD_BYTES, "head_too_large"),
        (b"noise\r\n\r\n", "bad_request"),
    ],
    ids=["whole", "without an end", "no HTTP"],
)
def test_what_the_door_does_not_see_leaves_a_line_too(
    call: bytes, expected: str, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "fairdeal.api"):
        said(port, call)
    (line,) = (json.loads(JsonLines().format(one)) for one in caplog.records if one.message == "refused")
    assert (line["code"], line["client"]) == (expected, "127.0.0.1")


def test_who_says_nothing_is_no_news(port: int, caplog: pytest.LogCaptureFixture) -> None:
    """Browsers call ahead."""
    with caplog.at_level(logging.INFO, "fairdeal.api"), pytest.MonkeyPatch.context() as patched:
        patched.setattr(connections, "HEAD_SECONDS", 0.05)
        assert code(said(port)) == (408, "head_timeout")
    assert [one for one in caplog.records if one.message == "refused"] == []


def test_calls_whose_callers_have_gone_are_counted_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise calling and hanging up would be free."""
    service = Service(tmp_path, {"limits": {"connections": 3}})
    begun, go_on = threading.Semaphore(0), threading.Event()
    alice = service.person("alice")
    accounts: Any = service.app.state.services.accounts
    wallet = accounts.wallet

    def held_up(account: str, asset: Any) -> Any:
        begun.release()
        assert go_on.wait(PATIENCE_S)
        return wallet(account, asset)

    monkeypatch.setattr(accounts, "wallet", held_up)
    call = b"GET /v1/wallet HTTP/1.1\r\nAuthorization: " + alice.headers["Authorization"].encode() + b"\r\n"
    with served(service) as url:
        port = int(url.rsplit(":", 1)[1])
        for _ in range(3):
            with closing(connect(port)) as gone:
                gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # not a word of goodbye
                gone.sendall(call + HERE + LAST)
                assert begun.acquire(timeout=PATIENCE_S)
        answer = b""
        while b"date: " not in answer:  # until the service has seen that they hung up, it has no room for a connection
            answer = said(port, WELL + LAST)
        assert code(answer) == (503, "busy")
        go_on.set()
        while not said(port, WELL + LAST).startswith(b"HTTP/1.1 200 "):
            pass
