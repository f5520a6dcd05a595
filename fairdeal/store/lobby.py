"""Tables and who sits at them. Inside the caller's transaction."""

from collections.abc import Callable
from dataclasses import asdict

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from fairdeal import ledger
from fairdeal.app.ports import NewTable, Seat, Sitting, Status, Table
from fairdeal.errors import (
    AlreadySeated,
    CodeRefused,
    CommitmentReused,
    LedgerBroken,
    LimitExceeded,
    NotSeated,
    SeatTaken,
    TableClosed,
    UnknownMatch,
)
from fairdeal.ledger import Transaction
from fairdeal.store import journal, safeguards
from fairdeal.store.once import Answer
from fairdeal.store.people import lock_account
from fairdeal.store.statements import NUL, insert_unless_there, lock
from fairdeal.store.tables import commitments, events, matches, seals, seats

_TABLE = (
    matches.c.seq,
    matches.c.id.label("match_id"),
    matches.c.status,
    matches.c.opener,
    matches.c.seats,
    matches.c.stake,
    matches.c.asset,
    matches.c.visibility,
    matches.c.code,
    events.c.line,
    matches.c.created_at,
    matches.c.expires_at,
    matches.c.due_at,
    matches.c.size,
    matches.c.seating,
)


def open_table(connection: Connection, table: NewTable, most: int) -> None:
    """Raises what `ports.Store.open_table` says."""
    lock_account(connection, table.opener)
    safeguards.check_play(connection, table.opener, table.created_at)
    unfinished = (matches.c.opener == table.opener) & (matches.c.status != Status.ENDED.value)
    if connection.execute(select(func.count()).select_from(matches).where(unfinished)).scalar_one() >= most:
        raise LimitExceeded("the account has opened as many tables as may be unfinished at a time", {"most": most})
    new = insert(matches).values(
        id=table.match_id,
        opener=table.opener,
        seats=table.seats,
        stake=table.stake,
        asset=table.asset,
        visibility=table.visibility,
        code=table.code,
        created_at=table.created_at,
        expires_at=table.expires_at,
        status=Status.OPEN.value,
        due_at=table.expires_at,
        size=1,
        seating=0,
    )
    connection.execute(new)
    connection.execute(insert(events).values(match_id=table.match_id, n=0, line=table.line))
    connection.execute(insert(seals).values(match_id=table.match_id, sealed=table.sealed_seed))
    reserve(connection, table.commitment, table.match_id)


def reserve(connection: Connection, commitment: str, match_id: str) -> None:
    """Takes a commitment for ever. Raises CommitmentReused."""
    taken = select(commitments).where(commitments.c.commitment == commitment)
    new = insert_unless_there(commitments).values(commitment=commitment, match_id=match_id)
    # The guards on SQLite refuse an insert over a key whatever it says of conflicts: hence the look before it.
    if connection.execute(taken).first() or not connection.execute(new.returning(commitments.c.commitment)).first():
        raise CommitmentReused("this commitment was used before")


def table(connection: Connection, match_id: str) -> Table | None:
    """By the match's id."""
    return _one(connection, matches.c.id == match_id)


def table_with_code(connection: Connection, code: str) -> Table | None:
    """By a private table's code."""
    return None if NUL in code else _one(connection, matches.c.code == code)


def open_tables(connection: Connection, before: int | None, limit: int) -> tuple[Table, ...]:
    """Public ones that still take players, newest first."""
    which = (matches.c.status == Status.OPEN.value) & (matches.c.visibility == "public")
    if before is not None:
        which &= matches.c.seq < before
    return _tables(connection, which, limit)


