"""What the house plays for, held against what it has played for."""

from fairdeal.app.house import House
from fairdeal.app.ports import Store
from fairdeal.errors import Malformed
from fairdeal.match.events import Event
from fairdeal.match.terms import Terms


def check_assets(store: Store, house: House) -> None:
    """The same units under another exponent would be other money, and money of an asset that the house has no more
    could neither be seen nor withdrawn. Raises Malformed when the newest match for an asset has another exponent than
    the house, and for money in an asset that the house has not.
    """
    gone = store.held_assets() - {asset.code for asset in house.assets}
    if gone:
        raise Malformed(f"there is money in {', '.join(sorted(gone))}, which must stay among the assets")
    for asset in house.assets:
        line = store.newest_open(asset.code)
        if line is not None:
            played = Terms.parse(Event.parse(line).data).asset
            if played != asset:
                raise Malformed(
                    f"{asset.code} has {played.exponent} decimals in this database, not {asset.exponent}:"
                    " an asset keeps them for ever, another code is another asset"
                )
