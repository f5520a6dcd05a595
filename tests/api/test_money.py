"""Every way a table can end, and what it pays; the books hold after each step."""

from typing import Any

import pytest

from tests.api.table import Player, Service, join_two, ok, play_out, sit_two, start_two

Wallets = list[tuple[int, int]]


def wallets(players: tuple[Player, ...]) -> Wallets:
    return [player.person.wallet for player in players]


def events(player: Player) -> list[str]:
    player.look()
    assert player.state is not None
    player.received.clear()
    answer = ok(player.person.get(f"/v1/matches/{player.m}"))
    return [line.split('"type":"')[1].split('"')[0] for line in answer["events"]]


def test_standing_up_gives_the_stake_back_as_often_as_it_was_held(service: Service) -> None:
    alice = service.person("alice", 100)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    pseudonyms = set()
    for attempt in range(3):
        player = ok(alice.post(f"/v1/tables/{m}/seats", {}, key=f"sit-number-{attempt}"))["you"]["player"]
        pseudonyms.add(player)
        assert alice.wallet == (40, 60)
        for _ in range(2):
            assert ok(alice.delete(f"/v1/tables/{m}/seats/me", key=f"stand-number-{attempt}"))["you"] is None
            assert alice.wallet == (100, 0)
        service.check_money()
    assert len(pseudonyms) == 3


def test_sitting_twice_with_one_key_holds_once(service: Service) -> None:
    alice = service.person("alice", 100)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    answers = [ok(alice.post(f"/v1/tables/{m}/seats", {}, key="the-same-key"))["you"] for _ in range(2)]
    assert answers[0] == answers[1]
    other = alice.post(f"/v1/tables/{m}/seats", {}, key="another-key")
    assert (other.status_code, other.json()["code"]) == (409, "already_seated")
    m2 = ok(alice.post("/v1/tables", {"game": "duel", "stake": 10}))["m"]
    conflict = alice.post(f"/v1/tables/{m2}/seats", {}, key="the-same-key")
    assert (conflict.status_code, conflict.json()["code"]) == (409, "idempotency_conflict")
    assert alice.wallet == (40, 60)


def test_nobody_sits_with_less_than_the_stake(service: Service) -> None:
    alice = service.person("alice", 59)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    for _ in range(2):
        refused = alice.post(f"/v1/tables/{m}/seats", {}, key="one-and-the-same")
        assert (refused.status_code, refused.json()["code"]) == (409, "insufficient_funds")
    assert alice.wallet == (59, 0)


def test_the_opener_calls_off_and_everything_comes_back(service: Service) -> None:
    alice, bob = service.person("alice", 100), service.person("bob", 100)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    Player(bob, m)
    assert bob.post(f"/v1/tables/{m}/cancel", {}).json()["code"] == "forbidden"
    for _ in range(2):
        assert ok(alice.post(f"/v1/tables/{m}/cancel", {}))["status"] == "ended"
    assert (alice.wallet, bob.wallet) == ((100, 0), (100, 0))
    service.check_money()
    late = alice.post(f"/v1/tables/{m}/seats", {}, key="sit-too-late")
    assert (late.status_code, late.json()["code"]) == (409, "table_closed")
    assert ok(alice.get(f"/v1/tables/{m}"))["table"]["ending"]["reason"] == "cancelled"


def test_a_full_table_is_not_called_off(service: Service) -> None:
    alice, _ = sit_two(service)
    refused = alice.person.post(f"/v1/tables/{alice.m}/cancel", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "table_closed")
    refused = alice.person.delete(f"/v1/tables/{alice.m}/seats/me", key="stand-up-now")
    assert (refused.status_code, refused.json()["code"]) == (409, "table_closed")
    assert alice.person.wallet == (900, 100)


def test_nobody_comes(service: Service) -> None:
    alice = service.person("alice", 100)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 60}))["m"]
    player = Player(alice, m)
    service.tick(599_999)
    assert ok(alice.get(f"/v1/tables/{m}"))["status"] == "open"
    service.tick(1)
    assert ok(alice.get(f"/v1/tables/{m}"))["status"] == "ended"
    assert alice.wallet == (100, 0)
    assert events(player) == ["open", "end", "reveal"]
    service.check_money()


