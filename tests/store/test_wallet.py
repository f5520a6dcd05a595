"""What any store must do with deposits, their retries and a player's wallet, said through the port alone."""

import pytest

from fairdeal import ledger
from fairdeal.app.once import Once
from fairdeal.app.ports import Store, Wallet
from fairdeal.errors import IdempotencyConflict, InsufficientFunds, LedgerBroken, LimitExceeded, UnknownAccount
from fairdeal.ledger import Win
from fairdeal.limits import MAX_SAFE_INTEGER
from tests.store.house import ASSET, NOBODY, House, together


def test_a_deposit_under_one_key_happens_once_and_is_answered_again(store: Store, house: House) -> None:
    ann = house.account()
    once = Once("operator", "key", b"1" * 32)
    money = ledger.deposit("1" * 32, ann, 700, asset=ASSET, at=5)
    first = store.deposit(ann, money, once)
    assert (first.transaction, first.balance, first.at) == (money.id, 700, 5)
    house.deposit(ann, 1)
    again = ledger.deposit("2" * 32, ann, 700, asset=ASSET, at=9)  # a retry knows nothing of the first id
    assert store.deposit(ann, again, once) == first
    assert store.wallet(ann, ASSET) == Wallet(701, 0)


def test_one_key_serves_one_intent_and_one_scope(store: Store, house: House) -> None:
    ann = house.account()
    money = [ledger.deposit(f"{n:032x}", ann, 700, asset=ASSET, at=5) for n in range(3)]
    store.deposit(ann, money[0], Once("operator", "key", b"1" * 32))
    with pytest.raises(IdempotencyConflict):
        store.deposit(ann, money[1], Once("operator", "key", b"2" * 32))
    store.deposit(ann, money[2], Once("another", "key", b"2" * 32))
    assert store.wallet(ann, ASSET) == Wallet(1400, 0)


def test_a_refusal_is_the_answer_for_ever(store: Store, house: House) -> None:
    match_id = house.open(house.account(), 500)
    poor = house.account()
    once = house.once()
    with pytest.raises(InsufficientFunds) as first:
        store.sit(house.sitting(match_id, poor), once)
    house.deposit(poor, 500)
    with pytest.raises(InsufficientFunds) as again:
        store.sit(house.sitting(match_id, poor), once)
    assert again.value.message == first.value.message
    assert house.table(match_id).seated == ()


def test_many_retries_at_once_move_money_once(store: Store, house: House) -> None:
    ann = house.account()
    once = Once("operator", "key", b"1" * 32)
    money = [ledger.deposit(f"{n:032x}", ann, 700, asset=ASSET, at=5) for n in range(8)]
    answers = together(*(lambda m=m: store.deposit(ann, m, once) for m in money))
    assert len(set(map(repr, answers))) == 1
    assert store.wallet(ann, ASSET) == Wallet(700, 0)


def test_nobody_gets_no_deposit(store: Store) -> None:
    with pytest.raises(UnknownAccount):
        store.deposit(NOBODY, ledger.deposit("1" * 32, NOBODY, 1, asset=ASSET, at=5), Once("operator", "k", b"1" * 32))


def test_a_deposit_is_of_the_account_it_names(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account()
    match_id = house.open(ann, 500)
    to_bob = ledger.deposit("1" * 32, bob, 5, asset=ASSET, at=5)
    sitting = ledger.sit(match_id, ann, house.id(), 500, asset=ASSET, at=5)
    taken_back = ledger.reverse(ledger.deposit("1" * 32, ann, 5, asset=ASSET, at=5), at=5)
    for money in (to_bob, sitting, taken_back):
        with pytest.raises(LedgerBroken):
            store.deposit(ann, money, house.once())


def test_no_more_money_than_numbers_hold(store: Store, house: House) -> None:
    ann = house.account(MAX_SAFE_INTEGER)
    with pytest.raises(LimitExceeded):
        house.deposit(ann, 1)
    ben = house.account()
    with pytest.raises(LimitExceeded):
        house.deposit(ben, 1)  # its own balance has room; the cashier's has not
    house.check()


def test_an_empty_wallet_has_no_lines(store: Store, house: House) -> None:
    ann = house.account()
    assert store.wallet(ann, ASSET) == Wallet(0, 0)
    assert store.wallet_lines(ann, ASSET, None, 10) == ()


def test_wallet_lines_come_newest_first_in_pages_with_the_balance_after(store: Store, house: House) -> None:
    match_id, winner, _ = house.live(500)
    house.finish(match_id, Win(0))
    house.deposit(winner, 10)
    lines = store.wallet_lines(winner, ASSET, None, 10)
    assert [(line.kind, line.amount, line.balance, line.match) for line in lines] == [
        ("deposit", 10, 915, None),
        ("finish", 905, 905, match_id),
        ("sit", -500, 0, match_id),
        ("deposit", 500, 500, None),
    ]
    assert lines[1].transaction == f"end:{match_id}"
    page = store.wallet_lines(winner, ASSET, lines[1].seq, 1)
    assert page == lines[2:3]
