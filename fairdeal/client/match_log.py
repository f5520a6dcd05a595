"""What a player's memory holds of one match in the log of all matches: nothing is signed before it is proven."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairdeal import canonical
from fairdeal.client.errors import Contradiction, EventsMissing, Finding, NotLogged
from fairdeal.client.log import (
    ReadTile,
    check_again,
    check_answer,
    check_part,
    check_said,
    is_lost,
    keeps_log,
    open_log,
    prove_seen,
)
from fairdeal.client.memory import Memory
from fairdeal.client.watch import Watched
from fairdeal.errors import WrongPhase
from fairdeal.match import HeldLog, LogPart, Phase, ProvenLeaf, Terms, proven_leaves
from fairdeal.tlog import Checkpoint, Policy

_AWAITED: Final = {Phase.JOINING: "open", Phase.SEEDS: "full", Phase.PLAY: "start", Phase.CLOSED: "close"}
"""The leaf without which nothing is signed in a phase, and without which a closed match is not taken away."""


class MatchLog:
    """The leaves of the match of these terms. Raises KeyRefused when the policy lists neither its log nor its receipts.

    With a policy that lists the receipts alone there is no log: nothing is kept, nothing awaited (protocol 5.3).
    """

    def __init__(self, memory: Memory, terms: Terms, policy: Policy) -> None:
        self.used = keeps_log(policy, terms)
        self._memory = memory
        self._terms = terms
        self._policy = policy
        self.lines = [(one.after, _held_log(one.checkpoint, one.leaves)) for one in memory.logged(terms.m)]
        """The log lines of the held file, each with the number of receipt lines that stand before it."""

    @property
    def leaves(self) -> tuple[ProvenLeaf, ...]:
        """The leaves proven so far."""
        return self.lines[-1][1].leaves if self.lines else ()

    @property
    def lost(self) -> Mapping[str, Any] | None:
        """The `close` leaf by which a restored store gave the match up (protocol section 7.5)."""
        return next((one.leaf for one in self.leaves if is_lost(one.leaf)), None)

    @property
    def newest(self) -> Checkpoint | None:
        """The newest checkpoint of the log that the memory holds, from whatever match."""
        kept = self._memory.newest(self._terms.log) if self.used else None
        return None if kept is None else kept[1]

    def awaited(self, phase: Phase) -> str | None:
        """The leaf that has to be proven next."""
        kind = _AWAITED.get(phase) if self.used and self.lost is None else None
        return None if any(one.leaf["type"] == kind for one in self.leaves) else kind

    def check_proven(self, phase: Phase) -> None:
        """Raises NotLogged unless the leaf that signing in this phase needs is proven."""
        kind = self.awaited(phase)
        if kind is not None:
            raise NotLogged(f"the log has not shown the match's {kind!r} yet", {"m": self._terms.m, "leaf": kind})

    def check_said(self, watched: Watched, roots: Sequence[bytes]) -> None:
        """Raises Contradiction when a leaf proven so far says something else than these events."""
        if watched.state is not None:
            check_said(self.leaves, watched.leaves, watched.state, roots)

    def take(
        self,
        answer: Mapping[str, Any],
        held: Checkpoint | None,
        read: ReadTile,
        watched: Watched,
        roots: Sequence[bytes],
        lines: Sequence[bytes],
    ) -> None:
        """Check and keep an answer that was asked for from `held` on. Raises Contradiction, UnknownLogKey,
        CheckpointMoved, WrongPhase before the first event, and EventsMissing when the joins that it must fit have not
        been seen yet.
        """
        if watched.state is None:
            raise WrongPhase("nothing has been received yet")
        shown = check_answer(answer, held, self._policy, self._terms)
        check_again(shown.leaves, self.leaves)
        check_said(shown.leaves, watched.leaves, watched.state, roots)
        if any(one.leaf["type"] == "full" for one in shown.leaves):
            if watched.state.size <= self._terms.seats:
                raise EventsMissing("the joins that the log has have not been seen", {"size": watched.state.size})
            prove_seen(lines, self._terms.seats, shown.checkpoint, read)
        # A line a leaf at most: however often the log is asked, the held file stays within its limit.
        news = len(shown.leaves) > len(self.leaves)
        leaves = canonical.encode([one.to_json() for one in shown.leaves]) if news else None
        self._memory.keep_logged(self._terms.m, held, shown.note, leaves)
        if news:
            self.lines.append((self._memory.logged(self._terms.m)[-1].after, HeldLog(shown.note, shown.leaves)))

    def part(self, lines: Sequence[bytes], read: ReadTile) -> LogPart | None:
        """What the bundle of these events says of the log. Raises Contradiction, UnknownLogKey, what `read` raises."""
        if not self.lines:
            return None
        note = self.lines[-1][1].checkpoint
        checkpoint = open_log(note, self._policy, self._terms.log)
        return LogPart(note, prove_seen(lines, self._terms.seats, checkpoint, read), self.leaves)

    def check_part(self, theirs: LogPart | None, lines: Sequence[bytes], read: ReadTile) -> None:
        """Raises Contradiction or UnknownLogKey unless the service's bundle has what ours has, and what `read` raises.

        Without a log of our own its part is not looked at.
        """
        own = self.part(lines, read)
        if own is None:
            return
        if theirs is None:
            raise Contradiction(Finding.LEAF, None, "the service's bundle has no proofs of the log")
        check_part(theirs, own, self._policy, lines, read)

    def check_quorum(self, part: LogPart | None) -> None:
        """Raises QuorumMissing unless the witnesses that the policy asks for have cosigned; and as `Policy.open`."""
        if self.used and part is not None:
            self._policy.open(part.checkpoint)
        else:
            self._policy.check_quorum(())


def _held_log(checkpoint: str, leaves: bytes) -> HeldLog:
    return HeldLog(checkpoint, proven_leaves(canonical.decode(leaves)))
