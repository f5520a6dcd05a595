"""What must not be forgotten, and must not be signed twice."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from fairdeal.belote import Bid
from fairdeal.client import AlreadySigned, Contradiction, Finding, MatchClient, Memory, NotRemembered
from fairdeal.client.memory import Shown
from fairdeal.keys import SigningKey
from fairdeal.tlog import Policy, VerifierKey, format_policy
from tests.client.server import LOG, M, Table, play_on, seed_of

KEY = SigningKey.from_seed(b"k" * 32)
POLICY = Policy.parse(format_policy((VerifierKey(LOG, KEY.public),)).encode())


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path / "player" / "memory.db")
    memory.begin(M, b"open", KEY, seed_of(1))
    return memory


def test_what_is_kept_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut takes back nothing that was signed: the log of what is written reaches the disk with each of it."""
    monkeypatch.undo()
    memory = Memory(tmp_path / "memory.db")
    told = [memory._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert told == ["wal", 2]
    memory.close()


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = tmp_path / "memory.db"
        memory = Memory(path)
        memory.begin(M, b"open", KEY, seed_of(1))
        for file in tmp_path.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        memory.close()
    finally:
        os.umask(before)


def test_an_open_file_is_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch(0o644)
    Memory(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_second_action_for_a_size(memory: Memory) -> None:
    memory.keep_action(M, 7, b"one")
    memory.keep_action(M, 7, b"one")
    with pytest.raises(AlreadySigned):
        memory.keep_action(M, 7, b"two")
    assert memory.action(M, 7) == b"one"


def test_no_second_table_root(memory: Memory) -> None:
    memory.keep_table_root(M, b"r" * 32)
    memory.keep_table_root(M, b"r" * 32)
    with pytest.raises(AlreadySigned):
        memory.keep_table_root(M, b"s" * 32)


def test_no_second_key_for_a_table(memory: Memory) -> None:
    again = memory.begin(M, b"other", SigningKey.from_seed(b"o" * 32), seed_of(2))
    assert (again.opened, again.key.public, again.seed) == (b"open", KEY.public, seed_of(1))


def test_nothing_after_a_stop(memory: Memory) -> None:
    memory.keep_action(M, 7, b"one")
    memory.stop(M, "fork")
    memory.stop(M, "root")
    assert memory.sitting(M).stopped == "fork"
    for size in (7, 8):
        with pytest.raises(AlreadySigned):
            memory.keep_action(M, size, b"one")


def test_what_was_kept_survives(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first = Memory(path)
    first.begin(M, b"open", KEY, seed_of(1))
    first.seated(M, 1, "f" * 32)
    first.keep_action(M, 7, b"one")
    first.keep_shown(M, 0, [b"a", b"b"], Shown(2, "note", b"{}", "00"))
    first.close()
    second = Memory(path)
    sitting = second.sitting(M)
    assert (sitting.seat, sitting.player, sitting.seed, sitting.key.seed) == (1, "f" * 32, seed_of(1), KEY.seed)
    assert second.action(M, 7) == b"one"
    assert second.events(M) == [b"a", b"b"]
    assert second.shown(M) == [Shown(2, "note", b"{}", "00")]


def test_two_programs_told_different_events(memory: Memory) -> None:
    memory.keep_shown(M, 0, [b"a", b"b"], Shown(2, "note", b"{}", "00"))
    with pytest.raises(Contradiction) as caught:
        memory.keep_shown(M, 1, [b"c"], Shown(2, "other", b"{}", "00"))
    assert (caught.value.finding, caught.value.place) == (Finding.FORK, 1)
    assert memory.events(M) == [b"a", b"b"]
    assert len(memory.shown(M)) == 1


def test_without_memory_nothing_is_signed(tmp_path: Path) -> None:
    empty = Memory(tmp_path / "empty.db")
    with pytest.raises(NotRemembered):
        MatchClient(empty, M, tmp_path, POLICY)
    with pytest.raises(NotRemembered):
        empty.keep_action(M, 1, b"join")


def test_without_a_seat_nothing_is_signed(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotRemembered):
        MatchClient(memory, M, tmp_path, POLICY)


def test_kept_before_it_is_returned(table: Table) -> None:
    client = table.seeded().on_turn
    body = client.act(Bid.PASS)
    with sqlite3.connect(table.folder / f"{client.seat}.db") as other:
        kept = other.execute("SELECT body FROM action WHERE size = ?", (client.size,)).fetchone()
    other.close()
    assert kept == (body,)


def test_two_programs_with_one_memory(table: Table) -> None:
    """The second one is refused, and the first one's action stands."""
    first = table.seeded().on_turn
    memory = Memory(table.folder / f"{first.seat}.db")
    second = MatchClient(memory, M, table.folder, table.server.policy)
    body = first.act(Bid.PASS)
    assert second.turn is not None
    with pytest.raises(AlreadySigned):
        second.act(Bid.TAKE)
    with pytest.raises(AlreadySigned):
        second.resign()
    assert second.kept_action() == body == second.act(Bid.PASS)
    memory.close()


def test_a_seed_is_given_once(table: Table) -> None:
    """The same table root again: the same bytes. Another: nothing."""
    client = table.joined().clients[0]
    body = client.seed()
    assert body == client.seed()
    table.memories[0]._db.execute("UPDATE sitting SET table_root = ?", (b"x" * 32,))
    with pytest.raises(AlreadySigned):
        client.seed()


def test_nothing_secret_shows(table: Table) -> None:
    play_on(table.seeded(), 3)
    secrets = [bytes([10]) * 32, seed_of(20).reveal()]
    for thing in (table.clients[0], table.memories[0], table.memories[0].sitting(M)):
        for secret in secrets:
            assert secret.hex() not in repr(thing)
            assert repr(secret)[2:-1] not in repr(thing)
