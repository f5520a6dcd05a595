"""Commission and tax on a pot: one rounding rule, and every unit accounted for."""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from fairdeal.errors import Malformed
from fairdeal.ids import FEES_ID
from fairdeal.limits import MAX_SAFE_INTEGER

BASIS_POINTS: Final = 10_000
"""One whole, in basis points."""

TaxBase: TypeAlias = Literal["pot", "commission"]

_ID = re.compile(FEES_ID)


@dataclass(frozen=True, slots=True)
class Fees:
    """How a pot parts: `commission + tax + net` is the pot, for every amount and schedule."""

    commission: int
    tax: int
    net: int


@dataclass(frozen=True, slots=True)
class FeeSchedule:
    """What a match with a winner pays, as written in its `open` event. Raises Malformed outside the ranges.

    Rates are basis points (1/10000); together at most one whole, so that the winner's net is never negative.
    `commission_cap` is in minor units, 2^53−1 for none.
    """

    id: str
    commission_bp: int
    commission_cap: int
    tax_bp: int
    tax_base: TaxBase

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise Malformed(f"a fee schedule's id is {FEES_ID}")
        for figure in (self.commission_bp, self.commission_cap, self.tax_bp):
            if type(figure) is not int or not 0 <= figure <= MAX_SAFE_INTEGER:
                raise Malformed("a fee schedule's figures are integers from 0 to 2^53−1")
        if self.commission_bp + self.tax_bp > BASIS_POINTS:
            raise Malformed("commission and tax together take at most the whole pot")
        if self.tax_base not in ("pot", "commission"):
            raise Malformed("the tax base is pot or commission")

    def breakdown(self, pot: int) -> Fees:
        """The pot's parts, both fees rounded down. Raises Malformed for a negative pot."""
        if pot < 0:
            raise Malformed("a pot is not negative")
        commission = min(pot * self.commission_bp // BASIS_POINTS, self.commission_cap)
        base = pot if self.tax_base == "pot" else commission
        tax = base * self.tax_bp // BASIS_POINTS
        return Fees(commission, tax, pot - commission - tax)
