"""What CHECK constraints cannot say: the rules that triggers hold on both databases, against our own faults and against
a hand at the SQL prompt. Somebody who can drop triggers is found by `check_schema` and by the auditors' recomputation,
not stopped.
"""

from dataclasses import dataclass
from typing import Final

from fairdeal.store import cashier_rows, log_rows, rows, safeguard_rows


@dataclass(frozen=True, slots=True)
class Guard:
    """A trigger that refuses at its `moment` what is `forbidden`, SQL over NEW and OLD, and `says` so. Both databases
    understand the first two.
    """

    moment: str
    forbidden: str
    says: str


APPEND_ONLY: Final = (
    rows.events,
    rows.transactions,
    rows.entries,
    rows.holds,
    rows.hold_endings,
    rows.match_endings,
    rows.commitments,
    rows.seals,
    log_rows.leaves,
    log_rows.checkpoints,
    log_rows.cosignatures,
    log_rows.outages,
    rows.roster,
    rows.significant_events,
    safeguard_rows.limits,
    safeguard_rows.exclusions,
    safeguard_rows.switches,
)

GUARDS: Final = {
    "events_have_no_gaps": Guard(
        "BEFORE INSERT ON events",
        "NEW.n <> coalesce((SELECT max(n) + 1 FROM events WHERE match_id = NEW.match_id), 0)",
        "events have no gaps",
    ),
    "events_end": Guard(
        "BEFORE INSERT ON events",
        "EXISTS (SELECT 1 FROM match_endings WHERE match_id = NEW.match_id)",
        "the match has ended",
    ),
    "entries_are_sealed": Guard(
        "BEFORE INSERT ON entries",
        "EXISTS (SELECT 1 FROM transactions WHERE id = NEW.transaction_id)",
        "the transaction is sealed",
    ),
    "entries_follow": Guard(
        "BEFORE INSERT ON entries",
        "NEW.balance <> NEW.amount + coalesce((SELECT balance FROM entries WHERE account = NEW.account"
        " AND asset = NEW.asset ORDER BY seq DESC LIMIT 1), 0)",
        "the balance does not follow from the entry before",
    ),
    "transactions_sum_to_zero": Guard(
        "BEFORE INSERT ON transactions",
        "(SELECT count(*) < 2 OR sum(amount) <> 0 OR min(asset) <> NEW.asset OR max(asset) <> NEW.asset"
        " FROM entries WHERE transaction_id = NEW.id)",
        "a transaction has two entries or more of its asset that sum to zero",
    ),
    "transactions_have_no_gaps": Guard(
        "BEFORE INSERT ON transactions",
        "NEW.seq <> coalesce((SELECT max(seq) + 1 FROM transactions), 1)"
        " OR NEW.seq <> (SELECT size FROM counts WHERE rows_of = 'transactions')",
        "the transactions have no gaps, and are counted",
    ),
    "roster_has_no_gaps": Guard(
        "BEFORE INSERT ON roster",
        "NEW.seq <> coalesce((SELECT max(seq) + 1 FROM roster), 1)"
        " OR NEW.seq > (SELECT size FROM counts WHERE rows_of = 'roster')",
        "the roster has no gaps, and is counted",
    ),
    "counts_go_up": Guard(
        "BEFORE UPDATE ON counts",
        "NEW.rows_of <> OLD.rows_of OR NEW.size <= OLD.size OR OLD.size <> coalesce(CASE OLD.rows_of"
        " WHEN 'roster' THEN (SELECT max(seq) FROM roster) ELSE (SELECT max(seq) FROM transactions) END, 0)",
        "a count goes up, from the rows that there are",
    ),
    "counts_stay": Guard("BEFORE DELETE ON counts", "TRUE", "a count is never deleted"),
    "transactions_meet_balances": Guard(
        "BEFORE INSERT ON transactions",
        # One balance for each entry: a join may be planned over all of them.
        "EXISTS (SELECT 1 FROM entries e WHERE e.transaction_id = NEW.id AND e.balance IS DISTINCT FROM"
        " (SELECT b.balance FROM balances b WHERE b.account = e.account AND b.asset = e.asset))",
        "a balance was changed without an entry",
    ),
    "balances_begin_at_zero": Guard("BEFORE INSERT ON balances", "NEW.balance <> 0", "a balance begins at zero"),
    "balances_keep_their_account": Guard(
        "BEFORE UPDATE OF account, asset ON balances", "TRUE", "a balance keeps its account"
    ),
    "balances_stay": Guard("BEFORE DELETE ON balances", "TRUE", "a balance is never deleted"),
    "holds_are_of_their_match": Guard(
        "BEFORE INSERT ON hold_endings",
        "(SELECT match_id FROM holds WHERE id = NEW.hold_id)"
        " IS DISTINCT FROM (SELECT match_id FROM transactions WHERE id = NEW.transaction_id)",
        "a hold ends with a transaction of its match",
    ),
    "match_endings_leave_nothing": Guard(
        "BEFORE INSERT ON match_endings",
        "EXISTS (SELECT 1 FROM balances WHERE account = 'match:' || NEW.match_id || ':pot' AND balance <> 0)"
        " OR EXISTS (SELECT 1 FROM holds WHERE match_id = NEW.match_id"
        " AND NOT EXISTS (SELECT 1 FROM hold_endings WHERE hold_id = holds.id))"
        " OR (SELECT status FROM matches WHERE id = NEW.match_id) <> 'ended'",
        "a match ends with its pot and holds paid out",
    ),
    "matches_keep_their_terms": Guard(
        "BEFORE UPDATE OF seq, id, opener, seats, stake, asset, visibility, code, created_at, expires_at ON matches",
        "TRUE",
        "the terms of a match are fixed",
    ),
    "matches_go_forward": Guard(
        "BEFORE UPDATE ON matches",
        "NEW.size < OLD.size OR NEW.seating < OLD.seating OR OLD.status = 'ended'"
        " OR NEW.status = 'open' AND OLD.status <> 'open' OR NEW.status = 'joining' AND OLD.status = 'live'",
        "a match goes forward and ends once",
    ),
    "accounts_stay_erased": Guard(
        "BEFORE UPDATE ON accounts", "OLD.erased_at IS NOT NULL", "an erased account stays as it is"
    ),
    "sittings_are_fixed": Guard("BEFORE UPDATE ON seats", "TRUE", "a sitting is left, never changed"),
    "matches_stay": Guard("BEFORE DELETE ON matches", "TRUE", "a match is never deleted"),
    "requests_keep_their_answer": Guard(
        "BEFORE UPDATE ON requests", "OLD.answer IS NOT NULL", "the first answer stands"
    ),
    "requests_stay": Guard("BEFORE DELETE ON requests", "TRUE", "an idempotency key never expires"),
    "limits_follow": Guard(
        "BEFORE INSERT ON limits",
        "NEW.old_amount IS DISTINCT FROM (SELECT CASE WHEN from_at <= NEW.asked_at THEN amount ELSE old_amount END"
        " FROM limits WHERE account_id = NEW.account_id AND asset = NEW.asset AND kind = NEW.kind"
        " AND period = NEW.period"
        " ORDER BY seq DESC LIMIT 1)",
        "a limit follows the one in force",
    ),
    "withdrawals_are_held": Guard(
        "BEFORE INSERT ON withdrawals",
        "NEW.result IS NOT NULL OR NOT EXISTS (SELECT 1 FROM transactions t"
        " JOIN entries e ON e.transaction_id = t.id WHERE t.id = 'withdraw:' || NEW.id"
        " AND e.account = 'player:' || NEW.account_id || ':pending' AND e.asset = NEW.asset AND e.amount = NEW.amount)",
        "a withdrawal begins with its money set aside",
    ),
    "withdrawals_keep_their_terms": Guard(
        "BEFORE UPDATE OF seq, id, account_id, asset, amount, asked_at ON withdrawals",
        "TRUE",
        "what a withdrawal is of is fixed",
    ),
    "withdrawals_end_once": Guard(
        "BEFORE UPDATE ON withdrawals",
        "OLD.result IS NOT NULL OR NOT EXISTS (SELECT 1 FROM transactions t"
        " JOIN entries e ON e.transaction_id = t.id WHERE t.id = 'withdrawn:' || NEW.id"
        " AND e.account = 'player:' || NEW.account_id || ':pending' AND e.asset = NEW.asset AND e.amount = -NEW.amount"
        " AND t.kind = CASE NEW.result WHEN 'paid' THEN 'payout' ELSE 'refusal' END)",
        "a withdrawal ends once, with its money",
    ),
    "withdrawals_stay": Guard("BEFORE DELETE ON withdrawals", "TRUE", "a withdrawal is never deleted"),
    "leaves_are_queued_once": Guard(
        "BEFORE INSERT ON log_queue",
        "EXISTS (SELECT 1 FROM leaves WHERE match_id = NEW.match_id AND type = NEW.type)",
        "the match has this leaf in the log",
    ),
    "leaves_have_no_gaps": Guard(
        "BEFORE INSERT ON leaves",
        "NEW.n <> coalesce((SELECT max(n) + 1 FROM leaves), 0) OR NEW.n >= (SELECT size FROM log_head)",
        "the leaves have no gaps, and the head counts them",
    ),
    "log_head_grows": Guard(
        "BEFORE UPDATE ON log_head",
        "NEW.size <= OLD.size OR OLD.size <> coalesce((SELECT max(n) + 1 FROM leaves), 0)",
        "the log grows, from the leaves that it has",
    ),
    "tiles_grow": Guard(
        "BEFORE UPDATE ON tiles",
        "NEW.level <> OLD.level OR NEW.n <> OLD.n OR length(NEW.data) <= length(OLD.data)"
        " OR substr(NEW.data, 1, length(OLD.data)) <> OLD.data",
        "a tile only grows",
    ),
    "tiles_stay": Guard("BEFORE DELETE ON tiles", "TRUE", "a tile is never deleted"),
    "checkpoints_are_of_what_is_stored": Guard(
        "BEFORE INSERT ON checkpoints",
        "NEW.size > (SELECT size FROM log_head)",
        "a checkpoint is of what is stored",
    ),
    "journal_mark_goes_forward": Guard(
        "BEFORE UPDATE ON journal_mark",
        "NEW.size <= OLD.size",
        "the mark of the journal goes forward",
    ),
    **{
        f"{name}_stays": Guard(f"BEFORE DELETE ON {name}", "TRUE", "there is exactly one row")
        for name in ("log_head", "journal_mark")
    },
}

