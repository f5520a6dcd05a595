"""The first schema: accounts, tables and matches, money, and the log of all matches."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None

_SEQUENCE: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_OF_A_MATCH: Final = "(match_id IS NOT NULL) = (type IN ('open', 'full', 'start', 'close'))"
_ROOT_OF_NOTHING: Final = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
# PostgreSQL alone has such. A row that changes finds room in its page, and no index changes with it; what never changes
# is frozen by the first vacuum that sees it, not all at once when transaction ids run out.
_STORED: Final = {
    "fillfactor = 90": ("balances",),
    "autovacuum_vacuum_scale_factor = 0.02": ("matches", "balances"),
    "autovacuum_freeze_min_age = 0": (
        "checkpoints",
        "commitments",
        "cosignatures",
        "entries",
        "events",
        "exclusions",
        "hold_endings",
        "holds",
        "leaves",
        "limits",
        "match_endings",
        "outages",
        "roster",
        "seals",
        "significant_events",
        "switches",
        "transactions",
    ),
}


def upgrade() -> None:
    """Tables and indexes, then the rows that there are from the beginning."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("recovery_hash", sa.LargeBinary(), nullable=True),
        sa.Column("erased_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('player', 'bot')", name=op.f("ck_accounts_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name_key", name=op.f("uq_accounts_name_key")),
    )
    op.create_table(
        "balances",
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("asset", sa.String(), nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("balance >= 0 OR account = 'cashier'", name=op.f("ck_balances_not_negative")),
        sa.CheckConstraint("balance BETWEEN -9007199254740991 AND 9007199254740991", name=op.f("ck_balances_range")),
        sa.PrimaryKeyConstraint("account", "asset", name=op.f("pk_balances")),
    )
    op.create_table(
        "checkpoints",
        sa.Column("size", _SEQUENCE, autoincrement=False, nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_checkpoints")),
    )
    op.create_table(
        "counts",
        sa.Column("rows_of", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("rows_of IN ('transactions', 'roster')", name=op.f("ck_counts_rows_of")),
        sa.PrimaryKeyConstraint("rows_of", name=op.f("pk_counts")),
    )
    op.create_table(
        "heartbeat",
        sa.Column("only", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint('"only" = 1', name=op.f("ck_heartbeat_one_row")),
        sa.PrimaryKeyConstraint("only", name=op.f("pk_heartbeat")),
    )
    op.create_table(
        "journal_mark",
        sa.Column("only", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("subtrees", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint('"only" = 1', name=op.f("ck_journal_mark_one_row")),
        sa.PrimaryKeyConstraint("only", name=op.f("pk_journal_mark")),
    )
    op.create_table(
        "leaves",
        sa.Column("n", _SEQUENCE, autoincrement=False, nullable=False),
        sa.Column("leaf", sa.LargeBinary(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.CheckConstraint(_OF_A_MATCH, name=op.f("ck_leaves_of_a_match")),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_leaves")),
        sa.UniqueConstraint("match_id", "type", name=op.f("uq_leaves_match_id_type")),
    )
    op.create_index(
        "key_leaves",
        "leaves",
        ["n"],
        unique=False,
        sqlite_where=sa.text("type = 'key'"),
        postgresql_where=sa.text("type = 'key'"),
    )
    op.create_table(
        "log_head",
        sa.Column("only", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint('"only" = 1', name=op.f("ck_log_head_one_row")),
        sa.CheckConstraint("size >= 0 AND length(root) = 32", name=op.f("ck_log_head_form")),
        sa.PrimaryKeyConstraint("only", name=op.f("pk_log_head")),
    )
    op.create_table(
        "log_queue",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("leaf", sa.LargeBinary(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.CheckConstraint(_OF_A_MATCH, name=op.f("ck_log_queue_of_a_match")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_log_queue")),
        sa.UniqueConstraint("match_id", "type", name=op.f("uq_log_queue_match_id_type")),
    )
    op.create_table(
        "outages",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("began", sa.BigInteger(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("began < ended", name=op.f("ck_outages_order")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_outages")),
    )
    op.create_index(op.f("ix_outages_ended"), "outages", ["ended"], unique=False)
    op.create_table(
        "requests",
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("intent", sa.LargeBinary(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("scope", "key", name=op.f("pk_requests")),
    )
    op.create_table(
        "significant_events",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('clock', 'erasure', 'exclusion', 'identify', 'key', 'limit', 'proof', 'refused_start', 'reset',"
            " 'reversal', 'schedule', 'switch', 'void')",
            name=op.f("ck_significant_events_kind"),
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_significant_events")),
    )
    op.create_index(op.f("ix_significant_events_kind_seq"), "significant_events", ["kind", "seq"], unique=False)
    op.create_table(
        "tiles",
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("length(data) BETWEEN 32 AND 8192 AND length(data) % 32 = 0", name=op.f("ck_tiles_hashes")),
        sa.CheckConstraint("level >= 0 AND n >= 0", name=op.f("ck_tiles_place")),
        sa.PrimaryKeyConstraint("level", "n", name=op.f("pk_tiles")),
    )
    op.create_table(
        "cosignatures",
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("witness", sa.String(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["size"], ["checkpoints.size"], name=op.f("fk_cosignatures_size")),
        sa.PrimaryKeyConstraint("size", "witness", name=op.f("pk_cosignatures")),
    )
    op.create_table(
        "matches",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("opener", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("stake", sa.BigInteger(), nullable=False),
        sa.Column("asset", sa.String(), nullable=False),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("seating", sa.Integer(), nullable=False),
        sa.CheckConstraint("status <> 'ended' OR due_at IS NULL", name=op.f("ck_matches_ended_is_never_due")),
        sa.CheckConstraint("status IN ('open', 'joining', 'live', 'ended')", name=op.f("ck_matches_status")),
        sa.CheckConstraint(
            "visibility = CASE WHEN code IS NULL THEN 'public' ELSE 'private' END", name=op.f("ck_matches_visibility")
        ),
        sa.CheckConstraint("seats >= 1", name=op.f("ck_matches_seats")),
        sa.CheckConstraint("size >= 0 AND seating >= 0", name=op.f("ck_matches_counts")),
        sa.CheckConstraint("stake >= 0", name=op.f("ck_matches_stake")),
        sa.ForeignKeyConstraint(["opener"], ["accounts.id"], name=op.f("fk_matches_opener")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_matches")),
        sa.UniqueConstraint("code", name=op.f("uq_matches_code")),
        sa.UniqueConstraint("id", name=op.f("uq_matches_id")),
    )
    op.create_index(op.f("ix_matches_due_at"), "matches", ["due_at"], unique=False)
    op.create_index(op.f("ix_matches_opener_status"), "matches", ["opener", "status"], unique=False)
    op.create_index(op.f("ix_matches_status_visibility_seq"), "matches", ["status", "visibility", "seq"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_sessions_account_id")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_account_id"), "sessions", ["account_id"], unique=False)
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"], unique=False)
    op.create_table(
        "limits",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("asset", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("period", sa.String(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=True),
        sa.Column("old_amount", sa.BigInteger(), nullable=True),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("from_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount >= 0", name=op.f("ck_limits_amount")),
        sa.CheckConstraint(
            "from_at = asked_at + CASE WHEN amount <= coalesce(old_amount, amount) THEN 0 ELSE 86400000 END",
            name=op.f("ck_limits_raised_late"),
        ),
        sa.CheckConstraint("kind IN ('deposit', 'loss', 'stake')", name=op.f("ck_limits_kind")),
        sa.CheckConstraint("period IN ('day', 'week', 'month')", name=op.f("ck_limits_period")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_limits_account_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_limits")),
    )
    op.create_index(
        op.f("ix_limits_account_id_asset_kind_period_seq"),
        "limits",
        ["account_id", "asset", "kind", "period", "seq"],
        unique=False,
    )
    op.create_table(
        "exclusions",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind = 'exclusion' OR until IS NOT NULL", name=op.f("ck_exclusions_for_good")),
        sa.CheckConstraint("kind IN ('cool_off', 'exclusion')", name=op.f("ck_exclusions_kind")),
        sa.CheckConstraint("until > at", name=op.f("ck_exclusions_until")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_exclusions_account_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_exclusions")),
    )
    op.create_index(op.f("ix_exclusions_account_id_seq"), "exclusions", ["account_id", "seq"], unique=False)
    op.create_table(
        "switches",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('on', 'off')", name=op.f("ck_switches_state")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_switches_account_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_switches")),
    )
    op.create_index(op.f("ix_switches_account_id_seq"), "switches", ["account_id", "seq"], unique=False)
    op.create_table(
        "withdrawals",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("asset", sa.String(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("result", sa.String(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("(result IS NULL) = (ended_at IS NULL)", name=op.f("ck_withdrawals_ended")),
        sa.CheckConstraint("amount > 0", name=op.f("ck_withdrawals_amount")),
        sa.CheckConstraint("result IN ('paid', 'refused')", name=op.f("ck_withdrawals_result")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_withdrawals_account_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_withdrawals")),
        sa.UniqueConstraint("id", name=op.f("uq_withdrawals_id")),
    )
    op.create_index(op.f("ix_withdrawals_account_id_seq"), "withdrawals", ["account_id", "seq"], unique=False)
    op.create_index(
        "pending_withdrawals",
        "withdrawals",
        ["seq"],
        unique=False,
        sqlite_where=sa.text("result IS NULL"),
        postgresql_where=sa.text("result IS NULL"),
    )
    op.create_table(
        "commitments",
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_commitments_match_id")),
        sa.PrimaryKeyConstraint("commitment", name=op.f("pk_commitments")),
    )
    op.create_table(
        "events",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("line", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_events_match_id")),
        sa.PrimaryKeyConstraint("match_id", "n", name=op.f("pk_events")),
    )
    op.create_table(
        "seals",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seals_match_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_seals")),
    )
    op.create_table(
        "seats",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("player", sa.String(), nullable=False),
        sa.Column("sat_at", sa.BigInteger(), nullable=False),
        sa.Column("partner_code", sa.String(), nullable=True),
        sa.CheckConstraint("seat >= 0", name=op.f("ck_seats_seat")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_seats_account_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seats_match_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_seats")),
        sa.UniqueConstraint("match_id", "account_id", name=op.f("uq_seats_match_id_account_id")),
        sa.UniqueConstraint("match_id", "seat", name=op.f("uq_seats_match_id_seat")),
        sa.UniqueConstraint("player", name=op.f("uq_seats_player")),
    )
    op.create_index(op.f("ix_seats_account_id_seq"), "seats", ["account_id", "seq"], unique=False)
    op.create_table(
        "transactions",
        sa.Column("seq", _SEQUENCE, autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.Column("asset", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_transactions_match_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_transactions")),
        sa.UniqueConstraint("id", name=op.f("uq_transactions_id")),
    )
    op.create_index(op.f("ix_transactions_match_id"), "transactions", ["match_id"], unique=False)
    op.create_table(
        "entries",
        sa.Column("seq", _SEQUENCE, nullable=False),
        sa.Column("transaction_id", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("asset", sa.String(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount <> 0", name=op.f("ck_entries_amount")),
        sa.ForeignKeyConstraint(
            ["transaction_id"],
            ["transactions.id"],
            name=op.f("fk_entries_transaction_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_entries")),
        sa.UniqueConstraint("transaction_id", "account", name=op.f("uq_entries_transaction_id_account")),
    )
    op.create_index(op.f("ix_entries_account_asset_seq"), "entries", ["account", "asset", "seq"], unique=False)
    op.create_table(
        "holds",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount > 0", name=op.f("ck_holds_amount")),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_holds_account_id")),
        sa.ForeignKeyConstraint(["id"], ["transactions.id"], name=op.f("fk_holds_id")),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_holds_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holds")),
    )
    op.create_index(op.f("ix_holds_match_id_account_id"), "holds", ["match_id", "account_id"], unique=False)
    op.create_table(
        "match_endings",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("transaction_id", sa.String(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_endings_match_id")),
        sa.ForeignKeyConstraint(["transaction_id"], ["transactions.id"], name=op.f("fk_match_endings_transaction_id")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_match_endings")),
    )
    op.create_table(
        "roster",
        sa.Column("seq", _SEQUENCE, autoincrement=False, nullable=False),
        sa.Column("player", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["seats.player"], name=op.f("fk_roster_player")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_roster")),
        sa.UniqueConstraint("player", name=op.f("uq_roster_player")),
    )
    op.create_table(
        "hold_endings",
        sa.Column("hold_id", sa.String(), nullable=False),
        sa.Column("transaction_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["hold_id"], ["holds.id"], name=op.f("fk_hold_endings_hold_id")),
        sa.ForeignKeyConstraint(["transaction_id"], ["transactions.id"], name=op.f("fk_hold_endings_transaction_id")),
        sa.PrimaryKeyConstraint("hold_id", name=op.f("pk_hold_endings")),
    )
    connection = op.get_bind()
    connection.execute(sa.text("INSERT INTO heartbeat VALUES (1, NULL)"))
    connection.execute(sa.text("INSERT INTO counts (rows_of, size) VALUES ('roster', 0), ('transactions', 0)"))
    head = sa.text("INSERT INTO log_head VALUES (1, 0, :root)")
    connection.execute(head, {"root": _ROOT_OF_NOTHING})
    mark = sa.text("INSERT INTO journal_mark VALUES (1, 0, :none, 0)")
    connection.execute(mark, {"none": b""})
    if connection.dialect.name == "postgresql":
        for parameter, tables in _STORED.items():
            for table in tables:
                op.execute(f"ALTER TABLE {table} SET ({parameter})")
