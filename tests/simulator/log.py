"""The log of all matches around one match: other matches' leaves among its own, checkpoints, witnesses, a new key."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from fairdeal import canonical
from fairdeal.canonical import Json
from fairdeal.keys import SigningKey
from fairdeal.match import (
    MATCH_LEAVES,
    HeldLog,
    LogPart,
    ProvenLeaf,
    SeenProof,
    key_leaf,
    key_message,
    ledger_leaf,
    outage_leaf,
)
from fairdeal.tlog import (
    EMPTY_ROOT,
    Checkpoint,
    Cosigner,
    NoteSigner,
    consistency_proof,
    format_policy,
    inclusion_proof,
    leaf_hash,
    node_hash,
    sign_note,
    tree_root,
)

NAME: Final = "fairdeal.example/log"
WITNESSES: Final = ("north", "south")
SECOND: Final = 1_750_000_000
"""When witnesses cosign the empty log; a second later for each leaf."""
ROTATED: Final = 0.2
"""The share of the logs whose key is replaced while the match is on."""


@dataclass(frozen=True, slots=True)
class LogKeys:
    """The secrets of a log and of its two witnesses; `log` in the order of use: more than one once it was replaced."""

    log: tuple[SigningKey, ...]
    witnesses: tuple[SigningKey, ...]

    def cosigner(self, number: int) -> Cosigner:
        return Cosigner(f"witness.example/{WITNESSES[number]}", self.witnesses[number])


def key_replaced(old: SigningKey, new: SigningKey) -> tuple[bytes, bytes]:
    """What both keys of the log sign when one takes the other's place, and the leaf."""
    signers = NoteSigner(NAME, old), NoteSigner(NAME, new)
    keys = signers[0].verifier_key, signers[1].verifier_key
    message = key_message(*keys)
    return message, key_leaf(*keys, *(signer.sign(message) for signer in signers))


class Tree:
    """All subtrees' hashes of an append-only list of leaves."""

    def __init__(self) -> None:
        self.levels: list[list[bytes]] = [[]]

    @property
    def size(self) -> int:
        return len(self.levels[0])

    def append(self, leaf: bytes) -> None:
        level, node = 0, leaf_hash(leaf)
        self.levels[0].append(node)
        while len(self.levels[level]) % 2 == 0:
            node = node_hash(*self.levels[level][-2:])
            level += 1
            if level == len(self.levels):
                self.levels.append([])
            self.levels[level].append(node)

    def subtree(self, level: int, index: int) -> bytes:
        return self.levels[level][index]

    def root(self, size: int) -> bytes:
        return tree_root(size, self.subtree) if size else EMPTY_ROOT

    def inclusion(self, index: int, size: int) -> tuple[str, ...]:
        return tuple(one.hex() for one in inclusion_proof(index, size, self.subtree))

    def consistency(self, old: int, size: int) -> tuple[str, ...]:
        return tuple(one.hex() for one in consistency_proof(old, size, self.subtree))


