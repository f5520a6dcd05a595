"""What a verification found: the verdict, its place and cause, and the counts (protocol 6.1, 6.4, 6.5)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from fairdeal_verifier.canonical import Json
from fairdeal_verifier.events import Dealt, End, Event, Resume, Scored, Timeout

FORMAT = "fairdeal/report@1"

Verdict = Literal["verified", "cheated", "pending", "malformed", "unchecked", "altered"]
Signatures = Literal["all", "last"]
Anchor = Literal["witnesses", "held"]
Result = Literal["passed", "failed", "not run"]

EXIT_CODES: dict[Verdict, int] = {
    "verified": 0, "cheated": 10, "pending": 11, "malformed": 12, "unchecked": 13, "altered": 15,
}  # fmt: skip

STEPS = {
    0: "bytes and schema",
    1: "policy, keys, checkpoint",
    2: "log proofs and order",
    3: "transcript root, head, leaves, held receipts",
    4: "seat signatures",
    5: "commitment opens",
    6: "seat seeds open",
    7: "deals and shown hands",
    8: "order, turn, legality, clock, shown actions",
    9: "scores and end",
    10: "settlement",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """The reason of the `end` event, or `lost`, and the side that won, if one did."""

    reason: str
    winner: int | None


@dataclass(frozen=True, slots=True)
class Counts:
    """Of the transcript as it stands; `signatures` are those that the passed steps checked."""

    events: int = 0
    deals: int = 0
    voids: int = 0
    timeouts: int = 0
    resumes: int = 0
    signatures: int = 0

    @classmethod
    def of(cls, events: Sequence[Event], signatures: int) -> "Counts":
        """Counts the events of a transcript."""
        kinds = [type(event) for event in events]
        voids = sum(isinstance(event, Scored) and event.score.outcome == "void" for event in events)
        return cls(len(events), kinds.count(Dealt), voids, kinds.count(Timeout), kinds.count(Resume), signatures)


@dataclass(frozen=True, slots=True)
class Check:
    """One step of protocol 6.2 and how it went."""

    step: int
    name: str
    result: Result


@dataclass(frozen=True, slots=True)
class LogReport:
    """The size of the checkpoint that a bundle's log part is under, and how many listed witnesses cosigned it."""

    cosignatures: int
    size: int


@dataclass(frozen=True, slots=True)
class Report:
    """What `verify` found. `step`, `cause`, `broken_at` tell the first fault, under any verdict.

    `seats` of the table (0 when it is not known) are for the sentence alone.
    """

    verdict: Verdict
    broken_at: int | None
    step: int | None
    cause: str | None
    suspects: tuple[int, int] | None
    m: str | None
    ending: Ending | None
    anchor: Anchor | None
    log: LogReport | None
    signatures: Signatures
    counts: Counts
    checks: tuple[Check, ...]
    seats: int

    @property
    def exit_code(self) -> int:
        """The exit code of protocol 6.1."""
        return EXIT_CODES[self.verdict]

    def as_json(self, sentence: str) -> dict[str, Json]:
        """The object of protocol 6.4, with the sentence in the reader's language."""
        suspects: Json = None if self.suspects is None else list(self.suspects)
        members = asdict(self)
        del members["seats"]
        return {
            **members,
            "format": FORMAT,
            "suspects": suspects,
            "checks": [asdict(check) for check in self.checks],
            "sentence": sentence,
        }


def ending_of(events: Sequence[Event]) -> Ending | None:
    """What the first `end` of a transcript says."""
    return next((Ending(event.reason, event.winner) for event in events if isinstance(event, End)), None)
