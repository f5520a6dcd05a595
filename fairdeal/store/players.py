"""The part of `SqlStore` that is about a player's money and rules. As there, each method is one transaction."""

from fairdeal.app.cashier_ports import Deposited, Withdrawal, WithdrawalResult
from fairdeal.app.once import Once
from fairdeal.ledger import Transaction
from fairdeal.store import cashier
from fairdeal.store.database import Database
from fairdeal.store.once import answer, given


class PlayerRecords:
    """`app.cashier_ports.CashierStore` over a database that a subclass has opened."""

    _database: Database

    def deposit(self, account_id: str, money: Transaction, once: Once) -> Deposited:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: cashier.deposit(connection, account_id, money))
        return Deposited(**given(outcome))

    def withdraw(self, withdrawal_id: str, account_id: str, money: Transaction, once: Once) -> Withdrawal:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: cashier.withdraw(connection, withdrawal_id, account_id, money))
        return Withdrawal(**given(outcome))

    def end_withdrawal(self, withdrawal_id: str, result: WithdrawalResult, at: int, once: Once) -> Withdrawal:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: cashier.end_withdrawal(connection, withdrawal_id, result, at))
        return Withdrawal(**given(outcome))

    def withdrawals(self, account_id: str, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        with self._database.read() as connection:
            return cashier.of_account(connection, account_id, before, limit)

    def pending_withdrawals(self, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        with self._database.read() as connection:
            return cashier.pending(connection, before, limit)
