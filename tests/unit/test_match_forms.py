"""The written forms: events, signed actions, receipts, views, bundle and held file (protocol sections 1, 2 and 5)."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.errors import KeyRefused, Malformed, RootMismatch, SignatureInvalid, WrongPhase
from fairdeal.keys import SigningKey
from fairdeal.match import (
    Event,
    HeldLine,
    SignedAction,
    Terms,
    action_message,
    check_receipt,
    legal,
    open_receipt,
    parse_bundle,
    parse_held,
    receipt,
    receipt_key,
    receipt_name,
    replay,
    table_view,
    view,
    view_message,
)
from fairdeal.tlog import NoteSigner, VerifierKey
from tests.simulator import ENDINGS, Played, new_table, play

MATCHES = [play(number, ending, stake=500) for number, ending in enumerate(ENDINGS)]
NOT_ALWAYS = {("act", "says"), ("timeout", "says"), ("timeout", "do"), ("deal", "turned")}
"""Members that an event alone may lack."""
ONE_OF_EACH = {event.type: event for match in MATCHES for event in match.events}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container inside a JSON value, with each key or index of it."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def line_of(value: dict[str, Any]) -> bytes:
    return canonical.encode(value)


def test_the_simulator_makes_every_type_of_event() -> None:
    assert len(ONE_OF_EACH) == 11


@pytest.mark.parametrize("type_", ONE_OF_EACH)
def test_members_are_exact(type_: str) -> None:
    """A member more or less, anywhere in an event, is malformed."""
    value: Any = canonical.decode(ONE_OF_EACH[type_].line)
    Event.parse(line_of(value))
    objects = {id(container): container for container, _ in places(value) if isinstance(container, dict)}
    for container in objects.values():
        container["unheard_of"] = 0
        with pytest.raises(Malformed):
            Event.parse(line_of(value))
        del container["unheard_of"]
        for name in list(container):
            if (value["type"], name) in NOT_ALWAYS:
                continue
            member = container.pop(name)
            with pytest.raises(Malformed):
                Event.parse(line_of(value))
            container[name] = member


@pytest.mark.parametrize("type_", ONE_OF_EACH)
def test_kinds_are_exact(type_: str) -> None:
    """A scalar of another kind, anywhere in an event, is malformed."""
    value: Any = canonical.decode(ONE_OF_EACH[type_].line)
    for container, key in places(value):
        original = container[key]
        for other in (True, False, 2**53 - 1, -2, "é", "", [], {}, None):
            allowed = (key in {"winner", "taker", "belote"} and other is None) or key == "amount"
            allowed = allowed or (
                other == 2**53 - 1 and key in {"n", "t", "close_by", "commission_cap", "to", "from", "size"}
            )
            allowed = allowed or (other == 2**53 - 1 and (key == "deal" or isinstance(container, list)))
            if allowed or (type(other) is type(original) and other == original):
                continue
            container[key] = other
            with pytest.raises(Malformed):
                Event.parse(line_of(value))
            container[key] = original


@pytest.mark.parametrize(
    "line",
    [
        b"", b"{}", b"[]", b"null", b'"act"', b"\xff", ONE_OF_EACH["end"].line + b"\n", b" " + ONE_OF_EACH["end"].line,
        ONE_OF_EACH["end"].line.replace(b'"by":-1', b'"by":-1.0'), b'{"a":' * 40 + b"0" + b"}" * 40,
        b'{"by":0,"data":"' + b"a" * 16_384 + b'","n":0,"t":0,"type":"act"}',
    ],
)  # fmt: skip
def test_what_is_no_event(line: bytes) -> None:
    with pytest.raises(Malformed):
        Event.parse(line)


def test_seats_and_the_server_each_have_their_types() -> None:
    for event in ONE_OF_EACH.values():
        with pytest.raises(Malformed):
            Event.make(event.n, event.t, 0 if event.by == -1 else -1, event.type, event.data)
    with pytest.raises(Malformed):
        Event.make(0, 0, -1, "show", {})


OPEN = ONE_OF_EACH["open"].data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("protocol", "fairdeal/2"), ("log", "a b"), ("log", "a+b"), ("log", "x" * 129), ("log", ""), ("m", "A" * 32),
        ("ruleset.id", "duel@2"), ("ruleset.options", {}), ("ruleset.options", {"target": 0}),
        ("ruleset.options", {"target": 10_001}), ("seats", 3), ("stake", 2**52), ("asset.code", "play"),
        ("asset.exponent", 19), ("fees.id", "Std"), ("fees.id", "x" * 33), ("fees.commission_bp", 10_001),
        ("fees.tax_base", "net"), ("clock.decision_ms", 0), ("clock.decision_ms", 86_400_001), ("clock.overruns", 0),
        ("clock.overruns", 101), ("clock.join_ms", 0), ("clock.grace_ms", -1), ("deals_max", 0), ("deals_max", 1_001),
        ("receipt_key", "00" * 31), ("commitment", "00" * 33),
    ],
)  # fmt: skip
def test_ranges_of_open(path: str, value: Any) -> None:
    data = copy.deepcopy(OPEN)
    container: Any = data
    *parents, name = path.split(".")
    for parent in parents:
        container = container[parent]
    container[name] = value
    with pytest.raises(Malformed):
        Event.make(0, 0, -1, "open", data)


def test_ends_of_the_ranges_of_open() -> None:
    data = copy.deepcopy(OPEN)
    data |= {"log": "x" * 128, "stake": (2**53 - 1) // 2, "deals_max": 1_000}
    data["ruleset"]["options"]["target"] = 10_000
    data["fees"] |= {"commission_bp": 9_000, "tax_bp": 1_000, "commission_cap": 0}
    data["clock"] |= {"decision_ms": 1, "overruns": 100, "grace_ms": 0, "pause_ms": 86_400_000, "outage_ms": 0}
    assert Terms.parse(data).data() == data
    data["fees"]["tax_bp"] = 1_001
    with pytest.raises(Malformed):
        Terms.parse(data)


def test_an_action_is_read_as_strictly_as_an_event() -> None:
    it = new_table(random.Random(1), {})
    action = it.signed(0, it.join_do(0))
    written = action.to_json()
    assert SignedAction.parse(copy.deepcopy(written)) == action
    assert action.type == "join"
    for change in (
        {"more": 1}, {"root": "0" * 63}, {"sig": "0" * 127}, {"seat": -1}, {"seat": True}, {"size": 0}, {"size": "1"},
        {"do": {}}, {"do": {"bid": "double"}}, {"do": {"card": "S1"}}, {"do": {"resign": False}}, {"do": None},
        {"do": {"resign": 1}}, {"do": {"card": "S7", "bid": "pass"}}, {"do": {"seed": "00"}},
        {"do": {"seed": "00" * 32, "join": written["do"]["join"]}},
    ):  # fmt: skip
        with pytest.raises(Malformed):
            SignedAction.parse({**written, **change})
    for name in written:
        with pytest.raises(Malformed):
            SignedAction.parse({member: value for member, value in written.items() if member != name})
    for value in (None, [], "join", 1):
        with pytest.raises(Malformed):
            SignedAction.parse(value)


def test_what_a_seat_and_the_receipt_key_sign() -> None:
    message = action_message("0" * 32, {"card": "S10"}, "1" * 64, 1, 7)
    assert message == b"fairdeal/1 action\n" + (
        b'{"do":{"card":"S10"},"m":"' + b"0" * 32 + b'","root":"' + b"1" * 64 + b'","seat":1,"size":7}'
    )
    shown = {"hand": ["S7"], "legal": [], "m": "0" * 32, "seat": 0, "size": 5}
    written = b'{"hand":["S7"],"legal":[],"m":"' + b"0" * 32 + b'","seat":0,"size":5}'
    assert view_message(shown) == b"fairdeal/1 view\n" + written


def test_receipts() -> None:
    match = MATCHES[0]
    terms, operator = match.state.terms, match.keys.receipts
    key = receipt_key(terms)
    note = receipt(match.state, NoteSigner(receipt_name(terms.log), operator))
    assert note.split("\n")[0] == f"{terms.log}/m/{terms.m}"
    assert note == parse_bundle(match.bundle).head
    check_receipt(note, key, match.state)
    assert open_receipt(note, key).size == len(match.events)
    earlier = replay(match.events[:-1], match.keys.server_seed)
    with pytest.raises(RootMismatch):
        check_receipt(note, key, earlier)
    forged = receipt(match.state, NoteSigner(receipt_name(terms.log), SigningKey.from_seed(b"\x07" * 32)))
    with pytest.raises(KeyRefused):
        check_receipt(forged, key, match.state)
    with pytest.raises(KeyRefused):
        check_receipt(note, VerifierKey(terms.log, terms.receipt_key), match.state)
    with pytest.raises(Malformed):
        open_receipt(note + forged.split("\n\n")[1], key)
    swapped = note.replace(f"\n{len(match.events)}\n", f"\n{len(match.events) - 1}\n")
    with pytest.raises(SignatureInvalid):
        check_receipt(swapped, key, match.state)


def test_bundles_and_held_files_are_read_strictly() -> None:
    match = MATCHES[1]
    for data, parse in ((match.bundle, parse_bundle), (match.held[0], parse_held)):
        parse(data)  # type: ignore[operator]
        first, rest = data.split(b"\n", 1)
        for wrong in (
            b"", data[:-1], data + b"\n", b"\n" + data, data.replace(b"\n", b"\r\n"), rest, b"[]\n" + rest,
            first.replace(b"@1", b"@2") + b"\n" + rest, b"\xef\xbb\xbf" + data, data + b"{}\n", b"x" * 2**24 + b"\n",
            first[:-1] + b',"z":0}\n' + rest,
        ):  # fmt: skip
            with pytest.raises(Malformed):
                parse(wrong)  # type: ignore[operator]


def test_no_key_or_seed_of_a_seat_in_what_it_takes_away() -> None:
    for match in MATCHES:
        for held in match.held:
            for key in match.keys.seats:
                assert key.seed.hex().encode() not in held + match.bundle
            told = [line for line in held.splitlines() if match.keys.server_seed.hex().encode() in line]
            assert all(b'"type":"close"' in line for line in told)


class TestViews:
    @pytest.mark.parametrize("match", MATCHES, ids=ENDINGS)
    def test_hand_and_list(self, match: Played) -> None:
        """A hand while a deal is in play, a list while the seat is on turn and nothing is due."""
        for size in range(1, len(match.events) + 1):
            state = replay(match.events[:size], match.keys.server_seed)
            for seat in range(2):
                shown = view(state, seat)
                assert (shown["m"], shown["seat"], shown["size"]) == (state.terms.m, seat, size)
                assert set(shown) == {"hand", "legal", "m", "seat", "size"}
                if state.deal is None:
                    assert shown["hand"] == []
                on_turn = state.deal is not None and state.due is None and state.deal.turn == seat
                assert bool(shown["legal"]) == (state.turn == seat) == on_turn
                assert all(do.get("card", shown["hand"][0]) in shown["hand"] for do in shown["legal"])
                assert {"resign": True} not in shown["legal"]

    def test_sizes_of_hands(self) -> None:
        sizes = {
            len(parsed.view["hand"])
            for match in MATCHES
            for held in match.held
            for parsed in parse_held(held).lines
            if isinstance(parsed, HeldLine)
        }
        assert sizes == set(range(8))

    def test_the_list_from_outside_and_the_own_hand_is_the_one_shown(self) -> None:
        match = MATCHES[0]
        for size in range(4, len(match.events) + 1):
            inside, outside = replay(match.events[:size], match.keys.server_seed), replay(match.events[:size], None)
            seat = inside.turn
            if seat is not None:
                assert inside.deal is not None
                assert inside.deal.hands is not None
                assert legal(outside, seat, inside.deal.hands[seat]) == view(inside, seat)["legal"]
                with pytest.raises(WrongPhase):
                    view(outside, seat)

    def test_no_seat_but_the_tables(self) -> None:
        for seat in (-1, 2):
            with pytest.raises(Malformed):
                view(MATCHES[0].state, seat)

    def test_a_stranger_is_told_how_many_cards_each_seat_holds_and_who_has_announced_belote(self) -> None:
        sizes, announced = set[tuple[int, ...]](), set[int | None]()
        for match in MATCHES:
            for size in range(1, len(match.events) + 1):
                state = replay(match.events[:size], match.keys.server_seed)
                told, deal = table_view(state), state.deal
                if deal is None:
                    assert (told["hand_sizes"], told["belote"]) == (None, None)
                    continue
                assert deal.hands is not None
                assert told["hand_sizes"] == [hand.bit_count() for hand in deal.hands]
                assert told["belote"] == deal.belote
                sizes.add(tuple(told["hand_sizes"]))
                announced.add(deal.belote)
        assert {(6, 6), (7, 7), (7, 6), (6, 7), (1, 1), (0, 1), (1, 0)} <= sizes
        assert {None, 0} <= announced

    def test_a_stranger_is_told_the_same_with_and_without_the_cards(self) -> None:
        match = MATCHES[0]
        for size in range(1, len(match.events) + 1):
            events = match.events[:size]
            assert table_view(replay(events, match.keys.server_seed)) == table_view(replay(events, None))
