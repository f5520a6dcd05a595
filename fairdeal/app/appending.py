"""What a step of a match changes besides its state: everything that is committed with its events."""

from fairdeal import ledger
from fairdeal.app.kept import Match
from fairdeal.app.ports import Append, Status, Table
from fairdeal.commit import Seed
from fairdeal.ledger import Transaction
from fairdeal.match.events import Event
from fairdeal.match.leaves import due_leaves
from fairdeal.match.settlement import money_outcome, settlement_lines
from fairdeal.match.state import MatchState


def standing(table: Table, after: MatchState) -> tuple[Status, int | None]:
    """The status and the due time of the row after a step."""
    if after.ending is not None:
        return Status.ENDED, None
    return (Status.LIVE, after.due_at) if after.full else (table.status, table.due_at)


def append_of(
    match: Match, events: tuple[Event, ...], after: MatchState, now: int, seed: Seed, *, patient: bool
) -> Append:
    """Everything the events change: lines, status, due time, a join's commitment, the money, the log of all matches."""
    table = match.table
    status, due_at = standing(table, after)
    joins = [event.data["do"]["join"] for event in events if event.type == "join"]
    return Append(
        match_id=table.match_id,
        size=table.size,
        seating=table.seating,
        lines=tuple(event.line for event in events),
        status=status,
        due_at=due_at,
        at=now,
        commitment=joins[0]["seed_commitment"] if joins else None,
        money=_money(match, after),
        leaves=due_leaves(match.state, after, seed),
        patient=patient,
    )


def refund(match: Match, at: int) -> Transaction | None:
    """Every stake back, out of the pot where there is one."""
    table, terms = match.table, match.state.terms
    accounts = _accounts(table)
    if table.stake == 0 or not accounts:
        return None
    if not match.state.full:
        return ledger.cancel(table.match_id, accounts, table.stake, asset=table.asset, at=at)
    lines = ledger.settlement(terms.sides, table.stake, ledger.Refund(), terms.fees)
    return ledger.pay_out(table.match_id, accounts, lines, ledger.Refund(), asset=table.asset, at=at)


def _accounts(table: Table) -> list[str]:
    return [seat.account_id for seat in sorted(table.seated, key=lambda seat: seat.seat)]


def _money(match: Match, after: MatchState) -> Transaction | None:
    """What the step moves: the last join forms the pot, an end empties it, or gives back what was held."""
    table, before = match.table, match.state
    accounts = _accounts(table)
    if table.stake == 0 or not accounts:
        return None
    if after.full and not before.full:
        return ledger.form_pot(table.match_id, accounts, table.stake, asset=table.asset, at=after.last_t)
    if after.ending is None:
        return None
    if not after.full:
        return ledger.cancel(table.match_id, accounts, table.stake, asset=table.asset, at=after.last_t)
    lines = settlement_lines(after)
    return ledger.pay_out(table.match_id, accounts, lines, money_outcome(after), asset=table.asset, at=after.last_t)
