"""No room on the disk: nothing is half done, nobody is charged for it, and when there is room again play goes on."""

import resource
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
from tests.durability.process import Service

DECISION_MS, OUTAGE_MS = 5_000, 2_000
SETTINGS = {"decisions_ms": f"[{DECISION_MS}]", "clock__outage_ms": str(OUTAGE_MS)}
OVER_S = (DECISION_MS + 1_000) / 1_000
"""When a decision is over that began before, grace included."""
DISK = "4m"


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


def play_through(service: Service, disk: Disk) -> None:
    """A match in whose middle the disk is full for longer than a decision lasts."""
    with ThreadPoolExecutor(2) as pool:
        both = programs(service)
        m = seated(both, DECISION_MS)
        left, waiting = leave_after(both, m, 4, pool)
        before, since = service.size(m), time.monotonic()
        disk.fill(service)
        try:
            check_refused(service, left, m)
            time.sleep(max(0.0, since + OVER_S - time.monotonic()))
            assert service.size(m) == before, "nobody is held to a deadline that the service cannot keep"
            ((last,),) = service.rows("SELECT at FROM heartbeat")
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
    assert resumes(lines)[0][1] - last >= DECISION_MS
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
    with Service(tmp_path, **SETTINGS) as service:
        play_through(service, Limited())


@pytest.mark.soak
def test_a_full_disk_of_its_own(tmp_path: Path) -> None:
    with own_disk(tmp_path / "disk") as disk:
        service = Service(tmp_path / "service", **SETTINGS)
        service.place = service.database = tmp_path / "disk" / "fairdeal.db"
        with service:
            play_through(service, disk)
