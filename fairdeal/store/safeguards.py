"""Limits and stops: keeping them, and holding seats and deposits to them. Inside the caller's transaction.

What is checked holds until the end of the transaction, as long as every writer has locked the account before.
"""

from itertools import dropwhile
from typing import Final

from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, select

from fairdeal.app.ports import SignificantEvent
from fairdeal.app.safeguard_ports import (
    RAISE_DELAY_MS,
    CashMove,
    Exclusion,
    Limit,
    LimitKind,
    Period,
    Switch,
    period_start,
    used,
)
from fairdeal.errors import Excluded, PlayerLimitReached, PlayStopped
from fairdeal.ledger import cash
from fairdeal.store import audit
from fairdeal.store.dialects import exclude_others, share
from fairdeal.store.history import place_before
from fairdeal.store.people import lock_account
from fairdeal.store.rows import entries, transactions
from fairdeal.store.safeguard_rows import exclusions, limits, switches

_EVERYBODY: Final = 0x73776974
"""A number for `share`: whoever sits down or opens a table, and the switch that stops everybody."""


def set_limit(
    connection: Connection, account_id: str, asset: str, kind: LimitKind, period: Period, amount: int | None, at: int
) -> Limit:
    """What is in force, or to come, already is not written again. Raises UnknownAccount."""
    lock_account(connection, account_id)
    which = {"account_id": account_id, "asset": asset, "kind": kind, "period": period}
    mine = and_(*(limits.c[name] == value for name, value in which.items()))
    newest = connection.execute(select(limits).where(mine).order_by(limits.c.seq.desc()).limit(1)).one_or_none()
    if newest is None:
        now = Limit(asset, kind, period, None, None, None)
    else:
        at = max(at, newest.asked_at)  # of two at once the later one was perhaps the first to look at its clock
        now = _limit(newest, at)
    if amount == (now.amount if now.next_from is None else now.next_amount):
        return now
    old = now.amount
    lower = amount is not None and (old is None or amount <= old)
    from_at = at if lower else at + RAISE_DELAY_MS
    made = insert(limits).values(**which, amount=amount, old_amount=old, asked_at=at, from_at=from_at).returning(limits)
    limit = _limit(connection.execute(made).one(), at)
    event = {"account": account_id, "asset": asset, "limit": kind, "period": period, "old": old, "amount": amount}
    audit.keep(connection, SignificantEvent(at, "limit", event | {"from": from_at}))
    return limit


def limits_of(connection: Connection, account_id: str, at: int) -> tuple[Limit, ...]:
    """Those that are in force or to come, by asset, kind and period."""
    newest = select(func.max(limits.c.seq)).where(limits.c.account_id == account_id)
    which = limits.c.asset, limits.c.kind, limits.c.period
    rows = connection.execute(select(limits).where(limits.c.seq.in_(newest.group_by(*which))).order_by(*which))
    found = [_limit(row, at) for row in rows]
    return tuple(limit for limit in found if limit.amount is not None or limit.next_amount is not None)


def exclude(connection: Connection, account_id: str, stop: Exclusion) -> None:
    """What ends no later than the one in force is not written. Raises UnknownAccount."""
    lock_account(connection, account_id)
    now = exclusion(connection, account_id, stop.at)
    if now is not None and (now.until is None or (stop.until is not None and stop.until <= now.until)):
        return
    row = {"account_id": account_id, "kind": stop.kind, "at": stop.at, "until": stop.until}
    connection.execute(insert(exclusions).values(**row))
    event = {"account": account_id, "stop": stop.kind, "until": stop.until}
    audit.keep(connection, SignificantEvent(stop.at, "exclusion", event))


def exclusion(connection: Connection, account_id: str, at: int) -> Exclusion | None:
    """The one that lasts longest."""
    lasts = (exclusions.c.account_id == account_id) & (exclusions.c.until.is_(None) | (exclusions.c.until > at))
    columns = select(exclusions.c.kind, exclusions.c.at, exclusions.c.until).where(lasts)
    row = connection.execute(columns.order_by(exclusions.c.until.desc().nulls_first()).limit(1)).one_or_none()
    return None if row is None else Exclusion(*row)


