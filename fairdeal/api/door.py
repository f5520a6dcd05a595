"""The outermost layer, pure ASGI: what every call with a head of a fit size passes before any route sees it.

It gives the call an id unless it brings one, finds out whose address it comes from, takes in its body (bounded in
size), stamps the moment the last byte arrived, refuses headers sent twice, paths in a second spelling and bodies that
are not strict JSON, answers a HEAD as the GET without its body, hides every unforeseen fault and writes one log line.
Bodies and query strings are never logged. How large a head may be, how long a call may take to arrive, and a reader to
take its answer, is for `connections`.
"""

import json
import logging
import re
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairdeal.api.addresses import Proxies
from fairdeal.api.call import CURRENT, Call
from fairdeal.api.metrics import Metrics
from fairdeal.api.problems import of_error, problem
from fairdeal.errors import FairdealError
from fairdeal.limits import MAX_EVENT_BYTES

log = logging.getLogger("fairdeal.api")

MAX_BODY_BYTES: Final = MAX_EVENT_BYTES
"""No call needs a larger body than an event."""
ARRIVED: Final = "fairdeal.arrived_ms"
"""The scope's member with the time, ms since the epoch, at which a call with a body was all there."""
SENT: Final = "fairdeal.sent"
"""The scope's member with what the body says, decoded; None for an empty one."""
CLIENT: Final = "fairdeal.client"
"""The scope's member with the address that the call comes from."""
ENDLESS: Final = "fairdeal.endless"
"""The scope's member that is there when the answer goes on for as long as somebody reads it."""

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""An id that a caller or a proxy may bring: it is written into every line about the call."""
_PATH_LOGGED: Final = 200
"""Characters of it; no route of ours has so many, and a caller may send thousands."""
_HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_ONCE: Final = (b"authorization", b"content-type", b"host", b"idempotency-key", b"origin", b"transfer-encoding")
"""Of two such headers one would be obeyed in silence, and a proxy may have judged by the other."""
_BODY_SAID: Final = frozenset({b"content-length", b"transfer-encoding"})
"""A call has a body if and only if its head has one of these (RFC 9112, section 6)."""

Head: TypeAlias = dict[bytes, list[str]]
"""A call's headers by name, in small letters."""


class _Refusal(Exception):
    """The door turns the call away, with this code."""


class Door:
    """Wraps the application. `now_ms` is the service's clock, `new_id` makes a call's id."""

    def __init__(
        self,
        app: ASGIApp,
        now_ms: Callable[[], int],
        new_id: Callable[[], str],
        proxies: Proxies,
        metrics: Metrics,
    ) -> None:
        self._app = app
        self._now_ms = now_ms
        self._new_id = new_id
        self._proxies = proxies
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        head: Head = {}
        for name, value in scope["headers"]:
            head.setdefault(name, []).append(value.decode("latin-1"))
        peer = scope.get("client") or ("",)
        scope[CLIENT] = self._proxies.caller(peer[0], head.get(b"x-forwarded-for", ()))
        call = Call(self._request_id(head.get(b"x-request-id", ())))
        within = CURRENT.set(call)
        try:
            await self._answer(scope, head, receive, send, call, started)
        finally:
            CURRENT.reset(within)

    def _request_id(self, brought: Sequence[str]) -> str:
        return brought[0] if len(brought) == 1 and _REQUEST_ID.fullmatch(brought[0]) else self._new_id()

    async def _answer(self, scope: Scope, head: Head, receive: Receive, send: Send, call: Call, started: float) -> None:
        answer = _Answer(send, call.request_id, started)
        inside: Scope = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        try:
            _check_path(scope)
            inner = await _take_body(inside, head, receive)
            if scope["method"] in _WITH_BODY:
                scope[ARRIVED] = self._now_ms()
            await self._app(inside, inner, answer.send if inside is scope else answer.send_head)
        except _HeadSent:
            pass
        except _Refusal as refusal:
            await problem(str(refusal), headers={"Connection": "close"})(scope, receive, answer.send)
        except FairdealError as error:
            await of_error(error)(scope, receive, answer.send)
        except _Gone:
            answer.status = 0
        except Exception as error:
            log.exception("fault", exc_info=error)
            if not answer.status:
                await problem("internal_error")(scope, receive, answer.send)
        self._metrics.count_call(scope["method"], _template(inside), answer.status, answer.seconds, call.code)
        log.info(
            "call",
            extra={
                "method": scope["method"],
                "route": _template(inside),
                "path": scope["path"][:_PATH_LOGGED],
                "status": answer.status,
                "code": call.code,
                "ms": round((perf_counter() - started) * 1000),
                "client": scope[CLIENT],
            },
        )


