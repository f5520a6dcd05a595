"""The server's seed of a live match is nowhere in clear: not in the database's files, not in the logs, not in a crash.

What lies on the disk is copied while the match is live, and searched when the `reveal` has told what to search for.
"""

import os
import resource
import shutil
import signal
import sqlite3
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from fairdeal.client import ApiError
from fairdeal.match import Event
from tests.durability.duel import GIVE_UP_S, Program, check_kept, check_verified, leave_after, programs, seated
from tests.durability.process import HOUR_MS, Service, TimedService, until


def needles(secret: bytes) -> Iterator[bytes]:
    """32 bytes as anybody might write them; in Base64 at each of the three places in a longer text."""
    yield secret
    yield secret[::-1]
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    yield repr(secret)[2:-1].encode()
    yield ", ".join(map(str, secret)).encode()
    yield str(int.from_bytes(secret)).encode()
    for encode in (b64encode, urlsafe_b64encode):
        for place in range(3):
            text = encode(bytes(place) + secret)
            # The first and last characters hold bits of the neighbours.
            yield text[4:-4]


def found(secret: bytes, folder: Path) -> set[str]:
    """The names of the files in which the secret stands."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert files
    return {name for name, data in files.items() if any(needle in data for needle in needles(secret))}


def take_copy(service: Service, copies: list[Path]) -> None:
    """Of the database, its write-ahead log and shared memory, and of all that the service ever wrote to its log."""
    copy = service.home / f"copy-{len(copies)}"
    copy.mkdir()
    for path in service.home.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    assert {"fairdeal.db", "fairdeal.db-wal", "fairdeal.db-shm", "server.log"} <= {path.name for path in copy.iterdir()}
    copies.append(copy)


def revealed(lines: list[bytes]) -> bytes:
    (reveal,) = [event for event in map(Event.parse, lines) if event.type == "reveal"]
    return bytes.fromhex(reveal.data["server_seed"])


def plant(copy: Path, secret: bytes, m: str) -> None:
    """Stores the seed as a careless service would: unsealed, and in its log."""
    with closing(sqlite3.connect(copy / "fairdeal.db")) as database:
        guards = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'seals'")
        for (guard,) in guards.fetchall():
            database.execute(f"DROP TRIGGER {guard}")
        changed = database.execute(
            "UPDATE seals SET sealed = ? WHERE match_id = ?", (bytes(12) + secret + bytes(16), m)
        )
        assert changed.rowcount == 1
        database.commit()
    with (copy / "server.log").open("ab") as log:
        log.write(b64encode(b"seed: " + secret) + b"\n")


def test_the_seed_is_sealed_through_faults_and_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault, copies = tmp_path / "fault", list[Path]()
    monkeypatch.setenv("PYTHONFAULTHANDLER", "1")
    with (
        ThreadPoolExecutor(2) as pool,
        TimedService(tmp_path, "tests.durability.faulty", test_fault=str(fault)) as service,
    ):
        both = programs(service)
        m = seated(both)
        left, waiting = leave_after(both, m, 10, pool)
        take_copy(service, copies)

        fault.touch()
        with pytest.raises(ApiError, match="internal_error"):
            left.resign(m)
        take_copy(service, copies)
        # The clock meets the fault too, before the first call is answered: the service serves the others all the same.
        with service.down():
            service.put_forward(HOUR_MS // 2)
        take_copy(service, copies)

        assert resource.prlimit(service.pid, resource.RLIMIT_CORE) == (0, 0)
        aborted = service.pid
        os.kill(aborted, signal.SIGABRT)
        until(lambda: service.pid != aborted)
        service.wait_ready()
        take_copy(service, copies)
        fault.unlink()

        left.resign(m)
        left.play(m)
        waiting.result(GIVE_UP_S)
        lines, _ = check_kept(both, m)
        check_verified(both, m)
        service.stop()
    log = (copies[-1] / "server.log").read_text()
    assert log.count("RuntimeError") >= 2
    assert "a match cannot be resumed" in log
    assert "Fatal Python error: Aborted" in log
    secret = revealed(lines)
    for copy in copies:
        assert found(secret, copy) == set()
    check_scan(both, copies[0], secret, m, tmp_path)


def check_scan(both: tuple[Program, Program], copy: Path, secret: bytes, m: str, home: Path) -> None:
    """The scan sees what is there: the revealed seed, and planted ones."""
    assert {name for name in found(secret, home) if name.startswith("fairdeal.db")}
    assert found(secret, both[0].folder) >= {f"{m}.fairdeal"}
    plant(copy, secret, m)
    assert found(secret, copy) >= {"server.log"}
    assert {name for name in found(secret, copy) if name.startswith("fairdeal.db")}
    for needle in needles(secret):
        (copy / "planted").write_bytes(b"x" + needle + b"y")
        assert "planted" in found(secret, copy)
