"""A player's own limits and stops, and the operator's switch. What they forbid, the store refuses."""

from collections.abc import Iterable
from typing import Final

from fairdeal.app.house import House
from fairdeal.app.matches import Matches
from fairdeal.app.ports import Store
from fairdeal.app.right_clock import RightClock
from fairdeal.app.safeguard_ports import Exclusion, ExclusionKind, Limit, LimitKind, Period, Switch
from fairdeal.errors import Malformed

COOL_OFF_MAX_MS: Final = 42 * 24 * 3_600_000
"""Six weeks: a longer stop is an exclusion."""


class Safeguards:
    """The use cases of limits and stops. Safe to call from several threads."""

    def __init__(self, store: Store, house: House, matches: Matches, clock: RightClock) -> None:
        self._store = store
        self._house = house
        self._matches = matches
        self._clock = clock

    def set_limit(
        self, account_id: str, kind: LimitKind, period: Period, amount: int | None, asset: str | None = None
    ) -> Limit:
        """Sets a limit of one's own, None for none, in an asset, None for the usual one. Raises TermsRefused."""
        code = self._house.asset(asset).code
        return self._store.set_limit(account_id, code, kind, period, amount, self._clock.now_ms())

    def limits(self, account_id: str) -> tuple[Limit, ...]:
        """An account's own limits."""
        return self._store.limits(account_id, self._clock.now_ms())

    def exclude(self, account_id: str, kind: ExclusionKind, until: int | None) -> Exclusion | None:
        """Stops the account's play until a time, or for good, and ends its waiting at tables; the stop in force then.

        Raises Malformed for the time.
        """
        now = self._clock.now_ms()
        if until is not None and until <= now:
            raise Malformed("a stop ends in the future")
        if kind == "cool_off" and (until is None or until > now + COOL_OFF_MAX_MS):
            raise Malformed("cooling off ends within six weeks; what lasts longer is an exclusion")
        self._tell(self._store.exclude(account_id, Exclusion(kind, now, until)))
        return self._store.exclusion(account_id, now)

    def exclusion(self, account_id: str) -> Exclusion | None:
        """The stop in force."""
        return self._store.exclusion(account_id, self._clock.now_ms())

    def switch(self, account_id: str | None, on: bool, reason: str) -> None:
        """The operator lets an account play, or everybody, or stops it. Raises UnknownAccount."""
        self._tell(self._store.switch(Switch(account_id, on, reason, self._clock.now_ms())))

    def switches_off(self) -> tuple[Switch, ...]:
        """Whom play is stopped for."""
        return self._store.switches_off()

    def _tell(self, left: Iterable[str]) -> None:
        for m in left:
            self._matches.changed(m)
