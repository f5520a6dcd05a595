"""Every write is broken in two ways: lost before any of its statements, and kept but reported lost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event, select

from fairdeal import ledger
from fairdeal.app.ports import CommitResult, Status, Store
from fairdeal.ledger import Win
from fairdeal.store import SqlStore
from fairdeal.store.sql import Database
from fairdeal.store.tables import Row
from tests.store.house import ASSET, MOST, House


def dump(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    with database.read() as connection:
        return {
            name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for name, table in Row.metadata.tables.items()
        }


class Crash(Exception):
    """The process dies here, as far as the database can tell."""


@contextmanager
def crash_at(statement: int) -> Iterator[None]:
    """Lets `statement` statements through, then crashes before the next one."""
    left = iter(range(statement))

    def count(*_: object) -> None:
        if next(left, None) is None:
            raise Crash

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", count)


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
def test_a_crash_before_any_statement_leaves_nothing(
    prepare: Callable[[House], Callable[[], object]], store: SqlStore, house: House
) -> None:
    act = prepare(house)
    before = dump(store._database)
    statements = 0
    while True:
        try:
            with crash_at(statements):
                act()
            break
        except Crash:
            assert dump(store._database) == before
        statements += 1
    assert statements > 4
    assert dump(store._database) != before
    house.check()


def test_an_append_that_was_kept_but_reported_lost_is_stale_when_tried_again(store: Store, house: House) -> None:
    match_id, _, _ = house.live(500)
    append = house.append(match_id, lines=3, status=Status.ENDED, money=house.payout(match_id, Win(0)))
    store.commit(append)
    assert store.commit(append) is CommitResult.STALE
    assert len(store.events(match_id)) == 6
    house.check()
