"""A hostile client changes nothing and gets a clear error."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fairdeal.keys import SigningKey
from tests.api.table import Player, Service, first_legal, join_two, ok, on_turn, sit_two, start_two

Players = tuple[Player, Player]


def refused(service: Service, player: Player, body: Any, status: int, code: str) -> dict[str, Any]:
    before = service.snapshot(player.m)
    answer = player.send(body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert service.snapshot(player.m) == before
    problem: dict[str, Any] = answer.json()
    return problem


def other_of(players: Players, player: Player) -> Player:
    return players[1 - player.seat]


def test_a_card_that_is_not_held(service: Service) -> None:
    players = start_two(service)
    taker = on_turn(players)
    taker.do({"bid": "take"})
    player = on_turn(players)
    other = other_of(players, player)
    problem = refused(service, player, player.sign({"card": other.view["hand"][0]}), 422, "illegal_action")
    assert problem["reason"] == "not_in_hand"


def test_a_card_that_must_not_be_played_says_why(service: Service) -> None:
    """Plays until a strict trick forbids a card that is in the hand."""
    players = start_two(service)
    seen = set()
    for _ in range(200):
        player = on_turn(players)
        hand, legal = player.view["hand"], player.view["legal"]
        forbidden = [card for card in hand if {"card": card} not in legal] if "card" in legal[0] else []
        if forbidden:
            seen.add(refused(service, player, player.sign({"card": forbidden[0]}), 422, "illegal_action")["reason"])
        if len(seen) == 3:
            break
        player.take(ok(player.send(player.sign(first_legal(player)))))
        assert player.state is not None
        if player.state.ending:
            break
    assert seen
    assert seen <= {"must_follow", "must_rise", "must_trump"}


def test_a_bid_that_is_not_allowed(service: Service) -> None:
    player = on_turn(start_two(service))
    assert refused(service, player, player.sign({"bid": "S"}), 422, "illegal_action")["reason"]


def test_out_of_turn(service: Service) -> None:
    players = start_two(service)
    other = other_of(players, on_turn(players))
    refused(service, other, other.sign({"bid": "take"}), 409, "not_your_turn")


def test_a_size_that_has_passed_and_one_to_come(service: Service) -> None:
    players = start_two(service)
    player = on_turn(players)
    size = player.state.size if player.state else 0
    refused(service, player, player.sign({"bid": "take"}, size=size - 1), 409, "stale")
    refused(service, player, player.sign({"bid": "take"}, size=size + 1), 409, "root_mismatch")


def test_another_action_at_a_taken_place(service: Service) -> None:
    players = start_two(service)
    player = on_turn(players)
    body = player.sign({"bid": "pass"})
    other_body = player.sign({"bid": "take"})
    ok(player.send(body))
    refused(service, player, other_body, 409, "stale")


def test_a_root_of_another_history(service: Service) -> None:
    player = on_turn(start_two(service))
    refused(service, player, player.sign({"bid": "take"}, root="01" * 32), 409, "root_mismatch")


def test_a_foreign_signature(service: Service) -> None:
    players = start_two(service)
    player = on_turn(players)
    foreign = SigningKey.from_seed(b"\x07" * 32)
    refused(service, player, player.sign({"bid": "take"}, key=foreign), 422, "signature_invalid")
    body = player.sign({"bid": "take"})
    refused(service, player, body | {"do": {"bid": "pass"}}, 422, "signature_invalid")


def test_a_signature_tells_nothing_of_the_cards(service: Service) -> None:
    """Who cannot sign for the seat gets one answer, whatever card is asked for."""
    players = start_two(service)
    on_turn(players).do({"bid": "take"})
    player = on_turn(players)
    foreign = SigningKey.from_seed(b"\x07" * 32)
    player.person.headers["X-Request-Id"] = "one-and-the-same"
    answers = {
        json.dumps(refused(service, player, player.sign({"card": card}, key=foreign), 422, "signature_invalid"))
        for card in (player.view["hand"][0], "S7", "H8", "DK", "CA")
    }
    assert len(answers) == 1


def test_somebody_elses_seat(service: Service) -> None:
    players = start_two(service)
    player = on_turn(players)
    other = other_of(players, player)
    body = player.sign({"bid": "take"})
    before = service.snapshot(player.m)
    assert other.send(body).json()["code"] == "not_seated"
    mallory = service.person("mallory")
    for answer in (
        mallory.post(f"/v1/matches/{player.m}/actions", body),
        mallory.get(f"/v1/matches/{player.m}"),
        mallory.get(f"/v1/matches/{player.m}/transcript"),
        mallory.get(f"/v1/matches/{player.m}/stream"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_seated")
    nobody = service.http.post(f"/v1/matches/{player.m}/actions", json=body)
    assert (nobody.status_code, nobody.json()["code"]) == (401, "unauthenticated")
    assert service.snapshot(player.m) == before


def test_an_action_of_another_match(service: Service) -> None:
    players = start_two(service)
    ok(players[0].send(players[0].sign({"resign": True})))
    people = [player.person for player in players]
    m = ok(people[0].post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    again = (Player(people[0], m), Player(people[1], m))
    for old, new in zip(players, again, strict=True):
        new.key = old.key
        new.join()
    for new in again:
        new.send_seed()
    player = on_turn(again)
    replayed = player.sign({"bid": "take"}, m=players[0].m)
    refused(service, player, replayed, 422, "signature_invalid")


def test_a_second_seed_and_a_wrong_one(service: Service) -> None:
    players = join_two(service)
    alice = players[0]
    alice.look()
    problem = refused(service, alice, alice.sign({"seed": "00" * 32}), 422, "commitment_mismatch")
    assert alice.seed.hex() not in json.dumps(problem)
    alice.send_seed()
    refused(service, alice, alice.sign({"seed": "00" * 32}), 409, "stale")


def test_joins_that_are_not_what_the_seat_was_given(service: Service) -> None:
    alice, bob = sit_two(service)
    alice.join()
    bob.look()
    refused(service, bob, bob.sign({"join": bob.promise(player="ab" * 16)}), 422, "illegal_action")
    refused(service, bob, bob.sign({"join": bob.promise(key=alice.key.public.hex)}, key=alice.key), 422, "key_refused")
    commitment = alice.promise()["seed_commitment"]
    refused(service, bob, bob.sign({"join": bob.promise(seed_commitment=commitment)}), 409, "commitment_reused")
    low_order = "01" + "00" * 31
    refused(service, bob, bob.sign({"join": bob.promise(key=low_order)}), 422, "key_refused")
    refused(service, bob, bob.sign({"join": bob.promise()}, root="00" * 32), 409, "root_mismatch")
    assert bob.state is not None
    size = bob.state.size
    refused(service, bob, bob.sign({"join": bob.promise()}, size=size), 422, "malformed")
    bob.join()
    refused(service, bob, bob.sign({"join": bob.promise(seed_commitment="cd" * 32)}), 409, "wrong_phase")


def test_a_commitment_serves_once_ever(service: Service) -> None:
    players = start_two(service)
    ok(players[0].send(players[0].sign({"resign": True})))
    people = [player.person for player in players]
    m = ok(people[0].post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    alice, _ = Player(people[0], m), Player(people[1], m)
    alice.look()
    used = players[1].promise()["seed_commitment"]
    refused(service, alice, alice.sign({"join": alice.promise(seed_commitment=used)}), 409, "commitment_reused")


def test_nobody_joins_an_unfilled_table_or_plays_before_the_cards(service: Service) -> None:
    alice_person = service.person("alice", 1_000)
    m = ok(alice_person.post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    alice = Player(alice_person, m)
    alice.look()
    refused(service, alice, alice.sign({"join": alice.promise()}), 409, "wrong_phase")
    bob = Player(service.person("bob", 1_000), m)
    for player in (alice, bob):
        player.join()
    alice.look()
    refused(service, alice, alice.sign({"resign": True}), 409, "wrong_phase")


def test_nothing_follows_the_end(service: Service) -> None:
    players = start_two(service)
    ok(players[0].send(players[0].sign({"resign": True})))
    for player in players:
        player.look()
        assert player.state is not None
        for do in ({"resign": True}, {"bid": "take"}, {"card": "S7"}):
            refused(service, player, player.sign(do), 409, "wrong_phase")
        refused(service, player, player.sign({"seed": "00" * 32}), 409, "wrong_phase")


MALFORMED: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("unknown member", lambda body: body | {"more": 1}),
    ("unknown member within", lambda body: body | {"do": {"bid": "take", "also": 1}}),
    ("two things at once", lambda body: body | {"do": {"bid": "take", "card": "S7"}}),
    ("nothing to do", lambda body: body | {"do": {}}),
    ("missing member", lambda body: {name: value for name, value in body.items() if name != "root"}),
    ("text for a number", lambda body: body | {"size": str(body["size"])}),
    ("false for zero", lambda body: body | {"seat": False}),
    ("fraction", lambda body: body | {"size": body["size"] + 0.5}),
    ("upper case", lambda body: body | {"root": body["root"].upper()}),
    ("trailing line feed", lambda body: body | {"root": body["root"] + "\n"}),
    ("short signature", lambda body: body | {"sig": body["sig"][:-2]}),
    ("no such card", lambda body: body | {"do": {"card": "S11"}}),
    ("resign false", lambda body: body | {"do": {"resign": False}}),
    ("resign one", lambda body: body | {"do": {"resign": 1}}),
    ("negative seat", lambda body: body | {"seat": -1}),
    ("beyond 2^63", lambda body: body | {"size": 2**80}),
    ("list", lambda body: [body]),
    ("null", lambda _: None),
]


@pytest.fixture(scope="module")
def player_on_turn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    """One for all bodies that are refused, since they change nothing."""
    service = Service(tmp_path_factory.mktemp("bodies"))
    yield on_turn(start_two(service))
    service.stop()


@pytest.mark.parametrize("spoil", [spoil for _, spoil in MALFORMED], ids=[name for name, _ in MALFORMED])
def test_bodies_of_another_form(player_on_turn: Player, spoil: Callable[[dict[str, Any]], Any]) -> None:
    player = player_on_turn
    body = spoil(player.sign({"bid": "take"}))
    problem = refused(player.person.service, player, body, 422, "invalid_request")
    assert problem["faults"]


@pytest.mark.parametrize(
    ("do", "where", "why"),
    [
        ({"bid": "take", "card": "S7"}, [], "Input should be one of {"),
        ({"take": True}, [], "Input should be one of {"),
        ([], [], "Input should be one of {"),
        ({"resign": False}, ["resign", "resign"], "Input should be True"),
        ({"card": 7}, ["card", "card"], "Input should be a valid string"),
    ],
)
def test_what_is_to_be_done_is_told_by_one_fault(
    player_on_turn: Player, do: object, where: list[str], why: str
) -> None:
    """Of one form alone, or of all of them in a sentence: never of each why it is not that one."""
    player = player_on_turn
    body = player.sign({"bid": "take"}) | {"do": do}
    (fault,) = refused(player.person.service, player, body, 422, "invalid_request")["faults"]
    assert fault["where"] == ["body", "do", *where]
    assert fault["why"].startswith(why)


def test_one_race_one_event(service: Service) -> None:
    """Many copies and rivals of one action at once: one is played, each copy gets its answer, each rival is stale."""
    from concurrent.futures import ThreadPoolExecutor

    player = on_turn(start_two(service))
    bodies = [player.sign({"bid": bid}) for bid in ("take", "pass")] * 8
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(player.send, bodies))
    taken = {json.dumps(body) for body, answer in zip(bodies, answers, strict=True) if answer.status_code == 200}
    assert len(taken) == 1
    assert {answer.status_code for answer in answers} == {200, 409}
    assert sum(answer.status_code == 200 for answer in answers) == 8
    first = [answer.json()["events"][0] for answer in answers if answer.status_code == 200]
    assert len(set(first)) == 1
