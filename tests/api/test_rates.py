"""How often somebody may call, and whose address a call comes from."""

from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from fairdeal.api import rates
from fairdeal.api.addresses import Proxies, bucket_of
from fairdeal.api.problems import NotNow
from fairdeal.api.rates import Buckets, Rate, Rates
from fairdeal.errors import CredentialsRefused
from fairdeal.main import _rates
from fairdeal.settings import Limits
from tests.api.table import Person, Service, bearer, ok, on_turn, start_two

WRONG = {"name": "alice", "password": "wrong horse"}
RIGHT = {"name": "alice", "password": "correct horse"}
PROXIES = ["127.0.0.0/8", "10.1.0.0/16", "fd00::/8"]


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def limited(tmp_path: Path) -> Callable[..., Service]:
    return lambda **limits: Service(tmp_path, {"limits": limits})


def refused(answer: Any) -> int:
    """The seconds to wait."""
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    return int(answer.headers["retry-after"])


def test_a_bucket_fills_again_and_no_further(seconds: Seconds) -> None:
    buckets = Buckets(Rate(3, per_minute=6), seconds)
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(NotNow) as turned:
        buckets.take("a")
    assert turned.value.seconds == 10
    buckets.take("b")
    seconds.now += 9.9
    with pytest.raises(NotNow) as turned:
        buckets.take("a")
    assert turned.value.seconds == 1
    seconds.now += 0.1
    buckets.take("a")
    seconds.now += 3_600
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(NotNow):
        buckets.take("a")
    buckets.give_back("a")
    buckets.take("a")


