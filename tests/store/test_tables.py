"""What any store must do with tables that wait for players, said through the port alone."""

from dataclasses import replace

import pytest

from fairdeal.app.ports import CommitResult, Status, Store, Wallet
from fairdeal.errors import CommitmentReused, LimitExceeded, TableClosed, UnknownAccount, UnknownMatch
from fairdeal.ledger import Win
from tests.store.house import ASSET, MOST, NOBODY, House


def test_a_new_table_reads_back(store: Store, house: House) -> None:
    ann = house.account()
    new = house.new_table(ann, 500)
    store.open_table(new, MOST)
    table = house.table(new.match_id)
    assert (table.status, table.opener, table.seats, table.stake) == (Status.OPEN, ann, 2, 500)
    assert (table.line, table.size, table.seating, table.seated) == (new.line, 1, 0, ())
    assert (table.expires_at, table.due_at) == (new.expires_at, new.expires_at)
    assert store.events(new.match_id) == (new.line,)
    assert store.sealed_seed(new.match_id) == new.sealed_seed
    assert store.table(NOBODY) is None
    assert store.events(NOBODY) == ()
    with pytest.raises(UnknownMatch):
        store.sealed_seed(NOBODY)


def test_a_commitment_opens_one_table_ever(store: Store, house: House) -> None:
    ann = house.account()
    first, second = house.new_table(ann, 0), house.new_table(ann, 0)
    store.open_table(first, MOST)
    with pytest.raises(CommitmentReused):
        store.open_table(replace(second, commitment=first.commitment), MOST)
    assert store.table(second.match_id) is None
    store.open_table(second, MOST)


def test_an_opener_has_a_bounded_number_of_unfinished_tables(store: Store, house: House) -> None:
    ann, ben = house.account(), house.account()
    first = house.new_table(ann, 0)
    store.open_table(first, 2)
    store.open_table(house.new_table(ann, 0), 2)
    with pytest.raises(LimitExceeded):
        store.open_table(house.new_table(ann, 0), 2)
    store.open_table(house.new_table(ben, 0), 2)
    house.sit(first.match_id, ann)
    house.sit(first.match_id, ben)
    house.start(first.match_id)
    with pytest.raises(LimitExceeded):
        store.open_table(house.new_table(ann, 0), 2)
    house.finish(first.match_id, Win(0))
    store.open_table(house.new_table(ann, 0), 2)


def test_nobody_opens_no_table(store: Store, house: House) -> None:
    with pytest.raises(UnknownAccount):
        house.open(NOBODY, 0)


def test_the_list_shows_public_open_tables_newest_first_in_pages(store: Store, house: House) -> None:
    ann, bob = house.account(), house.account()
    plain = [house.open(ann, 0) for _ in range(3)]
    private = house.open(ann, 0, code="K7Q2")
    full = house.open(ann, 0)
    house.sit(full, ann)
    house.sit(full, bob)
    cancelled = house.open(ann, 0)
    house.cancel(cancelled)
    listed = store.open_tables(None, 10)
    assert [table.match_id for table in listed] == plain[::-1]
    assert store.open_tables(listed[0].seq, 1) == listed[1:2]
    by_code = store.table_with_code("K7Q2")
    assert by_code is not None
    assert by_code.match_id == private
    assert store.table_with_code("k7q2") is None
    assert store.table_with_code("K7Q2\0") is None


@pytest.mark.parametrize("seated", [0, 1, 2])
def test_a_cancelled_table_gives_everything_back(seated: int, store: Store, house: House) -> None:
    players = [house.account(500) for _ in range(2)]
    match_id = house.open(players[0], 500)
    for player in players[:seated]:
        house.sit(match_id, player)
    house.cancel(match_id)
    assert [store.wallet(player, ASSET) for player in players] == [Wallet(500, 0)] * 2
    with pytest.raises(TableClosed):
        house.sit(match_id, house.account(500))


def test_a_cancellation_decided_before_somebody_sat_is_stale(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account(500)
    match_id = house.open(ann, 500)
    house.sit(match_id, ann)
    cancellation = house.cancellation(match_id)
    house.sit(match_id, bob)
    assert house.commit(cancellation) is CommitResult.STALE
    assert store.wallet(ann, ASSET) == Wallet(0, 500)