@pytest.mark.parametrize("joining", [0, 1])
def test_somebody_does_not_join(service: Service, joining: int) -> None:
    players = sit_two(service)
    for player in players[:joining]:
        player.join()
    service.tick(59_999)
    assert wallets(players) == [(900, 100), (900, 100)]
    service.tick(1)
    assert wallets(players) == [(1_000, 0), (1_000, 0)]
    assert events(players[0]) == ["open", *["join"] * joining, "end", "reveal"]
    service.check_money()


@pytest.mark.parametrize(
    ("sending", "paid"),
    [([], [1_000, 1_000]), ([0], [1_100, 900]), ([1], [900, 1_100])],
    ids=["none", "first", "second"],
)
def test_seeds_missing(service: Service, sending: list[int], paid: list[int]) -> None:
    players = join_two(service)
    service.check_money()
    for seat in sending:
        players[seat].send_seed()
    for period in range(3):
        assert wallets(players) == [(900, 0), (900, 0)]
        service.tick(30_000 + 250 - 1)
        assert events(players[0]).count("timeout") == period
        service.tick(1)
    assert wallets(players) == [(amount, 0) for amount in paid]
    assert events(players[0])[-6:] == ["timeout", "timeout", "timeout", "end", "reveal", "settle"]
    service.check_money()


def test_a_seed_in_the_third_period_is_in_time(service: Service) -> None:
    players = join_two(service)
    players[0].send_seed()
    service.tick(2 * 30_250 + 30_000)
    players[1].send_seed()
    assert events(players[1])[-2:] == ["seed", "deal"]


def test_resigning_pays_the_other(service: Service) -> None:
    players = start_two(service)
    ok(players[1].send(players[1].sign({"resign": True})))
    assert wallets(players) == [(1_090, 0), (900, 0)]
    service.check_money()


def test_three_overruns_lose_at_once(service: Service) -> None:
    players = start_two(service)
    loser = 1 - _state(players[0]).dealer
    # Four passes make a void deal; in the next one the other seat speaks first, and is the first to overrun thrice.
    for wait in (34_250, 30_250, 30_250, 30_250, 34_250 - 1):
        service.tick(wait)
        assert _state(players[0]).ending is None
    service.tick(1)
    state = _state(players[0])
    assert state.overruns[1 - loser] == 3
    assert state.ending is not None
    assert (state.ending.reason, state.ending.winner) == ("overruns", loser)
    loser = 1 - loser
    assert wallets(players)[loser] == (900, 0)
    assert wallets(players)[1 - loser] == (1_090, 0)
    service.check_money()


def test_the_operator_ends_a_match(service: Service) -> None:
    players = start_two(service)
    path = f"/v1/matches/{players[0].m}/void"
    assert players[0].person.post(path, {}).json()["code"] == "forbidden"
    assert wallets(players) == [(900, 0), (900, 0)]
    for _ in range(2):
        ok(service.http.post(path, headers={"Authorization": "Bearer operator-token-of-the-tests"}))
    assert wallets(players) == [(1_000, 0), (1_000, 0)]
    state = _state(players[0])
    assert state.ending is not None
    assert (state.ending.reason, state.ending.cause) == ("void", "operator")
    service.check_money()


