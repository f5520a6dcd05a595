"""What an auditor reads of the store: the journal, who sat where, and what the operator did."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy.event

from fairdeal.app.ports import CommitResult, SeatedPlayer, SignificantEvent, Status, Store
from fairdeal.ledger import Refund, Win
from fairdeal.store import SqlStore
from tests.store.house import House


def everybody(store: Store, match_id: str) -> tuple[SeatedPlayer, ...]:
    table = store.table(match_id)
    assert table is not None
    return tuple(SeatedPlayer(seat.account_id, match_id, seat.player, seat.seat) for seat in table.seated)


def test_the_journal_is_every_transaction_in_one_order_for_ever(store: Store, house: House) -> None:
    assert store.journal(0, 10) == ()
    match_id, *_ = house.live(500)
    before = store.journal(0, 1_000)
    assert [line.split(b'"kind":"')[1].split(b'"')[0] for line in before] == [
        b"deposit", b"deposit", b"sit", b"sit", b"pot",
    ]  # fmt: skip
    house.finish(match_id, Win(0))
    assert store.journal(0, 1_000)[:5] == before
    assert len(store.journal(0, 1_000)) == 6
    assert store.journal(2, 3) == before[2:]
    assert store.journal(6, 3) == ()


def test_a_seat_is_enrolled_with_the_last_join_and_stays(store: Store, house: House) -> None:
    """Seats of tables that nobody has joined yet, or that were called off, are nobody's business."""
    first, second = house.account(500), house.account(500)
    waiting, full = house.open(first, 0), house.open(first, 0)
    house.sit(waiting, first)
    for account in (first, second):
        house.sit(full, account)
    assert store.roster(0, 10) == ()
    later, *_ = house.live(100)
    house.start(full)
    assert store.roster(0, 10) == everybody(store, later) + everybody(store, full)
    for _ in range(2):
        assert house.commit(house.append(full)) is CommitResult.COMMITTED
    house.finish(full, Win(0))
    house.cancel(waiting)
    assert store.roster(0, 10) == everybody(store, later) + everybody(store, full)
    assert store.roster(1, 2) == (everybody(store, later) + everybody(store, full))[1:3]
    assert store.roster(4, 2) == ()


def test_who_a_pseudonym_is_and_that_it_was_asked(store: Store, house: House) -> None:
    match_id, *_ = house.live(500)
    seated = everybody(store, match_id)[1]
    assert store.identify(seated.player, "a court's order", 7) == seated
    assert store.identify("f" * 32, "a guess", 8) is None
    newest, oldest = store.significant_events(None, 10)
    asked = {"m": match_id, "player": seated.player, "reason": "a court's order", "seat": 1}
    assert (oldest.at, oldest.kind, oldest.data) == (7, "identify", asked)
    assert newest.data == {"m": None, "player": "f" * 32, "reason": "a guess", "seat": None}
    assert store.significant_events(newest.seq, 10) == (oldest,)
    assert store.significant_events(None, 1) == (newest,)
    assert store.significant_events(oldest.seq, 10) == ()


def test_the_last_of_a_kind_about_something(store: Store) -> None:
    assert store.last_significant("key", {}) is None
    for at, kind, data in (
        (1, "key", {"key": "log", "new": "1"}),
        (2, "key", {"key": "log", "new": "2"}),
        (3, "key", {"key": "sealing", "new": "3"}),
        (4, "schedule", {"key": "log", "new": {"id": "other", "tax_bp": 4}}),
    ):
        store.keep_significant(SignificantEvent(at, kind, data))  # type: ignore[arg-type]
    found = [store.last_significant("key", about) for about in ({"key": "log"}, {"key": "sealing"}, {}, {"key": None})]
    assert [event and event.at for event in found] == [2, 3, 3, None]
    schedule = store.last_significant("schedule", {"key": "log"})
    assert schedule is not None
    assert schedule.data["new"] == {"id": "other", "tax_bp": 4}


def test_events_of_one_kind_in_pages(store: Store) -> None:
    for at in range(9):
        store.keep_significant(SignificantEvent(at, "void" if at % 4 == 1 else "limit", {"m": str(at)}))
    first = store.significant_events(None, 2, "void")
    assert [event.at for event in first] == [5, 1]
    assert store.significant_events(first[0].seq, 2, "void") == first[1:]
    assert store.significant_events(first[1].seq, 2, "void") == ()
    assert [event.at for event in store.significant_events(None, 3, "limit")] == [8, 7, 6]
    assert [event.at for event in store.significant_events(None, 3)] == [8, 7, 6]


