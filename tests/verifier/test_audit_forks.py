"""Two histories of one log, and a log that ends too early."""

from pathlib import Path

from tests.verifier.auditing import look, note, verdict
from tests.verifier.builder import Server
from tests.verifier.house import TERMS, house
from tests.verifier.logged import Log


def test_a_checkpoint_of_another_history(tmp_path: Path) -> None:
    made, other = house(), Log()
    other.fill(9)
    made.signed[9] = other.checkpoint()
    made.write(tmp_path)
    [found] = look(tmp_path).findings
    assert (found.code, found.detail) == ("fork", ("root", "checkpoints/9", 9))
    (tmp_path / "checkpoints/9").unlink()
    assert look(tmp_path).findings == []
    [found] = look(tmp_path, since=note(other)).findings
    assert (found.code, found.detail) == ("fork", ("root", "--since", 9))


def test_two_roots_of_the_newest_size_need_no_entries(tmp_path: Path) -> None:
    made, other = house(), Log()
    made.write(tmp_path)
    other.fill(len(made.log.entries))
    next((tmp_path / "tile/entries").iterdir()).rename(tmp_path / "gone")
    outcome = look(tmp_path, since=note(other))
    assert [found.code for found in outcome.findings] == ["fork"]
    assert [fault.code for fault in outcome.faults] == ["missing"]
    assert verdict(tmp_path, since=note(other)) == ("cheated", None)


def test_a_log_that_ends_before_the_auditors_own_checkpoint(tmp_path: Path) -> None:
    made = house()
    made.write(tmp_path)
    made.leaf({"from": 1, "to": 2, "type": "outage"})
    assert verdict(tmp_path, since=note(made.log)) == ("altered", None)


def test_a_checkpoint_that_a_player_saw(tmp_path: Path) -> None:
    """Somebody claims to have been shown another history; where it is signed, it is a fork."""
    other = Log()
    other.fill(4)
    made, server = house(), Server(66, **TERMS)
    server.seen = lambda: {"root": other.root(4).hex(), "size": 4}  # type: ignore[attr-defined]
    server.begin()
    server.resign(1)
    made.add(server.match)
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert outcome.findings == []
    assert [(one.m, one.size) for one in outcome.questions.seen] == [(server.match.m, 4)] * 2
    (tmp_path / "checkpoints/4").write_text(other.checkpoint())
    assert [found.code for found in look(tmp_path).findings] == ["fork"]
