"""Receipts: signed checkpoints of a match's own log (protocol section 2.8)."""

from fairdeal.errors import Malformed, RootMismatch
from fairdeal.keys import check_registered
from fairdeal.match.state import MatchState
from fairdeal.match.terms import Terms
from fairdeal.tlog import Checkpoint, NoteSigner, VerifierKey, open_note, sign_note


def receipt_name(log: str) -> str:
    """The note name that a log's receipts are signed under."""
    return f"{log}/receipts"


def receipt_key(terms: Terms) -> VerifierKey:
    """The key that signs this match's receipts and views. Raises KeyRefused for one outside the prime-order group.

    About 1 ms: to be asked once a match.
    """
    check_registered(terms.receipt_key)
    return VerifierKey(receipt_name(terms.log), terms.receipt_key)


def receipt(state: MatchState, signer: NoteSigner) -> str:
    """The signed note over the whole history so far."""
    return sign_note(Checkpoint(state.terms.origin, state.size, state.root).body(), signer)


def open_receipt(note: str, key: VerifierKey) -> Checkpoint:
    """The checkpoint in a receipt with exactly one signature line, by `key`. Raises Malformed, KeyRefused,
    SignatureInvalid.
    """
    opened = open_note(note, [key])
    if opened.signature_count != 1:
        raise Malformed("a receipt has one signature line")
    return Checkpoint.parse(opened.text)


def check_receipt(note: str, key: VerifierKey, state: MatchState) -> None:
    """Raises RootMismatch unless this receipt is for exactly the state's history; else as `open_receipt`."""
    if open_receipt(note, key) != Checkpoint(state.terms.origin, state.size, state.root):
        raise RootMismatch("the receipt is for another history than this one")
