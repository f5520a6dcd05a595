"""The log of all matches: what its proofs and leaves show of a match, and one planted fault or more for each cause."""

import copy
import random
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from fairdeal_verifier import Policy, Report, WrongUsage, canonical, verify
from fairdeal_verifier.errors import NotRevealed
from fairdeal_verifier.explain import explain
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.sentences import sentence
from tests.verifier import builder
from tests.verifier.builder import ENDINGS, GAMES, LOG, Match
from tests.verifier.logged import (
    LOG_KEY,
    NEXT_LOG_KEY,
    WITNESSES,
    LoggedServer,
    cosigned,
    named,
    policy,
)

Told = tuple[str, int | None, str | None, int | None]
Change = Callable[[LoggedServer], int | None]
"""Plants a fault and returns the place where it must be seen."""

PLAIN = policy()
WITNESSED = policy(witnesses=WITNESSES, quorum="enough", more="group enough 2 w1.example w2.example w3.example")
ALL_WITNESSES = policy(witnesses=WITNESSES, quorum="all", more="group all all w1.example w2.example w3.example")
OPERATOR_ALONE = ("unchecked", None, "no_anchor", None)
VERIFIED = ("verified", None, None, None)


def played(seed: int = 3, **terms: Any) -> LoggedServer:
    """A duel to its end, a few dozen events."""
    server = LoggedServer(seed, **({"target": 50} | terms))
    server.begin().steps(1_000_000)
    return server


def running(acts: int = 9) -> LoggedServer:
    return LoggedServer(5).begin().steps(acts)


def report_of(server: LoggedServer, trusted: Policy | None = PLAIN, held: int | None = None, **part: Any) -> Report:
    match = server.match.copy()
    match.log_part |= part
    return verify(match.bundle(), trusted, None if held is None else match.held_file(held))


def told(report: Report) -> Told:
    return report.verdict, report.step, report.cause, report.broken_at


def found(server: LoggedServer, trusted: Policy | None = PLAIN, held: int | None = None, **part: Any) -> Told:
    return told(report_of(server, trusted, held, **part))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ENDINGS)
def test_every_ending_is_verified_in_the_log(name: str, game: str) -> None:
    with patch.object(builder, "Server", LoggedServer):
        match: Match = ENDINGS[name](4, game)
    assert told(verify(match.bundle(), PLAIN, None)) == OPERATOR_ALONE
    report = verify(match.bundle(), PLAIN, match.held_file())
    assert (told(report), report.anchor) == (VERIFIED, "held")
    assert [check.result for check in report.checks] == ["passed"] * 11
    assert told(verify(match.bundle(), None, None)) == ("unchecked", 1, "no_policy", None)


def test_a_quorum_of_witnesses_anchors() -> None:
    server = played()
    for count, told_then, anchor in ((1, OPERATOR_ALONE, None), (2, VERIFIED, "witnesses"), (3, VERIFIED, "witnesses")):
        server.log.witnesses = WITNESSES[:count]
        server.logged()
        report = report_of(server, WITNESSED)
        assert (told(report), report.anchor) == (told_then, anchor)
        assert report.log is not None
        assert (report.log.cosignatures, report.log.size) == (count, len(server.log.entries))
        # Neither does a witness that the policy does not list count, nor is its line looked at.
        strange = report_of(server, PLAIN)
        assert told(strange) == OPERATOR_ALONE
        assert strange.log is not None
        assert strange.log.cosignatures == 0
    assert report_of(server, WITNESSED, 0).anchor == "witnesses"


def test_signatures_of_the_log_are_counted() -> None:
    server = played()
    server.log.witnesses = WITNESSES
    server.logged()
    match = server.match
    seated = sum(event["by"] >= 0 for event in match.events)
    receipts = sum("receipt" in line for line in match.held[0])
    assert report_of(server, WITNESSED).counts.signatures == 1 + 4 + seated
    assert report_of(server, PLAIN).counts.signatures == 1 + 1 + seated
    assert report_of(server, None).counts.signatures == 1 + seated
    # The three log lines were written before there were witnesses.
    assert report_of(server, WITNESSED, 0).counts.signatures == 1 + 4 + 2 * receipts + 3 + seated
    last = verify(match.bundle(), WITNESSED, match.held_file(), signatures="last")
    assert last.counts.signatures == 1 + 4 + 2 + 3 + 2


