"""A service whose log of all matches lies under its own valid signatures, or is not there: nothing is signed on it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.client import (
    AlreadySigned,
    CheckpointMoved,
    Contradiction,
    EventsMissing,
    Finding,
    MatchClient,
    Memory,
    NotLogged,
    UnknownLogKey,
)
from fairdeal.errors import WrongPhase
from fairdeal.keys import SigningKey
from fairdeal.match import Cancel, Phase, lost_leaf, parse_leaf
from fairdeal.tlog import Note, NoteSigner, Policy, SignatureLine, VerifierKey, format_policy
from tests.client.server import LOG, LogBook, M, Server, Table, ask, seed_of
from tests.client.test_playing import play_on

OTHER_KEY = SigningKey.from_seed(b"o" * 32)


def signed(memory: Memory) -> int:
    count: int = memory._db.execute("SELECT count(*) FROM action").fetchone()[0]
    return count


def refused(table: Table, seat: int, log: LogBook, answer: dict[str, Any] | None = None) -> Contradiction:
    """The contradiction; after it nothing is signed any more, and the evidence has both sides and no secret."""
    client, memory = table.clients[seat], table.memories[seat]
    before, held, kept = signed(memory), memory.newest(LOG), memory.logged(M)
    told = log.answer(0 if client.newest is None else client.newest.size) if answer is None else answer
    with pytest.raises(Contradiction) as caught:
        ask(client, log, told)
    for again in (client, table.client(seat)):
        for attempt in (again.join, again.seed, again.resign, again.kept_action):
            try:
                attempt()
            except (AlreadySigned, NotLogged, WrongPhase):
                continue
        with pytest.raises(AlreadySigned, match=caught.value.finding.value):
            ask(again, table.server.log)
    assert signed(memory) == before
    assert (memory.newest(LOG), memory.logged(M)) == (held, kept)
    data = (table.folder / str(seat) / f"{M}.evidence").read_bytes()
    lines: list[Any] = [canonical.decode(line) for line in data.splitlines()]
    assert lines[0]["finding"] == caught.value.finding.value
    assert json.loads(lines[-1]["answer"]) == told
    assert [line["newest"] for line in lines if "newest" in line] == ([] if held is None else [held[0]])
    assert [line["checkpoint"] for line in lines if "checkpoint" in line] == [one.checkpoint for one in kept]
    for secret in (bytes([10 + seat]) * 32, seed_of(20 + seat).reveal()):
        shown = secret.hex().encode() if table.server.state.phase in (Phase.JOINING, Phase.SEEDS) else b"\0"
        assert shown not in data
        assert secret not in data
    return caught.value


def changed(server: Server, kind: str, **members: Any) -> LogBook:
    """The server's log with another leaf of this kind in the place of ours."""
    book = LogBook()
    book.entries = list(server.log.entries)
    place = next(n for n, entry in enumerate(book.entries) if is_ours(entry, kind))
    book.entries[place] = canonical.encode({**parse_leaf(book.entries[place]), **members})
    return book


def is_ours(entry: bytes, kind: str) -> bool:
    leaf = parse_leaf(entry)
    return (leaf["m"], leaf["type"]) == (M, kind)


@pytest.fixture
def unproven(tmp_path: Path) -> Any:
    """Everybody knows the events, nobody was shown the log."""
    table = Table(tmp_path, proving=False)
    yield table
    table.close()


# --- Nothing is signed without its proof


def test_no_join_without_a_proof_of_the_opening(unproven: Table) -> None:
    client = unproven.clients[0]
    with pytest.raises(NotLogged):
        client.join()
    assert unproven.memories[0].action(M, 1) is None
    unproven.prove(client)
    assert client.join() is not None


