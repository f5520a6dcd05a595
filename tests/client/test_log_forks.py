"""Another log than the one that is held, or that the other player has seen: nothing is signed on it."""

import pytest

from fairdeal.client import AlreadySigned, Contradiction, Finding
from tests.client.log_lies import is_ours, refused
from tests.client.server import LogBook, Table, ask


def test_another_log_of_the_size_held(table: Table) -> None:
    """Two sessions of one player, one memory: the second is shown another history."""
    assert refused(table, 0, table.server.log.fork()).finding is Finding.LOG_FORK


def test_another_log_that_has_grown(table: Table) -> None:
    fork = table.server.log.fork()
    fork.append(*LogBook().entries[:3])
    assert refused(table, 0, fork).finding is Finding.CONSISTENCY


def test_no_proof_from_what_is_held(table: Table) -> None:
    table.joined()
    table.server.log.append(LogBook().entries[0])
    assert refused(table, 0, table.server.log, table.server.log.answer()).finding is Finding.CONSISTENCY


def test_a_log_that_has_shrunk(table: Table) -> None:
    log = LogBook()
    log.entries = table.server.log.entries[:-1]
    assert refused(table, 0, log, log.answer()).finding is Finding.CONSISTENCY


def test_a_log_that_says_it_is_shorter(table: Table) -> None:
    with pytest.raises(Contradiction) as caught:
        table.clients[0].refuse_log({"code": "ahead_of_log"})
    assert caught.value.finding is Finding.LOG_FORK
    with pytest.raises(AlreadySigned):
        table.clients[0].join()


def test_another_log_than_another_match_was_shown(unproven: Table) -> None:
    """The newest checkpoint is the memory's, whatever match it came with."""
    fork = unproven.server.log.fork()
    unproven.memories[0].keep_logged("e" * 32, None, fork.checkpoint(), None)
    unproven.server.log.append(LogBook().entries[0])
    assert refused(unproven, 0, unproven.server.log).finding is Finding.CONSISTENCY


@pytest.mark.parametrize("grown", [False, True])
def test_the_other_player_was_shown_another_log(unproven: Table, grown: bool) -> None:
    """What it has seen stands in its join; both logs have the table's opening and its full table."""
    server, (ours, theirs) = unproven.server, unproven.clients
    fork = server.log.fork()
    ask(ours, server.log)
    if grown:
        for log in (fork, server.log):
            log.append(LogBook().entries[0])
    ask(theirs, fork)
    for client in (ours, theirs):
        unproven.take(client.join())
    error = refused(unproven, 0, server.log)
    assert error.finding is (Finding.CONSISTENCY if grown else Finding.LOG_FORK)
    assert unproven.memories[0]._db.execute("SELECT table_root FROM sitting").fetchone() == (None,)


def test_what_the_other_player_has_seen_is_not_reached_yet(unproven: Table) -> None:
    """Its join names a longer log than the one that we are shown with the full table."""
    server, (ours, theirs) = unproven.server, unproven.clients
    ask(ours, server.log)
    longer = LogBook()
    longer.entries = [*server.log.entries, *LogBook().entries[:50]]
    ask(theirs, longer)
    for client in (ours, theirs):
        unproven.take(client.join())
    assert refused(unproven, 0, server.log).finding is Finding.CONSISTENCY


def test_another_leaf_than_the_one_proven_before(table: Table) -> None:
    """The log has the opening twice; each time another one is shown."""
    log = table.server.log
    log.append(next(entry for entry in log.entries if is_ours(entry, "open")))
    assert table.clients[0].newest is not None
    answer = log.answer(table.clients[0].newest.size)
    assert len(answer["leaves"]) == 2
    del answer["leaves"][0]
    assert refused(table, 0, log, answer).finding is Finding.LOG_FORK


def test_a_leaf_proven_before_is_left_out(table: Table) -> None:
    table.joined()
    log = table.server.log
    assert table.clients[0].newest is not None
    answer = log.answer(table.clients[0].newest.size)
    del answer["leaves"][-1]
    assert refused(table, 0, log, answer).finding is Finding.LOG_FORK
