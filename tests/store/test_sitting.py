"""What any store must do with seats taken and left, said through the port alone."""

from dataclasses import replace

import pytest

from fairdeal import ledger
from fairdeal.app.ports import Seat, Status, Store, Wallet
from fairdeal.errors import (
    AlreadySeated,
    CodeRefused,
    InsufficientFunds,
    LedgerBroken,
    NotSeated,
    SeatTaken,
    TableClosed,
    UnknownAccount,
    UnknownMatch,
)
from tests.store.house import ASSET, NOBODY, House, together


def test_sitting_holds_the_stake_and_the_last_seat_closes_the_table(store: Store, house: House) -> None:
    ann, bob = house.account(700), house.account(500)
    match_id = house.open(ann, 500)
    assert house.sit(match_id, ann, seat=1).seat == 1
    assert store.wallet(ann, ASSET) == Wallet(200, 500)
    assert house.table(match_id).status is Status.OPEN
    sitting = house.sitting(match_id, bob)
    assert store.sit(sitting, house.once()).seat == 0
    table = house.table(match_id)
    assert (table.status, table.due_at, table.seating) == (Status.JOINING, sitting.full_due_at, 2)
    assert [seat.account_id for seat in table.seated] == [bob, ann]
    house.check()


def test_seats_are_refused_for_these_reasons(store: Store, house: House) -> None:
    ann, bob, cat, poor = house.account(2000), house.account(500), house.account(500), house.account(499)
    match_id = house.open(ann, 500)
    with pytest.raises(UnknownMatch):
        store.sit(replace(house.sitting(match_id, ann), match_id=NOBODY), house.once())
    with pytest.raises(UnknownAccount):
        store.sit(replace(house.sitting(match_id, ann), account_id=NOBODY), house.once())
    with pytest.raises(InsufficientFunds):
        house.sit(match_id, poor)
    house.sit(match_id, ann)
    with pytest.raises(AlreadySeated):
        house.sit(match_id, ann)
    for taken in (0, 2, -1):
        with pytest.raises(SeatTaken):
            house.sit(match_id, bob, seat=taken)
    house.sit(match_id, bob)
    with pytest.raises(TableClosed):
        house.sit(match_id, cat)
    assert [store.wallet(who, ASSET) for who in (ann, bob, cat)] == [Wallet(1500, 500), Wallet(0, 500), Wallet(500, 0)]


def test_partners_let_each_other_in(store: Store, house: House) -> None:
    """Four seats, face to face: who sits where the partner sits already brings the partner's code, nobody else any."""
    ann, bob, cat, dan, eve = (house.account(500) for _ in range(5))
    match_id = house.open(ann, 500, seats=4)
    with pytest.raises(CodeRefused):
        house.sit(match_id, ann, 2, "ANN", "A CODE OF NOBODY")
    assert house.sit(match_id, ann, 2, "ANN").partner_code == "ANN"
    for code in (None, "BOB", "ann"):
        with pytest.raises(CodeRefused):
            house.sit(match_id, cat, 0, "CAT", code)
    with pytest.raises(CodeRefused):
        house.sit(match_id, cat, 1, "CAT", "ANN")
    assert house.sit(match_id, bob, None, "BOB").seat == 1, "seat 0 is free, but for the partner of 2 alone"
    with pytest.raises(CodeRefused):
        house.sit(match_id, cat, None, "CAT")
    assert house.sit(match_id, cat, None, "CAT", "BOB").seat == 3
    assert house.sit(match_id, dan, 0, "DAN", "ANN").seat == 0
    with pytest.raises(TableClosed):
        house.sit(match_id, eve, None, "EVE", "ANN")
    assert [seat.partner_code for seat in house.table(match_id).seated] == ["DAN", "BOB", "ANN", "CAT"]


def test_a_code_goes_with_its_sitter(store: Store, house: House) -> None:
    ann, bob, cat = (house.account(500) for _ in range(3))
    match_id = house.open(ann, 500, seats=4)
    first = house.sit(match_id, ann, 0, "FIRST")
    house.sit(match_id, bob, 2, "BOB", "FIRST")
    house.stand_up(match_id, first)
    for code in ("FIRST", None):
        with pytest.raises(CodeRefused):
            house.sit(match_id, cat, 0, "CAT", code)
    assert house.sit(match_id, ann, 0, "SECOND", "BOB").partner_code == "SECOND"
    assert store.wallet(ann, ASSET) == Wallet(0, 500)


def test_without_partners_codes_anybody_sits_anywhere_and_a_code_is_for_nobody(store: Store, house: House) -> None:
    ann, bob = house.account(), house.account()
    match_id = house.open(ann, 0, seats=4)
    house.sit(match_id, ann, 1)
    with pytest.raises(CodeRefused):
        house.sit(match_id, bob, 3, None, "ANY")
    assert house.sit(match_id, bob, 3).seat == 3


