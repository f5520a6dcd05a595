"""A database that was put back does not run until it has been said what to do, and then makes no second history."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairdeal.errors import Broken, LogBehind, StoreFailed
from fairdeal.match.files import parse_bundle
from fairdeal.match.leaves import parse_leaf
from fairdeal.store import LogCopy, SqlStore
from fairdeal.tlog import leaf_hash, root
from tests.api.backup import put_back, restored, set_aside
from tests.api.log import check_one_history, log_of, opened, stored
from tests.api.table import Player, Service, bearer, first_legal, join_two, ok, on_turn, sit_two, start_two


def of_type(service: Service, kind: str) -> list[dict[str, Any]]:
    return [leaf for leaf in map(parse_leaf, stored(service)) if leaf["type"] == kind]


def a_move(players: tuple[Player, ...]) -> None:
    player = on_turn(players)
    player.take(ok(player.send(player.sign(first_legal(player)))))


# The copy


def test_the_copy_has_what_is_published(service: Service) -> None:
    m = start_two(service)[0].m
    note = log_of(service, m, leaf="start")["checkpoint"]
    copy = LogCopy(service.folder / "log")
    assert copy.checkpoint() == note
    assert list(copy.leaves(0, 100)) == stored(service)
    assert copy.last_beat() <= (service.store.last_beat() or 0)


def test_nothing_is_published_that_the_copy_has_not(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    m = sit_two(service)[0].m
    before = log_of(service, m)["checkpoint"]
    copy = service.app.state.sequencer._copy
    for write in ("append", "keep"):
        with monkeypatch.context() as patched:

            def full_disk(*_: Any) -> None:
                raise StoreFailed("the disk is full")

            patched.setattr(copy, write, full_disk)
            assert service.http.get(f"/v1/matches/{m}/log?leaf=open").json()["code"] == "store_failed"
        assert service.http.get("/log/checkpoint").text == before
        kept = service.store.checkpoint()
        assert kept is not None
        assert kept.note == before, "a witness is shown what the store has"
    log_of(service, m, leaf="open")
    check_one_history(service)


def test_a_process_that_stands_still_with_the_copys_lock_is_noticed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its machine from publishing, and nothing is held against anybody, until it goes on or is killed."""
    monkeypatch.setattr("fairdeal.store.log_copy._LOCK_SECONDS", 0.05)
    m = sit_two(service)[0].m
    log_of(service, m)
    before = service.http.get("/log/checkpoint").text
    with (service.folder / "log" / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        service.person("carol").post("/v1/tables", {"game": "duel", "stake": 0})
        with pytest.raises(StoreFailed):
            service.app.state.sequencer.look()
        refused = service.http.get("/readyz")
        assert (refused.status_code, refused.json()["code"]) == (503, "store_failed")
        assert service.http.get("/log/checkpoint").text == before
    assert service.http.get("/readyz").status_code == 200
    assert service.http.get("/log/checkpoint").text != before


@pytest.mark.parametrize("damage", ["missing", "short", "cut off", "no checkpoint"])
def test_a_copy_that_is_short_is_completed(service: Service, damage: str) -> None:
    m = start_two(service)[0].m
    log_of(service, m, leaf="start")
    leaves = service.folder / "log" / "leaves.jsonl"
    whole = leaves.read_bytes()
    if damage == "missing":
        shutil.rmtree(service.folder / "log")
    elif damage == "no checkpoint":
        (service.folder / "log" / "checkpoint").unlink()
    else:
        leaves.write_bytes(whole[: whole.index(b"\n") + (1 if damage == "short" else 9)])
    service.restart(0)
    assert leaves.read_bytes() == whole
    assert LogCopy(service.folder / "log").checkpoint() == service.http.get("/log/checkpoint").text


@pytest.mark.parametrize("damage", [(b"\n", b" "), (b'"root":"', b'"root":"0'), (b'"type":"start"', b'"type":"strat"')])
def test_a_copy_that_was_damaged_is_mended_while_the_database_is_there(
    service: Service, damage: tuple[bytes, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    log_of(service, start_two(service)[0].m, leaf="start")
    service.stop()
    leaves = service.folder / "log" / "leaves.jsonl"
    whole = leaves.read_bytes()
    leaves.write_bytes(whole.replace(*damage, 1))
    service.start()
    assert leaves.read_bytes() == whole
    assert "the log's copy was damaged" in caplog.text


def test_a_line_that_failed_halfway_is_written_again(tmp_path: Path) -> None:
    copy = LogCopy(tmp_path)
    copy.append([b"one"])
    with (tmp_path / "leaves.jsonl").open("ab") as file:
        file.write(b"tw")
    copy.append([b"two", b"three"])
    assert list(LogCopy(tmp_path).leaves(0, 9)) == [b"one", b"two", b"three"]
    copy.cut(2)
    assert (list(copy.leaves(0, 9)), copy.size) == ([b"one", b"two"], 2)


def test_leaves_of_the_copy_that_were_never_published_are_dropped(service: Service) -> None:
    log_of(service, sit_two(service)[0].m, leaf="open")
    size = len(stored(service))
    with (service.folder / "log" / "leaves.jsonl").open("ab") as file:
        file.write(b'{"from":1,"to":2,"type":"outage"}\n')
    service.restart(0)
    assert LogCopy(service.folder / "log").size == size


def test_of_two_services_with_one_copy_one_alone_publishes(service: Service, tmp_path: Path) -> None:
    """The database was copied to another machine, say, where a service was started before this one was stopped."""
    log_of(service, sit_two(service)[0].m, leaf="open")
    service.stop()
    shutil.copytree(service.folder, tmp_path / "other")
    service.start()
    copy = service.folder / "log"
    other = Service(tmp_path / "other", {"log_copy": copy}, label="other")
    tables = [
        ok(one.person(name, 0).post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
        for one, name in ((service, "carol"), (other, "dave"))
    ]
    note = log_of(service, tables[0], leaf="open")["checkpoint"]
    assert other.http.get(f"/v1/matches/{tables[1]}/log?leaf=open").json()["code"] == "store_failed"
    assert opened(service, other.http.get("/log/checkpoint").text).size < opened(service, note).size
    assert (LogCopy(copy).checkpoint(), list(LogCopy(copy).leaves(0, 9))) == (note, stored(service))
    assert other.http.get("/readyz").status_code == 503
    other.stop()


def test_a_checkpoint_of_somebody_else_in_the_copy_is_refused(service: Service) -> None:
    log_of(service, sit_two(service)[0].m, leaf="open")
    path = service.folder / "log" / "checkpoint"
    path.write_text(path.read_text().replace("localhost/fairdeal", "elsewhere/fairdeal"))
    service.stop()
    with pytest.raises(Broken, match="not this log's") as refused:
        service.start()
    assert f"in {path.parent} " in refused.value.message
    assert "FAIRDEAL_LOG_COPY" in refused.value.message
    path.unlink()
    service.start()


def test_a_database_of_another_log_is_refused(service: Service, tmp_path: Path) -> None:
    log_of(service, sit_two(service)[0].m, leaf="open")
    other = Service(tmp_path / "other", {"keys": service.folder / "keys"}, label="other")
    log_of(other, sit_two(other)[0].m, leaf="open")
    other.stop()
    service.stop()
    shutil.copy(other.folder / "fairdeal.db", service.folder / "fairdeal.db")
    with pytest.raises(LogBehind, match="different leaves"):
        service.start()


# A database that was put back


@pytest.mark.parametrize("forgotten", ["a leaf", "a move"])
def test_a_database_that_was_put_back_does_not_run(service: Service, forgotten: str) -> None:
    players = start_two(service) if forgotten == "a move" else join_two(service)
    log_of(service, players[0].m, leaf="full")
    service.tick(1_000)
    set_aside(service)
    if forgotten == "a move":
        service.tick(2_000)
        a_move(players)
    else:
        for player in players:
            player.send_seed()
        log_of(service, players[0].m, leaf="start")
    put_back(service)
    with pytest.raises(LogBehind, match="fairdeal restore"):
        service.start()


def test_a_restored_match_ends_lost_with_its_stakes_back(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    players = start_two(service)
    m = players[0].m
    carol = service.person("carol", 100)
    waiting = ok(carol.post("/v1/tables", {"game": "duel", "stake": 100}))["m"]
    Player(carol, waiting)
    log_of(service, m, leaf="start")
    service.tick(1_000)
    set_aside(service)
    size = service.store.table(m).size  # type: ignore[union-attr]
    service.tick(2_000)
    a_move(players)
    later = ok(carol.post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
    held = opened(service, log_of(service, later, leaf="open")["checkpoint"])
    put_back(service)
    done = restored(service, monkeypatch)
    assert (done.leaves, sorted(done.lost), done.closed_before) == (1, sorted([m, waiting]), ())
    service.start()
    service.tick()
    part = log_of(service, m, leaf="close", since=held.size)
    close = part["leaves"][-1]["leaf"]
    assert (close["outcome"], close["cause"], close["size"]) == ("void", "lost", size)
    assert opened(service, part["checkpoint"]).size > held.size
    assert root(map(leaf_hash, stored(service)[: held.size])) == held.root
    assert [leaf["m"] for leaf in of_type(service, "open")] == [m, waiting, later]
    assert [player.person.wallet for player in players] == [(1_000, 0)] * 2
    assert carol.wallet == (100, 0)
    service.check_money()
    check_one_history(service)
    # Nothing more is signed, and everybody can have what is left.
    player = players[0]
    assert player.send(player.sign({"resign": True}, size=size)).json()["code"] == "wrong_phase"
    void = service.http.post(f"/v1/matches/{m}/void", headers=bearer("operator-token-of-the-tests"))
    assert void.json()["code"] == "wrong_phase"
    service.tick(120_000)
    bundle = parse_bundle(service.http.get(f"/v1/matches/{m}/bundle").content)
    assert len(bundle.events) == size
    assert bundle.log is not None
    assert bundle.log.leaves[-1].leaf["cause"] == "lost"
    answer = ok(player.person.get(f"/v1/matches/{m}"))
    assert (len(answer["events"]), answer["deadline"]) == (size, None)
    assert service.http.get(f"/v1/matches/{m}/transcript").status_code == 200


def test_a_match_that_the_log_had_closed_is_left_to_the_operator(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = start_two(service)
    m = players[0].m
    log_of(service, m, leaf="start")
    set_aside(service)
    players[0].do({"resign": True})
    closed = log_of(service, m, leaf="close")["leaves"][-1]["leaf"]
    put_back(service)
    done = restored(service, monkeypatch)
    assert (done.lost, done.closed_before) == ((), (closed,))
    service.start()
    assert of_type(service, "close") == [closed]
    assert [player.person.wallet for player in players] == [(1_000, 0)] * 2
    assert service.http.get(f"/v1/matches/{m}/bundle").json()["code"] == "wrong_phase"
    service.check_money()


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("write", ["replace_queue", "commit", "append_leaves", "keep_checkpoint", "beat"])
def test_a_restore_that_breaks_is_begun_again(
    service: Service, monkeypatch: pytest.MonkeyPatch, write: str, kept: bool
) -> None:
    players = join_two(service)
    m = players[0].m
    log_of(service, m, leaf="full")
    set_aside(service)
    for player in players:
        player.send_seed()
    log_of(service, m, leaf="start")
    put_back(service)
    real = getattr(SqlStore, write)

    def breaks(*given: Any, **named: Any) -> None:
        if kept:
            real(*given, **named)
        raise StoreFailed("broken")

    with monkeypatch.context() as patched:
        patched.setattr(SqlStore, write, breaks)
        with pytest.raises(StoreFailed):
            restored(service, patched)
    restored(service, monkeypatch)
    service.start()
    service.tick()
    assert [leaf["type"] for leaf in map(parse_leaf, stored(service)) if leaf.get("m") == m] == [
        "open",
        "full",
        "start",
        "close",
    ]
    assert [player.person.wallet for player in players] == [(1_000, 0)] * 2
    service.check_money()
    check_one_history(service)


def test_leaves_that_do_not_continue_the_database_are_not_taken(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = join_two(service)
    log_of(service, players[0].m, leaf="full")
    set_aside(service)
    for player in players:
        player.send_seed()
    log_of(service, players[0].m, leaf="start")
    put_back(service)
    path = service.folder / "log" / "leaves.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"type":"start"', b'"type":"strat"'))
    with pytest.raises(LogBehind, match="do not continue"):
        restored(service, monkeypatch)
    path.write_bytes(path.read_bytes().replace(b'"type":"strat"', b'"type":"start"'))
    restored(service, monkeypatch)
    service.start()


@pytest.mark.parametrize("more", [1, 3])
def test_an_older_database_that_went_on_by_itself_is_not_restored(
    service: Service, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    """Tried out elsewhere, say, with the keys and without the copy: it has as many leaves as the copy, or more."""
    players = join_two(service)
    log_of(service, players[0].m, leaf="full")
    set_aside(service)
    for player in players:
        player.send_seed()
    note = log_of(service, players[0].m, leaf="start")["checkpoint"]
    put_back(service)
    copy, kept = service.folder / "log", service.folder / "log.kept"
    copy.rename(kept)
    service.start()
    for number in range(more):
        person = service.person(f"carol{number}", 0)
        log_of(service, ok(person.post("/v1/tables", {"game": "duel", "stake": 0}))["m"], leaf="open")
    service.stop()
    shutil.rmtree(copy)
    kept.rename(copy)
    with pytest.raises(LogBehind, match="different leaves"):
        service.start()
    with pytest.raises(LogBehind, match="different leaves"):
        restored(service, monkeypatch)
    assert LogCopy(copy).checkpoint() == note
    put_back(service)
    restored(service, monkeypatch)
    service.start()
    check_one_history(service)


def test_a_restored_log_and_its_copy_have_the_same_leaves(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the crash left a leaf in the copy that was never published."""
    players = start_two(service)
    log_of(service, players[0].m, leaf="start")
    service.tick(1_000)
    set_aside(service)
    service.tick(2_000)
    a_move(players)
    put_back(service)
    with (service.folder / "log" / "leaves.jsonl").open("ab") as file:
        file.write(b'{"from":1,"to":2,"type":"outage"}\n')
    restored(service, monkeypatch)
    copied = list(LogCopy(service.folder / "log").leaves(0, 100))
    service.start()
    assert stored(service) == copied


def test_the_command_says_what_it_did(service: Service) -> None:
    players = start_two(service)
    log_of(service, players[0].m, leaf="start")
    set_aside(service)
    players[0].do({"resign": True})
    log_of(service, players[0].m, leaf="close")
    put_back(service)
    files = {"DATABASE": service.folder / "fairdeal.db", "KEYS": service.folder / "keys"}
    environment = {**os.environ, **{f"FAIRDEAL_{name}": str(path) for name, path in files.items()}}
    command = [sys.executable, "-m", "fairdeal", "restore"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        ["leaves that came back into the log: 1; matches that ended as lost, stakes back: 0"],
    )
    assert f"{players[0].m}: the log closed it before (forfeit)" in done.stderr
