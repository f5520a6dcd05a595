"""The database defends itself: SQL that no code of ours would run is refused, by the guard that is there for it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fairdeal.app.log_ports import Outage
from fairdeal.errors import LedgerBroken, RecordsBroken, SchemaMismatch
from fairdeal.ledger import Win, check_books
from fairdeal.match.leaves import outage_leaf
from fairdeal.store import SqlStore
from tests.store.house import ASSET, House
from tests.store.test_log import next_append

LIVE, ENDED, WAITING = 0, 1, 2


class Scene:
    """A database with a match of each kind, closed by us and opened with sqlite3's defaults (no foreign keys)."""

    def __init__(self, path: Path) -> None:
        store = SqlStore(path)
        house = House(store)
        self.player = ""
        self.matches = []
        live, self.player, _ = house.live(500)
        ended, _, _ = house.live(500)
        house.finish(ended, Win(0))
        waiting = house.open(self.player, 500)
        house.deposit(self.player, 500)
        house.sit(waiting, self.player)
        house.finish(house.live(0)[0], Win(0))
        store.identify("5" * 32, "a complaint", 5)
        self.matches = [live, ended, waiting]
        store.append_leaves(next_append(store))
        store.keep_checkpoint(store.log_head().size, "note")
        store.add_cosignature(store.log_head().size, "witness", "line")
        store.add_outage(Outage(1, 2), outage_leaf(1, 2), 2)
        store.close()
        self.path = path
        self.sql = sqlite3.connect(path, isolation_level=None)

    def run(self, script: str) -> None:
        names = {"live": self.matches[LIVE], "ended": self.matches[ENDED], "waiting": self.matches[WAITING]}
        script = script.format(**names, player=self.player, new="9" * 32)
        self.sql.execute("BEGIN")
        try:
            for statement in script.split(";"):
                self.sql.execute(statement)
            self.sql.execute("COMMIT")
        except sqlite3.Error:
            self.sql.execute("ROLLBACK")
            raise


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path / "house.db")
    with closing(scene.sql):
        yield scene


_ENTRIES = "INSERT INTO entries (transaction_id, account, asset, amount, balance) "
_HEADER = "INSERT INTO transactions (id, kind, asset, at, line) VALUES ('deposit:{new}', 'deposit', 'JETON', 5, x'00')"
_MINT = (
    "UPDATE balances SET balance = balance + 1 WHERE account = 'player:{player}:cash';"
    + _ENTRIES
    + "SELECT 'deposit:{new}', account, asset, 1, balance FROM balances WHERE account = 'player:{player}:cash';"
)
_PAID = (
    "UPDATE balances SET balance = balance - 1 WHERE account = 'cashier';"
    + _ENTRIES
    + "SELECT 'deposit:{new}', account, asset, -1, balance FROM balances WHERE account = 'cashier';"
)