@dataclass
class ServiceLog:
    """The log of a service, by the number of its leaves: everything that it says at a size.

    `cosigners` are the witnesses that cosign; `replaced_at` is the index of the leaf that replaces the log's key.
    """

    keys: LogKeys
    cosigners: tuple[int, ...]
    leaves: list[bytes] = field(default_factory=list)
    replaced_at: int | None = field(default=None, init=False)
    tree: Tree = field(default_factory=Tree, repr=False)
    notes: dict[int, str] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        return len(self.leaves)

    def append(self, *leaves: bytes) -> None:
        for leaf in leaves:
            if b'"type":"key"' in leaf:
                self.replaced_at = self.size
            self.leaves.append(leaf)
            self.tree.append(leaf)

    def replace_key(self) -> None:
        """The second key takes the place of the first."""
        _, leaf = key_replaced(*self.keys.log)
        self.append(leaf)

    def with_leaves(self, leaves: Sequence[bytes], cosigners: tuple[int, ...] | None = None) -> "ServiceLog":
        """Another history under the same keys, cosigned by the same witnesses or these: what a log made up afterwards,
        or a restored one, says.
        """
        other = ServiceLog(self.keys, self.cosigners if cosigners is None else cosigners)
        other.append(*leaves)
        return other

    def before_close(self, m: str) -> "ServiceLog":
        """The log up to the `close` of this match."""
        return self.with_leaves(self.leaves[: self.own(m)[-1][0]])

    def checkpoint(self, size: int, cosigners: Iterable[int] | None = None) -> str:
        """The note that was signed over so many leaves, with the lines of the log's witnesses or of these."""
        if cosigners is None and (known := self.notes.get(size)):
            return known
        key = self.keys.log[self.replaced_at is not None and size > self.replaced_at]
        checkpoint = Checkpoint(NAME, size, self.tree.root(size))
        note = sign_note(checkpoint.body(), NoteSigner(NAME, key))
        for number in self.cosigners if cosigners is None else cosigners:
            note += self.keys.cosigner(number).cosign(checkpoint, SECOND + size).format()
        if cosigners is None:
            self.notes[size] = note
        return note

    def seen(self, size: int) -> dict[str, Json]:
        """What a `join` says of the newest checkpoint that its seat holds."""
        return {"root": self.tree.root(size).hex(), "size": size}

    def own(self, m: str) -> list[tuple[int, dict[str, Any]]]:
        """Index and value of the leaves of this match."""
        found = [(index, leaf) for index, leaf in enumerate(self.leaves) if m.encode() in leaf]
        return [(index, canonical.decode(leaf)) for index, leaf in found]  # type: ignore[misc]

    def proven(self, m: str, size: int) -> tuple[ProvenLeaf, ...]:
        """The leaves that this match has among the first `size`, with their proofs."""
        proven = [
            ProvenLeaf(index, leaf, self.tree.inclusion(index, size)) for index, leaf in self.own(m) if index < size
        ]
        return tuple(sorted(proven, key=lambda one: MATCH_LEAVES.index(one.leaf["type"])))

    def held(self, m: str, size: int) -> HeldLog:
        """What the service answers a client of this match that asks at this size."""
        return HeldLog(self.checkpoint(size), self.proven(m, size))

    def part(self, m: str, size: int, seen: Iterable[int]) -> LogPart:
        """What a bundle's header says, for a match whose seats had seen these sizes."""
        consistency = tuple(SeenProof(old, self.tree.consistency(old, size)) for old in sorted(set(seen) - {0}))
        return LogPart(self.checkpoint(size), consistency, self.proven(m, size))

    @cached_property
    def policy(self) -> str:
        """Believes the log's key, or the old and the new one, and asks for no witness."""
        used = self.keys.log[: 1 if self.replaced_at is None else 2]
        return format_policy(NoteSigner(NAME, key).verifier_key for key in used)

    @cached_property
    def witnessed_policy(self) -> str:
        """Asks for both witnesses where both cosign, else for any of them."""
        logs = self.policy.removesuffix("quorum none\n")
        witnesses = "".join(
            f"witness {name} {self.keys.cosigner(number).verifier_key.format()}\n"
            for number, name in enumerate(WITNESSES)
        )
        threshold = "all" if len(self.cosigners) == 2 else "any"
        return f"{logs}{witnesses}group both {threshold} north south\nquorum both\n"


class Surroundings:
    """What happens in the log while a match is on, from a random stream of its own."""

    def __init__(self, rng: random.Random) -> None:
        self.random = rng
        self.replaces = rng.random() < ROTATED
        keys = [SigningKey.from_seed(rng.randbytes(32)) for _ in range(4)]
        self.log = ServiceLog(
            LogKeys(tuple(keys[: 1 + self.replaces]), tuple(keys[2:])), rng.choice(((0, 1), (0, 1), (0,), (1,)))
        )
        self.others = [leaf for _ in range(4) for leaf in self._other_match()]

    def pass_by(self, least: int = 0) -> None:
        """A few leaves of other matches and of the journal, and once, perhaps, a new key."""
        for _ in range(self.random.choice((least, least, least + 1, least + 2))):
            roll = self.random.random()
            if self.replaces and self.log.replaced_at is None and roll < 0.2:
                self.log.replace_key()
            elif roll < 0.4 or not self.others:
                self.log.append(ledger_leaf(self.random.randbytes(32), self.log.size))
            else:
                self.log.append(self.others.pop(0))

    def outage(self, start: int, end: int) -> None:
        self.log.append(outage_leaf(start, end))

    def _other_match(self) -> list[bytes]:
        rng = self.random
        m = rng.randbytes(16).hex()
        root: dict[str, Json] = {"m": m, "root": rng.randbytes(32).hex()}
        leaves: list[dict[str, Json]] = [
            root | {"commitment": rng.randbytes(32).hex(), "type": "open"},
            root | {"type": "full"},
            root | {"size": 6, "type": "start"},
            root | {"outcome": "played", "server_seed": rng.randbytes(32).hex(), "size": 60, "type": "close"},
        ]
        return [canonical.encode(leaf) for leaf in leaves]
