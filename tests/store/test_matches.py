"""What any store must do with matches, their events and their money, said through the port alone."""

from dataclasses import replace

import pytest

from fairdeal import ledger
from fairdeal.app.ports import CommitResult, Status, Store, Wallet
from fairdeal.errors import Broken, CommitmentReused, LedgerBroken
from fairdeal.ledger import Refund, SeedForfeit, Win
from fairdeal.limits import MAX_TREE_SIZE
from tests.store.house import ASSET, MOST, NOBODY, House, together


def test_a_side_wins_two_shares(store: Store, house: House) -> None:
    people = [house.account(505) for _ in range(4)]
    match_id = house.open(people[0], 505, seats=4)
    for account_id in people:
        house.sit(match_id, account_id)
    house.start(match_id)
    house.finish(match_id, Win(1))
    net = 4 * 505 - 4 * 505 * 750 // 10_000 - 4 * 505 * 200 // 10_000
    assert net % 2, "an odd unit goes to the lower seat"
    paid = [store.wallet(account_id, ASSET).cash for account_id in people]
    assert paid == [0, net // 2 + 1, 0, net // 2]


def test_nothing_staked_moves_nothing(store: Store, house: House) -> None:
    ann, bob = house.account(), house.account()
    match_id = house.open(ann, 0)
    house.stand_up(match_id, house.sit(match_id, ann))
    house.sit(match_id, ann)
    house.sit(match_id, bob)
    house.start(match_id)
    house.finish(match_id, Win(0))
    assert store.books(ASSET).balances == {}
    assert store.wallet(ann, ASSET) == Wallet(0, 0)


@pytest.mark.parametrize(
    ("outcome", "first", "second", "house_gets"),
    [(Win(0), 905, 0, 75), (Win(1), 0, 905, 75), (SeedForfeit(1), 0, 1000, 0), (Refund(), 500, 500, 0)],
)
def test_a_match_is_paid_out(
    outcome: ledger.Outcome, first: int, second: int, house_gets: int, store: Store, house: House
) -> None:
    match_id, ann, bob = house.live(500)
    assert store.books(ASSET).balances[ledger.pot(match_id)] == 1000
    house.finish(match_id, outcome)
    assert (store.wallet(ann, ASSET).cash, store.wallet(bob, ASSET).cash) == (first, second)
    assert store.books(ASSET).balances.get(ledger.COMMISSION, 0) == house_gets
    table = house.table(match_id)
    assert (table.status, table.due_at, table.size) == (Status.ENDED, None, 6)


def test_a_match_ends_once(store: Store, house: House) -> None:
    match_id, ann, _ = house.live(500)
    ending = house.append(match_id, status=Status.ENDED, money=house.payout(match_id, Win(0)))
    assert house.commit(ending) is CommitResult.COMMITTED
    assert house.commit(ending) is CommitResult.STALE
    now = house.append(match_id, status=Status.ENDED, money=house.payout(match_id, Win(1)))
    assert house.commit(now) is CommitResult.STALE
    assert store.wallet(ann, ASSET).cash == 905


def test_events_are_kept_verbatim_in_order(store: Store, house: House) -> None:
    match_id, _, _ = house.live(0)
    append = replace(house.append(match_id), lines=(b'{"odd":"\xc3\xa9\\n"}', b"\x00\xff"))
    assert house.commit(append) is CommitResult.COMMITTED
    assert store.events(match_id, 3) == append.lines
    for beyond in (5, 2**31, MAX_TREE_SIZE):
        assert store.events(match_id, beyond) == ()
    assert len(store.events(match_id)) == house.table(match_id).size == 5


def test_an_append_on_another_size_is_stale_and_writes_nothing(store: Store, house: House) -> None:
    match_id, _, _ = house.live(500)
    ending = house.append(match_id, status=Status.ENDED, money=house.payout(match_id, Win(0)))
    before = house.table(match_id)
    for wrong in (before.size - 1, before.size + 1):
        assert house.commit(replace(ending, size=wrong)) is CommitResult.STALE
    assert house.commit(replace(ending, match_id=NOBODY, money=None)) is CommitResult.STALE
    assert house.table(match_id) == before
    assert len(store.events(match_id)) == before.size


def test_of_two_appends_at_once_one_is_stale(store: Store, house: House) -> None:
    match_id, _, _ = house.live(500)
    for _ in range(5):
        append = house.append(match_id)
        ways = [replace(append, lines=(b"%d" % way,)) for way in range(4)]
        answers = together(*(lambda way=way: store.commit(way) for way in ways))
        assert [answers.count(result) for result in CommitResult] == [1, 3]
        winner = ways[answers.index(CommitResult.COMMITTED)]
        assert store.events(match_id, append.size) == winner.lines


def test_a_join_reserves_its_commitment_for_ever(store: Store, house: House) -> None:
    ann = house.account()
    new = house.new_table(ann, 0)
    store.open_table(new, MOST)
    match_id, _, _ = house.live(0)
    before = house.table(match_id)
    with pytest.raises(CommitmentReused):
        house.commit(house.append(match_id, commitment=new.commitment))
    assert house.table(match_id) == before
    assert len(store.events(match_id)) == before.size
    fresh = house.id() * 2
    assert house.commit(house.append(match_id, commitment=fresh)) is CommitResult.COMMITTED
    with pytest.raises(CommitmentReused):
        store.open_table(replace(house.new_table(ann, 0), commitment=fresh), MOST)


def test_money_that_does_not_fit_the_match_is_refused_whole(store: Store, house: House) -> None:
    match_id, ann, _ = house.live(500)
    other, _, _ = house.live(500)
    refund = ledger.cancel(match_id, [ann], 500, asset=ASSET, at=house.now)
    half = ledger.pay_out(
        match_id, [ann], [ledger.Line("pot", -500), ledger.Line("seat:0", 500)], Refund(), asset=ASSET, at=house.now
    )
    before = house.table(match_id)
    house.deposit(ann, 500)
    sitting = ledger.sit(match_id, ann, house.id(), 500, asset=ASSET, at=house.now)
    for money in (house.payout(other, Win(0)), house.payout(match_id, Win(0)), sitting):
        with pytest.raises(LedgerBroken):
            house.commit(house.append(match_id, money=money))
    for money in (None, house.payout(other, Win(0)), refund, half):
        with pytest.raises(Broken):
            house.commit(house.append(match_id, status=Status.ENDED, money=money))
    assert house.table(match_id) == before
    house.finish(match_id, Win(0))


def test_a_hold_ends_whole_and_only_for_its_own_match(store: Store, house: House) -> None:
    ann, bob, cat = (house.account(500) for _ in range(3))
    waiting, full = house.open(ann, 500), house.open(bob, 500)
    house.sit(waiting, ann)
    house.sit(full, bob)
    house.sit(full, cat)
    part = ledger.form_pot(full, [bob, cat], 400, asset=ASSET, at=house.now)
    others = ledger.form_pot(full, [bob, ann], 500, asset=ASSET, at=house.now)
    for money in (part, others):
        with pytest.raises(LedgerBroken):
            house.commit(house.append(full, lines=2, money=money))
    house.start(full)


def test_the_due_time_can_move_alone(store: Store, house: House) -> None:
    match_id, _, _ = house.live(0)
    append = replace(house.append(match_id, lines=0), due_at=77)
    assert house.commit(append) is CommitResult.COMMITTED
    assert (house.table(match_id).due_at, house.table(match_id).size) == (77, 3)


def test_due_matches_come_longest_overdue_first(store: Store, house: House) -> None:
    ids = [house.live(0)[0] for _ in range(3)]
    for match_id, due_at in zip(ids, (30, 10, 20), strict=True):
        house.commit(replace(house.append(match_id), due_at=due_at))
    assert store.due_matches(9, 10) == ()
    assert store.due_matches(20, 10) == (ids[1], ids[2])
    assert store.due_matches(30, 1) == (ids[1],)
    house.finish(ids[1], Refund())
    assert store.due_matches(30, 10) == (ids[2], ids[0])


def test_unfinished_matches_are_all_that_have_not_ended(store: Store, house: House) -> None:
    live, _, _ = house.live(0)
    waiting = house.open(house.account(), 0)
    ended, _, _ = house.live(0)
    house.finish(ended, Refund())
    assert store.unfinished_matches() == (live, waiting)
