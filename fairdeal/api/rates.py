"""How often somebody may call: buckets of tokens, in this process's memory, used on its event loop alone. Where
guessing pays each of several processes gives its share alone: who is turned away by one comes to the next.

A login is counted by its account, so that neighbours behind one address do not slow each other down; everybody else by
address. Wrong passwords are counted besides, by address and by name; a right one costs nothing.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import Final

from fairdeal.api.addresses import bucket_of
from fairdeal.api.problems import NotNow
from fairdeal.errors import CredentialsRefused

MAX_BUCKETS: Final = 100_000
"""Callers remembered for each rate, some 20 MB; the one not seen for longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Rate:
    """`burst` at once after a rest, `per_minute` for as long as one likes."""

    burst: int
    per_minute: float

    def share(self, processes: int) -> "Rate":
        """What each of so many may give so that together they give no more; at least one at once."""
        return Rate(max(1, self.burst // processes), self.per_minute / processes)


class Buckets:
    """One rate, a bucket of tokens for each key. `now` is in seconds from any moment on."""

    def __init__(self, rate: Rate, now: Callable[[], float]) -> None:
        self._burst = rate.burst
        self._per_second = rate.per_minute / 60
        self._now = now
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """Takes a token. Raises NotNow, with the time until there is one again."""
        level, now = self._level(key)
        if level < 1:
            raise NotNow("rate_limited", ceil((1 - level) / self._per_second))
        self._keep(key, level - 1, now)

    def give_back(self, key: str) -> None:
        """What was taken did not count after all."""
        level, now = self._level(key)
        self._keep(key, min(self._burst, level + 1), now)

    def _level(self, key: str) -> tuple[float, float]:
        now = self._now()
        level, at = self._levels.get(key, (float(self._burst), now))
        return min(self._burst, level + (now - at) * self._per_second), now

    def _keep(self, key: str, level: float, now: float) -> None:
        self._levels[key] = (level, now)
        self._levels.move_to_end(key)
        if len(self._levels) > MAX_BUCKETS:
            self._levels.popitem(last=False)


class Rates:
    """Every rate of the service. `wrong_name` and `wrong_address` are for passwords that do not fit."""

    def __init__(
        self,
        *,
        account: Rate,
        address: Rate,
        sign_up: Rate,
        tables: Rate,
        wrong_name: Rate,
        wrong_address: Rate,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._account = Buckets(account, now)
        self._address = Buckets(address, now)
        self._sign_up = Buckets(sign_up, now)
        self._tables = Buckets(tables, now)
        self._wrong_name = Buckets(wrong_name, now)
        self._wrong_address = Buckets(wrong_address, now)
        self._known: OrderedDict[str, None] = OrderedDict()

    def count_account(self, account_id: str) -> None:
        """A call with a login. Raises NotNow."""
        self._account.take(account_id)

    def count_address(self, address: str) -> None:
        """A call without a login that is valid. Raises NotNow."""
        self._address.take(bucket_of(address))

    def count_sign_up(self, address: str) -> None:
        """A new account. Raises NotNow."""
        self._sign_up.take(bucket_of(address))

    def count_table(self, account_id: str) -> None:
        """A table that the account opens, whatever comes of it. Raises NotNow."""
        self._tables.take(account_id)

    @contextmanager
    def log_in(self, name: str, address: str) -> Iterator[None]:
        """Around the check of a password for `name`, which may be nobody's. Raises NotNow instead of having it checked.

        Only a refused password is counted in the end, but each from its beginning, or many at once would be free. An
        address that the name has logged in from is counted apart, so that a stranger's guesses lock nobody out at home.
        """
        site = bucket_of(address)
        home = f"{name.casefold()} {site}"
        key = home if home in self._known else name.casefold()
        self._wrong_address.take(site)
        try:
            self._wrong_name.take(key)
        except NotNow:
            self._wrong_address.give_back(site)
            raise
        try:
            yield
        except CredentialsRefused:
            raise
        except BaseException:
            self._forgive(key, site)
            raise
        self._forgive(key, site)
        self._known[home] = None
        self._known.move_to_end(home)
        if len(self._known) > MAX_BUCKETS:
            self._known.popitem(last=False)

    def _forgive(self, key: str, site: str) -> None:
        self._wrong_name.give_back(key)
        self._wrong_address.give_back(site)