def test_a_report_tells_the_log() -> None:
    server = played()
    found = report_of(server).as_json("")
    assert found["log"] == {"cosignatures": 0, "size": len(server.log.entries)}
    server.match.log_part = {}
    assert verify(server.match.bundle(), server.match.policy(), None).as_json("")["log"] is None
    assert verify(b"", PLAIN, None).as_json("")["log"] is None


def test_a_match_that_goes_on_is_pending() -> None:
    server = running()
    assert found(server) == ("pending", None, "not_closed", None)
    assert found(server, None, 0) == ("unchecked", None, "not_closed", None)
    assert found(server, held=1) == ("pending", None, "not_closed", None)
    # A leaf may be newer than the copy.
    for kept in (1, 2, 3, 4, 5):
        older = running()
        older.match.events = older.match.events[:kept]
        older.match.held = [lines[:1] for lines in older.match.held]
        older.logged()
        assert found(older) == ("pending", None, "not_closed", None)


def test_a_rotated_log_key() -> None:
    """Checkpoints of each time are by the key of that time; a policy of today lists them all."""
    before, after = played(), LoggedServer(3, target=50).begin()
    after.log.key = NEXT_LOG_KEY
    after.steps(1_000_000)
    both = policy((LOG_KEY, NEXT_LOG_KEY))
    for server in (before, after):
        assert found(server, both, 0) == VERIFIED
    assert found(before, policy((NEXT_LOG_KEY,))) == ("unchecked", 1, "unknown_key", None)
    assert found(after, policy((LOG_KEY,))) == ("unchecked", 1, "unknown_key", None)
    # Lines of the old time are kept with a file of the new one.
    assert found(after, policy((NEXT_LOG_KEY,))) == OPERATOR_ALONE
    assert found(after, policy((NEXT_LOG_KEY,)), 0) == ("altered", 3, "held_log", None)


def test_a_policy_that_does_not_list_the_log() -> None:
    server = played()
    unknown = ("unchecked", 1, "unknown_key", None)
    assert found(server, policy((NEXT_LOG_KEY,))) == unknown
    assert found(server, policy(((LOG_KEY[0], "other"),))) == unknown
    assert found(server, server.match.policy()) == unknown  # it lists the receipts key alone


def damaged(note: str, line: int = -1) -> str:
    """With another signature in a line."""
    lines = note.splitlines(keepends=True)
    at = len(lines[line]) - 9
    lines[line] = lines[line][:at] + ("A" if lines[line][at] != "A" else "B") + lines[line][at + 1 :]
    return "".join(lines)


def body(note: str) -> str:
    return note.partition("\n\n")[0] + "\n"


def test_step_1_checkpoint() -> None:
    server = played()
    server.log.witnesses = WITNESSES
    server.logged()
    altered = ("altered", 1, "checkpoint", None)
    note = server.log.checkpoint()
    text, line = body(note), note.splitlines(keepends=True)
    assert found(server, WITNESSED, checkpoint=note) == VERIFIED
    assert found(server, WITNESSED, checkpoint=damaged(note, 4)) == altered
    assert found(server, WITNESSED, checkpoint=damaged(note)) == altered
    assert found(server, PLAIN, checkpoint=damaged(note)) == OPERATOR_ALONE
    assert found(server, WITNESSED, checkpoint=note + line[4]) == altered
    assert found(server, WITNESSED, checkpoint=note + line[-1]) == altered
    assert found(server, PLAIN, checkpoint=note + line[-1]) == OPERATOR_ALONE
    assert found(server, WITNESSED, checkpoint=note.replace(line[4], line[4][:-9] + "\n")) == altered
    other = server.log.checkpoint(origin="other.example/log")
    assert found(server, WITNESSED, checkpoint=other) == altered
    elsewhere = (LOG_KEY[0], "other.example/log")
    by_other = cosigned(text, [elsewhere], WITNESSES)
    assert found(server, policy((elsewhere,)), checkpoint=by_other) == altered
    by_both = cosigned(text, [(NEXT_LOG_KEY[0], "other.example/log"), LOG_KEY], [])
    assert (
        found(server, policy((LOG_KEY, (NEXT_LOG_KEY[0], "other.example/log"))), checkpoint=by_both) == OPERATOR_ALONE
    )
    # A cosignature by the log's own key is no signature of the log.
    assert found(server, PLAIN, checkpoint=cosigned(text, [], [LOG_KEY])) == ("unchecked", 1, "unknown_key", None)
    without = report_of(server, WITNESSED, checkpoint=other)
    assert without.log is not None
    assert without.log.cosignatures == 0