def test_no_seed_without_a_proof_of_the_full_table(table: Table) -> None:
    table.proving = False
    table.joined()
    client = table.clients[0]
    with pytest.raises(NotLogged):
        client.seed()
    root = table.memories[0]._db.execute("SELECT table_root FROM sitting").fetchone()
    assert (root, table.memories[0].action(M, 3)) == ((None,), None)
    table.prove(client)
    assert client.seed() is not None


def test_no_act_without_a_proof_of_the_start(table: Table) -> None:
    table.joined()
    table.proving = False
    for client in table.clients:
        table.take(client.seed())
    client = table.on_turn
    assert client.turn is not None
    with pytest.raises(NotLogged):
        client.act(client.turn.legal[0])
    with pytest.raises(NotLogged):
        client.resign()
    assert table.memories[client.seat].action(M, client.size) is None
    table.prove(client)
    assert client.act(client.turn.legal[0])


def test_no_bundle_without_a_proof_of_the_end(table: Table) -> None:
    table.seeded()
    table.proving = False
    with pytest.raises(WrongPhase):
        table.clients[0].bundle(table.server.log.tile)
    table.take(table.clients[0].resign())
    with pytest.raises(NotLogged):
        table.clients[0].bundle(table.server.log.tile)
    table.prove(table.clients[0])
    assert table.clients[0].bundle(table.server.log.tile) is not None


@pytest.mark.parametrize("shown", [0, 1])
def test_a_log_that_is_behind_contradicts_nothing(table: Table, shown: int) -> None:
    """The leaf that is waited for is not in the answer yet: it is waited for on."""
    log = table.server.log.answer()
    client = table.clients[0]
    table.proving = False
    table.joined()
    held = client.newest
    client.receive_log(
        {**log, "consistency": [], "leaves": log["leaves"][: shown or None]}, held, table.server.log.tile
    )
    assert client.awaited == "full"
    assert len(table.memories[0].logged(M)) == 1


# --- Proofs that are none


def test_a_leaf_of_another_match(unproven: Table) -> None:
    log = unproven.server.log
    log.append(canonical.encode({**parse_leaf(log.entries[-2]), "m": "f" * 32}))
    error = refused(unproven, 0, log, log.answer(0, "f" * 32))
    assert error.finding is Finding.LEAF


def test_a_loss_of_another_match(table: Table) -> None:
    log = lost(table.seeded(), m="f" * 32)
    client = table.clients[0]
    assert client.newest is not None
    answer = log.answer(client.newest.size)
    answer["leaves"].append(log.proven(len(log.entries) - 2))
    assert refused(table, 0, log, answer).finding is Finding.LEAF


def test_a_proof_of_another_leaf(unproven: Table) -> None:
    log = unproven.server.log
    answer = log.answer()
    answer["leaves"][0]["proof"] = log.proven(7)["proof"]
    assert refused(unproven, 0, log, answer).finding is Finding.INCLUSION


def test_a_leaf_that_is_not_in_the_log(unproven: Table) -> None:
    server = unproven.server
    answer = server.log.answer()
    answer["leaves"][0]["leaf"]["root"] = "ab" * 32
    assert refused(unproven, 0, server.log, answer).finding is Finding.INCLUSION


@pytest.mark.parametrize("kind", ["another signature", "another log's name", "no base64", "two lines"])
def test_a_checkpoint_that_the_policy_does_not_believe(unproven: Table, kind: str) -> None:
    server, log = unproven.server, unproven.server.log
    note, key = log.checkpoint(), log.signer.verifier_key
    text = Note.parse(note).text
    false = SignatureLine(key.name, key.key_id, OTHER_KEY.sign(text.encode()))
    notes = {
        "another signature": lambda: Note(text, (false,)).format(),
        "another log's name": lambda: log.checkpoint(origin=f"{LOG}/receipts", signer=server.signer),
        "no base64": lambda: note[: note.rindex(" ") + 1] + note[note.rindex(" ") + 1 :].swapcase(),
        "two lines": lambda: note + note[note.index("—") :],
    }
    assert refused(unproven, 0, log, log.answer() | {"checkpoint": notes[kind]()}).finding is Finding.CHECKPOINT


