"""Every ending verifies for who can anchor it, and is never called verified otherwise."""

from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier import Policy, WrongUsage, verify
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.report import Ending
from tests.verifier.builder import ENDINGS, GAMES, Match, cancelled, target
from tests.verifier.reports import told

SEEDS = range(9)
FEW_SEEDS = (0, 1, 4)
"""Of the longer games; nobody, a side, and a seat send their seeds."""
CASES = [
    pytest.param(game, name, seed, id=f"{game}-{name}-{seed}")
    for game in GAMES
    for name in ENDINGS
    for seed in (SEEDS if game == "duel@1" else FEW_SEEDS)
]
REASONS = {
    "target": {"target"},
    "overruns": {"overruns"},
    "resigned": {"resigned"},
    "seed": {"seed"},
    "late seeds": {"resigned"},
    "cancelled": {"cancelled"},
    "deal limit": {"void"},
    "void": {"void"},
    "no stake": {"target"},
    "all pass": {"target"},
}


def held_by_a_seat(match: Match) -> bytes | None:
    seats = {event["by"] for event in match.events if event["type"] == "join"}
    return match.held_file(min(seats)) if seats else None


@pytest.mark.parametrize(("game", "name", "seed"), CASES)
def test_an_ending(game: str, name: str, seed: int) -> None:
    match = ENDINGS[name](seed, game)
    bundle, policy, held = match.bundle(), match.policy(), held_by_a_seat(match)
    end = match.events[match.find("end")]["data"]
    assert end["reason"] in REASONS[name]

    report = verify(bundle, policy, held)
    if held is None:
        assert told(report) == ("unchecked", None, "no_anchor", None)
    else:
        assert told(report) == ("verified", None, None, None)
        assert report.anchor == "held"
    assert report.ending == Ending(end["reason"], end["winner"])
    assert report.m == match.m
    assert [check.result for check in report.checks] == ["passed", "passed", "not run"] + ["passed"] * 8

    assert told(verify(bundle, policy, None)) == ("unchecked", None, "no_anchor", None)
    assert told(verify(bundle, None, held)) == ("unchecked", 1, "no_policy", None)
    other = target(1_000 + seed, target=20).policy()
    assert told(verify(bundle, other, held)) == ("unchecked", 1, "unknown_key", None)


def test_each_pattern_of_missing_seeds_is_among_them() -> None:
    patterns = set()
    for seed in SEEDS:
        match = ENDINGS["seed"](seed)
        patterns.add(tuple(tuple(e["data"]["missing"]) for e in match.events if e["type"] == "timeout"))
    both, first, second = (0, 1), (1,), (0,)
    assert patterns >= {(both,) * 3, (first,) * 3, (second,) * 3, (both, first, first), (both, both, second)}


@pytest.mark.parametrize("name", ENDINGS)
def test_counts_are_those_of_the_transcript(name: str) -> None:
    match = ENDINGS[name](7)
    counts = verify(match.bundle(), match.policy(), None).counts
    kinds = [event["type"] for event in match.events]
    voids = sum(event["data"].get("outcome") == "void" for event in match.events)
    signed = sum(event["by"] >= 0 for event in match.events)
    assert (counts.events, counts.deals, counts.timeouts, counts.resumes, counts.voids, counts.signatures) == (
        len(kinds), kinds.count("deal"), kinds.count("timeout"), kinds.count("resume"), voids, signed + 1,
    )  # fmt: skip


def test_last_signatures_alone_give_the_same_verdict() -> None:
    match = target(1)
    report = verify(match.bundle(), match.policy(), match.held_file(1), signatures="last")
    assert told(report) == ("verified", None, None, None)
    assert report.signatures == "last"
    assert report.counts.signatures == 1 + 2 + 2


def test_last_signatures_look_at_a_line_before_it_accuses() -> None:
    match = target(1, target=50)
    bundle = match.bundle()
    line, policy = match.held[0][5], match.policy()
    size = line["view"]["size"]
    line["receipt"] = match.receipt(size, [bytes(32)] * (size + 1))
    assert told(verify(bundle, policy, match.held_file(), signatures="last")) == ("cheated", 3, "fork", size - 1)
    line["receipt"] = line["receipt"][:-9] + "AAAAAAA=\n"
    unsigned = ("altered", 3, "held_signature", None)
    assert told(verify(bundle, policy, match.held_file(), signatures="last")) == unsigned


@pytest.mark.parametrize("name", ENDINGS)
def test_a_cut_tail(name: str) -> None:
    """As it is the head tells; sealed again it is a match that is not over: pending, never verified or cheated."""
    match = ENDINGS[name](4)
    whole, policy, held = match.events, match.policy(), held_by_a_seat(match)
    head = match.receipt(len(whole), roots(match.leaves))
    for size in (*range(1, len(whole), 5), len(whole) - 2, len(whole) - 1):
        match.events = whole[:size]
        assert told(verify(match.bundle(head), policy, held)) == ("altered", 3, "events_missing", size)
        report = verify(match.bundle(), policy, held)
        assert told(report) == ("pending", None, "not_closed", None)
        ran = {check.step for check in report.checks if check.result == "passed"}
        assert ran == {0, 1, 3, 4, 6}


def test_the_anchor_is_a_seats_own_and_past_its_last_event() -> None:
    match = target(3, target=50)
    bundle, policy = match.bundle(), match.policy()
    last = max(n for n, event in enumerate(match.events) if event["by"] == 0)
    no_anchor = ("unchecked", None, "no_anchor", None)
    assert told(verify(bundle, policy, match.held_file(0, key="11" * 32))) == no_anchor
    lines = list(match.held[0])
    match.held[0][:] = [line for line in lines if line["view"]["size"] <= last]
    assert told(verify(bundle, policy, match.held_file())) == no_anchor
    match.held[0][:] = [line for line in lines if line["view"]["size"] > last][:1]
    assert verify(bundle, policy, match.held_file()).verdict == "verified"
    match.held[0].clear()
    assert told(verify(bundle, policy, match.held_file())) == no_anchor


