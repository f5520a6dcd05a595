"""What the whole service plays by: its keys, its terms, its clock and its source of randomness."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fairdeal.commit import Custody
from fairdeal.errors import KeyMissing, TermsRefused
from fairdeal.keys import PublicKey
from fairdeal.ledger import FeeSchedule
from fairdeal.match import terms
from fairdeal.tlog import NoteSigner


class Clock(Protocol):
    """Where times come from."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""


class Entropy(Protocol):
    """Where ids, codes, tokens, nonces and server seeds come from."""

    def take(self, count: int) -> bytes:
        """`count` fresh random bytes."""


@dataclass(frozen=True, slots=True)
class House:
    """Decided once, when the service starts. Times are in ms.

    `receipts` signs receipts and views of new matches, `retired_receipts` those of the matches that opened with them.
    `assets` are what may be staked, the usual one first, with `fees` by its code. `clock` is every table's; its
    `decision_ms` is the usual one, and an opener may choose any of `decisions_ms`; `tables_max` are the unfinished
    tables that one account may have opened. An account can be erased `account_kept_ms` after its last use.
    """

    log: str
    receipts: NoteSigner = field(repr=False)
    retired_receipts: tuple[NoteSigner, ...] = field(repr=False)
    custody: Custody = field(repr=False)
    assets: tuple[terms.Asset, ...]
    fees: Mapping[str, FeeSchedule]
    clock: terms.Clock
    decisions_ms: tuple[int, ...]
    deals_max: int
    table_wait_ms: int
    tables_max: int
    session_ms: int
    account_kept_ms: int

    def asset(self, code: str | None) -> terms.Asset:
        """The asset of that code, None for the usual one. Raises TermsRefused."""
        for asset in self.assets:
            if code in (None, asset.code):
                return asset
        raise TermsRefused("the house has no such money", {"assets": [asset.code for asset in self.assets]})

    def receipts_of(self, opened_with: PublicKey) -> NoteSigner:
        """What signs the receipts and views of a match, by the `receipt_key` of its terms. Raises KeyMissing."""
        for signer in (self.receipts, *self.retired_receipts):
            if signer.verifier_key.public == opened_with:
                return signer
        raise KeyMissing(f"the receipts key {opened_with.hex}, which a match opened with, is not at hand")
