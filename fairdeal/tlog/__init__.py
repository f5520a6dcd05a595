"""Transparency log pieces: the Merkle tree, signed notes, checkpoints."""

from fairdeal.tlog.checkpoint import Checkpoint
from fairdeal.tlog.merkle import EMPTY_ROOT, Frontier, leaf_hash, node_hash, root
from fairdeal.tlog.note import NoteSigner, OpenedNote, VerifierKey, open_note, sign_note

__all__ = [
    "EMPTY_ROOT",
    "Checkpoint",
    "Frontier",
    "NoteSigner",
    "OpenedNote",
    "VerifierKey",
    "leaf_hash",
    "node_hash",
    "open_note",
    "root",
    "sign_note",
]
