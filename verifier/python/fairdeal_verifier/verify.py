"""The numbered steps of protocol 6.2 over one bundle, and the verdict they come to (6.1)."""

from hashlib import sha256

from fairdeal_verifier.ed25519 import PublicKey, public_key
from fairdeal_verifier.errors import Broken, KeyRefused, Malformed, SignatureRefused, WrongUsage
from fairdeal_verifier.events import Join, Reveal, SeatEvent, Seed, Settle
from fairdeal_verifier.files import Bundle, HeldFile, HeldLine
from fairdeal_verifier.fold import Fold
from fairdeal_verifier.merkle import EMPTY_ROOT, roots
from fairdeal_verifier.notes import KeyId, key_id
from fairdeal_verifier.policy import Policy
from fairdeal_verifier.report import STEPS, Check, Counts, Report, Result, Signatures, Verdict, ending_of

ACTION_CONTEXT = b"fairdeal/1 action\n"
VIEW_CONTEXT = b"fairdeal/1 view\n"


def verify(bundle: bytes, policy: Policy | None, held: bytes | None, *, signatures: Signatures = "all") -> Report:
    """What a bundle proves to somebody who trusts the keys of `policy` and brings the held file `held`.

    Raises WrongUsage when the held file is malformed or foreign (exit 2); everything else is told in the report.
    """
    held_file = None if held is None else HeldFile.parse(held)
    try:
        parsed = Bundle.parse(bundle)
    except Malformed as error:
        checks = _checks(set(), {0})
        return Report("malformed", error.place, 0, error.cause, None, None, None, None, signatures, Counts(), checks, 0)
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
        self.open = bundle.open
        self.events = bundle.events
        self.policy = policy
        self.held = held
        self.signatures = signatures
        self.roots = roots(bundle.leaves)
        self.joins: dict[int, Join] = {}
        for event in bundle.events:
            if isinstance(event, Join):
                self.joins.setdefault(event.by, event)
        self.closed = self._is_closed()
        self.passed = {0}
        self.checked = 0

    def steps(self) -> None:
        """Runs what protocol 6.2 asks of this copy; raises Broken at the first step that fails."""
        self.receipt_key = self.step_1_policy()
        self.passed.add(1)
        self.step_3_head()
        self.step_3_held()
        self.passed.add(3)
        self.step_4_seat_signatures()
        self.passed.add(4)
        server_seed = b""
        if self.closed:
            server_seed = self.step_5_commitment()
            self.passed.add(5)
        self.step_6_seat_seeds()
        self.passed.add(6)
        if self.closed:
            self.steps_7_to_10(server_seed)
            self.passed.update((7, 8, 9, 10))

    def step_1_policy(self) -> PublicKey:
        """The key that signed the head: a listed one, or without a policy the one `open` names."""
        named = key_id(self.open.receipt_name, self.open.receipt_key)
        signer = self.head.signer
        try:
            if self.policy is not None:
                key = self._listed(self.policy.logs, named)
            elif signer == named:
                key = public_key(self.open.receipt_key)
                key.check_torsion_free()
            else:
                raise SignatureRefused("not by the key that `open` names")
            key.check(self.head.signature, self.head.text)
        except (KeyRefused, SignatureRefused):
            raise Broken(1, "head_signature", None) from None
        self.checked += 1
        return key

    def _listed(self, keys: dict[KeyId, PublicKey], named: KeyId) -> PublicKey:
        key = keys.get(self.head.signer)
        if key is None:
            if named not in keys:
                raise Broken(1, "unknown_key", None)
            raise SignatureRefused("not by a listed key")
        return key

    def step_3_head(self) -> None:
        size, have = self.head.size, len(self.events)
        if size > have:
            raise Broken(3, "events_missing", have)
        if size < have:
            raise Broken(3, "events_extra", size)
        if self.head.root != self.roots[size]:
            raise Broken(3, "root", size - 1, size=size)

    def step_3_held(self) -> None:
        held = self.held
        if held is None:
            return
        if held.m != self.head.origin.rpartition("/m/")[2] or held.seat >= self.open.seats:
            raise WrongUsage("held_foreign")
        for line in held.lines:
            self._check_held_line(held, line)
        signed = self._signed_lines(held)
        for line in signed:
            self._check_held_signatures(line)
        for line in held.lines:
            size, have = line.receipt.size, len(self.events)
            if size <= have:
                fork = Broken(3, "fork", size - 1, size=size) if line.receipt.root != self.roots[size] else None
            else:
                # Nothing follows a closed match, so a longer history is another one.
                fork = Broken(3, "fork", have) if self.closed else None
            if fork is not None:
                # Nobody is accused by a line whose signature was not looked at.
                self._check_held_signatures(line)
                raise fork
        self.checked += 2 * len(signed)

    def _signed_lines(self, held: HeldFile) -> list[HeldLine]:
        """Those whose signatures are looked at before anything contradicts the bundle."""
        return held.lines if self.signatures == "all" else held.lines[-1:]

    def _check_held_line(self, held: HeldFile, line: HeldLine) -> None:
        """All but the signatures."""
        receipt, view = line.receipt, line.view
        if (receipt.signer, receipt.origin, receipt.size, view.m, view.seat) != (
            self.head.signer, self.head.origin, view.size, held.m, held.seat,
        ):  # fmt: skip
            raise Broken(3, "held_signature", None)

    def _check_held_signatures(self, line: HeldLine) -> None:
        try:
            self.receipt_key.check(line.receipt.signature, line.receipt.text)
            self.receipt_key.check(line.signature, VIEW_CONTEXT + line.view_bytes)
        except SignatureRefused:
            raise Broken(3, "held_signature", None) from None

    def step_4_seat_signatures(self) -> None:
        last = {event.by: n for n, event in enumerate(self.events) if isinstance(event, SeatEvent)}
        keys: dict[int, PublicKey] = {}
        checked = 0
        for n, event in enumerate(self.events):
            if not isinstance(event, SeatEvent):
                continue
            if isinstance(event, Join):
                key = self._joining_key(event, n)
                keys.setdefault(event.by, key)
            elif event.by in keys:
                key = keys[event.by]
            else:
                raise Broken(4, "seat_key", n)
            size = signed_size(event, n, self.open.seats)
            if size > n or event.root != self.roots[size]:
                raise Broken(4, "signed_root", size - 1, size=size)
            if self.signatures == "all" or last[event.by] == n:
                self._check_seat_signature(key, event, n, size)
                checked += 1
        self.checked += checked

    def _joining_key(self, event: Join, n: int) -> PublicKey:
        try:
            key = public_key(event.key)
            key.check_torsion_free()
        except KeyRefused:
            raise Broken(4, "seat_key", n) from None
        return key

    def _check_seat_signature(self, key: PublicKey, event: SeatEvent, n: int, size: int) -> None:
        try:
            key.check(event.sig, signed_bytes(self.open.m, event, size))
        except SignatureRefused:
            raise Broken(4, "seat_signature", n) from None

    def step_5_commitment(self) -> bytes:
        """The revealed server seed."""
        for n, event in enumerate(self.events):
            if isinstance(event, Reveal):
                if sha256(event.server_seed).digest() != self.open.commitment:
                    raise Broken(5, "commitment", n)
                return event.server_seed
        raise Broken(5, "no_reveal", len(self.events))

    def step_6_seat_seeds(self) -> None:
        for n, event in enumerate(self.events):
            if isinstance(event, Seed) and sha256(event.seed).digest() != self.joins[event.by].seed_commitment:
                raise Broken(6, "seat_seed", n)

    def steps_7_to_10(self, server_seed: bytes) -> None:
        terms, head = self.open, self.head
        if (head.origin, head.signer[0], self.receipt_key.raw) != (
            terms.origin, terms.receipt_name, terms.receipt_key,
        ):  # fmt: skip
            raise Broken(8, "terms", 0)
        full = terms.seats + 1
        table_root = self.roots[full] if len(self.roots) > full else EMPTY_ROOT
        fold = Fold(terms, server_seed, table_root)
        views: dict[int, list[HeldLine]] = {}
        for line in self.held.lines if self.held else ():
            views.setdefault(line.view.size, []).append(line)
        self._check_views(fold, views.get(1, ()))
        for n, event in enumerate(self.events[1:], 1):
            fold.apply(event)
            if n + 1 in views:
                self._check_views(fold, views[n + 1])

    def _check_views(self, fold: Fold, lines: list[HeldLine] | tuple[()]) -> None:
        for line in lines:
            view = line.view
            for step, cause, same in (
                (7, "shown_hand", view.hand == fold.hand(view.seat)),
                (8, "shown_legal", view.legal == fold.legal(view.seat)),
            ):
                if not same:
                    self._check_held_signatures(line)
                    raise Broken(step, cause, view.size - 1, size=view.size)

    def _is_closed(self) -> bool:
        kinds = [type(event) for event in self.events]
        if Settle in kinds:
            return True
        if Reveal not in kinds:
            return False
        return Reveal in kinds[:-1] or self.open.stake == 0 or len(self.joins) < self.open.seats

    def _anchored(self) -> bool:
        held = self.held
        if held is None or held.seat not in self.joins or held.key != self.joins[held.seat].key:
            return False
        last = max(n for n, event in enumerate(self.events) if isinstance(event, SeatEvent) and event.by == held.seat)
        return any(last < line.receipt.size <= len(self.events) for line in self._signed_lines(held))

    def _suspects(self, size: int) -> tuple[int, int]:
        """From the largest smaller size that a seat or a receipt endorses as computed, to the event before `size`."""
        endorsed = [
            (signed_size(event, n, self.open.seats), event.root)
            for n, event in enumerate(self.events)
            if isinstance(event, SeatEvent)
        ]
        endorsed += [(line.receipt.size, line.receipt.root) for line in self.held.lines] if self.held else []
        agreed = [s for s, root in endorsed if s < size and s < len(self.roots) and root == self.roots[s]]
        return max(agreed, default=0), size - 1

    def report(self, fault: Broken | None) -> Report:
        """The verdict, by the precedence of protocol 6.1."""
        step, cause, place, suspects = None, None, None, None
        anchored = False
        if fault is not None:
            step, cause, place = fault.step, fault.cause, fault.place
            suspects = None if fault.size is None else self._suspects(fault.size)
        elif not self.closed:
            cause = "not_closed"
        elif self.policy is None:
            step, cause = 1, "no_policy"
        else:
            anchored = self._anchored()
            cause = None if anchored else "no_anchor"
        failed = {step} if self.policy is not None else {1, step}
        return Report(
            _verdict(self.policy is not None, step, cause),
            place,
            step,
            cause,
            suspects,
            self.open.m,
            ending_of(self.events),
            "held" if anchored else None,
            self.signatures,
            Counts.of(self.events, self.checked),
            _checks(self.passed, failed),
            self.open.seats,
        )


