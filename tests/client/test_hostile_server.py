"""A server that lies under its own valid signatures: the client notices while playing, and signs no more."""

from contextlib import suppress
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.belote import cards_in
from fairdeal.cards import format_card, parse_card
from fairdeal.client import AlreadySigned, Contradiction, Finding, MatchClient, prefer_winning_tricks
from fairdeal.commit import commitment
from fairdeal.errors import WrongPhase
from fairdeal.keys import SigningKey
from fairdeal.match import Event, SignedAction, legal, receipt_name, view
from fairdeal.tlog import NoteSigner
from tests.client.server import LOG, M, Server, Table, play_on, seed_of


def refused(client: MatchClient, answer: dict[str, Any]) -> Contradiction:
    """The contradiction; after it nothing is signed any more, and the evidence is on the disk without a secret."""
    before = client.lines()
    with pytest.raises(Contradiction) as caught:
        client.receive(answer)
    assert client.lines() == before
    for attempt in (client.resign, client.seed, client.join):
        # Where a phase allows nothing there is nothing to refuse.
        with suppress(WrongPhase, AlreadySigned):
            assert attempt() is None
    with pytest.raises(AlreadySigned, match=caught.value.finding.value):
        client.receive(answer)
    return caught.value


def changed(line: bytes, **data: Any) -> bytes:
    """The event with other members of its data."""
    event = Event.parse(line)
    return Event.make(event.n, event.t, event.by, event.type, {**event.data, **data}).line


def at(line: bytes, t: int) -> bytes:
    event = Event.parse(line)
    return Event.make(event.n, t, event.by, event.type, event.data).line


def foreign_join(server: Server, seat: int, n: int) -> bytes:
    """A join of `seat` by a key and a seed of the server's own choosing."""
    key = SigningKey.from_seed(b"x" * 32)
    join = {
        "key": key.public.hex,
        "player": f"{seat:032x}",
        "seed_commitment": commitment(seed_of(99)),
        "seen": Event.parse(server.lines[1]).data["do"]["join"]["seen"],
    }
    root = server.state.join_root.hex()
    action = SignedAction.sign(key, M, {"join": join}, root, seat, 1)
    return Event.make(n, server.now, seat, "join", {"do": action.do, "root": action.root, "sig": action.sig}).line


def test_seat_swapped_after_the_honest_seed_is_out(table: Table) -> None:
    client, server = table.joined().clients[0], table.server
    table.take(client.seed())
    swapped = [server.lines[0], server.lines[1], foreign_join(server, 1, 2), *server.lines[3:]]
    assert refused(client, server.say(0, 0, swapped)).finding is Finding.FORK


def test_seat_swapped_and_only_the_rest_told(table: Table) -> None:
    """The events told fit what the client has; the receipt, true to the swapped history, gives it away."""
    client, server = table.joined().clients[0], table.server
    table.take(client.seed())
    other = table.clients[1].seed()
    assert other is not None
    server.take(other)
    swapped = [server.lines[0], server.lines[1], foreign_join(server, 1, 2), *server.lines[3:]]
    answer = server.answer(0, client.size) | {"receipt": server.receipt(swapped)}
    assert refused(client, answer).finding is Finding.ROOT


def test_seed_that_does_not_open_the_seats_promise(table: Table) -> None:
    client, server = table.joined().clients[0], table.server
    body: Any = canonical.decode(table.clients[1].seed() or b"")
    other = SigningKey.from_seed(bytes([11]) * 32)
    chosen = SignedAction.sign(other, M, {"seed": seed_of(99).hex()}, body["root"], 1, 3)
    line = Event.make(3, server.now, 1, "seed", {"do": chosen.do, "root": chosen.root, "sig": chosen.sig}).line
    error = refused(client, server.say(0, 3, [*server.lines, line]))
    assert (error.finding, error.place) == (Finding.SEAT_SEED, 3)


@pytest.mark.parametrize("hiding", ["resume", "timeout", "end"])
def test_last_join_hidden_behind_another_event(table: Table, hiding: str) -> None:
    client, server = table.clients[0], table.server
    table.take(client.join())
    data: dict[str, Any] = {
        "resume": {"from": 0, "to": 10_000},
        "timeout": {"missing": [1]},
        "end": {"reason": "void", "winner": None, "totals": [0, 0], "cause": "operator"},
    }[hiding]
    lines = [*server.lines, server.server_event(hiding, data)]
    lines.append(foreign_join(server, 1, len(lines)))
    error = refused(client, server.say(0, 2, lines))
    assert error.place == 2
    assert error.finding in (Finding.ORDER, Finding.RESUME, Finding.END)