@pytest.mark.parametrize("joined", [0, 1, 2, 3], ids=["nobody", "one sits", "both sit", "one has joined"])
def test_the_operator_ends_a_table_that_not_all_have_joined(joined: int, service: Service) -> None:
    alice, bob = service.person("alice", 1_000), service.person("bob", 1_000)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    players = [Player(person, m) for person in (alice, bob)[: min(joined, 2)]]
    if joined == 3:
        players[0].join()
    path, headers = f"/v1/matches/{m}/void", {"Authorization": "Bearer operator-token-of-the-tests"}
    assert alice.post(path, {}).json()["code"] == "forbidden"
    assert [person.wallet for person in (alice, bob)] == [
        (1_000 - 100 * held, 100 * held) for held in (joined > 0, joined > 1)
    ]
    for _ in range(2):
        assert ok(service.http.post(path, headers=headers))["status"] == "ended"
    state = service.app.state.services.matches.load(m).state
    assert (state.ending.reason, state.ending.cause) == ("cancelled", None)
    assert [person.wallet for person in (alice, bob)] == [(1_000, 0)] * 2
    assert [event.data for event in service.store.significant_events(None, 50, "void")] == [{"m": m}]
    service.check_money()


def test_a_table_that_its_opener_called_off_is_no_act_of_the_operator(service: Service) -> None:
    alice = service.person("alice", 1_000)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    ok(alice.post(f"/v1/tables/{m}/cancel", {}))
    ok(service.http.post(f"/v1/matches/{m}/void", headers={"Authorization": "Bearer operator-token-of-the-tests"}))
    assert service.store.significant_events(None, 50, "void") == ()


def test_the_limit_of_deals_voids(tmp_path: Any) -> None:
    service = Service(tmp_path, {"deals_max": 1})
    players = start_two(service)
    play_out(players)
    state = _state(players[0])
    assert state.ending is not None
    assert (state.ending.reason, state.ending.cause) == ("void", "deal_limit")
    assert wallets(players) == [(1_000, 0), (1_000, 0)]
    service.check_money()
    service.stop()


def test_fees_are_the_ones_the_table_opened_with(tmp_path: Any) -> None:
    service = Service(tmp_path, {"fees": {"id": "old", "commission_bp": 1_000, "tax_bp": 200}})
    players = start_two(service, stake=333)
    service.overrides = {}
    service.restart(1_000)
    for player in players:
        player.person.service = service
    players[0].look()
    ok(players[0].send(players[0].sign({"resign": True})))
    assert wallets(players) == [(667, 0), (667 + 666 - 66 - 13, 0)]
    balances = service.store.books("JETON").balances
    assert (balances["house:commission"], balances["tax"]) == (66, 13)
    service.check_money()
    service.stop()


def test_a_deposit_counts_once(service: Service) -> None:
    alice = service.person("alice")
    body, headers = {"account": alice.id, "amount": 70}, {"Authorization": "Bearer operator-token-of-the-tests"}
    first, second = (
        ok(service.http.post("/v1/deposits", json=body, headers=headers | {"Idempotency-Key": "deposit-1"}))
        for _ in range(2)
    )
    assert first == second
    assert alice.wallet == (70, 0)
    other = service.http.post(
        "/v1/deposits", json=body | {"amount": 71}, headers=headers | {"Idempotency-Key": "deposit-1"}
    )
    assert other.json()["code"] == "idempotency_conflict"
    assert alice.post("/v1/deposits", body, key="deposit-2").json()["code"] == "forbidden"
    missing = service.http.post("/v1/deposits", json=body, headers=headers)
    assert (missing.status_code, missing.json()["code"]) == (422, "invalid_request")
    assert alice.wallet == (70, 0)


def _state(player: Player) -> Any:
    player.look()
    return player.state


def test_a_key_that_was_used_does_nothing_more_and_tells_how_things_stand(service: Service) -> None:
    alice = service.person("alice", 1_000)
    m = ok(alice.post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    seat, mine = f"/v1/tables/{m}/seats", f"/v1/tables/{m}/seats/me"
    assert ok(alice.post(seat, {}, key="sit-once"))["you"] == ok(alice.post(seat, {}, key="sit-once"))["you"]
    assert ok(alice.delete(mine, key="stand-once"))["you"] is None
    assert ok(alice.post(seat, {}, key="sit-once"))["you"] is None
    assert alice.wallet == (1_000, 0)
    you = ok(alice.post(seat, {}, key="sit-again"))["you"]
    assert ok(alice.delete(mine, key="stand-once"))["you"] == you
    assert alice.wallet == (900, 100)
