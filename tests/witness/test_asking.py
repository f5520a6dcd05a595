"""Asking witnesses: what is sent, what is kept of the answers, and what a witness that knows better stops."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import httpx2
import pytest

from fairdeal.app.log_ports import SignedCheckpoint
from fairdeal.app.witnesses import Witnesses
from fairdeal.errors import LogBehind, WitnessRefused
from fairdeal.keys import SigningKey
from fairdeal.limits import MAX_NOTE_CHARACTERS
from fairdeal.tlog import (
    AddCheckpoint,
    Cosigner,
    NoteSigner,
    Policy,
    Tile,
    VerifierKey,
    WitnessAnswer,
    open_checkpoint,
    sign_note,
)
from fairdeal.tlog.witness import SIZE_TYPE
from fairdeal.witness.asking import HttpWitnesses
from fairdeal.witness.memory import Memory
from fairdeal.witness.service import WitnessService
from tests.durability.process import WAIT_S, until
from tests.witness.log import SmallLog
from tests.witness.process import WitnessProcess

URL = "http://witness.example/w"
COSIGNER = Cosigner("example.com/witness", SigningKey.from_seed(b"\5" * 32))


class SmallStore:
    """What the asking needs of a store, and of the log's keys, around a small log that grows when it is told to."""

    def __init__(self, log: SmallLog, size: int) -> None:
        self.log, self.size = log, size
        self.lines: dict[tuple[int, str], str] = {}
        self.free = True

    def alone(self, _work: str) -> AbstractContextManager[bool]:
        return nullcontext(self.free)

    def signer_of(self, size: int) -> NoteSigner:
        return self.log.signer

    def checkpoint(self, size: int | None = None) -> SignedCheckpoint | None:
        size = self.size if size is None else size
        if not size:
            return None
        cosignatures = tuple(line for (of, _), line in self.lines.items() if of == size)
        return SignedCheckpoint(size, sign_note(self.log.checkpoint(size).body(), self.log.signer), cosignatures)

    def tile(self, tile: Tile) -> bytes | None:
        hashes = self.log.tree.levels[8 * tile.level][tile.index << 8 :][: tile.width]
        return b"".join(hashes) if len(hashes) == tile.width else None

    def add_cosignature(self, size: int, witness: str, line: str) -> None:
        self.lines.setdefault((size, witness), line)


class Here:
    """A witness in the same process; what it is asked is written down, and it can be made to answer otherwise."""

    def __init__(self, service: WitnessService) -> None:
        self._service = service
        self.asked: list[tuple[int, int]] = []
        self.instead: Callable[[], WitnessAnswer] | None = None

    def add_checkpoint(self, url: str, body: bytes) -> WitnessAnswer:
        assert url == URL
        request = AddCheckpoint.parse(body)
        self.asked.append((request.old_size, request.checkpoint.size))
        return self._service.answer(body) if self.instead is None else self.instead()

    def close(self) -> None:
        pass


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    memory = Memory(tmp_path / "witness.db")
    yield Here(WitnessService(COSIGNER, Policy.parse(SmallLog().policy.encode()), memory))
    memory.close()


def policy(key: VerifierKey = COSIGNER.verifier_key, url: str = URL) -> Policy:
    return Policy.parse(f"{SmallLog().policy.split(chr(10))[0]}\nwitness w {key.format()} {url}\nquorum w\n".encode())


def asking(store: SmallStore, client: object, listed: Policy | None = None) -> Witnesses:
    return Witnesses(store, store, listed or policy(), lambda: client)  # type: ignore[arg-type]


def test_every_new_checkpoint_is_cosigned_once(here: Here) -> None:
    store = SmallStore(SmallLog(), 10)
    witnesses = asking(store, here)
    witnesses.check()
    witnesses.check()
    store.size = 64
    witnesses.check()
    assert here.asked == [(0, 10), (10, 64)]
    assert [size for size, _ in store.lines] == [10, 64]
    note = store.checkpoint(64)
    assert note is not None
    [cosignature] = policy().open(note.text).cosignatures
    assert cosignature.key == COSIGNER.verifier_key
    assert abs(cosignature.timestamp - time.time()) < 3_600


def test_of_two_processes_one_asks(here: Here) -> None:
    store = SmallStore(SmallLog(), 10)
    one, other = asking(store, here), asking(store, here)
    one.check()
    store.free = False
    other.check()
    assert here.asked == [(0, 10)]
    store.free = True
    other.check()
    store.size = 64
    one.check()
    asked = list(here.asked)
    other.check()
    assert here.asked == asked, "what another one has asked for is there"
    assert [size for size, _ in store.lines] == [10, 64]


def test_after_a_restart_the_witness_says_how_far_it_is(here: Here) -> None:
    asking(SmallStore(SmallLog(), 10), here).check()
    store = SmallStore(SmallLog(), 30)
    asking(store, here).check()
    assert here.asked == [(0, 10), (0, 30), (10, 30)]
    assert [size for size, _ in store.lines] == [30]
    asking(store, here).check()  # the same size again: from its own size on
    assert here.asked[3:] == [(0, 30), (30, 30)]


