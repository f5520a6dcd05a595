"""The server's clock: what happens at a table with nobody connected."""

import logging
from typing import Final

from fairdeal.app.changes import tell_step
from fairdeal.app.heart import Heart
from fairdeal.app.house import Clock
from fairdeal.app.kept import Match
from fairdeal.app.loop import Loop
from fairdeal.app.matches import Matches
from fairdeal.app.ports import Store
from fairdeal.errors import ClockSteppedBack, StoreBusy, StoreFailed
from fairdeal.match.decide import Cancel, Command, Tick
from fairdeal.match.state import Phase

log = logging.getLogger("fairdeal.clock")

TICK_SECONDS: Final = 0.05
"""Between two looks at what is due: a timeout comes at most this much after its time."""
_BATCH: Final = 200
"""Due matches taken at one look; the heart beats between two looks."""
_IN_FLIGHT_MS: Final = 30_000
"""How long the clock waits for an action that was at the door in time and is still on its way through the service: far
longer than a queue of other calls holds it up, and not for ever."""
_AILING_MS: Final = 10_000
"""How long a match is left alone after its step failed, so that one broken match does not fill the log."""

_IN_HAND_MS: Final = 1_000
"""The same of one that somebody has in hand, perhaps a process that stands still: others must not wait for it."""


class Ticker:
    """Looks at what is due. `tick` is one look; `start` keeps looking in a thread of its own."""

    def __init__(self, store: Store, heart: Heart, matches: Matches, clock: Clock) -> None:
        self._store = store
        self._heart = heart
        self._matches = matches
        self._clock = clock
        self._ailing: dict[str, int] = {}
        self._step: ClockSteppedBack | None = None
        # The heart stops with the store; when it beats again the gap is made up for.
        self._loop = Loop("clock", self._look, TICK_SECONDS, log, "the clock cannot go on")

    def start(self) -> None:
        """Looks once, so that whatever the service slept through is known before the first call, then goes on."""
        self._loop.look()
        self._loop.start()

    def stop(self) -> None:
        """Ends the thread, and waits for it."""
        self._loop.stop()

    def tick(self) -> None:
        """Beats, after making up for an outage, then does what is due."""
        now = self._clock.now_ms()  # before the beat, which finds out a clock that has jumped
        self._heart.beat()
        self._ailing = {match_id: until for match_id, until in self._ailing.items() if until > now}
        for match_id in self._store.due_matches(now, _BATCH):
            if match_id in self._ailing:
                continue
            try:
                self._heart.make_up(match_id)
                self._matches.step(match_id, now, lambda match: self._due(match, now), patient=False)
            except StoreBusy:
                self._ailing[match_id] = now + _IN_HAND_MS
            except Exception:
                log.exception("a match cannot go on", extra={"match": match_id})
                self._ailing[match_id] = now + _AILING_MS

    def _due(self, match: Match, now: int) -> Command | None:
        """What the clock does to a match whose time has come, looked at again under the match's lock."""
        if match.due_at is None or match.due_at > now:
            return None
        if match.state.phase is Phase.JOINING:
            return Cancel()
        arrived, deadline = self._matches.earliest_arrival(match.table.match_id), match.state.deadline
        if arrived is not None and deadline is not None and arrived <= deadline and now < match.due_at + _IN_FLIGHT_MS:
            return None
        return Tick()

    def _look(self) -> None:
        if self._step is not None:
            tell_step(self._store, self._step)
            self._step = None
        try:
            self.tick()
        except ClockSteppedBack as error:
            if self._loop.failing is not ClockSteppedBack:
                self._step = error
            raise
        except StoreBusy:
            raise
        except StoreFailed:
            self._matches.doubt()
            raise
