"""A deposit or a payout that should not have been is undone by a transaction that names it, over both databases."""

from dataclasses import replace

import pytest

from fairdeal import ledger
from fairdeal.app.cashier_ports import Moved
from fairdeal.app.ports import Store
from fairdeal.app.proof import prove
from fairdeal.errors import InsufficientFunds, Malformed, NotReversible, Refused, UnknownAccount, WithdrawalEnded
from fairdeal.ledger import Kind, Win
from tests.store.house import ASSET, House, together


def newest(store: Store) -> ledger.Transaction:
    return ledger.Transaction.parse(store.journal(0, 1_000)[-1])


def paid(house: House, account: str, amount: int) -> str:
    asked = house.withdraw(account, amount)
    house.end(asked, "paid")
    return f"withdrawn:{asked}"


def test_a_deposit_is_taken_back_once(store: Store, house: House) -> None:
    account = house.account(70)
    house.deposit(account, 5)
    mistake = newest(store)
    done = house.reverse(mistake.id)
    made = newest(store)
    assert (done.transaction, done.balance) == (made.id, 70)
    assert (made.id, made.kind) == (f"reversal:{mistake.id.split(':')[1]}", Kind.REVERSAL)
    assert {one.account: one.amount for one in made.postings} == {"cashier": 5, ledger.cash(account): -5}
    with pytest.raises(NotReversible) as refused:
        house.reverse(mistake.id)
    assert refused.value.details == {"why": "reversed"}
    (event,) = store.significant_events(None, 10)
    assert (event.kind, event.data) == (
        "reversal",
        {"account": account, "reason": "a slip", "transaction": mistake.id},
    )
    assert prove(store).fault is None


def test_a_payout_is_given_back_once_and_its_withdrawal_says_so(store: Store, house: House) -> None:
    account = house.account(70)
    mistake, other = paid(house, account, 50), paid(house, account, 5)
    (_, before) = store.withdrawals(account, None, 10)
    assert (before.result, before.reversed_at) == ("paid", None)
    done = house.reverse(mistake)
    assert done.balance == 65
    last, first = store.withdrawals(account, None, 10)
    assert first == replace(before, reversed_at=done.at)
    assert (f"withdrawn:{last.id}", last.reversed_at) == (other, None)
    assert house.end(first.id, "paid") == first, "it stays ended"
    with pytest.raises(WithdrawalEnded):
        house.end(first.id, "refused")
    with pytest.raises(NotReversible):
        house.reverse(mistake)
    assert store.wallet(account, ASSET).cash == 65
    assert prove(store).fault is None


def test_nothing_goes_below_zero(store: Store, house: House) -> None:
    """What was spent is not there: it can be taken back later, if it ever is again."""
    account = house.account(500)
    mistake = newest(store).id
    table = house.open(account, 1)
    seat = house.sit(table, account)
    before = store.journal(0, 100)
    with pytest.raises(InsufficientFunds):
        house.reverse(mistake)
    assert store.journal(0, 100) == before
    assert store.significant_events(None, 10) == ()
    house.stand_up(table, seat)
    assert house.reverse(mistake).balance == 0


def test_nothing_else_is_reversed(store: Store, house: House) -> None:
    match_id, ann, _ = house.live(500)
    house.finish(match_id, Win(0))
    refused = house.withdraw(ann, 5)
    house.end(refused, "refused")
    asked = house.withdraw(ann, 5)
    others = [ledger.Transaction.parse(line) for line in store.journal(0, 100)]
    kinds = {one.kind: one for one in others if one.kind is not Kind.DEPOSIT}
    assert kinds.keys() == {Kind.SIT, Kind.POT, Kind.FINISH, Kind.WITHDRAW, Kind.REFUSAL}
    for one in kinds.values():
        with pytest.raises(NotReversible) as wrong:
            house.reverse(one.id)
        assert wrong.value.details == {"why": "kind"}
        with pytest.raises(Malformed):
            ledger.reverse(one, at=0)
    for name in (f"deposit:{'f' * 32}", f"withdrawn:{asked}"):
        with pytest.raises(NotReversible) as unknown:
            house.reverse(name)
        assert unknown.value.details == {"why": "unknown"}
    house.end(asked, "paid")
    done = house.reverse(f"withdrawn:{asked}")
    with pytest.raises(NotReversible) as again:
        house.reverse(done.transaction)
    assert again.value.details == {"why": "kind"}, "a reversal stands"


def test_who_was_erased_is_given_nothing_back(store: Store, house: House) -> None:
    account = house.account(5)
    mistake = paid(house, account, 5)
    store.erase(account, "nobody's", "asked for it", house.now, 0)
    with pytest.raises(UnknownAccount):
        house.reverse(mistake)


def test_many_at_once_undo_it_once(store: Store, house: House) -> None:
    account = house.account(70)
    house.deposit(account, 5)
    mistake, same = newest(store).id, house.once()
    keys = [same, same, house.once(), house.once()]
    outcomes = together(*(lambda once=once: store.reverse(mistake, "a slip", house.now, once) for once in keys))
    refusals = [one for one in outcomes if isinstance(one, Refused)]
    assert all(isinstance(one, NotReversible) for one in refusals)
    assert len({one.transaction for one in outcomes if isinstance(one, Moved)}) == 1
    assert store.wallet(account, ASSET).cash == 70
    house.check()
