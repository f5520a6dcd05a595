"""What the proof of the books reads of a store, beside the journal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from fairdeal.ledger import Books, Transaction


@dataclass(frozen=True, slots=True)
class WholeBooks:
    """One moment: how many transactions there are, and the books of every asset."""

    size: int
    assets: Mapping[str, Books]


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """How a match ended, in play and in money. `seated` are the accounts by seat, `last` its last few events; `settled`
    says whether its end in money is written, `money` is the transaction that it names. `seq` only orders and pages.
    """

    seq: int
    match_id: str
    asset: str
    stake: int
    seated: Mapping[int, str]
    last: tuple[bytes, ...]
    settled: bool
    money: Transaction | None


class ProofStore(Protocol):
    """The proof's part of a store. Any method can raise an error of the family `Broken`."""

    def whole_books(self) -> WholeBooks: ...

    def transactions(self, ids: Sequence[str]) -> Mapping[str, Transaction]:
        """These, by id, as their headers and entries say, whatever their lines do."""

    def match_ends(self, after: int, limit: int) -> tuple[MatchEnd, ...]:
        """The matches that have ended, by `seq`, from the one after it on."""

    def newest_ledger_leaf(self) -> bytes | None:
        """The last `ledger` leaf of the log; None before there is any."""
