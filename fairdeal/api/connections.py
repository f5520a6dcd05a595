"""How many connections there may be, what one may say before it is answered, and how long that may take."""

import asyncio
import logging
from typing import Any, ClassVar, Final, NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.utils import get_remote_addr

from fairdeal.api.door import ENDLESS, MAX_BODY_BYTES
from fairdeal.api.problems import KINDS, problem

log = logging.getLogger("fairdeal.api")

HEAD_SECONDS: Final = 10.0
"""From a new connection, or the first byte of a call, to the end of the call's head."""
BODY_SECONDS: Final = 10.0
"""From the end of the head to the last byte of the body."""
STALL_SECONDS: Final = 30.0
"""A reader to whom more is on its way than goes at once has to take some of it in this time, or is dropped."""
MIN_READ_BYTES: Final = 16 * 1024
"""So much of it, or all."""
MAX_HEAD_BYTES: Final = 32 * 1024
"""Names and values of a call's headers, and its path: what usual proxies pass on."""
MAX_PIPELINED: Final = 16
"""Calls of one connection that wait for the one before them: each is remembered, and a packet holds thousands."""


class _Refusal(NamedTuple):
    """What a connection is closed with."""

    code: str
    answer: bytes


def _refusal(reason: str, code: str, more: str = "") -> _Refusal:
    # Nothing of the service stands behind this answer yet: it is a problem (RFC 9457) all the same.
    status, title = KINDS[code].status, KINDS[code].title
    body = f'{{"type":"/v1/errors/{code}","title":"{title}","status":{status},"code":"{code}"}}'
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n"
    return _Refusal(code, f"{head}{more}Connection: close\r\n\r\n{body}".encode())


FULL: Final = _refusal("Service Unavailable", "busy", "Retry-After: 2\r\n")
SLOW_HEAD: Final = _refusal("Request Timeout", "head_timeout")
SLOW_BODY: Final = _refusal("Request Timeout", "body_timeout")
LONG: Final = _refusal("Request Header Fields Too Large", "head_too_large")
NO_HTTP: Final = _refusal("Bad Request", "bad_request")


def _refusing(code: str, **headers: str) -> ASGIApp:
    """Stands in for the application."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        _tell(code, scope["client"])
        await problem(code, headers={"Connection": "close", **headers})(scope, receive, send)

    return refuse


def _tell(code: str, peer: tuple[str, int] | None) -> None:
    """The line of what the door has not seen, and writes none of."""
    log.info("refused", extra={"code": code, "client": peer[0] if peer else ""})


class BoundedConnection(HttpToolsProtocol):
    """One connection. `limit_concurrency` of the server's configuration bounds how many there may be, and also the
    calls that are being answered, those of callers who have gone included.
    """

    max_body_bytes: ClassVar[int] = MAX_BODY_BYTES
    """What the application takes; refusing a larger body in good order is the application's."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # The server's own refusal for want of room is no problem (RFC 9457): ours come first.
        self._most, self.limit_concurrency = self.limit_concurrency, None
        self._answering: RequestResponseCycle | None = None
        self._in_head = False
        self._late: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._received = 0
        # One call on the wire. A body in chunks of a byte each takes six times its size; what stands in chunks'
        # extensions and behind the last one counts too.
        self._max_call_bytes = MAX_HEAD_BYTES + 8 * self.max_body_bytes
        self._deaf = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if self._most is not None and len(self.connections) >= self._most:
            self.transport = transport
            self._deaf = True
            _tell(FULL.code, get_remote_addr(transport))
            transport.write(FULL.answer)
            transport.close()
            return
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._late)
        _cancel(self._stalled)
        super().connection_lost(exc)
        # The server tells the newest call alone, which may wait for the one that is being answered.
        answering = self._answering
        if answering is not None and not answering.response_complete:
            answering.disconnected = True
            answering.message_event.set()

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        if self._late is None and self.timeout_keep_alive_task is not None:
            # Between two calls: after an empty line the server would wait for ever.
            self._await_head()
        self._received += len(data)
        super().data_received(data)
        if self._received > (MAX_HEAD_BYTES if self._in_head else self._max_call_bytes):
            self._refuse(LONG)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Who has said all there is to say may still listen, but of a stream that has begun the reader is gone: one
        that only says no more looks the same, and it would be read to for ever.
        """
        self._deaf = True
        ends_later = self._end_with_last_whole_call()
        call = self._answering
        return ends_later and call is not None and not (call.response_started and ENDLESS in call.scope)

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            raise OverflowError  # the parser stops: no HTTP
        super().on_message_begin()
        self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        # What comes behind the last chunk is no part of the head: whoever looked at that has not seen it.
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._expect(BODY_SECONDS, SLOW_BODY)
        if self._most is not None and len(self.tasks) >= self._most:
            self.app = _refusing("busy", **{"Retry-After": "2"})
        elif len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD_BYTES:
            # All of it in one packet, of which the end was read as well.
            self.app = _refusing("head_too_large")
        super().on_headers_complete()
        if self.parser.should_upgrade():
            # The parser takes the body of such a call for the next one: it is the last.
            self._deaf = True
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        _cancel(self._late)
        self._late = None
        super().on_message_complete()
        self._received = 0

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._expect_read()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._expect_read()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_read()

    def resume_writing(self) -> None:
        # A connection that closes is gone when the last byte is.
        if not self.transport.is_closing():
            _cancel(self._stalled)
            self._stalled = None
        super().resume_writing()

    def _unsupported_upgrade_warning(self) -> None:
        """Says nothing: what strangers ask for is no news for the operator."""

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP."""
        self._refuse(NO_HTTP)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def _refuse(self, refusal: _Refusal) -> None:
        """Closes with this answer; without it when calls before are still being answered, and after those."""
        self._deaf = True
        if self._end_with_last_whole_call():
            return
        cycle: RequestResponseCycle | None = self.cycle
        own = cycle is not None and cycle.more_body and not cycle.response_started
        if not self.transport.is_closing() and (cycle is None or cycle.response_complete or own):
            if self._received:  # else somebody has called, and said nothing
                _tell(refusal.code, self.client)
            self.transport.write(refusal.answer)
        self.transport.close()
        self._expect_read()

    def _end_with_last_whole_call(self) -> bool:
        """Closes behind the answer to the last call that is all here; False when all of those are answered."""
        if self.pipeline and self.pipeline[0][0].more_body:
            self.pipeline.popleft()
        last = self.pipeline[0][0] if self.pipeline else self._answering
        if last is None or last.more_body or last.response_complete:
            return False
        last.keep_alive = False
        self.cycle = last
        return True

    def _await_head(self) -> None:
        if not self._in_head:
            self._in_head = True
            self._expect(HEAD_SECONDS, SLOW_HEAD)

    def _expect(self, seconds: float, otherwise: _Refusal) -> None:
        """The next part of a call, within so long."""
        _cancel(self._late)
        self._late = self.loop.call_later(seconds, self._refuse, otherwise)

    def _expect_read(self) -> None:
        """Of what is on its way to the reader enough is to be read in time."""
        if self._stalled is None:
            unread = self.transport.get_write_buffer_size()
            self._stalled = self.loop.call_later(STALL_SECONDS, self._check_read, unread)

    def _check_read(self, unread: int) -> None:
        self._stalled = None
        if unread - self.transport.get_write_buffer_size() < MIN_READ_BYTES:
            self.transport.abort()
        else:
            self._expect_read()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
