"""Whoever calls a witness by bytes of its own: heads, bodies and connections are bounded, and it still cosigns."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

from fairdeal.api import connections
from fairdeal.cli.witness import CONNECTIONS_MAX, witness_server
from fairdeal.keys import SigningKey
from fairdeal.tlog import Cosigner, Policy
from fairdeal.tlog.witness import MAX_REQUEST_BYTES
from fairdeal.witness.memory import Memory
from fairdeal.witness.service import WitnessService
from tests.api.raw import PATIENCE_S, code, connect, said
from tests.api.serving import running
from tests.witness.log import SmallLog

LOG: Final = SmallLog()
HEAD: Final = b"POST /add-checkpoint HTTP/1.1\r\nHost: here\r\n"


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a witness that still cosigns after whatever was tried."""
    cosigner = Cosigner("example.com/witness", SigningKey.from_seed(bytes(32)))
    with closing(Memory(tmp_path / "witness.db")) as memory:
        service = WitnessService(cosigner, Policy.parse(LOG.policy.encode()), memory)
        with running(witness_server(service, "127.0.0.1", 0)) as port:
            yield port
            monkeypatch.undo()
            answer = b""
            while not answer.startswith(b"HTTP/1.1 200 "):  # until it has seen that everybody is gone
                assert answer == b"" or code(answer) == (503, "busy")
                answer = said(port, call(LOG.request(0, 10), b"Connection: close\r\n"))


def call(body: bytes, headers: bytes = b"") -> bytes:
    return HEAD + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_a_head_that_never_ends_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    for beginning in (b"", b"\r\n", b"P", HEAD):
        assert code(said(port, beginning)) == (408, "head_timeout")


def test_a_huge_head_is_cut_off(port: int) -> None:
    """In the middle of it, somebody may not hear why."""
    for head in (b"X-A: " + b"a" * 1_000_000, b"X-A: a\r\n" * 10_000 + b"\r\n"):
        answer = said(port, HEAD + head)
        assert answer == b"" or code(answer) == (431, "head_too_large")


@pytest.mark.parametrize("beginning", [b"Content-Length: 9999\r\n\r\nold", b"Transfer-Encoding: chunked\r\n\r\n"])
def test_a_body_that_comes_by_drops_is_given_up(port: int, beginning: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.1)
    with closing(connect(port)) as connection:
        connection.sendall(HEAD + beginning)
        connection.settimeout(0.01)
        answer = b""
        end = monotonic() + PATIENCE_S
        while not answer:
            assert monotonic() < end
            connection.sendall(b"1\r\n \r\n")
            with suppress(TimeoutError):
                answer = connection.recv(4_096)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"body_timeout"' in answer


def test_the_largest_body_is_read_however_it_is_cut(port: int) -> None:
    """And one byte more is refused by the witness itself."""
    last = b"Connection: close\r\n"
    assert b"\r\n\r\ninvalid input" in said(port, call(b"o" * MAX_REQUEST_BYTES, last))
    chunked = HEAD + last + b"Transfer-Encoding: chunked\r\n\r\n"
    assert b"\r\n\r\ninvalid input" in said(port, chunked + b"1\r\no\r\n" * MAX_REQUEST_BYTES + b"0\r\n\r\n")
    answer = said(port, call(b"o" * (MAX_REQUEST_BYTES + 1)))
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413 ")


def test_what_stands_around_a_body_is_bounded(port: int) -> None:
    answer = said(port, HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"a" * 10_000_000)
    assert answer == b"" or code(answer) == (431, "head_too_large")


def test_there_are_so_many_connections(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 3_600.0)
    with ExitStack() as stack:
        first, *_ = (stack.enter_context(closing(connect(port))) for _ in range(CONNECTIONS_MAX))
        assert code(said(port)) == (503, "busy")
        first.sendall(call(b"noise"))
        assert first.recv(4_096).startswith(b"HTTP/1.1 400 ")


def test_what_is_no_http_and_what_comes_behind_an_upgrade(port: int) -> None:
    assert code(said(port, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")) == (400, "bad_request")
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 13\r\n"
    assert said(port, call(LOG.request(0, 5), upgrade)).startswith(b"HTTP/1.1 400 ")