def switch(connection: Connection, switch: Switch) -> None:
    """What is so already, for the same reason where play is off, is not written again. Raises UnknownAccount."""
    if switch.account_id is None:
        exclude_others(connection, _EVERYBODY)
    else:
        lock_account(connection, switch.account_id)
    why_off = [one.reason for one in switches_off(connection) if one.account_id == switch.account_id]
    if why_off == ([] if switch.on else [switch.reason]):
        return
    state = "on" if switch.on else "off"
    row = {"account_id": switch.account_id, "state": state, "reason": switch.reason, "at": switch.at}
    connection.execute(insert(switches).values(**row))
    event = {"account": switch.account_id, "play": state, "reason": switch.reason}
    audit.keep(connection, SignificantEvent(switch.at, "switch", event))


def switches_off(connection: Connection) -> tuple[Switch, ...]:
    """The one of everybody first, then by account."""
    newest = select(func.max(switches.c.seq)).group_by(switches.c.account_id)
    off = (switches.c.seq.in_(newest)) & (switches.c.state == "off")
    rows = connection.execute(select(switches).where(off).order_by(switches.c.account_id.nulls_first()))
    return tuple(Switch(row.account_id, False, row.reason, row.at) for row in rows)


def check_play(connection: Connection, account_id: str, at: int) -> None:
    """Whether the account may open tables and take seats. Raises PlayStopped, Excluded."""
    share(connection, _EVERYBODY)
    if _is_off(connection, switches.c.account_id.is_(None)):
        raise PlayStopped("the operator has stopped play: what has begun goes on to its end, nothing new begins")
    _check_account(connection, account_id, at)


def check_stake(connection: Connection, account_id: str, asset: str, stake: int, at: int) -> None:
    """Raises PlayerLimitReached."""
    _check_limits(connection, account_id, ("loss", "stake"), asset, stake, at)


def check_deposit(connection: Connection, account_id: str, asset: str, amount: int, at: int) -> None:
    """Raises PlayStopped, Excluded, PlayerLimitReached."""
    _check_account(connection, account_id, at)
    _check_limits(connection, account_id, ("deposit",), asset, amount, at)


def _check_account(connection: Connection, account_id: str, at: int) -> None:
    if _is_off(connection, switches.c.account_id == account_id):
        raise PlayStopped("the operator has stopped this account's play")
    stop = exclusion(connection, account_id, at)
    if stop is not None:
        raise Excluded("the account's owner has stopped its play", {"stop": stop.kind, "until": stop.until})


def _is_off(connection: Connection, whose: ColumnElement[bool]) -> bool:
    newest = select(switches.c.state).where(whose).order_by(switches.c.seq.desc()).limit(1)
    return connection.execute(newest).scalar_one_or_none() == "off"


def _check_limits(
    connection: Connection, account_id: str, kinds: tuple[LimitKind, ...], asset: str, more: int, at: int
) -> None:
    own = [one for one in limits_of(connection, account_id, at) if one.asset == asset and one.kind in kinds]
    bounds = [(one, one.amount, period_start(one.period, at)) for one in own if one.amount is not None]
    if not bounds:
        return
    moves = _moves(connection, account_id, asset, min(since for _, _, since in bounds))
    for limit, amount, since in bounds:
        left = amount - used(limit.kind, _of_period(moves, since))
        if more > left:
            what = {"limit": limit.kind, "period": limit.period, "amount": amount, "left": max(left, 0)}
            raise PlayerLimitReached("it would pass a limit that the account's owner has set", what)


def _moves(connection: Connection, account_id: str, asset: str, since: int) -> list[tuple[int, CashMove]]:
    """Each with its time, in the order of the journal."""
    account = cash(account_id)
    rows = (
        select(transactions.c.at, transactions.c.kind, entries.c.amount, transactions.c.match_id, transactions.c.id)
        .join(transactions, transactions.c.id == entries.c.transaction_id)
        .where(entries.c.account == account, entries.c.asset == asset)
        .where(entries.c.seq > place_before(connection, account_id, asset, since))
        .order_by(entries.c.seq)
    )
    return [
        (at, CashMove(kind, amount, match_id or transaction_id.partition(":")[2]))
        for at, kind, amount, match_id, transaction_id in connection.execute(rows)
    ]


def _of_period(moves: list[tuple[int, CashMove]], since: int) -> list[CashMove]:
    """From the first one in it on: times that go back a little part no seat from what ended it."""
    return [move for _, move in dropwhile(lambda timed: timed[0] < since, moves)]


def _limit(row: Row[tuple[object, ...]], at: int) -> Limit:
    if row.from_at <= at:
        return Limit(row.asset, row.kind, row.period, row.amount, None, None)
    return Limit(row.asset, row.kind, row.period, row.old_amount, row.amount, row.from_at)
