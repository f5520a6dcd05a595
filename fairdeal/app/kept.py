"""What is kept of matches between their steps, so that they are not folded from their beginning each time. The store
may be ahead of it at any time, where another process serves the same match. Behind it, or of another history, it is
only where an older database has taken its place: what is kept is doubted then, until it was compared.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from fairdeal.app.ports import Seat, Status, Table
from fairdeal.commit import Seed
from fairdeal.errors import NotSeated
from fairdeal.match.state import MatchState, Phase

_MATCHES: Final = 2_000
"""A state takes a few KiB; beyond this the least used are folded again when asked for."""
_LINES: Final = 8
"""More than a step appends in play."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match at one moment: the store's row and the fold of that many events."""

    table: Table
    state: MatchState

    def seat_of(self, account_id: str) -> Seat:
        """Where the account sits. Raises NotSeated."""
        for seat in self.table.seated:
            if seat.account_id == account_id:
                return seat
        raise NotSeated("the account has no seat at this table")

    @property
    def closed(self) -> bool:
        """Nothing follows."""
        return self.state.phase is Phase.CLOSED or self.lost

    @property
    def lost(self) -> bool:
        """It ended without an event, because an older database was put back (protocol section 7.5)."""
        return self.table.status is Status.ENDED and self.state.phase is not Phase.CLOSED

    @property
    def due_at(self) -> int | None:
        """When the clock must look at it next."""
        return self.table.due_at if self.state.phase is Phase.JOINING else self.state.due_at


@dataclass(frozen=True, slots=True)
class Kept:
    """A match as far as it is known here, the lines folded into its state last, the server's seed."""

    match: Match
    newest: tuple[bytes, ...]
    seed: Seed

    def lines(self, start: int) -> tuple[bytes, ...] | None:
        """The lines from index `start` on, when all of them are among the newest."""
        back = self.match.state.size - start
        return self.newest[len(self.newest) - back :] if 0 <= back <= len(self.newest) else None


class KeptMatches:
    """Of so many matches the newest state known. Safe to call from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._matches: OrderedDict[str, Kept] = OrderedDict()
        self._doubted = set[str]()

    def get(self, match_id: str) -> Kept | None:
        """What is known of it."""
        with self._lock:
            return self._matches.get(match_id)

    def put(self, match: Match, lines: Sequence[bytes], seed: Seed) -> None:
        """Keeps it, unless more is known already; `lines` are those folded into the state last."""
        match_id = match.table.match_id
        with self._lock:
            kept = self._matches.get(match_id)
            if kept is None or kept.match.state.size < match.state.size:
                self._matches[match_id] = Kept(match, tuple(lines[-_LINES:]), seed)
            self._matches.move_to_end(match_id)
            if len(self._matches) > _MATCHES:
                self._doubted.discard(self._matches.popitem(last=False)[0])

    def doubt(self) -> None:
        """Doubts all of them, whatever is put for them next."""
        with self._lock:
            self._doubted.update(self._matches)

    def doubted(self, match_id: str) -> bool:
        """Whether what is kept of it is to be compared with the store first."""
        return match_id in self._doubted

    def trust(self, match_id: str, compared: Kept) -> None:
        """Nobody doubts it any more, unless another one is kept by now."""
        with self._lock:
            if self._matches.get(match_id) is compared:
                self._doubted.discard(match_id)

    def forget(self, match_id: str) -> None:
        """Keeps nothing of it."""
        with self._lock:
            self._matches.pop(match_id, None)
            self._doubted.discard(match_id)
