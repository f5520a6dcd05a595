"""No room on the disk: nothing is half done, nobody is charged for it, and when there is room again play goes on."""

import resource
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import httpx2
import pytest

from fairdeal.client import ApiError
from fairdeal.match import Event
from fairdeal.tlog import Policy
from tests.durability.duel import (
    DEPOSIT,
    GIVE_UP_S,
    PASSWORD,
    STAKE,
    Enough,
    Program,
    check_kept,
    check_paid_once,
    check_verified,
    leave_after,
    play_both,
    programs,
    resumes,
    seated,
)
from tests.durability.history import check_leaves, check_one_history
from tests.durability.process import HOUR_MS, STEP_MS, Service, TimedService

FULL_MS = HOUR_MS + STEP_MS
"""Longer than a decision lasts, grace included."""
DISK = "16m"
"""More than the write-ahead log takes before it begins again, however long a match lasts."""


class Disk(Protocol):
    def fill(self, service: Service) -> None: ...
    def free(self, service: Service) -> None: ...


class Limited:
    """As good as a full disk, without any rights: no file of the service may grow beyond what the database's
    write-ahead log has. The service's own log is shorter, and goes on.
    """

    def fill(self, service: Service) -> None:
        size = service.database.with_name("fairdeal.db-wal").stat().st_size
        assert service.log.stat().st_size < size / 2
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def free(self, service: Service) -> None:
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class Mounted:
    """A small file system with nothing on it but the database and the log's copy."""

    def fill(self, service: Service) -> None:
        with suppress(OSError), (service.database.parent / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(512))

    def free(self, service: Service) -> None:
        (service.database.parent / "filler").unlink()


@contextmanager
def own_disk(place: Path) -> Iterator[Disk]:
    """A real one where this machine lets us mount it."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield Mounted() if mounted else Limited()
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=True)


def play_through(service: TimedService, disk: Disk, pool: Executor) -> None:
    """A match in whose middle the disk is full for longer than a decision lasts."""
    both = programs(service)
    m = seated(both)
    left, waiting = leave_after(both, m, 4, pool)
    before = service.size(m)
    disk.fill(service)
    service.put_forward(FULL_MS)
    try:
        check_refused(service, left, m)
        time.sleep(0.3)  # for the clock to look, and to do what it must not
        assert service.size(m) == before, "nobody is held to a deadline that the service cannot keep"
        last = service.beat()
    finally:
        disk.free(service)
    service.wait_ready()
    left.resign(m)
    with suppress(Enough):
        waiting.result(GIVE_UP_S)
    play_both(both, m)
    lines, _ = check_kept(both, m)
    assert Event.parse(lines[before]).type == "resume", "the first thing afterwards"
    assert resumes(lines)[0][0] == last
    assert resumes(lines)[0][1] - last >= FULL_MS
    check_verified(both, m)
    check_history(service, both[0], m)
    told = service.log.read_text()
    assert told.count('"message": "outage"') == len(resumes(lines)), "said once, when it was over"
    assert '"message": "the clock cannot go on"' in told
    check_paid_once(service, both, m, lines)


def check_refused(service: Service, program: Program, m: str) -> None:
    """Whatever would be written is refused as one thing, and leaves nothing behind; what is there can be read."""
    tables = ("accounts", "matches", "events", "transactions", "entries", "requests", "log_queue", "leaves")
    before = [service.rows(f"SELECT count(*) FROM {table}") for table in tables]
    player = {"Authorization": f"Bearer {program.session}"}
    operator = {"Authorization": f"Bearer {service.token}", "Idempotency-Key": "on-a-full-disk"}
    calls = [
        ("/v1/tables", {"game": "duel", "stake": STAKE}, player),
        ("/v1/accounts", {"name": "carole", "password": PASSWORD}, {}),
        ("/v1/deposits", {"account": program.account, "amount": 1}, operator),
    ]
    with httpx2.Client(base_url=service.url, timeout=60) as http:
        for path, body, headers in calls:
            answer = http.post(path, json=body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (503, "store_failed"), path
        with pytest.MonkeyPatch.context() as soon:
            soon.setattr("fairdeal.client.api._ATTEMPTS", 2)
            with pytest.raises(ApiError, match="store_failed"):
                program.resign(m)
        ready = http.get("/readyz")
        assert (ready.status_code, ready.json()["code"]) == (503, "store_failed")
        for path in ("/v1/wallet", f"/v1/matches/{m}", "/log/checkpoint", "/healthz"):
            assert http.get(path, headers=player).is_success, path
    assert [service.rows(f"SELECT count(*) FROM {table}") for table in tables] == before
    assert program.wallet() == (DEPOSIT - STAKE, 0)


def check_history(service: Service, program: Program, m: str) -> None:
    leaves = [leaf for (leaf,) in service.rows("SELECT leaf FROM leaves ORDER BY n")]
    notes = [note for (note,) in service.rows("SELECT note FROM checkpoints")]
    assert check_one_history(Policy.parse(program.policy.read_bytes()), leaves, notes) >= 5
    check_leaves(leaves, [m])


def test_a_full_disk(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool, TimedService(tmp_path) as service:
        play_through(service, Limited(), pool)


@pytest.mark.soak
def test_a_full_disk_of_its_own(tmp_path: Path) -> None:
    with own_disk(tmp_path / "disk") as disk:
        service = TimedService(tmp_path / "service")
        service.place = service.database = tmp_path / "disk" / "fairdeal.db"
        with ThreadPoolExecutor(2) as pool, service:
            play_through(service, disk, pool)