class _Gone(Exception):
    """The caller went away."""


class _HeadSent(Exception):
    """All that a HEAD asks for is on its way: the body, of which a stream would make ever more, is not begun."""


class _Answer:
    """Sends, with the headers that every answer has. Remembers the status, and the time until the answer began."""

    def __init__(self, send: Send, request_id: str, started: float) -> None:
        self._send = send
        self._request_id = request_id
        self._started = started
        self.status = 0
        self.seconds = 0.0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.seconds = perf_counter() - self._started
            given = message["headers"]
            names = {name for name, _ in given}
            more = [header for header in _HEADERS if header[0] not in names]
            message["headers"] = [*given, *more, (b"x-request-id", self._request_id.encode())]
        await self._send(message)

    async def send_head(self, message: Message) -> None:
        await self.send(message)
        await self._send({"type": "http.response.body"})
        raise _HeadSent


def _template(scope: Scope) -> str:
    """The path of the route that answered, with its parameters' names; empty when there is none."""
    path: str = getattr(scope.get("route"), "path", "")
    # An included route knows its path without the prefix that it was included under.
    return f"/v1{path}" if path and scope["path"].startswith("/v1/") and not path.startswith("/v1/") else path


def _decoded(body: bytes) -> object:
    """What the body says. Raises _Refusal unless it is JSON in one reading only: UTF-8 without a mark, each member
    once, no NaN.
    """
    try:
        return _STRICT.decode(body.decode())
    except (ValueError, RecursionError):
        raise _Refusal("bad_request") from None


def _members_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member twice")
    return members


def _no_constant(name: str) -> object:
    raise ValueError(name)


_STRICT: Final = json.JSONDecoder(object_pairs_hook=_members_once, parse_constant=_no_constant)


def _first(head: Head, name: bytes, usual: str) -> str:
    return head[name][0].strip().lower() if name in head else usual


def _check_path(scope: Scope) -> None:
    """Raises _Refusal for a path with an escape, in which no path of ours has need of any: what a proxy allows, and a
    line of the log tells, is then what is done.
    """
    if b"%" in scope["raw_path"]:
        raise _Refusal("bad_request")


def _check_head(head: Head, version: str) -> None:
    """Raises _Refusal for what could be read in two ways, or announces a body larger than anybody needs."""
    if version not in ("1.0", "1.1") or (version == "1.1" and b"host" not in head):  # RFC 9112, section 3.2
        raise _Refusal("bad_request")
    if any(len(head.get(name, ())) > 1 for name in _ONCE):
        raise _Refusal("bad_request")
    if _first(head, b"transfer-encoding", "chunked") != "chunked":
        raise _Refusal("bad_request")
    if _first(head, b"content-encoding", "identity") != "identity":
        raise _Refusal("unsupported_media_type")
    declared = _first(head, b"content-length", "0")
    if not declared.isdecimal() or len(declared) > 9 or int(declared) > MAX_BODY_BYTES:
        raise _Refusal("body_too_large")


async def _take_body(scope: Scope, head: Head, receive: Receive) -> Receive:
    """Reads the whole body, and returns what hands it on. Raises _Refusal, _Gone."""
    _check_head(head, scope["http_version"])
    if scope["method"] not in _WITH_BODY and _BODY_SAID.isdisjoint(head):
        return receive
    if b"upgrade" in head and not _BODY_SAID.isdisjoint(head):
        raise _Refusal("bad_request")  # see BoundedConnection: such a body cannot be read
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise _Refusal("body_too_large")
        more = message.get("more_body", False)
    if body and _first(head, b"content-type", "").split(";")[0].rstrip() != "application/json":
        raise _Refusal("unsupported_media_type")
    scope[SENT] = _decoded(bytes(body)) if body else None
    handed_on = False

    async def hand_on() -> Message:
        nonlocal handed_on
        if handed_on:
            return await receive()
        handed_on = True
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    return hand_on
