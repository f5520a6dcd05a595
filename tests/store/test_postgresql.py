"""What holds for the PostgreSQL engine alone."""

import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, event, func, make_url, select, text

from fairdeal import ledger
from fairdeal.app.log_ports import Outage
from fairdeal.app.ports import Append, CommitResult, Sitting, Status
from fairdeal.app.safeguard_ports import Exclusion
from fairdeal.errors import AccountInUse, DatabaseLocked, Malformed, RecordsBroken, StoreFailed
from fairdeal.ledger import Win
from fairdeal.match.leaves import ledger_leaf, outage_leaf
from fairdeal.store import SqlStore, books, postgresql
from fairdeal.store.guards import APPEND_ONLY
from fairdeal.store.upgrade import upgrade
from fairdeal.tlog import Frontier, leaf_hash
from tests.store.house import ASSET, House

on_postgresql = pytest.mark.parametrize("place", ["postgresql"], indirect=True)


@on_postgresql
def test_connections_that_the_server_ended_fail_once_and_are_made_anew(place: str, house: House) -> None:
    match_id, _, _ = house.live(500)
    append = house.append(match_id)
    with psycopg.connect(place, autocommit=True) as hand:
        hand.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(StoreFailed):
        house.store.commit(append)
    assert house.store.commit(append) is CommitResult.COMMITTED


@on_postgresql
def test_a_statement_that_was_no_transaction_by_itself_is_not_said_to_be_done(place: str, house: House) -> None:
    match_id, _, _ = house.live(500)
    append = house.append(match_id)
    database = house.store._database
    assert isinstance(database, postgresql.PostgresqlDatabase)
    with closing(database._engine.raw_connection()) as borrowed:
        borrowed.driver_connection.autocommit = False  # type: ignore[union-attr]
    with pytest.raises(StoreFailed, match="not committed"):
        house.store.commit(append)
    assert house.store.commit(append) is CommitResult.COMMITTED


@on_postgresql
def test_a_broken_connection_takes_the_others_along_and_another_fault_does_not(place: str, store: SqlStore) -> None:
    database = store._database
    assert isinstance(database, postgresql.PostgresqlDatabase)
    pool = database._engine.pool
    with closing(pool.connect()) as borrowed:
        borrowed.driver_connection.autocommit = False  # type: ignore[union-attr]
    with pytest.raises(StoreFailed):
        store.commit(Append("0" * 32, 1, 1, (), Status.LIVE, 1, 1))
    assert database._engine.pool is pool
    with pytest.raises(StoreFailed):
        database.fetch(select(func.pg_terminate_backend(func.pg_backend_pid())))
    assert database._engine.pool is not pool
    store.check_ready()


@on_postgresql
@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_who_comes_second_is_told_so_whatever_isolation_is_usual_there(
    isolation: str, place: str, house: House
) -> None:
    match_id, _, _ = house.live(0)
    append = house.append(match_id)
    with psycopg.connect(place, autocommit=True) as hand:
        hand.execute(f"ALTER DATABASE {make_url(place).database} SET default_transaction_isolation = '{isolation}'")
        with closing(SqlStore(place)) as store, ThreadPoolExecutor(1) as pool:
            with hand.transaction():
                hand.execute("UPDATE matches SET size = size + 1 WHERE id = %s", [match_id])
                second = pool.submit(store.commit, append)
                waiting = "datname = current_database() AND wait_event_type = 'Lock'"
                # A look of a transaction is one moment, however often; this one is not in the transaction.
                with psycopg.connect(place, autocommit=True) as onlooker:
                    while not onlooker.execute(f"SELECT 1 FROM pg_stat_activity WHERE {waiting}".encode()).fetchone():
                        assert not second.done()
            assert second.result() is CommitResult.STALE