# Each guard, and an attack that it alone stops (with the guards named taken away first, where others stop it too).
ATTACKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "events_have_no_gaps": ("INSERT INTO events VALUES ('{live}', 99, x'00')", ()),
    "events_end": (
        "INSERT INTO events SELECT '{ended}', max(n) + 1, x'00' FROM events WHERE match_id = '{ended}'",
        (),
    ),
    "entries_are_sealed": (
        _ENTRIES + "SELECT 'end:{ended}', 'house:tips', 'JETON', 5, 5",
        (),
    ),
    "entries_follow": (_ENTRIES + "VALUES ('deposit:{new}', 'tax', 'JETON', 5, 6)", ()),
    "transactions_sum_to_zero": (_MINT + _HEADER, ()),
    "transactions_meet_balances": (
        "UPDATE balances SET balance = balance + 7 WHERE account = 'player:{player}:cash';"
        + _ENTRIES
        + "SELECT 'deposit:{new}', account, asset, 1, balance - 6 FROM balances"
        " WHERE account = 'player:{player}:cash';" + _PAID + _HEADER,
        (),
    ),
    "balances_begin_at_zero": ("INSERT INTO balances VALUES ('player:{new}:cash', 'JETON', 5)", ()),
    "balances_keep_their_account": ("UPDATE balances SET asset = 'EUR'", ()),
    "balances_stay": ("DELETE FROM balances", ()),
    "holds_are_of_their_match": (
        "INSERT INTO hold_endings SELECT id, 'end:{ended}' FROM holds WHERE match_id = '{waiting}'",
        (),
    ),
    "match_endings_leave_nothing": (
        "UPDATE matches SET status = 'ended', due_at = NULL WHERE id = '{live}';"
        "INSERT INTO match_endings VALUES ('{live}', NULL, 5)",
        (),
    ),
    "matches_keep_their_terms": ("UPDATE matches SET stake = stake + 1 WHERE id = '{live}'", ()),
    "matches_go_forward": ("UPDATE matches SET size = size - 1", ()),
    "sittings_are_fixed": ("UPDATE seats SET partner_code = NULL", ()),
    "matches_stay": ("DELETE FROM matches", ()),
    "requests_keep_their_answer": ("UPDATE requests SET intent = x'00'", ()),
    "requests_stay": ("DELETE FROM requests", ()),
    "events_never_update": ("UPDATE events SET line = x'00'", ()),
    "events_never_delete": ("DELETE FROM events", ()),
    "events_never_replace": ("INSERT OR REPLACE INTO events VALUES ('{live}', 1, x'00')", ("events_have_no_gaps",)),
    "transactions_never_update": ("UPDATE transactions SET line = x'00'", ()),
    "transactions_never_delete": ("DELETE FROM transactions", ()),
    "transactions_never_replace": (
        "INSERT OR REPLACE INTO transactions (id, kind, asset, at, line)"
        " SELECT id, kind, asset, at, x'00' FROM transactions ORDER BY seq DESC LIMIT 1",
        (),
    ),
    "entries_never_update": ("UPDATE entries SET amount = amount + 1", ()),
    "entries_never_delete": ("DELETE FROM entries", ()),
    "entries_never_replace": (
        "INSERT OR REPLACE INTO entries SELECT seq, 'deposit:{new}', account, asset, amount, amount + balance"
        " FROM entries WHERE account = 'tax'",
        (),
    ),
    "holds_never_update": ("UPDATE holds SET amount = amount + 1", ()),
    "holds_never_delete": ("DELETE FROM holds", ()),
    "holds_never_replace": ("INSERT OR REPLACE INTO holds SELECT id, match_id, account_id, 1 FROM holds LIMIT 1", ()),
    "hold_endings_never_update": ("UPDATE hold_endings SET transaction_id = 'x'", ()),
    "hold_endings_never_delete": ("DELETE FROM hold_endings", ()),
    "hold_endings_never_replace": ("INSERT OR REPLACE INTO hold_endings SELECT * FROM hold_endings LIMIT 1", ()),
    "match_endings_never_update": ("UPDATE match_endings SET at = 6", ()),
    "match_endings_never_delete": ("DELETE FROM match_endings", ()),
    "match_endings_never_replace": ("INSERT OR REPLACE INTO match_endings VALUES ('{ended}', NULL, 6)", ()),
    "commitments_never_update": ("UPDATE commitments SET match_id = 'x'", ()),
    "commitments_never_delete": ("DELETE FROM commitments", ()),
    "commitments_never_replace": (
        "INSERT OR REPLACE INTO commitments SELECT commitment, 'x' FROM commitments LIMIT 1",
        (),
    ),
    "roster_never_update": ("UPDATE roster SET player = 'x' WHERE seq = 1", ()),
    "roster_never_delete": ("DELETE FROM roster WHERE seq = 1", ()),
    "roster_never_replace": (
        "INSERT OR REPLACE INTO roster SELECT 1, player FROM seats WHERE match_id = '{waiting}'",
        (),
    ),
    "significant_events_never_update": ("UPDATE significant_events SET at = 6", ()),
    "significant_events_never_delete": ("DELETE FROM significant_events", ()),
    "significant_events_never_replace": (
        "INSERT OR REPLACE INTO significant_events SELECT seq, at, kind, '{{}}' FROM significant_events",
        (),
    ),
    "leaves_are_queued_once": (
        "INSERT INTO log_queue (leaf, type, match_id)"
        " SELECT leaf, type, match_id FROM leaves WHERE type = 'open' LIMIT 1",
        (),
    ),
    "leaves_stand_once": (
        "UPDATE log_head SET size = size + 1;"
        "INSERT OR REPLACE INTO leaves SELECT (SELECT max(n) + 1 FROM leaves), leaf, type, match_id"
        " FROM leaves WHERE type = 'open' LIMIT 1",
        (),
    ),
    "leaves_have_no_gaps": ("INSERT INTO leaves VALUES ((SELECT max(n) + 1 FROM leaves), x'00', 'ledger', NULL)", ()),
    "leaves_never_update": ("UPDATE leaves SET leaf = x'00'", ()),
    "leaves_never_delete": ("DELETE FROM leaves", ()),
    "leaves_never_replace": (
        "INSERT OR REPLACE INTO leaves SELECT n, x'00', 'ledger', NULL FROM leaves LIMIT 1",
        ("leaves_have_no_gaps",),
    ),
    "log_head_grows": ("UPDATE log_head SET root = zeroblob(32)", ()),
    "log_head_stays": ("DELETE FROM log_head", ()),
    "log_head_is_made_once": ("INSERT OR REPLACE INTO log_head VALUES (1, 0, zeroblob(32))", ()),
    "tiles_grow": ("UPDATE tiles SET data = zeroblob(8192)", ()),
    "tiles_stay": ("DELETE FROM tiles", ()),
    "tiles_are_made_once": ("INSERT OR REPLACE INTO tiles SELECT level, n, zeroblob(32) FROM tiles", ()),
    "checkpoints_are_of_what_is_stored": ("INSERT INTO checkpoints VALUES (1000, 'note')", ()),
    "checkpoints_never_update": ("UPDATE checkpoints SET note = 'other'", ()),
    "checkpoints_never_delete": ("DELETE FROM checkpoints", ()),
    "checkpoints_never_replace": ("INSERT OR REPLACE INTO checkpoints SELECT size, 'other' FROM checkpoints", ()),
    "cosignatures_never_update": ("UPDATE cosignatures SET line = 'other'", ()),
    "cosignatures_never_delete": ("DELETE FROM cosignatures", ()),
    "cosignatures_never_replace": (
        "INSERT OR REPLACE INTO cosignatures SELECT size, witness, 'other' FROM cosignatures",
        (),
    ),
    "outages_never_update": ("UPDATE outages SET ended = ended + 1", ()),
    "outages_never_delete": ("DELETE FROM outages", ()),
    "outages_never_replace": ("INSERT OR REPLACE INTO outages SELECT seq, began, ended + 1 FROM outages", ()),
    "journal_mark_goes_forward": ("UPDATE journal_mark SET at = at + 1", ()),
    "journal_mark_stays": ("DELETE FROM journal_mark", ()),
    "journal_mark_is_made_once": ("INSERT OR REPLACE INTO journal_mark VALUES (1, 0, x'', 0)", ()),
    "seals_never_update": ("UPDATE seals SET sealed = x'00'", ()),
    "seals_never_delete": ("DELETE FROM seals", ()),
    "seals_never_replace": ("INSERT OR REPLACE INTO seals VALUES ('{live}', x'00')", ()),
}


