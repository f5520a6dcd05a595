"""Tables of four: who sits where and with whom, what is shown before, and what each ending pays the sides."""

import json
import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fairdeal.client import Api, ApiError
from fairdeal.match import Held, HeldLine, write_held
from tests.api.serving import served
from tests.api.table import Person, Player, Service, join_four, ok, on_turn, play_out, sit_four, start_four

FEES = {"fees": {"id": "odd", "commission_bp": 500, "commission_cap": 2**53 - 1, "tax_bp": 100, "tax_base": "pot"}}


def refused(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def opened(person: Person, game: str = "classique", stake: int = 100, **table: Any) -> str:
    m: str = ok(person.post("/v1/tables", {"game": game, "stake": stake, **table}))["m"]
    return m


def sit(person: Person, m: str, key: str | None = None, **body: Any) -> Any:
    return person.post(f"/v1/tables/{m}/seats", body, key=key or secrets.token_hex(8))


def wallets(players: tuple[Player, ...]) -> list[int]:
    """What everybody has; nothing is held any more."""
    shown = [player.person.wallet for player in players]
    assert {held for _, held in shown} == {0}
    return [cash for cash, _ in shown]


# Terms


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ({"game": "classique"}, {"target": 1001}),
        ({"game": "classique", "target": 501}, {"target": 501}),
        ({"game": "coinche", "target": 2001}, {"scoring": "faits", "target": 2001}),
        ({"game": "coinche", "scoring": "faits+demandés"}, {"scoring": "faits+demandés", "target": 1001}),
        ({"game": "annonces", "stake": 0, "target": 501}, {"target": 501}),
    ],
)
def test_what_an_opener_chooses_stands_in_the_first_event(
    service: Service, table: dict[str, Any], options: dict[str, Any]
) -> None:
    alice = service.person("alice")
    described = ok(alice.post("/v1/tables", {"stake": 100, **table}))
    assert (described["game"], described["options"]) == (table["game"], options)
    assert json.loads(described["open"])["data"]["ruleset"] == {"id": f"{table['game']}@1", "options": options}
    assert [seat["player"] for seat in described["seats"]] == [None] * 4
    (row,) = ok(alice.get("/v1/tables"))["tables"]
    assert (row["game"], row["options"], row["free"]) == (table["game"], options, 4)


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ({"game": "duel", "target": 501}, "invalid_request"),
        ({"game": "duel", "scoring": "faits"}, "invalid_request"),
        ({"game": "classique", "target": 301}, "invalid_request"),
        ({"game": "classique", "target": "501"}, "invalid_request"),
        ({"game": "classique", "target": 501.0}, "invalid_request"),
        ({"game": "classique", "scoring": "faits"}, "invalid_request"),
        ({"game": "coinche", "scoring": "demandés"}, "invalid_request"),
        ({"game": "belote"}, "invalid_request"),
        ({}, "invalid_request"),
        ({"game": "annonces"}, "stake_refused"),
        ({"game": "classique", "decision_ms": 7}, "terms_refused"),
    ],
)
def test_terms_that_a_game_has_not(service: Service, table: dict[str, Any], code: str) -> None:
    alice = service.person("alice")
    assert refused(alice.post("/v1/tables", {"stake": 100, **table})) == (422, code)
    assert ok(alice.get("/v1/tables"))["tables"] == []


def test_before_sitting_one_knows_what_every_ending_means_for_a_side(tmp_path: Path) -> None:
    service = Service(tmp_path, FEES)
    alice = service.person("alice")
    m = opened(alice, "coinche", 505)
    told = ok(service.http.get(f"/v1/tables/{m}"))
    assert (told["stake"], told["pot"], told["commission"], told["tax"]) == (505, 2020, 101, 20)
    assert (told["winner_net"], told["winner_nets"]) == (1899, [950, 949])
    meant = {meaning["code"]: meaning["seats"] for meaning in told["meanings"]}
    assert meant == {
        "won": [950, 0, 949, 0],
        "forfeit": [950, 0, 949, 0],
        "seed_missing": [1010, 0, 1010, 0],
        "seeds_missing": [505] * 4,
        "cancelled": [505] * 4,
        "void": [505] * 4,
    }
    texts = {meaning["code"]: meaning["text"] for meaning in told["meanings"]}
    assert "both stakes" in texts["forfeit"]
    french = ok(service.http.get(f"/v1/tables/{m}", headers={"Accept-Language": "fr"}))["meanings"]
    assert "les deux mises" in next(meaning["text"] for meaning in french if meaning["code"] == "forfeit")
    service.stop()


