"""What the auditor is told of the service itself, once each: keys, fees, a clock that steps, refused starts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairdeal.errors import ClockSteppedBack, LogBehind, StoreFailed
from fairdeal.keyfiles import LOG_KEY, RECEIPTS_KEY, SEALING_KEY, read_key, replace_key
from fairdeal.keys import SigningKey
from fairdeal.store import SqlStore
from fairdeal.tlog import VerifierKey
from tests.api.backup import put_back, restored, set_aside
from tests.api.log import check_one_history, log_of
from tests.api.table import AUDITOR, FakeClock, Service, bearer, ok
from tests.store.postgres import Postgres

LOG = "localhost/fairdeal"
NO_FEES = {"id": "none", "commission_bp": 0, "commission_cap": 2**53 - 1, "tax_bp": 0, "tax_base": "pot"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path, {"auditor_token": AUDITOR})
    yield running
    running.stop()


def told(service: Service, kind: str) -> list[dict[str, Any]]:
    """The data of that kind, the newest first."""
    events = ok(service.http.get("/v1/audit/events?limit=100", headers=bearer(AUDITOR)))["events"]
    return [event["data"] for event in events if event["kind"] == kind]


def rotate(service: Service, name: str) -> bytes:
    """The new key."""
    path = service.folder / "keys" / name
    new = bytes([1, *name.encode()]).ljust(32, b"\0")
    replace_key(path, new, "00000001")
    return new


def verifier_key(name: str, key: bytes) -> str:
    return VerifierKey(name, SigningKey.from_seed(key).public).format()


def test_the_first_start_tells_of_every_key_and_schedule(service: Service) -> None:
    keys = {name: read_key(service.folder / "keys" / name, 32) for name in (LOG_KEY, RECEIPTS_KEY, SEALING_KEY)}
    sealing, receipts, log = told(service, "key")
    assert log == {"key": "log", "old": None, "new": verifier_key(LOG, keys[LOG_KEY])}
    assert receipts == {"key": "receipts", "old": None, "new": verifier_key(f"{LOG}/receipts", keys[RECEIPTS_KEY])}
    assert (sealing["key"], sealing["old"], len(sealing["new"])) == ("sealing", None, 8)
    (schedule,) = told(service, "schedule")
    assert (schedule["asset"], schedule["exponent"], schedule["old"]) == ("JETON", 0, None)


def test_a_replaced_key_is_told_once_whichever_it_is(service: Service) -> None:
    for name in (LOG_KEY, RECEIPTS_KEY, SEALING_KEY):
        before, kind = told(service, "key"), name.removesuffix(".key")
        (old,) = (one["new"] for one in before if one["key"] == kind)
        secret = rotate(service, name)
        for _ in range(2):
            service.restart(1_000)
        newest, *rest = told(service, "key")
        assert rest == before
        assert (newest["key"], newest["old"]) == (kind, old)
        assert newest["new"] != old
        if name != SEALING_KEY:
            assert newest["new"] == verifier_key(LOG if name == LOG_KEY else f"{LOG}/receipts", secret)
        shown = service.http.get("/v1/audit/events?limit=100", headers=bearer(AUDITOR)).text
        assert secret.hex()[:16] not in shown


def test_a_changed_schedule_is_told_once_whether_a_table_opens_or_not(service: Service) -> None:
    (first,) = told(service, "schedule")
    service.overrides["fees"] = NO_FEES
    for _ in range(3):
        service.restart(1_000)
        ok(service.person(f"alice{service.clock.ms}").post("/v1/tables", {"game": "duel", "stake": 0}))
    service.overrides["fees"] = NO_FEES | {"tax_bp": 1}
    service.restart(1_000)
    assert told(service, "schedule") == [
        {"asset": "JETON", "exponent": 0, "old": NO_FEES, "new": NO_FEES | {"tax_bp": 1}},
        {"asset": "JETON", "exponent": 0, "old": first["new"], "new": NO_FEES},
        first,
    ]


def test_an_asset_has_a_schedule_of_its_own(service: Service) -> None:
    service.overrides |= {"assets": {"JETON": 0, "EUR": 2}, "asset_fees": {"EUR": NO_FEES}}
    service.restart(1_000)
    newest, before = told(service, "schedule")
    assert newest == {"asset": "EUR", "exponent": 2, "old": None, "new": NO_FEES}
    assert before["asset"] == "JETON"


def test_a_start_that_failed_before_it_told_tells_at_the_next(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has the leaf of the new key by then."""

    def fails(*_: object) -> None:
        raise StoreFailed("the disk is full")

    old = told(service, "key")[-1]["new"]
    rotate(service, LOG_KEY)
    with monkeypatch.context() as patched:
        patched.setattr("fairdeal.main.tell_changes", fails)
        with pytest.raises(StoreFailed):
            service.restart(1_000)
    for _ in range(2):
        service.restart(1_000)
    newest, *before = told(service, "key")
    assert (newest["old"], len(before)) == (old, 3)


