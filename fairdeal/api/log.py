"""The log of all matches: proofs for a match, and the files of C2SP tlog-tiles (protocol section 7)."""

from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import PlainTextResponse, Response

from fairdeal.api.caller import MatchId, ServicesDep
from fairdeal.api.schemas.log import EvidenceOut, ProvenLeafOut
from fairdeal.errors import Malformed
from fairdeal.limits import MAX_SAFE_INTEGER

router = APIRouter(prefix="/matches/{m}", tags=["matches"])
files = APIRouter(prefix="/log", tags=["log"])

SIZES_LISTED: Final = 1_000
"""Sizes in one answer."""
_FOREVER: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
_FOR_A_WHILE: Final = {"Cache-Control": "public, max-age=300"}
_SOON: Final = {"Cache-Control": "no-cache"}
_BYTES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"application/octet-stream": {}}, "description": "A tile or an entry bundle (C2SP tlog-tiles)."}
}

Found = TypeVar("Found")
Size = Annotated[int, Query(ge=0, le=MAX_SAFE_INTEGER, description="Of the checkpoint that the caller holds.")]
WaitedFor = Annotated[
    Literal["open", "full", "start", "close"] | None, Query(description="Not to be answered without.")
]


@router.get("/log", operation_id="match_log")
def match_log(m: MatchId, services: ServicesDep, since: Size = 0, leaf: WaitedFor = None) -> EvidenceOut:
    """What the log has of a match, with proofs, for anybody: the newest checkpoint, and what leads to it."""
    evidence = services.log.evidence(m, since, leaf)
    return EvidenceOut(
        checkpoint=evidence.checkpoint,
        consistency=[one.hex() for one in evidence.consistency],
        leaves=[ProvenLeafOut(index=one.index, leaf=one.leaf, proof=list(one.proof)) for one in evidence.leaves],
    )


@files.get("/checkpoint", operation_id="log_checkpoint", response_class=PlainTextResponse)
def checkpoint(services: ServicesDep) -> Response:
    """The newest checkpoint, with the witnesses' lines so far."""
    return PlainTextResponse(services.log.checkpoint(), headers=_SOON)


@files.get("/checkpoints", operation_id="log_checkpoints", response_class=PlainTextResponse)
def checkpoints(services: ServicesDep, since: Size = 0) -> Response:
    """The sizes above `since` that there are checkpoints of: one a line, ascending, at most 1,000."""
    sizes = services.log.checkpoint_sizes(since, SIZES_LISTED)
    return PlainTextResponse("".join(f"{size}\n" for size in sizes), headers=_SOON)


@files.get("/checkpoints/{size}", operation_id="log_checkpoint_of", response_class=PlainTextResponse)
def checkpoint_of(
    services: ServicesDep, size: Annotated[str, Path(pattern=r"^(0|[1-9][0-9]{0,15})$", description="In leaves.")]
) -> Response:
    """The checkpoint of that size. Its text and the log's signature never change; witnesses may still add lines."""
    return PlainTextResponse(_found(services.log.checkpoint_of(int(size))), headers=_FOR_A_WHILE)


@files.get("/tile/{path:path}", operation_id="log_tile", response_class=Response, responses=_BYTES)
def tile(path: str, services: ServicesDep) -> Response:
    """A tile or an entry bundle, by its one name. A full one never changes."""
    try:
        file = _found(services.log.file(f"tile/{path}"))
    except Malformed:
        raise HTTPException(400) from None
    return Response(file.data, media_type="application/octet-stream", headers=_FOREVER if file.full else _SOON)


@files.get("/policy", operation_id="log_policy", response_class=PlainTextResponse)
def policy(services: ServicesDep) -> Response:
    """The policy that the operator gives out; who believes it has it from elsewhere."""
    return PlainTextResponse(services.log.policy, headers=_SOON)


def _found(thing: Found | None) -> Found:
    if thing is None:
        raise HTTPException(404)
    return thing