def test_one_of_many_gets_the_last_seat(store: Store, house: House) -> None:
    people = [house.account(500) for _ in range(9)]
    match_id = house.open(people[0], 500, seats=4)
    for number, account_id in enumerate(people[:3]):
        house.sit(match_id, account_id, None, f"CODE {number}", "CODE 0" if number == 1 else None)
    sittings = [house.sitting(match_id, account_id, None, "NEW", "CODE 2") for account_id in people[3:]]
    keys = [house.once() for _ in sittings]
    answers = together(
        *(lambda sitting=sitting, key=key: store.sit(sitting, key) for sitting, key in zip(sittings, keys, strict=True))
    )
    assert [answer.seat for answer in answers if isinstance(answer, Seat)] == [3]
    assert sum(isinstance(answer, TableClosed) for answer in answers) == 5
    house.check()
    assert house.table(match_id).status is Status.JOINING
    assert sum(store.wallet(account_id, ASSET).held for account_id in people) == 4 * 500


def test_sitting_moves_exactly_this_stake_of_this_player(store: Store, house: House) -> None:
    ann, bob = house.account(1000), house.account(1000)
    match_id, other, free = house.open(ann, 500), house.open(ann, 400), house.open(ann, 0)
    good = house.sitting(match_id, ann)
    wrong = [
        replace(good, money=None),
        replace(good, money=house.sitting(other, ann).money),
        replace(good, money=house.sitting(match_id, bob).money),
        replace(good, match_id=free),
    ]
    for sitting in wrong:
        with pytest.raises(LedgerBroken):
            store.sit(sitting, house.once())
    assert store.wallet(ann, ASSET) == store.wallet(bob, ASSET) == Wallet(1000, 0)


def test_standing_up_gives_the_stake_back_once_and_one_can_sit_again(store: Store, house: House) -> None:
    ann = house.account(500)
    match_id = house.open(ann, 500)
    seat = house.sit(match_id, ann)
    house.stand_up(match_id, seat)
    with pytest.raises(NotSeated):
        house.stand_up(match_id, seat)
    assert store.wallet(ann, ASSET) == Wallet(500, 0)
    house.sit(match_id, ann)
    with pytest.raises(NotSeated):  # a late double click of the sitting before
        house.stand_up(match_id, seat)
    with pytest.raises(NotSeated):
        store.stand_up(match_id, None, None, house.once())
    assert store.wallet(ann, ASSET) == Wallet(0, 500)
    assert house.table(match_id).seating == 3


def test_standing_up_moves_exactly_this_stake_of_this_player(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account(500)
    match_id = house.open(ann, 500, seats=3)
    mine, other = house.sit(match_id, ann), house.sit(match_id, bob)
    wrong = [
        ledger.stand_up(match_id, who.account_id, who.player, stake, asset=ASSET, at=house.now)
        for who, stake in ((other, 500), (mine, 499))
    ]
    for money in (None, *wrong):
        with pytest.raises(LedgerBroken):
            store.stand_up(match_id, mine, money, house.once())
    house.stand_up(match_id, mine)


def test_nobody_stands_up_from_a_full_or_unknown_table(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account(500)
    match_id = house.open(ann, 500)
    seat = house.sit(match_id, ann)
    house.sit(match_id, bob)
    with pytest.raises(TableClosed):
        house.stand_up(match_id, seat)
    with pytest.raises(UnknownMatch):
        store.stand_up(NOBODY, seat, None, house.once())
    assert store.wallet(ann, ASSET) == Wallet(0, 500)


@pytest.mark.parametrize("_round", range(5))
def test_one_balance_sits_at_one_of_two_tables(_round: int, store: Store, house: House) -> None:
    ann = house.account(500)
    sittings = [house.sitting(house.open(ann, 500), ann) for _ in range(4)]
    keys = [house.once() for _ in sittings]
    answers = together(
        *(lambda sitting=sitting, key=key: store.sit(sitting, key) for sitting, key in zip(sittings, keys, strict=True))
    )
    assert sum(isinstance(answer, InsufficientFunds) for answer in answers) == 3
    assert store.wallet(ann, ASSET) == Wallet(0, 500)
    house.check()


def test_many_want_the_last_seat(store: Store, house: House) -> None:
    players = [house.account(500) for _ in range(6)]
    match_id = house.open(players[0], 500)
    work = [(house.sitting(match_id, player), house.once()) for player in players]
    answers = together(*(lambda w=w: store.sit(*w) for w in work))
    assert sum(isinstance(answer, TableClosed) for answer in answers) == 4
    assert len(house.table(match_id).seated) == 2
    house.check()


def test_a_double_click_on_standing_up_refunds_once(store: Store, house: House) -> None:
    ann = house.account(500)
    match_id = house.open(ann, 500)
    seat = house.sit(match_id, ann)
    money = ledger.stand_up(match_id, ann, seat.player, 500, asset=ASSET, at=house.now)
    keys = [house.once() for _ in range(4)]  # a new key with every click
    answers = together(*(lambda key=key: store.stand_up(match_id, seat, money, key) for key in keys))
    assert sum(isinstance(answer, NotSeated) for answer in answers) == 3
    assert store.wallet(ann, ASSET) == Wallet(500, 0)
    house.check()
