"""Faults that only a game for four can have, or that look otherwise there: exactly that step, cause and place."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from fairdeal_verifier.actions import do_of
from fairdeal_verifier.cards import COINCHE, CONTRACT_BID, DECLARE, PASS, SURCOINCHE
from fairdeal_verifier.events import accounts
from fairdeal_verifier.shuffle import deal_pack
from tests.verifier import builder
from tests.verifier.builder import ENDINGS, GAMES, Match, Server
from tests.verifier.four_matches import MATCHES, SHOWN, first_card, plant
from tests.verifier.planting import (
    Change,
    act,
    at,
    before,
    drop,
    early,
    found,
    insert,
    late,
    more,
    number,
    pay,
    play_illegally,
    replaced,
    signed,
    speaks,
    the_end,
    time,
)  # fmt: skip

FOUR = GAMES[1:]


def declaring(skip: int = 0) -> Callable[[Match], int]:
    """Where a declaration stands."""
    return lambda match: [n for n, e in enumerate(match.events) if e["data"].get("do") == do_of(DECLARE)][skip]


def declare(by: Callable[[Match], int], place: Callable[[Match], int]) -> Change:
    """One more declaration, by a seat, before an event."""
    return lambda match: insert("act", by(match), signed(do_of(DECLARE)), place)(match)


def silent_seat(match: Match) -> int:
    """A seat that never declares."""
    return min({0, 1, 2, 3} - {e["by"] for e in match.events if e["data"].get("do") == do_of(DECLARE)})


def undeclared(match: Match) -> int:
    """The declarations are left out, so nothing is to be shown."""
    match.events = [event for event in match.events if event["data"].get("do") != do_of(DECLARE)]
    number(match)
    return match.find("show")


def late_declaration(match: Match) -> int:
    place = declaring()(match)
    moved = match.events[place - 1]["t"] + 60_000
    for event in match.events[place:]:
        event["t"] += moved - match.events[place]["t"] if event is not match.events[place] else 0
    match.events[place]["t"] = moved
    return place


def bid(action: int, skip: int) -> Change:
    """The act number `skip` bids something else."""
    return at("act", skip, do=do_of(action))


def contract(**members: Any) -> Change:
    def change(match: Match) -> int:
        place = match.find("score")
        match.events[place]["data"]["contract"].update(members)
        return place

    return change


def other_scoring(match: Match) -> int:
    """The marks of `faits`, where the bid counts too."""
    place = match.find("score")
    data = match.events[place]["data"]
    side = 0 if data["marks"][0] > data["marks"][1] else 1
    bid = data["contract"]["value"] * data["contract"]["double"]
    data["marks"][side] -= bid
    data["totals"][side] -= bid
    return place


def mark_of_pot(match: Match) -> int:
    """Who wins the deal after a litige does not get the pot."""
    scores = [n for n, event in enumerate(match.events) if event["type"] == "score"]
    place = next(n for n, _ in pairwise(scores) if match.events[n]["data"]["pot"])
    place = next(n for n in scores if n > place and not match.events[n]["data"]["pot"])
    data = match.events[place]["data"]
    side = 0 if data["marks"][0] > data["marks"][1] else 1
    data["marks"][side] -= 1
    data["totals"][side] -= 1
    return place


def pot(by: int) -> Change:
    def change(match: Match) -> int:
        place = next(n for n, e in enumerate(match.events) if e["type"] == "score" and e["data"]["pot"])
        match.events[place]["data"]["pot"] += by
        return place

    return change


def partners(match: Match) -> int:
    """A bid by the partner of the seat on turn."""
    place = match.find("act", 1)
    match.events[place]["by"] = (match.events[place]["by"] + 2) % 4
    return place


def same_key(match: Match) -> int:
    """The last two seats to join share one."""
    first, last = match.events[3]["by"], match.events[4]["by"]
    match.seats[last] = match.seats[first]
    for place in (3, 4):
        join = match.events[place]["data"]["do"]["join"]
        join["key"] = match.seats[first].public_key().public_bytes_raw().hex()
    return 4


def shows(change: Callable[[list[Any]], object]) -> Change:
    def apply(match: Match) -> int:
        place = match.find("show")
        change(match.events[place]["data"]["announcements"])
        return place

    return apply


def odd_unit(match: Match) -> int:
    """The odd unit goes to the higher of the two seats."""
    lines = match.events[-1]["data"]["lines"]
    paid = [line for line in lines if line["account"].startswith("seat:") and line["amount"]]
    assert paid[0]["amount"] == paid[1]["amount"] + 1
    paid[0]["amount"], paid[1]["amount"] = paid[1]["amount"], paid[0]["amount"]
    return len(match.events) - 1


NO_MONEY = {"lines": [{"account": name, "amount": 0} for name in accounts(4)]}
PASSED = {"do": {"bid": "pass"}, "overrun": 1, "seat": 0}

SEALED: list[tuple[str, str, int, str, Change]] = [
    ("dealer's partner", "target", 7, "deal", lambda m: turn_by(m, "deal", "dealer", 2)),
    ("card turned of the cut pack", "annonces", 7, "deal", lambda m: other_turned(m, 1)),
    ("show missing", "annonces", 8, "order", drop("show")),
    ("nobody declared", "annonces", 8, "order", undeclared),
    ("show before the second trick", "annonces", 8, "order", insert("show", -1, SHOWN, first_card)),
    ("show again", "annonces", 8, "order", lambda m: insert("show", -1, SHOWN, lambda m: m.find("show") + 1)(m)),
    ("resume while a show is due", "annonces", 8, "order", insert("resume", -1, {"from": 0, "to": 9}, before("show"))),
    ("show at another time", "annonces", 8, "clock", time("show", 1)),
    ("late declaration", "annonces", 8, "clock", late_declaration),
    ("declaration in the seed phase", "late", 8, "order", declare(lambda m: m.events[1]["by"], before("timeout"))),
    ("declaration while bidding", "annonces", 8, "illegal", declare(silent_seat, before("act", 3))),
    ("declaration again", "annonces", 8, "illegal", declare(lambda m: declarer(m), lambda m: declaring()(m) + 1)),
    ("declaration of nothing", "annonces", 8, "illegal", declare(lambda m: empty_seat(m), lambda m: trick_end(m))),
    ("declaration before its turn", "annonces", 8, "illegal", declare(lambda m: last_declarer(m), first_card)),
    ("declaration in the second trick", "annonces", 8, "illegal", lambda m: too_late(m)),
    ("partner's turn", "classique", 8, "turn", partners),
    ("timeout of the partner", "overruns", 8, "turn", lambda m: turn_by(m, "timeout", "seat", 2)),
    ("early timeout", "overruns", 8, "clock", early(2)),
    ("late bid", "coinche", 8, "clock", late("act", 2)),
    ("card not in hand", "classique", 8, "illegal", play_illegally(strict=False)),
    ("card against the duties", "classique", 8, "illegal", play_illegally(strict=True)),
    ("card against the duties of the annonces", "annonces", 8, "illegal", play_illegally(strict=True)),
    ("card against the duties of the coinche", "coinche", 8, "illegal", play_illegally(strict=True)),
    ("bid not higher", "coinche", 8, "illegal", bid(CONTRACT_BID + 3, 2)),
    ("coinche of nothing", "coinche", 8, "illegal", bid(COINCHE, 0)),
    ("coinche of the partner's bid", "plain", 8, "illegal", lambda m: coinche_the_partner(m)),
    ("surcoinche first", "coinche", 8, "illegal", bid(SURCOINCHE, 3)),
    ("bid over a coinche", "coinche", 8, "illegal", bid(CONTRACT_BID + 40, 4)),
    ("coinche twice", "coinche", 8, "illegal", bid(COINCHE, 5)),
    ("bid over nothing but cards", "coinche", 8, "illegal", bid(PASS, 6)),
    ("belote too much", "classique", 8, "says", act(lambda e: e["data"].update(says="belote"), speaks(None))),
    ("belote unsaid", "target", 8, "says", act(lambda e: e["data"].pop("says"), speaks("belote"))),
    ("rebelote unsaid", "target", 8, "says", act(lambda e: e["data"].pop("says"), speaks("rebelote"))),
    ("missing", "seat", 8, "timeout", at("timeout", missing=[0, 1])),
    ("play timeout in the seed phase", "seat", 8, "timeout", replaced("timeout", PASSED)),
    ("one key for two", "void", 8, "duplicate", same_key),
    ("nothing shown", "annonces", 9, "show", shows(lambda found: found.clear())),
    ("shown twice", "annonces", 9, "show", shows(lambda found: found.append(found[0]))),
    ("shown by the other side", "annonces", 9, "show", shows(lambda found: found[0].update(seat=found[0]["seat"] ^ 1))),
    ("shown in another order", "annonces", 9, "show", shows(lambda found: found[0]["cards"].reverse())),
    ("less shown", "annonces", 9, "show", shows(lambda found: found[0]["cards"].append("S7"))),
    ("announcements", "annonces", 9, "score", more("score", "announcements", skip=1)),
    ("announcements of a void deal", "annonces", 9, "score", more("score", "announcements")),
    ("pot", "classique", 9, "score", pot(1)),
    ("no pot", "classique", 9, "score", lambda m: pot(-m.events[pot(0)(m) or 0]["data"]["pot"])(m)),
    ("pot of the annonces", "litige", 9, "score", pot(1)),
    ("marks without the pot", "classique", 9, "score", mark_of_pot),
    ("marks without the pot of the annonces", "litige", 9, "score", mark_of_pot),
    ("taker's partner", "classique", 9, "score", lambda m: turn_by(m, "score", "taker", 2, played=True)),
    ("contract not doubled", "coinche", 9, "score", contract(double=1)),
    ("contract doubled once", "coinche", 9, "score", contract(double=2)),
    ("contract's partner", "coinche", 9, "score", lambda m: turn_contract(m)),
    ("contract's suit", "coinche", 9, "score", contract(suit="C")),
    ("contract's value", "coinche", 9, "score", contract(value=250)),
    ("no contract", "coinche", 9, "score", at("score", contract=None)),
    ("contract of a void deal", "plain", 9, "score", lambda m: void_contract(m)),
    ("other scoring", "coinche", 9, "score", other_scoring),
    ("capot not made", "coinche", 9, "score", at("score", outcome="made+capot")),
    ("winner of overruns", "overruns", 9, "end", lambda m: other_winner(m)),
    ("winner by resignation", "classique", 9, "end", lambda m: other_winner(m)),
    ("winner for a whole side's seeds", "side", 9, "end", at("end", winner=None)),
    ("winner for one seat's seed", "seat", 9, "end", at("end", winner=0)),
    ("odd unit", "target", 10, "settle", odd_unit),
    *((f"settle {i}", "target", 10, "settle", lambda m, i=i: pay(m, i)) for i in range(7)),
    *((f"seed payout {i}", "side", 10, "settle", lambda m, i=i: pay(m, i)) for i in range(7)),
    *((f"void payout {i}", "void", 10, "settle", lambda m, i=i: pay(m, i)) for i in range(7)),
    ("settle with no stake", "annonces", 8, "order", insert("settle", -1, NO_MONEY, the_end)),
]  # fmt: skip


def turn_by(match: Match, kind: str, member: str, by: int, *, played: bool = False) -> int:
    """Another seat, so many further; with `played` in the first that names one."""
    place = next(n for n, e in enumerate(match.events) if e["type"] == kind and e["data"][member] is not None)
    assert played or place == match.find(kind)
    match.events[place]["data"][member] = (match.events[place]["data"][member] + by) % 4
    return place


def turn_contract(match: Match) -> int:
    place = match.find("score")
    match.events[place]["data"]["contract"]["seat"] ^= 2
    return place


def void_contract(match: Match) -> int:
    place = next(n for n, e in enumerate(match.events) if e["data"].get("outcome") == "void")
    match.events[place]["data"]["contract"] = {"double": 1, "seat": 0, "suit": "S", "value": 80}
    return place


def other_turned(match: Match, skip: int) -> int:
    place = match.find("deal", skip)
    old = match.events[place]["data"]["turned"]
    match.events[place]["data"]["turned"] = "S7" if old != "S7" else "S8"
    return place


def other_winner(match: Match) -> int:
    place = match.find("end")
    match.events[place]["data"]["winner"] ^= 1
    return place


def declarer(match: Match) -> int:
    return int(match.events[declaring()(match)]["by"])


def last_declarer(match: Match) -> int:
    """Who has something to declare, and is not the first to play."""
    found = [e["by"] for e in match.events if e["data"].get("do") == do_of(DECLARE)]
    leader = match.events[first_card(match)]["by"]
    return int(next(seat for seat in found[::-1] if seat != leader))


def empty_seat(match: Match) -> int:
    """A seat with nothing to declare, since these seats declare what they have; it is not the last to play."""
    cards = [n for n, e in enumerate(match.events) if "card" in e["data"].get("do", {})]
    played = [match.events[n]["by"] for n in cards[:3]]
    declared = {e["by"] for e in match.events if e["data"].get("do") == do_of(DECLARE)}
    return int(next(seat for seat in played if seat not in declared))


def trick_end(match: Match) -> int:
    """Where the first trick's last card stands."""
    return [n for n, e in enumerate(match.events) if "card" in e["data"].get("do", {})][3]