def test_the_callers_remembered_are_bounded(seconds: Seconds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MAX_BUCKETS", 3)
    buckets = Buckets(Rate(1, per_minute=1), seconds)
    for key in "abcd":
        buckets.take(key)
    assert len(buckets._levels) == 3
    buckets.take("a")
    with pytest.raises(NotNow):
        buckets.take("d")


def test_calls_with_a_login_are_counted_by_account(limited: Callable[..., Service]) -> None:
    service = limited(account_burst=5, account_per_minute=1, address_burst=1_000)
    alice, bob = service.person("alice"), service.person("bob")
    assert [alice.get("/v1/me").status_code for _ in range(6)] == [200] * 5 + [429]
    assert 50 <= refused(alice.get("/v1/wallet")) <= 60
    assert refused(alice.post("/v1/tables", {"game": "duel", "stake": 5}))
    # A second login is the same account; neither the neighbour at this address nor who brings no login is touched.
    again = ok(service.http.post("/v1/sessions", json=RIGHT))["token"]
    assert refused(service.http.get("/v1/me", headers=bearer(again)))
    assert bob.get("/v1/me").is_success
    assert service.http.get("/v1/tables").is_success
    service.stop()


def test_everybody_else_is_counted_by_address(limited: Callable[..., Service]) -> None:
    service = limited(address_burst=8, address_per_minute=1)
    alice = service.person("alice")
    while (answer := service.http.get("/v1/tables")).is_success:
        pass
    assert refused(answer)
    for path in ("/healthz", "/openapi.json", "/v1/rules", "/log/checkpoint", f"/v1/matches/{'0' * 32}/bundle"):
        assert refused(service.http.get(path))
    assert refused(service.http.get("/v1/me", headers=bearer("f" * 64)))
    assert refused(service.http.post("/v1/accounts", json={"broken": True}))
    assert alice.get("/v1/me").is_success
    assert service.http.get("/log/checkpoint", headers=bearer("operator-token-of-the-tests")).is_success
    service.stop()


def test_tables_opened_are_counted_by_account_and_nothing_is_written_of_those_beyond(
    limited: Callable[..., Service],
) -> None:
    service = limited(tables_burst=3, tables_per_minute=1)
    alice, bob = service.person("alice"), service.person("bob")
    table = {"game": "duel", "stake": 0}
    for _ in range(3):
        m = ok(alice.post("/v1/tables", table))["m"]
        ok(alice.post(f"/v1/tables/{m}/cancel", {}))
    before = service.store.match_facts(None, 10)
    assert 50 <= refused(alice.post("/v1/tables", table)) <= 60
    again = bearer(ok(service.http.post("/v1/sessions", json=RIGHT))["token"])
    assert refused(service.http.post("/v1/tables", json=table, headers=again))
    assert service.store.match_facts(None, 10) == before
    opened = ok(bob.post("/v1/tables", table))["m"]
    ok(alice.post(f"/v1/tables/{opened}/seats", {}, key="a-seat-at-bobs"))
    service.stop()


def test_who_may_not_open_a_table_is_told_so_and_counts_for_nobody(limited: Callable[..., Service]) -> None:
    service = limited(tables_burst=1, tables_per_minute=1)
    table = {"game": "duel", "stake": 0}
    for _ in range(2):
        assert service.http.post("/v1/tables", json=table).status_code == 401
    ok(service.person("alice").post("/v1/tables", table))
    service.stop()


def test_sign_ups_are_counted_by_address(limited: Callable[..., Service]) -> None:
    service = limited(sign_up_burst=2, sign_up_per_minute=1)
    answers = [service.http.post("/v1/accounts", json=RIGHT | {"name": name}) for name in ("a", "b", "c")]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    service.stop()


def test_wrong_passwords_are_counted_by_name_whether_or_not_it_is_anybodys(limited: Callable[..., Service]) -> None:
    service = limited(wrong_name_burst=3, wrong_name_per_minute=1)
    ok(service.http.post("/v1/accounts", json=RIGHT))

    def attempts(name: str) -> list[tuple[int, dict[str, Any], str | None]]:
        answers = []
        for _ in range(5):
            body, headers = WRONG | {"name": name}, {"X-Request-Id": "one-and-the-same"}
            answer = service.http.post("/v1/sessions", json=body, headers=headers)
            answers.append((answer.status_code, answer.json(), answer.headers.get("retry-after")))
        return answers

    known, unknown = attempts("alice"), attempts("nobody")
    assert [status for status, _, _ in known] == [401] * 3 + [429] * 2
    assert known == unknown
    # Neither capitals nor the right password get around it.
    assert refused(service.http.post("/v1/sessions", json=RIGHT | {"name": "ALICE"}))
    service.stop()


def test_wrong_passwords_are_counted_by_address(limited: Callable[..., Service]) -> None:
    service = limited(wrong_address_burst=3, wrong_address_per_minute=1)
    ok(service.http.post("/v1/accounts", json=RIGHT))
    statuses = [
        service.http.post("/v1/sessions", json=WRONG | {"name": name}).status_code for name in ("a", "b", "c", "d")
    ]
    assert statuses == [401, 401, 401, 429]
    assert refused(service.http.post("/v1/sessions", json=RIGHT))
    service.stop()


def few() -> Rates:
    plenty, two = Rate(100, 1), Rate(2, 1)
    return Rates(
        account=plenty,
        address=plenty,
        sign_up=plenty,
        tables=plenty,
        wrong_name=two,
        wrong_address=plenty,
        now=lambda: 0.0,
    )


def guess(counted: Rates, name: str, address: str) -> None:
    with pytest.raises(CredentialsRefused), counted.log_in(name, address):
        raise CredentialsRefused("no")


def test_a_right_password_costs_nothing_and_frees_nobody() -> None:
    counted = few()
    for _ in range(50):
        with counted.log_in("alice", "192.0.2.1"):
            pass
    guess(counted, "bob", "192.0.2.1")
    with counted.log_in("alice", "192.0.2.1"):
        pass
    guess(counted, "bob", "192.0.2.1")
    with pytest.raises(NotNow), counted.log_in("bob", "192.0.2.1"):
        pytest.fail("the password is not looked at")


def test_a_fault_is_no_wrong_password() -> None:
    counted = few()
    for _ in range(50):
        with pytest.raises(NotNow), counted.log_in("alice", "192.0.2.1"):
            raise NotNow("busy", 1)
    guess(counted, "alice", "192.0.2.1")


def test_guesses_made_at_once_are_all_counted() -> None:
    counted = few()
    first, second = counted.log_in("alice", "192.0.2.1"), counted.log_in("alice", "192.0.2.2")
    first.__enter__()
    second.__enter__()
    with pytest.raises(NotNow), counted.log_in("alice", "192.0.2.3"):
        pytest.fail("the password is not looked at")


def test_several_workers_have_no_more_guesses_to_give_than_one() -> None:
    workers, guessed = [_rates(Limits(), 4) for _ in range(4)], 0
    for worker in workers:
        with suppress(NotNow):
            while True:
                guess(worker, "alice", "192.0.2.1")
                guessed += 1
    assert guessed == Limits().wrong_name_burst
    assert Rate(3, 60).share(8) == Rate(1, 7.5)


def test_a_strangers_guesses_do_not_lock_the_owner_out_at_home() -> None:
    counted = few()
    with counted.log_in("alice", "192.0.2.1"):
        pass
    guess(counted, "alice", "198.51.100.7")
    guess(counted, "alice", "198.51.100.8")
    with pytest.raises(NotNow), counted.log_in("alice", "198.51.100.9"):
        pytest.fail("the password is not looked at")
    with counted.log_in("Alice", "192.0.2.1"):
        pass
    guess(counted, "alice", "192.0.2.1")
    guess(counted, "alice", "192.0.2.1")
    with pytest.raises(NotNow), counted.log_in("alice", "192.0.2.1"):
        pytest.fail("the password is not looked at")


def test_a_match_at_full_speed_with_every_move_twice_is_not_limited(service: Service) -> None:
    """By far: it is played to its end where there is a tenth of what there is."""
    tenth = {name: value // 10 for name, value in service.settings.limits.model_dump().items() if "account" in name}
    service.overrides["limits"] = tenth
    service.restart(0)
    players = start_two(service)
    for _ in range(40):
        player = on_turn(players)
        signed = player.sign(player.view["legal"][0])
        for _ in range(2):
            ok(player.send(signed))
    on_turn(players).do({"resign": True})


@pytest.mark.parametrize(
    ("peer", "forwarded", "caller"),
    [
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["192.0.2.66, 198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["192.0.2.66", "198.51.100.1,10.1.2.3"], "198.51.100.1"),
        ("127.0.0.1", ["10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", ["198.51.100.1, nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1, , 10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("::ffff:127.0.0.1", ["2001:db8::5"], "2001:db8::5"),
        ("fd00::1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("testclient", ["198.51.100.1"], "testclient"),
        ("127.0.0.1", ["192.0.2.66," + "10.1.2.3," * 50], "127.0.0.1"),
    ],
)
def test_whose_word_about_an_address_is_believed(peer: str, forwarded: list[str], caller: str) -> None:
    proxies = Proxies([ip_network(network) for network in PROXIES])
    assert proxies.caller(peer, forwarded) == caller


def test_whoever_has_an_ipv6_address_has_its_network() -> None:
    assert bucket_of("2001:db8:1:2::5") == bucket_of("2001:db8:1:2:ffff::") != bucket_of("2001:db8:1:3::5")
    assert bucket_of("::ffff:192.0.2.1") == bucket_of("192.0.2.1") != bucket_of("192.0.2.2")


def test_an_invented_address_is_no_way_around(tmp_path: Path) -> None:
    service = Service(tmp_path, {"limits": {"sign_up_burst": 1, "sign_up_per_minute": 1}})
    answers = [
        service.http.post(
            "/v1/accounts", json=RIGHT | {"name": f"a{n}"}, headers={"X-Forwarded-For": f"198.51.100.{n}"}
        ).status_code
        for n in range(2)
    ]
    assert answers == [201, 429]
    service.stop()


def test_the_id_of_a_call_is_in_its_answer(service: Service) -> None:
    alice = Person(service, "alice")
    answer = alice.get(f"/v1/matches/{'0' * 32}", headers={"X-Request-Id": "from-the-proxy.1"})
    assert answer.headers["x-request-id"] == answer.json()["request"] == "from-the-proxy.1"
    for brought in ("short", "x" * 65, "two words", 'with"quotes'):
        made = service.http.get("/v1/nothing", headers={"X-Request-Id": brought})
        assert made.headers["x-request-id"] == made.json()["request"] != brought
        assert len(made.json()["request"]) == 16
