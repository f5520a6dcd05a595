"""The person is taken out of an account, over both databases: when that may be, what goes and what stays."""

from collections.abc import Callable

import pytest

from fairdeal.app.ports import Account, Session, Store
from fairdeal.app.safeguard_ports import Exclusion
from fairdeal.errors import AccountInUse, CredentialsRefused, NameTaken, RecordsBroken, UnknownAccount
from fairdeal.ledger import Win
from tests.store.house import ASSET, NOBODY, House, together


def erase(house: House, account_id: str, kept_ms: int = 0) -> None:
    house.store.erase(account_id, "nobody's", "asked for it", house.now, kept_ms)


def why(house: House, account_id: str, kept_ms: int = 0) -> object:
    before = house.store.account(account_id)
    with pytest.raises(AccountInUse) as refused:
        erase(house, account_id, kept_ms)
    assert house.store.account(account_id) == before
    return refused.value.details["why"]


def test_name_password_code_and_logins_go_and_the_rest_stays(store: Store, house: House) -> None:
    match_id, ann, bob = house.live(500)
    house.finish(match_id, Win(1))
    store.open_session(Session(b"t" * 32, ann, house.now + 100), house.now, "hash")
    before = store.match_facts(None, 10), store.journal(0, 100), store.roster(0, 10), store.events(match_id)
    erase(house, ann)
    found = store.account(ann)
    assert found == Account(ann, f"erased:{ann}", "player", "nobody's", found.created_at, None, house.now)
    assert store.account_named(f"name {ann}") is None
    assert store.session_account(b"t" * 32, house.now) is None
    assert (store.match_facts(None, 10), store.journal(0, 100), store.roster(0, 10), store.events(match_id)) == before
    assert store.own_matches(ann, None, 10)[0].match_id == match_id
    (event,) = store.significant_events(None, 10)
    assert (event.kind, event.data) == ("erasure", {"account": ann, "reason": "asked for it"})
    house.check()
    store.create_account(Account(house.id(), f"name {ann}", "player", "hash", house.now))
    with pytest.raises(NameTaken):
        store.create_account(Account(house.id(), f"NAME {bob}", "player", "hash", house.now))


def test_nothing_more_is_done_for_an_erased_account(store: Store, house: House) -> None:
    host, ann = house.account(), house.account()
    free = house.open(host, 0)
    erase(house, ann)
    refused: list[Callable[[], object]] = [
        lambda: erase(house, ann),
        lambda: house.deposit(ann, 5),
        lambda: house.open(ann, 0),
        lambda: house.sit(free, ann),
        lambda: house.withdraw(ann, 5),
        lambda: store.reset(ann, "new", b"c" * 32, "lost", house.now),
        lambda: store.set_limit(ann, ASSET, "loss", "day", 5, house.now),
        lambda: store.open_session(Session(b"t" * 32, ann, house.now + 9), house.now, "nobody's"),
    ]
    for attempt in refused:
        with pytest.raises(UnknownAccount):
            attempt()
    with pytest.raises(UnknownAccount):
        erase(house, NOBODY)


def test_money_matches_and_exclusions_end_first(store: Store, house: House) -> None:
    match_id, ann, bob = house.live(500)
    assert (why(house, ann), why(house, bob)) == ("match", "match")
    house.finish(match_id, Win(1))
    assert why(house, bob) == "money"
    asked = house.withdraw(bob, 905)
    assert store.wallet(bob, ASSET).cash == 0
    assert why(house, bob) == "money", "it is pending"
    house.end(asked, "paid")
    table = house.open(ann, 0)
    assert why(house, ann) == "match", "a table that nobody sits at yet"
    seat = house.sit(table, bob)
    assert why(house, bob) == "match"
    house.stand_up(table, seat)
    store.exclude(bob, Exclusion("cool_off", house.now, house.now + 50))
    assert why(house, bob) == "exclusion"
    house.now += 50
    erase(house, bob)
    house.cancel(table)
    erase(house, ann)


def test_how_long_an_account_is_kept_counts_from_its_last_use(store: Store, house: House) -> None:
    idle, paid, seated = house.account(), house.account(), house.account()
    table = house.open(idle, 0)
    house.sit(table, seated)
    last_use = {seated: store.own_matches(seated, None, 1)[0].sat_at}
    house.cancel(table)
    house.deposit(paid, 5)
    last_use[paid] = house.end(house.withdraw(paid, 5), "paid").ended_at or 0
    for account, used in last_use.items():
        house.now = used + 999
        assert why(house, account, kept_ms=1_000) == "too_soon"
        house.now = used + 1_000
        erase(house, account, kept_ms=1_000)
    erase(house, idle, kept_ms=10**9)


def test_of_erasing_and_paying_in_at_once_one_comes_first(store: Store, house: House) -> None:
    """Whatever comes first, money never stands on an erased account."""
    for _ in range(10):
        account = house.account()

        def pay_in(account: str = account) -> str:
            try:
                house.deposit(account, 5)
            except UnknownAccount:
                return "erased"
            return "paid"

        def take_out(account: str = account) -> str:
            try:
                erase(house, account)
            except AccountInUse:
                return "paid"
            return "erased"

        outcomes = together(pay_in, take_out)
        assert len(set(outcomes)) == 1, outcomes
        assert (store.wallet(account, ASSET).cash == 0) == (outcomes[0] == "erased")


def test_logins_that_expired_go_with_the_next_login_of_anybody(store: Store, house: House) -> None:
    ann, bob = house.account(), house.account()
    store.open_session(Session(b"a" * 32, ann, 100), 10, "hash")
    store.open_session(Session(b"b" * 32, ann, 200), 10, "hash")
    store.open_session(Session(b"c" * 32, bob, 300), 100, "hash")
    assert [store.session_account(token * 32, 50) is None for token in (b"a", b"b", b"c")] == [True, False, False]
    with pytest.raises(CredentialsRefused):
        store.open_session(Session(b"d" * 32, bob, 900), 500, "another")
    assert store.session_account(b"b" * 32, 50) is not None, "a login that is refused drops none"
    with pytest.raises(RecordsBroken):
        store.open_session(Session(b"c" * 32, bob, 900), 250, "hash")
