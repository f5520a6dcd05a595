"""SQL that no code of ours would run, and the guard that is there for it; on a `scene` of tests/store/scene.py."""

from typing import TypeAlias

Attacks: TypeAlias = dict[str, tuple[str, tuple[str, ...]]]

_ENTRIES = "INSERT INTO entries (transaction_id, account, asset, amount, balance) "
HEADER = (
    "UPDATE counts SET size = size + 1 WHERE rows_of = 'transactions';"
    "INSERT INTO transactions (seq, id, kind, asset, at, line)"
    " SELECT size, 'deposit:{new}', 'deposit', 'JETON', 5, {byte} FROM counts WHERE rows_of = 'transactions'"
)
MINT = (
    "UPDATE balances SET balance = balance + 1 WHERE account = 'player:{player}:cash';"
    + _ENTRIES
    + "SELECT 'deposit:{new}', account, asset, 1, balance FROM balances WHERE account = 'player:{player}:cash';"
)
PAID = (
    "UPDATE balances SET balance = balance - 1 WHERE account = 'cashier';"
    + _ENTRIES
    + "SELECT 'deposit:{new}', account, asset, -1, balance FROM balances WHERE account = 'cashier';"
)

# Each guard, and an attack that it alone stops (with the guards named taken away first, where others stop it too).
ATTACKS: Attacks = {
    "events_have_no_gaps": ("INSERT INTO events VALUES ('{live}', 99, {byte})", ()),
    "events_end": (
        "INSERT INTO events SELECT '{ended}', max(n) + 1, {byte} FROM events WHERE match_id = '{ended}'",
        (),
    ),
    "entries_are_sealed": (
        _ENTRIES + "SELECT 'end:{ended}', 'house:tips', 'JETON', 5, 5",
        (),
    ),
    "entries_follow": (_ENTRIES + "VALUES ('deposit:{new}', 'tax', 'JETON', 5, 6)", ()),
    "transactions_sum_to_zero": (MINT + HEADER, ()),
    "transactions_have_no_gaps": (
        MINT + PAID + "INSERT INTO transactions (seq, id, kind, asset, at, line)"
        " SELECT size + 2, 'deposit:{new}', 'deposit', 'JETON', 5, {byte} FROM counts WHERE rows_of = 'transactions'",
        (),
    ),
    "roster_has_no_gaps": (
        "UPDATE counts SET size = size + 2 WHERE rows_of = 'roster';"
        "INSERT INTO roster SELECT size, player FROM counts, seats WHERE rows_of = 'roster' AND match_id = '{waiting}'",
        (),
    ),
    "counts_go_up": ("UPDATE counts SET size = size - 1", ()),
    "counts_stay": ("DELETE FROM counts", ()),
    "transactions_meet_balances": (
        "UPDATE balances SET balance = balance + 7 WHERE account = 'player:{player}:cash';"
        + _ENTRIES
        + "SELECT 'deposit:{new}', account, asset, 1, balance - 6 FROM balances"
        " WHERE account = 'player:{player}:cash';" + PAID + HEADER,
        (),
    ),
    "balances_begin_at_zero": ("INSERT INTO balances VALUES ('player:{new}:cash', 'JETON', 5)", ()),
    "balances_keep_their_account": ("UPDATE balances SET asset = 'EUR'", ()),
    "balances_stay": ("DELETE FROM balances", ()),
    "holds_are_of_their_match": (
        "INSERT INTO hold_endings SELECT id, 'end:{ended}' FROM holds WHERE match_id = '{waiting}'",
        (),
    ),
    "match_endings_leave_nothing": (
        "UPDATE matches SET status = 'ended', due_at = NULL WHERE id = '{live}';"
        "INSERT INTO match_endings VALUES ('{live}', NULL, 5)",
        (),
    ),
    "matches_keep_their_terms": ("UPDATE matches SET stake = stake + 1 WHERE id = '{live}'", ()),
    "matches_go_forward": ("UPDATE matches SET size = size - 1", ()),
    "accounts_stay_erased": (
        "UPDATE accounts SET erased_at = 5 WHERE id = '{player}'; UPDATE accounts SET name = 'back again'"
        " WHERE erased_at IS NOT NULL",
        (),
    ),
    "sittings_are_fixed": ("UPDATE seats SET partner_code = NULL", ()),
    "matches_stay": ("DELETE FROM matches", ()),
    "requests_keep_their_answer": ("UPDATE requests SET intent = {byte}", ()),
    "requests_stay": ("DELETE FROM requests", ()),
    "limits_follow": (
        "INSERT INTO limits (account_id, asset, kind, period, amount, old_amount, asked_at, from_at)"
        " SELECT account_id, asset, kind, period, amount + 1, amount + 1, asked_at, asked_at FROM limits LIMIT 1",
        (),
    ),
    "limits_never_update": ("UPDATE limits SET amount = amount + 1", ()),
    "limits_never_delete": ("DELETE FROM limits", ()),
    "exclusions_never_update": ("UPDATE exclusions SET until = until + 1", ()),
    "exclusions_never_delete": ("DELETE FROM exclusions", ()),
    "switches_never_update": ("UPDATE switches SET at = at + 1", ()),
    "switches_never_delete": ("DELETE FROM switches", ()),
    "withdrawals_are_held": (
        "INSERT INTO withdrawals (id, account_id, asset, amount, asked_at) VALUES ('{new}', '{player}', 'JETON', 5, 5)",
        (),
    ),
    "withdrawals_keep_their_terms": (
        "UPDATE withdrawals SET amount = amount + 1 WHERE result IS NULL",
        ("withdrawals_end_once",),
    ),
    "withdrawals_end_once": ("UPDATE withdrawals SET result = 'refused', ended_at = 5 WHERE result IS NULL", ()),
    "withdrawals_stay": ("DELETE FROM withdrawals", ()),
    "events_never_update": ("UPDATE events SET line = {byte}", ()),
    "events_never_delete": ("DELETE FROM events", ()),
    "transactions_never_update": ("UPDATE transactions SET line = {byte}", ()),
    "transactions_never_delete": ("DELETE FROM transactions", ()),
    "entries_never_update": ("UPDATE entries SET amount = amount + 1", ()),
    "entries_never_delete": ("DELETE FROM entries", ()),
    "holds_never_update": ("UPDATE holds SET amount = amount + 1", ()),
    "holds_never_delete": ("DELETE FROM holds", ()),
    "hold_endings_never_update": ("UPDATE hold_endings SET transaction_id = 'x'", ()),
    "hold_endings_never_delete": ("DELETE FROM hold_endings", ()),
    "match_endings_never_update": ("UPDATE match_endings SET at = 6", ()),
    "match_endings_never_delete": ("DELETE FROM match_endings", ()),
    "commitments_never_update": ("UPDATE commitments SET match_id = 'x'", ()),
    "commitments_never_delete": ("DELETE FROM commitments", ()),
    "roster_never_update": ("UPDATE roster SET player = 'x' WHERE seq = 1", ()),
    "roster_never_delete": ("DELETE FROM roster WHERE seq = 1", ()),
    "significant_events_never_update": ("UPDATE significant_events SET at = 6", ()),
    "significant_events_never_delete": ("DELETE FROM significant_events", ()),
    "leaves_are_queued_once": (
        "INSERT INTO log_queue (leaf, type, match_id)"
        " SELECT leaf, type, match_id FROM leaves WHERE type = 'open' LIMIT 1",
        (),
    ),
    "leaves_have_no_gaps": ("INSERT INTO leaves VALUES ((SELECT max(n) + 1 FROM leaves), {byte}, 'ledger', NULL)", ()),
    "leaves_never_update": ("UPDATE leaves SET leaf = {byte}", ()),
    "leaves_never_delete": ("DELETE FROM leaves", ()),
    "log_head_grows": ("UPDATE log_head SET root = {hash}", ()),
    "log_head_stays": ("DELETE FROM log_head", ()),
    "tiles_grow": ("UPDATE tiles SET data = {tile}", ()),
    "tiles_stay": ("DELETE FROM tiles", ()),
    "checkpoints_are_of_what_is_stored": ("INSERT INTO checkpoints VALUES (1000, 'note')", ()),
    "checkpoints_never_update": ("UPDATE checkpoints SET note = 'other'", ()),
    "checkpoints_never_delete": ("DELETE FROM checkpoints", ()),
    "cosignatures_never_update": ("UPDATE cosignatures SET line = 'other'", ()),
    "cosignatures_never_delete": ("DELETE FROM cosignatures", ()),
    "outages_never_update": ("UPDATE outages SET ended = ended + 1", ()),
    "outages_never_delete": ("DELETE FROM outages", ()),
    "journal_mark_goes_forward": ("UPDATE journal_mark SET at = at + 1", ()),
    "journal_mark_stays": ("DELETE FROM journal_mark", ()),
    "seals_never_update": ("UPDATE seals SET sealed = {byte}", ()),
    "seals_never_delete": ("DELETE FROM seals", ()),
}

