"""Asking witnesses to cosign the log's checkpoints (C2SP tlog-witness). Nobody's play waits for them.

A witness that keeps a larger tree than ours, or another one, knows something that our store has forgotten: before the
service begins that keeps it from running, later it is an incident in its log.
"""

import logging
from collections.abc import Callable, Mapping
from threading import Event, Thread
from time import monotonic
from typing import Final, Protocol

from fairdeal.app.log_keys import LogKeys
from fairdeal.app.log_ports import LogStore, SignedCheckpoint
from fairdeal.app.sequencer import read_tile
from fairdeal.errors import FairdealError, LogBehind, WitnessConflict, WitnessRefused
from fairdeal.tlog import (
    EMPTY_ROOT,
    AddCheckpoint,
    Checkpoint,
    Note,
    Policy,
    SignatureLine,
    Witness,
    WitnessAnswer,
    consistency_proof,
    sign_note,
    subtrees_of_tiles,
)

log = logging.getLogger("fairdeal.log")

ASK_SECONDS: Final = 1.0
"""Between two questions to one witness at least: what is signed in between is covered by the later one."""
PAUSE_SECONDS: Final = 60.0
"""Between two questions at most, to a witness that does not answer as it should; it doubles up to this."""
FIRST_SECONDS: Final = 30.0
"""How long a service that begins waits for its witnesses: one that sends a byte now and then must not keep it away."""
_LEAVE_SECONDS: Final = 2.0
"""How long a stopping service waits for an answer."""
_UNPROVEN: Final = 422
"""The status by which a witness says that the consistency proof does not lead to the tree it keeps."""


class WitnessClient(Protocol):
    """How a witness is reached."""

    def add_checkpoint(self, url: str, body: bytes) -> WitnessAnswer:
        """The answer of the witness at `url`. Raises WitnessRefused when there is none."""

    def close(self) -> None:
        """Closes the connections."""


class Witnesses:
    """The witnesses that `policy` lists with an address, each asked in a thread of its own; None for no witnesses."""

    def __init__(
        self, store: LogStore, keys: LogKeys, policy: Policy | None, connect: Callable[[], WitnessClient]
    ) -> None:
        self._stopping = Event()
        self._threads: list[Thread] = []
        listed = [one for one in policy.witnesses if one.url is not None] if policy else []
        self._client = connect() if listed else None
        self._couriers = [_Courier(store, keys, one, self._client, self._stopping) for one in listed if self._client]

    def check(self) -> None:
        """Asks each once, before anything new is signed. Raises LogBehind; one that does not answer stops nobody."""
        if not self._couriers:
            log.warning("NO WITNESSES: nobody outside keeps this log")
        self._ask_all(_Courier.bring)

    def check_size(self, note: str | None) -> None:
        """Asks each how much it keeps, before a database that was put back goes on from the checkpoint in `note` (None:
        from nothing). Raises LogBehind when that is more; whether it is the same is `check`'s.
        """
        self._ask_all(lambda courier: courier.check_size(note))

    def _ask_all(self, ask: Callable[["_Courier"], None]) -> None:
        behind: list[LogBehind] = []

        def ask_one(courier: "_Courier") -> None:
            try:
                courier.ask_first(ask)
            except LogBehind as error:
                behind.append(error)

        # Not in a pool, which would wait for the last of them however long it takes.
        asking = [Thread(target=ask_one, args=(one,), name="witness", daemon=True) for one in self._couriers]
        for thread in asking:
            thread.start()
        until = monotonic() + FIRST_SECONDS
        for thread in asking:
            thread.join(max(0.0, until - monotonic()))
        if any(thread.is_alive() for thread in asking):
            log.warning("a witness has not answered in time")
        if behind:
            self.stop()
            raise behind[0]

    def cosigned(self) -> Mapping[str, int]:
        """The size of the last checkpoint that each has cosigned for this process, by its name; 0 before the first."""
        return {courier.name: max(courier.cosigned, 0) for courier in self._couriers}

    def start(self) -> None:
        """Goes on asking, after each new checkpoint."""
        self._threads = [Thread(target=courier.run, name="witness", daemon=True) for courier in self._couriers]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends the threads; an answer that is still out is not waited for longer than a moment."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(_LEAVE_SECONDS)
        if self._client:
            self._client.close()