def _verdict(has_policy: bool, step: int | None, cause: str | None) -> Verdict:
    if not has_policy or cause in ("unknown_key", "no_anchor"):
        return "unchecked"
    if cause is None:
        return "verified"
    if cause == "not_closed":
        return "pending"
    # Up to step 3 only two signed texts that contradict each other accuse anybody.
    return "altered" if step in (1, 3) and cause != "fork" else "cheated"


def _checks(passed: set[int], failed: set[int | None]) -> tuple[Check, ...]:
    results: dict[int, Result] = {**dict.fromkeys(passed, "passed")}
    results.update((step, "failed") for step in failed if step is not None)
    return tuple(Check(step, name, results.get(step, "not run")) for step, name in STEPS.items())


def signed_size(event: SeatEvent, n: int, seats: int) -> int:
    """The size a seat event signs on at a table of so many seats (protocol 2.4)."""
    if isinstance(event, Join):
        return 1
    return seats + 1 if isinstance(event, Seed) else n


def signed_bytes(m: str, event: SeatEvent, size: int) -> bytes:
    """What the seat of an event of match `m` signs, with the root that the event names (protocol 2.4)."""
    return ACTION_CONTEXT + b'{"do":%b,"m":"%b","root":"%b","seat":%d,"size":%d}' % (
        event.do, m.encode(), event.root.hex().encode(), event.by, size,
    )  # fmt: skip
