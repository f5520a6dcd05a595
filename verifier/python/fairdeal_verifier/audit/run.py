"""A whole audit, step by step (protocol 7.6). What nobody signed accuses nobody: it is a file's fault, no finding."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from fairdeal_verifier.audit import checkpoints, keys, money
from fairdeal_verifier.audit.checkpoints import CHECKPOINT_PATH, Named, Roots
from fairdeal_verifier.audit.courses import Course, Courses
from fairdeal_verifier.audit.facts import Facts
from fairdeal_verifier.audit.findings import Finding, say_detail
from fairdeal_verifier.audit.money import Journal, MoneyFault, Sitting, Stakes
from fairdeal_verifier.audit.pool import Progress, read_all
from fairdeal_verifier.audit.questions import Questions, Unknown, ask, unsigned
from fairdeal_verifier.audit.source import Source
from fairdeal_verifier.audit.state import State, course_key
from fairdeal_verifier.audit.tree import Tree, check_tiles, read_entries
from fairdeal_verifier.errors import FileFault, WrongUsage
from fairdeal_verifier.notes import Checkpoint
from fairdeal_verifier.policy import Policy
from fairdeal_verifier.report import Signatures

COUNTED = (
    "leaves", "matches", "closed", "replayed", "skipped", "resumed", "events", "signatures", "transactions",
    "checkpoints",
)  # fmt: skip
"""Of matches, `skipped` were closed under the auditor's checkpoint, `resumed` stood in its notes."""


class Wishes(NamedTuple):
    """What the auditor brings and asks for. `now_ms` since 1970 tells how old a match that has not closed is."""

    policy: Policy | None
    now_ms: int
    since: Checkpoint | None = None
    signatures: Signatures = "all"
    jobs: int = 1
    state: State | None = None
    progress: Callable[[int, int], None] = lambda done, total: None


@dataclass(slots=True)
class Outcome:
    """What an audit found. `known`: a listed key signed the newest checkpoint; `cosignatures` of listed witnesses."""

    checkpoint: Checkpoint | None = None
    known: bool = False
    quorum_met: bool = False
    cosignatures: int = 0
    findings: list[Finding] = field(default_factory=list)
    faults: list[FileFault] = field(default_factory=list)
    questions: Questions = field(default_factory=Questions)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))


def audit(source: Source, wishes: Wishes) -> Outcome:
    """Raises NotFetched, and WrongUsage where there is no log, or the auditor's own checkpoint is of another."""
    outcome = Outcome()
    try:
        newest = checkpoints.read_checkpoint(source, CHECKPOINT_PATH)
        signers = checkpoints.check_newest(newest, wishes.policy) if wishes.policy is not None else set()
    except FileFault as fault:
        if fault.code == "missing":
            raise WrongUsage("no_log", fault.path) from None
        outcome.faults.append(fault)
        return outcome
    outcome.checkpoint = newest
    if wishes.policy is not None:
        outcome.known = bool(signers)
        outcome.quorum_met = wishes.policy.is_met(signers)
        outcome.cosignatures = len(signers & wishes.policy.witnesses.keys())
    if wishes.since is not None:
        checkpoints.check_since(wishes.since, newest, wishes.policy if outcome.known else None)
    _Audit(source, wishes, newest, outcome).run()
    outcome.findings.sort(key=lambda found: (found.index is None, found.index or 0))
    return outcome