def test_every_trigger_has_its_attack(scene: Scene) -> None:
    triggers = {name for (name,) in scene.sql.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    assert triggers == ATTACKS.keys()


@pytest.mark.parametrize("guard", ATTACKS)
def test_an_attack_is_stopped_by_its_guard_and_by_nothing_else(guard: str, scene: Scene) -> None:
    attack, others = ATTACKS[guard]
    for other in others:
        scene.sql.execute(f"DROP TRIGGER {other}")
    with pytest.raises(sqlite3.IntegrityError):
        scene.run(attack)
    scene.sql.execute(f"DROP TRIGGER {guard}")
    scene.run(attack)


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
        "INSERT INTO seats VALUES (NULL, '{waiting}', 1, '{player}', 'x', 5, NULL)",
        "UPDATE matches SET status = 'lost' WHERE id = '{live}'",
        "INSERT INTO schema VALUES (2, 1)",
        "UPDATE log_head SET size = size - 1",
        "UPDATE log_head SET size = size + 1; UPDATE log_head SET size = size + 1",
        "UPDATE tiles SET data = substr(data, 1, 32)",
        "UPDATE tiles SET data = data || x'00'",
        "UPDATE tiles SET n = n + 1, data = data || zeroblob(32)",
        "INSERT INTO tiles VALUES (1, 0, x'')",
        "INSERT INTO log_queue (leaf, type, match_id) VALUES (x'00', 'ledger', '{live}')",
        "INSERT INTO log_queue (leaf, type, match_id) VALUES (x'00', 'open', NULL)",
        "INSERT INTO outages (began, ended) VALUES (5, 5)",
        _HEADER,  # without entries
        _MINT + _HEADER.replace("'JETON'", "'EUR'"),
    ],
)
def test_other_attacks_are_refused_too(attack: str, scene: Scene) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        scene.run(attack)


