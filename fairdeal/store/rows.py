"""The rows. Private to the store: SQLModel's table classes do not validate, so the CHECKs here and the triggers do.

Money and times are integers (minor units, ms since the epoch). Ids are text, bytes are kept exactly as they came.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    UniqueConstraint,
)
from sqlmodel import Field, SQLModel

from fairdeal.app.ports import UNFINISHED
from fairdeal.ledger import CASHIER
from fairdeal.limits import MAX_SAFE_INTEGER

SEQUENCE = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER PRIMARY KEY counts by itself in SQLite
GIVEN: Final = {"autoincrement": False}
"""A key that is never the database's own count."""


class Row(SQLModel):
    """The root of our tables, with names for every constraint so that a later schema can speak of them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class AccountRow(Row, table=True):
    """People and bots. `name_key` is the name without its capitals: two accounts never differ in these alone. With
    `erased_at` nothing of the person is left, and nothing changes any more.
    """

    __tablename__ = "accounts"
    __table_args__ = (CheckConstraint("kind IN ('player', 'bot')", name="kind"),)
    id: str = Field(primary_key=True)
    name: str
    name_key: str = Field(unique=True)
    kind: str
    password_hash: str
    created_at: int = Field(sa_type=BigInteger)
    recovery_hash: bytes | None
    erased_at: int | None = Field(sa_type=BigInteger)


class SessionRow(Row, table=True):
    """Logins, by the SHA-256 of their token."""

    __tablename__ = "sessions"
    token_hash: bytes = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    expires_at: int = Field(sa_type=BigInteger, index=True)


class RequestRow(Row, table=True):
    """Idempotency keys with their first answer (JSON); the answer is null only inside the transaction that makes it."""

    __tablename__ = "requests"
    scope: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    intent: bytes
    answer: str | None


class MatchRow(Row, table=True):
    """A table and its match. What the `open` event says is not repeated, but for what the store itself reads."""

    __tablename__ = "matches"
    __table_args__ = (
        CheckConstraint("seats >= 1", name="seats"),
        CheckConstraint("stake >= 0", name="stake"),
        CheckConstraint("size >= 0 AND seating >= 0", name="counts"),
        CheckConstraint("status IN ('open', 'joining', 'live', 'ended')", name="status"),
        CheckConstraint("visibility = CASE WHEN code IS NULL THEN 'public' ELSE 'private' END", name="visibility"),
        CheckConstraint("status <> 'ended' OR due_at IS NULL", name="ended_is_never_due"),
        Index(None, "status", "visibility", "seq"),
        Index(None, "opener", "status"),
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    id: str = Field(unique=True)
    opener: str = Field(foreign_key="accounts.id")
    seats: int
    stake: int = Field(sa_type=BigInteger)
    asset: str
    visibility: str
    code: str | None = Field(unique=True)
    created_at: int = Field(sa_type=BigInteger)
    expires_at: int = Field(sa_type=BigInteger)
    status: str
    due_at: int | None = Field(sa_type=BigInteger, index=True)
    size: int
    seating: int


class SeatRow(Row, table=True):
    """Who sits where now; the row goes when somebody stands up. `seq` orders the sittings of an account."""

    __tablename__ = "seats"
    __table_args__ = (
        UniqueConstraint("match_id", "seat"),
        UniqueConstraint("match_id", "account_id"),
        Index(None, "account_id", "seq"),
        CheckConstraint("seat >= 0", name="seat"),
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    match_id: str = Field(foreign_key="matches.id")
    seat: int
    account_id: str = Field(foreign_key="accounts.id")
    player: str = Field(unique=True)
    sat_at: int = Field(sa_type=BigInteger)
    partner_code: str | None


class RosterRow(Row, table=True):
    """Every seat of the matches that all seats joined, in the order in which they did. Append-only, without gaps."""

    __tablename__ = "roster"
    seq: int = Field(primary_key=True, sa_type=SEQUENCE, sa_column_kwargs=GIVEN)
    player: str = Field(unique=True, foreign_key="seats.player")


class SealRow(Row, table=True):
    """The server's seed of a match, sealed under a key that is not in the database. Append-only."""

    __tablename__ = "seals"
    match_id: str = Field(primary_key=True, foreign_key="matches.id")
    sealed: bytes


class CommitmentRow(Row, table=True):
    """Every commitment ever made here, the server's and the seats'. Append-only."""

    __tablename__ = "commitments"
    commitment: str = Field(primary_key=True)
    match_id: str = Field(foreign_key="matches.id")


class EventRow(Row, table=True):
    """A match's events; the line is an event's only stored form. Append-only, without gaps."""

    __tablename__ = "events"
    match_id: str = Field(primary_key=True, foreign_key="matches.id")
    n: int = Field(primary_key=True)
    line: bytes


