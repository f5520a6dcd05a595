"""What an auditor is told of the service itself, each once: its keys and its fees, when they are others than at the
last start; a clock that stepped back; a start that was refused.

What was told last is all that is remembered of it.
"""

from collections.abc import Mapping
from dataclasses import asdict

from fairdeal.app.house import House
from fairdeal.app.log_keys import LogKeys
from fairdeal.app.ports import SignificantEvent, SignificantKind, Store
from fairdeal.errors import ClockSteppedBack, FairdealError


def tell_changes(store: Store, house: House, keys: LogKeys, now: int) -> None:
    """At a start, one process at a time. The first start of all tells everything, with nothing before it."""
    log_key, receipts_key = keys.current()
    ids = {"log": log_key.format(), "receipts": receipts_key.format(), "sealing": house.custody.fingerprint}
    for key, id_ in ids.items():
        _tell_new(store, "key", {"key": key}, id_, now)
    for asset in house.assets:
        of_asset: dict[str, str | int] = {"asset": asset.code, "exponent": asset.exponent}
        _tell_new(store, "schedule", of_asset, asdict(house.fees[asset.code]), now)


def tell_step(store: Store, error: ClockSteppedBack) -> None:
    """Once for all processes of a machine: the heartbeat stands still until its clock is right. It is told with the
    heartbeat's time, as the clock's own is wrong.
    """
    beat = store.last_beat()
    _tell_once(store, "clock", {"beat": beat}, error, beat or 0)


def tell_refusal(store: Store, error: FairdealError, now: int) -> None:
    """Once for one reason, however often the start is tried, until the heartbeat goes on."""
    beat = store.last_beat()
    _tell_once(store, "refused_start", {"beat": beat, "code": error.code}, error, max(now, beat or 0))


def _tell_once(
    store: Store, kind: SignificantKind, about: Mapping[str, str | int | None], error: FairdealError, at: int
) -> None:
    with store.alone("telling") as mine:
        if mine and store.last_significant(kind, about) is None:
            store.keep_significant(SignificantEvent(at, kind, {**about, "why": error.message}))


def _tell_new(
    store: Store, kind: SignificantKind, about: Mapping[str, str | int], new: str | Mapping[str, str | int], now: int
) -> None:
    last = store.last_significant(kind, about)
    old = None if last is None else last.data["new"]
    if old != new:
        store.keep_significant(SignificantEvent(now, kind, {**about, "old": old, "new": new}))
