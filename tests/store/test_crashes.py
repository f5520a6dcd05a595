"""Every write is broken in two ways: lost before any of its rows, and kept but reported lost."""

from collections.abc import Callable
from itertools import count

import pytest
from sqlalchemy import select

from fairdeal import ledger
from fairdeal.app.ports import CommitResult, Status, Store
from fairdeal.errors import RecordsBroken, StoreFailed
from fairdeal.ledger import Win
from fairdeal.store import SqlStore
from fairdeal.store.rows import Row
from fairdeal.store.sql import Database
from tests.store.house import ASSET, MOST, House


def dump(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    with database.read() as connection:
        return {
            name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for name, table in Row.metadata.tables.items()
        }


_COUNT = "UPDATE planted SET rows_left = rows_left - 1"
_PLANT = {
    "sqlite": (
        "CREATE TABLE planted (rows_left INTEGER)",
        "INSERT INTO planted VALUES (0)",
        "CREATE TRIGGER planted_{table}_{verb} BEFORE {verb} ON {table} BEGIN "
        + _COUNT
        + "; SELECT RAISE(ABORT, 'planted') FROM planted WHERE rows_left < 0; END",
    ),
    "postgresql": (
        "CREATE TABLE planted (rows_left INTEGER)",
        "INSERT INTO planted VALUES (0);"
        "CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        + _COUNT
        + "; IF (SELECT rows_left < 0 FROM planted) THEN RAISE EXCEPTION 'planted'; END IF;"
        " RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END $$",
        "CREATE TRIGGER planted_{verb} BEFORE {verb} ON {table} FOR EACH ROW EXECUTE FUNCTION planted()",
    ),
}


def plant(database: Database) -> None:
    """From now on a transaction fails in the database when it has written as many rows as `allow` said."""
    with database.write() as connection:
        make_table, begin, trigger = _PLANT[connection.dialect.name]
        connection.exec_driver_sql(make_table)
        connection.exec_driver_sql(begin)
        for table in Row.metadata.tables:
            for verb in ("INSERT", "UPDATE", "DELETE"):
                connection.exec_driver_sql(trigger.format(table=table, verb=verb))


def allow(database: Database, rows: int) -> None:
    with database.write() as connection:
        connection.exec_driver_sql(f"UPDATE planted SET rows_left = {rows}")


def deposits(house: House) -> Callable[[], object]:
    player = house.account()
    money, once = ledger.deposit(house.id(), player, 500, asset=ASSET, at=house.now), house.once()
    return lambda: house.store.deposit(player, money, once)


def opens(house: House) -> Callable[[], object]:
    table = house.new_table(house.account(), 500)
    return lambda: house.store.open_table(table, MOST)


def sits(house: House) -> Callable[[], object]:
    first, second = house.account(500), house.account(500)
    match_id = house.open(first, 500)
    house.sit(match_id, first)
    sitting, once = house.sitting(match_id, second), house.once()
    return lambda: house.store.sit(sitting, once)


def starts(house: House) -> Callable[[], object]:
    first, second = house.account(500), house.account(500)
    match_id = house.open(first, 500)
    house.sit(match_id, first)
    house.sit(match_id, second)
    joins = house.joins(match_id)
    return lambda: house.store.commit(joins)


def finishes(house: House) -> Callable[[], object]:
    match_id, _, _ = house.live(500)
    append = house.append(match_id, lines=3, status=Status.ENDED, money=house.payout(match_id, Win(0)))
    return lambda: house.store.commit(append)


@pytest.mark.parametrize("prepare", [deposits, opens, sits, starts, finishes])
def test_a_fault_before_any_row_leaves_nothing(
    prepare: Callable[[House], Callable[[], object]], store: SqlStore, house: House
) -> None:
    act, database = prepare(house), store._database
    before = dump(database)
    plant(database)
    for rows in count():
        allow(database, rows)
        failed = ""
        try:
            act()
        except (RecordsBroken, StoreFailed) as error:
            failed = str(error)
        if not failed:
            break
        assert "planted" in failed
        assert dump(database) == before
    assert rows > 4
    assert dump(database) != before
    house.check()


def test_an_append_that_was_kept_but_reported_lost_is_stale_when_tried_again(store: Store, house: House) -> None:
    match_id, _, _ = house.live(500)
    append = house.append(match_id, lines=3, status=Status.ENDED, money=house.payout(match_id, Win(0)))
    store.commit(append)
    assert store.commit(append) is CommitResult.STALE
    assert len(store.events(match_id)) == 6
    house.check()
