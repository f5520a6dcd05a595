"""What the service says of the log of all matches, checked (protocol sections 2.10 and 7.3).

Pure: a checkpoint is believed on the player's policy alone, a leaf on its proof, and what it says on the events.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from fairdeal import canonical
from fairdeal.client.errors import Contradiction, Finding, NotLogged, UnknownLogKey
from fairdeal.commit import Seed, check_opens
from fairdeal.errors import FairdealError, Inconsistent, KeyRefused, Malformed, NotIncluded
from fairdeal.ids import parse_hex
from fairdeal.limits import HASH_BYTES, MAX_LOG_LINE_BYTES, MAX_PROOF_HASHES
from fairdeal.match import (
    LOST,
    Event,
    LogPart,
    MatchState,
    Phase,
    ProvenLeaf,
    SeenProof,
    Terms,
    parse_leaf,
    proven_leaves,
    receipt_key,
)
from fairdeal.tlog import (
    EMPTY_ROOT,
    Checkpoint,
    Policy,
    Tile,
    check_consistency,
    check_inclusion,
    consistency_proof,
    leaf_hash,
    open_checkpoint,
    subtrees_of_tiles,
    tree_root,
)

ReadTile = Callable[[Tile], bytes]

_MAX_CHECKPOINT: Final = MAX_LOG_LINE_BYTES // 4
"""Bytes of a checkpoint's note: with every proof that can stand beside it, it fits a line of a player's files."""


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """What the log has of a match: a checkpoint as a note and what it says, and the leaves that stand under it."""

    note: str
    checkpoint: Checkpoint
    leaves: tuple[ProvenLeaf, ...]


def keeps_log(policy: Policy, terms: Terms) -> bool:
    """Whether the player asks for proofs: when the policy lists a key of the match's log (protocol section 5.3).

    Raises KeyRefused when it lists neither that nor the receipt key.
    """
    if any(log.key.name == terms.log for log in policy.logs):
        return True
    policy.check_log(receipt_key(terms))
    return False


def check_answer(answer: Mapping[str, Any], held: Checkpoint | None, policy: Policy, terms: Terms) -> LogAnswer:
    """The answer, proven: its checkpoint follows `held`, and each leaf is this match's and stands under it.

    No leaf is compared with an event. Raises Contradiction, UnknownLogKey.
    """
    try:
        note, hashes, told = (answer.get(name) for name in ("checkpoint", "consistency", "leaves"))
        if type(hashes) is not list or len(hashes) > MAX_PROOF_HASHES:
            raise Malformed("a proof is a list of hashes")
        proof = [parse_hex(one, HASH_BYTES) for one in hashes]
        leaves = proven_leaves(told) if told != [] else ()
        _check_note_size(note)
    except Malformed as error:
        raise Contradiction(Finding.ANSWER, None, error.message) from error
    assert isinstance(note, str)
    checkpoint = open_log(note, policy, terms.log)
    old = Checkpoint(terms.log, 0, EMPTY_ROOT) if held is None else held
    _check_follows(old, checkpoint, proof)
    check_proven(leaves, checkpoint, terms.m)
    return LogAnswer(note, checkpoint, leaves)


def open_log(note: str, policy: Policy, log: str) -> Checkpoint:
    """The checkpoint of that log, signed by a key that the policy lists for it. Raises Contradiction, UnknownLogKey."""
    keys = [*(one.key for one in policy.logs), *(witness.key for witness in policy.witnesses)]
    try:
        checkpoint = open_checkpoint(note, keys).checkpoint
    except KeyRefused as error:
        raise UnknownLogKey(
            "the log's checkpoint is signed by no key that the policy lists for it; if the operator has replaced the "
            "key, go on with a policy, from elsewhere than the service, that lists the old key and the new one",
            {"log": log},
        ) from error
    except FairdealError as error:
        raise Contradiction(Finding.CHECKPOINT, None, error.message) from error
    if checkpoint.origin != log:
        raise Contradiction(Finding.CHECKPOINT, None, "the checkpoint is another log's")
    return checkpoint


def check_proven(leaves: Sequence[ProvenLeaf], checkpoint: Checkpoint, m: str) -> None:
    """Raises Contradiction unless these are leaves of the match, each under the checkpoint, in the log's order."""
    for one in leaves:
        if one.leaf["m"] != m:
            raise Contradiction(Finding.LEAF, None, "the leaf is another match's")
        proof = [bytes.fromhex(sibling) for sibling in one.proof]
        try:
            leaf = leaf_hash(canonical.encode(one.leaf))
            check_inclusion(leaf, one.index, checkpoint.size, checkpoint.root, proof)
        except NotIncluded as error:
            raise Contradiction(Finding.INCLUSION, None, f"{one.leaf['type']}: {error.message}") from error
    indexes = [one.index for one in leaves]
    if indexes != sorted(set(indexes)):
        raise Contradiction(Finding.LOG_ORDER, None, "the leaves stand in another order in the log")


