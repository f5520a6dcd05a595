"""What protects players from their own play, and the house from going on: as the store keeps and checks it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, Protocol, TypeAlias

LimitKind: TypeAlias = Literal["deposit", "loss", "stake"]
Period: TypeAlias = Literal["day", "week", "month"]
ExclusionKind: TypeAlias = Literal["cool_off", "exclusion"]

RAISE_DELAY_MS: Final = 24 * 3_600_000
"""From asking for a higher limit, or for none, until it holds: a night's sleep. A lower one holds at once."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A player's own limit in force in an asset, None for none. At `next_from`, when that stands, `next_amount` takes
    its place.
    """

    asset: str
    kind: LimitKind
    period: Period
    amount: int | None
    next_amount: int | None
    next_from: int | None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A player's own stop: no new seat and no deposit before `until`, None for good. Nobody takes it back."""

    kind: ExclusionKind
    at: int
    until: int | None


@dataclass(frozen=True, slots=True)
class Switch:
    """The operator's word that play goes on or stops, for one account or, None, for everybody."""

    account_id: str | None
    on: bool
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class CashMove:
    """What one transaction did to a player's free money, in the order of the journal. `of` is its match, or else the
    deposit or the withdrawal, as its id has it.
    """

    kind: str
    amount: int
    of: str


class SafeguardStore(Protocol):
    """The safeguards' part of a store. Any method can raise an error of the family `Broken`.

    Each write is a significant event too; what changes nothing is no write. Seats and deposits are held to all
    of this in their own transactions.
    """

    def set_limit(
        self, account_id: str, asset: str, kind: LimitKind, period: Period, amount: int | None, at: int
    ) -> Limit:
        """Not above the one in force: at once. Above it, or none: after RAISE_DELAY_MS. What else was to come is
        dropped; what is to come already keeps its time. Raises UnknownAccount.
        """

    def limits(self, account_id: str, at: int) -> tuple[Limit, ...]:
        """Those that are in force or to come."""

    def exclude(self, account_id: str, exclusion: Exclusion) -> tuple[str, ...]:
        """Seats at tables that are not full are given up with it, the stakes back: the matches of these tables. One
        that ends no later than the one in force changes nothing.

        Raises UnknownAccount.
        """

    def exclusion(self, account_id: str, at: int) -> Exclusion | None:
        """The one that lasts longest of those in force."""

    def switch(self, switch: Switch) -> tuple[str, ...]:
        """Whoever is stopped alone gives up seats at tables that are not full, as in `exclude`. Whose play is stopped
        has taken no seat once this returns. What is so already is no event: play that is on, or that is off for this
        reason. Raises UnknownAccount.
        """

    def switches_off(self) -> tuple[Switch, ...]:
        """Whom play is stopped for."""


def period_start(period: Period, at: int) -> int:
    """When the day, the week (from Monday on) or the month of a time began, UTC: no zone's clock changes move it."""
    day = datetime.fromtimestamp(at // 1000, UTC).replace(hour=0, minute=0, second=0)
    if period == "week":
        day -= timedelta(days=day.weekday())
    elif period == "month":
        day = day.replace(day=1)
    return round(day.timestamp()) * 1000


def used(kind: LimitKind, moves: Iterable[CashMove]) -> int:
    """How much of a limit the moves of a period take up.

    A stake counts in the period in which the seat was taken, as lost until the match pays it out; what is given back
    whole never counted, nor did a deposit that is reversed. What a match of before gives back is no new room, nor are
    its winnings, nor is the reversal of a deposit of before.
    """
    deposits, stakes, paid = dict[str, int](), dict[str, int](), dict[str, int]()
    for move in moves:
        if move.kind == "deposit":
            deposits[move.of] = move.amount
        elif move.kind == "reversal":
            deposits.pop(move.of, None)
        elif move.kind == "sit":
            stakes[move.of] = -move.amount
        elif move.kind in ("stand", "cancel", "void"):
            stakes.pop(move.of, None)
        elif move.kind in ("finish", "seed"):
            paid[move.of] = move.amount
    match kind:
        case "deposit":
            return sum(deposits.values())
        case "stake":
            return sum(stakes.values())
        case "loss":
            return sum(stake - paid.get(m, 0) for m, stake in stakes.items())
