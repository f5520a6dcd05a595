"""The real process, with callers that stall, flood or just stay: the others are served meanwhile."""

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx2
import pytest

from fairdeal.api.door import MAX_BODY_BYTES
from fairdeal.client import Api
from tests.durability.duel import PASSWORD, check_kept, play_both, programs, seated
from tests.durability.process import HOST, WAIT_S, Service, until

CALLERS = 100
"""Of each kind, on one service."""
STALLING = 987
"""The length of a body of which the rest never comes."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Gives a caller all the time it takes on a machine that stands still, but for bodies of one length."""
    patient = f"""
from fairdeal.api import connections
from fairdeal.cli import main
connections.HEAD_SECONDS = connections.BODY_SECONDS = {WAIT_S}
expect = connections.BoundedConnection._expect
def hasty(self, seconds, otherwise):
    stalls = (b"content-length", b"{STALLING}") in (self.headers or [])
    expect(self, 1.0 if stalls and otherwise is connections.SLOW_BODY else seconds, otherwise)
connections.BoundedConnection._expect = hasty
main()
"""
    with Service(tmp_path_factory.mktemp("crowd"), (sys.executable, "-c", patient)) as running:
        yield running


@contextmanager
def crowd(service: Service, *starts: bytes) -> Iterator[list[socket.socket]]:
    """So many connections for each of these beginnings of a call, which stay open."""
    with ExitStack() as stack:
        callers = []
        for start in starts * CALLERS:
            caller = stack.enter_context(closing(socket.create_connection((HOST, service.port), timeout=WAIT_S)))
            caller.sendall(start)
            callers.append(caller)
        yield callers


def head(service: Service, *headers: str) -> bytes:
    lines = ["POST /v1/sessions HTTP/1.1", f"Host: {HOST}:{service.port}", "Content-Type: application/json", *headers]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


def answer(caller: socket.socket) -> bytes:
    """All that is said up to the end of the connection."""
    return b"".join(iter(lambda: caller.recv(4_096), b""))


def test_callers_that_stall_do_not_keep_two_from_playing(service: Service) -> None:
    """Heads and bodies that never end, and connections that say nothing at all."""
    slow_body = head(service, f"Content-Length: {STALLING}") + b'{"name": "'
    with crowd(service, b"", b"POST /v1/sessions HTTP/1.1\r\nHost: x", slow_body) as callers:
        both = programs(service)
        m = seated(both)
        play_both(both, m)
        check_kept(both, m)
        told = answer(callers[2])
    assert told.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"body_timeout"' in told


def test_huge_bodies_are_refused_unread(service: Service) -> None:
    """By their length when they say it, else at the first byte too many; the sender is told, and cut off."""
    chunk = b"%x\r\n%s\r\n" % (MAX_BODY_BYTES + 1, b" " * (MAX_BODY_BYTES + 1))
    declared, endless = (
        head(service, "Content-Length: 1000000000000"),
        head(service, "Transfer-Encoding: chunked") + chunk,
    )
    with crowd(service, declared, endless) as callers:
        for caller in callers:
            told = answer(caller)
            assert told.startswith(b"HTTP/1.1 413 ")
            assert b'"code":"body_too_large"' in told
        assert httpx2.get(f"{service.url}/healthz", timeout=WAIT_S).json() == {"status": "ok"}


def test_a_crowd_logging_in_is_told_to_wait(service: Service) -> None:
    """Hashing a password is the dearest thing a stranger can ask for: few at a time, and a bounded queue."""
    body = b'{"name": "nobody", "password": "%s"}' % PASSWORD.encode()
    with crowd(service, head(service, f"Content-Length: {len(body)}", "Connection: close") + body) as callers:
        with Api(service.url) as api:
            api.ready()
        statuses = {answer(caller).split(b" ", 2)[1] for caller in callers}
    assert statuses <= {b"401", b"429", b"503"}
    assert b"401" in statuses
    assert statuses != {b"401"}


@pytest.mark.soak
def test_the_service_has_fewer_descriptors_than_callers(tmp_path: Path) -> None:
    """Whatever it cannot open for a while it tries again, and nothing is left open."""
    few = ("/bin/sh", "-c", f'ulimit -n {CALLERS}; exec {sys.executable} -W always "$@"', "sh", "-m", "fairdeal")
    with Service(tmp_path, few, clock__outage_ms="2000") as service:
        both = programs(service)
        m = seated(both)
        with crowd(service, b"", b""):
            until(lambda: "the clock cannot go on" in service.log.read_text())
            time.sleep(3)  # longer than what is an outage
        service.wait_ready()
        play_both(both, m)
        check_kept(both, m)
        until(lambda: len(os.listdir(f"/proc/{service.pid}/fd")) < CALLERS / 2)
        assert "ResourceWarning" not in service.log.read_text()
