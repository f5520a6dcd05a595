"""A table in words and figures, before anybody sits: what is staked, and what every ending means in money."""

from typing import Final, Literal, TypeAlias, get_args

from fairdeal.api.caller import Services, is_french
from fairdeal.api.schemas.tables import (
    AssetOut,
    BoardOut,
    FeesOut,
    Game,
    MeaningOut,
    Options,
    SeatOut,
    TableOut,
    TableSummary,
    YouOut,
)
from fairdeal.app.kept import Match
from fairdeal.app.ports import Account, Seat, Status, Table
from fairdeal.ledger import Outcome, Refund, SeedForfeit, Win, settlement
from fairdeal.match.events import Event
from fairdeal.match.terms import Terms
from fairdeal.match.views import table_view

_GAMES: Final[tuple[Game, ...]] = get_args(Game)

_Code: TypeAlias = Literal["won", "forfeit", "seed_missing", "seeds_missing", "cancelled", "void"]

_Meaning: TypeAlias = tuple[_Code, Outcome, str, str]

_MEANINGS: Final[tuple[_Meaning, ...]] = (
    (
        "won",
        Win(0),
        "The winner of the match takes the pot less commission and tax.",
        "Qui gagne la partie prend le pot, moins la commission et la taxe.",
    ),
    (
        "forfeit",
        Win(0),
        "Resigning, or one overrun of the time too many, loses: the opponent takes the pot as if they had won.",
        "Qui abandonne, ou dépasse le temps une fois de trop, perd : l’adversaire prend le pot comme s’il avait gagné.",
    ),
    (
        "seed_missing",
        SeedForfeit(0),
        "Whoever has joined and does not send the seed promised loses the stake to the opponent, without fees.",
        "Qui est inscrit et n’envoie pas la graine promise perd sa mise au profit de l’adversaire, sans frais.",
    ),
    (
        "seeds_missing",
        Refund(),
        "If both sides lack a seed, every stake goes back whole.",
        "S’il manque une graine à chaque camp, chaque mise est rendue entière.",
    ),
    (
        "cancelled",
        Refund(),
        "A table that is called off, or where somebody does not come or join in time, gives every stake back whole.",
        "Une table annulée, ou à laquelle quelqu’un ne vient pas ou ne s’inscrit pas à temps, rend toutes les mises.",
    ),
    (
        "void",
        Refund(),
        "A match that the operator ends, or that reaches its limit of deals, gives every stake back whole.",
        "Une partie arrêtée par l’opérateur, ou qui atteint sa limite de donnes, rend chaque mise entière.",
    ),
)

_OF_SIDES: Final[dict[_Code, tuple[str, str]]] = {
    "won": (
        "The side that wins the match takes the pot less commission and tax, half each, an odd unit to the lower seat.",
        "Le camp qui gagne la partie prend le pot, moins la commission et la taxe, la moitié chacun, l’unité impaire au"
        " siège le plus bas.",
    ),
    "forfeit": (
        "Resigning, or one overrun of the time too many, loses for the whole side, both stakes with it: the other side"
        " takes the pot as if it had won.",
        "Qui abandonne, ou dépasse le temps une fois de trop, fait perdre tout son camp, les deux mises avec : l’autre"
        " camp prend le pot comme s’il avait gagné.",
    ),
    "seed_missing": (
        "A side of which somebody has joined and does not send the seed promised loses both stakes to the other side,"
        " one each, without fees.",
        "Un camp dont quelqu’un est inscrit et n’envoie pas la graine promise perd ses deux mises au profit de l’autre"
        " camp, une chacun, sans frais.",
    ),
}
"""What is said otherwise where two share what they win or lose."""


def describe(services: Services, match: Match, viewer: Account | None, language: str) -> TableOut:
    """The table for this viewer: the code is for who opened it and who sits there, a hidden card for nobody."""
    table, terms = match.table, match.state.terms
    pot = table.stake * table.seats
    fees = terms.fees.breakdown(pot)
    own = next((seat for seat in table.seated if viewer is not None and seat.account_id == viewer.id), None)
    inside = own is not None or (viewer is not None and viewer.id == table.opener)
    for_sides = terms.seats > terms.ruleset.sides
    return TableOut(
        m=table.match_id,
        game=game_of(terms),
        status=table.status.value,
        private=table.visibility == "private",
        code=table.code if inside else None,
        stake=table.stake,
        asset=asset_of(terms),
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
        meanings=[_meaning(terms, row, french=is_french(language)) for row in _MEANINGS],
        decision_ms=terms.clock.decision_ms,
        seats=_seats(services, table),
        you=None if own is None else _you(table, own),
        options=_options(terms),
        winner_nets=_paid(terms, Win(0))[::2] if for_sides else None,
        open=table.line.decode(),
        receipt=services.play.receipt(match),
        size=match.state.size,
        expires_at=table.expires_at,
        due_at=match.due_at,
        now=services.tables.now(),
        table=BoardOut.model_validate(table_view(match.state)),
    )


def summarize(table: Table) -> TableSummary:
    """One row of the list."""
    terms = Terms.parse(Event.parse(table.line).data)
    return TableSummary(
        m=table.match_id,
        game=game_of(terms),
        stake=table.stake,
        asset=asset_of(terms),
        winner_net=terms.fees.breakdown(table.stake * table.seats).net,
        options=_options(terms),
        decision_ms=terms.clock.decision_ms,
        free=table.seats - len(table.seated),
        expires_at=table.expires_at,
    )


def asset_of(terms: Terms) -> AssetOut:
    """What a match is played for."""
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


def _you(table: Table, own: Seat) -> YouOut:
    """The viewer's seat, with its code as long as the partner is awaited."""
    opposite = (own.seat + table.seats // 2) % table.seats
    awaited = table.status is Status.OPEN and opposite not in [seat.seat for seat in table.seated]
    return YouOut(seat=own.seat, player=own.player, partner_code=own.partner_code if awaited else None)


def _meaning(terms: Terms, row: _Meaning, *, french: bool) -> MeaningOut:
    """The settlement of such an ending when side 0 is the one favoured."""
    code, outcome, *texts = row
    for_sides = terms.seats > terms.ruleset.sides
    paid = _paid(terms, outcome)
    return MeaningOut(
        code=code,
        favoured=paid[0],
        other=paid[1],
        house=terms.stake * terms.seats - sum(paid),
        text=(_OF_SIDES.get(code, texts) if for_sides else texts)[french],
        seats=paid if for_sides else None,
    )


def _paid(terms: Terms, outcome: Outcome) -> list[int]:
    """What each seat gets of the pot."""
    lines = {line.account: line.amount for line in settlement(terms.sides, terms.stake, outcome, terms.fees)}
    return [lines.get(f"seat:{seat}", 0) for seat in range(terms.seats)]


def game_of(terms: Terms) -> Game:
    """The game that the ruleset is a version of."""
    return next(game for game in _GAMES if terms.ruleset.id.startswith(f"{game}@"))


def _options(terms: Terms) -> Options | None:
    """What was chosen; the duel has no choice."""
    return None if game_of(terms) == "duel" else dict(terms.ruleset.format_options(terms.options))
