"""Routes of a match: acting, reading, streaming, taking the record away."""

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.types import Receive, Scope, Send

from fairdeal.api.caller import (
    ALSO_NOBODY,
    Language,
    MatchId,
    OperatorDep,
    Services,
    ServicesDep,
    TokenDep,
    VisitorDep,
    count_call,
    token_of,
)
from fairdeal.api.describe import describe
from fairdeal.api.door import ARRIVED, ENDLESS, SENT
from fairdeal.api.paging import check_query
from fairdeal.api.problems import NotNow
from fairdeal.api.schemas.matches import ActionIn, AnswerOut
from fairdeal.api.schemas.tables import TableOut
from fairdeal.app.answer import Answer
from fairdeal.app.hub import Hub
from fairdeal.app.ports import Account
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match.actions import SignedAction

router = APIRouter(prefix="/matches/{m}", tags=["matches"])

_CLOSED_BY_THEN_S: Final = 30
"""A stream whose reader is gone is found out by then, at the latest."""
_RETRY_MS: Final = 500
"""The readers of a service that stopped come back after this and up to as much again, not all at once."""
_PING_SECONDS: Final = 15
"""A stream is not silent for longer, so that nobody on the way takes it for dead."""
_STREAM_HEADERS: Final = {"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_STREAM_CONTENT: Final[dict[str, Any]] = {
    "text/event-stream": {
        "itemSchema": {
            "type": "object",
            "properties": {
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": {"$ref": "#/components/schemas/AnswerOut"},
                },
                "event": {"type": "string"},
                "id": {"type": "string"},
                "retry": {"type": "integer", "minimum": 0},
            },
        }
    }
}

_MOVERS: Final = ThreadPoolExecutor(40, "move")
"""The threads that moves are taken in, as many as other calls have: to be handed to those costs a move a tenth more."""

From = Annotated[int, Query(alias="from", ge=0, le=MAX_SAFE_INTEGER, description="Events from this index on.")]


async def act(m: MatchId, request: Request, body: ActionIn, services: ServicesDep, token: TokenDep) -> Response:
    """Takes a signed action. It is its own idempotency key: the same bytes again get the same answer."""
    arrived: int = request.scope[ARRIVED]

    def taken() -> bytes:
        action = SignedAction.parse(body.model_dump())
        return _json(services.play.act(services.logins.who(token), m, action, arrived))

    # From here until it is decided the clock knows that it is on its way.
    with services.matches.arriving(m, arrived):
        loop = asyncio.get_running_loop()
        return Response(await loop.run_in_executor(_MOVERS, copy_context().run, taken), media_type="application/json")


class MoveRoute(APIRoute):
    """The route of `act`, the call that is made most often. FastAPI describes it by that signature; what its solver
    would do for it stands here, since it takes longer over it than the rest of the service over a whole move.
    """

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await super().handle(scope, receive, send)
            return
        request = Request(scope, receive)
        services: Services = request.app.state.services
        await count_call(request, services)
        await check_query(request)
        token = await token_of(request, services)
        m = _checked(_MATCH_ID, scope["path_params"]["m"], "path", "m")
        body = _checked(_ACTION, scope[SENT], "body")
        answer = await act(m, request, body, services, token)
        await answer(scope, receive, send)


Checked = TypeVar("Checked")


def _checked(form: TypeAdapter[Checked], value: object, *where: str) -> Checked:
    try:
        return form.validate_python(value)
    except ValidationError as error:
        faults = [{**fault, "loc": (*where, *fault["loc"])} for fault in error.errors()]
        raise RequestValidationError(faults) from None


_MATCH_ID: Final[TypeAdapter[str]] = TypeAdapter(MatchId)
_ACTION: Final = TypeAdapter(ActionIn)