class _Audit:
    """One audit under its newest checkpoint, whose signatures were checked."""

    def __init__(self, source: Source, wishes: Wishes, newest: Checkpoint, outcome: Outcome) -> None:
        self.source = source
        self.wishes = wishes
        self.newest = newest
        self.outcome = outcome
        self.tree = Tree()
        self.courses = Courses.of(newest.origin)
        self.facts: dict[str, Facts] = {}
        self.kept: list[Named] = []
        self.journal: Journal | None = None
        self.seats: dict[tuple[str, int], Sitting] | None = None

    def run(self) -> None:
        """Where the entries are not those of the root, only signed roots are compared."""
        self.kept = list(self._kept_checkpoints())
        fits = self._read_tree()
        if not fits:
            self.courses = Courses.of(self.newest.origin)
        if fits:
            self._first_log_key()
            self.outcome.faults += check_tiles(self.source, self.tree)
            self._read_money()
            self._read_matches()
        self._compare_checkpoints(Roots(self.newest, self.tree if fits else None))
        if fits:
            self._check_keys()
            self._check_matches()
            if self.journal is not None:
                self._check_money(self.journal)
            if self.seats is not None:
                self._check_seats(self.seats)
            self._ask()
            self.outcome.findings += self.courses.findings
        self._count()

    def _kept_checkpoints(self) -> Iterator[Named]:
        yield Named(CHECKPOINT_PATH, self.newest)
        if self.wishes.since is not None:
            yield Named(None, self.wishes.since)
        since = self.wishes.since.size if self.wishes.since is not None else 0
        # A service that goes on has signed more meanwhile.
        sizes = self.source.sizes(since, self.newest.size)
        for found in checkpoints.read_archive(self.source, sizes):
            if isinstance(found, FileFault):
                self.outcome.faults.append(found)
            else:
                yield found

    def _read_tree(self) -> bool:
        try:
            for entry in read_entries(self.source, self.newest.size):
                self.tree.add(entry)
                self.courses.take(entry)
        except FileFault as fault:
            self.outcome.faults.append(fault)
            return False
        if self.tree.root(self.newest.size) != self.newest.root:
            self.outcome.faults.append(FileFault("damaged", "tile/entries", "not the entries of the checkpoint"))
            return False
        return True

    def _first_log_key(self) -> None:
        """Where the log tells of no other, the key that signed the newest checkpoint is the first one."""
        policy = self.wishes.policy
        for line in self.newest.lines if policy is not None else ():
            if policy is not None and line.key in policy.logs:
                self.courses.log_keys.begins_with(policy.logs[line.key].raw)

    def _read_matches(self) -> None:
        since = self.wishes.since.size if self.wishes.since is not None else 0
        asked = [c for c in self.courses.matches.values() if c.close is None or c.closed_at >= since]
        self.outcome.counts["skipped"] = len(self.courses.matches) - len(asked)
        origin, state, signatures = self.newest.origin, self.wishes.state, self.wishes.signatures
        waiting: list[Course] = []
        for course in asked:
            known = state.known.get(course_key(origin, course, signatures)) if state is not None else None
            if known is None:
                waiting.append(course)
            else:
                self.facts[course.m] = known
        self.outcome.counts["resumed"] = len(asked) - len(waiting)
        progress = Progress(self.wishes.progress, len(waiting))
        for batch in read_all(self.source, waiting, origin, signatures, self.wishes.jobs):
            read = [(course, facts) for course, facts in batch if isinstance(facts, Facts)]
            self.facts.update((course.m, facts) for course, facts in read)
            self.outcome.faults += [fault for _, fault in batch if isinstance(fault, FileFault)]
            if state is not None:
                state.keep([(course_key(origin, c, signatures), facts) for c, facts in read if c.close is not None])
            progress.add(len(batch))

    def _compare_checkpoints(self, roots: Roots) -> None:
        policy = self.wishes.policy if self.outcome.known else None
        self.kept += self._seen_checkpoints()
        for named in self.kept:
            try:
                self.outcome.findings += roots.compare(named, self.courses.log_keys, policy)
            except FileFault as fault:
                self.outcome.faults.append(fault)

    def _seen_checkpoints(self) -> Iterator[Named]:
        """Those that a player named and the source did not list, as far as they were kept."""
        listed = {named.checkpoint.size for named in self.kept}
        named = {size for facts in self.facts.values() for _, size, _ in facts.seen if size <= self.newest.size}
        for found in checkpoints.read_archive(self.source, sorted(named - listed)):
            if isinstance(found, Named):
                yield found
            elif found.code != "missing":
                self.outcome.faults.append(found)

    def _check_keys(self) -> None:
        chain = self.courses.receipt_keys
        opened = [(course, facts) for course, facts in self._read() if facts.receipt_key]
        for _, facts in opened[:1]:
            chain.begins_with(bytes.fromhex(facts.receipt_key))
        try:
            keys.check_history(self.source, (self.courses.log_keys, chain), self.newest.size)
        except FileFault as fault:
            self.outcome.faults.append(fault)
        for course, facts in opened:
            right = chain.at(course.index)
            if right is not None and facts.receipt_key != right.hex():
                self.outcome.findings.append(Finding("key", ("receipts_key",), course.index, course.m))

    def _read(self) -> Iterator[tuple[Course, Facts]]:
        """Every match that was read, in the log's order."""
        for m, course in self.courses.matches.items():
            if m in self.facts:
                yield course, self.facts[m]

    def _check_matches(self) -> None:
        for course, facts in self._read():
            at = course.closed_at if course.close is not None else course.index
            if facts.fault is not None:
                step, cause, place = facts.fault
                # That the revealed seed is not the committed one was found in the leaves already.
                if (step, cause) != (5, "commitment"):
                    detail = ("step", step, cause) if place is None else ("step_at", step, cause, place)
                    self.outcome.findings.append(Finding("transcript", detail, at, course.m))
            for start, stop in facts.resumes:
                if (start, stop) not in self.courses.outages:
                    self.outcome.findings.append(Finding("resume", ("resume", start, stop), at, course.m))

    def _read_money(self) -> None:
        """Before the matches, which take long: it is what asks for a token."""
        journal = Journal()
        try:
            for line in money.pages(self.source, money.LEDGER):
                journal.add(line)
            self.journal = journal
        except FileFault as fault:
            self.outcome.faults.append(fault)
        try:
            self.seats = money.read_seats(self.source)
        except FileFault as fault:
            self.outcome.faults.append(fault)

    def _check_money(self, journal: Journal) -> None:
        signed = journal.signed_size(self.courses.ledgers)
        for index, leaf in journal.disagreeing(self.courses.ledgers):
            if leaf.size <= signed:
                self.outcome.findings.append(Finding("money", ("journal_root", signed, leaf.size), index))
            else:
                code: Literal["missing", "damaged"] = "missing" if leaf.size > journal.tree.size else "damaged"
                self._fault(code, money.LEDGER, f"not the journal of {leaf.size} transactions of leaf {index}")
        known = journal.check_known(self.courses.matches, signed)
        # What a match says tells more than the form. Of one line the first fault stands, and of what a match lacks.
        told: set[int | str | None] = set()
        for wrong in (*known, *self._match_money(journal), *journal.faults, *self._left(journal)):
            place = wrong.m if wrong.line is None else wrong.line
            if place not in told:
                told |= {place, wrong.m} if self._money_fault(wrong, signed) else {place}
        self.outcome.counts["transactions"] = journal.tree.size

    def _match_money(self, journal: Journal) -> Iterator[MoneyFault]:
        for course, facts in self._read():
            if course.close is None or facts.fault is not None:
                continue
            if not facts.players or not facts.stake:
                yield from journal.check_no_pot(course.m)
                continue
            lines = dict(facts.lines)
            if course.close.is_lost:
                lines = {"pot": -facts.stake * facts.seats, **{f"seat:{s}": facts.stake for s in range(facts.seats)}}
            stakes = Stakes(course.m, facts.asset, facts.stake, tuple(facts.players), lines)
            yield from journal.check_match(stakes)

    def _left(self, journal: Journal) -> Iterator[MoneyFault]:
        for course in self.courses.matches.values():
            if course.close is not None:
                yield from journal.check_left(course.m)

    def _money_fault(self, fault: MoneyFault, signed: int) -> bool:
        """Whether it accuses: only lines under a `ledger` leaf are anybody's word; what is missing was due when a later
        one stood.
        """
        course = self.courses.matches.get(fault.m or "")
        if fault.line is None:
            newest = max((index for index, leaf in self.courses.ledgers if leaf.size <= signed), default=-1)
            accused = course is not None and newest > course.closed_at
        else:
            accused = fault.line < signed
        if accused:
            self.outcome.findings.append(Finding("money", fault.detail, course.closed_at if course else None, fault.m))
        else:
            self._fault("missing" if fault.line is None else "damaged", money.LEDGER, say_detail(fault.detail))
        return accused

    def _check_seats(self, seats: Mapping[tuple[str, int], Sitting]) -> None:
        for course, facts in self._read():
            for seat, player in enumerate(facts.players):
                told = seats.get((course.m, seat))
                paid = None if self.journal is None else self.journal.account_of(player)
                if told is None:
                    self._fault("missing", money.SEATS, f"seat {seat} of {course.m}")
                elif told.player != player or paid not in (None, told.account):
                    self._fault("damaged", money.SEATS, f"seat {seat} of {course.m} is not whom the match names")

    def _fault(self, code: Literal["missing", "damaged"], path: str, why: str) -> None:
        self.outcome.faults.append(FileFault(code, path, why))

    def _ask(self) -> None:
        asked = ask(self.courses, self.facts, self.seats or {}, self.wishes.now_ms)
        for course, facts in self._read():
            for event, size, root in facts.seen:
                if size > self.tree.size or self.tree.root(size).hex() != root:
                    asked.seen.append(Unknown(course.m, event, size))
        if self.journal is not None:
            first = self.journal.signed_size(self.courses.ledgers)
            asked.unsigned = unsigned(self.journal.times[first:], self.wishes.now_ms)
        self.outcome.questions = asked

    def _count(self) -> None:
        closed = sum(course.close is not None for course in self.courses.matches.values())
        read = [facts for course, facts in self._read() if course.close is not None]
        self.outcome.counts |= {
            "leaves": self.courses.size, "matches": len(self.courses.matches), "closed": closed,
            "replayed": len(read), "events": sum(facts.events for facts in read),
            "signatures": sum(facts.signatures for facts in read), "checkpoints": len(self.kept),
        }  # fmt: skip
