"""One match: its events, what may come next, what each seat may see, and what a player takes away.

Pure. `decide` turns a command into events, `evolve` folds events into a state; protocol sections 2 and 5.
"""

from fairdeal.match.actions import SignedAction, action_message, retry_of
from fairdeal.match.decide import Cancel, Command, Move, Resume, Tick, Void, decide, open_match
from fairdeal.match.events import SEAT_EVENTS, SERVER, Event
from fairdeal.match.evolve import check_signature, evolve, replay
from fairdeal.match.files import (
    Bundle,
    Held,
    HeldLine,
    HeldLog,
    LogPart,
    ProvenLeaf,
    SeenProof,
    check_view,
    parse_bundle,
    parse_held,
    proven_leaves,
    write_bundle,
    write_held,
)
from fairdeal.match.leaves import (
    LOST,
    MATCH_LEAVES,
    due_leaves,
    key_leaf,
    key_message,
    ledger_leaf,
    lost_leaf,
    outage_leaf,
    parse_leaf,
)
from fairdeal.match.receipts import check_receipt, open_receipt, receipt, receipt_key, receipt_name
from fairdeal.match.settlement import money_outcome, settlement_lines
from fairdeal.match.state import Ending, Joined, MatchState, Phase
from fairdeal.match.terms import Asset, Clock, Terms
from fairdeal.match.views import legal, table_view, view, view_message

__all__ = [
    "LOST",
    "MATCH_LEAVES",
    "SEAT_EVENTS",
    "SERVER",
    "Asset",
    "Bundle",
    "Cancel",
    "Clock",
    "Command",
    "Ending",
    "Event",
    "Held",
    "HeldLine",
    "HeldLog",
    "Joined",
    "LogPart",
    "MatchState",
    "Move",
    "Phase",
    "ProvenLeaf",
    "Resume",
    "SeenProof",
    "SignedAction",
    "Terms",
    "Tick",
    "Void",
    "action_message",
    "check_receipt",
    "check_signature",
    "check_view",
    "decide",
    "due_leaves",
    "evolve",
    "key_leaf",
    "key_message",
    "ledger_leaf",
    "legal",
    "lost_leaf",
    "money_outcome",
    "open_match",
    "open_receipt",
    "outage_leaf",
    "parse_bundle",
    "parse_held",
    "parse_leaf",
    "proven_leaves",
    "receipt",
    "receipt_key",
    "receipt_name",
    "replay",
    "retry_of",
    "settlement_lines",
    "table_view",
    "view",
    "view_message",
    "write_bundle",
    "write_held",
]
