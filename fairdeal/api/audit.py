"""What an auditor reads: files below the log's prefix (protocol section 7.6), the records of matches, significant
events; and whose a pseudonym is.
"""

from dataclasses import asdict
from pathlib import Path as FilePath
from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import Response

from fairdeal.api.caller import AuditorDep, MatchId, OperatorDep, ServicesDep
from fairdeal.api.paging import Cursor, Limit, cursor_of, position_of
from fairdeal.api.schemas.audit import (
    IdentifyIn,
    IdentityOut,
    MatchRecordOut,
    MatchRecordPage,
    SignificantEventOut,
    SignificantEventPage,
)
from fairdeal.app.audit import Page
from fairdeal.app.ports import SignificantKind

files = APIRouter(prefix="/log", tags=["audit"])
router = APIRouter(prefix="/audit", tags=["audit"])

_RULES: Final = FilePath(__file__).with_name("rules_texts")
_FOREVER: Final = "max-age=31536000, immutable"
_LINES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"application/x-ndjson": {}}, "description": "A JSON object a line."}
}
_PageNumber = Annotated[str, Path(pattern=r"^(0|[1-9][0-9]{0,8})$", description="From 0 on; 1,000 lines each.")]
_Kind = Annotated[SignificantKind | None, Query(description="Only those of one kind.")]


@files.get("/matches/{m}.jsonl", operation_id="log_match", response_class=Response, responses=_LINES)
def match_lines(m: MatchId, services: ServicesDep) -> Response:
    """The event lines of a match that has closed; event 0 alone of another."""
    return _file(services.audit.transcript(m), "public")


@files.get(
    "/ledger/{page}.jsonl",
    operation_id="log_ledger",
    response_class=Response,
    responses=_LINES,
    dependencies=[AuditorDep],
)
def ledger_page(page: _PageNumber, services: ServicesDep) -> Response:
    """The money journal, a transaction a line. For the auditor."""
    return _file(services.audit.journal(int(page)), "private")


@files.get(
    "/seats/{page}.jsonl",
    operation_id="log_seats",
    response_class=Response,
    responses=_LINES,
    dependencies=[AuditorDep],
)
def seats_page(page: _PageNumber, services: ServicesDep) -> Response:
    """Who sat where in the matches that all seats joined, in the order in which they did. For the auditor."""
    return _file(services.audit.seats(int(page)), "private")


@files.get("/keys.jsonl", operation_id="log_keys", response_class=Response, responses=_LINES)
def key_history(services: ServicesDep) -> Response:
    """Every key of the log and of its receipts, each with the index that it began at."""
    return _file(services.audit.keys(), "public")


@files.get(
    "/rules/{game}.md",
    operation_id="log_rules",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}}, "description": "The rules, for people."}},
)
def rules_text(game: Annotated[str, Path(pattern=r"^[a-z]{1,32}$", description="A game.")]) -> Response:
    """The rules of a game, for convenience: no verifier reads them."""
    path = _RULES / f"{game}.md"
    if not path.is_file():
        raise HTTPException(404)
    return Response(path.read_bytes(), media_type="text/markdown", headers={"Cache-Control": "no-cache"})


@router.post("/identify", operation_id="identify", dependencies=[OperatorDep], tags=["operator"])
def identify(body: IdentifyIn, services: ServicesDep) -> IdentityOut:
    """Says whose a pseudonym is. For the operator; that it was asked, and why, is kept for the auditor."""
    found = services.audit.identify(body.player, body.reason)
    return IdentityOut(
        account=found.account.id, name=found.account.name, m=found.seated.match_id, seat=found.seated.seat
    )


@router.get("/events", operation_id="significant_events", dependencies=[AuditorDep])
def significant_events(
    services: ServicesDep, kind: _Kind = None, cursor: Cursor = None, limit: Limit = 50
) -> SignificantEventPage:
    """What was done to players and money, what the proof of the books found, and what changed in the service, newest
    first. For the auditor.
    """
    events = services.audit.significant_events(position_of(cursor), limit, kind)
    shown = ({"at": event.at, "kind": event.kind, "data": dict(event.data)} for event in events)
    return SignificantEventPage(
        events=[SignificantEventOut.model_validate(one) for one in shown],
        cursor=cursor_of([event.seq for event in events if event.seq is not None], limit),
    )


@router.get("/matches", operation_id="match_records", dependencies=[AuditorDep])
def match_records(services: ServicesDep, cursor: Cursor = None, limit: Limit = 50) -> MatchRecordPage:
    """Every match, of any status, with its terms, seats, times, money and end, the last one opened first. For the
    auditor.
    """
    found = services.audit.records(position_of(cursor), limit)
    return MatchRecordPage(
        matches=[MatchRecordOut(**asdict(record)) for _, record in found],
        cursor=cursor_of([seq for seq, _ in found], limit),
    )


def _file(page: Page | None, audience: str) -> Response:
    """Lines with their LF; a file that nothing can be added to any more is kept by whoever may."""
    if page is None:
        raise HTTPException(404)
    headers = {"Cache-Control": f"{audience}, {_FOREVER}" if page.full else "no-cache"}
    return Response(b"".join(line + b"\n" for line in page.lines), media_type="application/x-ndjson", headers=headers)
