"""The database defends itself: SQL that no code of ours would run is refused, by the guard that is there for it."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Table

from fairdeal.errors import LedgerBroken, RecordsBroken, SchemaMismatch
from fairdeal.ledger import check_books
from fairdeal.store import SqlStore
from fairdeal.store.guards import APPEND_ONLY, NEVER_EMPTIED
from tests.store.attacks import ATTACKS, HEADER, MINT, PAID, REPLACEMENTS
from tests.store.house import ASSET, House
from tests.store.postgres import Postgres
from tests.store.scene import Refusal, Scene


@pytest.fixture
def scene(place: Path | str) -> Iterator[Scene]:
    with closing(Scene(place)) as scene:
        yield scene


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One database for every attack, each undone; without foreign keys, so that the guards stand alone."""
    if request.param == "sqlite":
        with closing(Scene(tmp_path_factory.mktemp("attacked") / "house.db")) as scene:
            yield scene
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.database()
    with closing(Scene(url)) as scene:
        scene.without_foreign_keys()
        yield scene
    postgres.drop(url)


def test_every_trigger_has_its_attack(attacked: Scene) -> None:
    if attacked.dialect == "sqlite":
        found = attacked.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        expected = ATTACKS.keys() | REPLACEMENTS.keys()
    else:
        found = attacked.rows("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        expected = ATTACKS.keys() | {f"{table.name}_never_emptied" for table in NEVER_EMPTIED}
    assert {name for (name,) in found} == expected


@pytest.mark.parametrize("guard", ATTACKS)
def test_an_attack_is_stopped_by_its_guard_and_by_nothing_else(guard: str, attacked: Scene) -> None:
    attack, others = ATTACKS[guard]
    with pytest.raises(Refusal):
        attacked.attempt(attack, *others)
    attacked.attempt(attack, *others, guard)


@pytest.mark.parametrize("attacked", ["sqlite"], indirect=True, scope="module")
@pytest.mark.parametrize("guard", REPLACEMENTS)
def test_a_replacement_is_stopped_by_its_guard_and_by_nothing_else(guard: str, attacked: Scene) -> None:
    attack, others = REPLACEMENTS[guard]
    with pytest.raises(Refusal):
        attacked.attempt(attack, *others)
    attacked.attempt(attack, *others, guard)


@pytest.mark.parametrize("attacked", ["postgresql"], indirect=True, scope="module")
@pytest.mark.parametrize("table", NEVER_EMPTIED, ids=str)
def test_a_table_is_never_emptied(table: Table, attacked: Scene) -> None:
    with pytest.raises(Refusal, match="never emptied"):
        attacked.attempt(f"TRUNCATE {table}")
    attacked.attempt(f"TRUNCATE {table}", f"{table}_never_emptied")


@pytest.mark.parametrize("attacked", ["postgresql"], indirect=True, scope="module")
@pytest.mark.parametrize("table", APPEND_ONLY, ids=str)
def test_an_upsert_changes_nothing_that_is_append_only(table: Table, attacked: Scene) -> None:
    key = [column.name for column in table.primary_key]
    upsert = f"INSERT INTO {table} SELECT * FROM {table} ON CONFLICT ({', '.join(key)})"
    with pytest.raises(Refusal):
        attacked.attempt(f"{upsert} DO UPDATE SET {key[0]} = EXCLUDED.{key[0]}")


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE balances SET balance = -1 WHERE account = 'player:{player}:cash'",
        "UPDATE balances SET balance = 9007199254740992 WHERE account = 'tax'",
        "INSERT INTO hold_endings SELECT hold_id, transaction_id FROM hold_endings LIMIT 1",
        "INSERT INTO match_endings VALUES ('{ended}', NULL, 5)",
        "UPDATE matches SET status = 'open' WHERE id = '{live}'",
        "UPDATE matches SET due_at = 5 WHERE id = '{ended}'",
        "UPDATE matches SET seating = seating - 1 WHERE id = '{waiting}'",
        "INSERT INTO seats (match_id, seat, account_id, player, sat_at) VALUES ('{waiting}', 1, '{player}', 'x', 5)",
        "UPDATE matches SET status = 'lost' WHERE id = '{live}'",
        "UPDATE counts SET size = size + 1; UPDATE counts SET size = size + 1",
        "INSERT INTO counts VALUES ('entries', 0)",
        "UPDATE log_head SET size = size - 1",
        "UPDATE log_head SET size = size + 1; UPDATE log_head SET size = size + 1",
        "UPDATE tiles SET data = substr(data, 1, 32)",
        "UPDATE tiles SET data = data || {byte}",
        "UPDATE tiles SET n = n + 1, data = data || {hash}",
        "INSERT INTO tiles VALUES (1, 0, {nothing})",
        "INSERT INTO log_queue (leaf, type, match_id) VALUES ({byte}, 'ledger', '{live}')",
        "INSERT INTO log_queue (leaf, type, match_id) VALUES ({byte}, 'open', NULL)",
        "INSERT INTO outages (began, ended) VALUES (5, 5)",
        "INSERT INTO limits (account_id, kind, period, amount, old_amount, asked_at, from_at)"
        " SELECT account_id, kind, period, amount + 1, amount, 9, 9 FROM limits LIMIT 1",
        "INSERT INTO limits (account_id, kind, period, amount, old_amount, asked_at, from_at)"
        " SELECT account_id, kind, period, NULL, amount, 9, 9 FROM limits LIMIT 1",
        "INSERT INTO exclusions (account_id, kind, at, until) VALUES ('{player}', 'cool_off', 5, NULL)",
        "INSERT INTO exclusions (account_id, kind, at, until) VALUES ('{player}', 'exclusion', 5, 5)",
        "UPDATE withdrawals SET result = 'paid'",
        "UPDATE withdrawals SET result = NULL, ended_at = NULL WHERE result = 'refused'",
        "UPDATE withdrawals SET result = 'paid', ended_at = 6 WHERE result = 'refused'",
        HEADER,  # without entries
        MINT + HEADER.replace("'JETON'", "'EUR'"),
    ],
)
def test_other_attacks_are_refused_too(attack: str, attacked: Scene) -> None:
    with pytest.raises(Refusal):
        attacked.attempt(attack)


