"""The machine's clock, held against the database's: what one machine writes by a wrong clock binds all of them."""

import logging
from typing import Final

from fairdeal.app.house import Clock
from fairdeal.app.log_ports import LogStore
from fairdeal.errors import ClockApart

log = logging.getLogger("fairdeal.clock")

APART_MS: Final = 500
"""How far the machine's clock and the database's may be apart, so that of two machines on one database neither is more
than a second ahead of the other. NTP keeps them within some ms.
"""
_AGREED_MS: Final = 1_000
"""For how long they are taken to agree."""


class RightClock:
    """A `Clock` for what is kept or counts for anything: it says no time while the two are apart. Safe to call from
    several threads.
    """

    def __init__(self, store: LogStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._agreed_at: int | None = None

    def now_ms(self) -> int:
        """The machine's time. Raises what `check` does."""
        self.check()
        return self._clock.now_ms()

    def unchecked_ms(self) -> int:
        """The machine's time whatever it is, for what only shows it."""
        return self._clock.now_ms()

    def check(self) -> None:
        """Compares once a second, and whenever the machine's clock jumps. Raises ClockApart, until they agree, and
        StoreFailed.
        """
        now, agreed_at = self._clock.now_ms(), self._agreed_at
        if agreed_at is not None and 0 <= now - agreed_at < _AGREED_MS:
            return
        ahead = self.ahead_ms()
        if abs(ahead) > APART_MS:
            self._agreed_at = None
            if agreed_at is not None:
                log.error("the machine's clock and the database's are apart", extra={"ahead_ms": ahead})
            raise ClockApart(
                f"the machine's clock is {abs(ahead)} ms {'ahead of' if ahead > 0 else 'behind'} the database's:"
                " set the one right that is wrong"
            )
        self._agreed_at = now

    def ahead_ms(self) -> int:
        """How far the machine's clock is ahead of the database's, below 0 behind it, at the least: the answer may have
        been long on its way.
        """
        before, theirs, after = self._clock.now_ms(), self._store.clock_ms(), self._clock.now_ms()
        return 0 if theirs is None else max(before - theirs, 0) or min(after - theirs, 0)
