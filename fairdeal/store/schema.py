"""Making the schema, recognising it, and the triggers that hold what CHECK constraints cannot say.

The triggers stand against our own faults and against a hand at the SQL prompt; somebody who can drop them is found by
`check_schema` and by the auditors' recomputation, not stopped.
"""

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, insert, select, text

from fairdeal.errors import SchemaMismatch
from fairdeal.store import log_tables, tables
from fairdeal.tlog import EMPTY_ROOT

VERSION: Final = 5

_APPEND_ONLY: Final = (
    tables.events,
    tables.transactions,
    tables.entries,
    tables.holds,
    tables.hold_endings,
    tables.match_endings,
    tables.commitments,
    tables.seals,
    log_tables.leaves,
    log_tables.checkpoints,
    log_tables.cosignatures,
    log_tables.outages,
    tables.roster,
    tables.significant_events,
)

# name → (moment, condition that must not be, what is said then)
_GUARDS: Final = {
    "events_have_no_gaps": (
        "BEFORE INSERT ON events",
        "NEW.n <> coalesce((SELECT max(n) + 1 FROM events WHERE match_id = NEW.match_id), 0)",
        "events have no gaps",
    ),
    "events_end": (
        "BEFORE INSERT ON events",
        "EXISTS (SELECT 1 FROM match_endings WHERE match_id = NEW.match_id)",
        "the match has ended",
    ),
    "entries_are_sealed": (
        "BEFORE INSERT ON entries",
        "EXISTS (SELECT 1 FROM transactions WHERE id = NEW.transaction_id)",
        "the transaction is sealed",
    ),
    "entries_follow": (
        "BEFORE INSERT ON entries",
        "NEW.balance <> NEW.amount + coalesce((SELECT balance FROM entries WHERE account = NEW.account"
        " AND asset = NEW.asset ORDER BY seq DESC LIMIT 1), 0)",
        "the balance does not follow from the entry before",
    ),
    "transactions_sum_to_zero": (
        "BEFORE INSERT ON transactions",
        "(SELECT count(*) < 2 OR sum(amount) <> 0 OR min(asset) <> NEW.asset OR max(asset) <> NEW.asset"
        " FROM entries WHERE transaction_id = NEW.id)",
        "a transaction has two entries or more of its asset that sum to zero",
    ),
    "transactions_meet_balances": (
        "BEFORE INSERT ON transactions",
        "EXISTS (SELECT 1 FROM entries e LEFT JOIN balances b ON b.account = e.account AND b.asset = e.asset"
        " WHERE e.transaction_id = NEW.id AND b.balance IS NOT e.balance)",
        "a balance was changed without an entry",
    ),
    "balances_begin_at_zero": ("BEFORE INSERT ON balances", "NEW.balance <> 0", "a balance begins at zero"),
    "balances_keep_their_account": ("BEFORE UPDATE OF account, asset ON balances", "1", "a balance keeps its account"),
    "balances_stay": ("BEFORE DELETE ON balances", "1", "a balance is never deleted"),
    "holds_are_of_their_match": (
        "BEFORE INSERT ON hold_endings",
        "(SELECT match_id FROM holds WHERE id = NEW.hold_id)"
        " IS NOT (SELECT match_id FROM transactions WHERE id = NEW.transaction_id)",
        "a hold ends with a transaction of its match",
    ),
    "match_endings_leave_nothing": (
        "BEFORE INSERT ON match_endings",
        "EXISTS (SELECT 1 FROM balances WHERE account = 'match:' || NEW.match_id || ':pot' AND balance <> 0)"
        " OR EXISTS (SELECT 1 FROM holds WHERE match_id = NEW.match_id"
        " AND NOT EXISTS (SELECT 1 FROM hold_endings WHERE hold_id = holds.id))"
        " OR (SELECT status FROM matches WHERE id = NEW.match_id) <> 'ended'",
        "a match ends with its pot and holds paid out",
    ),
    "matches_keep_their_terms": (
        "BEFORE UPDATE OF seq, id, opener, seats, stake, asset, visibility, code, created_at, expires_at ON matches",
        "1",
        "the terms of a match are fixed",
    ),
    "matches_go_forward": (
        "BEFORE UPDATE ON matches",
        "NEW.size < OLD.size OR NEW.seating < OLD.seating OR OLD.status = 'ended'"
        " OR instr('open joining live ended', NEW.status) < instr('open joining live ended', OLD.status)",
        "a match goes forward and ends once",
    ),
    "sittings_are_fixed": ("BEFORE UPDATE ON seats", "1", "a sitting is left, never changed"),
    "matches_stay": ("BEFORE DELETE ON matches", "1", "a match is never deleted"),
    "requests_keep_their_answer": ("BEFORE UPDATE ON requests", "OLD.answer IS NOT NULL", "the first answer stands"),
    "requests_stay": ("BEFORE DELETE ON requests", "1", "an idempotency key never expires"),
    "leaves_are_queued_once": (
        "BEFORE INSERT ON log_queue",
        "EXISTS (SELECT 1 FROM leaves WHERE match_id = NEW.match_id AND type = NEW.type)",
        "the match has this leaf in the log",
    ),
    "leaves_stand_once": (
        "BEFORE INSERT ON leaves",
        "EXISTS (SELECT 1 FROM leaves WHERE match_id = NEW.match_id AND type = NEW.type)",
        "the match has this leaf in the log",
    ),
    "leaves_have_no_gaps": (
        "BEFORE INSERT ON leaves",
        "NEW.n <> coalesce((SELECT max(n) + 1 FROM leaves), 0) OR NEW.n >= (SELECT size FROM log_head)",
        "the leaves have no gaps, and the head counts them",
    ),
    "log_head_grows": (
        "BEFORE UPDATE ON log_head",
        "NEW.size <= OLD.size OR OLD.size <> coalesce((SELECT max(n) + 1 FROM leaves), 0)",
        "the log grows, from the leaves that it has",
    ),
    "tiles_grow": (
        "BEFORE UPDATE ON tiles",
        "NEW.level <> OLD.level OR NEW.n <> OLD.n OR length(NEW.data) <= length(OLD.data)"
        " OR substr(NEW.data, 1, length(OLD.data)) <> OLD.data",
        "a tile only grows",
    ),
    "tiles_stay": ("BEFORE DELETE ON tiles", "1", "a tile is never deleted"),
    "tiles_are_made_once": (
        "BEFORE INSERT ON tiles",
        "EXISTS (SELECT 1 FROM tiles WHERE level = NEW.level AND n = NEW.n)",
        "a tile is made once",
    ),
    "checkpoints_are_of_what_is_stored": (
        "BEFORE INSERT ON checkpoints",
        "NEW.size > (SELECT size FROM log_head)",
        "a checkpoint is of what is stored",
    ),
    "journal_mark_goes_forward": (
        "BEFORE UPDATE ON journal_mark",
        "NEW.size <= OLD.size",
        "the mark of the journal goes forward",
    ),
    **{
        f"{name}_{verb}": (f"BEFORE {moment} ON {name}", condition, "there is exactly one row")
        for name in ("log_head", "journal_mark")
        for verb, moment, condition in (
            ("stays", "DELETE", "1"),
            ("is_made_once", "INSERT", f"EXISTS (SELECT 1 FROM {name})"),
        )
    },
}