@on_postgresql
@pytest.mark.parametrize("setting", ["synchronous_commit"])
def test_a_server_that_may_lose_what_it_acknowledged_is_refused(setting: str, place: str) -> None:
    with psycopg.connect(place, autocommit=True) as hand:
        hand.execute(f"ALTER DATABASE {make_url(place).database} SET {setting} = off")
    with pytest.raises(StoreFailed, match=setting):
        SqlStore(place)


@on_postgresql
def test_a_refusal_names_the_rule_and_not_the_row(store: SqlStore) -> None:
    outage = Outage(987654, 987654)
    store.beat(987654)
    with pytest.raises(RecordsBroken, match="ck_outages_order") as refused:
        store.add_outage(outage, outage_leaf(5, 6))
    assert "(1, 987654" not in "".join(traceback.format_exception(refused.value))


@on_postgresql
def test_two_processes_may_serve_it(place: str, store: SqlStore) -> None:
    with closing(SqlStore(place)) as other:
        other.beat(5)
    assert store.last_beat() == 5


@on_postgresql
def test_whoever_wants_it_alone_is_refused_while_a_service_has_it_and_the_other_way_round(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(opens: Callable[[], object]) -> None:
        with monkeypatch.context() as impatient:
            impatient.setattr(postgresql, "_SESSION", "-c lock_timeout=100ms")
            with pytest.raises(DatabaseLocked):
                opens()

    with closing(SqlStore(place)) as service:
        with psycopg.connect(place, autocommit=True) as hand:
            hand.execute(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks JOIN pg_database ON database = pg_database.oid"
                " WHERE locktype = 'advisory' AND datname = current_database()"
            )
        with pytest.raises(StoreFailed):
            service.beat(5)
        service.beat(6)  # over a connection that is made anew
        refused(lambda: SqlStore(place, sole=True))
        refused(lambda: upgrade(place))
    with closing(SqlStore(place, sole=True)) as alone_at_last:
        refused(lambda: SqlStore(place))
        assert alone_at_last.last_beat() == 6


@on_postgresql
def test_the_journal_is_marked_only_after_whoever_writes_a_transaction(place: str, store: SqlStore) -> None:
    """Else the leaf of that transaction could stand before a ledger leaf that knows nothing of it."""
    House(store).account(500)
    before = store.journal_mark()
    frontier = Frontier().append(leaf_hash(store.journal(0, 9)[0]))
    after, leaf = replace(before, frontier=frontier, at=77), ledger_leaf(frontier.root(), 1)
    with psycopg.connect(place) as hand, ThreadPoolExecutor(1) as other:
        hand.execute("UPDATE counts SET size = size + 1 WHERE rows_of = 'transactions'")
        moving = other.submit(store.move_journal_mark, before, after, leaf)
        with pytest.raises(TimeoutError):
            moving.result(0.3)
        hand.rollback()
        assert moving.result(120) is CommitResult.COMMITTED


@pytest.mark.parametrize(
    "url", ["", "postgresql", "mysql://host/name", "postgresql+asyncpg://host/name", "http://[::1"]
)
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(Malformed):
        SqlStore(url)


def test_a_server_that_is_not_there_is_our_own_error_without_the_password() -> None:
    with pytest.raises(StoreFailed) as failed:
        SqlStore("postgresql://ann:secret-word@127.0.0.1:1/none")
    assert "secret-word" not in str(failed.value)


@on_postgresql
def test_a_match_that_pays_while_an_account_is_looked_at_keeps_it_from_being_erased(
    store: SqlStore, house: House
) -> None:
    match_id, ann, _ = house.live(500)
    engine = store._database._engine  # type: ignore[attr-defined]
    paid: list[str] = []

    def pay(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "EXISTS" in statement and not paid:
            paid.append(match_id)
            house.finish(match_id, Win(0))

    event.listen(engine, "after_cursor_execute", pay)
    with pytest.raises(AccountInUse):
        store.erase(ann, "nobody's", "asked for it", house.now, 0)
    assert paid
    assert store.wallet(ann, ASSET).cash > 0
    assert store.account_named(f"name {ann}") is not None


@on_postgresql
def test_who_leaves_tables_of_several_assets_takes_all_balances_before_a_number(
    place: str, store: SqlStore, house: House
) -> None:
    """Else it would hold the transactions' count and wait for a settlement that waits for the count."""
    ann = house.account(500)
    euros = ledger.deposit(house.id(), ann, 500, asset="EUR", at=house.now)
    store.deposit(ann, euros, house.once())
    for asset in ("EUR", ASSET):
        table = replace(house.new_table(ann, 500), asset=asset)
        store.open_table(table, 9)
        player = house.id()
        stake = ledger.sit(table.match_id, ann, player, 500, asset=asset, at=house.now)
        store.sit(Sitting(table.match_id, ann, player, None, house.now + 9, stake, house.now), house.once())
    with psycopg.connect(place) as hand, ThreadPoolExecutor(1) as other:
        hand.execute("SELECT FROM balances WHERE account = %s AND asset = %s FOR UPDATE", [ledger.cash(ann), ASSET])
        leaving = other.submit(store.exclude, ann, Exclusion("cool_off", house.now, house.now + 9))
        with psycopg.connect(place, autocommit=True) as onlooker:
            waiting = "datname = current_database() AND wait_event_type = 'Lock'"
            while not onlooker.execute(f"SELECT FROM pg_stat_activity WHERE {waiting}").fetchall():
                assert not leaving.done()
        hand.execute("SELECT FROM counts FOR UPDATE NOWAIT")
        hand.rollback()
        assert len(leaving.result(120)) == 2


@on_postgresql
def test_what_a_match_pays_is_one_call_in_which_nobody_can_stand_still(
    store: SqlStore, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two calls it would hold the number of the next transaction."""
    match_id, _, _ = house.live(500)
    append = house.append(match_id, lines=3, status=Status.ENDED, money=house.payout(match_id, Win(0)))
    calls = []

    def send(connection: psycopg.Connection, *query: Any) -> Any:
        calls.append(connection.info.transaction_status)
        return wait(connection, *query)

    wait = psycopg.Connection.wait
    monkeypatch.setattr(psycopg.Connection, "wait", send)
    assert store.commit(append) is CommitResult.COMMITTED
    assert calls == [TransactionStatus.IDLE]
    house.check()


@on_postgresql
def test_what_reads_all_balances_may_take_its_time_over_them(
    store: SqlStore, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.account(500)
    patience = []

    def watched(connection: Connection, asset: str) -> ledger.Books:
        patience.append(connection.execute(text("SHOW idle_in_transaction_session_timeout")).scalar_one())
        return of_asset(connection, asset)

    of_asset = books.of_asset
    monkeypatch.setattr(books, "of_asset", watched)
    assert store.whole_books().assets[ASSET] == store.books(ASSET)
    assert patience[0] == "0"
    assert patience[1] != "0", "it was for that transaction alone"


@on_postgresql
def test_a_migration_may_take_its_time(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    patience = []

    def migrate(connection: Connection) -> None:
        patience.append(connection.execute(text("SHOW idle_in_transaction_session_timeout")).scalar_one())

    monkeypatch.setattr("fairdeal.store.upgrade.migrate", migrate)
    upgrade(place)
    assert patience == ["0"]


@on_postgresql
def test_what_never_changes_is_frozen_when_it_is_first_vacuumed(place: str) -> None:
    """All at once it would be, after months, a reading of the whole database."""
    early = "SELECT relname FROM pg_class WHERE 'autovacuum_freeze_min_age=0' = ANY(reloptions)"
    with psycopg.connect(place) as connection:
        assert {name for (name,) in connection.execute(early)} == {table.name for table in APPEND_ONLY}


@on_postgresql
def test_the_servers_clock(store: SqlStore) -> None:
    """It may be another machine's, which is right to a minute."""
    told = store.clock_ms()
    assert told is not None
    assert abs(told - time.time() * 1_000) < 60_000
