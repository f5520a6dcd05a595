"""Which keys the log of all matches goes by, and from where on (protocol section 7.4).

What was signed before is read from the store: from the `key` leaves, the newest checkpoint, the oldest match. The key
files only say which keys are at hand, and which of them is to be used from now on.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairdeal import canonical
from fairdeal.app.ports import Store
from fairdeal.errors import FairdealError, KeyMissing
from fairdeal.match.events import Event
from fairdeal.match.leaves import key_leaf, key_message, parse_leaf
from fairdeal.match.terms import Terms
from fairdeal.tlog import NoteSigner, VerifierKey, open_checkpoint

log = logging.getLogger("fairdeal.log")


@dataclass(frozen=True, slots=True)
class KeySpan:
    """`key` is the one of its name from leaf `start` on, and for checkpoints of `start` leaves or more."""

    start: int
    key: VerifierKey

    @property
    def line(self) -> bytes:
        """Its line in `keys.jsonl`, without the LF (protocol section 7.6)."""
        return canonical.encode({"from": self.start, "vkey": self.key.format()})


class LogKeys:
    """The log key and the receipts key. `log_signers` and `receipts_signers` are the keys at hand, the current first.

    Raises KeyMissing when the key that signed the newest checkpoint is not at hand.
    """

    def __init__(self, store: Store, log_signers: Sequence[NoteSigner], receipts_signers: Sequence[NoteSigner]) -> None:
        self._store = store
        self._current = (log_signers[0], receipts_signers[0])
        self._at_hand = {signer.verifier_key: signer for signer in (*log_signers, *receipts_signers)}
        self._first = (self._first_log_key(), self._first_receipts_key())

    def history(self) -> tuple[KeySpan, ...]:
        """Every key there was, with where it began: by index, then by its text."""
        replaced = (KeySpan(index + 1, new) for index, _, new in self._replacements())
        spans = (*(KeySpan(0, key) for key in self._first), *replaced)
        return tuple(sorted(spans, key=lambda span: (span.start, span.key.format())))

    def at_hand(self) -> tuple[VerifierKey, ...]:
        """Every key whose file is there."""
        return tuple(self._at_hand)

    def log_keys(self) -> tuple[VerifierKey, ...]:
        """The log's own keys, the newest first, none twice: what a policy lists."""
        name = self._current[0].verifier_key.name
        return tuple(dict.fromkeys(span.key for span in reversed(self.history()) if span.key.name == name))

    def current(self) -> tuple[VerifierKey, VerifierKey]:
        """The log key and the receipts key to be used from now on."""
        log_key, receipts_key = self._current
        return log_key.verifier_key, receipts_key.verifier_key

    def signer_of(self, size: int) -> NoteSigner:
        """Signs the checkpoint of that size: the log key that 7.4 asks for there. Raises KeyMissing."""
        name = self._current[0].verifier_key.name
        [*_, span] = (span for span in self.history() if span.key.name == name and span.start <= size)
        return self._signer(span.key)

    def due_leaves(self) -> Iterator[bytes]:
        """The leaf of each key that was replaced since the log last said which; every leaf that waits must stand
        before. Raises KeyMissing.
        """
        for current in self._current:
            new = current.verifier_key
            [*_, in_force] = (span.key for span in self.history() if span.key.name == new.name)
            if in_force != new:
                log.warning("key replaced", extra={"old": in_force.format(), "new": new.format()})
                message = key_message(in_force, new)
                yield key_leaf(in_force, new, self._signer(in_force).sign(message), current.sign(message))

    def _signer(self, key: VerifierKey) -> NoteSigner:
        try:
            return self._at_hand[key]
        except KeyError:
            raise KeyMissing(f"the key {key.format()} is in force in the log and not at hand") from None

    def _replacements(self) -> Iterator[tuple[int, VerifierKey, VerifierKey]]:
        """(index, old, new) of every `key` leaf."""
        for logged in self._store.key_leaves():
            leaf = parse_leaf(logged.leaf)
            yield logged.index, VerifierKey.parse(leaf["old"]), VerifierKey.parse(leaf["new"])

    def _first_replaced(self, name: str) -> VerifierKey | None:
        return next((old for _, old, _ in self._replacements() if old.name == name), None)

    def _first_log_key(self) -> VerifierKey:
        current = self._current[0].verifier_key
        if (replaced := self._first_replaced(current.name)) is not None:
            return replaced
        newest = self._store.checkpoint()
        if newest is None:
            return current
        for key in self._at_hand:
            try:
                open_checkpoint(newest.note, [key])
            except FairdealError:
                continue
            return key
        raise KeyMissing("none of the log keys at hand has signed the newest checkpoint of the log")

    def _first_receipts_key(self) -> VerifierKey:
        current = self._current[1].verifier_key
        if (replaced := self._first_replaced(current.name)) is not None:
            return replaced
        opened = self._store.oldest_open()
        if opened is None:
            return current
        return VerifierKey(current.name, Terms.parse(Event.parse(opened).data).receipt_key)