@pytest.mark.parametrize(
    ("log", "size", "says"),
    [
        (SmallLog(), 0, "keeps 50 leaves of this log, which has 0"),
        (SmallLog(), 49, "keeps 50 leaves of this log, which has 49"),
        (SmallLog(forked_at=40), 50, "keeps another tree of 50 leaves"),
        (SmallLog(forked_at=40), 51, "keeps another tree of 50 leaves"),
        (SmallLog(forked_at=40), 30, "keeps 50 leaves of this log, which has 30"),
    ],
)
def test_a_log_that_has_forgotten_does_not_run(here: Here, log: SmallLog, size: int, says: str) -> None:
    asking(SmallStore(SmallLog(), 50), here).check()
    store = SmallStore(log, size)
    with pytest.raises(LogBehind, match=says):
        asking(store, here).check()
    assert not store.lines


def test_an_empty_log_goes_on(here: Here) -> None:
    store = SmallStore(SmallLog(), 0)
    witnesses = asking(store, here)
    witnesses.check()
    store.size = 1
    witnesses.check()
    assert [size for size, _ in store.lines] == [1]


def refuse() -> WitnessAnswer:
    raise WitnessRefused("the witness does not answer")


OTHERS = Cosigner("example.com/other", SigningKey.from_seed(b"\6" * 32))


@pytest.mark.parametrize(
    "answer",
    [
        refuse,
        lambda: WitnessAnswer(503, "busy\n"),
        lambda: WitnessAnswer(404, "unknown log\n"),
        lambda: WitnessAnswer(200, ""),
        lambda: WitnessAnswer(200, OTHERS.cosign(SmallLog().checkpoint(10), 1).format()),
        lambda: WitnessAnswer(200, COSIGNER.cosign(SmallLog().checkpoint(11), 1).format()),
        lambda: WitnessAnswer(200, "x" * (MAX_NOTE_CHARACTERS + 1)),
        lambda: WitnessAnswer(409, "many\n", SIZE_TYPE),
    ],
)
def test_an_answer_that_is_no_cosignature_holds_nothing_up(
    here: Here, answer: Callable[[], WitnessAnswer], caplog: pytest.LogCaptureFixture
) -> None:
    store = SmallStore(SmallLog(), 10)
    witnesses = asking(store, here)
    here.instead = answer
    witnesses.check()
    assert not store.lines
    assert "a witness does not cosign" in caplog.text
    here.instead = None
    witnesses.check()
    assert [size for size, _ in store.lines] == [10]


def test_a_witness_that_never_comes_to_an_end_holds_no_beginning_up(
    here: Here, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte in time, for days: the client's timeout is from one to the next."""
    monkeypatch.setattr("fairdeal.app.witnesses.FIRST_SECONDS", 0.2)
    over = threading.Event()

    def drips() -> WitnessAnswer:
        assert over.wait(WAIT_S)
        return refuse()

    here.instead = drips
    asking(SmallStore(SmallLog(), 10), here).check()
    assert "a witness has not answered in time" in caplog.text
    over.set()


def test_a_witness_that_comes_to_know_better_is_an_incident(
    here: Here, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairdeal.app.witnesses.ASK_SECONDS", 0.01)
    store = SmallStore(SmallLog(), 10)
    witnesses = asking(store, here)
    here.instead = lambda: WitnessAnswer(409, "11\n", SIZE_TYPE)
    with caplog.at_level(logging.ERROR):
        witnesses.start()
        until(lambda: bool(caplog.records))
        witnesses.stop()
    assert [record.message for record in caplog.records] == ["incident"]
    assert not store.lines


def test_cosignatures_of_a_witness_process_arrive_and_survive_its_death(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairdeal.app.witnesses.ASK_SECONDS", 0.05)
    log, client = SmallLog(), HttpWitnesses()
    store = SmallStore(log, 10)

    def wait_for(size: int) -> None:
        until(lambda: size in [of for of, _ in store.lines])

    with WitnessProcess(tmp_path, log.policy) as process:
        process.kill()
        key = process.start()
        witnesses = asking(store, client, policy(key, process.url))
        witnesses.start()
        wait_for(10)
        process.kill()
        store.size = 20
        assert process.start() == key
        wait_for(20)
        witnesses.stop()
        forked = asking(SmallStore(SmallLog(forked_at=15), 30), HttpWitnesses(), policy(key, process.url))
        with pytest.raises(LogBehind, match="another tree of 20"):
            forked.check()
    note = store.checkpoint(20)
    assert note is not None
    assert [one.key for one in open_checkpoint(note.text, [log.signer.verifier_key, key]).cosignatures] == [key]


@pytest.mark.parametrize("broken", [b"\xff", b"x" * (MAX_NOTE_CHARACTERS + 1)])
def test_what_is_no_text_is_refused(broken: bytes) -> None:
    client = HttpWitnesses(httpx2.MockTransport(lambda _: httpx2.Response(200, content=broken)))
    with pytest.raises(WitnessRefused):
        client.add_checkpoint(URL, b"")
    client.close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "no address", "http://[", "ftp://witness.example"])
def test_who_cannot_be_reached_is_refused(url: str) -> None:
    client = HttpWitnesses()
    with pytest.raises(WitnessRefused):
        client.add_checkpoint(url, b"")
    client.close()


def test_a_prefix_may_end_in_a_slash() -> None:
    paths = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        paths.append((request.method, request.url.path))
        return httpx2.Response(302, headers={"Location": "http://elsewhere.example/"})

    client = HttpWitnesses(httpx2.MockTransport(answer))
    for url in (URL, URL + "/"):
        assert client.add_checkpoint(url, b"").status == 302
    assert paths == [("POST", "/w/add-checkpoint")] * 2
    client.close()