def test_step_1_head() -> None:
    """The receipts key is the one of `open`, and no policy has to list it."""
    server = played()
    match = server.match
    tree, size = roots(match.leaves), len(match.events)
    altered = ("altered", 1, "head_signature", None)

    def by_head(head: str, trusted: Policy | None = PLAIN) -> Told:
        return told(verify(match.bundle(head), trusted, None))

    true = match.receipt(size, tree)
    assert by_head(true) == OPERATOR_ALONE
    assert by_head(damaged(true)) == altered
    assert by_head(match.receipt(size, tree, name="other")) == altered
    assert by_head(damaged(true), None) == ("unchecked", 1, "head_signature", None)
    by_log = cosigned(body(true), [LOG_KEY], [])
    assert by_head(by_log) == altered


@pytest.mark.parametrize(
    "change",
    [
        lambda part: part.pop("checkpoint"),
        lambda part: part.pop("consistency"),
        lambda part: part.pop("leaves"),
        lambda part: part.update(more=0),
        lambda part: part.update(checkpoint=None),
        lambda part: part.update(checkpoint=part["checkpoint"].replace("\n\n", "\nextension\n\n")),
        lambda part: part.update(leaves=[]),
        lambda part: part.update(leaves=part["leaves"][1:]),
        lambda part: part["leaves"].reverse(),
        lambda part: part["leaves"].append(part["leaves"][-1]),
        lambda part: part["leaves"].insert(1, part["leaves"][0]),
        lambda part: part["leaves"][1].update(more=0),
        lambda part: part["leaves"][1].update(index=-1),
        lambda part: part["leaves"][1]["leaf"].update(more=0),
        lambda part: part["leaves"][1].update(leaf={"root": "00" * 32, "size": 1, "type": "ledger"}),
        lambda part: part["leaves"][1]["proof"].append("00" * 31),
        lambda part: part["leaves"][1].update(proof=["00" * 32] * 64),
        lambda part: part["consistency"].append(part["consistency"][-1]),
        lambda part: part["consistency"][0].update(size=0),
        lambda part: part["consistency"][0].update(proof=["00" * 32] * 64),
        lambda part: part["consistency"][0].update(more=0),
    ],
)
def test_a_header_that_is_not_of_its_form(change: Callable[[Any], object]) -> None:
    server = played()
    change(server.match.log_part)
    assert found(server) == ("malformed", 0, "header", None)


def test_the_header_has_a_limit_of_its_own() -> None:
    server = played()
    long = ["00" * 32] * 63
    few = [{"proof": long, "size": size} for size in range(1, 14)]
    assert found(server, consistency=few)[:3] == ("altered", 2, "consistency")
    assert found(server, consistency=[*few, {"proof": long, "size": 14}, {"proof": long, "size": 15}])[2] == "size"


def flip(text: str) -> str:
    return ("1" if text[0] != "1" else "2") + text[1:]


def leaf_damage(change: Callable[[list[Any]], object]) -> Change:
    def apply(server: LoggedServer) -> None:
        change(server.match.log_part["leaves"])

    return apply


def seen_elsewhere(server: LoggedServer) -> int:
    """The last to join names a checkpoint that the log never had, and it signed that; so did all that follows."""
    place = 2
    server.match.events[place]["data"]["do"]["join"]["seen"]["root"] = "11" * 32
    server.match.sign_seats()
    for kind, size in (("full", 3), ("start", server.match.find("deal") + 1), ("close", len(server.match.events))):
        server.rewrite(kind, root=roots(server.match.leaves)[size].hex())
    return place


def unseen(server: LoggedServer) -> LoggedServer:
    """No seat has seen the log, so that nothing but its entries contradicts it."""
    for event in server.match.events[1:3]:
        event["data"]["do"]["join"]["seen"] = {"root": roots([])[0].hex(), "size": 0}
    server.match.sign_seats()
    return server


