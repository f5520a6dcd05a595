"""What the record of a match is made of: facts that a store has of it, none of them kept for the record's sake."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """An entry of one of the match's transactions, with the account's balance after it."""

    transaction: str
    kind: str
    at: int
    account: str
    amount: int
    balance: int


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """Whose a seat is: the account, its pseudonym there, and when it sat down (ms)."""

    seat: int
    account_id: str
    player: str
    sat_at: int


@dataclass(frozen=True, slots=True)
class MatchFacts:
    """One match. `size` is its number of events; `head` are the first of them, up to where the first deal stands when
    no `resume` came before it, `last` the last few once it has ended. `entries` go by their transactions' order. `seq`
    only orders and pages.
    """

    seq: int
    match_id: str
    status: str
    opener: str
    visibility: str
    opened_at: int
    ended_at: int | None
    size: int
    head: tuple[bytes, ...]
    last: tuple[bytes, ...]
    seated: tuple[SeatFacts, ...]
    entries: tuple[MatchEntry, ...]


class RecordStore(Protocol):
    """The records' part of a store. Any method can raise an error of the family `Broken`."""

    def match_facts(self, before: int | None, limit: int) -> tuple[MatchFacts, ...]:
        """Every match, whatever its status, the last one opened first."""
