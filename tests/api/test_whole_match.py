"""A staked duel over HTTP, from the empty table to the bundle."""

import json

from fairdeal.match import check_receipt, parse_bundle, receipt_key, replay, view_message
from tests.api.table import Player, Service, ok, play_out, sit_two, start_two


def test_a_duel_is_played_and_paid(service: Service) -> None:
    players = start_two(service)
    assert [player.person.wallet for player in players] == [(900, 0), (900, 0)]
    service.check_money()
    play_out(players)
    service.check_money()
    state = players[0].state
    assert state is not None
    assert state.ending is not None
    assert state.ending.reason == "target"
    winner = state.ending.winner
    assert winner is not None
    assert players[winner].person.wallet == (900 + 190, 0)
    assert players[1 - winner].person.wallet == (900, 0)
    lines = ok(players[winner].person.get("/v1/wallet/lines"))["lines"]
    assert [(line["kind"], line["amount"], line["balance"]) for line in lines] == [
        ("finish", 190, 1_090),
        ("sit", -100, 900),
        ("deposit", 1_000, 1_000),
    ]
    described = ok(service.http.get(f"/v1/tables/{players[0].m}"))
    assert described["status"] == "ended"
    assert described["due_at"] is None


def test_the_record_is_for_anybody_after_the_end(service: Service) -> None:
    players = start_two(service)
    m, stranger = players[0].m, service.http
    early = stranger.get(f"/v1/matches/{m}/transcript")
    assert (early.status_code, early.json()["code"]) == (401, "unauthenticated")
    early = service.person("carol").get(f"/v1/matches/{m}/transcript")
    assert (early.status_code, early.json()["code"]) == (403, "not_seated")
    assert stranger.get(f"/v1/matches/{m}/bundle").json()["code"] == "wrong_phase"
    so_far = players[0].person.get(f"/v1/matches/{m}/transcript").content
    ok(players[0].send(players[0].sign({"resign": True})))

    whole = stranger.get(f"/v1/matches/{m}/transcript").content
    assert whole.startswith(so_far)
    bundle = parse_bundle(stranger.get(f"/v1/matches/{m}/bundle").content)
    assert b"".join(event.line + b"\n" for event in bundle.events) == whole
    state = replay(bundle.events, None)
    check_receipt(bundle.head, receipt_key(state.terms), state)
    assert [event.type for event in bundle.events[-4:]] == ["act", "end", "reveal", "settle"]


def test_an_answer_is_what_one_seat_may_know(service: Service) -> None:
    players = start_two(service)
    alice = players[0]
    state = alice.state
    assert state is not None
    answer = ok(alice.person.get(f"/v1/matches/{alice.m}", params={"from": 2}))
    assert set(answer) == {"m", "from", "events", "receipt", "view", "sig", "now", "deadline"}
    assert (answer["m"], answer["from"], answer["now"]) == (alice.m, 2, service.clock.ms)
    assert answer["deadline"] == state.deadline == service.clock.ms + 34_000
    assert [json.loads(line)["n"] for line in answer["events"]] == list(range(2, state.size))
    assert set(answer["view"]) == {"hand", "legal", "m", "seat", "size"}
    assert (answer["view"]["seat"], answer["view"]["size"]) == (alice.seat, state.size)
    assert len(answer["view"]["hand"]) == 6
    key = receipt_key(state.terms)
    check_receipt(answer["receipt"], key, state)
    key.public.verify(bytes.fromhex(answer["sig"]), view_message(answer["view"]))


def test_a_retry_gets_the_same_answer(service: Service) -> None:
    alice, bob = sit_two(service)
    for player in (alice, bob):
        player.look()
    joins = [player.sign({"join": player.promise()}) for player in (alice, bob)]
    first = [ok(player.send(join)) for player, join in zip((alice, bob), joins, strict=True)]
    assert ok(bob.send(joins[1])) == first[1]
    again = ok(alice.send(joins[0]))
    assert again["from"] == first[0]["from"] == 1
    assert again["events"][0] == first[0]["events"][0]
    assert again["events"][1:] == first[1]["events"]
    for player in (alice, bob):
        player.look()
    before = service.snapshot(alice.m)
    alice.send(joins[0])
    assert service.snapshot(alice.m) == before

    seeds = [player.sign({"seed": player.seed.hex()}) for player in (alice, bob)]
    answers = [ok(player.send(seed)) for player, seed in zip((alice, bob), seeds, strict=True)]
    assert ok(bob.send(seeds[1])) == answers[1]
    alice.look()
    resign = alice.sign({"resign": True})
    assert ok(alice.send(resign)) == ok(alice.send(resign))
    assert alice.person.wallet == (900, 0)
    service.check_money()


