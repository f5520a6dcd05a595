"""Routes of the lobby."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from fairdeal.api.caller import ALSO_NOBODY, CallerDep, IdempotencyKey, Language, MatchId, ServicesDep, VisitorDep
from fairdeal.api.describe import describe, summarize
from fairdeal.api.paging import Cursor, Limit, cursor_of, position_of
from fairdeal.api.schemas.tables import Code, SitIn, TableIn, TableOut, TablePage
from fairdeal.app.ports import Account
from fairdeal.app.tables import Wanted
from fairdeal.limits import MAX_SEATS

router = APIRouter(tags=["tables"])


async def _opener(services: ServicesDep, caller: CallerDep) -> Account:
    services.rates.count_table(caller.id)
    return caller


_OpenerDep = Annotated[Account, Depends(_opener)]


@router.post("/tables", status_code=201, operation_id="open_table")
def open_table(body: TableIn, services: ServicesDep, caller: _OpenerDep, language: Language = "en") -> TableOut:
    """Opens a table. Opening does not sit. How often an account may is bounded."""
    services.drain.check()
    options = body.model_dump(include={"target", "scoring"})
    wanted = Wanted(body.game, body.stake, body.private, body.decision_ms, options, body.asset)
    return describe(services, services.tables.open(caller, wanted), caller, language)


@router.get("/tables", operation_id="list_tables")
def list_tables(services: ServicesDep, cursor: Cursor = None, limit: Limit = 50) -> TablePage:
    """Public tables that still take players, newest first."""
    tables = services.tables.public(position_of(cursor), limit)
    return TablePage(
        tables=[summarize(table) for table in tables],
        cursor=cursor_of([table.seq for table in tables], limit),
        now=services.tables.now(),
    )


@router.post("/tables/find", operation_id="find_table")
def find_table(body: Code, services: ServicesDep, caller: CallerDep, language: Language = "en") -> TableOut:
    """The private table of a code."""
    return describe(services, services.tables.with_code(body.code), caller, language)


@router.get("/tables/{m}", operation_id="table", **ALSO_NOBODY)
def table(m: MatchId, services: ServicesDep, visitor: VisitorDep, language: Language = "en") -> TableOut:
    """A table as anybody may see it, and the caller's own seat."""
    return describe(services, services.matches.load(m), visitor, language)


@router.post("/tables/{m}/seats", status_code=201, operation_id="sit")
def sit(
    m: MatchId,
    body: SitIn,
    key: IdempotencyKey,
    services: ServicesDep,
    caller: CallerDep,
    language: Language = "en",
) -> TableOut:
    """Sits down: holds the stake, and gives the seat and its pseudonym (`you`)."""
    services.drain.check()
    match = services.tables.sit(caller, m, key, body.code, body.seat, body.partner_code)
    return describe(services, match, caller, language)


@router.delete("/tables/{m}/seats/me", operation_id="stand_up")
def stand_up(
    m: MatchId, key: IdempotencyKey, services: ServicesDep, caller: CallerDep, language: Language = "en"
) -> TableOut:
    """Stands up, the whole stake back, until the table is full."""
    return describe(services, services.tables.stand_up(caller, m, key), caller, language)


@router.delete("/tables/{m}/seats/{seat}", operation_id="remove_sitter")
def remove_sitter(
    m: MatchId,
    seat: Annotated[int, Path(ge=0, lt=MAX_SEATS)],
    key: IdempotencyKey,
    services: ServicesDep,
    caller: CallerDep,
    language: Language = "en",
) -> TableOut:
    """Frees a seat of somebody else, their whole stake back. For the table's opener, until it is full."""
    return describe(services, services.tables.remove(caller, m, seat, key), caller, language)


@router.post("/tables/{m}/cancel", operation_id="cancel_table")
def cancel_table(m: MatchId, services: ServicesDep, caller: CallerDep, language: Language = "en") -> TableOut:
    """Calls the table off, all stakes back whole. For its opener, until it is full."""
    return describe(services, services.tables.cancel(caller, m), caller, language)