class BalanceRow(Row, table=True):
    """The balance of each ledger account. It follows from the entries; the triggers hold it to them."""

    __tablename__ = "balances"
    __table_args__ = (
        CheckConstraint(f"balance >= 0 OR account = '{CASHIER}'", name="not_negative"),
        CheckConstraint(f"balance BETWEEN -{MAX_SAFE_INTEGER} AND {MAX_SAFE_INTEGER}", name="range"),
    )
    account: str = Field(primary_key=True)
    asset: str = Field(primary_key=True)
    balance: int = Field(sa_type=BigInteger)


class TransactionRow(Row, table=True):
    """A transaction's header, written after its entries: the seal. `line` is its exact canonical bytes. Append-only,
    without gaps.
    """

    __tablename__ = "transactions"
    seq: int = Field(primary_key=True, sa_type=SEQUENCE, sa_column_kwargs=GIVEN)
    id: str = Field(unique=True)
    kind: str
    match_id: str | None = Field(foreign_key="matches.id", index=True)
    asset: str
    at: int = Field(sa_type=BigInteger)
    line: bytes


class CountRow(Row, table=True):
    """How many rows the transactions and the roster have. Whoever adds one takes its number here, after every other
    lock: a number that the database gives by itself would be lost with a transaction that fails, and two that come at
    once could be seen in the other order.
    """

    __tablename__ = "counts"
    __table_args__ = (CheckConstraint("rows_of IN ('transactions', 'roster')", name="rows_of"),)
    rows_of: str = Field(primary_key=True)
    size: int = Field(sa_type=BigInteger)


class EntryRow(Row, table=True):
    """One posting, with the balance after it. The header it names comes last, hence the deferred key. Append-only."""

    __tablename__ = "entries"
    __table_args__ = (
        CheckConstraint("amount <> 0", name="amount"),
        UniqueConstraint("transaction_id", "account"),
        Index(None, "account", "asset", "seq"),
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    transaction_id: str = Field(
        sa_column_args=[ForeignKey("transactions.id", deferrable=True, initially="DEFERRED")],
    )
    account: str
    asset: str
    amount: int = Field(sa_type=BigInteger)
    balance: int = Field(sa_type=BigInteger)


class HoldRow(Row, table=True):
    """A stake held for one sitting, named by the transaction that took it. Append-only."""

    __tablename__ = "holds"
    __table_args__ = (CheckConstraint("amount > 0", name="amount"), Index(None, "match_id", "account_id"))
    id: str = Field(primary_key=True, foreign_key="transactions.id")
    match_id: str = Field(foreign_key="matches.id")
    account_id: str = Field(foreign_key="accounts.id")
    amount: int = Field(sa_type=BigInteger)


class HoldEndingRow(Row, table=True):
    """Which transaction ended a hold: one row a hold, so that it ends once. Append-only."""

    __tablename__ = "hold_endings"
    hold_id: str = Field(primary_key=True, foreign_key="holds.id")
    transaction_id: str = Field(foreign_key="transactions.id")


class MatchEndingRow(Row, table=True):
    """The end of a match in money: one row a match, so that it is settled once; no transaction when nothing was staked
    or held. Append-only.
    """

    __tablename__ = "match_endings"
    match_id: str = Field(primary_key=True, foreign_key="matches.id")
    transaction_id: str | None = Field(foreign_key="transactions.id")
    at: int = Field(sa_type=BigInteger)


class SignificantEventRow(Row, table=True):
    """What was done or found that an auditor is shown; `data` is cj1. Append-only."""

    __tablename__ = "significant_events"
    __table_args__ = (
        CheckConstraint(
            "kind IN ('clock', 'erasure', 'exclusion', 'identify', 'key', 'limit', 'proof', 'refused_start', 'reset',"
            " 'reversal', 'schedule', 'switch', 'void')",
            name="kind",
        ),
        Index(None, "kind", "seq"),
    )
    seq: int | None = Field(primary_key=True, sa_type=SEQUENCE)
    at: int = Field(sa_type=BigInteger)
    kind: str
    data: str


class HeartbeatRow(Row, table=True):
    """Exactly one row: when the service last said it was alive; null before it ever did."""

    __tablename__ = "heartbeat"
    __table_args__ = (CheckConstraint('"only" = 1', name="one_row"),)
    only: int = Field(primary_key=True, sa_column_kwargs=GIVEN)
    at: int | None = Field(sa_type=BigInteger)


def _table(name: str) -> Table:
    return Row.metadata.tables[name]


schema_version = Table(
    "alembic_version",
    MetaData(),  # the migrations' own: they make it, and keep one row in it
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
accounts = _table("accounts")
sessions = _table("sessions")
requests = _table("requests")
matches = _table("matches")
seats = _table("seats")
roster = _table("roster")
seals = _table("seals")
commitments = _table("commitments")
events = _table("events")
balances = _table("balances")
transactions = _table("transactions")
counts = _table("counts")
entries = _table("entries")
holds = _table("holds")
hold_endings = _table("hold_endings")
match_endings = _table("match_endings")
significant_events = _table("significant_events")
heartbeat = _table("heartbeat")

unfinished: Final = matches.c.status.in_([status.value for status in UNFINISHED])
"""That a match has not ended: said so that the indexes find it, and those that are over are passed by however many
there are.
"""