def swap(server: LoggedServer, one: str, other: str) -> None:
    entries, indices = server.log.entries, server.indices
    entries[indices[one]], entries[indices[other]] = entries[indices[other]], entries[indices[one]]
    indices[one], indices[other] = indices[other], indices[one]
    server.logged()


def drop_consistency(server: LoggedServer) -> int:
    server.match.log_part["consistency"] = []
    return 2


def damage_consistency(server: LoggedServer) -> int:
    proof = server.match.log_part["consistency"][0]["proof"]
    proof[0] = flip(proof[0])
    return 2


def more_consistency(server: LoggedServer) -> None:
    more = [one.hex() for one in server.log.consistency(1, len(server.log.entries))]
    server.match.log_part["consistency"].insert(0, {"proof": more, "size": 1})


def rewritten(kind: str, place: Callable[[Match], int | None], **changed: Any) -> Change:
    def apply(server: LoggedServer) -> int | None:
        server.rewrite(kind, **changed)
        return place(server.match)

    return apply


def promise(server: LoggedServer, commitment: str) -> int:
    server.rewrite("open", commitment=commitment)
    return 0


def at(place: int | None) -> Callable[[Match], int | None]:
    return lambda match: place


def of(kind: str) -> Callable[[Match], int | None]:
    return lambda match: match.find(kind)


def end(match: Match) -> int:
    return len(match.events)


def last(match: Match) -> int:
    return len(match.events) - 1


def resized(kind: str, by: int) -> Change:
    """A leaf of a size that is greater by so much; its root is that of the size, if there is one."""

    def apply(server: LoggedServer) -> int:
        leaf = canonical.decode(server.log.entries[server.indices[kind]])
        assert isinstance(leaf, dict)
        assert isinstance(leaf["size"], int)
        size, have = leaf["size"] + by, len(server.match.events)
        server.rewrite(kind, size=size, root=roots(server.match.leaves)[min(size, have)].hex())
        return min(size - 1, have) if kind == "start" else min(size, have)

    return apply


FALSE = {"root": "11" * 32}
STEP_2: list[tuple[str, str, str, Change]] = [
    ("another match", "altered", "leaf", rewritten("full", at(None), m="0" * 32)),
    ("another match's opening", "altered", "leaf", rewritten("open", at(None), m="0" * 32)),
    ("a proof", "altered", "inclusion", leaf_damage(lambda leaves: leaves[0].update(proof=leaves[1]["proof"]))),
    ("a proof too long", "altered", "inclusion", leaf_damage(lambda leaves: leaves[0]["proof"].append("00" * 32))),
    ("a proof too short", "altered", "inclusion", leaf_damage(lambda leaves: leaves[0]["proof"].pop())),
    ("an index", "altered", "inclusion", leaf_damage(lambda leaves: leaves[3].update(index=leaves[3]["index"] + 1))),
    ("an index outside", "altered", "inclusion", leaf_damage(lambda leaves: leaves[3].update(index=2**53 - 1))),
    ("a leaf", "altered", "inclusion", leaf_damage(lambda leaves: leaves[3]["leaf"].update(FALSE))),
    ("another opening", "altered", "leaf", rewritten("open", at(0), **FALSE)),
    ("no full", "altered", "leaf_missing", leaf_damage(lambda leaves: leaves.pop(1) and None)),
    ("no start", "altered", "leaf_missing", leaf_damage(lambda leaves: leaves.pop(2) and None)),
    ("no close", "altered", "leaf_missing", leaf_damage(lambda leaves: leaves.pop(3) and None)),
    ("no consistency", "altered", "consistency", drop_consistency),
    ("false consistency", "altered", "consistency", damage_consistency),
    ("consistency that nobody asked for", "altered", "consistency", more_consistency),
    ("another checkpoint seen", "altered", "consistency", seen_elsewhere),
    ("full before open", "cheated", "log_order", lambda server: swap(unseen(server), "open", "full")),
    ("close before start", "cheated", "log_order", lambda server: swap(server, "close", "start")),
]  # fmt: skip
STEP_3: list[tuple[str, str, str, Change]] = [
    ("another commitment", "cheated", "leaf", lambda server: promise(unseen(server), "11" * 32)),
    ("another table root", "cheated", "leaf", rewritten("full", at(2), **FALSE)),
    ("another first deal", "cheated", "leaf", rewritten("start", of("deal"), **FALSE)),
    ("start too early", "cheated", "leaf", resized("start", -1)),
    ("start too late", "cheated", "leaf", resized("start", 1)),
    ("start beyond the end", "cheated", "leaf", resized("start", 1_000)),
    ("another end", "cheated", "leaf", rewritten("close", last, **FALSE)),
    ("closed too early", "cheated", "leaf", resized("close", -1)),
    ("closed too late", "cheated", "leaf", resized("close", 1)),
    ("another server seed", "cheated", "leaf", rewritten("close", of("reveal"), server_seed="11" * 32)),
    ("another outcome", "cheated", "leaf", rewritten("close", of("end"), outcome="forfeit")),
    ("void and not played", "cheated", "leaf", rewritten("close", of("end"), outcome="void", cause="operator")),
    ("lost and not played", "cheated", "leaf", rewritten("close", of("end"), outcome="void", cause="lost")),
    ("no seed and not played", "cheated", "leaf", rewritten("close", of("end"), outcome="no_seed", seats=[0])),
]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "verdict", "cause", "change"),
    [pytest.param(step, *fault[1:], id=fault[0]) for step, faults in ((2, STEP_2), (3, STEP_3)) for fault in faults],
)
def test_a_fault(step: int, verdict: str, cause: str, change: Change) -> None:
    server = played()
    assert found(server, held=0) == VERIFIED
    place = change(server)
    assert found(server) == (verdict, step, cause, place)
    assert found(server, None) == ("unchecked", step, cause, place)
    report = report_of(server)
    assert [check.result for check in report.checks][: step + 1] == ["passed"] * step + ["failed"]


