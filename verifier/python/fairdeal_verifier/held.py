"""What a player's own file says of a copy: its receipts, views and log lines (protocol 6.2, steps 3, 7 and 8)."""

from fairdeal_verifier.ed25519 import PublicKey
from fairdeal_verifier.errors import Broken, ProofRefused, SignatureRefused, WrongUsage
from fairdeal_verifier.events import SeatEvent
from fairdeal_verifier.files import HeldFile, HeldLine, HeldLogLine, LogPart
from fairdeal_verifier.fold import Fold
from fairdeal_verifier.leaves import TYPES, MatchLeaf
from fairdeal_verifier.log import check_leaf_proof, compare
from fairdeal_verifier.notes import KeyId, Receipt
from fairdeal_verifier.policy import Policy
from fairdeal_verifier.report import Signatures
from fairdeal_verifier.transcript import Transcript

VIEW_CONTEXT = b"fairdeal/1 view\n"


class Held:
    """A held file beside a copy whose head was verified by `key`."""

    def __init__(self, file: HeldFile, copy: Transcript, head: Receipt, key: PublicKey, signatures: Signatures) -> None:
        """Raises WrongUsage when the file is of another match."""
        if file.m != head.origin.rpartition("/m/")[2] or file.seat >= copy.open.seats:
            raise WrongUsage("held_foreign")
        self._file = file
        self._copy = copy
        self._head = head
        self._key = key
        self._signed = file.lines if signatures == "all" else file.lines[-1:]
        self._views: dict[int, list[HeldLine]] = {}
        for line in file.lines:
            self._views.setdefault(line.view.size, []).append(line)

    def check_receipts(self) -> int:
        """The number of signatures checked."""
        for line in self._file.lines:
            self._check_line(line)
        for line in self._signed:
            self._check_signatures(line)
        have = len(self._copy.events)
        for line in self._file.lines:
            size = line.receipt.size
            if size > have:
                # Nothing follows a finished match, so a longer history is another one.
                fork = Broken(3, "fork", have) if self._copy.finished else None
            else:
                same = line.receipt.root == self._copy.roots[size]
                fork = None if same else Broken(3, "fork", size - 1, size=size)
            if fork is not None:
                # Nobody is accused by a line whose signature was not looked at.
                self._check_signatures(line)
                raise fork
        return 2 * len(self._signed)

    def _check_line(self, line: HeldLine) -> None:
        """All but the signatures."""
        receipt, view = line.receipt, line.view
        if (receipt.signer, receipt.origin, receipt.size, view.m, view.seat) != (
            self._head.signer, self._head.origin, view.size, self._file.m, self._file.seat,
        ):  # fmt: skip
            raise Broken(3, "held_signature", None)

    def _check_signatures(self, line: HeldLine) -> None:
        try:
            self._key.check(line.receipt.signature, line.receipt.text)
            self._key.check(line.signature, VIEW_CONTEXT + line.view_bytes)
        except SignatureRefused:
            raise Broken(3, "held_signature", None) from None

    def check_log_lines(self, log: LogPart, policy: Policy) -> int:
        """The number of signatures checked."""
        checked = 0
        for line in self._file.log_lines:
            checked += len(self._signers(line, policy))
            checkpoint = line.checkpoint
            if checkpoint.size == log.checkpoint.size and checkpoint.root != log.checkpoint.root:
                raise Broken(3, "log_fork", None)
            for proven in line.leaves.values():
                listed = log.leaves.get(TYPES[type(proven.leaf)])
                if listed is None:
                    self._compare(proven.leaf)
                elif (listed.index, listed.data) != (proven.index, proven.data):
                    raise Broken(3, "log_fork", None)
        return checked

    def _signers(self, line: HeldLogLine, policy: Policy) -> set[KeyId]:
        """The listed keys by which a log line is signed and cosigned, once all of it holds."""
        copy, checkpoint = self._copy, line.checkpoint
        try:
            signers = policy.signers(checkpoint)
            for proven in line.leaves.values():
                if proven.leaf.m != copy.open.m:
                    raise ProofRefused("of another match")
                check_leaf_proof(proven, checkpoint)
        except (SignatureRefused, ProofRefused):
            raise Broken(3, "held_log", None) from None
        by_log = any(key in policy.logs and key[0] == copy.open.log for key in signers)
        if not by_log or checkpoint.origin != copy.open.log:
            raise Broken(3, "held_log", None)
        return signers

    def _compare(self, leaf: MatchLeaf) -> None:
        """A leaf that the bundle does not have, against its events."""
        try:
            compare(leaf, self._copy)
        except Broken as broken:
            # A copy that is merely shorter or longer than the log says accuses nobody.
            if broken.cause == "leaf":
                raise Broken(3, "log_fork", broken.place, size=broken.size) from None

    def check_views(self, size: int, fold: Fold) -> None:
        """What the seat was shown at a size, against what it should have been: steps 7 and 8."""
        for line in self._views.get(size, ()):
            view = line.view
            for step, cause, same in (
                (7, "shown_hand", view.hand == fold.hand(view.seat)),
                (8, "shown_legal", view.legal == fold.legal(view.seat)),
            ):
                if not same:
                    self._check_signatures(line)
                    raise Broken(step, cause, view.size - 1, size=view.size)

    def anchors(self) -> bool:
        """Whether a receipt over all that its own seat did is among those whose signature was checked."""
        file, copy = self._file, self._copy
        if file.seat not in copy.joins or file.key != copy.joins[file.seat].key:
            return False
        last = max(n for n, event in enumerate(copy.events) if isinstance(event, SeatEvent) and event.by == file.seat)
        return any(last < line.receipt.size <= len(copy.events) for line in self._signed)
