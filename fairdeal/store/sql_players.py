"""The part of `sql` about a player's money, safeguards and recovery. As there, each method is one transaction."""

from fairdeal.app.cashier_ports import Moved, Withdrawal, WithdrawalResult
from fairdeal.app.once import Once
from fairdeal.app.safeguard_ports import Exclusion, Limit, LimitKind, Period, Switch
from fairdeal.ledger import Transaction
from fairdeal.store import cashier, lobby, people, safeguards
from fairdeal.store.database import Database
from fairdeal.store.once import KeptAnswer, answer, given


class SqlPlayerStore:
    """`CashierStore`, `RecoveryStore` and `SafeguardStore` of `app`, over a database that a subclass has opened."""

    _database: Database

    def deposit(self, account_id: str, money: Transaction, once: Once) -> Moved:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: cashier.deposit(connection, account_id, money))
        return Moved(**given(outcome))

    def reverse(self, mistake: str, reason: str, at: int, once: Once) -> Moved:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: cashier.reverse(connection, mistake, reason, at))
        return Moved(**given(outcome))

    def withdraw(self, withdrawal_id: str, account_id: str, money: Transaction, once: Once) -> Withdrawal:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: cashier.withdraw(connection, withdrawal_id, account_id, money))
        return self._withdrawal(given(outcome))

    def end_withdrawal(self, withdrawal_id: str, result: WithdrawalResult, at: int, once: Once) -> Withdrawal:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: cashier.end_withdrawal(connection, withdrawal_id, result, at))
        return self._withdrawal(given(outcome))

    def _withdrawal(self, asked: KeptAnswer) -> Withdrawal:
        """As it stands now, whenever the key was used first."""
        with self._database.read() as connection:
            return cashier.withdrawal(connection, asked["id"])

    def withdrawals(self, account_id: str, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        with self._database.read() as connection:
            return cashier.of_account(connection, account_id, before, limit)

    def pending_withdrawals(self, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
        with self._database.read() as connection:
            return cashier.pending(connection, before, limit)

    def set_limit(
        self, account_id: str, asset: str, kind: LimitKind, period: Period, amount: int | None, at: int
    ) -> Limit:
        with self._database.write() as connection:
            return safeguards.set_limit(connection, account_id, asset, kind, period, amount, at)

    def limits(self, account_id: str, at: int) -> tuple[Limit, ...]:
        with self._database.read() as connection:
            return safeguards.limits_of(connection, account_id, at)

    def exclude(self, account_id: str, exclusion: Exclusion) -> tuple[str, ...]:
        with self._database.write() as connection:
            safeguards.exclude(connection, account_id, exclusion)
            return lobby.leave_open_tables(connection, account_id, exclusion.at)

    def exclusion(self, account_id: str, at: int) -> Exclusion | None:
        with self._database.read() as connection:
            return safeguards.exclusion(connection, account_id, at)

    def switch(self, switch: Switch) -> tuple[str, ...]:
        with self._database.write() as connection:
            safeguards.switch(connection, switch)
            if switch.on or switch.account_id is None:
                return ()
            return lobby.leave_open_tables(connection, switch.account_id, switch.at)

    def switches_off(self) -> tuple[Switch, ...]:
        with self._database.read() as connection:
            return safeguards.switches_off(connection)

    def renew_recovery(self, account_id: str, password_hash: str, code_hash: bytes) -> None:
        with self._database.write() as connection:
            people.renew_recovery(connection, account_id, password_hash, code_hash)

    def recover(self, account_id: str, code_hash: bytes, password_hash: str, next_code_hash: bytes) -> None:
        with self._database.write() as connection:
            people.recover(connection, account_id, code_hash, password_hash, next_code_hash)

    def reset(self, account_id: str, password_hash: str, code_hash: bytes, reason: str, at: int) -> None:
        with self._database.write() as connection:
            people.reset(connection, account_id, password_hash, code_hash, reason, at)