def step_back(service: Service, monkeypatch: pytest.MonkeyPatch, looks: int = 3) -> None:
    """The clock is wrong for some looks, then right again."""

    def wrong(_clock: FakeClock) -> int:
        raise ClockSteppedBack("the clock is 3600000 ms behind a time that it gave")

    with monkeypatch.context() as patched:
        patched.setattr(FakeClock, "now_ms", wrong)
        for _ in range(looks):
            service.app.state.ticker._loop.look()
    service.app.state.ticker._loop.look()


def test_a_step_of_the_clock_is_told_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    beats = []
    for _ in range(2):
        service.tick(2_000)
        beats.append(service.store.last_beat())
        step_back(service, monkeypatch)
    why = "the clock is 3600000 ms behind a time that it gave"
    assert told(service, "clock") == [{"beat": beat, "why": why} for beat in reversed(beats)]
    newest = service.store.last_significant("clock", {})
    assert newest is not None
    assert newest.at == beats[1]


def test_a_step_of_the_clock_is_told_when_the_store_can_write(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(_event: object) -> None:
        raise StoreFailed("the disk is full")

    service.tick(2_000)
    with monkeypatch.context() as patched:
        patched.setattr(service.store, "keep_significant", full_disk)
        step_back(service, patched)
    assert told(service, "clock") == []
    for _ in range(3):
        service.app.state.ticker._loop.look()
        assert len(told(service, "clock")) == 1
        service.clock.ms += 2_000


def test_several_processes_tell_everything_once(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"database_url": postgres.database(), "auditor_token": AUDITOR}
    first = Service(tmp_path, settings)
    others = [Service(tmp_path, settings | {"fees": NO_FEES}, first.clock, label) for label in ("second", "third")]
    newest, before = told(first, "schedule")
    assert (newest["old"], newest["new"]) == (before["new"], NO_FEES)
    assert len(told(first, "key")) == 3
    first.tick()
    for worker in (first, *others):
        step_back(worker, monkeypatch)
    assert len(told(first, "clock")) == 1
    for worker in others:
        with pytest.raises(ClockSteppedBack):
            worker.restart(-2_000)
    assert [one["code"] for one in told(first, "refused_start")] == ["clock_stepped_back"]
    first.stop()
    postgres.drop(settings["database_url"])


def test_a_refused_start_is_told_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that was put back: tried three times, then restored, it still says so; the log is one history."""
    alice = service.person("alice")
    service.tick(1_000)
    set_aside(service)
    service.tick(2_000)
    log_of(service, ok(alice.post("/v1/tables", {"game": "duel", "stake": 0}))["m"], leaf="open")
    put_back(service)
    for _ in range(3):
        with pytest.raises(LogBehind) as refused:
            service.start()
    restored(service, monkeypatch)
    service.start()
    (told_once,) = told(service, "refused_start")
    assert (told_once["code"], told_once["why"]) == ("log_behind", refused.value.message)
    check_one_history(service)
    for _ in range(2):
        service.tick()
        with pytest.raises(ClockSteppedBack):
            service.restart(-5_000)
        service.restart(10_000)
    assert [one["code"] for one in told(service, "refused_start")] == [*["clock_stepped_back"] * 2, "log_behind"]


def test_a_start_that_cannot_be_told_is_refused_for_its_own_reason(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object) -> None:
        raise StoreFailed("the disk is full")

    service.tick()
    with monkeypatch.context() as patched:
        patched.setattr(SqlStore, "keep_significant", full_disk)
        with pytest.raises(ClockSteppedBack):
            service.restart(-5_000)
    service.restart(5_000)
    assert told(service, "refused_start") == []