def test_a_duel_is_described_as_ever(service: Service) -> None:
    alice = service.person("alice", 100)
    m = opened(alice, "duel")
    told = ok(sit(alice, m))
    assert not {"options", "winner_nets"} & set(told)
    assert set(told["you"]) == {"seat", "player"}
    assert all(set(meaning) == {"code", "favoured", "other", "house", "text"} for meaning in told["meanings"])
    assert refused(sit(service.person("bob", 100), m, partner_code="7Q2MK9XD")) == (403, "code_refused")


# Partners


def test_at_a_staked_table_partners_choose_each_other(service: Service) -> None:
    alice, bob, carol, dave, eve = (service.person(name, 100) for name in ("alice", "bob", "carol", "dave", "eve"))
    m = opened(alice)
    code = ok(sit(alice, m))["you"]["partner_code"]
    bobs = ok(sit(bob, m))["you"]
    assert (bobs["seat"], bobs["partner_code"] != code) == (1, True), "seat 2 is for who has Alice's code"
    for body in ({}, {"seat": 2}, {"partner_code": "00000000"}, {"seat": 3, "partner_code": code}):
        assert refused(sit(eve, m, **body)) == (403, "code_refused")
    assert refused(sit(eve, m, seat=1)) == (409, "seat_taken")
    assert eve.wallet == (100, 0)
    assert ok(alice.get(f"/v1/tables/{m}"))["you"]["partner_code"] == code
    for other in (bob, eve):
        assert code not in other.get(f"/v1/tables/{m}").text
    assert code not in service.http.get(f"/v1/tables/{m}").text + service.http.get("/v1/tables").text
    typed = f"{code[:4]}-{code[4:]}".lower()
    carols = ok(sit(carol, m, partner_code=typed))["you"]
    assert carols["seat"] == 2
    assert "partner_code" not in carols, "her partner sits already"
    assert "partner_code" not in ok(alice.get(f"/v1/tables/{m}"))["you"]
    assert ok(alice.get(f"/v1/tables/{m}"))["status"] == "open"
    assert ok(sit(dave, m, seat=3, partner_code=bobs["partner_code"]))["status"] == "joining"
    assert refused(sit(eve, m, seat=3)) == (409, "table_closed")


def test_where_nothing_is_staked_anybody_sits_anywhere(service: Service) -> None:
    alice, bob = service.person("alice"), service.person("bob")
    m = opened(alice, stake=0)
    told = ok(sit(alice, m, seat=3))
    assert set(told["you"]) == {"seat", "player"}
    assert told["you"]["seat"] == 3
    assert refused(sit(bob, m, seat=3)) == (409, "seat_taken")
    assert refused(sit(bob, m, seat=4)) == (422, "invalid_request")
    assert refused(sit(bob, m, seat=1, partner_code="7Q2MK9XD")) == (403, "code_refused")
    assert ok(sit(bob, m, seat=1))["you"]["seat"] == 1
    assert refused(sit(bob, m, seat=0)) == (409, "already_seated")


def test_a_private_table_asks_for_both_codes(service: Service) -> None:
    alice, bob = service.person("alice", 100), service.person("bob", 100)
    table = ok(alice.post("/v1/tables", {"game": "coinche", "stake": 100, "private": True}))
    m, code = table["m"], table["code"]
    partner = ok(sit(alice, m, code=code))["you"]["partner_code"]
    assert refused(sit(bob, m, partner_code=partner)) == (403, "code_refused")
    assert refused(sit(bob, m, code=code, seat=2)) == (403, "code_refused")
    assert ok(sit(bob, m, code=code, partner_code=partner))["you"]["seat"] == 2


