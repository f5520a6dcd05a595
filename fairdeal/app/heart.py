"""The heartbeat: how the service knows that it was away, so that no player is charged for it (protocol section 2.7)."""

import logging
from threading import Lock
from typing import Final

from fairdeal.app.house import Clock, House
from fairdeal.app.matches import Match, Matches
from fairdeal.app.ports import Store
from fairdeal.app.sequencer import Sequencer
from fairdeal.errors import StoreFailed
from fairdeal.match.decide import Command, Resume
from fairdeal.match.state import Phase

log = logging.getLogger("fairdeal.clock")

BEAT_MS: Final = 1_000
"""Between two heartbeats; well under `outage_ms`."""


class Heart:
    """Beats, and makes up for the time without beats. Safe to call from several threads."""

    def __init__(self, store: Store, house: House, matches: Matches, sequencer: Sequencer, clock: Clock) -> None:
        self._store = store
        self._house = house
        self._matches = matches
        self._sequencer = sequencer
        self._clock = clock
        self._lock = Lock()
        self._owed: dict[str, tuple[int, int]] = {}

    def beat(self) -> None:
        """To be called before anything is held against a player. After a gap every match first gets its time again;
        the beat is written last, so that a crash on the way leaves the rest still to do. Raises what keeps the log
        from appending: then there is no beat.
        """
        with self._lock:
            self._sequencer.check_alive()
            now, last = self._clock.now_ms(), self._store.last_beat()
            if last is not None and now - last > self._house.clock.outage_ms:
                self._make_up(last, now)
                now = self._clock.now_ms()  # making up is work, not absence
            if last is None or now - last >= BEAT_MS:
                self._store.beat(now)

    def make_up(self, match_id: str) -> None:
        """To be called, after the beat, before anything is held against this match's players: it is given the time that
        it could not be given with the others. Raises whatever keeps it from that, and the time stays owed.
        """
        with self._lock:
            if match_id in self._owed:
                self._resume(match_id, *self._owed[match_id])
                del self._owed[match_id]

    def _make_up(self, start: int, end: int) -> None:
        log.warning("outage", extra={"from": start, "to": end})
        for match_id in self._store.unfinished_matches():
            since, _ = self._owed.get(match_id, (start, end))
            try:
                self._resume(match_id, since, end)
                self._owed.pop(match_id, None)
            except StoreFailed:
                raise  # not this match's fault: without a beat all of it is done again
            except Exception:
                # Whatever is wrong with one match, the heart goes on beating for all the others.
                log.exception("a match cannot be resumed", extra={"match": match_id})
                self._owed[match_id] = since, end

    def _resume(self, match_id: str, start: int, end: int) -> None:
        terms, now = self._matches.load(match_id).state.terms, self._clock.now_ms()
        self._matches.postpone(match_id, now + terms.clock.join_ms, now)
        self._matches.step(match_id, now, lambda match: _resume(match, start, end))


def _resume(match: Match, start: int, end: int) -> Command | None:
    """The resume that is owed to this match: none when it was written before a crash on the way, nor when the outage
    was over before the running decision began.
    """
    state = match.state
    start = max(start, state.resumed_to)
    if state.phase not in (Phase.SEEDS, Phase.PLAY) or end < state.since:
        return None
    return Resume(start, end) if end - start > state.terms.clock.outage_ms else None
