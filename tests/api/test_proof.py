"""The nightly proof sees whatever is changed in the money's records by a hand that can drop triggers."""

import logging
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from fairdeal.app import proof
from fairdeal.app.proof import DAY_MS, prove
from fairdeal.errors import StoreFailed
from fairdeal.ledger import Transaction
from fairdeal.store import SqlStore
from tests.api.table import (
    AUDITOR,
    OPERATOR,
    FakeClock,
    Person,
    Player,
    Service,
    bearer,
    join_two,
    ok,
    sit_two,
    start_two,
)
from tests.cli.command import run

PATIENCE_S = 60


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service's files: matches that ended in every way that money can, one that is live, one that waits, a
    withdrawal, and a `ledger` leaf over all of it.
    """
    service = Service(tmp_path_factory.mktemp("played"), {"fees": {"commission_bp": 500, "tax_bp": 200}})
    names = count()
    service.person = lambda name, money=0: Person(service, f"{name}{next(names)}", money)  # type: ignore[method-assign]
    resigned, voided, lost = start_two(service), start_two(service), start_two(service)
    ok(resigned[0].send(resigned[0].sign({"resign": True})))
    ok(service.http.post(f"/v1/matches/{voided[0].m}/void", headers=bearer(OPERATOR)))
    service.app.state.services.matches.lose(lost[0].m, service.clock.ms, logged=False)
    half, neither, nobody = join_two(service), join_two(service), sit_two(service)
    half[0].send_seed()
    service.tick(100_000)
    start_two(service)
    start_two(service, stake=0)
    resigned = start_two(service, stake=0)
    ok(resigned[1].send(resigned[1].sign({"resign": True})))
    alice = service.person("waiting", 100)
    Player(alice, ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"])
    ok(alice.post("/v1/withdrawals", {"amount": 7}, key="a-withdrawal"))
    service.app.state.sequencer.look()
    assert neither
    assert nobody
    service.stop()
    return service.folder


@pytest.fixture
def service(played: Path, tmp_path: Path) -> Iterator[Service]:
    """On a copy of these files."""
    shutil.copytree(played, tmp_path / "service")
    clock = FakeClock()
    clock.ms += 200_000
    running = Service(tmp_path / "service", {"auditor_token": AUDITOR}, clock, "second")
    yield running
    running.stop()


def fault_after(played: Path, folder: Path, *statements: str) -> str:
    """What the proof finds in a copy of these files, changed so."""
    shutil.copy(played / "fairdeal.db", folder)
    tamper(folder, *statements)
    store = SqlStore(folder / "fairdeal.db")
    told = prove(store).fault
    store.close()
    assert told is not None
    return told


def tamper(folder: Path, *statements: str) -> None:
    """The triggers are away for as long as it takes, and back as they were."""
    with closing(sqlite3.connect(folder / "fairdeal.db")) as database:
        triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            assert database.execute(statement).rowcount > 0, statement
        for _, made in triggers:
            database.execute(made)
        database.commit()


def test_what_was_played_holds(service: Service) -> None:
    made = prove(service.store)
    assert made.fault is None
    lines = service.store.journal(0, 1_000)
    assert (made.transactions, made.matches) == (len(lines), 7)
    kinds = {Transaction.parse(line).kind.value for line in lines}
    assert kinds == {"deposit", "withdraw", "sit", "pot", "finish", "seed", "void", "cancel"}
    assert service.store.newest_ledger_leaf() is not None


CASH = "(SELECT account FROM balances WHERE account LIKE '%:cash' ORDER BY account LIMIT 1)"
FINISH = "(SELECT id FROM transactions WHERE kind = 'finish' ORDER BY seq LIMIT 1)"
FAULTS = {
    "a balance": (["UPDATE balances SET balance = balance + 1 WHERE account = 'tax'"], "tax: the balance"),
    "two balances": (
        [f"UPDATE balances SET balance = balance + CASE account WHEN 'cashier' THEN -5 ELSE 5 END"
         f" WHERE account IN ('cashier', {CASH})"],
        ": the balance is not the sum of its entries",
    ),
    "an entry": (
        ["UPDATE entries SET amount = amount + 1 WHERE seq = 2"], "a transaction's entries sum to zero",
    ),
    "an entry's account": (
        [f"UPDATE entries SET account = {CASH} WHERE account = 'house:commission'"],
        "its header and entries are not its line's",
    ),
    "an entry gone": (["DELETE FROM entries WHERE seq = 2"], "two entries or more"),
    "a header": (["UPDATE transactions SET kind = 'void' WHERE kind = 'finish'"], "are not its line's"),
    "a header's time": (["UPDATE transactions SET at = at + 1 WHERE seq = 3"], "are not its line's"),
    "a line": (
        ["UPDATE transactions SET line = CAST(CAST(line AS TEXT) || ' ' AS BLOB)"
         " WHERE seq = 1"],
        "canonical form",
    ),
    "a transaction gone": (
        ["DELETE FROM entries WHERE transaction_id = (SELECT id FROM transactions WHERE seq = 5)",
         "DELETE FROM transactions WHERE seq = 5"],
        "a numbered record is missing",
    ),
    "a hold that has ended": (
        ["DELETE FROM hold_endings WHERE hold_id = (SELECT min(hold_id) FROM hold_endings)"],
        "not what its open holds say",
    ),
    "a hold that has not": (
        ["UPDATE holds SET amount = amount + 1 WHERE id NOT IN (SELECT hold_id FROM hold_endings)"],
        "not what its open holds say",
    ),
    "a withdrawal": (["UPDATE withdrawals SET amount = amount + 1"], "not what its open withdrawals say"),
    "a live match's stake": (
        ["UPDATE matches SET stake = stake + 1 WHERE status = 'live' AND stake > 0"], "not what its live match staked",
    ),
    "a match that ends unpaid": (
        ["UPDATE matches SET status = 'ended', due_at = NULL WHERE status = 'live' AND stake > 0"],
        "not what its live match staked",
    ),
    "an end without its money": (
        ["DELETE FROM match_endings WHERE rowid = (SELECT max(rowid) FROM match_endings)"],
        "it has ended, and its money has not",
    ),
    "an end with other money": (
        [f"UPDATE match_endings SET transaction_id = {FINISH} WHERE transaction_id <> {FINISH}"],
        "what was paid is not what its events say",
    ),
    "an end with no money": (
        [f"UPDATE match_endings SET transaction_id = NULL WHERE transaction_id = {FINISH}"],
        "what was paid is not what its events say",
    ),
    "a stake that did not come back": (
        ["UPDATE match_endings SET transaction_id = NULL WHERE transaction_id IN"
         " (SELECT id FROM transactions WHERE kind = 'cancel')"],
        "what was paid is not what its events say",
    ),
    "a settlement": (
        ["UPDATE events SET line = CAST(replace(CAST(line AS TEXT), '\"seat:0\"', '\"seat:1\"') AS BLOB)"
         " WHERE CAST(line AS TEXT) LIKE '%\"settle\"%'"],
        "match ",
    ),
    "whose seat it was": (
        [f"UPDATE seats SET account_id = (SELECT max(id) FROM accounts) WHERE seat = 1 AND match_id ="
         f" (SELECT match_id FROM transactions WHERE id = {FINISH})"],
        "what was paid is not what its events say",
    ),
    "the log's word for it": (
        ["UPDATE leaves SET leaf = CAST(substr(CAST(leaf AS TEXT), 1, 9) || CASE substr(CAST(leaf AS TEXT), 10, 1)"
         " WHEN 'a' THEN 'b' ELSE 'a' END || substr(CAST(leaf AS TEXT), 11) AS BLOB) WHERE type = 'ledger'"],
        "are not those that the log has",
    ),
    "one story told everywhere": (
        # A deposit of one more, in line, entries and balances: only the log remembers what it was.
        ["UPDATE transactions SET line = CAST(replace(replace(CAST(line AS TEXT), ':100}', ':101}'), ':-100}',"
         " ':-101}') AS BLOB) WHERE seq = (SELECT max(seq) FROM transactions WHERE kind = 'deposit')",
         "UPDATE entries SET amount = amount + sign(amount), balance = balance + sign(amount)"
         " WHERE transaction_id = (SELECT id FROM transactions WHERE kind = 'deposit' ORDER BY seq DESC LIMIT 1)",
         "UPDATE balances SET balance = balance + CASE account WHEN 'cashier' THEN -1 ELSE 1 END WHERE account IN"
         " (SELECT account FROM entries WHERE transaction_id ="
         " (SELECT id FROM transactions WHERE kind = 'deposit' ORDER BY seq DESC LIMIT 1))"],
        "are not those that the log has",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_every_record_that_is_changed_is_found(fault: str, played: Path, tmp_path: Path) -> None:
    statements, found = FAULTS[fault]
    assert found in fault_after(played, tmp_path, *statements)


def test_a_journal_that_is_shorter_than_the_log_says_is_found(played: Path, tmp_path: Path) -> None:
    longer = "CAST(replace(CAST(leaf AS TEXT), '\"size\":', '\"size\":1') AS BLOB)"
    told = fault_after(played, tmp_path, f"UPDATE leaves SET leaf = {longer} WHERE type = 'ledger'")
    assert "the journal ends after" in told


def test_once_a_day_and_the_auditor_reads_it(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    def proofs() -> list[tuple[int, object]]:
        told = ok(service.http.get("/v1/audit/events", headers=bearer(AUDITOR)))["events"]
        return [(one["at"], one["data"]["fault"]) for one in told if one["kind"] == "proof"]

    nightly, clock = service.app.state.nightly, service.clock
    nightly.look()
    assert proofs() == [], "the day of the first transaction is not over"
    midnight = (clock.ms // DAY_MS + 1) * DAY_MS
    clock.ms = midnight - 1
    nightly.look()
    assert proofs() == []
    clock.ms = midnight
    for _ in range(2):
        nightly.look()
        assert proofs() == [(midnight, None)]
        clock.ms += DAY_MS - 1
    tamper(service.folder, *FAULTS["a balance"][0])
    with caplog.at_level(logging.ERROR):
        nightly.look()
    assert [fault for _, fault in proofs()] == ["tax: the balance is not the sum of its entries", None]
    (record,) = [record for record in caplog.records if record.message == "incident"]
    assert "tax: the balance is not the sum of its entries" in record.__dict__["why"]


def test_without_money_there_is_nothing_to_prove(tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.clock.ms += 5 * DAY_MS
    service.app.state.nightly.look()
    assert service.store.last_significant("proof", {}) is None
    assert prove(service.store).fault is None
    service.stop()


def test_a_store_that_fails_is_no_fault_of_the_books(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept; the proof is owed."""

    def fails(*_: object) -> None:
        raise StoreFailed("the disk is gone")

    service.clock.ms += DAY_MS
    monkeypatch.setattr(service.store, "match_ends", fails)
    with pytest.raises(StoreFailed):
        service.app.state.nightly.look()
    assert service.store.last_significant("proof", {}) is None
    monkeypatch.undo()
    service.app.state.nightly.look()
    kept = service.store.last_significant("proof", {})
    assert kept is not None
    assert kept.at == service.clock.ms


