"""The heartbeat: how the service knows that it was away, so that no player is charged for it (protocol section 2.7)."""

import logging
from functools import partial
from threading import Lock
from typing import Final

from fairdeal.app.house import House
from fairdeal.app.kept import Match
from fairdeal.app.log_ports import CommitResult, LogCopy, Outage
from fairdeal.app.matches import Matches
from fairdeal.app.ports import Status, Store
from fairdeal.app.right_clock import RightClock
from fairdeal.app.sequencer import Sequencer
from fairdeal.errors import ClockSteppedBack, StoreBusy, StoreFailed
from fairdeal.match.decide import Command, Resume
from fairdeal.match.leaves import outage_leaf
from fairdeal.match.state import Phase

log = logging.getLogger("fairdeal.clock")

BEAT_MS: Final = 1_000
"""Between two heartbeats; well under `outage_ms`."""
STEP_BACK_MS: Final = 1_000
"""How far a clock that is being set right may go back; further back, times already given would come again."""


class Heart:
    """Beats, and makes up for the time without beats. Safe to call from several threads, and from several processes on
    one database: there is one heartbeat, any of them keeps it going, and an outage is when none did.

    An outage is kept with its leaf of the log; what a match is owed follows from the outages and the match alone.
    """

    def __init__(
        self, store: Store, house: House, matches: Matches, sequencer: Sequencer, copy: LogCopy, clock: RightClock
    ) -> None:
        self._store = store
        self._house = house
        self._matches = matches
        self._sequencer = sequencer
        self._copy = copy
        self._clock = clock
        self._lock = Lock()
        self.outages = 0
        """That ended in this process's life and that it wrote: also the one before its start."""
        self._copied = True

    def check_start(self) -> None:
        """Raises ClockApart, and ClockSteppedBack when the clock is behind the last heartbeat."""
        last, now = self._store.last_beat(), self._clock.now_ms()
        if last is not None and now < last - STEP_BACK_MS:
            raise ClockSteppedBack(f"the clock is {last - now} ms behind the last heartbeat: set it right first")

    def check_ready(self) -> None:
        """Raises what keeps the heart from beating: a wrong clock, a log that cannot append, a full disk."""
        self.beat()

    def beat(self) -> None:
        """To be called before anything is held against a player. After a gap the outage and the beat that ends it are
        written as one, then every match gets its time again. Raises what keeps the log from appending, and ClockApart:
        then there is no beat.
        """
        with self._lock:
            self._clock.check()
            self._sequencer.check_alive()
            now, last = self._clock.now_ms(), self._store.last_beat()
            if last is not None and now - last > self._house.clock.outage_ms:
                if self._store.add_outage(Outage(last, now), outage_leaf(last, now)) is CommitResult.COMMITTED:
                    self.outages += 1
                    log.warning("outage", extra={"from": last, "to": now})
                    self._make_up()
                # Making up is work, not absence; and another process may have been there first.
                last, now = self._store.last_beat() or now, self._clock.now_ms()
            if last is None or now - last >= BEAT_MS or not self._copied:
                self._copied = False
                self._store.beat(now)
                self._copy.beat(now)
                self._copied = True

    def make_up(self, match_id: str) -> None:
        """To be called, after the beat, before anything is held against this match's players: it is given the time that
        it is owed. Raises whatever keeps it from that, and the time stays owed.
        """
        match, now = self._matches.load(match_id), self._clock.now_ms()
        if match.table.status is Status.JOINING:
            join_ms, due_at = match.state.terms.clock.join_ms, match.table.due_at
            if due_at is not None and self._store.outages(due_at - join_ms + 1):
                self._matches.postpone(match_id, now + join_ms, now)
        else:
            for outage in self._store.outages(match.state.since):
                self._matches.step(match_id, now, partial(_resume, outage), patient=False)

    def _make_up(self) -> None:
        for match_id in self._store.unfinished_matches():
            try:
                self.make_up(match_id)
            except StoreBusy:
                log.warning("a match is in somebody's hands; it stays owed", extra={"match": match_id})
            except StoreFailed:
                raise  # not this match's fault; it stays owed
            except Exception:
                # Whatever is wrong with one match, the heart goes on beating for all the others.
                log.exception("a match cannot be resumed", extra={"match": match_id})


def _resume(outage: Outage, match: Match) -> Command | None:
    """The resume that this match is owed for the outage: none when it has it, nor when the outage was over before the
    running decision began.
    """
    state = match.state
    owed = (
        state.phase in (Phase.SEEDS, Phase.PLAY)
        and outage.end - outage.start > state.terms.clock.outage_ms
        and outage.start >= state.resumed_to
        and outage.end >= state.since
    )
    return Resume(outage.start, outage.end) if owed else None
