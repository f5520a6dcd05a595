"""Deposits, withdrawals, and what undoes a mistake. Inside the caller's transaction."""

from dataclasses import asdict

from sqlalchemy import ColumnElement, Connection, insert, select, update

from fairdeal import ledger
from fairdeal.app.cashier_ports import Moved, Withdrawal, WithdrawalResult
from fairdeal.app.ports import SignificantEvent
from fairdeal.errors import LedgerBroken, NotReversible, UnknownWithdrawal, WithdrawalEnded
from fairdeal.ledger import Transaction
from fairdeal.store import audit, books, safeguards
from fairdeal.store.cashier_rows import withdrawals
from fairdeal.store.dialects import lock
from fairdeal.store.once import KeptAnswer
from fairdeal.store.people import check_account, lock_account
from fairdeal.store.rows import transactions


def deposit(connection: Connection, account_id: str, money: Transaction) -> KeptAnswer:
    """Raises what `ports.Store.deposit` says; LedgerBroken when it is not a deposit of that account."""
    lock_account(connection, account_id)
    deposit_id = money.id.partition(":")[2]
    amount = sum(posting.amount for posting in money.postings if posting.amount > 0)
    if money != ledger.deposit(deposit_id, account_id, amount, asset=money.asset, at=money.at):
        raise LedgerBroken("the money is not a deposit of that account")
    safeguards.check_deposit(connection, account_id, money.asset, amount, money.at)
    books.post(connection, money)
    balance = books.balance(connection, ledger.cash(account_id), money.asset)
    return asdict(Moved(money.id, amount, money.asset, balance, money.at))


def reverse(connection: Connection, mistake_id: str, reason: str, at: int) -> KeptAnswer:
    """Raises what `CashierStore.reverse` says."""
    mistake = books.stored_transactions(connection, [mistake_id]).get(mistake_id)
    if mistake is None:
        raise NotReversible("there is no such transaction", {"why": "unknown"})
    if mistake.kind not in (ledger.Kind.DEPOSIT, ledger.Kind.PAYOUT):
        raise NotReversible("only deposits and payouts are reversed", {"why": "kind"})
    money = ledger.reverse(mistake, at=at)
    account_id = ledger.owner(next(one.account for one in money.postings if one.account != ledger.CASHIER))
    lock_account(connection, account_id)
    if books.stored_transactions(connection, [money.id]):
        raise NotReversible("it was reversed before", {"why": "reversed"})
    books.post(connection, money)
    done = {"account": account_id, "reason": reason, "transaction": mistake_id}
    audit.keep(connection, SignificantEvent(at, "reversal", done))
    free = ledger.cash(account_id)
    amount = sum(posting.amount for posting in money.postings if posting.account == free)
    return asdict(Moved(money.id, amount, money.asset, books.balance(connection, free, money.asset), at))


def withdraw(connection: Connection, withdrawal_id: str, account_id: str, money: Transaction) -> KeptAnswer:
    """Raises UnknownAccount, InsufficientFunds; LedgerBroken when the money is not that withdrawal's."""
    check_account(connection, account_id)
    amount = sum(posting.amount for posting in money.postings if posting.amount > 0)
    if money != ledger.withdraw(withdrawal_id, account_id, amount, asset=money.asset, at=money.at):
        raise LedgerBroken("the money is not that withdrawal's")
    books.post(connection, money)
    new = insert(withdrawals).values(
        id=withdrawal_id, account_id=account_id, asset=money.asset, amount=amount, asked_at=money.at
    )
    connection.execute(new)
    return {"id": withdrawal_id}


def end_withdrawal(connection: Connection, withdrawal_id: str, result: WithdrawalResult, at: int) -> KeptAnswer:
    """Raises UnknownWithdrawal, WithdrawalEnded."""
    mine = withdrawals.c.id == withdrawal_id
    lock(connection, withdrawals, mine)
    asked = withdrawal(connection, withdrawal_id)
    if asked.result is None:
        movement = ledger.pay_withdrawal if result == "paid" else ledger.refuse_withdrawal
        books.post(connection, movement(asked.id, asked.account_id, asked.amount, asset=asked.asset, at=at))
        connection.execute(update(withdrawals).where(mine).values(result=result, ended_at=at))
    elif asked.result != result:
        raise WithdrawalEnded("the withdrawal has ended the other way", {"result": asked.result})
    return {"id": withdrawal_id}


def of_account(connection: Connection, account_id: str, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
    """Newest first."""
    return _some(connection, withdrawals.c.account_id == account_id, before, limit)


def pending(connection: Connection, before: int | None, limit: int) -> tuple[Withdrawal, ...]:
    """Newest first."""
    return _some(connection, withdrawals.c.result.is_(None), before, limit)


def withdrawal(connection: Connection, withdrawal_id: str) -> Withdrawal:
    """Raises UnknownWithdrawal."""
    found = _some(connection, withdrawals.c.id == withdrawal_id, None, 1)
    if not found:
        raise UnknownWithdrawal("there is no such withdrawal")
    return found[0]


def _some(connection: Connection, which: ColumnElement[bool], before: int | None, limit: int) -> tuple[Withdrawal, ...]:
    if before is not None:
        which &= withdrawals.c.seq < before
    # That a payout was reversed stands in the journal alone.
    given_back = (withdrawals.c.result == "paid") & (transactions.c.id == "reversal:" + withdrawals.c.id)
    some = select(withdrawals, transactions.c.at).outerjoin(transactions, given_back).where(which)
    rows = connection.execute(some.order_by(withdrawals.c.seq.desc()).limit(limit))
    return tuple(Withdrawal(*row) for row in rows)
