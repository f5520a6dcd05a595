"""The ledger's rules by example; the figures are worked out by hand."""

import re
from pathlib import Path

import pytest

from fairdeal import ledger
from fairdeal.errors import LedgerBroken, Malformed
from fairdeal.ledger import (
    CASHIER,
    COMMISSION,
    TAX,
    Books,
    Fees,
    FeeSchedule,
    Kind,
    Line,
    Posting,
    Refund,
    SeedForfeit,
    Transaction,
    Win,
    cash,
    check_books,
    held,
    pending,
    pot,
    settlement,
)
from fairdeal.limits import MAX_SAFE_INTEGER

ANN, BOB, CAT, DAN = "a" * 32, "b" * 32, "c" * 32, "d" * 32
MATCH = "1" * 32
NO_CAP = MAX_SAFE_INTEGER
SHEET = FeeSchedule("house-1", 750, NO_CAP, 200, "pot")
FREE = FeeSchedule("free-1", 0, NO_CAP, 0, "pot")


def amounts(lines: tuple[Line, ...]) -> list[int]:
    return [line.amount for line in lines]


@pytest.mark.parametrize(
    ("schedule", "amount", "parts"),
    [
        (SHEET, 1000, Fees(75, 20, 905)),  # DUEL-MONEY-02
        (SHEET, 13, Fees(0, 0, 13)),  # both round down
        (SHEET, 14, Fees(1, 0, 13)),
        (SHEET, 0, Fees(0, 0, 0)),
        (FeeSchedule("cap", 750, 50, 200, "pot"), 1000, Fees(50, 20, 930)),
        (FeeSchedule("vat", 1000, NO_CAP, 2000, "commission"), 1009, Fees(100, 20, 889)),
        (FeeSchedule("vat-cap", 1000, 60, 2000, "commission"), 1009, Fees(60, 12, 937)),  # tax on the capped commission
        (FeeSchedule("all", 9999, NO_CAP, 1, "pot"), 10_000, Fees(9999, 1, 0)),
        (FREE, 1000, Fees(0, 0, 1000)),
    ],
)
def test_breakdown(schedule: FeeSchedule, amount: int, parts: Fees) -> None:
    assert schedule.breakdown(amount) == parts


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", ""),
        ("id", "House"),
        ("id", "house@1"),
        ("id", "x" * 33),
        ("commission_bp", -1),
        ("commission_bp", 9801),  # with the tax above the whole
        ("commission_bp", True),
        ("commission_cap", -1),
        ("commission_cap", NO_CAP + 1),
        ("tax_bp", -1),
        ("tax_bp", 9251),
        ("tax_base", "stake"),
    ],
)
def test_a_schedule_outside_its_ranges_is_refused(field: str, value: object) -> None:
    good: dict[str, object] = {
        "id": "house-1",
        "commission_bp": 750,
        "commission_cap": NO_CAP,
        "tax_bp": 200,
        "tax_base": "pot",
    }
    FeeSchedule(**good)  # type: ignore[arg-type]
    with pytest.raises(Malformed):
        FeeSchedule(**(good | {field: value}))  # type: ignore[arg-type]


def test_a_negative_pot_has_no_breakdown() -> None:
    with pytest.raises(Malformed):
        SHEET.breakdown(-1)


def test_settlement_of_a_win_keeps_zero_lines_and_their_order() -> None:
    assert settlement((0, 1), 500, Win(1), SHEET) == (
        Line("pot", -1000),
        Line("seat:0", 0),
        Line("seat:1", 905),
        Line("commission", 75),
        Line("tax", 20),
    )


def test_settlement_of_a_refund_takes_no_fee() -> None:
    assert amounts(settlement((0, 1), 500, Refund(), SHEET)) == [-1000, 500, 500, 0, 0]


def test_settlement_of_the_seed_phase_gives_own_stake_and_one_of_the_others_without_fee() -> None:
    assert amounts(settlement((0, 1), 500, SeedForfeit(0), SHEET)) == [-1000, 1000, 0, 0, 0]
    assert amounts(settlement((0, 1, 0, 1), 500, SeedForfeit(1), SHEET)) == [-2000, 0, 1000, 0, 1000, 0, 0]


def test_the_worked_example_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text()
    rows = re.findall(r"^\| `([a-z:0-9]+)` \| (−?\d+) \|", text, re.MULTILINE)
    written = tuple(Line(account, int(amount.replace("−", "-"))) for account, amount in rows)
    assert settlement((0, 1), 667, Win(1), SHEET) == written


