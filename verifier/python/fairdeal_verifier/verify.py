"""The numbered steps of protocol 6.2 over one bundle, and the verdict they come to (6.1)."""

from fairdeal_verifier.ed25519 import PublicKey, public_key
from fairdeal_verifier.errors import Broken, KeyRefused, Malformed, SignatureRefused
from fairdeal_verifier.files import Bundle, HeldFile
from fairdeal_verifier.held import Held
from fairdeal_verifier.leaves import LOST
from fairdeal_verifier.log import check_checkpoint, check_log, compare
from fairdeal_verifier.notes import KeyId, key_id
from fairdeal_verifier.policy import Policy
from fairdeal_verifier.report import (
    STEPS,
    Anchor,
    Check,
    Counts,
    Ending,
    LogReport,
    Report,
    Result,
    Signatures,
    Verdict,
    ending_of,
)
from fairdeal_verifier.transcript import Transcript


def verify(bundle: bytes, policy: Policy | None, held: bytes | None, *, signatures: Signatures = "all") -> Report:
    """What a bundle proves to somebody who trusts the keys of `policy` and brings the held file `held`.

    Raises WrongUsage when the held file is malformed or foreign (exit 2); everything else is told in the report.
    """
    held_file = None if held is None else HeldFile.parse(held)
    try:
        parsed = Bundle.parse(bundle)
    except Malformed as error:
        checks = _checks(set(), {0})
        place, cause = error.place, error.cause
        return Report("malformed", place, 0, cause, None, None, None, None, None, signatures, Counts(), checks, 0)
    run = _Verification(parsed, policy, held_file, signatures)
    fault: Broken | None = None
    try:
        run.steps()
    except Broken as broken:
        fault = broken
    return run.report(fault)


