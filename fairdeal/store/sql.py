"""The store over SQL: the one place that commits, with `sql_players`, a part of it. Each method is one transaction; the
work is in the modules beside.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from fairdeal.app.history_ports import OwnMatch, Statement, WalletLine
from fairdeal.app.log_ports import (
    CommitResult,
    JournalMark,
    LogAppend,
    LoggedLeaf,
    LogHead,
    Outage,
    QueuedLeaf,
    SignedCheckpoint,
)
from fairdeal.app.once import Once
from fairdeal.app.ports import (
    Account,
    Append,
    NewTable,
    Seat,
    SeatedPlayer,
    Session,
    SignificantEvent,
    SignificantKind,
    Sitting,
    Status,
    Table,
    Wallet,
)
from fairdeal.app.proof_ports import MatchEnd, WholeBooks
from fairdeal.app.record_ports import MatchFacts
from fairdeal.ledger import Books, Transaction
from fairdeal.store import audit, books, erasure, heart, history, lobby, log, matches, people, proof, records
from fairdeal.store.batches import Batches
from fairdeal.store.database import Database
from fairdeal.store.once import answer, given
from fairdeal.store.postgresql import PostgresqlDatabase
from fairdeal.store.schema import check_schema
from fairdeal.store.sql_players import SqlPlayerStore
from fairdeal.store.sqlite import SqliteDatabase
from fairdeal.store.steps import Step, prepared, write_more, write_steps
from fairdeal.tlog import Tile


def open_database(where: Path | str, *, sole: bool = False) -> Database:
    """The SQLite file of that path, made when it is not there, or the PostgreSQL of that URL; with `sole` nobody else
    has it meanwhile, as it is with a SQLite file anyhow.

    Raises DatabaseLocked, SchemaMismatch when the file is something else; Malformed for a URL, StoreFailed.
    """
    return PostgresqlDatabase(where, sole=sole) if isinstance(where, str) else SqliteDatabase(where)


class SqlStore(SqlPlayerStore):
    """`app.ports.Store` on the SQLite file of a path, or on the PostgreSQL of a URL.

    Raises SchemaMismatch when the database has not the newest schema, and what `open_database` does.
    """

    def __init__(self, where: Path | str, *, sole: bool = False) -> None:
        self._database = open_database(where, sole=sole)
        self._commits = Batches(self._commit_together, self._commit_alone)
        try:
            self.check_ready()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._database.close()

    def alone(self, work: str) -> AbstractContextManager[bool]:
        return self._database.alone(work)

    def check_ready(self) -> None:
        with self._database.write() as connection:
            check_schema(connection)

    def create_account(self, account: Account) -> None:
        with self._database.write() as connection:
            people.create_account(connection, account)

    def erase(self, account_id: str, password_hash: str, reason: str, at: int, kept_ms: int) -> None:
        with self._database.write() as connection:
            erasure.erase(connection, account_id, password_hash, reason, at, kept_ms)

    def account(self, account_id: str) -> Account | None:
        with self._database.read() as connection:
            return people.account(connection, account_id)

    def account_named(self, name: str) -> Account | None:
        with self._database.read() as connection:
            return people.account_named(connection, name)

    def open_session(self, session: Session, now: int, password_hash: str) -> None:
        with self._database.write() as connection:
            people.open_session(connection, session, now, password_hash)

    def session_account(self, token_hash: bytes, now: int) -> Account | None:
        return people.session_account(self._database, token_hash, now)

    def session_accounts(self, token_hashes: Sequence[bytes], now: int) -> Mapping[bytes, Account]:
        return people.session_accounts(self._database, token_hashes, now)

    def close_session(self, token_hash: bytes) -> None:
        with self._database.write() as connection:
            people.close_session(connection, token_hash)

    def close_sessions(self, account_id: str) -> None:
        with self._database.write() as connection:
            people.close_sessions(connection, account_id)

    def wallet(self, account_id: str, asset: str) -> Wallet:
        with self._database.read() as connection:
            return books.wallet(connection, account_id, asset)

    def wallet_lines(self, account_id: str, asset: str, before: int | None, limit: int) -> tuple[WalletLine, ...]:
        with self._database.read() as connection:
            return history.wallet_lines(connection, account_id, asset, before, limit)

    def statement(self, account_id: str, asset: str, start: int, end: int) -> Statement:
        with self._database.read() as connection:
            return history.statement(connection, account_id, asset, start, end)

    def statement_lines(self, account_id: str, asset: str, after: int, last: int, limit: int) -> tuple[WalletLine, ...]:
        with self._database.read() as connection:
            return history.statement_lines(connection, account_id, asset, after, last, limit)

    def own_matches(self, account_id: str, before: int | None, limit: int) -> tuple[OwnMatch, ...]:
        with self._database.read() as connection:
            return history.own_matches(connection, account_id, before, limit)

    def books(self, asset: str) -> Books:
        with self._database.read() as connection:
            return books.of_asset(connection, asset)

    def open_table(self, table: NewTable, most: int) -> None:
        with self._database.write() as connection:
            lobby.open_table(connection, table, most)
            log.enqueue(connection, table.leaves)

    def table(self, match_id: str) -> Table | None:
        return lobby.table(self._database, match_id)

    def table_with_code(self, code: str) -> Table | None:
        return lobby.table_with_code(self._database, code)

    def open_tables(self, before: int | None, limit: int) -> tuple[Table, ...]:
        return lobby.open_tables(self._database, before, limit)

    def sit(self, sitting: Sitting, once: Once) -> Seat:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: asdict(lobby.sit(connection, sitting)))
        return Seat(**given(outcome))

    def stand_up(self, match_id: str, seat: Seat | None, money: Transaction | None, once: Once) -> None:
        with self._database.write() as connection:
            outcome = answer(connection, once, lambda: lobby.stand_up(connection, match_id, seat, money))
        given(outcome)

    def commit(self, append: Append) -> CommitResult:
        step = prepared(append)
        if not step.is_one_call:
            with self._database.write() as connection:
                return write_more(connection, step)
        if append.money is None or self._database.ONE_WRITER:
            return self._commits.do(step)
        # The balances of several settlements would be locked in no order that others keep to.
        return self._commit_alone(step)

    def _commit_together(self, steps: Sequence[Step]) -> Sequence[CommitResult]:
        return write_steps(partial(self._database.perform, patient=False), steps)

    def _commit_alone(self, step: Step) -> CommitResult:
        (done,) = write_steps(partial(self._database.perform, patient=step.append.patient), [step])
        return done

    def events(self, match_id: str, start: int = 0) -> tuple[bytes, ...]:
        return matches.lines(self._database, match_id, start)

    def oldest_open(self) -> bytes | None:
        return matches.oldest_open(self._database)

    def held_assets(self) -> frozenset[str]:
        with self._database.read() as connection:
            return books.held_assets(connection)

    def newest_open(self, asset: str) -> bytes | None:
        with self._database.read() as connection:
            return matches.newest_open(connection, asset)

    def sealed_seed(self, match_id: str) -> bytes:
        with self._database.read() as connection:
            return matches.sealed_seed(connection, match_id)

    def due_matches(self, now: int, limit: int) -> tuple[str, ...]:
        return matches.due(self._database, now, limit)

    def unfinished_matches(self) -> tuple[str, ...]:
        with self._database.read() as connection:
            return matches.unfinished_matches(connection)

    def count_unfinished(self) -> Mapping[Status, int]:
        with self._database.read() as connection:
            return matches.count_unfinished(connection)

    def journal(self, start: int, limit: int) -> tuple[bytes, ...]:
        with self._database.read() as connection:
            return audit.journal(connection, start, limit)

    def roster(self, start: int, limit: int) -> tuple[SeatedPlayer, ...]:
        with self._database.read() as connection:
            return audit.roster_lines(connection, start, limit)

    def identify(self, player: str, reason: str, at: int) -> SeatedPlayer | None:
        with self._database.write() as connection:
            return audit.identify(connection, player, reason, at)

    def keep_significant(self, event: SignificantEvent) -> None:
        with self._database.write() as connection:
            audit.keep(connection, event)

    def significant_events(
        self, before: int | None, limit: int, kind: SignificantKind | None = None
    ) -> tuple[SignificantEvent, ...]:
        with self._database.read() as connection:
            return audit.significant_events_before(connection, before, limit, kind)

    def last_significant(self, kind: SignificantKind, about: Mapping[str, str | int | None]) -> SignificantEvent | None:
        with self._database.read() as connection:
            return audit.last_significant(connection, kind, about)

    def match_facts(self, before: int | None, limit: int) -> tuple[MatchFacts, ...]:
        with self._database.read() as connection:
            return records.match_facts(connection, before, limit)

    def whole_books(self) -> WholeBooks:
        with self._database.read() as connection:
            return proof.whole_books(connection)

    def transactions(self, ids: Sequence[str]) -> Mapping[str, Transaction]:
        with self._database.read() as connection:
            return books.stored_transactions(connection, ids)

    def match_ends(self, after: int, limit: int) -> tuple[MatchEnd, ...]:
        with self._database.read() as connection:
            return proof.match_ends(connection, after, limit)

    def newest_ledger_leaf(self) -> bytes | None:
        with self._database.read() as connection:
            return proof.newest_ledger_leaf(connection)

    def beat(self, now: int) -> None:
        with self._database.write() as connection:
            heart.beat(connection, now)

    def last_beat(self) -> int | None:
        return heart.last_beat(self._database)

    def clock_ms(self) -> int | None:
        return self._database.clock_ms()

    def log_head(self) -> LogHead:
        with self._database.read() as connection:
            return log.log_head(connection)

    def queued_leaves(self, limit: int | None) -> tuple[QueuedLeaf, ...]:
        return log.queued(self._database, limit)

    def queue_leaf(self, leaf: bytes) -> None:
        with self._database.write() as connection:
            log.enqueue(connection, [leaf])

    def replace_queue(self, leaves: Sequence[bytes]) -> None:
        with self._database.write() as connection:
            log.replace_queue(connection, leaves)

    def append_leaves(self, append: LogAppend) -> CommitResult:
        with self._database.write() as connection:
            return log.append(connection, append)

    def tile(self, tile: Tile) -> bytes | None:
        with self._database.read() as connection:
            return log.tile_data(connection, tile)

    def leaves(self, start: int, end: int) -> tuple[bytes, ...]:
        with self._database.read() as connection:
            return log.stored_leaves(connection, start, end)

    def match_leaves(self, match_id: str) -> tuple[LoggedLeaf, ...]:
        with self._database.read() as connection:
            return log.match_leaves(connection, match_id)

    def key_leaves(self) -> tuple[LoggedLeaf, ...]:
        with self._database.read() as connection:
            return log.key_leaves(connection)

    def keep_checkpoint(self, size: int, note: str) -> None:
        with self._database.write() as connection:
            log.keep_checkpoint(connection, size, note)

    def checkpoint(self, size: int | None = None) -> SignedCheckpoint | None:
        with self._database.read() as connection:
            return log.checkpoint(connection, size)

    def checkpoint_sizes(self, since: int, limit: int) -> tuple[int, ...]:
        with self._database.read() as connection:
            return log.checkpoint_sizes(connection, since, limit)

    def cosigned_checkpoints(
        self, least: int, witnesses: Collection[str], enough: int, limit: int
    ) -> tuple[SignedCheckpoint, ...]:
        with self._database.read() as connection:
            return log.cosigned(connection, least, witnesses, enough, limit)

    def add_cosignature(self, size: int, witness: str, line: str) -> None:
        with self._database.write() as connection:
            log.add_cosignature(connection, size, witness, line)

    def add_outage(self, outage: Outage, leaf: bytes) -> CommitResult:
        with self._database.write() as connection:
            return heart.add_outage(connection, outage, leaf)

    def outages(self, since: int) -> tuple[Outage, ...]:
        with self._database.read() as connection:
            return heart.outages_since(connection, since)

    def journal_mark(self) -> JournalMark:
        return log.mark(self._database)

    def move_journal_mark(self, before: JournalMark, mark: JournalMark, leaf: bytes) -> CommitResult:
        with self._database.write() as connection:
            return log.move_mark(connection, before, mark, leaf)