def test_a_side_of_two_shares_evenly_and_the_odd_unit_goes_to_the_lower_seat() -> None:
    odd = FeeSchedule("odd", 100, 1, 0, "pot")
    assert amounts(settlement((0, 1, 0, 1), 100, Win(1), odd)) == [-400, 0, 200, 0, 199, 1, 0]


def test_nothing_staked_nothing_settled() -> None:
    assert settlement((0, 1), 0, Win(0), SHEET) == ()


@pytest.mark.parametrize(
    ("sides", "stake", "outcome"),
    [
        ((), 500, Refund()),
        ((0, 0, 1), 500, Refund()),
        ((0, 1), -1, Refund()),
        ((0, 1), MAX_SAFE_INTEGER // 2 + 1, Refund()),
        ((0, 1), 500, Win(2)),
        ((0, 1), 500, SeedForfeit(-1)),
    ],
)
def test_settlement_refuses_what_no_table_has(sides: tuple[int, ...], stake: int, outcome: ledger.Outcome) -> None:
    with pytest.raises(Malformed):
        settlement(sides, stake, outcome, SHEET)


def entries(transaction: Transaction) -> dict[str, int]:
    return {posting.account: posting.amount for posting in transaction.postings}


def test_every_movement() -> None:
    deposit = ledger.deposit("e" * 32, ANN, 1000, asset="JETON", at=5)
    assert entries(deposit) == {CASHIER: -1000, cash(ANN): 1000}
    sit = ledger.sit(MATCH, ANN, "f" * 32, 500, asset="JETON", at=5)
    assert entries(sit) == {cash(ANN): -500, held(ANN): 500}
    stand = ledger.stand_up(MATCH, ANN, "f" * 32, 500, asset="JETON", at=5)
    assert entries(stand) == {cash(ANN): 500, held(ANN): -500}
    formed = ledger.form_pot(MATCH, [ANN, BOB], 500, asset="JETON", at=5)
    assert entries(formed) == {pot(MATCH): 1000, held(ANN): -500, held(BOB): -500}
    cancelled = ledger.cancel(MATCH, [ANN], 500, asset="JETON", at=5)
    assert entries(cancelled) == {held(ANN): -500, cash(ANN): 500}
    kinds = [deposit.kind, sit.kind, stand.kind, formed.kind, cancelled.kind]
    assert kinds == [Kind.DEPOSIT, Kind.SIT, Kind.STAND, Kind.POT, Kind.CANCEL]


@pytest.mark.parametrize(
    ("outcome", "kind", "expected"),
    [
        (Win(1), Kind.FINISH, {pot(MATCH): -1000, cash(BOB): 905, COMMISSION: 75, TAX: 20}),
        (SeedForfeit(0), Kind.SEED, {pot(MATCH): -1000, cash(ANN): 1000}),
        (Refund(), Kind.VOID, {pot(MATCH): -1000, cash(ANN): 500, cash(BOB): 500}),
    ],
)
def test_paying_out_turns_lines_into_entries(outcome: ledger.Outcome, kind: Kind, expected: dict[str, int]) -> None:
    lines = settlement((0, 1), 500, outcome, SHEET)
    paid = ledger.pay_out(MATCH, [ANN, BOB], lines, outcome, asset="JETON", at=5)
    assert (paid.id, paid.kind, entries(paid)) == (f"end:{MATCH}", kind, expected)


def test_the_end_of_a_match_has_one_id_however_it_ends() -> None:
    lines = settlement((0, 1), 500, Refund(), SHEET)
    void = ledger.pay_out(MATCH, [ANN, BOB], lines, Refund(), asset="JETON", at=5)
    assert void.id == ledger.cancel(MATCH, [ANN, BOB], 500, asset="JETON", at=5).id


def test_a_line_of_no_account_is_refused() -> None:
    with pytest.raises(Malformed):
        ledger.pay_out(MATCH, [ANN], [Line("pot", -1), Line("seat:1", 1)], Refund(), asset="JETON", at=5)


@pytest.mark.parametrize("amount", [0, -5])
def test_a_deposit_is_more_than_nothing(amount: int) -> None:
    with pytest.raises(Malformed):
        ledger.deposit("e" * 32, ANN, amount, asset="JETON", at=5)


def test_an_accounts_name_says_whose_it_is_and_what_for() -> None:
    own = {"cash": ledger.cash(ANN), "held": ledger.held(ANN), "pending": ledger.pending(ANN), "pot": ledger.pot(MATCH)}
    house = {"commission": ledger.COMMISSION, "tax": ledger.TAX, "cashier": ledger.CASHIER}
    assert [ledger.owner(account) for account in own.values()] == [ANN, ANN, ANN, MATCH]
    assert {ledger.purpose(account): account for account in (own | house).values()} == own | house
    for account in house.values():
        with pytest.raises(Malformed):
            ledger.owner(account)


def test_canonical_bytes_are_exactly_these() -> None:
    sit = ledger.sit(MATCH, ANN, "f" * 32, 500, asset="JETON", at=5)
    assert sit.canonical() == (
        b'{"asset":"JETON","at":5,"entries":[{"account":"player:' + b"a" * 32 + b':cash","amount":-500},'
        b'{"account":"player:' + b"a" * 32 + b':held","amount":500}],"format":"fairdeal/transaction@1",'
        b'"id":"sit:' + b"f" * 32 + b'","kind":"sit","match":"' + b"1" * 32 + b'"}'
    )


@pytest.mark.parametrize(
    "postings",
    [
        (),
        (Posting(TAX, 1), Posting(CASHIER, -2)),
        (Posting(TAX, 1), Posting(TAX, -1)),
        (Posting(CASHIER, -1),),
    ],
)
def test_entries_that_do_not_balance_are_refused(postings: tuple[Posting, ...]) -> None:
    with pytest.raises(LedgerBroken):
        Transaction("deposit:" + "e" * 32, Kind.DEPOSIT, "JETON", 5, postings)


@pytest.mark.parametrize(
    ("account", "amount"),
    [(TAX, 0), (TAX, MAX_SAFE_INTEGER + 1), ("house:tips", 1), (f"player:{ANN}", 1), (f"player:{ANN.upper()}:cash", 1)],
)
def test_an_entry_of_wrong_form_is_refused(account: str, amount: int) -> None:
    with pytest.raises(Malformed):
        Posting(account, amount)


@pytest.mark.parametrize(
    ("field", "value"),
    [("id", "deposit"), ("asset", "jeton"), ("match", "1"), ("at", -1), ("at", MAX_SAFE_INTEGER + 1)],
)
def test_a_transaction_of_wrong_form_is_refused(field: str, value: object) -> None:
    good: dict[str, object] = {
        "id": "deposit:" + "e" * 32,
        "kind": Kind.DEPOSIT,
        "asset": "JETON",
        "at": 5,
        "postings": (Posting(CASHIER, -1), Posting(TAX, 1)),
        "match": MATCH,
    }
    Transaction(**good)  # type: ignore[arg-type]
    with pytest.raises(Malformed):
        Transaction(**(good | {field: value}))  # type: ignore[arg-type]


GOOD = {CASHIER: -2070, cash(ANN): 500, held(CAT): 500, pending(ANN): 70, pot(MATCH): 1000}


def books(**faults: dict[str, int]) -> Books:
    records = {
        "balances": GOOD,
        "entries": GOOD,
        "holds": {held(CAT): 500},
        "pending": {pending(ANN): 70},
        "pots": {pot(MATCH): 1000},
    }
    return Books(**(records | faults))


def test_good_books_pass() -> None:
    check_books(books())


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (books(balances=GOOD | {cash(ANN): 501}), "not the sum of its entries"),
        (books(entries=GOOD | {TAX: 1}), "not the sum of its entries"),
        (books(balances=GOOD | {TAX: -1, COMMISSION: 1}, entries=GOOD | {TAX: -1, COMMISSION: 1}), "below zero"),
        (books(balances=GOOD | {TAX: 1}, entries=GOOD | {TAX: 1}), "sum to zero"),
        (books(holds={}), "open holds"),
        (books(holds={held(CAT): 500, held(DAN): 1}), "open holds"),
        (books(pending={}), "open withdrawals"),
        (books(pending={pending(ANN): 71}), "open withdrawals"),
        (books(pending={pending(ANN): 70, pending(DAN): 1}), "open withdrawals"),
        (books(pots={}), "live match"),
        (books(pots={pot(MATCH): 1000, pot("2" * 32): 1}), "live match"),
    ],
)
def test_every_fault_in_the_books_is_found(fault: Books, says: str) -> None:
    with pytest.raises(LedgerBroken, match=says):
        check_books(fault)
