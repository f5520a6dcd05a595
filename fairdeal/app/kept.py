"""What is kept of matches between their steps, so that they are not folded from their beginning each time. The store
may be ahead of it at any time, where another process serves the same match.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from fairdeal.commit import Seed
from fairdeal.match.state import MatchState

_MATCHES: Final = 2_000
"""A state takes a few KiB; beyond this the least used are folded again when asked for."""
_LINES: Final = 8
"""More than a step appends in play."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A match as far as it is known here: the state, the lines folded into it last, the server's seed."""

    state: MatchState
    newest: tuple[bytes, ...]
    seed: Seed

    def lines(self, start: int) -> tuple[bytes, ...] | None:
        """The lines from index `start` on, when all of them are among the newest."""
        back = self.state.size - start
        return self.newest[len(self.newest) - back :] if 0 <= back <= len(self.newest) else None


class KeptMatches:
    """Of so many matches the newest state known. Safe to call from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._matches: OrderedDict[str, Kept] = OrderedDict()

    def get(self, match_id: str) -> Kept | None:
        """What is known of it."""
        with self._lock:
            return self._matches.get(match_id)

    def put(self, match_id: str, state: MatchState, lines: Sequence[bytes], seed: Seed) -> None:
        """Keeps it, unless more is known already; `lines` are those folded into the state last."""
        with self._lock:
            kept = self._matches.get(match_id)
            if kept is None or kept.state.size < state.size:
                self._matches[match_id] = Kept(state, tuple(lines[-_LINES:]), seed)
            self._matches.move_to_end(match_id)
            if len(self._matches) > _MATCHES:
                self._matches.popitem(last=False)