@pytest.mark.parametrize("kind", ["another key", "the receipts key"])
def test_a_key_that_the_policy_does_not_list_contradicts_nothing(unproven: Table, kind: str) -> None:
    """Nothing is signed on it, and with a policy that lists the old key and the new one the match goes on."""
    server, log = unproven.server, unproven.server.log
    client, memory = unproven.clients[0], unproven.memories[0]
    other = NoteSigner(LOG, OTHER_KEY) if kind == "another key" else server.signer
    with pytest.raises(UnknownLogKey, match="old key and the new one"):
        ask(client, log, log.answer() | {"checkpoint": log.checkpoint(other)})
    with pytest.raises(NotLogged):
        client.join()
    assert (memory.sitting(M).stopped, memory.newest(LOG), memory.logged(M)) == (None, None, [])
    assert not list(unproven.folder.glob("**/*.evidence"))
    both = policy_of(log.signer.verifier_key, VerifierKey(LOG, OTHER_KEY.public))
    log.signer = NoteSigner(LOG, OTHER_KEY)
    again = MatchClient(memory, M, unproven.folder, both)
    again.receive(server.answer(0, 0))
    ask(again, log)
    assert again.join() is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"checkpoint": None},
        {"checkpoint": "\ud800"},
        {"checkpoint": "x" * 20_000},
        {"consistency": None},
        {"consistency": ["AB" * 32]},
        {"consistency": ["ab" * 32] * 64},
        {"leaves": None},
        {"leaves": [{}]},
        {"leaves": [{"index": 1, "leaf": {"m": M, "root": "ab" * 32, "type": "full"}, "proof": []}]},
    ],
)
def test_an_answer_of_another_form(unproven: Table, wrong: dict[str, Any]) -> None:
    log = unproven.server.log
    assert refused(unproven, 0, log, {**log.answer(), **wrong}).finding is Finding.ANSWER


def test_leaves_in_another_order(unproven: Table) -> None:
    log = LogBook()
    full = canonical.encode({"m": M, "root": "ab" * 32, "type": "full"})
    log.append(full, *(entry for entry in unproven.server.log.entries if is_ours(entry, "open")))
    answer = log.answer()
    answer["leaves"] = answer["leaves"][::-1]
    assert refused(unproven, 0, log, answer).finding is Finding.LOG_ORDER


# --- Another log than the one held


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


# --- Leaves that say something else than the events


@pytest.mark.parametrize("member", ["root", "commitment"])
def test_another_opening(unproven: Table, member: str) -> None:
    error = refused(unproven, 0, changed(unproven.server, "open", **{member: "ab" * 32}))
    assert (error.finding, error.place) == (Finding.LEAF, 0)


def test_a_full_table_of_another_root(unproven: Table) -> None:
    for client in unproven.clients:
        ask(client, unproven.server.log)
    unproven.joined()
    error = refused(unproven, 0, changed(unproven.server, "full", root="ab" * 32))
    assert (error.finding, error.place) == (Finding.LEAF, 2)


@pytest.mark.parametrize("other", [{"root": "ab" * 32}, {"size": 7}, {"size": 5}])
def test_another_start(table: Table, other: dict[str, Any]) -> None:
    table.joined()
    table.proving = False
    for client in table.clients:
        table.take(client.seed())
    error = refused(table, 0, changed(table.server, "start", **other))
    assert error.finding is Finding.LEAF


@pytest.mark.parametrize(
    "other",
    [
        {"outcome": "played"},
        {"outcome": "void", "cause": "operator"},
        {"outcome": "void", "cause": "lost"},
        {"root": "ab" * 32},
        {"size": 400},
        {"server_seed": "ab" * 32},
    ],
)
def test_another_end(table: Table, other: dict[str, Any]) -> None:
    table.seeded()
    table.proving = False
    table.take(table.clients[0].resign())
    error = refused(table, 0, changed(table.server, "close", **other))
    assert error.finding is Finding.LEAF