def too_late(match: Match) -> int:
    """A declaration comes after the show, so in the second trick."""
    return declare(declarer, lambda match: match.find("show") + 1)(match) or 0


def coinche_the_partner(match: Match) -> int:
    """The partner of the only bidder so far coinches."""
    for place, event in enumerate(match.events):
        if "suit" in str(event["data"].get("do")) and match.events[place + 1]["data"].get("do") == {"bid": "pass"}:
            match.events[place + 2]["data"]["do"] = {"bid": "coinche"}
            return place + 2
    raise AssertionError("no bid that the next seat passes")


@pytest.mark.parametrize(
    ("name", "base", "step", "cause", "change"), [pytest.param(*fault, id=fault[0]) for fault in SEALED]
)
def test_a_fault_under_a_sealed_head(name: str, base: str, step: int, cause: str, change: Change) -> None:
    match = plant(base)
    place = change(match)
    assert found(match.sign_seats()) == ("cheated", step, cause, place)


def test_the_matches_are_sound_before() -> None:
    for match in MATCHES.values():
        for seat in range(4):
            assert found(match, seat)[0] == "verified"


def passed_out(deals: int, forget: int | None = None) -> Match:
    """So many void deals of the annonces; with `forget` the void deals up to that one are not counted."""
    server = Server(2, "annonces@1").begin()
    while server.number <= deals:
        if server.number == forget:
            server.voids = 0
        server.act(PASS)
    server.resign(0)
    return server.match


def test_a_pack_shuffled_instead_of_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(passed_out(6), 1)[0] == "verified"
    monkeypatch.setattr(builder, "cut_pack", lambda _, *seeds: deal_pack(*seeds))
    match = passed_out(6)
    assert found(match) == ("cheated", 7, "deal", match.find("deal", 1))


def test_a_pack_cut_instead_of_shuffled() -> None:
    match = passed_out(6, forget=3)
    assert found(match) == ("cheated", 7, "deal", match.find("deal", 4))


@pytest.mark.parametrize("game", FOUR)
def test_a_side_that_loses_takes_both_its_seats_along(game: str) -> None:
    for name in ("overruns", "resigned"):
        match = ENDINGS[name](9, game)
        lost = [event for event in match.events if event["type"] in ("timeout", "act")][-1]
        seat = lost["by"] if lost["by"] >= 0 else lost["data"]["seat"]
        assert match.events[match.find("end")]["data"]["winner"] == 1 - seat % 2
        if game != "annonces@1":
            lines = {line["account"]: line["amount"] for line in match.events[-1]["data"]["lines"]}
            assert [lines[f"seat:{s}"] > 0 for s in range(4)] == [s % 2 != seat % 2 for s in range(4)]