def test_entries_without_a_header_do_not_commit_where_foreign_keys_are_on(scene: Scene) -> None:
    scene.sql.execute("PRAGMA foreign_keys = ON")
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        scene.run((_MINT + _PAID).removesuffix(";"))
    scene.run(_MINT + _PAID + _HEADER)


def test_an_edited_balance_is_found_and_stops_the_next_movement(scene: Scene) -> None:
    scene.run("UPDATE balances SET balance = balance + 1 WHERE account = 'player:{player}:cash'")
    store = SqlStore(scene.path)
    with pytest.raises(LedgerBroken, match="not the sum of its entries"):
        check_books(store.books(ASSET))
    with pytest.raises(RecordsBroken, match="does not follow"):
        House(store).deposit(scene.player, 5)
    store.close()


def test_every_header_keeps_the_bytes_of_its_entries(scene: Scene) -> None:
    headers = scene.sql.execute("SELECT id, line FROM transactions").fetchall()
    assert len(headers) > 8
    for transaction_id, line in headers:
        mine = "SELECT account, amount FROM entries WHERE transaction_id = ? ORDER BY seq"
        kept = scene.sql.execute(mine, [transaction_id]).fetchall()
        said = json.loads(line)
        assert said["id"] == transaction_id
        assert [(entry["account"], entry["amount"]) for entry in said["entries"]] == kept


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE schema SET version = version + 1",
        "DELETE FROM schema",
        "DROP TABLE schema",
        "DROP TRIGGER balances_stay",
        "CREATE TRIGGER seals_leak AFTER INSERT ON seals BEGIN SELECT 1; END",
    ],
)
def test_another_schema_is_refused(change: str, scene: Scene) -> None:
    scene.sql.execute(change)
    with pytest.raises(SchemaMismatch):
        SqlStore(scene.path)


def test_readiness_notices_a_lost_trigger(scene: Scene) -> None:
    store = SqlStore(scene.path)
    store.check_ready()
    scene.sql.execute("DROP TRIGGER balances_stay")
    with pytest.raises(SchemaMismatch):
        store.check_ready()
    store.close()


def test_somebody_elses_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_bytes(b"not a database " * 100)
    with pytest.raises(SchemaMismatch):
        SqlStore(text)
    assert text.read_bytes() == b"not a database " * 100
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as sql:
        sql.execute("CREATE TABLE cats (name TEXT)")
    with pytest.raises(SchemaMismatch):
        SqlStore(other)
    with closing(sqlite3.connect(other)) as sql:
        assert sql.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)