class _Courier:
    """Brings one witness the newest checkpoint. `_kept` is the size that it is believed to keep."""

    def __init__(
        self, store: LogStore, keys: LogKeys, witness: Witness, client: WitnessClient, stopping: Event
    ) -> None:
        assert witness.url is not None
        self._store = store
        self._keys = keys
        self._witness = witness
        self._url = witness.url
        self._client = client
        self._stopping = stopping
        self._kept = 0
        self.name = witness.name
        self.cosigned = -1

    def ask_first(self, ask: Callable[["_Courier"], None]) -> None:
        """Raises LogBehind; whatever else keeps the witness from cosigning is told."""
        try:
            ask(self)
        except LogBehind:
            raise
        except FairdealError as error:
            log.warning("a witness does not cosign", extra={"witness": self._witness.name, "why": error.message})

    def run(self) -> None:
        pause = ASK_SECONDS
        while not self._stopping.wait(pause):
            try:
                self.bring()
                pause = ASK_SECONDS
            except LogBehind as error:
                log.error("incident", extra={"witness": self._witness.name, "why": error.message})
                pause = PAUSE_SECONDS
            except FairdealError as error:
                log.warning("a witness does not cosign", extra={"witness": self._witness.name, "why": error.message})
                pause = min(2 * pause, PAUSE_SECONDS)
            except Exception:
                log.exception("a witness cannot be asked", extra={"witness": self._witness.name})
                pause = PAUSE_SECONDS

    def check_size(self, note: str | None) -> None:
        """Raises LogBehind when the witness keeps more leaves than the checkpoint in `note` has."""
        newest = self._nothing() if note is None else SignedCheckpoint(_checkpoint(note).size, note)
        try:
            self._send(newest)
        except WitnessConflict as conflict:
            self._check_told(conflict, newest.size)

    def bring(self) -> None:
        """Shows the newest checkpoint, unless it was cosigned already or another process is at it, and keeps the
        cosignature.
        """
        with self._store.alone(f"witness {self.name}") as mine:
            if mine:
                self._bring()

    def _bring(self) -> None:
        newest = self._store.checkpoint() or self._nothing()
        if newest.size == self.cosigned:
            return
        if self._has_cosigned(newest):
            self._kept = self.cosigned = newest.size
            return
        lines = self._show(newest)
        if newest.size and not self._stopping.is_set():
            for line in lines:
                self._store.add_cosignature(newest.size, f"{line.name}+{line.key_id.hex()}", line.format())
        self._kept = self.cosigned = newest.size

    def _has_cosigned(self, newest: SignedCheckpoint) -> bool:
        """Another process has asked already. Whoever begins asks for itself: that the witness keeps no more."""
        if self.cosigned < 0:
            return False
        key = self._witness.key
        return any((one.name, one.key_id) == (key.name, key.key_id) for one in Note.parse(newest.text).lines)

    def _show(self, newest: SignedCheckpoint) -> tuple[SignatureLine, ...]:
        """The cosignature. A witness that keeps another size than was thought is shown the way from there."""
        try:
            return self._send(newest)
        except WitnessConflict as conflict:
            told = self._check_told(conflict, newest.size)
            if told == self._kept:
                raise self._behind(f"keeps another tree of {told} leaves than this log's") from None
            self._kept = told
        try:
            return self._send(newest)
        except WitnessConflict:
            if self._kept == newest.size:
                raise self._behind(f"keeps another tree of {self._kept} leaves than this log's") from None
            raise

    def _send(self, newest: SignedCheckpoint) -> tuple[SignatureLine, ...]:
        checkpoint = _checkpoint(newest.note)
        subtrees = subtrees_of_tiles(newest.size, lambda tile: read_tile(self._store, tile))
        proof = consistency_proof(self._kept, newest.size, subtrees)
        body = AddCheckpoint(self._kept, proof, newest.note, checkpoint).format()
        try:
            return self._client.add_checkpoint(self._url, body).cosignatures(checkpoint, [self._witness.key])
        except WitnessRefused as refusal:
            if refusal.details.get("status") == _UNPROVEN:
                raise self._behind(f"keeps another tree of {self._kept} leaves than this log's") from None
            raise

    def _check_told(self, conflict: WitnessConflict, size: int) -> int:
        """The size that the witness keeps. Raises LogBehind when that is over `size`."""
        told = conflict.details["size"]
        assert isinstance(told, int)
        if told > size:
            raise self._behind(f"keeps {told} leaves of this log, which has {size}")
        return told

    def _nothing(self) -> SignedCheckpoint:
        """What an empty store says: shown to a witness that knows better, it tells that a database was lost."""
        signer = self._keys.signer_of(0)
        return SignedCheckpoint(0, sign_note(Checkpoint(signer.verifier_key.name, 0, EMPTY_ROOT).body(), signer))

    def _behind(self, how: str) -> LogBehind:
        return LogBehind(f"the witness {self._witness.name} {how}")


def _checkpoint(note: str) -> Checkpoint:
    return Checkpoint.parse(Note.parse(note).text)