@router.get(
    "",
    operation_id="match",
    response_model=AnswerOut,
    responses={304: {"description": "Nothing new since the ETag, the match's size."}},
)
def match(
    m: MatchId,
    services: ServicesDep,
    token: TokenDep,
    start: From = 0,
    if_none_match: Annotated[str | None, Header(description="The size already known, as an ETag.")] = None,
) -> Response:
    """What the caller's seat may know, from an event on."""
    caller = services.logins.who(token)
    found = services.matches.load(m)
    found.seat_of(caller.id)
    etag = f'"{found.state.size}"'
    # A weak tag matches too, and so does any (RFC 9110, section 13.1.2).
    if if_none_match is not None and {etag, f"W/{etag}", "*"} & set(if_none_match.replace(" ", "").split(",")):
        return Response(status_code=304, headers={"ETag": etag})
    answer = services.play.answer(caller, found, start)
    return Response(_json(answer), headers={"ETag": etag}, media_type="application/json")


@router.get("/stream", operation_id="stream", response_class=Response, responses={200: {"content": _STREAM_CONTENT}})
async def stream(
    m: MatchId,
    request: Request,
    services: ServicesDep,
    token: TokenDep,
    start: From = 0,
    last_event_id: Annotated[str | None, Header(pattern=r"^[0-9]{1,16}$")] = None,
) -> Response:
    """The same answers as they become due, as Server-Sent Events: `id` is the size reached, to resume from.

    It ends when nothing follows in the match, when the login or the seat is given up, and when the service stops; how
    long to wait before coming back stands in the first of them (`retry`).
    """
    known = start if last_event_id is None else int(last_event_id)

    def begin() -> tuple[Account, Answer]:
        caller = services.logins.who(token)
        if services.hub.count_of(caller.id) >= services.streams_max:
            raise NotNow("too_many_streams", _CLOSED_BY_THEN_S)
        return caller, services.play.answer(caller, services.matches.load(m), known)

    caller, first = await run_in_threadpool(begin)
    assert token is not None
    request.scope[ENDLESS] = True
    return StreamingResponse(_events(services.hub, caller.id, token, first), headers=_STREAM_HEADERS)


async def _events(hub: Hub, account_id: str, token: str, first: Answer) -> AsyncIterator[bytes]:
    """The stream from its first answer on."""
    listener = hub.listen(first.m, account_id, token, first.size)
    try:
        yield b"retry: %d\n" % (_RETRY_MS + int(first.m[:8], 16) % _RETRY_MS) + _event(first)
        closed = first.closed
        while not closed:
            answer = await listener.next(_PING_SECONDS)
            if listener.stopped:
                return
            yield b": ping\n\n" if answer is None else _event(answer)
            closed = answer is not None and answer.closed
    finally:
        hub.leave(listener)


@router.post("/void", operation_id="void_match", dependencies=[OperatorDep], tags=["operator"])
def void(m: MatchId, services: ServicesDep, language: Language = "en") -> TableOut:
    """Ends a match, all stakes back whole: void, or cancelled as long as a seat has not joined. For the operator; the
    record says so for ever.
    """
    return describe(services, services.play.void(m), None, language)


@router.get(
    "/transcript",
    operation_id="transcript",
    response_class=Response,
    responses={200: {"content": {"application/x-ndjson": {}}, "description": "The event lines."}},
    **ALSO_NOBODY,
)
def transcript(m: MatchId, services: ServicesDep, visitor: VisitorDep) -> Response:
    """Every event line: for the seats at any time, for anybody after the end."""
    lines = services.play.transcript(visitor, m)
    return Response(b"".join(line + b"\n" for line in lines), media_type="application/x-ndjson")


@router.get(
    "/bundle",
    operation_id="bundle",
    response_class=Response,
    responses={200: {"content": {"application/x-ndjson": {}}, "description": "The bundle file."}},
)
def bundle(m: MatchId, services: ServicesDep) -> Response:
    """The file that a verifier takes, for anybody after the end."""
    headers = {"Content-Disposition": f'attachment; filename="{m}.fairdeal"'}
    return Response(services.play.bundle(m), media_type="application/x-ndjson", headers=headers)


_write: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def _json(answer: Answer) -> bytes:
    """The answer's form on the wire, the same in a reply and in a stream."""
    members = {
        "m": answer.m,
        "from": answer.start,
        "events": answer.events,
        "receipt": answer.receipt,
        "view": answer.view,
        "sig": answer.sig,
        "now": answer.now,
        "deadline": answer.deadline,
    }
    return _write(members).encode()


def _event(answer: Answer) -> bytes:
    return b"data: %b\nid: %d\n\n" % (_json(answer), answer.size)
