"""Posting transactions: balances, entries, header, and the holds that follow. Inside the caller's transaction."""

from sqlalchemy import BigInteger, ColumnElement, Connection, cast, exists, func, insert, literal, select, update

from fairdeal.app.ports import Status, Wallet
from fairdeal.errors import InsufficientFunds, LedgerBroken, LimitExceeded
from fairdeal.ledger import CASHIER, Books, Posting, Transaction, cash, held, pending, pot
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.store.cashier_tables import withdrawals
from fairdeal.store.numbers import take
from fairdeal.store.statements import insert_unless_there
from fairdeal.store.tables import balances, entries, hold_endings, holds, matches, transactions

# Two transactions that need the same balances take them in the same order, and neither waits for the other for ever.
_LOCK_ORDER = ("match:", "player:", "house:", "tax", "cashier")


def post(connection: Connection, transaction: Transaction) -> None:
    """Entries first, header last: the header is the seal.

    Raises InsufficientFunds when a player's free money does not suffice, LimitExceeded when no more money may come
    in, LedgerBroken when any other account would pass its bounds.
    """
    ordered = sorted(transaction.postings, key=_lock_order)
    after = {posting.account: _move(connection, posting, transaction.asset) for posting in ordered}
    connection.execute(
        insert(entries),
        [
            {
                "transaction_id": transaction.id,
                "account": posting.account,
                "asset": transaction.asset,
                "amount": posting.amount,
                "balance": after[posting.account],
            }
            for posting in transaction.postings
        ],
    )
    connection.execute(
        insert(transactions).values(
            seq=take(connection, "transactions", 1),
            id=transaction.id,
            kind=transaction.kind.value,
            match_id=transaction.match,
            asset=transaction.asset,
            at=transaction.at,
            line=transaction.canonical(),
        )
    )
    for posting in transaction.postings:
        if posting.account.endswith(":held"):
            _hold(connection, transaction, posting)


def balance(connection: Connection, account: str, asset: str) -> int:
    """What stands on a ledger account; 0 where nothing ever did."""
    mine = select(balances.c.balance).where(balances.c.account == account, balances.c.asset == asset)
    amount: int | None = connection.execute(mine).scalar_one_or_none()
    return amount or 0


def wallet(connection: Connection, account_id: str, asset: str) -> Wallet:
    """A player's balances."""
    return Wallet(*(balance(connection, name(account_id), asset) for name in (cash, held, pending)))


def books(connection: Connection, asset: str) -> Books:
    """Every record of one asset that must agree with the others."""
    kept = connection.execute(select(balances.c.account, balances.c.balance).where(balances.c.asset == asset))
    sums = connection.execute(
        select(entries.c.account, _sum(entries.c.amount)).where(entries.c.asset == asset).group_by("account")
    )
    open_holds = connection.execute(
        select(holds.c.account_id, _sum(holds.c.amount))
        .join(matches, matches.c.id == holds.c.match_id)
        .where(matches.c.asset == asset, ~exists().where(hold_endings.c.hold_id == holds.c.id))
        .group_by(holds.c.account_id)
    )
    pots = connection.execute(
        select(matches.c.id, matches.c.stake * matches.c.seats).where(
            matches.c.asset == asset, matches.c.status == Status.LIVE.value, matches.c.stake > 0
        )
    )
    waiting = connection.execute(
        select(withdrawals.c.account_id, _sum(withdrawals.c.amount))
        .where(withdrawals.c.asset == asset, withdrawals.c.result.is_(None))
        .group_by(withdrawals.c.account_id)
    )
    return Books(
        balances=dict(kept.all()),
        entries=dict(sums.all()),
        holds={held(account_id): amount for account_id, amount in open_holds},
        pending={pending(account_id): amount for account_id, amount in waiting},
        pots={pot(match_id): amount for match_id, amount in pots},
    )


def _sum(amounts: ColumnElement[int]) -> ColumnElement[int]:
    return cast(func.sum(amounts), BigInteger)  # PostgreSQL's sums are decimals


def _lock_order(posting: Posting) -> tuple[int, str]:
    kinds = [place for place, prefix in enumerate(_LOCK_ORDER) if posting.account.startswith(prefix)]
    return kinds[0], posting.account


def _move(connection: Connection, posting: Posting, asset: str) -> int:
    account, amount = posting.account, posting.amount
    low = -MAX_SAFE_INTEGER if account == CASHIER else 0
    here = (balances.c.account == account) & (balances.c.asset == asset)
    guarded = (
        update(balances)
        .where(here, (balances.c.balance + amount).between(low, MAX_SAFE_INTEGER))
        .values(balance=balances.c.balance + amount)
        .returning(balances.c.balance)
    )
    after: int | None = connection.execute(guarded).scalar_one_or_none()
    if after is None:
        connection.execute(insert_unless_there(balances).values(account=account, asset=asset, balance=0))
        after = connection.execute(guarded).scalar_one_or_none()
    if after is None:
        raise _refusal(posting)
    return after


def _refusal(posting: Posting) -> InsufficientFunds | LimitExceeded | LedgerBroken:
    if posting.amount > 0 or posting.account == CASHIER:
        return LimitExceeded("no more money may come in")
    if posting.account.endswith(":cash"):
        return InsufficientFunds("the free balance does not suffice")
    return LedgerBroken(f"{posting.account} would pass its bounds")


def _hold(connection: Connection, transaction: Transaction, posting: Posting) -> None:
    """A posting into held money is a new hold; one out of it ends exactly one, whole."""
    account_id = posting.account.split(":")[1]
    if posting.amount > 0:
        new = insert(holds).values(
            id=transaction.id, match_id=transaction.match, account_id=account_id, amount=posting.amount
        )
        connection.execute(new)
        return
    mine = select(holds.c.id, literal(transaction.id)).where(
        holds.c.match_id == transaction.match,
        holds.c.account_id == account_id,
        holds.c.amount == -posting.amount,
        ~exists().where(hold_endings.c.hold_id == holds.c.id),
    )
    ending = insert(hold_endings).from_select(["hold_id", "transaction_id"], mine).returning(hold_endings.c.hold_id)
    if len(connection.execute(ending).all()) != 1:
        raise LedgerBroken(f"{posting.account}: no such hold to end")
