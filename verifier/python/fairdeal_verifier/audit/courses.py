"""The leaves of a log in their order: what each match said of itself, and what may not stand there (protocol 7.2)."""

from dataclasses import dataclass, field
from hashlib import sha256

from fairdeal_verifier.audit.findings import Code, Detail, Finding
from fairdeal_verifier.audit.keys import KeyChain
from fairdeal_verifier.errors import NotCanonical, SchemaRefused
from fairdeal_verifier.leaves import (
    CloseLeaf,
    FullLeaf,
    KeyLeaf,
    Leaf,
    LedgerLeaf,
    OpenLeaf,
    OutageLeaf,
    StartLeaf,
    parse_entry,
)


@dataclass(slots=True)
class Course:
    """A match as its leaves tell it; `index` is that of its `open`, `closed_at` that of its `close`."""

    index: int
    open: OpenLeaf
    full: FullLeaf | None = None
    start: StartLeaf | None = None
    close: CloseLeaf | None = None
    closed_at: int = -1

    @property
    def m(self) -> str:
        """The match."""
        return self.open.m


@dataclass(slots=True)
class Courses:
    """Everything the leaves of a log say. `take` gives it one entry after the other."""

    log_keys: KeyChain
    receipt_keys: KeyChain
    findings: list[Finding] = field(default_factory=list)
    matches: dict[str, Course] = field(default_factory=dict)
    ledgers: list[tuple[int, LedgerLeaf]] = field(default_factory=list)
    outages: set[tuple[int, int]] = field(default_factory=set)
    size: int = 0
    _commitments: dict[bytes, int] = field(default_factory=dict)
    _seeds: dict[bytes, int] = field(default_factory=dict)

    @classmethod
    def of(cls, origin: str) -> "Courses":
        """Of an empty log."""
        return cls(KeyChain(origin), KeyChain(f"{origin}/receipts"))

    def take(self, entry: bytes) -> None:
        """The next entry."""
        try:
            self._take(parse_entry(entry))
        except (SchemaRefused, NotCanonical):
            self._found("leaf", ("no_leaf",))
        self.size += 1

    def _found(self, code: Code, detail: Detail, m: str | None = None) -> None:
        self.findings.append(Finding(code, detail, self.size, m))

    def _take(self, leaf: Leaf) -> None:
        match leaf:
            case OpenLeaf():
                self._open(leaf)
            case FullLeaf() | StartLeaf() | CloseLeaf():
                self._goes_on(leaf)
            case LedgerLeaf():
                self._ledger(leaf)
            case OutageLeaf():
                self.outages.add((leaf.start, leaf.stop))
            case KeyLeaf():
                self._key(leaf)

    def _open(self, leaf: OpenLeaf) -> None:
        if leaf.m in self.matches:
            self._found("order", ("second", "open"), leaf.m)
            return
        before = self._commitments.setdefault(leaf.commitment, self.size)
        if before != self.size:
            self._found("commitment", ("same_commitment", before), leaf.m)
        self.matches[leaf.m] = Course(self.size, leaf)

    def _goes_on(self, leaf: FullLeaf | StartLeaf | CloseLeaf) -> None:
        course = self.matches.get(leaf.m)
        if course is None:
            self._found("order", ("before_open",), leaf.m)
        elif course.close is not None:
            self._found("order", ("after", "close"), leaf.m)
        elif isinstance(leaf, CloseLeaf):
            course.close, course.closed_at = leaf, self.size
            self._check_seed(leaf, course)
        elif course.start is not None:
            self._found("order", ("after", "start"), leaf.m)
        elif isinstance(leaf, StartLeaf):
            course.start = leaf
            if course.full is None:
                self._found("order", ("start_first",), leaf.m)
        elif course.full is not None:
            self._found("order", ("second", "full"), leaf.m)
        else:
            course.full = leaf

    def _check_seed(self, leaf: CloseLeaf, course: Course) -> None:
        if sha256(leaf.server_seed).digest() != course.open.commitment:
            self._found("seed", ("not_opened",), leaf.m)
        before = self._seeds.setdefault(leaf.server_seed, self.size)
        if before != self.size:
            self._found("seed", ("same_seed", before), leaf.m)

    def _ledger(self, leaf: LedgerLeaf) -> None:
        if self.ledgers and leaf.size < self.ledgers[-1][1].size:
            self._found("money", ("journal_smaller",))
        self.ledgers.append((self.size, leaf))

    def _key(self, leaf: KeyLeaf) -> None:
        for chain in (self.log_keys, self.receipt_keys):
            if leaf.old.name == chain.name:
                wrong = chain.replace(leaf, self.size)
                if wrong is not None:
                    self._found("key", (wrong,))
                return
        self._found("key", ("key_name",))