def test_polling_costs_nothing_while_nothing_happens(service: Service) -> None:
    alice, bob = start_two(service)
    path = f"/v1/matches/{alice.m}"
    size = alice.person.get(path).headers["ETag"]
    assert size == f'"{alice.state.size}"' if alice.state else False
    unchanged = alice.person.get(path, headers={"If-None-Match": size})
    assert (unchanged.status_code, unchanged.content, unchanged.headers["ETag"]) == (304, b"", size)
    for known in ("*", f"W/{size}", f'"0", W/{size}'):
        unchanged = alice.person.get(path, headers={"If-None-Match": known})
        assert (unchanged.status_code, unchanged.headers["ETag"]) == (304, size)
    ok(bob.send(bob.sign({"resign": True})))
    assert alice.person.get(path, headers={"If-None-Match": size}).status_code == 200


def test_a_table_says_everything_before_anybody_sits(service: Service) -> None:
    alice = service.person("alice", 500)
    opened = ok(alice.post("/v1/tables", {"game": "duel", "stake": 250}))
    shown = ok(service.http.get(f"/v1/tables/{opened['m']}", headers={"Accept-Language": "fr-CA, en;q=0.5"}))
    assert (shown["pot"], shown["commission"], shown["tax"], shown["winner_net"]) == (500, 25, 0, 475)
    assert {row["code"]: (row["favoured"], row["other"], row["house"]) for row in shown["meanings"]} == {
        "won": (475, 0, 25),
        "forfeit": (475, 0, 25),
        "seed_missing": (500, 0, 0),
        "seeds_missing": (250, 250, 0),
        "cancelled": (250, 250, 0),
        "void": (250, 250, 0),
    }
    assert "mise" in shown["meanings"][2]["text"]
    assert "stake" in opened["meanings"][2]["text"]
    assert shown["expires_at"] == shown["due_at"] == service.clock.ms + 600_000
    assert shown["seats"] == [{"seat": 0, "player": None, "kind": None}, {"seat": 1, "player": None, "kind": None}]
    assert json.loads(shown["open"])["data"]["stake"] == 250
    assert alice.wallet == (500, 0)


def test_a_match_for_nothing_moves_nothing(service: Service) -> None:
    players = start_two(service, stake=0, money=0)
    ok(players[1].send(players[1].sign({"resign": True})))
    events = service.http.get(f"/v1/matches/{players[0].m}/transcript").text.splitlines()
    assert [json.loads(line)["type"] for line in events[-3:]] == ["act", "end", "reveal"]
    assert service.store.books("JETON").entries == {}


def test_private_tables_are_found_and_sat_at_by_code(service: Service) -> None:
    alice, bob = service.person("alice", 100), service.person("bob", 100)
    opened = ok(alice.post("/v1/tables", {"game": "duel", "stake": 100, "private": True}))
    m, code = opened["m"], opened["code"]
    assert ok(bob.get(f"/v1/tables/{m}"))["code"] is None
    assert ok(service.http.get("/v1/tables"))["tables"] == []
    for given in ({}, {"code": "00000000"}):
        refused = bob.post(f"/v1/tables/{m}/seats", given, key="sit-at-it")
        assert (refused.status_code, refused.json()["code"]) == (403, "code_refused")
    assert bob.wallet == (100, 0)
    found = ok(bob.post("/v1/tables/find", {"code": f"{code[:4]}-{code[4:].lower()}"}))
    assert found["m"] == m
    assert ok(bob.post(f"/v1/tables/{m}/seats", {"code": code}, key="sit-at-it"))["code"] == code
    assert bob.wallet == (0, 100)
    Player(alice, m, code)


def test_public_tables_are_listed_in_pages(service: Service) -> None:
    alice = service.person("alice", 100)
    opened = [ok(alice.post("/v1/tables", {"game": "duel", "stake": stake}))["m"] for stake in (1, 2, 3)]
    first = ok(service.http.get("/v1/tables", params={"limit": 2}))
    assert [row["m"] for row in first["tables"]] == [opened[2], opened[1]]
    second = ok(service.http.get("/v1/tables", params={"limit": 2, "cursor": first["cursor"]}))
    assert [row["m"] for row in second["tables"]] == [opened[0]]
    assert second["cursor"] is None
    assert service.http.get("/v1/tables", params={"limit": 101}).status_code == 422
