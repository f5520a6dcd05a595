"""How a pot is paid out: the lines of the `settle` event (protocol section 2), from the ending alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fairdeal.errors import Malformed
from fairdeal.ledger.fees import Fees, FeeSchedule
from fairdeal.limits import MAX_SAFE_INTEGER


@dataclass(frozen=True, slots=True)
class Win:
    """A side won (target, overruns, resignation): fees are paid, the side gets all the rest."""

    side: int


@dataclass(frozen=True, slots=True)
class SeedForfeit:
    """Only this side brought all its seeds: it gets its own stakes and the others', one each. No fee."""

    side: int


@dataclass(frozen=True, slots=True)
class Refund:
    """Nobody won (void, or no side brought all its seeds): each seat gets its stake back. No fee."""


Outcome: TypeAlias = Win | SeedForfeit | Refund


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `account` is "pot", "seat:0" …, "commission" or "tax"; a negative amount leaves it."""

    account: str
    amount: int


def settlement(sides: Sequence[int], stake: int, outcome: Outcome, fees: FeeSchedule) -> tuple[Line, ...]:
    """The lines in their written order, summing to zero, zero lines kept; none at all when nothing was staked.

    `sides[seat]` is the seat's side; the sides are equally large. A side shares evenly, and units that do not divide go
    one each to its lower seats. Raises Malformed for sides, a stake or a winner that no table has.
    """
    _check(sides, stake, outcome)
    if stake == 0:
        return ()
    pot = stake * len(sides)
    parts = fees.breakdown(pot) if isinstance(outcome, Win) else Fees(0, 0, pot)
    payouts = [stake] * len(sides) if isinstance(outcome, Refund) else _share(sides, outcome.side, parts.net)
    return (
        Line("pot", -pot),
        *(Line(f"seat:{seat}", amount) for seat, amount in enumerate(payouts)),
        Line("commission", parts.commission),
        Line("tax", parts.tax),
    )


def _share(sides: Sequence[int], winner: int, amount: int) -> list[int]:
    share, odd = divmod(amount, sides.count(winner))
    payouts = [0] * len(sides)
    for position, seat in enumerate(seat for seat, side in enumerate(sides) if side == winner):
        payouts[seat] = share + (position < odd)
    return payouts


def _check(sides: Sequence[int], stake: int, outcome: Outcome) -> None:
    if len({sides.count(side) for side in set(sides)}) != 1:
        raise Malformed("sides are equally large, and there is at least one")
    if stake < 0 or stake * len(sides) > MAX_SAFE_INTEGER:
        raise Malformed("a stake is not negative, and its pot within 2^53−1")
    if not isinstance(outcome, Refund) and outcome.side not in sides:
        raise Malformed("no such side at this table")
