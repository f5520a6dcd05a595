"""A small house on any store: it makes ids, moves money by the book, and checks the whole books after every step."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from typing import TypeVar

from fairdeal import canonical, ledger
from fairdeal.app.cashier_ports import Moved, Withdrawal, WithdrawalResult
from fairdeal.app.log_ports import LogAppend
from fairdeal.app.once import Once
from fairdeal.app.ports import Account, Append, CommitResult, NewTable, Seat, Sitting, Status, Store, Table
from fairdeal.errors import FairdealError
from fairdeal.tlog import Tile, TileEdge, leaf_hash

ASSET = "JETON"
FEES = ledger.FeeSchedule("house-1", 750, 2**53 - 1, 200, "pot")
JOIN_MS = 60_000
DAY = 86_400_000
NOON = 1_700_000_000_000 // DAY * DAY + DAY // 2
"""A Tuesday of November 2023: a house begins in the middle of a day, of a week and of a month."""
MOST = 1_000
"""Unfinished tables of one opener."""
NOBODY = "f" * 32
"""The id of no account and of no match."""
Value = TypeVar("Value")


def together(*works: Callable[[], Value]) -> list[Value | FairdealError]:
    """What each work gave or raised, all started at the same moment in threads of their own."""
    barrier = Barrier(len(works))

    def run(work: Callable[[], Value]) -> Value | FairdealError:
        barrier.wait()
        try:
            return work()
        except FairdealError as error:
            return error

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(run, works))


def open_leaf(match_id: str) -> bytes:
    """An `open` of that match, with roots of no meaning."""
    return canonical.encode({"commitment": "1" * 64, "m": match_id, "root": "2" * 64, "type": "open"})


def next_append(store: Store, limit: int = 256) -> LogAppend:
    """What a sequencer would append now."""
    head = store.log_head()

    def read(tile: Tile) -> bytes:
        data = store.tile(tile)
        assert data is not None
        return data

    queued = store.queued_leaves(limit)
    edge, changed = TileEdge.load(head.size, read).append([leaf_hash(one.leaf) for one in queued])
    return LogAppend(head.size, queued, changed, edge.root())


class House:
    """`now` goes up by one with every id, so that no two things happen at the same time."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ids: Iterator[int] = count(1)
        self.now = NOON

    def id(self) -> str:
        self.now += 1
        return f"{next(self._ids):032x}"

    def once(self) -> Once:
        return Once("house", self.id(), b"i" * 32)

    def check(self) -> None:
        ledger.check_books(self.store.books(ASSET))

    def account(self, money: int = 0) -> str:
        account_id = self.id()
        self.store.create_account(Account(account_id, f"name {account_id}", "player", "hash", self.now))
        if money:
            self.deposit(account_id, money)
        return account_id

    def deposit(self, account_id: str, amount: int) -> str:
        """The transaction's id."""
        money = ledger.deposit(self.id(), account_id, amount, asset=ASSET, at=self.now)
        self.store.deposit(account_id, money, self.once())
        self.check()
        return money.id

    def reverse(self, mistake: str, once: Once | None = None) -> Moved:
        try:
            return self.store.reverse(mistake, "a slip", self.now, once or self.once())
        finally:
            self.check()

    def withdraw(self, account_id: str, amount: int) -> str:
        withdrawal_id = self.id()
        money = ledger.withdraw(withdrawal_id, account_id, amount, asset=ASSET, at=self.now)
        try:
            return self.store.withdraw(withdrawal_id, account_id, money, self.once()).id
        finally:
            self.check()

    def end(self, withdrawal_id: str, result: WithdrawalResult) -> Withdrawal:
        try:
            return self.store.end_withdrawal(withdrawal_id, result, self.now, self.once())
        finally:
            self.check()

    def new_table(self, opener: str, stake: int, seats: int = 2, code: str | None = None) -> NewTable:
        match_id = self.id()
        return NewTable(
            match_id=match_id,
            opener=opener,
            seats=seats,
            stake=stake,
            asset=ASSET,
            visibility="private" if code else "public",
            code=code,
            line=b'{"open":"' + match_id.encode() + b'"}',
            commitment=self.id() * 2,
            sealed_seed=b"sealed " + match_id.encode(),
            created_at=self.now,
            expires_at=self.now + 600_000,
            leaves=(open_leaf(match_id),),
        )

    def open(self, opener: str, stake: int, seats: int = 2, code: str | None = None) -> str:
        table = self.new_table(opener, stake, seats, code)
        self.store.open_table(table, MOST)
        return table.match_id

    def table(self, match_id: str) -> Table:
        table = self.store.table(match_id)
        assert table is not None
        return table

    def sitting(
        self,
        match_id: str,
        account_id: str,
        seat: int | None = None,
        own_code: str | None = None,
        given_code: str | None = None,
    ) -> Sitting:
        player, stake = self.id(), self.table(match_id).stake
        money = ledger.sit(match_id, account_id, player, stake, asset=ASSET, at=self.now) if stake else None
        return Sitting(match_id, account_id, player, seat, self.now + JOIN_MS, money, self.now, own_code, given_code)

    def sit(
        self,
        match_id: str,
        account_id: str,
        seat: int | None = None,
        own_code: str | None = None,
        given_code: str | None = None,
    ) -> Seat:
        try:
            return self.store.sit(self.sitting(match_id, account_id, seat, own_code, given_code), self.once())
        finally:
            self.check()

    def stand_up(self, match_id: str, seat: Seat) -> None:
        stake = self.table(match_id).stake
        money = (
            ledger.stand_up(match_id, seat.account_id, seat.player, stake, asset=ASSET, at=self.now) if stake else None
        )
        try:
            self.store.stand_up(match_id, seat, money, self.once())
        finally:
            self.check()

    def append(
        self,
        match_id: str,
        *,
        lines: int = 1,
        status: Status = Status.LIVE,
        money: ledger.Transaction | None = None,
        commitment: str | None = None,
    ) -> Append:
        """The next append of that match as it stands now."""
        table = self.table(match_id)
        due_at = None if status is Status.ENDED else self.now + 30_000
        texts = tuple(b'{"n":%d}' % (table.size + place) for place in range(lines))
        return Append(match_id, table.size, table.seating, texts, status, due_at, self.now, commitment, money)

    def commit(self, append: Append) -> CommitResult:
        try:
            return self.store.commit(append)
        finally:
            self.check()

    def joins(self, match_id: str) -> Append:
        """All the joins, with the pot."""
        table = self.table(match_id)
        by_seat = [seat.account_id for seat in table.seated]
        money = ledger.form_pot(match_id, by_seat, table.stake, asset=ASSET, at=self.now) if table.stake else None
        return self.append(match_id, lines=table.seats, money=money, commitment=self.id() * 2)

    def start(self, match_id: str) -> None:
        assert self.commit(self.joins(match_id)) is CommitResult.COMMITTED

    def live(self, stake: int = 500) -> tuple[str, str, str]:
        """A match that has its pot, and its two players, who have nothing else."""
        first, second = self.account(stake), self.account(stake)
        match_id = self.open(first, stake)
        self.sit(match_id, first)
        self.sit(match_id, second)
        self.start(match_id)
        return match_id, first, second

    def payout(self, match_id: str, outcome: ledger.Outcome) -> ledger.Transaction | None:
        table = self.table(match_id)
        lines = ledger.settlement(tuple(seat % 2 for seat in range(table.seats)), table.stake, outcome, FEES)
        by_seat = [seat.account_id for seat in table.seated]
        return ledger.pay_out(match_id, by_seat, lines, outcome, asset=ASSET, at=self.now) if lines else None

    def finish(self, match_id: str, outcome: ledger.Outcome) -> None:
        money = self.payout(match_id, outcome)
        append = self.append(match_id, lines=3, status=Status.ENDED, money=money)
        assert self.commit(append) is CommitResult.COMMITTED

    def cancellation(self, match_id: str) -> Append:
        """What ends a match that has no pot yet."""
        table = self.table(match_id)
        seated = [seat.account_id for seat in table.seated]
        money = (
            ledger.cancel(match_id, seated, table.stake, asset=ASSET, at=self.now) if seated and table.stake else None
        )
        return self.append(match_id, lines=2, status=Status.ENDED, money=money)

    def cancel(self, match_id: str) -> None:
        assert self.commit(self.cancellation(match_id)) is CommitResult.COMMITTED
