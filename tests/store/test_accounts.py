"""What any store must do with accounts and logins, said through the port alone."""

import pytest

from fairdeal.app.ports import Account, Session, Store
from fairdeal.errors import NameTaken, UnknownAccount
from tests.store.house import NOBODY, House


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


def test_many_logins_are_looked_up_together(store: Store, house: House) -> None:
    owners = {bytes([number]) * 32: house.account() for number in range(40)}
    for number, (token_hash, account) in enumerate(owners.items()):
        store.open_session(Session(token_hash, account, 100 + number), 10, "hash")
    found = store.session_accounts([*owners, b"x" * 32], 109)
    assert {token_hash: account.id for token_hash, account in found.items()} == dict(list(owners.items())[10:])
    assert store.session_accounts([], 109) == {}


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