def test_one_key_serves_one_seat(service: Service) -> None:
    alice = service.person("alice", 100)
    m = opened(alice)
    told = [ok(sit(alice, m, key="the-same-key", seat=2))["you"] for _ in range(2)]
    assert told[0] == told[1]
    assert refused(sit(alice, m, key="the-same-key", seat=0)) == (409, "idempotency_conflict")
    assert alice.wallet == (0, 100)


# Freeing a seat


def test_the_opener_frees_a_seat_and_the_hold_goes_back_whole(service: Service) -> None:
    alice, bob, carol = (service.person(name, 100) for name in ("alice", "bob", "carol"))
    m = opened(alice)
    code = ok(sit(bob, m, seat=1))["you"]["partner_code"]
    assert refused(bob.delete(f"/v1/tables/{m}/seats/1", key="not-the-opener")) == (403, "forbidden")
    assert refused(alice.delete(f"/v1/tables/{m}/seats/3", key="nobody-there")) == (403, "not_seated")
    assert refused(alice.delete(f"/v1/tables/{m}/seats/4", key="no-such-seat")) == (422, "invalid_request")
    assert refused(service.http.delete(f"/v1/tables/{m}/seats/1")) == (401, "unauthenticated")
    assert bob.wallet == (0, 100)
    for _ in range(2):
        told = ok(alice.delete(f"/v1/tables/{m}/seats/1", key="one-and-the-same"))
        assert told["seats"][1]["player"] is None
        assert bob.wallet == (100, 0)
    assert refused(sit(carol, m, seat=3, partner_code=code)) == (403, "code_refused"), "the code went with him"
    assert ok(sit(carol, m, seat=3))["you"]["seat"] == 3
    assert ok(bob.get(f"/v1/tables/{m}"))["you"] is None
    lines = ok(bob.get("/v1/wallet/lines"))["lines"]
    assert [line["amount"] for line in lines] == [100, -100, 100]
    service.check_money()


def test_who_is_left_alone_lets_another_partner_in(service: Service) -> None:
    alice, bob, carol = (service.person(name, 100) for name in ("alice", "bob", "carol"))
    m = opened(alice)
    code = ok(sit(alice, m, seat=0))["you"]["partner_code"]
    ok(sit(bob, m, partner_code=code))
    ok(alice.delete(f"/v1/tables/{m}/seats/me", key="stand-up-now"))
    bobs = ok(bob.get(f"/v1/tables/{m}"))["you"]["partner_code"]
    assert refused(sit(carol, m, seat=0, partner_code=code)) == (403, "code_refused")
    assert ok(sit(carol, m, partner_code=bobs))["you"]["seat"] == 0


def test_a_full_table_frees_no_seat(service: Service) -> None:
    players = sit_four(service)
    path = f"/v1/tables/{players[0].m}/seats/1"
    assert refused(players[0].person.delete(path, key="too-late-now")) == (409, "table_closed")
    assert players[1].person.wallet == (900, 100)


def test_one_of_many_takes_the_last_seat(tmp_path: Path) -> None:
    service = Service(tmp_path)
    people = [service.person(f"person{number}", 100) for number in range(9)]
    m = opened(people[0])
    code = ok(sit(people[0], m))["you"]["partner_code"]
    ok(sit(people[1], m, partner_code=code))
    last = ok(sit(people[2], m))["you"]["partner_code"]
    with served(service) as url:

        def take(person: Person) -> str:
            with Api(url, person.headers["Authorization"].removeprefix("Bearer ")) as api:
                try:
                    return str(api.sit(m, None, f"sit-{person.name}", partner_code=last)["you"]["seat"])
                except ApiError as error:
                    return error.problem

        with ThreadPoolExecutor(6) as pool:
            answers = sorted(pool.map(take, people[3:]))
        assert answers == ["3", *["table_closed"] * 5]
        assert sum(held for _, held in (person.wallet for person in people)) == 400
        service.check_money()


# Endings


def test_three_people_do_not_begin(service: Service) -> None:
    alice = service.person("alice")
    m = opened(alice, stake=0)
    three = [Player(alice, m), *(Player(service.person(name), m) for name in ("bob", "carol"))]
    three[0].look()
    assert refused(three[0].send(three[0].sign({"join": three[0].promise()}))) == (409, "wrong_phase")
    Player(service.person("dave"), m)
    three[0].join()


