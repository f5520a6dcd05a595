"""Keys replaced under a running service: what was signed before still verifies, what is signed later says so."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairdeal import errors
from fairdeal.app.log_keys import LogKeys
from fairdeal.app.sequencer import Sequencer
from fairdeal.keyfiles import LOG_KEY, RECEIPTS_KEY, SEALING_KEY, read_key, replace_key
from fairdeal.keys import SigningKey
from fairdeal.match import key_message, open_receipt, outage_leaf, parse_leaf, receipt_key
from fairdeal.match.files import parse_bundle
from fairdeal.match.terms import Terms
from fairdeal.tlog import Note, Policy, VerifierKey, open_checkpoint
from tests.api.table import Player, Service, first_legal, join_two, ok, on_turn, sit_two, start_two

LOG = "localhost/fairdeal"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    yield service
    service.stop()


def rotate(service: Service, name: str, number: int = 1) -> tuple[VerifierKey, VerifierKey]:
    """Puts another key in its place; both, as verifier keys."""
    path = service.folder / "keys" / name
    note_name = LOG if name == LOG_KEY else f"{LOG}/receipts"
    old, new = read_key(path, 32), bytes([number, *name.encode()]).ljust(32, b"\0")
    replace_key(path, new, f"{len(list(path.parent.iterdir())):08x}")
    first, second = (VerifierKey(note_name, SigningKey.from_seed(key).public) for key in (old, new))
    return first, second


def restart(service: Service) -> None:
    service.restart(1_000)


def leaves(service: Service) -> list[dict[str, Any]]:
    return [parse_leaf(leaf) for leaf in service.store.leaves(0, 1_000)]


def keys_of(service: Service) -> LogKeys:
    keys = service.app.state.sequencer.keys
    assert isinstance(keys, LogKeys)
    return keys


def history(service: Service) -> list[tuple[int, VerifierKey]]:
    return [(span.start, span.key) for span in keys_of(service).history()]


def check_checkpoints(service: Service) -> int:
    """Every checkpoint kept is signed by the key that 7.4 asks for at its size, which the leaves alone say."""
    rotated = [
        (index, VerifierKey.parse(leaf["old"]), VerifierKey.parse(leaf["new"]))
        for index, leaf in enumerate(leaves(service))
        if leaf["type"] == "key" and leaf["old"].startswith(f"{LOG}+")
    ]
    checked = 0
    for size in range(service.store.log_head().size + 1):
        note = service.store.checkpoint(size)
        if note is None:
            continue
        before = [new for index, _, new in rotated if size > index]
        after = [old for index, old, _ in rotated if size <= index]
        if rotated:
            open_checkpoint(note.note, [before[-1] if before else after[0]])
        checked += 1
    return checked


def check_key_leaf(leaf: dict[str, Any], old: VerifierKey, new: VerifierKey) -> None:
    assert (leaf["type"], leaf["old"], leaf["new"]) == ("key", old.format(), new.format())
    message = key_message(old, new)
    old.public.verify(bytes.fromhex(leaf["sig_old"]), message)
    new.public.verify(bytes.fromhex(leaf["sig_new"]), message)


def key_of_table(service: Service, m: str) -> Any:
    line = service.store.events(m)[0]
    return receipt_key(Terms.parse(json.loads(line)["data"]))


def finish(players: tuple[Player, ...]) -> None:
    """A trick or two, then somebody gives up."""
    for _ in range(6):
        player = on_turn(players)
        player.take(ok(player.send(player.sign(first_legal(player)))))
    for player in players:
        player.look()
    players[0].take(ok(players[0].send(players[0].sign({"resign": True}))))


def bundle(service: Service, m: str) -> bytes:
    answer = service.http.get(f"/v1/matches/{m}/bundle")
    assert answer.status_code == 200, answer.text
    return bytes(answer.content)


def test_a_live_match_keeps_the_receipts_key_it_opened_with(service: Service) -> None:
    alice, bob = start_two(service)
    old, new = rotate(service, RECEIPTS_KEY)
    restart(service)
    check_key_leaf(leaves(service)[-1], old, new)
    finish((alice, bob))
    for player in (alice, bob):
        for answer in player.received:
            open_receipt(answer["receipt"], old)
    opened = ok(alice.person.post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
    assert (key_of_table(service, alice.m), key_of_table(service, opened)) == (old, new)
    open_receipt(parse_bundle(bundle(service, alice.m)).head, old)
    assert [(start > 0, key) for start, key in history(service) if key.name == old.name] == [(False, old), (True, new)]


def test_bundles_from_before_are_the_same_afterwards(service: Service) -> None:
    players = start_two(service)
    finish(players)
    before = parse_bundle(bundle(service, players[0].m))
    for name in (RECEIPTS_KEY, LOG_KEY, SEALING_KEY):
        rotate(service, name)
        restart(service)
    after = parse_bundle(bundle(service, players[0].m))
    assert (after.head, after.events) == (before.head, before.events)


def test_the_log_goes_on_under_its_new_key(service: Service) -> None:
    start_two(service)
    service.app.state.sequencer.sequence()
    old, new = rotate(service, LOG_KEY)
    size = service.store.log_head().size
    restart(service)
    check_key_leaf(leaves(service)[size], old, new)
    service.person("carol").post("/v1/tables", {"game": "duel", "stake": 0})
    service.app.state.sequencer.sequence()
    assert check_checkpoints(service) >= 3
    before, after = service.store.checkpoint(size), service.store.checkpoint()
    assert before is not None and after is not None  # noqa: PT018
    open_checkpoint(before.note, [old])
    open_checkpoint(after.note, [new])
    with pytest.raises(errors.KeyRefused):
        open_checkpoint(after.note, [old])
    policy = Policy.parse(service.http.get("/log/policy").content)
    assert [log.key for log in policy.logs] == [new, old]
    policy.open(before.note)
    policy.open(service.http.get("/log/checkpoint").text)


def test_without_a_new_key_a_start_adds_nothing(service: Service) -> None:
    start_two(service)
    for _ in range(2):
        restart(service)
    assert [leaf["type"] for leaf in leaves(service)] == ["open", "full", "start"]
    assert [start for start, _ in history(service)] == [0, 0]


def test_two_rotations_in_a_row(service: Service) -> None:
    start_two(service)
    first, second = rotate(service, LOG_KEY, 1)
    restart(service)
    _, third = rotate(service, LOG_KEY, 2)
    restart(service)
    assert [key for _, key in history(service) if key.name == LOG] == [first, second, third]
    # Without a start in between the one in the middle was never used.
    rotate(service, LOG_KEY, 3)
    _, fifth = rotate(service, LOG_KEY, 4)
    restart(service)
    check_key_leaf(leaves(service)[-1], third, fifth)
    assert check_checkpoints(service) >= 4
    policy = Policy.parse(service.http.get("/log/policy").content)
    assert [log.key for log in policy.logs] == [fifth, third, second, first]


def test_both_keys_at_once_and_before_anything_happened(service: Service) -> None:
    for name in (LOG_KEY, RECEIPTS_KEY):
        rotate(service, name)
    restart(service)
    start_two(service)
    service.app.state.sequencer.sequence()
    kinds = [leaf["type"] for leaf in leaves(service)]
    # No receipts key was in force before the first table; the log's key had signed the empty log.
    assert kinds[-3:] == ["open", "full", "start"]
    assert kinds.count("key") == len(kinds) - 3 <= 1
    check_checkpoints(service)


def test_the_leaf_of_a_key_comes_after_all_that_waits(service: Service) -> None:
    """The service dies before the log has taken in what is due; the open of a table of the old key among it."""
    alice, _ = sit_two(service, stake=0)
    service.store.queue_leaf(outage_leaf(1, 2))
    old, new = rotate(service, RECEIPTS_KEY)
    log_old, log_new = rotate(service, LOG_KEY)
    restart(service)
    logged = leaves(service)
    assert [leaf["type"] for leaf in logged] == ["open", "outage", "key", "key"]
    check_key_leaf(logged[2], log_old, log_new)
    check_key_leaf(logged[3], old, new)
    assert key_of_table(service, alice.m) == old
    check_checkpoints(service)


def test_a_crash_before_the_leaf_has_its_index(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    start_two(service)
    old, new = rotate(service, LOG_KEY)
    with monkeypatch.context() as patched:
        patched.setattr(Sequencer, "_append_batch", lambda _: False)
        service.stop()
        service.start()
    restart(service)
    kinds = [leaf["type"] for leaf in leaves(service)]
    assert kinds == ["open", "full", "start", "key"]
    assert [key for _, key in history(service) if key.name == LOG] == [old, new]


def test_a_crash_between_the_leaf_and_its_checkpoint(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    start_two(service)
    old, new = rotate(service, LOG_KEY)
    with monkeypatch.context() as patched:
        patched.setattr(Sequencer, "_publish", lambda _: None)
        restart(service)
    size = service.store.log_head().size
    assert leaves(service)[-1]["type"] == "key"
    assert service.store.checkpoint(size) is None
    # It is even replaced once more before it has signed anything.
    _, third = rotate(service, LOG_KEY, 2)
    restart(service)
    assert [(start, key) for start, key in history(service) if key.name == LOG] == [
        (0, old), (size, new), (size + 1, third),
    ]  # fmt: skip
    assert check_checkpoints(service) >= 2


def test_seeds_from_before_open_and_later_ones_are_sealed_anew(service: Service) -> None:
    live = start_two(service)
    before = service.store.sealed_seed(live[0].m)
    rotate(service, SEALING_KEY)
    restart(service)
    opened = ok(live[0].person.post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
    rotate(service, SEALING_KEY, 2)
    restart(service)
    assert service.store.sealed_seed(live[0].m) == before
    carol = service.person("carol")
    late = (Player(live[0].person, opened), Player(carol, opened))
    for player in late:
        player.join()
    for player in late:
        player.send_seed()
    finish(late)
    finish(live)
    assert not any(leaf["type"] == "key" for leaf in leaves(service))


@pytest.mark.parametrize(
    ("name", "error"),
    [(LOG_KEY, errors.KeyMissing), (RECEIPTS_KEY, errors.KeyMissing), (SEALING_KEY, errors.SealBroken)],
)
def test_a_key_that_is_still_needed_and_gone_stops_the_start(
    service: Service, name: str, error: type[Exception]
) -> None:
    join_two(service)
    rotate(service, name)
    service.stop()
    [retired] = (service.folder / "keys").glob(f"{name.removesuffix('.key')}-*.key")
    kept = retired.read_bytes()
    retired.unlink()
    with pytest.raises(error):
        service.start()
    retired.touch(0o600)
    retired.write_bytes(kept)
    service.start()


def test_a_retired_log_key_is_not_needed_once_the_log_has_said_so(service: Service) -> None:
    start_two(service)
    rotate(service, LOG_KEY)
    restart(service)
    service.stop()
    [retired] = (service.folder / "keys").glob("log-*.key")
    retired.unlink()
    service.start()
    assert len(Note.parse(service.http.get("/log/checkpoint").text).lines) == 1
