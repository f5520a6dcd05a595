"""Money in and out: deposits that somebody vouches for, withdrawals that players ask for and the cashier ends."""

from typing import Final, Literal, TypeAlias

from fairdeal import ledger
from fairdeal.app.cashier_ports import Moved, Withdrawal, WithdrawalResult
from fairdeal.app.house import Entropy, House
from fairdeal.app.once import Once, intent
from fairdeal.app.ports import Store
from fairdeal.app.right_clock import RightClock

_ID_BYTES: Final = 16

Scope: TypeAlias = Literal["operator", "webhook"]
"""Who vouches for it: each has idempotency keys of its own."""


class Cashier:
    """The use cases of money that comes in or leaves. Safe to call from several threads.

    Between players there is none: money moves between two of them by a match alone.
    """

    def __init__(self, store: Store, house: House, clock: RightClock, entropy: Entropy) -> None:
        self._store = store
        self._house = house
        self._clock = clock
        self._entropy = entropy

    def deposit(self, scope: Scope, key: str, account_id: str, amount: int, asset: str | None = None) -> Moved:
        """From the cashier to a player's free money. `asset` is what the amount is counted in, None for the usual one.

        Raises what `CashierStore.deposit` does; TermsRefused for an asset that the house has not.
        """
        code = self._house.asset(asset).code
        new_id = self._entropy.take(_ID_BYTES).hex()
        money = ledger.deposit(new_id, account_id, amount, asset=code, at=self._clock.now_ms())
        once = Once(scope, key, intent("deposit", account=account_id, amount=amount, asset=code))
        return self._store.deposit(account_id, money, once)

    def reverse(self, key: str, mistake: str, reason: str) -> Moved:
        """Undoes a deposit or a payout, by its transaction's id, that should not have been. The auditor sees it.

        Raises what `CashierStore.reverse` does; TermsRefused for an asset that the house has not: a payout given back
        in it could be neither seen nor withdrawn, and the next start would refuse it (`assets`). That comes before the
        key: what it answered stands there again when the house has the asset again.
        """
        found = self._store.transactions([mistake]).get(mistake)
        if found is not None:
            self._house.asset(found.asset)
        once = Once("operator", key, intent("reversal", transaction=mistake, reason=reason))
        return self._store.reverse(mistake, reason, self._clock.now_ms(), once)

    def withdraw(self, account_id: str, amount: int, key: str, asset: str | None = None) -> Withdrawal:
        """The player wants that much out: it leaves the free money at once, and waits for the cashier.

        Raises TermsRefused for the asset, InsufficientFunds, IdempotencyConflict.
        """
        new_id = self._entropy.take(_ID_BYTES).hex()
        code, now = self._house.asset(asset).code, self._clock.now_ms()
        money = ledger.withdraw(new_id, account_id, amount, asset=code, at=now)
        once = Once(account_id, key, intent("withdraw", amount=amount, asset=code))
        return self._store.withdraw(new_id, account_id, money, once)

    def end_withdrawal(self, scope: Scope, key: str, withdrawal_id: str, result: WithdrawalResult) -> Withdrawal:
        """It was paid out, or is refused and given back whole; once, whoever says so first.

        Raises UnknownWithdrawal, WithdrawalEnded when it has ended the other way, IdempotencyConflict.
        """
        once = Once(scope, key, intent("withdrawal", id=withdrawal_id, result=result))
        return self._store.end_withdrawal(withdrawal_id, result, self._clock.now_ms(), once)

    def withdrawals(self, account_id: str, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        """A player's own, newest first."""
        return self._store.withdrawals(account_id, before, limit)

    def pending(self, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        """Everybody's that wait for the cashier, newest first."""
        return self._store.pending_withdrawals(before, limit)
