"""Accounts by name, and transactions: immutable sets of signed entries that sum to zero in one asset.

Amounts are integers in the asset's minor units, within what a browser's numbers hold exactly.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, Self, TypeAlias, cast

from fairdeal import canonical
from fairdeal.errors import LedgerBroken, Malformed
from fairdeal.ids import ASSET_CODE
from fairdeal.limits import MAX_EVENT_BYTES, MAX_SAFE_INTEGER

FORMAT: Final = "fairdeal/transaction@1"

COMMISSION: Final = "house:commission"
TAX: Final = "tax"
CASHIER: Final = "cashier"
"""Where money enters and leaves; alone in that it may stand below zero: minus what came in."""

_ACCOUNT = re.compile(r"player:[0-9a-f]{32}:(cash|held|pending)|match:[0-9a-f]{32}:pot|house:commission|tax|cashier")
_ASSET = re.compile(ASSET_CODE)
_TRANSACTION_ID = re.compile(r"[a-z]+:[0-9a-f]{32}")
_MATCH_ID = re.compile(r"[0-9a-f]{32}")


Purpose: TypeAlias = Literal["cash", "held", "pending", "pot", "commission", "tax", "cashier"]
"""What an account is for."""


class Kind(StrEnum):
    """What a transaction is for; the movements of docs/ledger.md, one each."""

    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"
    PAYOUT = "payout"
    REFUSAL = "refusal"
    REVERSAL = "reversal"
    SIT = "sit"
    STAND = "stand"
    POT = "pot"
    FINISH = "finish"
    SEED = "seed"
    VOID = "void"
    CANCEL = "cancel"


def cash(account_id: str) -> str:
    """The name of a player's free money."""
    return f"player:{account_id}:cash"


def held(account_id: str) -> str:
    """The name of a player's stakes at tables that have no pot yet."""
    return f"player:{account_id}:held"


def pending(account_id: str) -> str:
    """The name of a player's money in withdrawals that are neither paid nor refused yet."""
    return f"player:{account_id}:pending"


def pot(match_id: str) -> str:
    """The name of a match's pot."""
    return f"match:{match_id}:pot"


def owner(account: str) -> str:
    """The id of the player, or of the match, whose account of that name it is. Raises Malformed for the house's own."""
    _, *rest = account.split(":")
    if len(rest) != 2:
        raise Malformed("an account of no player and no match")
    return rest[0]


def purpose(account: str) -> Purpose:
    """What the account of that name is for."""
    return cast(Purpose, account.rpartition(":")[2])


@dataclass(frozen=True, slots=True)
class Posting:
    """One signed entry: a positive amount raises the account. Raises Malformed for zero or no account's name."""

    account: str
    amount: int

    def __post_init__(self) -> None:
        if not _ACCOUNT.fullmatch(self.account):
            raise Malformed("not the name of a ledger account")
        if type(self.amount) is not int or self.amount == 0 or abs(self.amount) > MAX_SAFE_INTEGER:
            raise Malformed("an entry's amount is not zero and within 2^53−1")


@dataclass(frozen=True, slots=True)
class Transaction:
    """Entries that happen together or not at all.

    `id` follows from what it is for ("finish" and "cancel" of one match have the same), so that nothing can be posted
    twice. `at` is in ms since the epoch and orders nothing. Raises LedgerBroken when the entries do not sum to zero
    or name an account twice, Malformed for a wrong form.
    """

    id: str
    kind: Kind
    asset: str
    at: int
    postings: tuple[Posting, ...]
    match: str | None = None

    def __post_init__(self) -> None:
        if not _TRANSACTION_ID.fullmatch(self.id):
            raise Malformed("not a transaction's id")
        if not _ASSET.fullmatch(self.asset):
            raise Malformed("not an asset's code")
        if self.match is not None and not _MATCH_ID.fullmatch(self.match):
            raise Malformed("not a match's id")
        if type(self.at) is not int or not 0 <= self.at <= MAX_SAFE_INTEGER:
            raise Malformed("not a time in ms")
        accounts = {posting.account for posting in self.postings}
        if len(self.postings) < 2 or len(accounts) != len(self.postings):
            raise LedgerBroken("a transaction has two entries or more, each on its own account")
        if sum(posting.amount for posting in self.postings) != 0:
            raise LedgerBroken("a transaction's entries sum to zero")

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """The transaction that has these canonical bytes. Raises Malformed, LedgerBroken as when it is made."""
        value: Any = canonical.decode(data, limit=MAX_EVENT_BYTES)
        try:
            entries = tuple(Posting(entry["account"], entry["amount"]) for entry in value["entries"])
            made = cls(value["id"], Kind(value["kind"]), value["asset"], value["at"], entries, value.get("match"))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise Malformed("not a transaction") from None
        if made.canonical() != data:
            raise Malformed("not a transaction's one form")
        return made

    def canonical(self) -> bytes:
        """The exact cj1 bytes that the ledger keeps, for ever. They name accounts, so they are not for publication."""
        value: dict[str, canonical.Json] = {
            "format": FORMAT,
            "id": self.id,
            "kind": self.kind.value,
            "asset": self.asset,
            "at": self.at,
            "entries": [{"account": posting.account, "amount": posting.amount} for posting in self.postings],
        }
        if self.match is not None:
            value["match"] = self.match
        return canonical.encode(value)


def postings(amounts: Iterable[tuple[str, int]]) -> tuple[Posting, ...]:
    """Entries for the accounts whose amount is not zero: nothing moves there."""
    return tuple(Posting(account, amount) for account, amount in amounts if amount)