def test_an_older_checkpoint_covers_only_what_it_covers() -> None:
    server = played()
    size = server.indices["close"]
    older = server.log.checkpoint(size)
    assert found(server, checkpoint=older) == ("altered", 2, "inclusion", None)


def test_two_joins_that_name_one_size_with_different_roots() -> None:
    class Together(LoggedServer):
        def seen(self) -> dict[str, Any]:
            size = len(self.log.entries)
            return {"root": ("11" * 32 if self.joined else self.log.root(size).hex()), "size": size}

    server = Together(4).begin().steps(3)
    assert told(verify(server.match.bundle(), PLAIN, None)) == ("altered", 2, "consistency", 2)


def test_where_no_seat_has_seen_the_log_no_proof_is_asked_for() -> None:
    class Unseen(LoggedServer):
        def seen(self) -> dict[str, Any]:
            return {"root": roots([])[0].hex(), "size": 0}

    match = Unseen(4).begin().steps(3).match
    assert match.log_part["consistency"] == []
    assert verify(match.bundle(), PLAIN, None).verdict == "pending"


def test_roots_of_leaves_have_suspects() -> None:
    server = played()
    deal = server.match.find("deal")
    server.rewrite("start", **FALSE)
    assert report_of(server).suspects == (3, deal)
    server = played()
    server.rewrite("open", **FALSE)
    assert report_of(server).suspects == (0, 0)
    server = played()
    resized("start", 1)(server)
    assert report_of(server).suspects is None


def test_a_full_or_start_too_many() -> None:
    """The log says that all were seated, the copy that the match was cancelled before."""
    server = LoggedServer(1)
    server.join(0)
    server.end("cancelled", None)
    match = server.match
    close = server.indices.pop("close")
    server.append("full", {"m": match.m, "root": roots(match.leaves)[3].hex(), "type": "full"})
    server.log.entries.append(server.log.entries[close])
    server.indices["close"] = len(server.log.entries) - 1
    server.logged()
    assert found(server) == ("cheated", 3, "leaf", 2)
    match.held[0] = [server.held_line()]
    del server.indices["full"]
    server.logged()
    match.held[0][0]["leaves"].pop()
    assert found(server, held=0) == ("cheated", 3, "log_fork", 2)

    server = LoggedServer(1).sit()
    server.end("void", None, cause="operator")
    assert found(server) == OPERATOR_ALONE
    close = server.indices.pop("close")
    start = {"m": server.match.m, "root": roots(server.match.leaves)[4].hex(), "size": 4, "type": "start"}
    server.append("start", start)
    server.log.entries.append(server.log.entries[close])
    server.indices["close"] = len(server.log.entries) - 1
    server.logged()
    assert found(server) == ("cheated", 3, "leaf", 3)