def check_again(leaves: Sequence[ProvenLeaf], known: Sequence[ProvenLeaf]) -> None:
    """Raises Contradiction unless the leaves proven before are the first of these."""
    if [(one.index, one.leaf) for one in leaves[: len(known)]] != [(one.index, one.leaf) for one in known]:
        raise Contradiction(Finding.LOG_FORK, None, "a leaf that was proven before is another one now, or is left out")


def check_said(leaves: Sequence[ProvenLeaf], due: Iterable[bytes], state: MatchState, roots: Sequence[bytes]) -> None:
    """Raises Contradiction when a leaf says something else than the events: `due` is what these must have logged.

    `roots` are those of the first n events. What a leaf says of events that have not been seen yet is left open.
    """
    expected = {parse_leaf(leaf)["type"]: leaf for leaf in due}
    for one in leaves:
        leaf = one.leaf
        size = leaf.get("size", 1 if leaf["type"] == "open" else state.terms.seats + 1)
        told = size <= state.size or leaf["type"] in expected or state.phase is Phase.CLOSED
        if is_lost(leaf):
            _check_lost(leaf, state, roots)
        elif told and expected.get(leaf["type"]) != canonical.encode(leaf):
            _refuse(leaf, min(size, state.size) - 1, "the log says something else than the events")


def is_lost(leaf: Mapping[str, Any]) -> bool:
    """Whether this leaf ends a match that a restored store could not go on with (protocol section 7.5)."""
    return leaf.get("cause") == LOST


def prove_seen(lines: Sequence[bytes], seats: int, checkpoint: Checkpoint, read: ReadTile) -> tuple[SeenProof, ...]:
    """Proofs that the log begins with what each `join` says to have `seen` of it, out of the log's tiles.

    Raises Contradiction, NotLogged for tiles that prove nothing, and what `read` raises.
    """
    return tuple(
        SeenProof(old.size, tuple(one.hex() for one in _prove(old, checkpoint, read)))
        for old in _seen(lines, seats, checkpoint.origin)
    )


def check_part(part: LogPart, own: LogPart, policy: Policy, lines: Sequence[bytes], read: ReadTile) -> None:
    """Raises Contradiction unless the log part of the service's bundle proves what our own one does.

    Its checkpoint may be another one, of the same log: that too is shown by the log's tiles. It has no more leaves than
    ours, which end with `close`. Raises UnknownLogKey, and what `read` raises.
    """
    terms = Terms.parse(Event.parse(lines[0]).data)
    checkpoint, held = (open_log(one.checkpoint, policy, terms.log) for one in (part, own))
    check_again(part.leaves, own.leaves)
    check_proven(part.leaves, checkpoint, terms.m)
    seen = _seen(lines, terms.seats, terms.log)
    if [one.size for one in part.consistency] != [old.size for old in seen]:
        raise Contradiction(Finding.CONSISTENCY, None, "the service's bundle has not the proofs that the joins ask for")
    for old, one in zip(seen, part.consistency, strict=True):
        _check_follows(old, checkpoint, [bytes.fromhex(sibling) for sibling in one.proof])
    older, newer = sorted((checkpoint, held), key=lambda one: one.size)
    try:
        _prove(older, newer, read)
    except NotLogged as error:
        # The match is over: a checkpoint that nothing leads to is kept as evidence, and no stake hangs on it.
        raise Contradiction(Finding.CONSISTENCY, None, error.message) from error


