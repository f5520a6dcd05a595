"""A match between two events."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Literal, Self, TypeAlias

from fairdeal.belote import Deal
from fairdeal.commit import Seed
from fairdeal.keys import PublicKey
from fairdeal.match.terms import Terms
from fairdeal.tlog import Frontier

SEED_PERIODS: Final = 3
"""Periods for sending the seeds (protocol section 2.6)."""

EndReason: TypeAlias = Literal["target", "overruns", "resigned", "seed", "cancelled", "void"]
VoidCause: TypeAlias = Literal["deal_limit", "operator"]
FollowUp: TypeAlias = Literal["deal", "show", "score", "end", "reveal", "settle"]


class Phase(StrEnum):
    """Where a match stands (protocol section 2.6)."""

    JOINING = "joining"
    SEEDS = "seeds"
    PLAY = "play"
    ENDED = "ended"
    """After `end`, while `reveal` or `settle` is due."""
    CLOSED = "closed"
    """Nothing follows."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What a seat brought with its `join`; `player` and `seed_commitment` in hex."""

    key: PublicKey
    player: str
    seed_commitment: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ends, as its `end` event says it: the winning side, and the cause exactly when it is void."""

    reason: EndReason
    winner: int | None
    cause: VoidCause | None = None


@dataclass(frozen=True, slots=True)
class MatchState:
    """The fold of the first `size` events; everything that decides what may come next.

    In the outside view, without the server seed, `deal` knows no hands, `pack` is None and everything else is equal.
    Times are ms.
    """

    terms: Terms
    phase: Phase
    size: int
    last_t: int
    """The `t` of the last event: the least that the next one may have."""
    frontier: Frontier
    join_root: bytes
    """Root(1), which a join signs."""
    table_root: bytes | None
    """Root(k+1), which a seed signs and every deal is derived from; None before the last join."""
    joined: tuple[Joined | None, ...]
    seeds: tuple[Seed | None, ...]
    seed_periods: int
    """Seed periods that have ended with seats missing."""
    deal: Deal | None
    """The deal in play, from its `deal` up to its `score` or the `end`."""
    deal_number: int
    dealer: int | None
    """Who dealt the last deal; None before the first."""
    pack: tuple[int, ...] | None
    """In a game that does not shuffle: the pack in play as it was dealt, between two deals as it was gathered; None
    when the next one is shuffled."""
    voids: int
    """Void deals in a row, counted again when they have had the pack shuffled."""
    totals: tuple[int, ...]
    """Marks by side."""
    pot: int
    """What litiges have put aside."""
    overruns: tuple[int, ...]
    """Overruns by seat."""
    since: int
    """The `t` that the running deadline, or the last one, counts from; 0 before the first."""
    deadline: int | None
    """The last moment for the decision or the seed period that is running; None when none is."""
    resumed_to: int
    """The `to` of the last `resume`, 0 before the first: the next one may not reach behind it."""
    due: FollowUp | None
    """The server event that must come next."""
    ending: Ending | None
    """How the match ends, from the event on that ends it."""

    @property
    def root(self) -> bytes:
        """Root(size)."""
        return self.frontier.root()

    @property
    def turn(self) -> int | None:
        """The seat whose action is waited for; None outside play and while a follow-up is due."""
        return None if self.deal is None or self.due is not None else self.deal.turn

    @property
    def due_at(self) -> int | None:
        """When `Tick` acts: the deadline and the grace after it; None when nothing runs."""
        return None if self.deadline is None else self.deadline + self.terms.clock.grace_ms

    @property
    def full(self) -> bool:
        """Every seat has joined, so that there is a pot if there is a stake."""
        return self.table_root is not None

    def lost(self, ending: Ending) -> Self:
        """The state in which the match is over but for its `end`, which is due."""
        return replace(self, ending=ending, due="end", deadline=None)
