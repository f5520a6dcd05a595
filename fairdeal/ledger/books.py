"""What must hold over a whole set of books at any moment between two transactions."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairdeal.errors import LedgerBroken
from fairdeal.ledger.model import CASHIER, Purpose, purpose


@dataclass(frozen=True, slots=True)
class Books:
    """One moment of one asset, read from the records that must agree.

    `balances`: account → the balance kept beside it; `entries`: account → the sum of all its entries; `holds`:
    `player:…:held` → the sum of its holds that have not ended; `pending`: `player:…:pending` → the sum
    of its withdrawals that have not ended; `pots`: `match:…:pot` → stake × seats of each match that has its pot and has
    not ended.
    """

    balances: Mapping[str, int]
    entries: Mapping[str, int]
    holds: Mapping[str, int]
    pending: Mapping[str, int]
    pots: Mapping[str, int]


def check_books(books: Books) -> None:
    """Raises LedgerBroken, naming the account, unless every balance is what its entries say, none but the cashier's
    is negative, all together are zero, held money is what the holds say, pending money what the withdrawals say, and
    pots are what live matches staked.
    """
    for account in books.balances.keys() | books.entries.keys():
        balance = books.balances.get(account, 0)
        if balance != books.entries.get(account, 0):
            raise LedgerBroken(f"{account}: the balance is not the sum of its entries")
        if balance < 0 and account != CASHIER:
            raise LedgerBroken(f"{account}: below zero")
    if sum(books.balances.values()) != 0:
        raise LedgerBroken("the balances do not sum to zero")
    _agree(books.balances, books.holds, "held", "not what its open holds say")
    _agree(books.balances, books.pending, "pending", "not what its open withdrawals say")
    _agree(books.balances, books.pots, "pot", "not what its live match staked")


def _agree(balances: Mapping[str, int], due: Mapping[str, int], of: Purpose, fault: str) -> None:
    kept = {account: amount for account, amount in balances.items() if amount and purpose(account) == of}
    for account in kept.keys() | due.keys():
        if kept.get(account, 0) != due.get(account, 0):
            raise LedgerBroken(f"{account}: {fault}")
