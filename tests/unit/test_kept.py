"""What is kept of matches between their steps."""

from dataclasses import replace

import pytest

from fairdeal.app import kept
from fairdeal.app.kept import KeptMatches, Match
from fairdeal.app.ports import Status
from fairdeal.app.ports import Table as Row
from fairdeal.belote import find_ruleset
from tests.rules.table import SERVER_SEED, Table

STATE = Table.seated(find_ruleset("duel@1")).state
ROW = Row(1, "m", Status.LIVE, "ann", 2, 0, "JETON", "public", None, b"", 2, 3, STATE.size, 2, ())
LINES = [b"%d" % n for n in range(STATE.size)]


def test_the_newest_lines_are_answered_and_older_ones_are_not_known() -> None:
    matches = KeptMatches()
    matches.put(Match(ROW, STATE), LINES[-3:], SERVER_SEED)
    known = matches.get("m")
    assert known is not None
    assert [known.lines(start) for start in range(STATE.size - 3, STATE.size + 1)] == [
        tuple(LINES[-3:]),
        tuple(LINES[-2:]),
        tuple(LINES[-1:]),
        (),
    ]
    assert known.lines(STATE.size - 4) is None
    assert known.lines(STATE.size + 1) is None


def test_a_match_taken_up_from_its_beginning_does_not_stay_in_memory_whole() -> None:
    matches = KeptMatches()
    state = replace(STATE, size=100)
    matches.put(Match(ROW, state), [b"line"] * 100, SERVER_SEED)
    known = matches.get("m")
    assert known is not None
    assert known.lines(92) == (b"line",) * 8
    assert known.lines(91) is None


def test_who_comes_late_does_not_put_an_older_state_back() -> None:
    matches = KeptMatches()
    newer = replace(STATE, size=STATE.size + 1)
    matches.put(Match(ROW, newer), [b"newer"], SERVER_SEED)
    matches.put(Match(ROW, STATE), LINES, SERVER_SEED)
    known = matches.get("m")
    assert known is not None
    assert known.match.state is newer
    assert known.lines(STATE.size) == (b"newer",)


def test_of_too_many_the_least_used_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MATCHES", 2)
    matches = KeptMatches()
    for name in ("a", "b", "a", "c"):
        matches.put(Match(replace(ROW, match_id=name), STATE), LINES, SERVER_SEED)
    assert [matches.get(name) is not None for name in ("a", "b", "c")] == [True, False, True]


def test_who_is_doubted_is_so_until_it_is_what_was_compared() -> None:
    matches = KeptMatches()
    matches.put(Match(ROW, STATE), LINES, SERVER_SEED)
    compared = matches.get("m")
    assert compared is not None
    assert not matches.doubted("m")
    matches.doubt()
    matches.put(Match(ROW, replace(STATE, size=STATE.size + 1)), [b"newer"], SERVER_SEED)
    matches.trust("m", compared)
    assert matches.doubted("m"), "another one is kept by now"
    newer = matches.get("m")
    assert newer is not None
    matches.trust("m", newer)
    assert not matches.doubted("m")
    matches.doubt()
    matches.forget("m")
    assert matches.get("m") is None
    assert not matches.doubted("m")
