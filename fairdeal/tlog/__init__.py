"""The transparency log: Merkle tree, proofs, tiles, signed notes, checkpoints, witnesses and policies (C2SP)."""

from fairdeal.tlog.checkpoint import Checkpoint
from fairdeal.tlog.cosignature import Cosignature, Cosigner, OpenedCheckpoint, check_cosignature, open_checkpoint
from fairdeal.tlog.entries import format_entries, parse_entries
from fairdeal.tlog.logproof import LogProof
from fairdeal.tlog.merkle import EMPTY_ROOT, Frontier, leaf_hash, node_hash, root
from fairdeal.tlog.note import Note, NoteSigner, OpenedNote, SignatureLine, VerifierKey, open_note, sign_note
from fairdeal.tlog.policy import Group, Log, Policy, Witness, format_policy
from fairdeal.tlog.proofs import (
    Subtrees,
    check_consistency,
    check_inclusion,
    consistency_proof,
    frontier,
    inclusion_proof,
    tree_root,
)
from fairdeal.tlog.tiles import (
    EntryBundle,
    Tile,
    TileEdge,
    entry_bundles,
    parse_path,
    subtrees_of_tiles,
    tile_root,
    tiles,
)
from fairdeal.tlog.witness import AddCheckpoint, WitnessAnswer, cosigned, refused

__all__ = [
    "EMPTY_ROOT",
    "AddCheckpoint",
    "Checkpoint",
    "Cosignature",
    "Cosigner",
    "EntryBundle",
    "Frontier",
    "Group",
    "Log",
    "LogProof",
    "Note",
    "NoteSigner",
    "OpenedCheckpoint",
    "OpenedNote",
    "Policy",
    "SignatureLine",
    "Subtrees",
    "Tile",
    "TileEdge",
    "VerifierKey",
    "Witness",
    "WitnessAnswer",
    "check_consistency",
    "check_cosignature",
    "check_inclusion",
    "consistency_proof",
    "cosigned",
    "entry_bundles",
    "format_entries",
    "format_policy",
    "frontier",
    "inclusion_proof",
    "leaf_hash",
    "node_hash",
    "open_checkpoint",
    "open_note",
    "parse_entries",
    "parse_path",
    "refused",
    "root",
    "sign_note",
    "subtrees_of_tiles",
    "tile_root",
    "tiles",
    "tree_root",
]
