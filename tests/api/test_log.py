"""The log of all matches over HTTP: proofs for players, tiles for everybody, and one history whatever breaks."""

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore
from types import SimpleNamespace
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.app.log_ports import LogAppend
from fairdeal.app.sequencer import Sequencer
from fairdeal.errors import Broken, StoreFailed
from fairdeal.match.files import LogPart, parse_bundle, proven_leaves
from fairdeal.match.leaves import parse_leaf
from fairdeal.tlog import (
    EMPTY_ROOT,
    check_consistency,
    check_inclusion,
    entry_bundles,
    leaf_hash,
    parse_entries,
    root,
)
from tests.api.log import check_one_history, log_of, opened, stored
from tests.api.table import Service, first_legal, ok, on_turn, play_out, sit_two, start_two
from tests.durability.process import until


def check_leaves(service: Service, part: dict[str, Any]) -> list[str]:
    """Every leaf is proven in the checkpoint beside it; their types."""
    checkpoint = opened(service, part["checkpoint"])
    for one in part["leaves"]:
        proof = [bytes.fromhex(text) for text in one["proof"]]
        leaf = leaf_hash(canonical.encode(one["leaf"]))
        check_inclusion(leaf, one["index"], checkpoint.size, checkpoint.root, proof)
    return [one["leaf"]["type"] for one in part["leaves"]]


def test_each_leaf_is_proven_when_it_is_asked_for(service: Service) -> None:
    players = sit_two(service)
    m = players[0].m
    assert check_leaves(service, log_of(service, m, leaf="open")) == ["open"]
    for player in players:
        player.join()
    assert check_leaves(service, log_of(service, m, leaf="full")) == ["open", "full"]
    for player in players:
        player.send_seed()
    started = log_of(service, m, leaf="start")
    assert check_leaves(service, started) == ["open", "full", "start"]
    players[0].look()
    state = players[0].state
    assert state is not None
    assert started["leaves"][2]["leaf"] == {"m": m, "root": state.root.hex(), "size": state.size, "type": "start"}
    play_out(players)
    closed = log_of(service, m, leaf="close")
    assert check_leaves(service, closed) == ["open", "full", "start", "close"]
    assert closed["leaves"] == [one.to_json() for one in proven_leaves(closed["leaves"])]


def test_a_leaf_that_is_not_due_is_not_waited_for(service: Service) -> None:
    m = sit_two(service)[0].m
    answer = service.http.get(f"/v1/matches/{m}/log", params={"leaf": "full"})
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "not_logged_yet", "1")
    assert check_leaves(service, log_of(service, m)) == ["open"]


MISSING = [
    (f"/v1/matches/{'0' * 32}/log", "unknown_match"),
    (f"/v1/matches/{'0' * 32}/log?leaf=open", "unknown_match"),
    ("/v1/matches/{m}/log?leaf=ledger", "invalid_request"),
    ("/v1/matches/{m}/log?since=-1", "invalid_request"),
    ("/v1/matches/{m}/log?since=9007199254740992", "invalid_request"),
    ("/log/checkpoints/77", "not_found"),
    ("/log/checkpoints/01", "invalid_request"),
    ("/log/tile/0/001", "not_found"),
    ("/log/tile/0/000.p/255", "not_found"),
    ("/log/tile/entries/000", "not_found"),
    ("/log/tile/1/000", "not_found"),
    ("/log/tile/0/0", "bad_request"),
    ("/log/tile/00/000.p/1", "bad_request"),
    ("/log/tile/0/x000/000.p/1", "bad_request"),
    ("/log/tile/0/000.p/01", "bad_request"),
    ("/log/tile/0/000.p/256", "bad_request"),
    ("/log/tile/0/%30%30%30.p/1", "bad_request"),
    ("/log/tile/64/000.p/1", "bad_request"),
    ("/log/tile/", "bad_request"),
]


def test_what_is_not_there_is_a_problem(service: Service) -> None:
    m = start_two(service)[0].m
    log_of(service, m, leaf="start")
    answers = [(path, service.http.get(path.format(m=m)).json()["code"]) for path, _ in MISSING]
    assert answers == MISSING


def test_a_client_that_holds_a_checkpoint_gets_what_leads_from_it(service: Service) -> None:
    players = sit_two(service)
    m = players[0].m
    held = opened(service, log_of(service, m, leaf="open")["checkpoint"])
    for player in players:
        player.join()
    part = log_of(service, m, since=held.size, leaf="full")
    newer = opened(service, part["checkpoint"])
    assert newer.size > held.size
    proof = [bytes.fromhex(one) for one in part["consistency"]]
    check_consistency(held.size, held.root, newer.size, newer.root, proof)
    assert log_of(service, m, since=0)["consistency"] == []
    assert log_of(service, m, since=newer.size)["consistency"] == []


