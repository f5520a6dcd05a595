"""What one lie about the log of all matches comes to: whoever has no key gets nothing accepted, and accuses nobody.

An operator with the log's key can make up a whole log. It is refused where a seat had seen the true one, and where the
leaves say something else than the events; what else it can hide (docs/limitations.md) is in `test_mutants`, with who
sees that too.
"""

import random
from dataclasses import replace
from functools import cache

import pytest

from fairdeal.match import HeldLog, parse_bundle, parse_held, write_bundle, write_held
from fairdeal_verifier import Policy, verify
from fairdeal_verifier.errors import WrongUsage
from tests.agreement.log_forgeries import forged_headers, held_changes, held_forks, policies
from tests.agreement.log_lies import cosignatures_changed, header_changes, notes_changed
from tests.agreement.made_up import log_size
from tests.agreement.sealing import Forger
from tests.agreement.short_matches import short
from tests.simulator import ENDINGS, Played, play
from tests.verifier.reports import Told, told

ACCEPTED = ("verified", "unchecked", "pending")


@cache
def forger(ending: str) -> Forger:
    return Forger(short(ending))


def policy_of(match: Played) -> Policy:
    return Policy.parse(match.policy.encode())


def witnessed_policy_of(match: Played) -> Policy:
    return Policy.parse(match.witnessed_policy.encode())


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_change_of_a_header_accuses_anybody_and_only_lines_of_witnesses_can_be_left_out(ending: str) -> None:
    match = forger(ending).match
    for change in header_changes(forger(ending), random.Random(ending)):
        report = verify(change.bundle, policy_of(match), None)
        accepted = told(report) == ("unchecked", None, "no_anchor", None)
        assert accepted == change.harmless, (change.what, report)
        if not accepted:
            assert report.verdict in ("altered", "malformed") or report.cause == "unknown_key", (change.what, report)
            assert report.step in (0, 1, 2, 3), (change.what, report)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_false_cosignature_is_altered_where_its_witness_is_listed(ending: str) -> None:
    match, rng = forger(ending).match, random.Random(ending)
    bundle = parse_bundle(match.bundle)
    assert bundle.log is not None
    for what, note in cosignatures_changed(match.service_log, bundle.log.checkpoint, rng):
        changed = write_bundle(bundle.head, forger(ending).lines, replace(bundle.log, checkpoint=note))
        assert told(verify(changed, policy_of(match), None))[2] == "no_anchor", what
        assert told(verify(changed, witnessed_policy_of(match), None)) == ("altered", 1, "checkpoint", None), what


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_quorum_of_who_asks_for_witnesses_is_not_met_without_their_lines(ending: str) -> None:
    match = forger(ending).match
    bundle = parse_bundle(match.bundle)
    assert bundle.log is not None
    assert told(verify(match.bundle, witnessed_policy_of(match), None)) == ("verified", None, None, None)
    for what, note, harmless in notes_changed(match.service_log, bundle.log.checkpoint, random.Random(ending)):
        changed = write_bundle(bundle.head, forger(ending).lines, replace(bundle.log, checkpoint=note))
        report = verify(changed, witnessed_policy_of(match), None)
        if what in ("no cosignature", "one cosignature less"):
            assert told(report) == ("unchecked", None, "no_anchor", None), what
        else:
            assert (report.verdict == "verified") == harmless, what


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_log_made_up_around_the_true_events_is_refused_where_it_says_something_else(ending: str) -> None:
    """Accepted are a `close` elsewhere, and another log from its beginning on when no seat had seen the true one."""
    match = forger(ending).match
    unseen = all(joined is None for joined in match.state.joined)
    found = set()
    for what, bundle in forged_headers(forger(ending), random.Random(ending)):
        report = verify(bundle, policy_of(match), None)
        if report.verdict in ACCEPTED:
            moved = what in ("close later in the log", "close twice in the log")
            assert moved or (unseen and what.startswith("another")), what
        elif report.verdict == "cheated":
            assert (report.step, report.cause) in ((2, "log_order"), (3, "leaf")), (what, report)
        else:
            # What a store had when it was given up may be less than what players were told.
            lost = report.cause == "events_extra" and what == "closed as lost before"
            assert lost or (report.verdict, report.step) == ("altered", 2) or report.cause == "events_missing", what
        found.add((report.verdict, report.cause))
        assert verify(bundle, witnessed_policy_of(match), None).verdict != "verified", what
    assert {("cheated", "leaf"), ("cheated", "log_order"), ("altered", "leaf_missing")} <= found


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_change_of_a_held_log_line_accuses_anybody(ending: str) -> None:
    match, refused = forger(ending).match, 0
    true = verify(match.bundle, policy_of(match), forger(ending).true_held)
    for what, held in held_changes(forger(ending), random.Random(ending)):
        try:
            report = verify(match.bundle, policy_of(match), held)
        except WrongUsage:
            continue
        assert report == replace(true, counts=report.counts) or told(report) == ("altered", 3, "held_log", None), what
        refused += report.cause == "held_log"
    assert refused > 20


@pytest.mark.parametrize("ending", ENDINGS)
def test_another_log_in_the_held_file_is_a_fork(ending: str) -> None:
    match = forger(ending).match
    for what, held in held_forks(forger(ending), random.Random(ending)):
        report = verify(match.bundle, policy_of(match), held)
        if what == "by a stranger":
            assert told(report) == ("altered", 3, "held_log", None)
        elif "until after" in what or what == "more leaves":
            assert report.verdict in (*ACCEPTED, "cheated"), what
        else:
            assert (report.verdict, report.cause) == ("cheated", "log_fork"), (what, report)


