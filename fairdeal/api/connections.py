"""How many connections there may be, and how long one may take to say what it wants."""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

HEAD_SECONDS: Final = 10.0
"""From a new connection, or the first byte of a call, to the end of the call's head."""


def _refusal(status: str, code: str, more: str = "") -> bytes:
    # Nothing of the service stands behind this answer yet: it is a problem (RFC 9457) all the same.
    body = f'{{"type":"/v1/errors/{code}","title":"{status[4:]}","status":{status[:3]},"code":"{code}"}}'
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n{more}"
    return f"{head}Connection: close\r\n\r\n{body}".encode()


FULL: Final = _refusal("503 Service Unavailable", "busy", "Retry-After: 2\r\n")
SLOW: Final = _refusal("408 Request Timeout", "head_timeout")


class BoundedConnection(HttpToolsProtocol):
    """One connection. `limit_concurrency` of the server's configuration is one above the connections there may be:
    its own refusal is no problem, and never reached.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency - 1:
            self.transport = transport
            transport.write(FULL)
            transport.close()
            return
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_there()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        self._head_is_there()
        super().on_headers_complete()

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _head_is_there(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self.transport.write(SLOW)
        self.transport.close()
