"""A past for a database: matches that are over, whole, with their money, their players and their part of the log.

They are copies of one that was played to its end, each under ids of its own and between other accounts, written by SQL
with the guards set aside meanwhile; the money is the template's, posted anew. The nightly proof finds no fault in it.
"""

import secrets
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol

import psycopg

from fairdeal import ledger
from fairdeal.ledger import Posting, Transaction
from fairdeal.store import SqlStore
from fairdeal.tlog import TileEdge, leaf_hash

RECENT: Final = 1_000
"""How many of the newest matches of a past lie in its last month."""
PLAYERS: Final = 2_000
DEPOSIT: Final = 10**9
_TOGETHER: Final = 2_000
"""Matches that are written at a time."""
_TILE: Final = 256
_FOR_EVER_MS: Final = 2**53 - 1


class Sql(Protocol):
    """A connection to either database, in a transaction, with no guard in the way."""

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]: ...

    def run(self, statement: str, *values: object) -> None: ...

    def add(self, table: str, columns: str, rows: Iterable[Sequence[object]]) -> None: ...


class _Sqlite:
    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._sql.execute(query, values).fetchall()

    def run(self, statement: str, *values: object) -> None:
        self._sql.execute(statement, values)

    def add(self, table: str, columns: str, rows: Iterable[Sequence[object]]) -> None:
        places = ", ".join("?" for _ in columns.split(","))
        self._sql.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)


class _Postgresql:
    def __init__(self, sql: psycopg.Connection) -> None:
        self._sql = sql

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._sql.execute(query.replace("?", "%s").encode(), values).fetchall()

    def run(self, statement: str, *values: object) -> None:
        self._sql.execute(statement.replace("?", "%s").encode(), values)

    def add(self, table: str, columns: str, rows: Iterable[Sequence[object]]) -> None:
        with self._sql.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy:
            for row in rows:
                copy.write_row(row)