def test_a_table_nobody_joined_is_never_verified() -> None:
    match = cancelled(0)
    assert told(verify(match.bundle(), match.policy(), match.held_file())) == ("unchecked", None, "no_anchor", None)


def test_a_receipt_beyond_a_closed_copy_is_of_another_history() -> None:
    match = target(3, target=50)
    bundle, size = match.bundle(), len(match.events) + 3
    line = match.held[0][-1]
    line["receipt"] = match.receipt(size, [bytes(32)] * (size + 1))
    line["view"]["size"] = size
    line["sig"] = match.sign_view(line["view"])
    match.held[0][:] = [line]
    forked = ("cheated", 3, "fork", len(match.events))
    assert told(verify(bundle, match.policy(), match.held_file())) == forked


def test_a_foreign_or_malformed_held_file_is_wrong_usage() -> None:
    match, other = target(3, target=50), target(4, target=50)
    good = match.held_file()
    bad = (b"", b"\n", good[:-1], good.replace(b"held@1", b"held@2"), good + b"{}\n", good.replace(b",", b", ", 1))
    for held in (other.held_file(), *bad, match.held_file(seat=2), b" " * 20_000 + b"\n", b"\n" * 17_000_000):
        for policy in (match.policy(), None):
            with pytest.raises(WrongUsage):
                verify(match.bundle(), policy, held)


def test_without_a_policy_what_was_found_is_told() -> None:
    match = target(3, target=50)
    match.events[-1]["data"]["lines"][1]["amount"] += 1
    report = verify(match.bundle(), None, None)
    assert told(report) == ("unchecked", 10, "settle", len(match.events) - 1)
    match.events.pop()
    assert told(verify(match.bundle(), None, None)) == ("unchecked", None, "not_closed", None)


def test_a_listed_key_that_is_not_the_openings_is_told_apart() -> None:
    """The head is by a listed key that `open` does not name: the operator of that key signed another's match."""
    match, other = target(3, target=50), target(4, target=50)
    both = Policy(match.policy().logs | other.policy().logs)
    other.m = match.m
    head = other.receipt(len(match.events), roots(match.leaves))
    assert told(verify(match.bundle(head), both, None)) == ("cheated", 8, "terms", 0)
    assert told(verify(match.bundle(head), match.policy(), None)) == ("altered", 1, "head_signature", None)
    assert told(verify(match.bundle(head), other.policy(), None)) == ("cheated", 8, "terms", 0)
    assert told(verify(match.bundle(head), None, None)) == ("unchecked", 1, "head_signature", None)


def test_signatures_are_counted_by_the_steps_that_passed() -> None:
    """So the order in which a program looks at them does not show."""
    match = target(1, target=50)
    seated = [n for n, event in enumerate(match.events) if event["by"] >= 0]
    held = 2 * len(match.held[0])

    def counted(**changed: Any) -> int:
        return verify(match.bundle(), match.policy(), match.held_file(), **changed).counts.signatures

    assert counted() == 1 + held + len(seated)
    assert counted(signatures="last") == 1 + 2 + 2
    true = match.events[seated[5]]["data"]["sig"]
    match.events[seated[5]]["data"]["sig"] = "00" * 64
    assert counted() == 1  # the held file tells first
    assert verify(match.bundle(), match.policy(), None).counts.signatures == 1
    match.events[seated[5]]["data"]["sig"] = true
    match.held[0][3]["sig"] = "00" * 64
    assert counted() == 1
    match.server = match.seats[0]
    report = verify(match.bundle(), target(1, target=50).policy(), None)
    assert (report.step, report.counts.signatures) == (1, 0)


@pytest.mark.parametrize(
    "change",
    [
        lambda match, line: line["view"].update(seat=1),
        lambda match, line: line["view"].update(m="0" * 32),
        lambda match, line: line.update(receipt=match.receipt(2, roots(match.leaves))),
        lambda match, line: line.update(receipt=match.receipt(line["view"]["size"], roots(match.leaves), origin="x")),
        lambda match, line: line.update(receipt=match.receipt(line["view"]["size"], roots(match.leaves), name="x")),
    ],
)
def test_last_signatures_spare_signatures_only(change: Callable[[Match, Any], None]) -> None:
    match = target(1, target=50)
    line = match.held[0][5]
    change(match, line)
    report = verify(match.bundle(), match.policy(), match.held_file(), signatures="last")
    assert told(report) == ("altered", 3, "held_signature", None)


def test_step_5_has_passed_when_step_6_fails() -> None:
    match = ENDINGS["resigned"](8)
    match.events[match.find("seed")]["data"]["do"]["seed"] = "00" * 32
    report = verify(match.sign_seats().bundle(), match.policy(), None)
    assert (report.verdict, report.step, report.cause) == ("cheated", 6, "seat_seed")
    assert [check.result for check in report.checks[4:8]] == ["passed", "passed", "failed", "not run"]


@pytest.mark.parametrize("name", ["target", "cancelled"])
def test_a_reveal_after_a_reveal_closes_the_copy(name: str) -> None:
    """Or a server whose rules were broken could have a copy called `pending` for one event more."""
    match = ENDINGS[name](4)
    reveal = match.find("reveal")
    del match.events[reveal + 1 :]
    match.events.append(match.events[reveal] | {"n": reveal + 1})
    report = verify(match.bundle(), match.policy(), None)
    assert told(report) == ("cheated", 8, "order", reveal + 1)
