"""The checkpoints an audit compares: the newest, the archive's, the auditor's own from before (protocol 7.4, 7.6)."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from fairdeal_verifier.audit.findings import Finding
from fairdeal_verifier.audit.keys import KeyChain
from fairdeal_verifier.audit.source import ARCHIVE, Source
from fairdeal_verifier.audit.tree import Tree
from fairdeal_verifier.ed25519 import public_key
from fairdeal_verifier.errors import FileFault, KeyRefused, NoteRefused, SignatureRefused, WrongUsage
from fairdeal_verifier.notes import Checkpoint, KeyId, key_id
from fairdeal_verifier.policy import Policy

CHECKPOINT_PATH = "checkpoint"
READERS = 8
"""Small files, of which the most time is spent waiting."""
MAX_NOTE_BYTES = 65_536
"""A hundred signature lines and more."""


class Named(NamedTuple):
    """A checkpoint, and where it was read: `path` is None for the auditor's own."""

    path: str | None
    checkpoint: Checkpoint


def read_checkpoint(source: Source, path: str) -> Checkpoint:
    """Raises FileFault, NotFetched."""
    return parse_note(source.read(path, MAX_NOTE_BYTES), path)


def parse_note(data: bytes, path: str) -> Checkpoint:
    """A checkpoint from the bytes of a file; raises FileFault."""
    try:
        return Checkpoint.parse(data.decode())
    except (UnicodeDecodeError, NoteRefused):
        raise FileFault("damaged", path, "not a checkpoint") from None


def check_newest(checkpoint: Checkpoint, policy: Policy) -> set[KeyId]:
    """The listed keys that signed it, a log key of its origin among them; the empty set when no log key is listed.

    Raises FileFault when a line by a listed key does not verify, or a log's key signed under another name.
    """
    try:
        signers = policy.signers(checkpoint)
    except SignatureRefused:
        raise FileFault("damaged", CHECKPOINT_PATH, "a signature does not verify") from None
    logs = signers & policy.logs.keys()
    if any(name != checkpoint.origin for name, _ in logs):
        raise FileFault("damaged", CHECKPOINT_PATH, "signed by a key of another name")
    return signers if logs else set()


def check_since(checkpoint: Checkpoint, newest: Checkpoint, policy: Policy | None) -> None:
    """The auditor's own checkpoint is of this log and signed by a listed key; raises WrongUsage."""
    if checkpoint.origin != newest.origin:
        raise WrongUsage("since_foreign")
    if policy is None:
        return
    try:
        signers = policy.signers(checkpoint)
    except SignatureRefused:
        raise WrongUsage("since_unsigned") from None
    if not any(key in policy.logs and key[0] == checkpoint.origin for key in signers):
        raise WrongUsage("since_unsigned")


def read_archive(source: Source, sizes: Iterable[int]) -> Iterator[Named | FileFault]:
    """The checkpoints of these sizes, in their order; raises NotFetched."""

    def read(size: int) -> Named | FileFault:
        path = f"{ARCHIVE}/{size}"
        try:
            checkpoint = read_checkpoint(source, path)
            if checkpoint.size != size:
                raise FileFault("damaged", path, "a checkpoint of another size")
            return Named(path, checkpoint)
        except FileFault as fault:
            return fault

    with ThreadPoolExecutor(READERS) as pool:
        yield from pool.map(read, sizes)


class Roots:
    """What is known of the log's roots: all of them where its entries fit the newest checkpoint, else that one."""

    def __init__(self, newest: Checkpoint, tree: Tree | None) -> None:
        self.newest = newest
        self._tree = tree

    def at(self, size: int) -> bytes | None:
        """The root of a size, None where it is not known."""
        if size == self.newest.size:
            return self.newest.root
        return self._tree.root(size) if self._tree is not None and size < self.newest.size else None

    def compare(self, named: Named, chain: KeyChain, policy: Policy | None) -> Iterator[Finding]:
        """Its signature and its root against the tree; raises FileFault for what accuses nobody."""
        checkpoint = named.checkpoint
        path = named.path or "--since"
        if checkpoint.origin != self.newest.origin:
            raise FileFault("damaged", path, "a checkpoint of another origin")
        if policy is not None:
            yield from _check_key(checkpoint, path, chain, policy)
        root = self.at(checkpoint.size)
        if checkpoint.size > self.newest.size:
            raise FileFault(
                "missing", path, f"signed for {checkpoint.size} entries, the log here has {self.newest.size}"
            )
        if root not in (None, checkpoint.root):
            yield Finding("fork", ("root", path, checkpoint.size))


def _check_key(checkpoint: Checkpoint, path: str, chain: KeyChain, policy: Policy) -> Iterator[Finding]:
    """By the key in force at its size, which the `key` leaves alone may name; by any listed one if none is known."""
    right = chain.at(checkpoint.size)
    try:
        signers = policy.signers(checkpoint)
        if right is not None:
            wanted = key_id(chain.name, right)
            for key, signature in checkpoint.lines:
                if key == wanted:
                    public_key(right).check(signature, checkpoint.text)
                    return
    except (KeyRefused, SignatureRefused):
        raise FileFault("damaged", path, "a signature does not verify") from None
    if not any(key in policy.logs and key[0] == chain.name for key in signers):
        raise FileFault("damaged", path, "signed by no key of the log")
    if right is not None:
        yield Finding("key", ("checkpoint_key", path, checkpoint.size))
