"""A table in words and figures, before anybody sits: what is staked, and what every ending means in money."""

from typing import Final, Literal, TypeAlias

from fairdeal.api.caller import Services, is_french
from fairdeal.api.schemas import AssetOut, FeesOut, MeaningOut, SeatOut, TableOut, TableSummary, YouOut
from fairdeal.app.matches import Match
from fairdeal.app.ports import Account, Table
from fairdeal.ledger import Outcome, Refund, SeedForfeit, Win, settlement
from fairdeal.match.events import Event
from fairdeal.match.terms import Terms
from fairdeal.match.views import table_view

_Code: TypeAlias = Literal["won", "forfeit", "seed_missing", "seeds_missing", "cancelled", "void"]

_MEANINGS: Final[tuple[tuple[_Code, Outcome, str, str], ...]] = (
    (
        "won",
        Win(0),
        "The winner of the match takes the pot less commission and tax.",
        "Qui gagne la partie prend le pot, moins la commission et la taxe.",
    ),
    (
        "forfeit",
        Win(0),
        "Resigning, or one overrun of the time too many, loses: the other side takes the pot as by winning.",
        "Abandonner, ou dépasser une fois de trop le temps, fait perdre : l'autre camp prend le pot comme gagné.",
    ),
    (
        "seed_missing",
        SeedForfeit(0),
        "Whoever has joined and does not send the seed promised loses the stake to the other side, without fees.",
        "Qui est inscrit et n'envoie pas la graine promise perd sa mise au profit de l'autre camp, sans frais.",
    ),
    (
        "seeds_missing",
        Refund(),
        "If both sides lack a seed, every stake goes back whole.",
        "S'il manque une graine à chaque camp, chaque mise est rendue entière.",
    ),
    (
        "cancelled",
        Refund(),
        "A table that is called off, or where somebody does not come or join in time, gives every stake back whole.",
        "Une table annulée, ou à laquelle quelqu'un ne vient pas ou ne s'inscrit pas à temps, rend toutes les mises.",
    ),
    (
        "void",
        Refund(),
        "A match that the operator ends, or that reaches its limit of deals, gives every stake back whole.",
        "Une partie arrêtée par l'exploitant, ou qui atteint sa limite de donnes, rend chaque mise entière.",
    ),
)


def describe(services: Services, match: Match, viewer: Account | None, language: str) -> TableOut:
    """The table for this viewer: the code is for who opened it and who sits there, a hidden card for nobody."""
    table, terms = match.table, match.state.terms
    pot = table.stake * table.seats
    fees = terms.fees.breakdown(pot)
    own = next((seat for seat in table.seated if viewer is not None and seat.account_id == viewer.id), None)
    inside = own is not None or (viewer is not None and viewer.id == table.opener)
    return TableOut(
        m=table.match_id,
        game="duel",
        status=table.status.value,
        private=table.visibility == "private",
        code=table.code if inside else None,
        stake=table.stake,
        asset=_asset(terms),
        pot=pot,
        commission=fees.commission,
        tax=fees.tax,
        winner_net=fees.net,
        fees=FeesOut(
            id=terms.fees.id,
            commission_bp=terms.fees.commission_bp,
            commission_cap=terms.fees.commission_cap,
            tax_bp=terms.fees.tax_bp,
            tax_base=terms.fees.tax_base,
        ),
        meanings=[_meaning(terms, *row, french=is_french(language)) for row in _MEANINGS],
        decision_ms=terms.clock.decision_ms,
        seats=_seats(services, table),
        you=None if own is None else YouOut(seat=own.seat, player=own.player),
        open=table.line.decode(),
        receipt=services.play.receipt(match),
        size=match.state.size,
        expires_at=table.expires_at,
        due_at=match.due_at,
        now=services.tables.now(),
        table=table_view(match.state),
    )


def summarize(table: Table) -> TableSummary:
    """One row of the list."""
    terms = Terms.parse(Event.parse(table.line).data)
    return TableSummary(
        m=table.match_id,
        game="duel",
        stake=table.stake,
        asset=_asset(terms),
        winner_net=terms.fees.breakdown(table.stake * table.seats).net,
        decision_ms=terms.clock.decision_ms,
        free=table.seats - len(table.seated),
        expires_at=table.expires_at,
    )


def _asset(terms: Terms) -> AssetOut:
    return AssetOut(code=terms.asset.code, exponent=terms.asset.exponent)


def _seats(services: Services, table: Table) -> list[SeatOut]:
    taken = {seat.seat: seat for seat in table.seated}
    return [
        SeatOut(
            seat=seat,
            player=taken[seat].player if seat in taken else None,
            kind=services.accounts.kind(taken[seat].account_id) if seat in taken else None,
        )
        for seat in range(table.seats)
    ]


def _meaning(
    terms: Terms, code: _Code, outcome: Outcome, english: str, french_text: str, *, french: bool
) -> MeaningOut:
    """The settlement of such an ending when side 0 is the one favoured."""
    lines = {line.account: line.amount for line in settlement(terms.sides, terms.stake, outcome, terms.fees)}
    return MeaningOut(
        code=code,
        favoured=lines.get("seat:0", 0),
        other=lines.get("seat:1", 0),
        house=lines.get("commission", 0) + lines.get("tax", 0),
        text=french_text if french else english,
    )