@pytest.mark.parametrize("ending", ["resigned", "seed_missing_0", "cancelled_empty"])
def test_no_other_policy_accuses_anybody(ending: str) -> None:
    match = forger(ending).match
    for what, text in policies(forger(ending)):
        try:
            report = verify(match.bundle, Policy.parse(text), forger(ending).true_held)
        except WrongUsage:
            continue
        assert report.verdict in ("verified", "unchecked"), what


def test_quorums() -> None:
    match = next(
        play(number, "resigned") for number in range(99) if len(play(number, "resigned").service_log.cosigners) == 1
    )
    cosigned = "ab"[match.service_log.cosigners[0]]
    found: dict[str, Told | None] = {}
    for what, text in policies(Forger(match)):
        try:
            found[what] = told(verify(match.bundle, Policy.parse(text), None))
        except WrongUsage:
            found[what] = None
    met, unmet, unknown = (
        ("verified", None, None, None), ("unchecked", None, "no_anchor", None), ("unchecked", 1, "unknown_key", None),
    )  # fmt: skip
    for seat in "abc":
        assert found[f"['quorum {seat}']"] == (met if seat == cosigned else unmet)
    assert found["['group g all a b', 'quorum g']"] == unmet
    assert found["['group g 1 a b c', 'quorum g']"] == met
    assert found["['group g 2 a b c', 'quorum g']"] == unmet
    assert found["['group g any a b', 'group h all g c', 'quorum h']"] == unmet
    assert found["['group g all a b', 'group h any g c', 'quorum h']"] == unmet
    for refused in ("group g 0 a b", "group g 4 a b c", "group g 01 a b", "group g any a a", "group g any a x"):
        assert found[f"['{refused}', 'quorum g']"] is None
    assert found["the receipts key, quorum none"] == found["a stranger, quorum none"] == unknown
    assert found["a stranger besides, quorum g"] == met
    assert found["the log under another name, quorum none"] == unknown


def signing_keys(held: bytes) -> set[str]:
    """The ids of the log's keys in the log lines of a held file."""
    lines = [line for line in parse_held(held).lines if isinstance(line, HeldLog)]
    return {line.checkpoint.split("\n")[4].split(" ")[2][:5] for line in lines}


def test_a_key_that_was_replaced() -> None:
    """The bundle is under the new key; the log lines of before are under the old one."""
    matches = (play(number, "resigned") for number in range(99))
    match = next(match for match in matches if len(signing_keys(match.held[1])) == 2)
    held, found = match.held[1], dict(policies(Forger(match)))
    assert told(verify(match.bundle, policy_of(match), held)) == ("verified", None, None, None)
    assert told(verify(match.bundle, Policy.parse(found["the oldest key, quorum none"]), held))[2] == "unknown_key"
    newest = Policy.parse(found["the newest key, quorum none"])
    assert told(verify(match.bundle, newest, held)) == ("altered", 3, "held_log", None)
    assert told(verify(match.bundle, newest, None)) == ("unchecked", None, "no_anchor", None)


@pytest.mark.parametrize("ending", ["target", "seed_missing_both", "cancelled_with_1"])
def test_copies_that_are_not_closed_are_pending_with_and_without_their_leaves(ending: str) -> None:
    match = short(ending)
    m, log = match.state.terms.m, match.service_log
    own = log.own(m)
    for size in match.sizes[:-1]:
        for log_size_then in (None, own[0][0] + 1):
            joins = [event.data["do"]["join"] for event in match.events[:size] if event.type == "join"]
            if log_size_then is not None and any(join["seen"]["size"] > log_size_then for join in joins):
                continue
            report = verify(match.pending(size, log_size_then), policy_of(match), match.held[1])
            assert told(report) == ("pending", None, "not_closed", None), size
        # With the `close` leaf beside it the copy is known to be cut, by nobody in particular.
        closed = match.pending(size, log.size)
        assert told(verify(closed, policy_of(match), None)) == ("altered", 3, "events_missing", size)


@pytest.mark.parametrize("ending", ["target", "seed_missing_both", "cancelled_with_1", "void_in_play"])
def test_lost_copies(ending: str) -> None:
    """What is left of a match by its `close` leaf alone is verified like any, and no other cut of it is."""
    whole = short(ending)
    for size in (whole.sizes[0], whole.sizes[len(whole.sizes) // 2], whole.sizes[-2]):
        match = whole.lost(size)
        seat = 1
        own = [event.n for event in match.events if event.by == seat]
        report = verify(match.bundle, policy_of(match), match.held[seat])
        assert report.ending is not None
        assert report.ending.reason == "lost"
        assert report.ending.winner is None
        assert report.verdict == ("verified" if own else "unchecked"), report
        assert verify(match.bundle, witnessed_policy_of(match), None).verdict == "verified"
        bundle = parse_bundle(match.bundle)
        longer = parse_bundle(whole.bundle)
        lines = [event.line for event in whole.events]
        for cut in range(1, len(lines) + 1):
            head = parse_bundle(whole.pending(cut)).head
            told_of = told(verify(write_bundle(head, lines[:cut], bundle.log), policy_of(match), None))
            if cut != size:
                assert told_of[0] == "altered", (cut, told_of)
        assert longer.log is not None
        cut_then = write_bundle(bundle.head, lines[:size], longer.log)
        assert verify(cut_then, policy_of(match), None).verdict == "altered"


def test_a_held_file_of_what_the_log_showed_alone_anchors_nothing() -> None:
    match = play(4, "target")
    held = parse_held(match.held[0])
    alone = write_held(replace(held, lines=tuple(line for line in held.lines if isinstance(line, HeldLog))))
    assert told(verify(match.bundle, policy_of(match), alone)) == ("unchecked", None, "no_anchor", None)
    assert log_size(parse_bundle(match.bundle).log.checkpoint) == match.service_log.size  # type: ignore[union-attr]