def test_own_join_altered(table: Table) -> None:
    client, server = table.clients[0], table.server
    server.take(client.join() or b"")
    lines = [server.lines[0], foreign_join(server, 0, 1)]
    error = refused(client, server.say(0, 1, lines))
    assert (error.finding, error.place) == (Finding.OWN_ACTION, 1)


def test_own_seat_joined_by_another_key(table: Table) -> None:
    client, server = table.clients[0], table.server
    server.take(table.clients[1].join() or b"")
    lines = [*server.lines, foreign_join(server, 0, 2)]
    assert refused(client, server.say(0, 1, lines)).finding is Finding.OWN_ACTION


def test_two_histories(table: Table) -> None:
    """The other player's card is told to us as another one, after we have seen the first."""
    play_on(table.seeded(), 12)
    client, server = table.clients[0], table.server
    other = next(n for n, event in enumerate(server.events) if event.type == "act" and event.by == 1)
    lines = server.lines
    lines[other] = at(lines[other], Event.parse(lines[other]).t + 1)
    error = refused(client, server.say(0, other, lines))
    assert (error.finding, error.place) == (Finding.FORK, other)


def test_receipt_over_another_history(table: Table) -> None:
    play_on(table.seeded(), 12)
    client, server = table.clients[0], table.server
    other = server.lines
    other[-1] = at(other[-1], server.now + 1)
    answer = server.answer(0, client.size) | {"receipt": server.receipt(other)}
    error = refused(client, answer)
    assert (error.finding, error.place) == (Finding.ROOT, client.size - 1)


def test_moves_are_bound_to_one_history(table: Table) -> None:
    """A card of the other seat, altered by the server, carries no signature of that seat."""
    table.seeded()
    waiting = table.clients[1 - table.on_turn.seat]
    turn = table.on_turn.turn
    assert turn is not None
    server = table.server
    server.take(table.on_turn.act(turn.legal[0]))
    line = changed(server.lines[-1], do={"bid": "take"})
    assert refused(waiting, server.say(waiting.seat, waiting.size, [*server.lines[:-1], line])).finding is (
        Finding.SEAT_SIGNATURE
    )


@pytest.mark.parametrize("lie", ["one less", "one more", "other order"])
def test_false_legal_list(table: Table, lie: str) -> None:
    play_on(table.seeded(), 30)
    client, server = table.on_turn, table.server
    shown = view(server.state, client.seat)
    if lie == "one less":
        shown["legal"] = shown["legal"][1:]
    elif lie == "one more":
        shown["legal"] = [*shown["legal"], {"bid": "pass"}]
    else:
        shown["legal"] = shown["legal"][::-1]
        if len(shown["legal"]) == 1:
            shown["legal"] *= 2
    error = refused(client, server.say(client.seat, client.size, server.lines, shown))
    assert error.finding is Finding.SHOWN_LEGAL


def test_legal_list_off_turn(table: Table) -> None:
    waiting = table.clients[1 - table.seeded().on_turn.seat]
    shown = view(table.server.state, waiting.seat) | {"legal": [{"bid": "pass"}]}
    answer = table.server.say(waiting.seat, waiting.size, table.server.lines, shown)
    assert refused(waiting, answer).finding is Finding.SHOWN_LEGAL


def hand_with(table: Table, client: MatchClient, gone: int, new: int) -> dict[str, Any]:
    """An honest view, but for one card of the hand and the list that would go with it."""
    cards = sorted({*client.hand} - {gone} | {new})
    state = table.server.state
    return view(state, client.seat) | {
        "hand": [format_card(card) for card in cards],
        "legal": legal(state, client.seat, sum(1 << card for card in cards)),
    }


@pytest.mark.parametrize("taken_from", ["stock", "other hand", "table", "turned"])
def test_a_card_of_the_hand_exchanged(table: Table, taken_from: str) -> None:
    play_on(table.seeded(), 13)
    server, deal = table.server, table.server.state.deal
    assert deal is not None
    assert deal.stock is not None
    assert deal.hands is not None
    client = table.clients[1 - deal.taker if taken_from == "turned" and deal.taker is not None else 0]
    new = {
        "stock": deal.stock[-1],
        "other hand": cards_in(deal.hands[1 - client.seat])[0],
        "table": cards_in(deal.played)[0],
        "turned": deal.turned,
    }[taken_from]
    answer = server.say(client.seat, client.size, server.lines, hand_with(table, client, client.hand[0], new))
    assert refused(client, answer).finding is Finding.SHOWN_HAND


