"""Routes of what lies behind a player: own matches, and a month's statement, for programs and for spreadsheets."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from fairdeal.api.accounts import wallet_line
from fairdeal.api.caller import CallerDep, Services, ServicesDep
from fairdeal.api.describe import asset_of, game_of
from fairdeal.api.paging import AssetQuery, Cursor, Limit, cursor_of, position_of
from fairdeal.api.schemas.history import Month, OwnMatchOut, OwnMatchPage, StatementOut, TotalOut
from fairdeal.api.schemas.tables import EndingOut
from fairdeal.app.history_ports import OwnMatch, Statement, WalletLine
from fairdeal.app.ports import Account, Status
from fairdeal.app.records import ending_of
from fairdeal.ledger import format_amount
from fairdeal.match.events import Event
from fairdeal.match.terms import Asset, Terms

router = APIRouter(tags=["accounts"])

_PAGE: Final = 1_000
"""Lines read at a time where all of them are sent."""
_COLUMNS: Final = "at,kind,transaction,match,amount,balance_before,balance_after"


@router.get("/me/matches", operation_id="own_matches")
def own_matches(services: ServicesDep, caller: CallerDep, cursor: Cursor = None, limit: Limit = 50) -> OwnMatchPage:
    """The matches that the caller sits at, or sat at to their end, newest first."""
    found = services.accounts.own_matches(caller.id, position_of(cursor), limit)
    return OwnMatchPage(matches=[_own_match(one) for one in found], cursor=cursor_of([one.seq for one in found], limit))


@router.get("/wallet/statement", operation_id="statement")
def statement(
    month: Month,
    services: ServicesDep,
    caller: CallerDep,
    asset: AssetQuery = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> StatementOut:
    """The caller's free money of an asset over a month: what it began with, a page of its lines, what it ended with."""
    found = services.accounts.asset(asset)
    made = _statement(services, caller, found, month)
    lines = services.accounts.statement_lines(caller.id, found, made, position_of(cursor), limit)
    return StatementOut(
        month=month,
        asset=found.code,
        exponent=found.exponent,
        opening=made.opening,
        totals=[TotalOut(**asdict(total)) for total in made.totals],
        lines=[wallet_line(line) for line in lines],
        closing=made.closing,
        cursor=cursor_of([line.seq for line in lines], limit),
    )


@router.get(
    "/wallet/statement.csv",
    operation_id="statement_csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}, "description": "A row a line; amounts with all their decimals."}},
)
def statement_csv(month: Month, services: ServicesDep, caller: CallerDep, asset: AssetQuery = None) -> Response:
    """The same as a table: the first row has the balance that the month began with, the last the one it ended with."""
    found = services.accounts.asset(asset)
    rows = (f"{row}\r\n" for row in _rows(services, caller, found, month))
    name = f"{found.code}-{month}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(rows, media_type="text/csv", headers=headers)


def _statement(services: Services, caller: Account, asset: Asset, month: str) -> Statement:
    year, _, number = month.partition("-")
    return services.accounts.statement(caller.id, asset, int(year), int(number))


def _rows(services: Services, caller: Account, asset: Asset, month: str) -> Iterator[str]:
    """No member can hold a comma or a quote."""
    made = _statement(services, caller, asset, month)
    yield _COLUMNS
    yield f",opening,,,,,{format_amount(made.opening, asset.exponent)}"
    for line in _every_line(services, caller, asset, made):
        figures = (format_amount(one, asset.exponent) for one in (line.amount, line.balance_before, line.balance))
        yield f"{_time(line)},{line.kind},{line.transaction},{line.match or ''},{','.join(figures)}"
    yield f",closing,,,,,{format_amount(made.closing, asset.exponent)}"


def _every_line(services: Services, caller: Account, asset: Asset, made: Statement) -> Iterator[WalletLine]:
    place = None
    while lines := services.accounts.statement_lines(caller.id, asset, made, place, _PAGE):
        yield from lines
        place = lines[-1].seq


def _time(line: WalletLine) -> str:
    return datetime.fromtimestamp(line.at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _own_match(one: OwnMatch) -> OwnMatchOut:
    terms = Terms.parse(Event.parse(one.line).data)
    ended = one.status == Status.ENDED
    ending = EndingOut(**asdict(ending_of(one.last))) if ended else None
    winner = None if ending is None else ending.winner
    return OwnMatchOut(
        m=one.match_id,
        game=game_of(terms),
        stake=one.stake,
        asset=asset_of(terms),
        seat=one.seat,
        player=one.player,
        status=Status(one.status).value,
        sat_at=one.sat_at,
        ended_at=one.ended_at,
        ending=ending,
        won=None if winner is None else terms.sides[one.seat] == winner,
        net=one.net if ended else None,
        bundle=f"/v1/matches/{one.match_id}/bundle" if ended else None,
    )
