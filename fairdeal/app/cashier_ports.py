"""What the cashier needs of a store: money that comes in, and money that leaves."""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from fairdeal.app.once import Once
from fairdeal.ledger import Transaction

WithdrawalResult: TypeAlias = Literal["paid", "refused"]


@dataclass(frozen=True, slots=True)
class Moved:
    """What a deposit, or a reversal, has moved: the transaction, by how much the free money has changed, negative where
    a deposit was undone, and the free balance right after it.
    """

    transaction: str
    amount: int
    asset: str
    balance: int
    at: int


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Money that a player wants out. It is pending until `result` and `ended_at` stand; a payout that should not have
    been is given back at `reversed_at`. `seq` only orders and pages.
    """

    seq: int
    id: str
    account_id: str
    asset: str
    amount: int
    asked_at: int
    result: WithdrawalResult | None
    ended_at: int | None
    reversed_at: int | None


class CashierStore(Protocol):
    """The cashier's part of a store. Any method can raise an error of the family `Broken`."""

    def deposit(self, account_id: str, money: Transaction, once: Once) -> Moved:
        """`money` is a `ledger.deposit`. Raises UnknownAccount, PlayStopped, Excluded, PlayerLimitReached,
        LimitExceeded, IdempotencyConflict.
        """

    def reverse(self, mistake: str, reason: str, at: int, once: Once) -> Moved:
        """Undoes the deposit or the payout of that transaction id, with a significant event. Raises NotReversible,
        UnknownAccount, InsufficientFunds when the money of a deposit is not there any more, LimitExceeded,
        IdempotencyConflict.
        """

    def withdraw(self, withdrawal_id: str, account_id: str, money: Transaction, once: Once) -> Withdrawal:
        """`money` is its `ledger.withdraw`. Raises UnknownAccount, InsufficientFunds, IdempotencyConflict."""

    def end_withdrawal(self, withdrawal_id: str, result: WithdrawalResult, at: int, once: Once) -> Withdrawal:
        """Pays it out or gives it back, with the money. Of one that has ended so already: how it ended.

        Raises UnknownWithdrawal, WithdrawalEnded when it ended the other way, IdempotencyConflict.
        """

    def withdrawals(self, account_id: str, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        """Those of an account."""

    def pending_withdrawals(self, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        """Those of everybody that wait for the cashier."""