@pytest.mark.parametrize("lie", ["reversed", "twice"])
def test_a_hand_in_another_order_or_with_a_card_twice(table: Table, lie: str) -> None:
    client, server = table.seeded().clients[0], table.server
    shown = view(server.state, 0)
    shown["hand"] = {
        "reversed": shown["hand"][::-1],
        "twice": [shown["hand"][0], *shown["hand"]],
    }[lie]
    error = refused(client, server.say(0, client.size, server.lines, shown))
    assert error.finding is Finding.SHOWN_HAND


@pytest.mark.parametrize("where", ["turned", "played"])
def test_a_drawn_card_that_cannot_be(table: Table, where: str) -> None:
    """A card newly drawn is checked against what lies on the table, although nothing was known of it before."""
    table.seeded()
    while True:
        deal = table.server.state.deal
        assert deal is not None
        if deal.trick and deal.tricks != (0, 0) and deal.turn != deal.taker:
            break
        play_on(table, 1)
    client, server = table.on_turn, table.server
    before = set(client.hand)
    turn = client.turn
    assert turn is not None
    server.take(client.act(prefer_winning_tricks(turn)))
    deal = server.state.deal
    assert deal is not None
    drawn = {parse_card(card) for card in view(server.state, client.seat)["hand"]} - before
    new = deal.turned if where == "turned" else cards_in(deal.played)[0]
    hand = sorted({parse_card(card) for card in view(server.state, client.seat)["hand"]} - drawn | {new})
    shown = view(server.state, client.seat) | {
        "hand": [format_card(card) for card in hand],
        "legal": legal(server.state, client.seat, sum(1 << card for card in hand)),
    }
    answer = server.say(client.seat, client.size, server.lines, shown)
    assert refused(client, answer).finding is Finding.SHOWN_HAND


@pytest.mark.parametrize("forged", ["key", "name", "origin", "size", "two lines", "no note"])
def test_forged_receipt(table: Table, forged: str) -> None:
    play_on(table.seeded(), 5)
    client, server = table.clients[0], table.server
    stranger = SigningKey.from_seed(b"f" * 32)
    receipt = {
        "key": server.receipt(server.lines, signer=NoteSigner(receipt_name(LOG), stranger)),
        "name": server.receipt(server.lines, signer=NoteSigner(LOG, server.key)),
        "origin": server.receipt(server.lines, origin=f"{LOG}/m/{'f' * 32}"),
        "size": server.receipt(server.lines[:-1]),
        "two lines": server.receipt(server.lines)
        + server.receipt(server.lines, signer=NoteSigner("other", stranger)).rpartition("\n\n")[2],
        "no note": "none",
    }[forged]
    answer = server.answer(0, client.size) | {"receipt": receipt}
    assert refused(client, answer).finding is Finding.RECEIPT


@pytest.mark.parametrize("forged", ["signature", "seat", "size", "match"])
def test_forged_view(table: Table, forged: str) -> None:
    play_on(table.seeded(), 5)
    client, server = table.clients[0], table.server
    shown = view(server.state, 0)
    if forged == "signature":
        answer = server.say(0, client.size, server.lines, shown) | {"sig": "0" * 127 + "1"}
    else:
        wrong: dict[str, Any] = {"seat": {"seat": 1}, "size": {"size": client.size + 1}, "match": {"m": "f" * 32}}
        answer = server.say(0, client.size, server.lines, shown | wrong[forged])
    assert refused(client, answer).finding is Finding.VIEW


def test_time_going_back(table: Table) -> None:
    play_on(table.seeded(), 6)
    client, server = table.clients[0], table.server
    data = {"from": server.now - 20_000, "to": server.now - 10_000}
    line = server.server_event("resume", data, server.state.last_t - 1)
    error = refused(client, server.say(0, client.size, [*server.lines, line]))
    assert (error.finding, error.place) == (Finding.CLOCK, client.size)


