"""What an auditor asks about: matches lost, void or overdue, and how each account's matches ended."""

from pathlib import Path

from fairdeal_verifier.merkle import roots
from tests.verifier.auditing import NOW, look
from tests.verifier.builder import Match, Server
from tests.verifier.house import ACCOUNTS, TERMS, House, house, matches
from tests.verifier.house_faults import restated


def lost(made: House, kept: int) -> Match:
    """A match that a restored store still had live: its leaf alone ends it, stakes back."""
    server = Server(71, **TERMS).begin().steps(9)
    match = server.match
    match.events = match.events[:kept]
    made.begin(match)
    leaf = {"cause": "lost", "m": match.m, "outcome": "void", "server_seed": server.server_seed.hex(), "type": "close"}
    made.leaf(leaf | {"root": roots(match.leaves)[-1].hex(), "size": kept})
    made.transcripts[match.m] = match.leaves
    stake = match.events[0]["data"]["stake"]
    made.settle(match.m, {"pot": -2 * stake, "seat:0": stake, "seat:1": stake}, "void")
    made.ledger()
    return match


def test_a_lost_match(tmp_path: Path) -> None:
    made = house()
    match = lost(made, 7)
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])
    assert outcome.questions.lost == [match.m]
    posted = made.posted(f"end:{match.m}")
    posted["entries"][1]["amount"] += 1
    posted["entries"][2]["amount"] -= 1
    restated(made).write(tmp_path)
    assert [found.code for found in look(tmp_path).findings] == ["money"]


def test_questions(tmp_path: Path) -> None:
    made = house()
    late = Server(72, **TERMS)
    late.match.events[0]["t"] -= 90_000
    late.match.events[0]["data"]["close_by"] = NOW - 5_000
    made.open(late.match)
    due = Server(73, **TERMS)
    due.match.events[0]["data"]["close_by"] = NOW
    made.open(due.match)
    made.write(tmp_path)
    asked = look(tmp_path).questions
    index = len(made.log.entries) - 2
    told = [(one.m, one.index, one.overdue_ms) for one in asked.not_closed]
    assert told == [(late.match.m, index, 5_000)], "of the other one there is nothing to ask until its time is over"
    [backwards] = asked.backwards
    assert (backwards.m, backwards.index, backwards.by_ms) == (late.match.m, index, 90_000)
    assert asked.endings == {"played": 4, "forfeit": 1, "no_seed": 1, "void": 1}
    assert asked.void == [matches()[5].m]
    assert asked.lost == []
    first, second = asked.accounts[ACCOUNTS[0]], asked.accounts[ACCOUNTS[1]]
    assert (first.matches, first.endings.total(), first.seeds_missing) == (7, 3, 1)
    assert (second.matches, second.endings.total(), second.seeds_missing) == (7, 3, 0)
    assert ACCOUNTS[2] not in asked.accounts
