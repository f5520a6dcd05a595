"""What the log of all matches says of one match: steps 1 and 2 of protocol 6.2, and its leaves against the events."""

from itertools import pairwise

from fairdeal_verifier.errors import Broken, ProofRefused, SignatureRefused
from fairdeal_verifier.events import Dealt, End, Join, Reveal, Seed
from fairdeal_verifier.files import LogPart, ProvenLeaf
from fairdeal_verifier.leaves import CloseLeaf, FullLeaf, MatchLeaf, OpenLeaf, StartLeaf
from fairdeal_verifier.merkle import check_consistency, check_inclusion, leaf_hash
from fairdeal_verifier.notes import Checkpoint, KeyId
from fairdeal_verifier.policy import Policy
from fairdeal_verifier.transcript import Transcript

OUTCOMES = {
    "target": "played", "overruns": "forfeit", "resigned": "forfeit", "seed": "no_seed", "cancelled": "cancelled",
    "void": "void",
}  # fmt: skip
"""What a `close` leaf says, by the reason of the `end`."""


def check_checkpoint(log: LogPart, policy: Policy, origin: str) -> set[KeyId]:
    """Step 1 of the log: the listed keys that signed or cosigned its checkpoint."""
    checkpoint = log.checkpoint
    by_logs = [line.key for line in checkpoint.lines if line.key in policy.logs]
    if not by_logs:
        raise Broken(1, "unknown_key", None)
    try:
        signers = policy.signers(checkpoint)
    except SignatureRefused:
        raise Broken(1, "checkpoint", None) from None
    if checkpoint.origin != origin or all(name != origin for name, _ in by_logs):
        raise Broken(1, "checkpoint", None)
    return signers


def check_leaf_proof(proven: ProvenLeaf, checkpoint: Checkpoint) -> None:
    """Raises ProofRefused."""
    check_inclusion(leaf_hash(proven.data), proven.index, checkpoint.size, checkpoint.root, proven.proof)


def check_log(log: LogPart, copy: Transcript) -> None:
    """Step 2."""
    for proven in log.leaves.values():
        if proven.leaf.m != copy.open.m:
            raise Broken(2, "leaf", None)
        try:
            check_leaf_proof(proven, log.checkpoint)
        except ProofRefused:
            raise Broken(2, "inclusion", None) from None
    if log.leaves["open"].leaf.root != copy.roots[1]:
        raise Broken(2, "leaf", 0, size=1)
    if copy.closed:
        due = {"full": copy.seated, "start": copy.first(Dealt) is not None, "close": True}
        if any(wanted and kind not in log.leaves for kind, wanted in due.items()):
            raise Broken(2, "leaf_missing", None)
    _check_seen(log, copy)
    indices = [proven.index for proven in log.leaves.values()]
    if any(before >= after for before, after in pairwise(indices)):
        raise Broken(2, "log_order", None)


def _check_seen(log: LogPart, copy: Transcript) -> None:
    """Every checkpoint that a player had seen is a beginning of this one."""
    sizes = set()
    for n, event in enumerate(copy.events):
        if not isinstance(event, Join) or event.seen_size == 0:
            continue
        sizes.add(event.seen_size)
        proof = log.consistency.get(event.seen_size)
        try:
            if proof is None:
                raise ProofRefused("none given")
            check_consistency(event.seen_size, event.seen_root, log.checkpoint.size, log.checkpoint.root, proof)
        except ProofRefused:
            raise Broken(2, "consistency", n) from None
    if log.consistency.keys() != sizes:
        raise Broken(2, "consistency", None)


def compare(leaf: MatchLeaf, copy: Transcript) -> None:
    """Step 3: a leaf of this match against the events of a copy."""
    match leaf:
        case OpenLeaf():
            if leaf.commitment != copy.open.commitment:
                raise Broken(3, "leaf", 0)
        case FullLeaf():
            _compare_full(leaf, copy)
        case StartLeaf():
            _compare_start(leaf, copy)
        case CloseLeaf(is_lost=True):
            _compare_lost(leaf, copy)
        case CloseLeaf():
            _compare_close(leaf, copy)


def _compare_root(leaf: MatchLeaf, size: int, copy: Transcript) -> None:
    if leaf.root != copy.roots[size]:
        raise Broken(3, "leaf", size - 1, size=size)


def _compare_full(leaf: FullLeaf, copy: Transcript) -> None:
    seats, have = copy.open.seats, len(copy.events)
    if have <= seats and not copy.finished:
        return
    if not copy.seated:
        raise Broken(3, "leaf", min(seats, have))
    _compare_root(leaf, seats + 1, copy)


def _compare_start(leaf: StartLeaf, copy: Transcript) -> None:
    have = len(copy.events)
    if leaf.size > have:
        if copy.finished:
            raise Broken(3, "leaf", have)
        return
    dealt = copy.first(Dealt)
    if dealt is None or dealt[0] != leaf.size - 1:
        raise Broken(3, "leaf", leaf.size - 1)
    _compare_root(leaf, leaf.size, copy)


def _compare_lost(leaf: CloseLeaf, copy: Transcript) -> None:
    have, end = len(copy.events), copy.first(End)
    # What came after, be it an end that was told already, went with the store.
    if have > leaf.size:
        raise Broken(3, "events_extra", leaf.size)
    if have < leaf.size:
        raise Broken(3, "events_missing", have)
    if copy.finished or end is not None:
        raise Broken(3, "leaf", have if end is None else end[0])
    _compare_root(leaf, leaf.size, copy)


def _compare_close(leaf: CloseLeaf, copy: Transcript) -> None:
    have = len(copy.events)
    if not copy.closed:
        raise Broken(3, "events_missing", have)
    if leaf.size != have:
        raise Broken(3, "leaf", min(leaf.size, have))
    _compare_root(leaf, leaf.size, copy)
    revealed, ended = copy.first(Reveal), copy.first(End)
    if revealed is not None and leaf.server_seed != revealed[1].server_seed:
        raise Broken(3, "leaf", revealed[0])
    if ended is not None and (leaf.outcome, leaf.seats, leaf.cause) != _outcome(ended[1], copy):
        raise Broken(3, "leaf", ended[0])


def _outcome(end: End, copy: Transcript) -> tuple[str, tuple[int, ...] | None, str | None]:
    seats = None
    if end.reason == "seed":
        sent = {event.by for event in copy.events if isinstance(event, Seed)}
        seats = tuple(seat for seat in range(copy.open.seats) if seat not in sent)
    return OUTCOMES[end.reason], seats, end.cause