def test_a_size_beyond_the_log_is_refused_and_said_once_a_minute(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    m = sit_two(service)[0].m
    size = opened(service, log_of(service, m, leaf="open")["checkpoint"]).size
    caplog.clear()
    with caplog.at_level(logging.WARNING, "fairdeal.log"):
        for _ in range(2):
            answer = service.http.get(f"/v1/matches/{m}/log", params={"since": size + 1})
            assert (answer.status_code, answer.json()["code"], answer.json()["size"]) == (409, "ahead_of_log", size)
    assert [record.message for record in caplog.records if record.name == "fairdeal.log"] == [
        "somebody asks from beyond the log"
    ]


def test_a_join_that_has_seen_another_log_is_refused(service: Service) -> None:
    players = sit_two(service)
    newest = opened(service, log_of(service, players[0].m, leaf="open")["checkpoint"])
    before = service.snapshot(players[0].m)
    others = ((newest.size, EMPTY_ROOT), (newest.size + 1, newest.root), (0, newest.root))
    for size, seen_root in others:
        players[0].look()
        seen = {"root": seen_root.hex(), "size": size}
        answer = players[0].send(players[0].sign({"join": players[0].promise(seen=seen)}))
        refused = answer.json()
        assert (answer.status_code, refused["code"]) in ((422, "illegal_action"), (422, "malformed"))
        assert refused.get("reason", "seen") == "seen"
    assert service.snapshot(players[0].m) == before
    players[0].join(seen={"root": newest.root.hex(), "size": newest.size})


def test_a_bundle_has_the_proofs_of_its_leaves_and_of_what_was_seen(service: Service) -> None:
    players = sit_two(service)
    m = players[0].m
    seen = opened(service, log_of(service, m, leaf="open")["checkpoint"])
    players[0].join(seen={"root": seen.root.hex(), "size": seen.size})
    players[1].join()
    for player in players:
        player.send_seed()
    play_out(players)
    bundle = parse_bundle(service.http.get(f"/v1/matches/{m}/bundle").content)
    assert isinstance(bundle.log, LogPart)
    checkpoint = opened(service, bundle.log.checkpoint)
    part = {"checkpoint": bundle.log.checkpoint, "leaves": [one.to_json() for one in bundle.log.leaves]}
    assert check_leaves(service, part) == ["open", "full", "start", "close"]
    assert [one.size for one in bundle.log.consistency] == [seen.size]
    proof = [bytes.fromhex(text) for text in bundle.log.consistency[0].proof]
    check_consistency(seen.size, seen.root, checkpoint.size, checkpoint.root, proof)


def test_the_bundle_of_a_match_that_nobody_joined_has_its_close(service: Service) -> None:
    players = sit_two(service)
    service.tick(60_000)
    bundle = parse_bundle(service.http.get(f"/v1/matches/{players[0].m}/bundle").content)
    assert bundle.log is not None
    assert [one.leaf["type"] for one in bundle.log.leaves] == ["open", "close"]
    assert bundle.log.leaves[1].leaf["outcome"] == "cancelled"


def test_tiles_and_bundles_of_entries_are_kept_when_they_are_full(service: Service) -> None:
    for number in range(300):
        service.store.queue_leaf(b'{"root":"%064d","size":%d,"type":"ledger"}' % (number, number))
    service.app.state.sequencer.sequence()
    leaves = stored(service)
    assert len(leaves) >= 300
    for path, kept in (("tile/0/000", True), (f"tile/0/001.p/{len(leaves) - 256}", False), ("tile/0/000.p/7", False)):
        answer = service.http.get(f"/log/{path}")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert ("immutable" in answer.headers["cache-control"]) == kept
    served = [
        entry
        for bundle in entry_bundles(len(leaves))
        for entry in parse_entries(service.http.get(f"/log/{bundle.path}").content, bundle.width)
    ]
    assert served == leaves
    assert service.http.get("/log/checkpoint").headers["cache-control"] == "no-cache"
    check_one_history(service)


def test_the_money_is_in_the_log_while_there_is_news(service: Service) -> None:
    def ledgers() -> list[dict[str, Any]]:
        service.app.state.sequencer.look()
        return [leaf for leaf in map(parse_leaf, stored(service)) if leaf["type"] == "ledger"]

    assert ledgers() == []
    sit_two(service)
    lines = service.store.journal(0, 100)
    assert ledgers() == [{"root": root(map(leaf_hash, lines)).hex(), "size": len(lines), "type": "ledger"}]
    service.person("carol", 5)
    assert len(ledgers()) == 1
    service.clock.ms += 300_000
    lines = service.store.journal(0, 100)
    assert ledgers()[1:] == [{"root": root(map(leaf_hash, lines)).hex(), "size": len(lines), "type": "ledger"}]
    service.clock.ms += 600_000
    assert len(ledgers()) == 2


# What breaks, and begins again


def fails_before(_real: Callable[..., Any]) -> Callable[..., Any]:
    def lost(*_: Any) -> Any:
        raise StoreFailed("lost")

    return lost


def fails_after(real: Callable[..., Any]) -> Callable[..., Any]:
    def kept(*given: Any) -> Any:
        real(*given)
        raise StoreFailed("kept, but nobody knows")

    return kept


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("fault", [fails_before, fails_after])
@pytest.mark.parametrize("write", ["append_leaves", "keep_checkpoint", "queue_leaf"])
def test_whatever_write_breaks_there_is_one_history(
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    write: str,
    fault: Callable[[Callable[..., Any]], Callable[..., Any]],
    restarted: bool,
) -> None:
    players = start_two(service)
    before = opened(service, log_of(service, players[0].m)["checkpoint"])
    sequencer = service.app.state.sequencer
    with monkeypatch.context() as patched:
        patched.setattr(service.store, write, fault(getattr(service.store, write)))
        with pytest.raises(StoreFailed):
            sequencer.append_now(b'{"from":1,"to":2,"type":"outage"}')
        shown = opened(service, service.http.get("/log/checkpoint").text)
        # What is stored is published, whichever process was told so.
        assert (shown == before) is not (write == "keep_checkpoint" and fault is fails_after)
    if restarted:
        service.restart(10)
    part = log_of(service, players[0].m, leaf="start", since=before.size)
    assert check_leaves(service, part) == ["open", "full", "start"]
    after = opened(service, part["checkpoint"])
    proof = [bytes.fromhex(one) for one in part["consistency"]]
    check_consistency(before.size, before.root, after.size, after.root, proof)
    leaves = stored(service)
    assert len(leaves) == len(set(leaves))
    players[0].do({"resign": True})
    assert ok(service.http.get(f"/v1/matches/{players[0].m}/log?leaf=close"))["leaves"][3]
    check_one_history(service)


def test_an_append_that_another_one_was_faster_than_is_made_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sequencers on one store: what one takes the other finds taken."""
    sequencer, store = service.app.state.sequencer, service.store
    sequencer.sequence()
    m = sit_two(service)[0].m
    real, faster = store.append_leaves, Sequencer(store, sequencer.keys, sequencer._copy, service.clock)

    def late(append: LogAppend) -> Any:
        monkeypatch.undo()
        faster.sequence()
        store.queue_leaf(b'{"from":1,"to":2,"type":"outage"}')
        return real(append)

    monkeypatch.setattr(store, "append_leaves", late)
    sequencer.sequence()
    assert [parse_leaf(leaf)["type"] for leaf in stored(service)] == ["open", "outage"]
    assert faster.newest() == sequencer.newest(), "what one publishes the other shows"
    assert check_leaves(service, log_of(service, m)) == ["open"]
    check_one_history(service)


def test_all_who_wait_for_the_log_are_served_by_one_turn(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    sequencer, store, looks = service.app.state.sequencer, service.store, 0
    sit_two(service)
    real, lock, came = store.queued_leaves, sequencer._lock, Semaphore(0)

    def acquire(timeout: float) -> bool:
        came.release()
        return bool(lock.acquire(timeout=timeout))

    def look(limit: int) -> Any:
        """The first one lasts until everybody is there."""
        nonlocal looks
        looks += 1
        for _ in range(6 if looks == 1 else 0):
            assert came.acquire(timeout=60)
        return real(limit)

    monkeypatch.setattr(sequencer, "_lock", SimpleNamespace(acquire=acquire, release=lock.release))
    monkeypatch.setattr(store, "queued_leaves", look)
    with ThreadPoolExecutor(6) as pool:
        for waiting in [pool.submit(sequencer.sequence) for _ in range(6)]:
            waiting.result()
    assert looks <= 2, "the turn that was going on, and one for all who came meanwhile"
    check_one_history(service)


def test_tiles_that_are_not_the_heads_stop_the_log(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    m = start_two(service)[0].m
    log_of(service, m, leaf="start")
    store, running = service.store, service.app.state.sequencer
    another = Sequencer(store, running.keys, running._copy, service.clock)
    monkeypatch.setattr(store, "tile", lambda tile: bytes(32 * tile.width))
    store.queue_leaf(b'{"from":1,"to":2,"type":"outage"}')
    size = store.log_head().size
    with pytest.raises(Broken, match="root of its head"):
        another.sequence()
    assert store.log_head().size == size


def test_the_log_goes_on_by_itself(service: Service) -> None:
    m = sit_two(service)[0].m
    sequencer = service.app.state.sequencer
    sequencer.start()
    until(lambda: bool(log_of(service, m)["leaves"]))
    sequencer.stop()


def test_a_service_whose_log_cannot_append_holds_nothing_against_anybody(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = start_two(service)
    player = on_turn(players)
    service.tick(33_000)
    with monkeypatch.context() as patched:
        patched.setattr(service.store, "append_leaves", fails_before(service.store.append_leaves))
        with pytest.raises(StoreFailed):
            service.app.state.sequencer.look()
        with pytest.raises(StoreFailed):
            service.tick(60_000)
    service.clock.ms += 60_000
    service.tick()
    last = json.loads(ok(player.person.get(f"/v1/matches/{player.m}"))["events"][-1])
    assert last["type"] == "resume"
    player.do(first_legal(player))
