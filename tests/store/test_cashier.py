"""Money in and out, over both databases: set aside at once, ended once, given back whole."""

import pytest

from fairdeal import ledger
from fairdeal.app.cashier_ports import Withdrawal
from fairdeal.app.once import Once
from fairdeal.app.ports import Store, Wallet
from fairdeal.errors import (
    IdempotencyConflict,
    InsufficientFunds,
    LedgerBroken,
    UnknownAccount,
    UnknownWithdrawal,
    WithdrawalEnded,
)
from tests.store.house import ASSET, NOBODY, House, together


def test_money_asked_for_is_set_aside_and_leaves_once(store: Store, house: House) -> None:
    ann = house.account(500)
    asked = house.withdraw(ann, 300)
    assert store.wallet(ann, ASSET) == Wallet(200, 0, 300)
    with pytest.raises(InsufficientFunds):
        house.withdraw(ann, 201)
    done = house.end(asked, "paid")
    assert (done.result, done.amount, done.ended_at) == ("paid", 300, house.now - 1)
    assert store.wallet(ann, ASSET) == Wallet(200, 0, 0)
    assert store.books(ASSET).balances[ledger.CASHIER] == -200
    assert house.end(asked, "paid") == done
    with pytest.raises(WithdrawalEnded) as refusal:
        house.end(asked, "refused")
    assert refusal.value.details == {"result": "paid"}
    assert store.wallet(ann, ASSET) == Wallet(200, 0, 0)


def test_a_refused_withdrawal_is_given_back_whole(store: Store, house: House) -> None:
    ann = house.account(500)
    asked = house.withdraw(ann, 500)
    house.end(asked, "refused")
    assert store.wallet(ann, ASSET) == Wallet(500, 0, 0)
    with pytest.raises(WithdrawalEnded):
        house.end(asked, "paid")


def test_pending_money_is_staked_nowhere(store: Store, house: House) -> None:
    ann = house.account(500)
    table = house.open(ann, 500)
    house.withdraw(ann, 1)
    with pytest.raises(InsufficientFunds):
        house.sit(table, ann)


def test_one_key_asks_once(store: Store, house: House) -> None:
    ann = house.account(500)
    once = Once(ann, "key-of-ann", b"1" * 32)
    money = [ledger.withdraw(f"{n:032x}", ann, 200, asset=ASSET, at=5) for n in (1, 2)]
    first = store.withdraw(f"{1:032x}", ann, money[0], once)
    assert store.withdraw(f"{2:032x}", ann, money[1], once) == first
    with pytest.raises(IdempotencyConflict):
        store.withdraw(f"{2:032x}", ann, money[1], Once(ann, "key-of-ann", b"2" * 32))
    assert store.wallet(ann, ASSET) == Wallet(300, 0, 200)


def test_nobody_withdraws_nothing_and_nothing_unknown_ends(store: Store, house: House) -> None:
    with pytest.raises(UnknownAccount):
        house.withdraw(NOBODY, 5)
    with pytest.raises(UnknownWithdrawal):
        house.end(NOBODY, "paid")


def test_a_withdrawal_is_of_the_account_it_names(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account(500)
    theirs = ledger.withdraw("1" * 32, bob, 200, asset=ASSET, at=5)
    with pytest.raises(LedgerBroken):
        store.withdraw("1" * 32, ann, theirs, house.once())
    with pytest.raises(LedgerBroken):
        store.withdraw("1" * 32, ann, ledger.deposit("1" * 32, ann, 200, asset=ASSET, at=5), house.once())
    assert store.wallet(ann, ASSET) == store.wallet(bob, ASSET) == Wallet(500, 0)


def test_own_ones_and_pending_ones_are_listed_newest_first(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account(500)
    asked = [house.withdraw(who, 10) for who in (ann, bob, ann, ann)]
    house.end(asked[2], "paid")
    own = store.withdrawals(ann, None, 2)
    assert [one.id for one in own] == [asked[3], asked[2]]
    assert [one.id for one in store.withdrawals(ann, own[-1].seq, 2)] == [asked[0]]
    waiting = store.pending_withdrawals(None, 2)
    assert [one.id for one in waiting] == [asked[3], asked[1]]
    assert [one.id for one in store.pending_withdrawals(waiting[-1].seq, 2)] == [asked[0]]


@pytest.mark.parametrize("_round", range(5))
def test_paid_and_refused_at_once_is_one_of_them(_round: int, store: Store, house: House) -> None:
    ann = house.account(500)
    asked = house.withdraw(ann, 500)
    keys = [house.once() for _ in range(6)]
    ends = ("paid", "refused", "paid", "refused", "paid", "refused")
    answers = together(
        *(lambda e=e, k=k: store.end_withdrawal(asked, e, 5, k) for e, k in zip(ends, keys, strict=True))  # type: ignore[misc]
    )
    results = {answer.result for answer in answers if isinstance(answer, Withdrawal)}
    assert len(results) == 1
    assert sum(isinstance(answer, WithdrawalEnded) for answer in answers) == 3
    house.check()
    left = store.wallet(ann, ASSET)
    assert left == (Wallet(0, 0, 0) if results == {"paid"} else Wallet(500, 0, 0))


def test_one_balance_is_withdrawn_or_staked(store: Store, house: House) -> None:
    ann = house.account(500)
    table = house.open(ann, 500)
    sitting = house.sitting(table, ann)
    money = ledger.withdraw("1" * 32, ann, 500, asset=ASSET, at=5)
    keys = [house.once() for _ in range(2)]
    answers = together(
        lambda: bool(store.sit(sitting, keys[0])),
        lambda: bool(store.withdraw("1" * 32, ann, money, keys[1])),
    )
    assert sum(isinstance(answer, InsufficientFunds) for answer in answers) == 1
    house.check()
    assert store.wallet(ann, ASSET) in (Wallet(0, 500, 0), Wallet(0, 0, 500))
