"""What a player may ask of a store about the time behind: own matches, and the money of a month."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WalletLine:
    """One entry on a player's free money, with the balance after it; `seq` only orders and pages."""

    seq: int
    transaction: str
    kind: str
    amount: int
    balance: int
    match: str | None
    at: int

    @property
    def balance_before(self) -> int:
        """The free balance that the entry found."""
        return self.balance - self.amount


@dataclass(frozen=True, slots=True)
class Total:
    """What the entries of one kind come to."""

    kind: str
    lines: int
    amount: int


@dataclass(frozen=True, slots=True)
class Statement:
    """The free money over a span of time: the balance before it, what its entries come to by kind, the balance after
    it. The entries are those above the place `after`, up to `last`.
    """

    opening: int
    totals: tuple[Total, ...]
    closing: int
    after: int
    last: int


@dataclass(frozen=True, slots=True)
class OwnMatch:
    """A match that an account sits at, or sat at to its end. `seq` only orders and pages; times are in ms.

    `line` is its `open` event, `last` its last few events once it has ended, `net` what it has done to the account's
    free money so far.
    """

    seq: int
    match_id: str
    seat: int
    player: str
    sat_at: int
    stake: int
    status: str
    line: bytes
    ended_at: int | None
    last: tuple[bytes, ...]
    net: int


class HistoryStore(Protocol):
    """The history's part of a store. Any method can raise an error of the family `Broken`."""

    def wallet_lines(self, account_id: str, asset: str, before: int | None, limit: int) -> tuple[WalletLine, ...]: ...

    def statement(self, account_id: str, asset: str, start: int, end: int) -> Statement:
        """From `start` up to, not including, `end` (ms). Times order nothing, so a span is a stretch of the account's
        entries: whatever their times are, each entry is in one span, and a span opens with what the one before it
        closed with.
        """

    def statement_lines(self, account_id: str, asset: str, after: int, last: int, limit: int) -> tuple[WalletLine, ...]:
        """The account's entries from the first one above the place `after`, up to `last`."""

    def own_matches(self, account_id: str, before: int | None, limit: int) -> tuple[OwnMatch, ...]:
        """By when the account sat down, the newest first."""


def month_span(year: int, month: int) -> tuple[int, int]:
    """A calendar month, UTC: when it begins, and when the next one does (ms since the epoch)."""
    return _first_ms(year, month), _first_ms(year + month // 12, month % 12 + 1)


def _first_ms(year: int, month: int) -> int:
    return round(datetime(year, month, 1, tzinfo=UTC).timestamp() * 1000)
