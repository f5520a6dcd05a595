"""A lost match in the log: where it may stop, what its leaf says of it, and who anchors it."""

import pytest

from fairdeal_verifier.errors import NotRevealed
from fairdeal_verifier.explain import explain
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.sentences import sentence
from tests.verifier.logged import WITNESSES
from tests.verifier.logged_match import FALSE, OPERATOR_ALONE, VERIFIED, WITNESSED, found, played, report_of, running
from tests.verifier.reports import told


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
