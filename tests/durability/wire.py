"""A player's line to the service: keeps every byte that was answered, and kills the service at chosen moments."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import httpx2


class Moment(Enum):
    """When the service dies, around one call."""

    BEFORE = "before"
    """The call meets nobody."""
    DURING = "during"
    """Some ms after the call was sent: before, in or after the commit."""
    LOST = "lost"
    """It has answered, and the caller never learns it."""
    HALF = "half"
    """The answer breaks off in the middle."""
    AFTER = "after"
    """The answer has arrived."""


@dataclass
class Strike:
    """One kill: the moment, for DURING how long after the call was sent, for LOST what the answer must contain."""

    moment: Moment
    delay_s: float = 0.0
    containing: bytes = b""
    spent: bool = False


Plan = Callable[[httpx2.Request], Strike | None]
"""Asked before every call; asked by several threads."""


@dataclass
class Heard:
    """One answer: its path, status and bytes as far as they came."""

    path: str
    status: int
    stream: bool
    data: bytearray = field(default_factory=bytearray)

    def messages(self) -> Iterator[dict[str, Any]]:
        """The JSON objects that came whole."""
        if self.status not in (200, 201):
            return
        for text in self._texts():
            try:
                yield json.loads(text)
            except ValueError:
                continue  # broken off, or no JSON

    def _texts(self) -> Iterator[bytes]:
        if not self.stream:
            yield bytes(self.data)
            return
        for block in bytes(self.data).split(b"\n\n")[:-1]:
            yield b"\n".join(line[6:] for line in block.splitlines() if line.startswith(b"data: "))


class Wire(httpx2.BaseTransport):
    """One connection pool. `kill` ends the service, `plan` says when."""

    def __init__(self, kill: Callable[[], None], plan: Plan) -> None:
        self._inner = httpx2.HTTPTransport(verify=False)  # no TLS here, and its certificates take 20 ms to read
        self._kill = kill
        self._plan = plan
        self.heard: list[Heard] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        strike = self._plan(request)
        moment = None if strike is None or strike.spent else strike.moment
        if moment is Moment.BEFORE:
            self._kill()
        timer = None
        if strike is not None and moment is Moment.DURING:
            timer = threading.Timer(strike.delay_s, self._kill)
            timer.start()
        try:
            response = self._inner.handle_request(request)
        finally:
            if timer is not None:
                timer.join()
        assert "content-encoding" not in response.headers
        is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        heard = Heard(request.url.path, response.status_code, is_stream)
        self.heard.append(heard)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        if moment is Moment.LOST:
            # What the service acknowledged must stand, also when nobody heard it.
            heard.data.extend(b"".join(response.stream))
            response.close()
            assert strike is not None
            if strike.containing not in heard.data:
                return httpx2.Response(response.status_code, headers=response.headers, content=bytes(heard.data))
            strike.spent = True
            self._kill()
            raise httpx2.ReadError("the answer was lost", request=request)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=_Body(response.stream, heard, moment, self._kill)
        )

    def close(self) -> None:
        self._inner.close()


class _Body(httpx2.SyncByteStream):
    def __init__(
        self, inner: httpx2.SyncByteStream, heard: Heard, moment: Moment | None, kill: Callable[[], None]
    ) -> None:
        self._inner, self._heard, self._moment, self._kill = inner, heard, moment, kill

    def __iter__(self) -> Iterator[bytes]:
        if self._moment is Moment.HALF:
            whole = b"".join(self._inner)
            self._heard.data.extend(whole)
            yield whole[: len(whole) // 2]
            self._kill()
            raise httpx2.ReadError("the answer broke off")
        for chunk in self._inner:
            self._heard.data.extend(chunk)
            yield chunk
        if self._moment is Moment.AFTER:
            self._kill()

    def close(self) -> None:
        self._inner.close()