AGAINST_REPLACE: Final = {
    "leaves_stand_once": Guard(
        "BEFORE INSERT ON leaves",
        "EXISTS (SELECT 1 FROM leaves WHERE match_id = NEW.match_id AND type = NEW.type)",
        "the match has this leaf in the log",
    ),
    "tiles_are_made_once": Guard(
        "BEFORE INSERT ON tiles",
        "EXISTS (SELECT 1 FROM tiles WHERE level = NEW.level AND n = NEW.n)",
        "a tile is made once",
    ),
    "withdrawals_are_made_once": Guard(
        "BEFORE INSERT ON withdrawals",
        "EXISTS (SELECT 1 FROM withdrawals WHERE id = NEW.id OR seq = NEW.seq)",
        "a withdrawal is made once",
    ),
    "counts_are_made_once": Guard(
        "BEFORE INSERT ON counts",
        "EXISTS (SELECT 1 FROM counts WHERE rows_of = NEW.rows_of)",
        "a count is made once",
    ),
    **{
        f"{name}_is_made_once": Guard(
            f"BEFORE INSERT ON {name}", f"EXISTS (SELECT 1 FROM {name})", "there is exactly one row"
        )
        for name in ("log_head", "journal_mark")
    },
}
"""For SQLite's INSERT OR REPLACE, which deletes without firing DELETE triggers. PostgreSQL has no such."""

NEVER_EMPTIED: Final = (
    *APPEND_ONLY,
    rows.matches,
    rows.balances,
    rows.counts,
    rows.requests,
    cashier_rows.withdrawals,
    log_rows.tiles,
    log_rows.head,
    log_rows.journal_mark,
)
"""For PostgreSQL's TRUNCATE, which no guard of rows sees; SQLite has none."""
