"""Routes of a match: acting, reading, streaming, taking the record away."""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from fairdeal.api.caller import (
    ALSO_NOBODY,
    ArrivedDep,
    CallerDep,
    Language,
    MatchId,
    OperatorDep,
    Services,
    ServicesDep,
    TokenDep,
    VisitorDep,
)
from fairdeal.api.describe import describe
from fairdeal.api.problems import NotNow
from fairdeal.api.schemas.matches import ActionIn, AnswerOut
from fairdeal.api.schemas.tables import TableOut
from fairdeal.app.play import Answer
from fairdeal.errors import NotSeated, Unauthenticated
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match.actions import SignedAction

router = APIRouter(prefix="/matches/{m}", tags=["matches"])

_CLOSED_BY_THEN_S: Final = 30
"""A stream whose reader is gone is found out by then, at the latest."""
_RETRY_MS: Final = 500
"""The readers of a service that stopped come back after this and up to as much again, not all at once."""

From = Annotated[int, Query(alias="from", ge=0, le=MAX_SAFE_INTEGER, description="Events from this index on.")]


@router.post("/actions", operation_id="act")
def act(m: MatchId, arrived: ArrivedDep, body: ActionIn, services: ServicesDep, caller: CallerDep) -> AnswerOut:
    """Takes a signed action. It is its own idempotency key: the same bytes again get the same answer."""
    action = SignedAction.parse(body.model_dump())
    return _answer(services.play.act(caller, m, action, arrived))


@router.get("", operation_id="match", responses={304: {"description": "Nothing new since the ETag, the match's size."}})
def match(
    m: MatchId,
    services: ServicesDep,
    caller: CallerDep,
    response: Response,
    start: From = 0,
    if_none_match: Annotated[str | None, Header(description="The size already known, as an ETag.")] = None,
) -> AnswerOut:
    """What the caller's seat may know, from an event on."""
    if if_none_match is not None:
        etag = _etag(services.play.size(caller, m))
        # A weak tag matches too, and so does any (RFC 9110, section 13.1.2).
        if {etag, f"W/{etag}", "*"} & set(if_none_match.replace(" ", "").split(",")):
            return Response(status_code=304, headers={"ETag": etag})  # type: ignore[return-value]
    answer = services.play.answer(caller, m, start)
    response.headers["ETag"] = _etag(answer.size)
    return _answer(answer)


async def _first_answer(
    m: MatchId,
    services: ServicesDep,
    caller: CallerDep,
    start: From = 0,
    last_event_id: Annotated[str | None, Header(pattern=r"^[0-9]{1,16}$")] = None,
) -> Answer:
    """What the stream begins with; refusals happen here, before it begins."""
    if services.hub.count_of(caller.id) >= services.streams_max:
        raise NotNow("too_many_streams", _CLOSED_BY_THEN_S)
    known = start if last_event_id is None else int(last_event_id)
    return await run_in_threadpool(services.play.answer, caller, m, known)


@router.get("/stream", operation_id="stream", response_class=EventSourceResponse)
async def stream(
    m: MatchId,
    services: ServicesDep,
    caller: CallerDep,
    token: TokenDep,
    answer: Annotated[Answer, Depends(_first_answer)],
) -> AsyncIterator[ServerSentEvent]:
    """The same answers as they become due, as Server-Sent Events: `id` is the size reached, to resume from.

    It ends when nothing follows in the match, when the login or the seat is given up, and when the service stops; how
    long to wait before coming back stands in the first of them (`retry`).
    """
    assert token is not None
    listener = services.hub.listen(m, caller.id)
    try:
        yield _event(answer, retry=_RETRY_MS + int(m[:8], 16) % _RETRY_MS)
        while not (answer.closed or listener.stopped or services.drain.stopping):
            newer = await run_in_threadpool(_newer, services, token, m, answer.size)
            if newer is None:
                break
            if newer.events:
                answer = newer
                yield _event(answer)
            else:
                await listener.wait()
    finally:
        services.hub.leave(m, listener)


@router.post("/void", operation_id="void_match", dependencies=[OperatorDep], tags=["operator"])
def void(m: MatchId, services: ServicesDep, language: Language = "en") -> TableOut:
    """Ends a match that every seat has joined, all stakes back whole. For the operator; the record says so for ever."""
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


def _members(answer: Answer) -> dict[str, Any]:
    """The answer's form on the wire, the same in a reply and in a stream."""
    return {
        "m": answer.m,
        "from": answer.start,
        "events": list(answer.events),
        "receipt": answer.receipt,
        "view": answer.view,
        "sig": answer.sig,
        "now": answer.now,
        "deadline": answer.deadline,
    }


def _newer(services: Services, token: str, m: str, start: int) -> Answer | None:
    """What the login's seat may know by now; None when there is no such login or seat any more."""
    try:
        return services.play.answer(services.accounts.who(token), m, start)
    except (Unauthenticated, NotSeated):
        return None


def _answer(answer: Answer) -> AnswerOut:
    return AnswerOut.model_validate(_members(answer))


def _event(answer: Answer, retry: int | None = None) -> ServerSentEvent:
    data = json.dumps(_members(answer), separators=(",", ":"))
    return ServerSentEvent(raw_data=data, id=str(answer.size), retry=retry)


def _etag(size: int) -> str:
    return f'"{size}"'