# SQLite alone has INSERT OR REPLACE.
REPLACEMENTS: Attacks = {
    "events_never_replace": ("INSERT OR REPLACE INTO events VALUES ('{live}', 1, {byte})", ("events_have_no_gaps",)),
    "transactions_never_replace": (
        "UPDATE counts SET size = size + 1 WHERE rows_of = 'transactions';"
        "INSERT OR REPLACE INTO transactions (seq, id, kind, asset, at, line)"
        " SELECT seq + 1, id, kind, asset, at, {byte} FROM transactions ORDER BY seq DESC LIMIT 1",
        (),
    ),
    "entries_never_replace": (
        "INSERT OR REPLACE INTO entries SELECT seq, 'deposit:{new}', account, asset, amount, amount + balance"
        " FROM entries WHERE account = 'tax'",
        (),
    ),
    "holds_never_replace": ("INSERT OR REPLACE INTO holds SELECT id, match_id, account_id, 1 FROM holds LIMIT 1", ()),
    "hold_endings_never_replace": ("INSERT OR REPLACE INTO hold_endings SELECT * FROM hold_endings LIMIT 1", ()),
    "match_endings_never_replace": ("INSERT OR REPLACE INTO match_endings VALUES ('{ended}', NULL, 6)", ()),
    "commitments_never_replace": (
        "INSERT OR REPLACE INTO commitments SELECT commitment, 'x' FROM commitments LIMIT 1",
        (),
    ),
    "roster_never_replace": (
        "INSERT OR REPLACE INTO roster SELECT 1, player FROM seats WHERE match_id = '{waiting}'",
        ("roster_has_no_gaps",),
    ),
    "significant_events_never_replace": (
        "INSERT OR REPLACE INTO significant_events SELECT seq, at, kind, '{{}}' FROM significant_events",
        (),
    ),
    "leaves_stand_once": (
        "UPDATE log_head SET size = size + 1;"
        "INSERT OR REPLACE INTO leaves SELECT (SELECT max(n) + 1 FROM leaves), leaf, type, match_id"
        " FROM leaves WHERE type = 'open' LIMIT 1",
        (),
    ),
    "leaves_never_replace": (
        "INSERT OR REPLACE INTO leaves SELECT n, {byte}, 'ledger', NULL FROM leaves LIMIT 1",
        ("leaves_have_no_gaps",),
    ),
    "log_head_is_made_once": ("INSERT OR REPLACE INTO log_head VALUES (1, 0, {hash})", ()),
    "tiles_are_made_once": ("INSERT OR REPLACE INTO tiles SELECT level, n, {hash} FROM tiles", ()),
    "checkpoints_never_replace": ("INSERT OR REPLACE INTO checkpoints SELECT size, 'other' FROM checkpoints", ()),
    "cosignatures_never_replace": (
        "INSERT OR REPLACE INTO cosignatures SELECT size, witness, 'other' FROM cosignatures",
        (),
    ),
    "outages_never_replace": ("INSERT OR REPLACE INTO outages SELECT seq, began, ended + 1 FROM outages", ()),
    "journal_mark_is_made_once": ("INSERT OR REPLACE INTO journal_mark VALUES (1, 0, {nothing}, 0)", ()),
    "seals_never_replace": ("INSERT OR REPLACE INTO seals VALUES ('{live}', {byte})", ()),
    "limits_never_replace": (
        "INSERT OR REPLACE INTO limits SELECT seq, account_id, asset, kind, period, 5, NULL, 5, 5 FROM limits LIMIT 1",
        ("limits_follow",),
    ),
    "exclusions_never_replace": (
        "INSERT OR REPLACE INTO exclusions SELECT seq, account_id, kind, at, at + 1 FROM exclusions LIMIT 1",
        (),
    ),
    "switches_never_replace": (
        "INSERT OR REPLACE INTO switches SELECT seq, account_id, 'on', reason, at FROM switches LIMIT 1",
        (),
    ),
    "withdrawals_are_made_once": (
        "INSERT OR REPLACE INTO withdrawals (id, account_id, asset, amount, asked_at)"
        " SELECT id, account_id, asset, amount, asked_at FROM withdrawals WHERE result IS NOT NULL LIMIT 1",
        (),
    ),
    "counts_are_made_once": ("INSERT OR REPLACE INTO counts VALUES ('roster', 0)", ()),
}
