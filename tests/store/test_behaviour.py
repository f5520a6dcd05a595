"""What any store must do, said through the port alone."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import TypeVar

import pytest

from fairdeal import ledger
from fairdeal.app.ports import Account, CommitResult, Once, Seat, Session, Status, Store, Wallet
from fairdeal.errors import (
    AlreadySeated,
    Broken,
    CodeRefused,
    CommitmentReused,
    FairdealError,
    IdempotencyConflict,
    InsufficientFunds,
    LedgerBroken,
    LimitExceeded,
    NameTaken,
    NotSeated,
    SeatTaken,
    TableClosed,
    UnknownAccount,
    UnknownMatch,
)
from fairdeal.ledger import Refund, SeedForfeit, Win
from fairdeal.limits import MAX_SAFE_INTEGER
from tests.store.house import ASSET, MOST, House

NOBODY = "f" * 32
Value = TypeVar("Value")


def together(*works: Callable[[], Value]) -> list[Value | FairdealError]:
    """What each work gave or raised, all started at the same moment in threads of their own."""
    barrier = Barrier(len(works))

    def run(work: Callable[[], Value]) -> Value | FairdealError:
        barrier.wait()
        try:
            return work()
        except FairdealError as error:
            return error

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(run, works))


# Accounts and logins


def test_an_account_is_found_by_id_and_by_name(store: Store) -> None:
    ann = Account("a" * 32, "Zoé", "bot", "argon2 text", 5)
    store.create_account(ann)
    assert store.account(ann.id) == ann
    assert store.account_named("Zoé") == store.account_named("ZOÉ") == ann
    assert store.account_named("Zoe") is None
    assert store.account_named("Zo\0é") is None
    assert store.account(NOBODY) is None
    assert "argon2 text" not in repr(ann)


def test_a_name_is_taken_once(store: Store) -> None:
    store.create_account(Account("a" * 32, "Ann", "player", "hash", 5))
    for same in ("Ann", "ANN", "ann"):
        with pytest.raises(NameTaken):
            store.create_account(Account("b" * 32, same, "player", "hash", 6))
    assert store.account("b" * 32) is None


def test_a_login_lasts_until_it_expires_or_is_closed(store: Store, house: House) -> None:
    ann = house.account()
    store.open_session(Session(b"1" * 32, ann, 100), 10, "hash")
    store.open_session(Session(b"2" * 32, ann, 300), 10, "hash")
    found = store.session_account(b"1" * 32, 99)
    assert found is not None
    assert found.id == ann
    assert store.session_account(b"1" * 32, 100) is None
    store.close_session(b"2" * 32)
    store.close_session(b"2" * 32)
    assert store.session_account(b"2" * 32, 99) is None
    assert store.session_account(b"3" * 32, 99) is None


def test_all_logins_of_an_account_are_closed_at_once(store: Store, house: House) -> None:
    ann, ben = house.account(), house.account()
    for token_hash, account in ((b"1" * 32, ann), (b"2" * 32, ann), (b"3" * 32, ben)):
        store.open_session(Session(token_hash, account, 100), 10, "hash")
    store.close_sessions(ann)
    store.close_sessions(ann)
    assert [store.session_account(bytes([n]) * 32, 99) is None for n in b"123"] == [True, True, False]


def test_nobody_cannot_log_in(store: Store) -> None:
    with pytest.raises(UnknownAccount):
        store.open_session(Session(b"1" * 32, NOBODY, 100), 10, "hash")


# Deposits, idempotency and the wallet


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
    for money in (to_bob, sitting):
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


# Tables


def test_a_new_table_reads_back(store: Store, house: House) -> None:
    ann = house.account()
    new = house.new_table(ann, 500)
    store.open_table(new, MOST)
    table = house.table(new.match_id)
    assert (table.status, table.opener, table.seats, table.stake) == (Status.OPEN, ann, 2, 500)
    assert (table.line, table.size, table.seating, table.seated) == (new.line, 1, 0, ())
    assert (table.created_at, table.expires_at, table.due_at) == (new.created_at, new.expires_at, new.expires_at)
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


# Sitting down and standing up


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
            store.stand_up(match_id, ann, mine.player, money, house.once())
    house.stand_up(match_id, mine)


def test_nobody_stands_up_from_a_full_or_unknown_table(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account(500)
    match_id = house.open(ann, 500)
    seat = house.sit(match_id, ann)
    house.sit(match_id, bob)
    with pytest.raises(TableClosed):
        house.stand_up(match_id, seat)
    with pytest.raises(UnknownMatch):
        store.stand_up(NOBODY, ann, seat.player, None, house.once())
    assert store.wallet(ann, ASSET) == Wallet(0, 500)


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
    answers = together(*(lambda key=key: store.stand_up(match_id, ann, seat.player, money, key) for key in keys))
    assert sum(isinstance(answer, NotSeated) for answer in answers) == 3
    assert store.wallet(ann, ASSET) == Wallet(500, 0)
    house.check()


# Matches


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
    assert store.events(match_id, 5) == ()
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


def test_a_cancellation_decided_before_somebody_sat_is_stale(store: Store, house: House) -> None:
    ann, bob = house.account(500), house.account(500)
    match_id = house.open(ann, 500)
    house.sit(match_id, ann)
    cancellation = house.cancellation(match_id)
    house.sit(match_id, bob)
    assert house.commit(cancellation) is CommitResult.STALE
    assert store.wallet(ann, ASSET) == Wallet(0, 500)


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


def test_the_heartbeat_is_the_last_one_written(store: Store) -> None:
    assert store.last_beat() is None
    store.beat(5)
    store.beat(7)
    assert store.last_beat() == 7


def test_a_sound_store_is_ready(store: Store) -> None:
    store.check_ready()
