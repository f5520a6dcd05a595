"""What an auditor is told of the service itself: its keys and its fees, when they are others than at the last start.

What they were then is what was told last: nothing else remembers it.
"""

from collections.abc import Mapping
from dataclasses import asdict

from fairdeal.app.house import House
from fairdeal.app.log_keys import LogKeys
from fairdeal.app.ports import SignificantEvent, SignificantKind, Store


def tell_changes(store: Store, house: House, keys: LogKeys, now: int) -> None:
    """At a start, one process at a time. The first start of all tells everything, with nothing before it."""
    log_key, receipts_key = keys.current()
    ids = {"log": log_key.format(), "receipts": receipts_key.format(), "sealing": house.custody.fingerprint}
    for key, id_ in ids.items():
        _tell_new(store, "key", {"key": key}, id_, now)
    for asset in house.assets:
        _tell_new(store, "schedule", {"asset": asset.code}, asdict(house.fees[asset.code]), now)


def _tell_new(
    store: Store, kind: SignificantKind, about: Mapping[str, str], new: str | Mapping[str, str | int], now: int
) -> None:
    last = store.last_significant(kind, about)
    old = None if last is None else last.data["new"]
    if old != new:
        store.keep_significant(SignificantEvent(now, kind, {**about, "old": old, "new": new}))
