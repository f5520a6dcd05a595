"""What is written for a transaction and for a step of a match: each statement once, for both databases.

SQLite runs the statements one by one. PostgreSQL has each program as a function made of them (`procedures`), so that a
settlement is one call: what it costs there is the way to the server, and hot balances are locked meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from fairdeal.ledger import CASHIER
from fairdeal.limits import MAX_SAFE_INTEGER


@dataclass(frozen=True, slots=True)
class Do:
    """A statement with `:names` of arguments, or of a row's members in an `Each`. With `unless`, it is refused with
    that reason, and the whole transaction with it, unless it changes one row; with `makes`, that is done before, where
    it changed none, and it is tried once more.
    """

    sql: str
    unless: str | None = None
    makes: str | None = None


@dataclass(frozen=True, slots=True)
class Each:
    """The statements once for each row of the argument `rows`, in its order."""

    rows: str
    statements: tuple[Do, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """The instructions, if the argument is not null."""

    argument: str
    instructions: tuple[Do | Each, ...]


Instruction: TypeAlias = Do | Each | Given


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """`arguments` are single values, `rows` lists of rows, by name and with their types in PostgreSQL. A `gate` is a
    statement that comes first and changes one row, or nothing more is done and the program answers False.
    """

    name: str
    arguments: Mapping[str, str]
    rows: Mapping[str, Mapping[str, str]]
    gate: str | None
    instructions: tuple[Instruction, ...]


OUT_OF_BOUNDS: Final = "a balance would pass its bounds"
OTHER_ASSET: Final = "the money is of another asset than the match"
NO_SUCH_HOLD: Final = "no such hold to end"

_HERE: Final = "account = :account AND asset = :asset"
_LOWEST: Final = f"CASE WHEN :account = '{CASHIER}' THEN {-MAX_SAFE_INTEGER} ELSE 0 END"

# Balances first, in the order in which everybody takes them; then the entries, in the order of the transaction; its
# number after every other lock, and with it the header, which is the seal. A hold follows from the postings.
_POSTING: Final[tuple[Do | Each, ...]] = (
    Each(
        "moves",
        (
            Do(
                f"UPDATE balances SET balance = balance + :amount WHERE {_HERE}"
                f" AND balance + :amount BETWEEN {_LOWEST} AND {MAX_SAFE_INTEGER}",
                unless=OUT_OF_BOUNDS,
                makes="INSERT INTO balances (account, asset, balance) VALUES (:account, :asset, 0)"
                " ON CONFLICT DO NOTHING",
            ),
        ),
    ),
    Each(
        "postings",
        (
            Do(
                "INSERT INTO entries (transaction_id, account, asset, amount, balance)"
                f" SELECT :id, account, asset, :amount, balance FROM balances WHERE {_HERE}"
            ),
        ),
    ),
    Do("UPDATE counts SET size = size + 1 WHERE rows_of = 'transactions'"),
    Do(
        "INSERT INTO transactions (seq, id, kind, match_id, asset, at, line)"
        " SELECT size, :id, :kind, :match, :asset, :at, :line FROM counts WHERE rows_of = 'transactions'"
        " AND (:match IS NULL OR EXISTS (SELECT 1 FROM matches WHERE id = :match AND asset = :asset))",
        unless=OTHER_ASSET,
    ),
    Each(
        "held",
        (Do("INSERT INTO holds (id, match_id, account_id, amount) VALUES (:id, :match, :account_id, :amount)"),),
    ),
    Each(
        "released",
        (
            Do(
                "INSERT INTO hold_endings (hold_id, transaction_id) SELECT id, :id FROM holds"
                " WHERE match_id = :match AND account_id = :account_id AND amount = :amount"
                " AND NOT EXISTS (SELECT 1 FROM hold_endings WHERE hold_id = holds.id)",
                unless=NO_SUCH_HOLD,
            ),
        ),
    ),
)
_POSTED: Final = {"id": "text", "kind": "text", "match": "text", "asset": "text", "at": "bigint", "line": "bytea"}
_POSTED_ROWS: Final = {
    "moves": {"account": "text", "amount": "bigint"},
    "postings": {"account": "text", "amount": "bigint"},
    "held": {"account_id": "text", "amount": "bigint"},
    "released": {"account_id": "text", "amount": "bigint"},
}

POST: Final = Program("post_transaction", _POSTED, _POSTED_ROWS, gate=None, instructions=_POSTING)

APPEND: Final = Program(
    "append_step",
    _POSTED
    | {
        "size": "integer",
        "seating": "integer",
        "new_size": "integer",
        "status": "text",
        "due_at": "bigint",
        "ended_at": "bigint",
    },
    _POSTED_ROWS
    | {
        "events": {"n": "integer", "event": "bytea"},
        "leaves": {"leaf": "bytea", "type": "text", "of": "text"},
    },
    gate="UPDATE matches SET size = :new_size, status = :status, due_at = :due_at"
    " WHERE id = :match AND size = :size AND seating = :seating AND status <> 'ended'",
    instructions=(
        Each("events", (Do("INSERT INTO events (match_id, n, line) VALUES (:match, :n, :event)"),)),
        Given("id", _POSTING),
        Given(
            "ended_at",
            (Do("INSERT INTO match_endings (match_id, transaction_id, at) VALUES (:match, :id, :ended_at)"),),
        ),
        Each("leaves", (Do("INSERT INTO log_queue (leaf, type, match_id) VALUES (:leaf, :type, :of)"),)),
    ),
)
"""The compare-and-set on the match's row first, then everything that a step changes."""

PROGRAMS: Final = (POST, APPEND)