def test_entries_without_a_header_do_not_commit_where_foreign_keys_are_on(scene: Scene) -> None:
    scene.with_foreign_keys()
    with pytest.raises(Refusal, match=r"foreign key|FOREIGN KEY"):
        scene.run((MINT + PAID).removesuffix(";"))
    scene.run(MINT + PAID + HEADER)


def test_an_edited_balance_is_found_and_stops_the_next_movement(scene: Scene) -> None:
    scene.run("UPDATE balances SET balance = balance + 1 WHERE account = 'player:{player}:cash'")
    store = SqlStore(scene.place)
    with pytest.raises(LedgerBroken, match="not the sum of its entries"):
        check_books(store.books(ASSET))
    with pytest.raises(RecordsBroken, match="does not follow"):
        House(store).deposit(scene.player, 5)
    store.close()


def test_every_header_keeps_the_bytes_of_its_entries(scene: Scene) -> None:
    headers = scene.rows("SELECT id, line FROM transactions")
    assert len(headers) > 8
    for transaction_id, line in headers:
        mine = f"SELECT account, amount FROM entries WHERE transaction_id = '{transaction_id}' ORDER BY seq"
        said = json.loads(line)
        assert said["id"] == transaction_id
        assert [(entry["account"], entry["amount"]) for entry in said["entries"]] == scene.rows(mine)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE alembic_version SET version_num = '9999'",
        "DELETE FROM alembic_version",
        "INSERT INTO alembic_version VALUES ('9999')",
        "DROP TABLE alembic_version",
    ],
)
def test_another_schema_is_refused(change: str, scene: Scene) -> None:
    scene.run(change)
    with pytest.raises(SchemaMismatch, match="needs version 0001"):
        SqlStore(scene.place)


_LEAK = "CREATE TRIGGER seals_leak AFTER INSERT ON seals "
_LEAKING = "CREATE FUNCTION leak() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL## END'"


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("sqlite", "DROP TRIGGER balances_stay"),
        ("sqlite", _LEAK + "BEGIN SELECT 1 ## END"),
        ("postgresql", "DROP TRIGGER balances_stay ON balances"),
        ("postgresql", "ALTER TABLE balances DISABLE TRIGGER balances_stay"),
        ("postgresql", _LEAKING + ";" + _LEAK + "FOR EACH ROW EXECUTE FUNCTION leak()"),
        ("postgresql", _LEAKING.replace("leak()", "balances_stay()").replace("CREATE", "CREATE OR REPLACE")),
        ("postgresql", "DROP FUNCTION append_step"),
        ("postgresql", "CREATE FUNCTION append_step(text) RETURNS boolean LANGUAGE sql AS 'SELECT true'"),
        ("postgresql", "ALTER FUNCTION post_transaction SECURITY DEFINER"),
        ("postgresql", "ALTER FUNCTION post_transaction SET search_path = elsewhere"),
        ("postgresql", "ALTER FUNCTION append_step STRICT"),
        ("postgresql", "ALTER FUNCTION append_step STABLE"),
    ],
    indirect=["place"],
)
def test_another_trigger_or_function_or_one_less_is_refused_at_the_start_and_noticed_later(
    change: str, scene: Scene
) -> None:
    store = SqlStore(scene.place)
    store.check_ready()
    scene.run(change)
    with pytest.raises(SchemaMismatch, match=r"triggers|functions"):
        store.check_ready()
    store.close()
    with pytest.raises(SchemaMismatch, match=r"triggers|functions"):
        SqlStore(scene.place)