def test_seats_that_are_said_to_have_sent_no_seed() -> None:
    server = LoggedServer(2).sit()
    server.seed(1)
    for _ in range(3):
        server.missing()
    assert isinstance(server, LoggedServer)
    place = server.match.find("end")
    assert found(server, held=1) == VERIFIED
    for wrong in ([1], [0, 1]):
        server.rewrite("close", seats=wrong)
        assert found(server) == ("cheated", 3, "leaf", place)


def test_a_copy_that_the_log_has_closed_already() -> None:
    for kept in (1, 2, 5, 20, played().match.find("end") + 2):
        cut = played()
        cut.match.events = cut.match.events[:kept]
        cut.match.log_part["consistency"] = cut.match.log_part["consistency"] if kept > 2 else []
        assert found(cut) == ("altered", 3, "events_missing", kept)


class TestLost:
    """Matches that a restored store still had live (protocol 7.5)."""

    @pytest.mark.parametrize("kept", [1, 2, 3, 4, 5, 6, 12])
    def test_it_may_stop_anywhere(self, kept: int) -> None:
        """Also before what the log says has happened, and before what players hold receipts of."""
        server = running()
        server.log.witnesses = WITNESSES
        server.lose(kept)
        assert found(server) == OPERATOR_ALONE
        report = report_of(server, WITNESSED, 0)
        assert (told(report), report.anchor) == (VERIFIED, "witnesses")
        assert report.ending is not None
        assert (report.ending.reason, report.ending.winner) == ("lost", None)
        assert "lost with the operator’s store, nobody won" in sentence(report, "en")
        assert [check.result for check in report.checks] == ["passed"] * 11

    def test_a_player_of_all_that_is_left_anchors_it(self) -> None:
        server = running()
        server.lose()
        assert found(server, held=0) == VERIFIED

    def test_a_held_receipt_of_another_history(self) -> None:
        server = running()
        match = server.match
        line = next(line for line in match.held[0] if line.get("view", {}).get("size") == 6)
        line["receipt"] = match.receipt(6, [bytes(32)] * 7)
        server.lose(8)
        assert found(server, held=0) == ("cheated", 3, "fork", 5)

    def test_its_leaf_says_what_is_left(self) -> None:
        for changed, expected in (
            ({"size": 9}, ("altered", 3, "events_missing", 8)),
            ({"size": 7}, ("altered", 3, "events_extra", 7)),
            (FALSE, ("cheated", 3, "leaf", 7)),
            ({"server_seed": "11" * 32}, ("cheated", 5, "commitment", 8)),
        ):
            server = running()
            server.lose(8, **changed)
            assert found(server) == expected

    @pytest.mark.parametrize("kept", [6, 12])
    def test_an_end_that_was_told_may_be_lost_too(self, kept: int) -> None:
        """The player has receipts past the `end`; it came neither into the log nor into what was restored."""
        server = played()
        del server.indices["close"]
        server.log.witnesses = WITNESSES
        whole = server.match.copy()
        assert whole.find("end") > kept
        server.lose(kept)
        report = report_of(server, WITNESSED, 0)
        assert (told(report), report.anchor) == (VERIFIED, "witnesses")
        # The player's own copy has more than is left: that accuses nobody.
        server.match.events = whole.events
        assert found(server) == found(server, held=0) == ("altered", 3, "events_extra", kept)

    def test_nothing_that_ended_is_lost(self) -> None:
        server = played()
        place = server.match.find("end")
        for kept in (place + 1, place + 2, place + 3):
            ended = played()
            del ended.indices["close"]
            ended.lose(kept)
            assert found(ended) == ("cheated", 3, "leaf", place)

    def test_its_rules_are_kept_up_to_where_it_stops(self) -> None:
        server = running()
        match = server.match
        deal = match.find("deal")
        match.events[deal]["data"]["dealer"] ^= 1
        match.sign_seats()
        server.rewrite("start", root=roots(match.leaves)[deal + 1].hex())
        server.lose()
        assert found(server) == ("cheated", 7, "deal", deal)

    def test_its_deals_can_be_explained(self) -> None:
        server = running()
        with pytest.raises(NotRevealed):
            explain(server.match.bundle(), 1, None)
        server.lose()
        played = explain(server.match.bundle(), 1, None)
        server.end("void", None, cause="operator")
        server.match.log_part = {}
        assert explain(server.match.bundle(), 1, None)["pack"] == played["pack"]

    def test_leaves_of_it_are_all_asked_for(self) -> None:
        server = running()
        server.lose()
        server.match.log_part["leaves"].pop(2)
        assert found(server) == ("altered", 2, "leaf_missing", None)