def create_schema(connection: Connection) -> None:
    """Makes tables, triggers and the rows that there are one of, in the caller's transaction."""
    tables.Row.metadata.create_all(connection)
    for statement in _triggers().values():
        connection.exec_driver_sql(statement)
    connection.execute(insert(tables.schema).values(only=1, version=VERSION))
    connection.execute(insert(tables.heartbeat).values(only=1, at=None))
    connection.execute(insert(log_tables.head).values(only=1, size=0, root=EMPTY_ROOT))
    connection.execute(insert(log_tables.journal_mark).values(only=1, size=0, subtrees=b"", at=0))


def is_empty(connection: Connection) -> bool:
    """Whether the database has nothing in it at all."""
    objects: int = connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one()
    return objects == 0


def check_schema(connection: Connection) -> None:
    """Raises SchemaMismatch unless this is our schema of this version with every trigger as we made it."""
    made = connection.execute(text("SELECT count(*) FROM sqlite_master WHERE name = 'schema'")).scalar_one()
    version = connection.execute(select(tables.schema.c.version)).scalar_one_or_none() if made else None
    if version != VERSION:
        found = "no schema of ours" if version is None else f"schema version {version}"
        raise SchemaMismatch(f"the database has {found}; this program needs version {VERSION}")
    rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    if {row.name: row.sql for row in rows} != _triggers():
        raise SchemaMismatch("the database's triggers are not those of its schema version")


def _triggers() -> dict[str, str]:
    guards = {
        name: f"CREATE TRIGGER {name} {moment} WHEN {condition} BEGIN SELECT RAISE(ABORT, '{message}'); END"
        for name, (moment, condition, message) in _GUARDS.items()
    }
    return guards | dict(_append_only())


def _append_only() -> Iterator[tuple[str, str]]:
    for table in _APPEND_ONLY:
        refusal = f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
        for verb in ("UPDATE", "DELETE"):
            name = f"{table.name}_never_{verb.lower()}"
            yield name, f"CREATE TRIGGER {name} BEFORE {verb} ON {table.name} {refusal}"
        # INSERT OR REPLACE deletes without firing DELETE triggers, so an insert over an existing key is refused too.
        key = " AND ".join(f"{column.name} = NEW.{column.name}" for column in table.primary_key)
        unique = [f"{column.name} = NEW.{column.name}" for column in table.columns if column.unique]
        taken = " OR ".join(f"({same})" for same in [key, *unique])
        name = f"{table.name}_never_replace"
        condition = f"EXISTS (SELECT 1 FROM {table.name} WHERE {taken})"
        yield name, f"CREATE TRIGGER {name} BEFORE INSERT ON {table.name} WHEN {condition} {refusal}"