def _seen(lines: Sequence[bytes], seats: int, log: str) -> list[Checkpoint]:
    """What the seats have seen of the log, by size, without the empty one. Raises Contradiction."""
    seen: dict[int, Checkpoint] = {}
    for line in lines[1 : seats + 1]:
        event = Event.parse(line)
        if event.type != "join":
            break
        told = event.data["do"]["join"]["seen"]
        one = Checkpoint(log, told["size"], bytes.fromhex(told["root"]))
        if one.size and seen.setdefault(one.size, one) != one:
            raise Contradiction(Finding.LOG_FORK, event.n, "two seats have seen two logs")
    return [seen[size] for size in sorted(seen)]


def _prove(old: Checkpoint, new: Checkpoint, read: ReadTile) -> tuple[bytes, ...]:
    """The consistency proof, made from the log's tiles and checked. Raises NotLogged for tiles that do not lead to the
    newer checkpoint: nobody has signed them, so that they contradict nothing.
    """
    if old.size >= new.size:
        _check_follows(old, new, ())
        return ()
    subtrees = subtrees_of_tiles(new.size, read)
    try:
        told = tree_root(old.size, subtrees)
        proof = consistency_proof(old.size, new.size, subtrees)
        check_consistency(old.size, told, new.size, new.root, proof)
    except (Malformed, Inconsistent) as error:
        raise NotLogged(
            f"the tiles are not those of the log's checkpoint, to be asked for again: {error.message}"
        ) from error
    _check_follows(old, new, proof)
    return proof


def _check_note_size(note: object) -> None:
    if type(note) is not str or len(canonical.encode(note)) > _MAX_CHECKPOINT:
        raise Malformed(f"a checkpoint is a text of up to {_MAX_CHECKPOINT} bytes")


def _check_follows(old: Checkpoint, new: Checkpoint, proof: Sequence[bytes]) -> None:
    if old.size == new.size and old.root != new.root:
        raise Contradiction(Finding.LOG_FORK, None, f"two roots of the log's first {new.size} leaves")
    try:
        check_consistency(old.size, old.root, new.size, new.root, proof)
    except Inconsistent as error:
        raise Contradiction(
            Finding.CONSISTENCY, None, f"from {old.size} to {new.size} leaves of the log: {error.message}"
        ) from error


def _check_lost(leaf: Mapping[str, Any], state: MatchState, roots: Sequence[bytes]) -> None:
    size: int = leaf["size"]
    if state.phase is Phase.CLOSED and size > _end_of(state):
        _refuse(leaf, state.size - 1, "the match had closed")
    if size <= state.size and leaf["root"] != roots[size].hex():
        _refuse(leaf, size - 1, "the log says something else than the events")
    try:
        check_opens(state.terms.commitment, Seed.from_hex(leaf["server_seed"]))
    except FairdealError:
        _refuse(leaf, size - 1, "its seed does not open the commitment")


def _end_of(state: MatchState) -> int:
    """The index of the `end` of a match that has closed: `reveal` follows, and where there is a pot `settle`."""
    return state.size - (3 if state.full and state.terms.stake else 2)


def _refuse(leaf: Mapping[str, Any], place: int, why: str) -> NoReturn:
    raise Contradiction(Finding.LEAF, place, f"{leaf['type']}: {why}")