def test_the_thread_makes_the_proof_and_stops_in_the_middle_of_one(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "_PAGE", 1)
    monkeypatch.setattr(proof, "_PAUSE_SECONDS", 60.0)
    service.clock.ms += DAY_MS
    begun, read = threading.Event(), service.store.transactions

    def one_page(ids: list[str]) -> object:
        begun.set()
        return read(ids)

    monkeypatch.setattr(service.store, "transactions", one_page)
    nightly = service.app.state.nightly
    nightly.start()
    assert begun.wait(PATIENCE_S)
    nightly.stop()
    assert service.store.last_significant("proof", {}) is None


def test_the_command_on_a_stopped_service(service: Service) -> None:
    database = service.folder / "fairdeal.db"
    refused = run("ledger", "check", "--database", database)
    assert refused.returncode == 1
    assert "database_locked" in refused.stderr
    service.stop()
    held = run("ledger", "check", "--database", database)
    assert (held.returncode, held.stderr) == (0, "")
    assert held.stdout.splitlines()[-1] == "the books hold"
    tamper(service.folder, *FAULTS["a balance"][0])
    broken = run("ledger", "check", "--database", database)
    assert broken.returncode == 1
    assert broken.stderr == "the books do not hold: tax: the balance is not the sum of its entries\n"