def test_four_joins_form_the_pot_and_four_seeds_begin(service: Service) -> None:
    players = join_four(service)
    assert [player.person.wallet for player in players] == [(900, 0)] * 4
    for player in players[:3]:
        player.send_seed()
    assert ok(players[0].person.get(f"/v1/tables/{players[0].m}"))["table"]["phase"] == "seeds"
    players[3].send_seed()
    assert ok(players[0].person.get(f"/v1/tables/{players[0].m}"))["table"]["phase"] == "play"
    service.check_money()


def test_one_who_does_not_join_gives_all_four_stakes_back(service: Service) -> None:
    players = sit_four(service)
    for player in players[:3]:
        player.join()
    service.tick(60_000)
    assert wallets(players) == [1_000] * 4
    service.check_money()


@pytest.mark.parametrize(
    ("sending", "paid"),
    [([0, 1, 2], [1_100, 900, 1_100, 900]), ([1, 2, 3], [900, 1_100, 900, 1_100]), ([0, 1], [1_000] * 4)],
    ids=["the side of 3 lacks one", "the side of 0 lacks one", "both lack one"],
)
def test_a_seed_missing_loses_for_the_side(service: Service, sending: list[int], paid: list[int]) -> None:
    players = join_four(service)
    for seat in sending:
        players[seat].send_seed()
    for _ in range(3):
        service.tick(30_250)
    assert wallets(players) == paid
    service.check_money()


def test_resigning_loses_for_the_side(tmp_path: Path) -> None:
    service = Service(tmp_path, FEES)
    players = start_four(service, "coinche", 505)
    players[3].look()
    ok(players[3].send(players[3].sign({"resign": True})))
    assert wallets(players) == [1_000 - 505 + 950, 495, 1_000 - 505 + 949, 495]
    service.check_money()
    service.stop()


def test_a_third_overrun_loses_for_the_side(service: Service) -> None:
    players = start_four(service)
    for _ in range(40):
        player = on_turn(players)
        state = player.state
        assert state is not None
        if player.seat == 2:
            service.tick(34_250)
        else:
            player.do({"bid": "pass"} if {"bid": "pass"} in player.view["legal"] else player.view["legal"][0])
        players[0].look()
        if players[0].state is not None and players[0].state.ending is not None:
            break
    ending = ok(players[0].person.get(f"/v1/tables/{players[0].m}"))["table"]["ending"]
    assert (ending["reason"], ending["winner"]) == ("overruns", 1)
    assert wallets(players) == [900, 1_090, 900, 1_090]
    service.check_money()


@pytest.mark.parametrize("game", ["classique", "coinche", "annonces"])
def test_a_match_of_four_is_played_paid_and_verified(service: Service, tmp_path: Path, game: str) -> None:
    players = start_four(service, game, 0 if game == "annonces" else 100, target=501)
    play_out(players)
    state = players[0].state
    assert state is not None
    assert state.ending is not None
    winner = state.ending.winner
    assert (state.ending.reason, winner in (0, 1)) == ("target", True)
    for player in players:
        assert player.person.wallet == (
            (1_000 if game == "annonces" else 1_090 if player.seat % 2 == winner else 900),
            0,
        )
    service.check_money()
    m = players[0].m
    (tmp_path / "match.fairdeal").write_bytes(service.http.get(f"/v1/matches/{m}/bundle").content)
    (tmp_path / "policy").write_bytes(service.http.get("/log/policy").content)
    for player in players:
        held = Held(
            player.key.public.hex,
            m,
            player.seat,
            tuple(HeldLine(answer["receipt"], answer["sig"], answer["view"]) for answer in player.received),
        )
        (tmp_path / "match.held").write_bytes(write_held(held))
        command = [sys.executable, "-m", "fairdeal_verifier", str(tmp_path / "match.fairdeal")]
        command += ["--policy", str(tmp_path / "policy"), "--held", str(tmp_path / "match.held"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "verified"), done.stdout
