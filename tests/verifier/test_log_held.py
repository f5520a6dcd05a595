"""The log lines of a held file: whether they hold, and against the bundle's log."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier import WrongUsage, canonical, verify
from tests.verifier.builder import LOG
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, WITNESSES, LoggedServer, named, policy
from tests.verifier.logged_match import FALSE, VERIFIED, damaged, found, played, report_of, running
from tests.verifier.reports import told


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