class _Verification:
    """One bundle on its way through the steps; `passed` are the steps behind it, `checked` their signatures."""

    def __init__(self, bundle: Bundle, policy: Policy | None, held: HeldFile | None, signatures: Signatures) -> None:
        self.head = bundle.head
        self.log = bundle.log
        self.open = bundle.open
        self.copy = Transcript(bundle.open, bundle.events, bundle.lines, bundle.close)
        self.policy = policy
        self.held_file = held
        self.held: Held | None = None
        self.signatures = signatures
        self.signers: set[KeyId] = set()
        self.passed = {0}
        self.checked = 0

    def steps(self) -> None:
        """Runs what protocol 6.2 asks of this copy; raises Broken at the first step that fails."""
        copy, log = self.copy, self.log
        receipt_key = self.step_1_keys()
        self.passed.add(1)
        if log is not None:
            check_log(log, copy)
            self.passed.add(2)
        self.step_3_head()
        self.step_3_held(receipt_key)
        self.passed.add(3)
        self.checked += copy.check_seat_signatures(self.signatures)
        self.passed.add(4)
        server_seed = b""
        if copy.closed:
            server_seed = copy.check_commitment()
            self.passed.add(5)
        copy.check_seat_seeds()
        self.passed.add(6)
        if copy.closed:
            self.step_8_terms(receipt_key)
            copy.check_course(server_seed, None if self.held is None else self.held.check_views)
            self.passed.update((7, 8, 9, 10))

    def step_1_keys(self) -> PublicKey:
        """The key that signed the head."""
        signers: set[KeyId] = set()
        if self.log is not None and self.policy is not None:
            signers = check_checkpoint(self.log, self.policy, self.open.log)
        try:
            key = self._head_key()
            key.check(self.head.signature, self.head.text)
        except (KeyRefused, SignatureRefused):
            raise Broken(1, "head_signature", None) from None
        self.signers = signers
        self.checked += 1 + len(signers)
        return key

    def _head_key(self) -> PublicKey:
        """A listed one where the policy has to list it; with a log or without a policy the one `open` names."""
        signer, named = self.head.signer, key_id(self.open.receipt_name, self.open.receipt_key)
        if self.policy is not None and self.log is None:
            if signer in self.policy.logs:
                return self.policy.logs[signer]
            if named not in self.policy.logs:
                raise Broken(1, "unknown_key", None)
            raise SignatureRefused("not by a listed key")
        if signer != named:
            raise SignatureRefused("not by the key that `open` names")
        key = public_key(self.open.receipt_key)
        key.check_torsion_free()
        return key

    def step_3_head(self) -> None:
        size, have = self.head.size, len(self.copy.events)
        if size > have:
            raise Broken(3, "events_missing", have)
        if size < have:
            raise Broken(3, "events_extra", size)
        if self.head.root != self.copy.roots[size]:
            raise Broken(3, "root", size - 1, size=size)
        if self.log is not None:
            for proven in self.log.leaves.values():
                compare(proven.leaf, self.copy)

    def step_3_held(self, receipt_key: PublicKey) -> None:
        if self.held_file is None:
            return
        self.held = Held(self.held_file, self.copy, self.head, receipt_key, self.signatures)
        checked = self.held.check_receipts()
        if self.log is not None and self.policy is not None:
            checked += self.held.check_log_lines(self.log, self.policy)
        self.checked += checked

    def step_8_terms(self, receipt_key: PublicKey) -> None:
        terms, head = self.open, self.head
        if (head.origin, head.signer[0], receipt_key.raw) != (terms.origin, terms.receipt_name, terms.receipt_key):
            raise Broken(8, "terms", 0)

    def _suspects(self, size: int) -> tuple[int, int]:
        """From the largest smaller size that a seat or a receipt endorses as computed, to the event before `size`."""
        roots = self.copy.roots
        endorsed = self.copy.endorsed()
        if self.held_file is not None:
            endorsed += [(line.receipt.size, line.receipt.root) for line in self.held_file.lines]
        agreed = [s for s, root in endorsed if s < size and s < len(roots) and root == roots[s]]
        return max(agreed, default=0), size - 1

    def _anchor(self) -> Anchor | None:
        if self.policy is not None and self.policy.is_met(self.signers):
            return "witnesses"
        return "held" if self.held is not None and self.held.anchors() else None

    def report(self, fault: Broken | None) -> Report:
        """The verdict, by the precedence of protocol 6.1."""
        step, cause, place, suspects, anchor = None, None, None, None, None
        if fault is not None:
            step, cause, place = fault.step, fault.cause, fault.place
            suspects = None if fault.size is None else self._suspects(fault.size)
        elif not self.copy.closed:
            cause = "not_closed"
        elif self.policy is None:
            step, cause = 1, "no_policy"
        else:
            anchor = self._anchor()
            cause = None if anchor else "no_anchor"
        failed = {step} if self.policy is not None else {1, step}
        return Report(
            _verdict(self.policy is not None, step, cause),
            place,
            step,
            cause,
            suspects,
            self.open.m,
            ending_of(self.copy.events) if self.copy.lost is None else Ending(LOST, None),
            anchor,
            self._log_report(),
            self.signatures,
            Counts.of(self.copy.events, self.checked),
            _checks(self.passed, failed),
            self.open.seats,
        )

    def _log_report(self) -> LogReport | None:
        if self.log is None:
            return None
        witnesses = () if self.policy is None else self.policy.witnesses
        return LogReport(sum(key in witnesses for key in self.signers), self.log.checkpoint.size)


_CONTRADICTIONS = {(2, "log_order"), (3, "leaf"), (3, "fork"), (3, "log_fork")}
"""What accuses up to step 3: signed texts against each other, or the log against its own order."""


def _verdict(has_policy: bool, step: int | None, cause: str | None) -> Verdict:
    if not has_policy or cause in ("unknown_key", "no_anchor"):
        return "unchecked"
    if cause is None:
        return "verified"
    if step is None:
        return "pending"
    return "altered" if step <= 3 and (step, cause) not in _CONTRADICTIONS else "cheated"


def _checks(passed: set[int], failed: set[int | None]) -> tuple[Check, ...]:
    results: dict[int, Result] = {**dict.fromkeys(passed, "passed")}
    results.update((step, "failed") for step in failed if step is not None)
    return tuple(Check(step, name, results.get(step, "not run")) for step, name in STEPS.items())
