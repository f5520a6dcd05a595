"""One planted fault or more for each cause of protocol 6.5: exactly that step, cause and place."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairdeal_verifier import verify
from fairdeal_verifier.actions import do_of
from fairdeal_verifier.cards import PASS, RESIGN, TAKE
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.sentences import CAUSES
from tests.verifier.builder import ENDINGS, Match, Server, target
from tests.verifier.planting import (
    Change,
    act,
    again,
    at,
    before,
    drop,
    early,
    flip,
    found,
    insert,
    late,
    more,
    number,
    outage,
    pay,
    play_illegally,
    replaced,
    signed,
    speaks,
    the_end,
    time,
)  # fmt: skip

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"


def long_match() -> Match:
    """Two deals at least, with a void one, a timeout, two resumes, a belote and a resignation at the end."""
    for seed in range(1_000):
        server = Server(seed).begin()
        server.resume()
        server.overrun()
        for _ in range(3):
            server.act(PASS)
        server.resume()
        server.act(TAKE)
        while server.number == 2 and not server.over:
            server.act()
        spoken = [event["data"].get("says") for event in server.match.events]
        if "belote" in spoken and "rebelote" in spoken:
            server.act()
            server.resign(1)
            return server.match
    raise AssertionError("no belote in a thousand matches")


MATCHES: dict[str, Match] = {
    "long": long_match(),
    "target": target(3, target=50),
    "seed": ENDINGS["seed"](1),
    "cancelled": ENDINGS["cancelled"](1),
    "overruns": ENDINGS["overruns"](3),
    "late": ENDINGS["late seeds"](0),
    "limit": ENDINGS["deal limit"](0),
    "void": ENDINGS["void"](1),
}


def plant(name: str) -> Match:
    return MATCHES[name].copy()


def take_the_others_turn(match: Match) -> int:
    place = match.find("act", 2)
    match.events[place]["by"] = 1 - match.events[place]["by"]
    return place


def same_key(match: Match) -> int:
    match.seats[1] = match.seats[0]
    for place in (1, 2):
        join = match.events[place]["data"]["do"]["join"]
        join["key"] = match.seats[0].public_key().public_bytes_raw().hex()
    return 2


def same_commitment(match: Match) -> int:
    """In a match that ends before a seed is sent."""
    joins = [match.events[place]["data"]["do"]["join"] for place in (1, 2)]
    joins[1]["seed_commitment"] = joins[0]["seed_commitment"]
    return 2


def servers_commitment(match: Match) -> int:
    match.events[1]["data"]["do"]["join"]["seed_commitment"] = match.events[0]["data"]["commitment"]
    return 1


def swap_ends(match: Match) -> int:
    place = match.find("end")
    match.events[place], match.events[place + 1] = match.events[place + 1], match.events[place]
    number(match)
    return place


def other_turned(match: Match) -> int:
    place = match.find("deal")
    old = match.events[place]["data"]["turned"]
    match.events[place]["data"]["turned"] = "S7" if old != "S7" else "S8"
    return place


def dealt_by(match: Match) -> int:
    place = match.find("deal", 1)
    match.events[place]["data"]["dealer"] ^= 1
    return place


def other_match(match: Match) -> int:
    match.events[0]["data"]["m"] = match.m[::-1]
    match.m = match.m[::-1]
    return 0


def other_receipt_key(match: Match) -> int:
    match.events[0]["data"]["receipt_key"] = "58" + "66" * 31
    return 0


def wrong_overrun_action(match: Match) -> int:
    place = match.find("timeout")
    match.events[place]["data"]["do"] = {"bid": "take"}
    return place


def end_of(match: Match, **data: Any) -> int:
    place = match.find("end")
    match.events[place]["data"].update(data)
    return place


def over_before(match: Match, by: int) -> int:
    """The first resume, of an outage that was over `by` ms before the first decision began."""
    place = match.find("resume")
    began = match.events[match.find("deal")]["t"]
    match.events[place]["data"].update({"from": began - 100_000, "to": began - by})
    return place


def test_an_outage_may_end_as_the_decision_begins() -> None:
    match = plant("long")
    over_before(match, 0)
    assert found(match.sign_seats()) == ("unchecked", None, "no_anchor", None)


PLAY = {"overrun": 1, "seat": 0, "do": {"bid": "pass"}}
VOID = {"cause": "operator", "reason": "void", "totals": [0, 0], "winner": None}
CANCELLED = {"reason": "cancelled", "totals": [0, 0], "winner": None}
RESUME = {"from": 0, "to": 10_000}
DEAL = {"deal": 1, "dealer": 0, "turned": "S7"}
SCORE_MEMBERS = ("points", "tricks", "marks", "totals", "deal")

SEALED: list[tuple[str, str, int, str, Change]] = [
    ("server seed", "long", 5, "commitment", at("reveal", server_seed="11" * 32)),
    ("no reveal", "long", 5, "no_reveal", lambda match: (drop("reveal")(match), len(match.events))[1]),
    ("seat seed", "long", 6, "seat_seed", lambda m: at("seed", do={"seed": "11" * 32})(m)),
    ("deal number", "long", 7, "deal", more("deal", "deal")),
    ("dealer", "long", 7, "deal", dealt_by),
    ("turned", "long", 7, "deal", other_turned),
    ("open again", "long", 8, "order", again(0, 5)),
    ("second join", "cancelled", 8, "order", again(1, 2)),
    ("second seed", "late", 8, "order", lambda m: again(m.find("seed"), m.find("seed") + 1)(m)),
    ("join in play", "long", 8, "order", again(1, 6)),
    ("seed in play", "long", 8, "order", again(3, 6)),
    ("act before the deal", "seed", 8, "order", insert("act", 0, signed({"resign": True}), before("timeout"))),
    ("timeout while joining", "cancelled", 8, "order", insert("timeout", -1, {"missing": [0]}, lambda _: 1)),
    ("resume while joining", "cancelled", 8, "order", insert("resume", -1, RESUME, lambda _: 1)),
    ("no score", "long", 8, "order", drop("score")),
    ("no deal", "long", 8, "order", drop("deal")),
    ("no settle", "long", 8, "order", lambda m: (drop("settle")(m), insert("resume", -1, RESUME, the_end)(m))[1]),
    ("deal out of nothing", "long", 8, "order", insert("deal", -1, DEAL, before("act", 1))),
    ("reveal before end", "long", 8, "order", swap_ends),
    ("void while a score is due", "long", 8, "order", insert("end", -1, VOID, before("score"))),
    ("resume while a score is due", "long", 8, "order", insert("resume", -1, RESUME, before("score"))),
    ("after the end", "long", 8, "order", insert("resume", -1, RESUME, the_end)),
    ("settle with nothing due", "cancelled", 8, "order", lambda m: insert("settle", -1, settle_of("long"), the_end)(m)),
    ("another match", "cancelled", 8, "terms", lambda m: other_receipt_key(m)),
    ("time goes back", "long", 8, "clock", time("act", -10_000_000)),
    ("follow-up at another time", "long", 8, "clock", time("score", 1)),
    ("late act", "long", 8, "clock", late("act", 1)),
    ("late seed", "long", 8, "clock", late("seed")),
    ("late resignation", "long", 8, "clock", late("act", -1)),
    ("early timeout in play", "overruns", 8, "clock", early(2)),
    ("early timeout of a seed", "seed", 8, "clock", early(1)),
    ("another's turn", "long", 8, "turn", take_the_others_turn),
    ("timeout of another seat", "long", 8, "turn", lambda m: flip(m, "timeout", "seat")),
    ("card not in hand", "long", 8, "illegal", play_illegally(strict=False)),
    ("card against the rules", "long", 8, "illegal", play_illegally(strict=True)),
    ("card while bidding", "target", 8, "illegal", lambda m: at("act", do={"card": "S7"})(m)),
    ("bid in play", "target", 8, "illegal", act(lambda e: e["data"].update(do={"bid": "pass"}), speaks(None))),
    ("belote unsaid", "long", 8, "says", act(lambda e: e["data"].pop("says"), speaks("belote"))),
    ("rebelote unsaid", "long", 8, "says", act(lambda e: e["data"].pop("says"), speaks("rebelote"))),
    ("belote too much", "long", 8, "says", act(lambda e: e["data"].update(says="belote"), speaks(None))),
    ("rebelote first", "long", 8, "says", act(lambda e: e["data"].update(says="rebelote"), speaks("belote"))),
    ("overrun", "long", 8, "timeout", more("timeout", "overrun")),
    ("another action", "long", 8, "timeout", wrong_overrun_action),
    ("no action", "long", 8, "timeout", replaced("timeout", {"overrun": 1, "seat": 0})),
    ("action at the last overrun", "overruns", 8, "timeout", lambda m: last_overrun(m)),
    ("missing", "seed", 8, "timeout", lambda m: at("timeout", missing=[0, 1])(m)),
    ("seed timeout in play", "long", 8, "timeout", replaced("timeout", {"missing": [0]})),
    ("play timeout in the seed phase", "seed", 8, "timeout", replaced("timeout", PLAY)),
    ("short outage", "long", 8, "resume", lambda m: outage(m, 0, 5_000)),
    ("outage in the future", "long", 8, "resume", lambda m: outage(m, 0, None)),
    ("outage over before the decision", "long", 8, "resume", lambda m: over_before(m, 1)),
    ("outages overlap", "long", 8, "resume", lambda m: at("resume", 1, **{"from": 1})(m)),
    ("one key for both", "long", 8, "duplicate", same_key),
    ("the server's commitment", "cancelled", 8, "duplicate", servers_commitment),
    ("one commitment for both", "void", 8, "duplicate", same_commitment),
    *((f"score {name}", "long", 9, "score", more("score", name, skip=1)) for name in SCORE_MEMBERS),
    ("score outcome", "long", 9, "score", at("score", outcome="capot")),
    ("score taker", "long", 9, "score", lambda m: flip(m, "score", "taker", 1)),
    ("score belote", "long", 9, "score", lambda m: flip(m, "score", "belote", 1)),
    ("end reason", "long", 9, "end", at("end", reason="overruns")),
    ("end winner", "long", 9, "end", at("end", winner=1)),
    ("end totals", "long", 9, "end", more("end", "totals")),
    ("end cause", "limit", 9, "end", at("end", cause="operator")),
    ("cancelled after the joins", "long", 9, "end", insert("end", -1, CANCELLED, before("act"))),
    ("void before the joins", "cancelled", 9, "end", replaced("end", VOID)),
    *((f"settle {i}", "target", 10, "settle", lambda m, i=i: pay(m, i)) for i in range(5)),
    ("settle order", "target", 10, "settle", lambda m: (m.events[-1]["data"]["lines"].reverse(), len(m.events) - 1)[1]),
    ("seed payout", "seed", 10, "settle", lambda m: pay(m, 1)),
    ("void payout", "limit", 10, "settle", lambda m: pay(m, 2)),
]  # fmt: skip


def settle_of(name: str) -> dict[str, Any]:
    match = MATCHES[name].copy()
    return dict(match.events[match.find("settle")]["data"])


def last_overrun(match: Match) -> int:
    place = [n for n, event in enumerate(match.events) if event["type"] == "timeout"][-1]
    match.events[place]["data"]["do"] = {"bid": "pass"}
    return place


@pytest.mark.parametrize(
    ("name", "base", "step", "cause", "change"), [pytest.param(*fault, id=fault[0]) for fault in SEALED]
)
def test_a_fault_under_a_sealed_head(name: str, base: str, step: int, cause: str, change: Change) -> None:
    """Everybody signed it again, so only the rules speak."""
    match = plant(base)
    place = change(match)
    assert found(match.sign_seats()) == ("cheated", step, cause, place)


def test_the_matches_are_sound_before() -> None:
    for match in MATCHES.values():
        assert found(match.sign_seats(), 0)[0] == "verified"


def test_origin_of_another_match() -> None:
    match = plant("long")
    tree = roots(match.leaves)
    size = len(match.events)
    for origin in ("fairdeal.example/log/m/" + "0" * 32, "elsewhere/m/" + match.m, match.log):
        assert found(match, head=match.receipt(size, tree, origin=origin)) == ("cheated", 8, "terms", 0)


def test_step_0() -> None:
    match = plant("long")
    good = match.bundle()
    lines = good.splitlines(keepends=True)

    def malformed(bundle: bytes) -> tuple[str | None, int | None]:
        verdict, step, cause, place = found(match, bundle=bundle)
        assert (verdict, step) == ("malformed", 0)
        return cause, place

    def with_line(index: int, line: bytes) -> bytes:
        return b"".join([*lines[:index], line, *lines[index + 1 :]])

    assert malformed(b"") == ("encoding", None)
    assert malformed(b" ") == ("encoding", None)
    assert malformed(good[:-1]) == ("encoding", None)
    assert malformed(good + b"\n" * 2**24) == ("size", None)
    assert malformed(with_line(3, b'{"a":"' + b"x" * 16_384 + b'"}\n')) == ("size", 2)
    assert malformed(with_line(0, b'{"a":"' + b"x" * 65_536 + b'"}\n')) == ("size", None)
    assert malformed(with_line(0, b'{"a":"' + b"x" * 65_528 + b'"}\n')) == ("header", None)
    assert malformed(with_line(3, b"{}  \n")) == ("encoding", 2)
    assert malformed(with_line(0, b"{} \n")) == ("encoding", None)
    assert malformed(with_line(0, b"{}\n")) == ("header", None)
    assert malformed(with_line(0, lines[0].replace(b"bundle@1", b"bundle@2"))) == ("header", None)
    assert malformed(with_line(0, lines[0].replace(b'"head"', b'"heaf"'))) == ("header", None)
    assert malformed(lines[0]) == ("schema", 0)
    assert malformed(with_line(1, lines[2])) == ("schema", 0)
    assert malformed(with_line(2, b"[]\n")) == ("schema", 1)
    assert malformed(with_line(3, lines[4])) == ("index", 2)
    assert malformed(with_line(5, lines[5].replace(b'"n":4', b'"n":5'))) == ("index", 4)
    twice = lines[-1].replace(b'"account":"commission"', b'"account":"pot"')
    assert malformed(with_line(len(lines) - 1, twice)) == ("schema", len(lines) - 2)


def test_step_1() -> None:
    match = plant("long")
    stranger = plant("target")
    other_head = stranger.receipt(len(match.events), [bytes(32)] * 1_000)
    assert found(match, head=other_head) == ("altered", 1, "head_signature", None)
    header, _, rest = match.bundle().partition(b"\n")
    flipped = header[:-20] + (b"A" if header[-20:-19] != b"A" else b"B") + header[-19:]
    assert found(match, bundle=flipped + b"\n" + rest) == ("altered", 1, "head_signature", None)
    report = verify(match.bundle(), stranger.policy(), None)
    assert (report.verdict, report.step, report.cause, report.broken_at) == ("unchecked", 1, "unknown_key", None)


def test_step_3() -> None:
    match = plant("long")
    tree = roots(match.leaves)
    size = len(match.events)
    head = match.receipt(size, tree)
    longer = plant("long")
    insert("resume", -1, RESUME, the_end)(longer)
    assert found(longer, head=head) == ("altered", 3, "events_extra", size)
    shorter = plant("long")
    shorter.events = shorter.events[:10]
    assert found(shorter, head=head) == ("altered", 3, "events_missing", 10)
    match.events[-1]["data"]["lines"][1]["amount"] += 1
    report = verify(match.bundle(head), match.policy(), None)
    last_signed = max(n for n, event in enumerate(match.events) if event["by"] >= 0)
    assert (report.verdict, report.cause, report.broken_at) == ("altered", "root", size - 1)
    assert report.suspects == (last_signed, size - 1)
    report = verify(match.bundle(head), match.policy(), match.held_file())
    assert report.suspects == (last_signed, size - 1)


def test_a_fork_is_seen_where_the_true_held_file_and_the_copy_part() -> None:
    match = plant("long")
    place = match.find("act", 4)
    match.events[place]["data"]["do"] = {"resign": True}
    match.events[place]["data"].pop("says", None)
    match.sign_seats()
    report = verify(match.bundle(), match.policy(), match.held_file(1))
    assert (report.verdict, report.step, report.cause, report.broken_at) == ("cheated", 3, "fork", place)
    assert report.suspects == (place, place)


@pytest.mark.parametrize(
    "change",
    [
        lambda match, line: line.update(sig="00" * 64),
        lambda match, line: line.update(receipt=line["receipt"][:-9] + "AAAAAAA=\n"),
        lambda match, line: line.update(receipt=match.receipt(line["view"]["size"], roots(match.leaves), origin="x")),
        lambda match, line: line.update(receipt=match.receipt(line["view"]["size"], roots(match.leaves), name="x")),
        lambda match, line: line.update(receipt=match.receipt(1, roots(match.leaves))),
        lambda match, line: line["view"].update(m="0" * 32),
        lambda match, line: line["view"].update(seat=1),
        lambda match, line: line["view"].update(hand=[]),
    ],
)
@pytest.mark.parametrize("signed_again", [False, True])
def test_a_held_line_that_is_not_what_it_says(change: Callable[[Match, Any], None], signed_again: bool) -> None:
    match = plant("long")
    line = match.held[0][9]
    change(match, line)
    hand_only = line["view"]["hand"] == []
    if signed_again:
        line["sig"] = match.sign_view(line["view"]) if line["sig"] != "00" * 64 else line["sig"]
    expected = ("altered", 3, "held_signature", None)
    if signed_again and hand_only:
        expected = ("cheated", 7, "shown_hand", line["view"]["size"] - 1)
    assert found(match, 0) == expected


def test_shown_hand_and_shown_legal() -> None:
    match = plant("long")
    for line in match.held[0][::3]:
        view = line["view"]
        for member, step, cause in (("hand", 7, "shown_hand"), ("legal", 8, "shown_legal")):
            true = view[member]
            lies = [true[1:], list(reversed(true))] if len(true) > 1 else []
            lies += [[*true, "S7" if member == "hand" else do_of(RESIGN)]]
            for lie in lies:
                view[member] = lie
                line["sig"] = match.sign_view(view)
                report = verify(match.bundle(), match.policy(), match.held_file())
                told = (report.verdict, report.step, report.cause, report.broken_at)
                assert told == ("cheated", step, cause, view["size"] - 1)
                assert report.suspects is not None
                assert report.suspects[1] == view["size"] - 1
            view[member] = true
        line["sig"] = match.sign_view(view)
    assert found(match, 0)[0] == "verified"


def test_a_hand_is_looked_at_before_the_actions_of_the_same_view() -> None:
    match = plant("long")
    line = match.held[0][9]
    line["view"].update(hand=[], legal=[{"bid": "pass"}] * 3)
    line["sig"] = match.sign_view(line["view"])
    assert found(match, 0)[2] == "shown_hand"


def test_step_4() -> None:
    match = plant("long")
    place = match.find("act", 3)

    stranger = plant("long")
    stranger.seats[1] = Ed25519PrivateKey.from_private_bytes(bytes(32))
    first = next(n for n, event in enumerate(stranger.events) if event["by"] == 1)
    assert found(stranger.sign_seats()) == ("cheated", 4, "seat_signature", first)

    unsigned = plant("long")
    unsigned.events[place]["data"]["sig"] = unsigned.events[place - 1]["data"].get("sig", "00" * 64)
    assert found(unsigned.sign_seats(place + 1)) == ("cheated", 4, "seat_signature", place)

    stale = plant("long")
    data = stale.events[place]["data"]
    data["root"] = "11" * 32
    data["sig"] = stale.signature(stale.events[place]["by"], data["do"], place, data["root"])
    report = verify(stale.sign_seats(place + 1).bundle(), stale.policy(), None)
    assert (report.verdict, report.step, report.cause, report.broken_at) == ("cheated", 4, "signed_root", place - 1)
    endorsed = max(n for n, event in enumerate(stale.events[:place]) if event["type"] == "act")
    assert report.suspects == (endorsed, place - 1)

    early = plant("seed")
    seed = early.find("seed")
    early.events.insert(2, early.events.pop(seed))
    number(early)
    early.events[2]["by"] = early.events[1]["by"]
    early.sign_seats()
    assert found(early) == ("cheated", 4, "signed_root", 2)
    assert verify(early.bundle(), early.policy(), None).suspects is None

    nobody = plant("cancelled")
    joined = nobody.events[1]["by"]
    insert("act", 1 - joined, signed({"resign": True}), lambda _: 2)(nobody)
    nobody.sign_seats()
    assert found(nobody) == ("cheated", 4, "seat_key", 2)


@pytest.mark.parametrize("key", [bytes(32), b"\2" + bytes(31), bytes.fromhex("cd" * 32)])
def test_a_key_that_may_not_join(key: bytes) -> None:
    match = plant("long")
    match.events[1]["data"]["do"]["join"]["key"] = key.hex()
    match.sign_seats()
    assert found(match) == ("cheated", 4, "seat_key", 1)


def test_every_cause_of_the_protocol_is_planted() -> None:
    table = PROTOCOL.read_text(encoding="utf-8").partition("### 6.5")[2].partition("\n\nWhat each means")[0]
    causes = set(re.findall(r"`([a-z_]+)`", table))
    assert causes == set(CAUSES)
    tests = ("test_endings.py", "test_faults.py", "test_four_faults.py", "test_four_forms.py", "test_four_held.py")
    tests += ("test_log.py", "test_log_header.py", "test_log_faults.py", "test_log_lost.py", "test_log_held.py")
    source = "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in tests)
    assert not {cause for cause in causes if f'"{cause}"' not in source}
