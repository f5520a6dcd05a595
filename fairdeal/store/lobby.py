"""Tables and who sits at them. Inside the caller's transaction; what takes a `Database` reads a moment by itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, func, insert, select, update

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
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.store import books, safeguards
from fairdeal.store.database import Database
from fairdeal.store.dialects import NUL, insert_unless_there, lock
from fairdeal.store.once import KeptAnswer
from fairdeal.store.people import lock_account
from fairdeal.store.rows import commitments, events, matches, seals, seats, unfinished

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
    matches.c.expires_at,
    matches.c.due_at,
    matches.c.size,
    matches.c.seating,
)
_NAMES: Final = tuple(column.name for column in _TABLE)


def _with_seats(which: ColumnElement[bool]) -> Select[Any]:
    """One statement, so that a table and who sits there are of one moment: a row a seat, one where nobody sits."""
    begun = (events.c.match_id == matches.c.id) & (events.c.n == 0)
    rows = select(*_TABLE, seats.c.seat, seats.c.account_id, seats.c.player, seats.c.partner_code)
    rows = rows.join(events, begun).outerjoin(seats, seats.c.match_id == matches.c.id)
    return rows.where(which).order_by(matches.c.seq.desc(), seats.c.seat)


_OF_MATCH: Final = _with_seats(matches.c.id == bindparam("match_id"))
_OF_CODE: Final = _with_seats(matches.c.code == bindparam("code"))
_OPEN: Final = _with_seats(
    matches.c.seq.in_(
        select(matches.c.seq)
        .where(
            matches.c.status == Status.OPEN.value,
            matches.c.visibility == "public",
            matches.c.seq < bindparam("before"),
        )
        .order_by(matches.c.seq.desc())
        .limit(bindparam("most"))
    )
)


def open_table(connection: Connection, table: NewTable, most: int) -> None:
    """Raises what `ports.Store.open_table` says."""
    lock_account(connection, table.opener)
    safeguards.check_play(connection, table.opener, table.created_at)
    own = select(func.count()).select_from(matches).where(matches.c.opener == table.opener, unfinished)
    if connection.execute(own).scalar_one() >= most:
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


def table(database: Database, match_id: str) -> Table | None:
    """By the match's id."""
    return _one(database.fetch(_OF_MATCH, match_id=match_id))


def table_with_code(database: Database, code: str) -> Table | None:
    """By a private table's code."""
    return None if NUL in code else _one(database.fetch(_OF_CODE, code=code))


def open_tables(database: Database, before: int | None, limit: int) -> tuple[Table, ...]:
    """Public ones that still take players, newest first."""
    rows = database.fetch(_OPEN, before=MAX_SAFE_INTEGER if before is None else before, most=limit)
    return tuple(_tables(rows))


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
        books.post(connection, sitting.money)
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


def stand_up(connection: Connection, match_id: str, seat: Seat | None, money: Transaction | None) -> KeptAnswer:
    """Leaves the seat and gives the stake back; the answer is empty. Raises what `ports.Store.stand_up` says."""
    at = _known(connection, match_id)
    if seat is None or seat not in at.seated:
        raise NotSeated("nobody of that name sits at this table")
    if at.status is not Status.OPEN:
        raise TableClosed("the table is full: nobody can leave it now")
    _check_money(at, money, ledger.stand_up, seat.account_id, seat.player)
    connection.execute(delete(seats).where(seats.c.match_id == match_id, seats.c.seat == seat.seat))
    connection.execute(update(matches).where(matches.c.id == match_id).values(seating=matches.c.seating + 1))
    if money is not None:
        books.post(connection, money)
    return {}


def leave_open_tables(connection: Connection, account_id: str, at: int) -> tuple[str, ...]:
    """Gives up every seat of the account at a table that is not full, the stakes back. The tables' matches."""
    here = (seats.c.account_id == account_id) & (matches.c.status == Status.OPEN.value)
    ids = select(matches.c.id).join(seats, seats.c.match_id == matches.c.id).where(here).order_by(matches.c.id)
    # Every match is locked before any balance is, and the balances of every asset before a transaction has its number.
    tables = [_known(connection, match_id) for match_id in connection.execute(ids).scalars().all()]
    books.lock_seat_money(connection, account_id)
    left = []
    for at_table in tables:
        mine = [seat for seat in at_table.seated if seat.account_id == account_id]
        if at_table.status is Status.OPEN and mine:
            m, seat, stake = at_table.match_id, mine[0], at_table.stake
            money = ledger.stand_up(m, account_id, seat.player, stake, asset=at_table.asset, at=at) if stake else None
            stand_up(connection, m, seat, money)
            left.append(m)
    return tuple(left)


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
    found = _one(connection.execute(_OF_MATCH, {"match_id": match_id}).all())
    if found is None:
        raise UnknownMatch("there is no such match")
    return found


def _one(rows: Sequence[Sequence[Any]]) -> Table | None:
    return next(_tables(rows), None)


def _tables(rows: Sequence[Sequence[Any]]) -> Iterator[Table]:
    """Of the rows of `_with_seats`."""
    for _, seats_of in groupby(rows, itemgetter(0)):
        some = tuple(seats_of)
        columns = dict(zip(_NAMES, some[0], strict=False))
        sitting = tuple(Seat(*row[len(_NAMES) :]) for row in some if row[len(_NAMES)] is not None)
        yield Table(**columns | {"status": Status(columns["status"]), "seated": sitting})