def held_line(server: LoggedServer) -> Any:
    """The last log line of seat 0."""
    return [line for line in server.match.held[0] if "checkpoint" in line][-1]


def resign(server: LoggedServer, line: Any, **signed_by: Any) -> None:
    line["checkpoint"] = server.log.checkpoint(int(line["checkpoint"].split("\n")[1]), **signed_by)


OTHER_LOG = (NEXT_LOG_KEY[0], "other")
HELD: list[tuple[str, Callable[[LoggedServer, Any], object]]] = [
    ("by a stranger", lambda server, line: resign(server, line, signers=(named(9, LOG),))),
    ("by another log", lambda server, line: resign(server, line, signers=(OTHER_LOG,))),
    ("of another log", lambda server, line: resign(server, line, origin="other")),
    ("badly signed", lambda server, line: line.update(checkpoint=damaged(line["checkpoint"]))),
    ("signed twice", lambda server, line: resign(server, line, signers=(LOG_KEY, LOG_KEY))),
    ("badly cosigned", lambda server, line: line.update(checkpoint=badly_cosigned(server, line))),
    ("with a false proof", lambda server, line: line["leaves"][1]["proof"].append("00" * 32)),
    ("with a false leaf", lambda server, line: line["leaves"][2]["leaf"].update(FALSE)),
    ("of another match", lambda server, line: line["leaves"][2]["leaf"].update(m="0" * 32)),
]


def badly_cosigned(server: LoggedServer, line: Any) -> str:
    resign(server, line, witnesses=WITNESSES)
    return damaged(line["checkpoint"])


@pytest.mark.parametrize("change", [pytest.param(fault[1], id=fault[0]) for fault in HELD])
def test_a_held_log_line_that_does_not_hold(change: Callable[[LoggedServer, Any], object]) -> None:
    server = played()
    trusted = policy((LOG_KEY, OTHER_LOG), WITNESSES)
    assert found(server, trusted, 0) == VERIFIED
    change(server, held_line(server))
    assert found(server, trusted, 0) == ("altered", 3, "held_log", None)
    assert verify(server.match.bundle(), trusted, server.match.held_file(), signatures="last").cause == "held_log"
    # Nobody says whose log it is: then the lines are not looked at.
    assert found(server, None, 0) == ("unchecked", 1, "no_policy", None)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.update(leaves=[]),
        lambda line: line["leaves"].reverse(),
        lambda line: line["leaves"].pop(0),
        lambda line: line.pop("leaves"),
        lambda line: line.update(more=0),
        lambda line: line.update(checkpoint=""),
        lambda line: line["leaves"][0].update(proof=["00" * 32] * 64),
        lambda line: line["leaves"][0].update(proof=["00" * 32] * 1_000),
    ],
)
def test_a_held_log_line_that_is_not_of_its_form(change: Callable[[Any], object]) -> None:
    server = played()
    change(held_line(server))
    with pytest.raises(WrongUsage, match="held_line"):
        found(server, held=0)


def forked(server: LoggedServer) -> LoggedServer:
    """The same match in another log of the same keys."""
    other = copy.copy(server)
    other.log = copy.copy(server.log)
    other.log.entries = [*server.log.entries]
    other.indices = dict(server.indices)
    other.match = server.match.copy()
    return other