def test_a_start_of_a_match_that_never_began(table: Table) -> None:
    """The table was closed before it was full; the log has a deal of more events than there ever were."""
    server = table.server
    start = {"m": M, "root": "ab" * 32, "size": 400, "type": "start"}
    server.log.append(canonical.encode(start))
    table.proving = False
    server.step(Cancel())
    table.tell()
    assert table.clients[0].over
    assert refused(table, 0, server.log).finding is Finding.LEAF


def test_an_end_of_a_match_that_goes_on(table: Table) -> None:
    table.seeded()
    server = table.server
    leaf = {**parse_leaf(lost_leaf(server.state, server.server_seed)), "outcome": "cancelled"}
    del leaf["cause"]
    server.log.append(canonical.encode(leaf))
    assert refused(table, 0, server.log).finding is Finding.LEAF


def test_a_leaf_ahead_of_the_events_is_compared_when_they_come(table: Table) -> None:
    """The log is asked in the middle of the match, and has an end of a size that the match has not reached."""
    table.seeded()
    server = table.server
    other = {
        **parse_leaf(lost_leaf(server.state, server.server_seed)),
        "outcome": "played",
        "size": server.state.size + 1,
    }
    del other["cause"]
    server.log.append(canonical.encode(other))
    client, memory = table.on_turn, table.memories[table.on_turn.seat]
    ask(client, server.log)
    assert client.turn is not None
    server.take(client.act(client.turn.legal[0]))
    with pytest.raises(Contradiction) as caught:
        client.receive(server.answer(client.seat, client.size))
    assert caught.value.finding is Finding.LEAF
    assert memory.sitting(M).stopped == "leaf"


def test_the_full_table_waits_for_the_joins(table: Table) -> None:
    """What the other seats have seen of the log stands in their joins: before these are known it cannot be checked."""
    ours, theirs = table.clients
    table.server.take(ours.join() or b"")
    table.server.take(theirs.join() or b"")
    with pytest.raises(EventsMissing):
        ask(ours, table.server.log)
    assert ours.awaited is None
    table.tell()
    assert ours.seed() is not None


# --- A match that a restored store has lost


def lost(table: Table, at: int | None = None, **members: Any) -> LogBook:
    """The log in which the match was given up, with so many events left."""
    server, log = table.server, LogBook()
    log.entries = list(server.log.entries)
    leaf = parse_leaf(lost_leaf(server.state, server.server_seed))
    size = server.state.size if at is None else at
    root = table.clients[0]._roots[size].hex()
    log.append(canonical.encode({**leaf, "size": size, "root": root, **members}))
    return log


@pytest.mark.parametrize("back", [0, 1])
def test_a_lost_match_is_over(table: Table, back: int) -> None:
    play_on(table.seeded(), 5)
    client, memory = table.on_turn, table.memories[table.on_turn.seat]
    turn = client.turn
    assert turn is not None
    before = signed(memory)
    log = lost(table, client.size - back)
    ask(client, log)
    for one in (client, table.client(client.seat)):
        assert one.over
        assert one.lost == client.size - back
        with pytest.raises(WrongPhase):
            one.act(turn.legal[0])
    assert signed(memory) == before
    assert memory.sitting(M).stopped is None


@pytest.mark.parametrize("back", range(1, 7))
def test_an_end_that_was_told_may_be_lost_too(table: Table, back: int) -> None:
    """But not by a store that has it: `end`, `reveal` and `settle` are the last three events."""
    play_on(table.seeded(), 5)
    table.proving = False
    table.take(table.clients[0].resign())
    client, memory = table.clients[0], table.memories[0]
    log = lost(table, client.size - back)
    del log.entries[next(n for n, entry in enumerate(log.entries) if is_ours(entry, "close"))]
    if back < 3:
        assert refused(table, 0, log).finding is Finding.LEAF
        return
    ask(client, log)
    for one in (client, table.client(0)):
        assert one.over
        assert one.lost == client.size - back
        assert one.awaited is None
    assert memory.sitting(M).stopped is None


