"""What the house plays for, held against what it has played for."""

from fairdeal.app.house import House
from fairdeal.app.ports import Store
from fairdeal.errors import Malformed
from fairdeal.match.events import Event
from fairdeal.match.terms import Terms


def check_assets(store: Store, house: House) -> None:
    """The same units under another exponent would be other money, and money of an asset that the house has no more
    could neither be seen nor withdrawn. Raises Malformed when the newest match for an asset, or the last start while
    there is money in it, has another exponent than the house, and for money in an asset that the house has not.
    """
    held = store.held_assets()
    gone = held - {asset.code for asset in house.assets}
    if gone:
        raise Malformed(f"there is money in {', '.join(sorted(gone))}, which must stay among the assets")
    for asset in house.assets:
        for exponent in (_played(store, asset.code), _started(store, asset.code) if asset.code in held else None):
            if exponent not in (None, asset.exponent):
                raise Malformed(
                    f"{asset.code} has {exponent} decimals in this database, not {asset.exponent}:"
                    " an asset keeps them for ever, another code is another asset"
                )


def _played(store: Store, code: str) -> int | None:
    line = store.newest_open(code)
    return None if line is None else Terms.parse(Event.parse(line).data).asset.exponent


def _started(store: Store, code: str) -> int | None:
    """As the auditor was told at the last start that changed it (`changes`)."""
    told = store.last_significant("schedule", {"asset": code})
    return None if told is None else int(str(told.data["exponent"]))