def sit(connection: Connection, sitting: Sitting) -> Seat:
    """Takes a seat, holds the stake, and closes the table when it is full. Raises what `ports.Store.sit` says."""
    lock_account(connection, sitting.account_id)
    at = _known(connection, sitting.match_id)
    if any(seat.account_id == sitting.account_id for seat in at.seated):
        raise AlreadySeated("the account sits at this table")
    if at.status is not Status.OPEN:
        raise TableClosed("the table takes no more players")
    safeguards.check_play(connection, sitting.account_id, sitting.at)
    safeguards.check_stake(connection, sitting.account_id, at.asset, at.stake, sitting.at)
    _check_money(at, sitting.money, ledger.sit, sitting.account_id, sitting.player)
    seat = Seat(_seat_for(at, sitting), sitting.account_id, sitting.player, sitting.partner_code)
    connection.execute(insert(seats).values(match_id=at.match_id, sat_at=sitting.at, **asdict(seat)))
    changes: dict[str, object] = {"seating": matches.c.seating + 1}
    if len(at.seated) == at.seats - 1:
        changes |= {"status": Status.JOINING.value, "due_at": sitting.full_due_at}
    connection.execute(update(matches).where(matches.c.id == at.match_id).values(**changes))
    if sitting.money is not None:
        journal.post(connection, sitting.money)
    return seat


def _seat_for(at: Table, sitting: Sitting) -> int:
    """The seat asked for, or the lowest free one, if its partner lets this sitting in."""
    free = [number for number in range(at.seats) if number not in {seat.seat for seat in at.seated}]
    if sitting.seat is not None and sitting.seat not in free:
        raise SeatTaken("the seat is taken, or there is none of that number")
    needed = {(seat.seat + at.seats // 2) % at.seats: seat.partner_code for seat in at.seated}
    asked = free if sitting.seat is None else [sitting.seat]
    allowed = [number for number in asked if needed.get(number) == sitting.given_code]
    if not allowed:
        raise CodeRefused("the partner's code is missing or wrong")
    return allowed[0]


def stand_up(connection: Connection, match_id: str, account_id: str, player: str, money: Transaction | None) -> Answer:
    """Leaves the seat and gives the stake back; the answer is empty. Raises what `ports.Store.stand_up` says."""
    at = _known(connection, match_id)
    mine = [seat for seat in at.seated if (seat.account_id, seat.player) == (account_id, player)]
    if not mine:
        raise NotSeated("nobody of that name sits at this table")
    if at.status is not Status.OPEN:
        raise TableClosed("the table is full: nobody can leave it now")
    _check_money(at, money, ledger.stand_up, account_id, player)
    connection.execute(delete(seats).where(seats.c.match_id == match_id, seats.c.seat == mine[0].seat))
    connection.execute(update(matches).where(matches.c.id == match_id).values(seating=matches.c.seating + 1))
    if money is not None:
        journal.post(connection, money)
    return {}


def _check_money(
    at: Table, money: Transaction | None, movement: Callable[..., Transaction], account_id: str, player: str
) -> None:
    due = None
    if at.stake and money is not None:
        due = movement(at.match_id, account_id, player, at.stake, asset=at.asset, at=money.at)
    if money != due or (money is None and at.stake):
        raise LedgerBroken("the money is not this sitting's stake")


def _known(connection: Connection, match_id: str) -> Table:
    """The table as it stands until the end of the transaction."""
    lock(connection, matches, matches.c.id == match_id)
    found = table(connection, match_id)
    if found is None:
        raise UnknownMatch("there is no such match")
    return found


def _one(connection: Connection, which: ColumnElement[bool]) -> Table | None:
    found = _tables(connection, which, 1)
    return found[0] if found else None


def _tables(connection: Connection, which: ColumnElement[bool], limit: int) -> tuple[Table, ...]:
    terms = select(*_TABLE).join(events, (events.c.match_id == matches.c.id) & (events.c.n == 0)).where(which)
    rows = connection.execute(terms.order_by(matches.c.seq.desc()).limit(limit)).all()
    ids = [row.match_id for row in rows]
    sitting = select(seats.c.match_id, seats.c.seat, seats.c.account_id, seats.c.player, seats.c.partner_code)
    sitting = sitting.where(seats.c.match_id.in_(ids)).order_by(seats.c.seat)
    seated: dict[str, list[Seat]] = {match_id: [] for match_id in ids}
    for match_id, *seat in connection.execute(sitting):
        seated[match_id].append(Seat(*seat))
    return tuple(
        Table(**{**row._mapping, "status": Status(row.status)}, seated=tuple(seated[row.match_id])) for row in rows
    )