@contextmanager
def without_guards(place: Path | str) -> Iterator[Sql]:
    """A transaction on the database while nobody else has it; the guards are as before when it is committed."""
    if isinstance(place, str):
        with psycopg.connect(place) as connection:
            tables = [name for (name,) in connection.execute("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger")]
            for name in tables:
                connection.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER".encode())
            yield _Postgresql(connection)
            connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            for name in tables:
                connection.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER".encode())
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
        return
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        connection.execute("BEGIN")
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        yield _Sqlite(connection)
        for _, statement in guards:
            connection.execute(statement)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class Past:
    """Writes copies of the match `m`, which is over, between so many `players`, and one who plays every fifth of the
    `recent` ones and every twentieth of the others: the `regular`, with a login by `token`.
    """

    def __init__(self, place: Path | str, m: str, players: int = PLAYERS, recent: int = RECENT) -> None:
        self._place, self.m, self._recent = place, m, recent
        self.regular, self.token = secrets.token_hex(16), secrets.token_hex(32)
        self._players = [secrets.token_hex(16) for _ in range(players)]
        self._rows: dict[tuple[str, str], list[tuple[object, ...]]] = defaultdict(list)
        self._balances: Counter[str] = Counter()
        self._held: dict[tuple[str | None, str], str] = {}
        self._hashes: list[bytes] = []

    def write(self, count: int, month_ms: int, now_ms: int) -> None:
        """So many matches, the recent ones from `month_ms` to `now_ms`, a second for each of the others before."""
        store = SqlStore(self._place)
        head = store.log_head()
        edge = TileEdge.load(head.size, lambda tile: store.tile(tile) or b"")
        store.close()
        with without_guards(self._place) as sql:
            self._read(sql)
            self._add_players(month_ms - count * 1_000)
            for number in range(count):
                left = count - number
                recently = month_ms + (self._recent - left + 1) * (now_ms - month_ms) // (self._recent + 1)
                before = month_ms - (left - self._recent) * 1_000
                self._add_match(number, left, recently if left <= self._recent else before)
                if len(self._rows["matches", self._columns]) == _TOGETHER:
                    self._flush(sql)
            self._flush(sql)
            self._finish(sql, edge)

    def _read(self, sql: Sql) -> None:
        """The template, and how far the counts have come."""
        m = self.m
        self._columns = (
            "id, opener, seats, stake, asset, visibility, code, created_at, expires_at, status, due_at, size, seating"
        )
        (self._match,) = sql.rows(f"SELECT {self._columns} FROM matches WHERE id = ?", m)
        self._asset = self._match[4]
        seats = sql.rows("SELECT seat, account_id, player FROM seats WHERE match_id = ? ORDER BY seat", m)
        self._seats = seats
        lines = sql.rows("SELECT line FROM transactions WHERE match_id = ? ORDER BY seq", m)
        self._money = [Transaction.parse(bytes(line)) for (line,) in lines]
        leaves = sql.rows("SELECT type, leaf FROM leaves WHERE match_id = ? ORDER BY n", m)
        leaves += sql.rows("SELECT type, leaf FROM log_queue WHERE match_id = ? ORDER BY seq", m)
        self._leaves = [(type_, bytes(leaf)) for type_, leaf in leaves]
        self._commitments = sql.rows("SELECT count(*) FROM commitments WHERE match_id = ?", m)[0][0]
        self._transactions, self._roster = (
            sql.rows("SELECT size FROM counts WHERE rows_of = ?", name)[0][0] for name in ("transactions", "roster")
        )
        (self._size,) = sql.rows("SELECT size FROM log_head")[0]
        (self._before,) = sql.rows("SELECT max(seq) FROM matches")[0]
        notes = sql.rows("SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1")
        self._note = notes[0][0] if notes else None
        house = sql.rows(
            "SELECT account, balance FROM balances WHERE account IN ('cashier', 'house:commission', 'tax')"
        )
        self._balances.update(dict(house))
        self._known = {account for account, _ in house}

    def _add(self, table: str, columns: str, *row: object) -> None:
        self._rows[table, columns].append(row)

    def _add_players(self, at: int) -> None:
        for account in (self.regular, *self._players):
            self._add("accounts", "id, name, name_key, kind, password_hash, created_at", account, account, account,
                      "player", "none", at)  # fmt: skip
            token = self.token if account == self.regular else secrets.token_hex(32)
            hashed = sha256(token.encode()).digest()
            self._add("sessions", "token_hash, account_id, expires_at", hashed, account, _FOR_EVER_MS)
            self._post(ledger.deposit(secrets.token_hex(16), account, DEPOSIT, asset=self._asset, at=at))

    def _add_match(self, number: int, left: int, at: int) -> None:
        m, pair = secrets.token_hex(16), self._pair(number, left)
        seated = {account: (pair[seat], secrets.token_hex(16)) for seat, account, _ in self._seats}
        names = {self.m: m} | {account: own for account, (own, _) in seated.items()}
        names |= {player: seated[account][1] for _, account, player in self._seats}
        _, _, *terms, _, _, status, due_at, size, seating = self._match
        self._add("matches", self._columns, m, pair[0], *terms, at, at, status, due_at, size, seating)
        for seat, account, _ in self._seats:
            own, player = seated[account]
            self._add("seats", "match_id, seat, account_id, player, sat_at", m, seat, own, player, at)
            self._roster += 1
            self._add("roster", "seq, player", self._roster, player)
            answer = (
                f'{{"answer": {{"seat": {seat}, "account_id": "{own}", "player": "{player}", "partner_code": null}}}}'
            )
            self._add("requests", "scope, key, intent, answer", own, secrets.token_hex(16), bytes(32), answer)
        for _ in range(self._commitments):
            self._add("commitments", "commitment, match_id", secrets.token_hex(32), m)
        last = None
        for money in self._money:
            last = self._post(_renamed(money, names, at))
        self._add("match_endings", "match_id, transaction_id, at", m, last, at)
        self._add_leaves(m)
        if number % 20 == 7:
            self._add_others(pair[0], at)

    def _pair(self, number: int, left: int) -> list[str]:
        pair = [self._players[(2 * number + seat) % len(self._players)] for seat in range(2)]
        if number % (5 if left <= self._recent else 20) == 0:
            pair[0] = self.regular
        return pair[:: 1 if number // 20 % 2 else -1]

    def _add_leaves(self, m: str) -> None:
        for type_, leaf in self._leaves:
            own = leaf.replace(self.m.encode(), m.encode())
            self._hashes.append(leaf_hash(own))
            self._add("leaves", "n, leaf, type, match_id", self._size, own, type_, m)
            self._size += 1
            if self._note is not None and type_ in ("start", "close"):
                self._add("checkpoints", "size, note", self._size, self._note)

    def _add_others(self, account: str, at: int) -> None:
        """A withdrawal that was paid, and something that an auditor is shown."""
        paid = secrets.token_hex(16)
        self._post(ledger.withdraw(paid, account, 100, asset=self._asset, at=at))
        self._post(ledger.pay_withdrawal(paid, account, 100, asset=self._asset, at=at))
        self._add("withdrawals", "id, account_id, asset, amount, asked_at, result, ended_at", paid, account,
                  self._asset, 100, at, "paid", at)  # fmt: skip
        self._add("significant_events", "at, kind, data", at, "limit", f'{{"account":"{account}","limit":"stake"}}')

    def _post(self, money: Transaction) -> str:
        self._transactions += 1
        self._add("transactions", "seq, id, kind, match_id, asset, at, line", self._transactions, money.id,
                  money.kind.value, money.match, money.asset, money.at, money.canonical())  # fmt: skip
        for posting in money.postings:
            self._balances[posting.account] += posting.amount
            self._add("entries", "transaction_id, account, asset, amount, balance", money.id, posting.account,
                      money.asset, posting.amount, self._balances[posting.account])  # fmt: skip
            purpose, owner = ledger.purpose(posting.account), posting.account.split(":")[1:2]
            if purpose == "held" and posting.amount > 0:
                self._add("holds", "id, match_id, account_id, amount", money.id, money.match, *owner, posting.amount)
                self._held[money.match, owner[0]] = money.id
            elif purpose == "held":
                self._add("hold_endings", "hold_id, transaction_id", self._held.pop((money.match, owner[0])), money.id)
            elif purpose == "pot" and posting.amount < 0:
                self._add("balances", "account, asset, balance", posting.account, money.asset, 0)
                del self._balances[posting.account]
        return money.id

    def _flush(self, sql: Sql) -> None:
        for table in _ORDER:
            for (name, columns), rows in self._rows.items():
                if name == table:
                    sql.add(name, columns, rows)
                    rows.clear()
        for table, columns in (("events", "n, line"), ("seals", "sealed")):
            sql.run(
                f"INSERT INTO {table} (match_id, {columns}) SELECT matches.id, {columns} FROM matches, {table}"
                f" WHERE matches.seq > ? AND {table}.match_id = ? ORDER BY matches.seq",
                self._before, self.m,
            )  # fmt: skip
        (self._before,) = sql.rows("SELECT max(seq) FROM matches")[0]

    def _finish(self, sql: Sql, edge: TileEdge) -> None:
        sql.run("UPDATE counts SET size = ? WHERE rows_of = 'transactions'", self._transactions)
        sql.run("UPDATE counts SET size = ? WHERE rows_of = 'roster'", self._roster)
        for account, balance in self._balances.items():
            if account in self._known:
                sql.run("UPDATE balances SET balance = ? WHERE account = ?", balance, account)
            else:
                self._add("balances", "account, asset, balance", account, self._asset, balance)
        tiles = {}
        for start in range(0, len(self._hashes), _TILE):
            edge, made = edge.append(self._hashes[start : start + _TILE])
            tiles |= {(tile.level, tile.index): data for tile, data in made.items()}
        for level, n in tiles:
            sql.run("DELETE FROM tiles WHERE level = ? AND n = ?", level, n)
        sql.add("tiles", "level, n, data", [(*place, data) for place, data in tiles.items()])
        sql.run("UPDATE log_head SET size = ?, root = ?", edge.size, edge.root())
        self._flush(sql)
        sql.run("DELETE FROM checkpoints WHERE size = ?", edge.size)  # the service signs this one


_ORDER: Final = (
    "accounts", "sessions", "balances", "matches", "seats", "roster", "requests", "commitments", "transactions",
    "entries", "holds", "hold_endings", "match_endings", "withdrawals", "significant_events", "leaves", "checkpoints",
)  # fmt: skip
"""A row comes after those that it names."""


def _renamed(money: Transaction, names: dict[str, str], at: int) -> Transaction:
    """The same between others, at another time."""

    def rename(name: str) -> str:
        return ":".join(names.get(part, part) for part in name.split(":"))

    postings = tuple(Posting(rename(one.account), one.amount) for one in money.postings)
    match = None if money.match is None else names[money.match]
    return Transaction(rename(money.id), money.kind, money.asset, at, postings, match)