def test_early_timeout(table: Table) -> None:
    table.seeded()
    server = table.server
    assert server.state.due_at is not None
    data = {"seat": server.state.turn, "overrun": 1, "do": {"bid": "pass"}}
    line = server.server_event("timeout", data, server.state.due_at - 1)
    for client in table.clients:
        error = refused(client, server.say(client.seat, client.size, [*server.lines, line]))
        assert (error.finding, error.place) == (Finding.CLOCK, client.size)


def test_early_timeout_of_the_seeds(table: Table) -> None:
    client, server = table.joined().clients[0], table.server
    assert server.state.due_at is not None
    line = server.server_event("timeout", {"missing": [0, 1]}, server.state.due_at - 1)
    assert refused(client, server.say(0, client.size, [*server.lines, line])).finding is Finding.CLOCK


def test_the_clock_does_not_choose_our_card(table: Table) -> None:
    play_on(table.seeded(), 30)
    client, server = table.on_turn, table.server
    assert server.state.due_at is not None
    turn = client.turn
    assert turn is not None
    if len(turn.legal) == 1:
        table.take(client.act(turn.legal[0]))
        client = table.on_turn
        turn = client.turn
        assert turn is not None
    wrong = format_card(max(client.hand))
    data = {"seat": client.seat, "overrun": 1, "do": {"card": wrong}}
    line = server.server_event("timeout", data, server.state.due_at)
    error = refused(client, server.say(client.seat, client.size, [*server.lines, line]))
    assert error.finding in (Finding.TIMEOUT, Finding.ILLEGAL, Finding.SAYS)


def test_another_deadline_than_the_events_fix(table: Table) -> None:
    client, server = table.seeded().clients[0], table.server
    assert server.state.deadline is not None
    answer = server.answer(0, client.size) | {"deadline": server.state.deadline + 60_000}
    assert refused(client, answer).finding is Finding.CLOCK


def test_changed_fees(table: Table) -> None:
    fresh = table.client(0)
    table.memories[0]._db.execute("DELETE FROM event")
    table.memories[0]._db.execute("DELETE FROM shown")
    fresh = table.client(0)
    server = table.server
    fees = Event.parse(server.lines[0]).data["fees"] | {"commission_bp": 900}
    error = refused(fresh, server.say(0, 0, [changed(server.lines[0], fees=fees)]))
    assert (error.finding, error.place) == (Finding.TERMS, 0)


def test_another_commitment_than_shown(table: Table) -> None:
    table.memories[0]._db.execute("DELETE FROM event")
    table.memories[0]._db.execute("DELETE FROM shown")
    fresh, server = table.client(0), table.server
    line = changed(server.lines[0], commitment=commitment(seed_of(77)))
    assert refused(fresh, server.say(0, 0, [line])).finding is Finding.TERMS


def test_another_server_seed_than_promised(table: Table) -> None:
    table.seeded()
    server, client = table.server, table.clients[1]
    server.take(table.clients[0].resign())
    lines = [*server.lines[:-2], changed(server.lines[-2], server_seed=seed_of(5).hex()), server.lines[-1]]
    error = refused(client, server.say(1, client.size, lines))
    assert (error.finding, error.place) == (Finding.COMMITMENT, len(lines) - 2)


@pytest.mark.parametrize("share", [1, -1])
def test_a_settlement_that_takes_more(table: Table, share: int) -> None:
    table.seeded()
    server, client = table.server, table.clients[1]
    server.take(table.clients[0].resign())
    settled = [dict(line) for line in server.events[-1].data["lines"]]
    settled[2]["amount"] -= share
    settled[3]["amount"] += share
    lines = [*server.lines[:-1], changed(server.lines[-1], lines=settled)]
    assert refused(client, server.say(1, client.size, lines)).finding is Finding.SETTLE


def test_a_score_that_is_not_that_of_the_tricks(table: Table) -> None:
    table.seeded()
    server, client = table.server, table.clients[0]
    while not any(event.type == "score" and event.data["taker"] is not None for event in server.events):
        play_on(table, 1) if server.state.deal and len(cards_in(server.state.deal.played)) < 31 else None
        if server.state.deal and len(cards_in(server.state.deal.played)) == 31:
            last = table.on_turn
            assert last.turn is not None
            server.take(last.act(last.turn.legal[0]))
    place = max(n for n, event in enumerate(server.events) if event.type == "score")
    marks = [mark + 10 for mark in server.events[place].data["marks"]]
    lines = [*server.lines[:place], changed(server.lines[place], marks=marks), *server.lines[place + 1 :]]
    error = refused(client, server.say(0, client.size, lines))
    assert (error.finding, error.place) == (Finding.SCORE, place)