class TestForks:
    """A held log line against the bundle."""

    def keep(self, server: LoggedServer, other: LoggedServer) -> None:
        server.match.held[0].append(other.held_line())

    def test_another_root_of_one_size(self) -> None:
        server = played()
        other = forked(server)
        assert server.indices["open"] > 0
        other.log.entries[0] = canonical.encode({"root": "22" * 32, "size": 0, "type": "ledger"})
        self.keep(server, other)
        assert found(server, held=0) == ("cheated", 3, "log_fork", None)

    @pytest.mark.parametrize("kind", ["open", "full", "start", "close"])
    def test_another_leaf_of_one_type(self, kind: str) -> None:
        server = played()
        other = forked(server)
        other.log.fill(1)
        other.rewrite(kind, **FALSE)
        self.keep(server, other)
        assert found(server, held=0) == ("cheated", 3, "log_fork", None)

    def test_one_leaf_at_two_places(self) -> None:
        server = played()
        other = forked(server)
        other.log.entries.append(other.log.entries[other.indices["close"]])
        other.indices["close"] = len(other.log.entries) - 1
        self.keep(server, other)
        assert found(server, held=0) == ("cheated", 3, "log_fork", None)

    def test_a_lost_match_that_was_played(self) -> None:
        server = played()
        other = forked(server)
        del other.indices["close"]
        other.lose(12)
        self.keep(server, other)
        assert found(server, held=0) == ("cheated", 3, "log_fork", None)

    def test_a_leaf_that_the_copy_has_not_yet(self) -> None:
        """Beside a copy that goes on a later leaf contradicts nothing; another one of its past does."""
        server = running()
        later = forked(server)
        later.end("void", None, cause="operator")
        for close in (True, False):
            kept = running()
            if close:
                self.keep(kept, later)
            assert found(kept, held=0) == ("pending", None, "not_closed", None)
        deal = server.match.find("deal")
        kept = running()
        other = forked(kept)
        other.rewrite("start", **FALSE)
        self.keep(kept, other)
        del kept.indices["start"]
        *before, newest = kept.match.held[0]
        kept.match.held[0] = [*(line for line in before if len(line.get("leaves", [])) < 3), newest]
        kept.log.fill(1)
        kept.logged()
        report = report_of(kept, held=0)
        assert told(report) == ("cheated", 3, "log_fork", deal)
        assert report.suspects == (4, deal)

    def test_a_lost_leaf_beside_a_copy_that_goes_on(self) -> None:
        for kept, changed, expected in (
            (None, {}, ("pending", None, "not_closed", None)),
            (8, {}, ("pending", None, "not_closed", None)),
            (None, {"size": 500}, ("pending", None, "not_closed", None)),
            (None, FALSE, ("cheated", 3, "log_fork", 14)),
        ):
            server = running()
            other = forked(server)
            assert len(server.match.events) == 15
            other.lose(kept, **changed)
            self.keep(server, other)
            assert found(server, held=0) == expected


@pytest.mark.parametrize("held", [None, 0])
def test_one_changed_byte_of_the_header_accuses_nobody(held: int | None) -> None:
    """And it is `verified` no more: what is lost was asked for."""
    server, chooser = played(), random.Random(held)
    server.log.witnesses = WITNESSES
    server.logged()
    match = server.match
    good = match.bundle()
    kept = None if held is None else match.held_file(held)
    assert verify(good, ALL_WITNESSES, kept).anchor == "witnesses"
    causes = set()
    for place in range(0, good.index(b"\n"), 3):
        changed = good[:place] + bytes([good[place] ^ 1 << chooser.randrange(7)]) + good[place + 1 :]
        report = verify(changed, ALL_WITNESSES, kept)
        assert report.verdict in ("altered", "malformed", "unchecked") or (report.anchor == "held")
        causes.add(report.cause)
    assert {"encoding", "header", "checkpoint", "head_signature", "inclusion", "consistency"} <= causes


def test_the_note_of_the_checkpoint_stands_as_it_came() -> None:
    """Lines of keys that nobody knows, before and after the log's, change nothing."""
    server = played()
    note = server.log.checkpoint()
    text, line = body(note), note.splitlines()[-1]
    strange = f"— ecdsa.example {b64encode(bytes(75)).decode()}"
    assert found(server, checkpoint=f"{text}\n{strange}\n{line}\n{strange}\n") == OPERATOR_ALONE
