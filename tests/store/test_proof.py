"""What the proof of the books reads, on every store; what it finds is in tests/api/test_proof.py."""

from fairdeal.app.ports import Store
from fairdeal.app.proof import prove
from fairdeal.ledger import Transaction, Win
from tests.store.house import ASSET, House


def test_the_books_of_a_live_match_hold(store: Store, house: House) -> None:
    house.live(500)
    made = prove(store)
    assert (made.fault, made.transactions, made.matches) == (None, 5, 0)
    assert store.whole_books().assets == {ASSET: store.books(ASSET)}


def test_transactions_are_what_headers_and_entries_say(store: Store, house: House) -> None:
    house.live(500)
    written = [Transaction.parse(line) for line in store.journal(0, 10)]
    kept = store.transactions([one.id for one in written[1:]] + ["pot:" + "f" * 32])
    assert {one.id: one for one in written[1:]} == dict(kept)


def test_ends_are_told_with_their_money(store: Store, house: House) -> None:
    first, ann, bob = house.live(500)
    waiting = house.open(ann, 0)
    house.finish(first, Win(1))
    house.cancel(waiting)
    paid, unpaid = store.match_ends(0, 10)
    assert (paid.match_id, paid.stake, paid.seated, paid.settled) == (first, 500, {0: ann, 1: bob}, True)
    assert paid.money is not None
    assert paid.money.id == f"end:{first}"
    assert paid.last == store.events(first)[-3:]
    assert (unpaid.match_id, unpaid.seated, unpaid.money, unpaid.settled) == (waiting, {}, None, True)
    assert store.match_ends(paid.seq, 10) == (unpaid,)
    assert store.match_ends(0, 1) == (paid,)
    told = prove(store).fault
    assert told is not None, "these are no events"
    assert told.startswith(f"match {first}: ")


def test_what_was_proved_is_kept_for_the_auditor(store: Store) -> None:
    assert store.newest_ledger_leaf() is None
    made = prove(store)
    store.keep_significant(made.event(9))
    assert store.significant_events(None, 1)[0].data == {
        "fault": None, "matches": 0, "root": made.root.hex(), "transactions": 0,
    }  # fmt: skip
