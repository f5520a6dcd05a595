"""A witness for somebody else's log: what it lets through, over real HTTP, and that it never forgets."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fairdeal.errors import StoreFailed, WitnessConflict
from fairdeal.keys import SigningKey
from fairdeal.tlog import AddCheckpoint, Cosigner, Policy, VerifierKey, WitnessAnswer
from fairdeal.tlog.witness import MAX_REQUEST_BYTES, SIZE_TYPE, TEXT_TYPE
from fairdeal.witness.asking import HttpWitnesses
from fairdeal.witness.memory import Memory
from fairdeal.witness.service import WitnessService
from tests.conftest import VECTORS
from tests.witness.log import SmallLog
from tests.witness.process import WitnessProcess

COSIGNER = Cosigner("example.com/witness", SigningKey.from_seed(bytes(32)))
LOG, FORK = SmallLog(), SmallLog(forked_at=40)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(tmp_path / "witness.db")
    yield memory
    memory.close()


@pytest.fixture
def asking() -> Iterator[HttpWitnesses]:
    asking = HttpWitnesses()
    yield asking
    asking.close()


def cosigned(answer: WitnessAnswer, size: int, key: VerifierKey = COSIGNER.verifier_key, log: SmallLog = LOG) -> bool:
    return len(answer.cosignatures(log.checkpoint(size), [key])) == 1


def kept_sizes(path: Path) -> dict[str, int]:
    database = sqlite3.connect(path)
    try:
        return dict(database.execute("SELECT origin, size FROM checkpoints"))
    finally:
        database.close()


def test_the_given_sequence_over_http(tmp_path: Path, asking: HttpWitnesses) -> None:
    given = json.loads((VECTORS / "tlog.json").read_text())["witness_add_checkpoint"]
    with WitnessProcess(tmp_path, f"log {given['vkey']}\nquorum none\n") as witness:
        for case in given["stateful_sequence"]:
            before = kept_sizes(witness.database)
            answer = asking.add_checkpoint(witness.url, case["body"].encode())
            assert answer.status == case["status"], case["id"]
            assert case["body_contains"] in answer.body
            assert answer.content_type == (SIZE_TYPE if answer.status == 409 else TEXT_TYPE)
            if answer.status != 200:
                assert kept_sizes(witness.database) == before
        lines = [json.loads(line) for line in (tmp_path / "witness.log").read_text().splitlines()]
        told = [(line["host"], line["port"]) for line in lines if line["message"] == "listening"]
        assert told == [("127.0.0.1", witness.port)]


def test_a_witness_process_is_killed_and_does_not_forget(tmp_path: Path, asking: HttpWitnesses) -> None:
    with WitnessProcess(tmp_path, LOG.policy) as witness:
        witness.kill()
        key = witness.start()
        assert cosigned(asking.add_checkpoint(witness.url, LOG.request(0, 50)), 50, key)
        witness.kill()
        assert witness.start() == key
        for body, status, says in (
            (FORK.request(0, 50), 409, "50\n"),
            (FORK.request(50, 60), 422, "consistency"),
            (FORK.request(50, 50), 409, "50\n"),
            (LOG.request(40, 45), 409, "50\n"),
            (LOG.request(50, 60), 200, "example.com/witness"),
        ):
            answer = asking.add_checkpoint(witness.url, body)
            assert (answer.status, says in answer.body) == (status, True)
        forks = [json.loads(line) for line in witness.log.splitlines() if '"fork"' in line]
        assert [(fork["kept"].split("\n")[1], fork["sent"].split("\n")[1]) for fork in forks] == [("50", "50")] * 2


def test_a_key_without_its_memory_is_refused(tmp_path: Path) -> None:
    with WitnessProcess(tmp_path, LOG.policy) as witness:
        witness.kill()
        for path in tmp_path.glob("witness.db*"):
            path.unlink()
        with pytest.raises(Exception, match="verifier key"):
            witness.start()
    assert "store_failed" in witness.log
    assert not witness.database.exists()


def test_of_two_requests_at_once_one_passes(memory: Memory) -> None:
    """Both show that they go on from 10; the trees part at 40."""
    keys = (LOG.signer.verifier_key,)
    memory.advance(AddCheckpoint.parse(LOG.request(0, 10)), keys)
    barrier = threading.Barrier(8)

    def advance(log: SmallLog) -> str:
        request = AddCheckpoint.parse(log.request(10, 60))
        barrier.wait()
        try:
            memory.advance(request, keys)
        except WitnessConflict as conflict:
            return str(conflict.details["size"])
        return "kept"

    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(advance, [LOG, FORK] * 4))
    assert sorted(told) == ["60"] * 7 + ["kept"]


def test_the_memory_only_grows(memory: Memory, tmp_path: Path) -> None:
    memory.advance(AddCheckpoint.parse(LOG.request(0, 10)), (LOG.signer.verifier_key,))
    database = sqlite3.connect(tmp_path / "witness.db")
    for statement in ("UPDATE checkpoints SET size = 9", "DELETE FROM checkpoints", "REPLACE INTO checkpoints"
                      " VALUES ('log.example', 1, '')"):  # fmt: skip
        database.execute("PRAGMA recursive_triggers = ON")
        with pytest.raises(sqlite3.IntegrityError):
            database.execute(statement)
    database.close()
    assert kept_sizes(tmp_path / "witness.db") == {"log.example": 10}


def test_what_cannot_be_kept_is_not_cosigned(memory: Memory) -> None:
    service = WitnessService(COSIGNER, Policy.parse(LOG.policy.encode()), memory)
    memory.close()
    with pytest.raises(StoreFailed):
        service.answer(LOG.request(0, 10))


def test_logs_are_told_apart_and_a_replaced_key_goes_on(memory: Memory) -> None:
    other = SmallLog("other.example", seed=b"\1" * 32)
    again = SmallLog(seed=b"\2" * 32)
    stranger = SmallLog(seed=b"\3" * 32)
    lines = "".join(f"log {log.signer.verifier_key.format()}\n" for log in (LOG, other, again))
    service = WitnessService(COSIGNER, Policy.parse(f"{lines}quorum none\n".encode()), memory, lambda: 1_790_000_000.9)
    assert cosigned(service.answer(LOG.request(0, 10)), 10)
    assert cosigned(service.answer(other.request(0, 20)), 20, log=other)
    assert service.answer(again.request(0, 20)).body == "10\n"
    assert cosigned(service.answer(again.request(10, 20)), 20, log=again)
    assert service.answer(stranger.request(20, 30)).status == 403
    assert service.answer(SmallLog("unknown.example").request(0, 30)).status == 404


@pytest.fixture
def asked(memory: Memory) -> Callable[..., Any]:
    service = WitnessService(COSIGNER, Policy.parse(LOG.policy.encode()), memory)
    transport = httpx2.ASGITransport(service.application())

    async def ask(method: str, path: str, body: bytes = b"") -> httpx2.Response:
        async with httpx2.AsyncClient(transport=transport, base_url="http://witness.example") as http:
            return await http.request(method, path, content=body)

    return lambda *arguments: asyncio.run(ask(*arguments))


def test_other_calls(asked: Callable[..., Any]) -> None:
    assert asked("POST", "/add-checkpoint", LOG.request(0, 10)).status_code == 200
    assert asked("POST", "/add-checkpoint", bytes(MAX_REQUEST_BYTES + 1)).status_code == 413
    assert asked("POST", "/add-checkpoint", bytes(MAX_REQUEST_BYTES)).status_code == 400
    assert asked("POST", "/add-checkpoint").status_code == 400
    assert asked("GET", "/add-checkpoint").status_code == 405
    assert asked("POST", "/other").status_code == 404
    assert asked("POST", "/add-checkpoint", LOG.request(0, 20)).headers["content-type"] == SIZE_TYPE