def forged_card(table: Table, client: MatchClient, card: int, says: str | None = None) -> dict[str, Any]:
    """The other seat plays this card, with its own valid signature: a player in league with the server."""
    server = table.server
    seat = 1 - client.seat
    key = SigningKey.from_seed(bytes([10 + seat]) * 32)
    action = SignedAction.sign(key, M, {"card": format_card(card)}, server.state.root.hex(), seat, client.size)
    data = {"do": action.do, "root": action.root, "sig": action.sig} | ({"says": says} if says else {})
    line = Event.make(client.size, server.now, seat, "act", data).line
    return server.say(client.seat, client.size, [*server.lines, line])


def waiting_in(table: Table, strict: bool) -> MatchClient:
    """Plays until somebody waits, in the strict part of a deal or the free one, and answers to a lead."""
    table.seeded()
    while True:
        deal = table.server.state.deal
        if deal is not None and deal.trick and bool(deal.stock_left) != strict:
            return table.clients[1 - deal.turn]
        play_on(table, 1)


def test_the_other_player_shows_a_card_of_ours(table: Table) -> None:
    client = waiting_in(table, strict=False)
    error = refused(client, forged_card(table, client, client.hand[0]))
    assert (error.finding, error.place) == (Finding.ILLEGAL, client.size)


@pytest.mark.parametrize("number", range(4))
def test_the_other_player_does_not_follow(tmp_path: Any, number: int) -> None:
    """In the strict part we know every card, and see a duty broken at once."""
    table = Table(tmp_path, 30 + number)
    client = waiting_in(table, strict=True)
    for _ in range(200):
        state = table.server.state
        assert state.deal is not None
        if state.turn is not None and state.turn != client.seat and state.deal.trick and not state.deal.stock_left:
            held = set(cards_in(state.deal.hands[state.turn]))
            allowed = {parse_card(do["card"]) for do in legal(state, state.turn, state.deal.hands[state.turn])}
            if held - allowed:
                error = refused(client, forged_card(table, client, min(held - allowed)))
                assert (error.finding, error.place) == (Finding.ILLEGAL, client.size)
                table.close()
                return
        play_on(table, 1)
        if table.server.state.turn is None:
            break
    pytest.fail("no hand with a forbidden card came up")


def test_evidence_holds_what_was_said_and_no_secret(table: Table, tmp_path: Any) -> None:
    play_on(table.seeded(), 9)
    client, server = table.clients[0], table.server
    answer = server.answer(0, client.size) | {"receipt": "none"}
    refused(client, answer)
    data = (tmp_path / "0" / f"{M}.evidence").read_bytes()
    lines: list[Any] = [canonical.decode(line) for line in data.splitlines()]
    assert lines[0]["format"] == "fairdeal/evidence@1"
    assert (lines[0]["finding"], lines[0]["place"], lines[0]["seat"]) == ("receipt", client.size - 1, 0)
    assert [line["event"] for line in lines if "event" in line] == [line.decode() for line in server.lines]
    assert sum("receipt" in line for line in lines) == len(client.shown())
    assert '"receipt": "none"' in lines[-1]["answer"]
    assert (bytes([10]) * 32).hex().encode() not in data
    assert server.server_seed.hex().encode() not in data


def test_evidence_before_the_seed_is_sent_does_not_hold_it(table: Table, tmp_path: Any) -> None:
    client = table.joined().clients[0]
    refused(client, table.server.answer(0, client.size) | {"receipt": "none"})
    data = (tmp_path / "0" / f"{M}.evidence").read_bytes()
    for secret in (seed_of(20).reveal(), bytes([10]) * 32):
        assert secret not in data
        assert secret.hex().encode() not in data


def test_stopped_stays_stopped(table: Table) -> None:
    client = table.seeded().on_turn
    with pytest.raises(Contradiction):
        client.receive(table.server.answer(client.seat, client.size) | {"receipt": "none"})
    again = table.client(client.seat)
    assert again.turn is not None
    with pytest.raises(AlreadySigned):
        again.act(again.turn.legal[0])
    with pytest.raises(AlreadySigned):
        again.receive(table.server.answer(client.seat, client.size))