def test_the_last_about_something_is_found_behind_many_others(store: Store) -> None:
    for at, key in enumerate(["log", *["sealing"] * 40]):
        store.keep_significant(SignificantEvent(at, "key", {"key": key}))
    found = [store.last_significant("key", {"key": key}) for key in ("log", "sealing", "receipts")]
    assert [event and event.at for event in found] == [0, 40, None]


def test_a_kind_is_found_by_its_index_however_many_others_there_are(tmp_path: Path) -> None:
    """SQLite says how it looks for each statement that was sent; none asks for more than a page."""
    kept = SqlStore(tmp_path / "house.db")
    sent: list[tuple[str, tuple[object, ...]]] = []
    sqlalchemy.event.listen(
        kept._database._engine, "before_cursor_execute", lambda *told: sent.append((told[2], told[3]))
    )
    kept.last_significant("proof", {})
    kept.last_significant("key", {"key": "log"})
    kept.significant_events(None, 50, "limit")
    kept.significant_events(7, 50, "limit")
    kept.close()
    asked = [(sql, values) for sql, values in sent if sql.startswith("SELECT significant_events")]
    assert len(asked) == 4
    assert 1 in asked[0][1], "about nothing, the newest alone"
    with closing(sqlite3.connect(tmp_path / "house.db")) as database:
        for sql, values in asked:
            plan = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
            assert re.fullmatch(r"SEARCH significant_events USING INDEX \S+ \(kind=\?( AND seq<\?)?\)", *plan), plan
            assert "LIMIT" in sql


@pytest.mark.parametrize("stale", [False, True])
def test_a_significant_event_is_kept_with_its_append_or_not_at_all(stale: bool, store: Store, house: House) -> None:
    match_id, *_ = house.live(500)
    append = house.append(match_id, lines=3, status=Status.ENDED, money=house.payout(match_id, Refund()))
    voided = SignificantEvent(9, "void", {"m": match_id})
    fields = {name: getattr(append, name) for name in append.__slots__} | {"significant": voided}
    if stale:
        house.commit(house.append(match_id))
    result = house.commit(type(append)(**fields))
    assert result is (CommitResult.STALE if stale else CommitResult.COMMITTED)
    assert [(event.at, event.kind, event.data) for event in store.significant_events(None, 10)] == (
        [] if stale else [(9, "void", {"m": match_id})]
    )


def test_the_facts_of_a_match_are_its_own_whatever_else_moves(store: Store, house: House) -> None:
    ended, ann, bob = house.live(500)
    house.deposit(ann, 70)
    other = house.open(bob, 0)
    live, *_ = house.live(40)
    house.finish(ended, Win(1))
    newest, middle, oldest = store.match_facts(None, 10)
    assert [one.match_id for one in (newest, middle, oldest)] == [live, other, ended]
    assert (oldest.status, oldest.opener, oldest.visibility, oldest.ended_at) == ("ended", ann, "public", house.now)
    assert (oldest.size, oldest.head, oldest.last) == (6, store.events(ended), store.events(ended)[-3:])
    assert [(one.seat, one.account_id, one.player) for one in oldest.seated] == [
        (seat.seat, seat.account_id, seat.player) for seat in everybody(store, ended)
    ]
    moved = [(one.kind, one.account.removeprefix("player:"), one.amount, one.balance) for one in oldest.entries]
    assert [one for one in moved if one[0] == "sit"] == [
        ("sit", f"{ann}:cash", -500, 0), ("sit", f"{ann}:held", 500, 500),
        ("sit", f"{bob}:cash", -500, 0), ("sit", f"{bob}:held", 500, 500),
    ]  # fmt: skip
    assert ("finish", f"{bob}:cash", 905, 905) in moved, "750 and 200 basis points of 1000 are 95"
    assert (middle.ended_at, middle.last, middle.entries, middle.seated) == (None, (), (), ())
    assert store.match_facts(newest.seq, 1) == (middle,)
    assert store.match_facts(oldest.seq, 10) == ()
