"""The log of all matches: what its proofs and leaves show of a match, and who anchors it."""

from unittest.mock import patch

import pytest

from fairdeal_verifier import verify
from tests.verifier import builder
from tests.verifier.builder import ENDINGS, GAMES, Match
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, WITNESSES, LoggedServer, policy
from tests.verifier.logged_match import OPERATOR_ALONE, PLAIN, VERIFIED, WITNESSED, found, played, report_of, running
from tests.verifier.reports import told


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
