"""A forgotten password, over both databases: the code serves once, and no login outlives what it was made with."""

import pytest

from fairdeal.app.ports import Account, Session, Store
from fairdeal.errors import CredentialsRefused, UnknownAccount
from tests.store.house import NOBODY, together

ANN = "a" * 32
FIRST, SECOND, THIRD = b"1" * 32, b"2" * 32, b"3" * 32


@pytest.fixture
def store(store: Store) -> Store:
    store.create_account(Account(ANN, "Ann", "player", "old", 5, FIRST))
    return store


def account(store: Store) -> Account:
    found = store.account(ANN)
    assert found is not None
    return found


def test_a_code_sets_a_password_once_and_ends_every_login(store: Store) -> None:
    assert str(FIRST) not in repr(account(store))
    store.open_session(Session(b"t" * 32, ANN, 100), 10, "old")
    with pytest.raises(CredentialsRefused):
        store.recover(ANN, SECOND, "stolen", THIRD)
    store.recover(ANN, FIRST, "new", SECOND)
    assert (account(store).password_hash, account(store).recovery_hash) == ("new", SECOND)
    assert store.session_account(b"t" * 32, 50) is None
    with pytest.raises(CredentialsRefused):
        store.recover(ANN, FIRST, "stolen", THIRD)
    assert account(store).password_hash == "new"


def test_no_login_is_made_with_a_password_that_was_replaced_meanwhile(store: Store) -> None:
    store.reset(ANN, "nobody's", SECOND, "lost", 7)
    with pytest.raises(CredentialsRefused):
        store.open_session(Session(b"t" * 32, ANN, 100), 10, "old")
    with pytest.raises(CredentialsRefused):
        store.renew_recovery(ANN, "old", THIRD)
    store.renew_recovery(ANN, "nobody's", THIRD)
    assert account(store).recovery_hash == THIRD
    (event,) = store.significant_events(None, 10)
    assert (event.kind, event.data) == ("reset", {"account": ANN, "reason": "lost"})
    with pytest.raises(UnknownAccount):
        store.reset(NOBODY, "x", SECOND, "lost", 7)


@pytest.mark.parametrize("_round", range(5))
def test_a_login_and_a_recovery_at_once_leave_no_login_of_before(_round: int, store: Store) -> None:
    answers = together(
        lambda: store.open_session(Session(b"t" * 32, ANN, 100), 10, "old"),
        lambda: store.recover(ANN, FIRST, "new", SECOND),
    )
    assert answers[1] is None
    assert store.session_account(b"t" * 32, 50) is None


def test_of_many_at_once_one_uses_the_code(store: Store) -> None:
    works = [lambda n=n: store.recover(ANN, FIRST, f"new {n}", bytes([n]) * 32) for n in range(6)]
    answers = together(*works)  # type: ignore[arg-type]
    assert sum(isinstance(answer, CredentialsRefused) for answer in answers) == 5
    assert account(store).password_hash == f"new {answers.index(None)}"