@pytest.mark.parametrize("wrong", [{"root": "ab" * 32}, {"server_seed": "ab" * 32}])
def test_a_loss_that_says_something_else(table: Table, wrong: dict[str, Any]) -> None:
    play_on(table.seeded(), 5)
    assert refused(table, 0, lost(table, **wrong)).finding is Finding.LEAF


# --- What the memory holds


def test_what_was_seen_stands_in_the_join(table: Table) -> None:
    client, memory = table.clients[0], table.memories[0]
    held = client.newest
    assert held is not None
    body = client.join()
    value: Any = canonical.decode(body or b"")
    assert value["do"]["join"]["seen"] == {"root": held.root.hex(), "size": held.size}
    # Another match of this player moves the newest checkpoint on: the join stays the one that was signed.
    table.server.log.append(LogBook().entries[0])
    memory.keep_logged("e" * 32, held, table.server.log.checkpoint(), None)
    assert client.newest != held
    assert client.join() == body == table.client(0).join()


def test_a_program_that_starts_again_has_its_proofs(table: Table) -> None:
    play_on(table.seeded(), 3)
    seat = table.on_turn.seat
    again = table.client(seat)
    assert again.awaited is None
    assert again.newest == table.clients[seat].newest
    assert again.held() == table.clients[seat].held()
    assert again.turn is not None
    assert again.act(again.turn.legal[0])


def test_the_newest_checkpoint_moves_forward_alone(table: Table) -> None:
    """Two programs with one memory ask at once: the slower one is refused, and asks again from the newer one on."""
    client, memory, log = table.clients[0], table.memories[0], table.server.log
    held = client.newest
    assert held is not None
    slow = log.answer(held.size)
    log.append(LogBook().entries[0])
    ask(client, log)
    newest = client.newest
    with pytest.raises(CheckpointMoved):
        client.receive_log(slow, held, log.tile)
    assert client.newest == newest != held
    assert memory.sitting(M).stopped is None


def test_asking_again_and_again_does_not_grow_the_held_file(table: Table) -> None:
    for _ in range(5):
        table.server.log.append(LogBook().entries[0])
        ask(table.clients[0], table.server.log)
    assert len(table.memories[0].logged(M)) == 1


# --- A policy without the log


def policy_of(*keys: VerifierKey) -> Policy:
    return Policy.parse(format_policy(keys).encode())


def test_without_a_log_in_the_policy_none_is_asked(unproven: Table) -> None:
    server = unproven.server
    client = MatchClient(unproven.memories[0], M, unproven.folder, policy_of(server.signer.verifier_key))
    assert (client.logged, client.awaited, client.newest) == (False, None, None)
    value: Any = canonical.decode(client.join() or b"")
    assert value["do"]["join"]["seen"]["size"] == 0


@pytest.mark.parametrize("listed", [(), ("log",), ("receipts",)])
def test_a_policy_of_another_service(unproven: Table, listed: tuple[str, ...]) -> None:
    """Neither its log nor its receipts: also when the key is listed under another name."""
    key = unproven.server.key.public
    names: dict[str, Callable[[], VerifierKey]] = {
        "log": lambda: VerifierKey("other.test/log", unproven.server.log.signer.verifier_key.public),
        "receipts": lambda: VerifierKey("other.test/log/receipts", key),
    }
    keys = [names[name]() for name in listed] or [VerifierKey("other.test/log", OTHER_KEY.public)]
    with pytest.raises(Contradiction) as caught:
        MatchClient(unproven.memories[0], M, unproven.folder, policy_of(*keys))
    assert caught.value.finding is Finding.TERMS
