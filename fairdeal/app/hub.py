"""Tells waiting streams that a match has grown; what has grown they read from the store.

A listener holds no queue, only the newest size it was told, so that a slow one costs nothing and misses nothing. One
account has a bounded number of listeners at a match: one more, and its oldest is told to stop.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Final

MAX_LISTENERS: Final = 4
"""Streams of one account on one match: two devices with a stale connection each."""

_MATCH: Final = "match"
_ACCOUNT: Final = "account"


class Listener:
    """One stream's ear. Made and awaited on an event loop; told from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._told = asyncio.Event()
        self.stopped = False

    async def wait(self) -> None:
        """Returns when the match may have grown since the last return, the login may have ended, or the stream is to
        stop.
        """
        await self._told.wait()
        self._told.clear()

    def tell(self) -> None:
        """Wakes the stream."""
        with suppress(RuntimeError):  # the loop is closed, and the stream with it
            self._loop.call_soon_threadsafe(self._told.set)

    def stop(self) -> None:
        """Wakes the stream for the last time."""
        self.stopped = True
        self.tell()


class Hub:
    """Who listens to which match, in this process. Safe to call from several threads.

    What this process tells its listeners is passed on to `tell_others`; what others tell comes to `hear`, and to
    `hear_anything` when it is not known what they told.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.tell_others: Callable[[str], None] = lambda _: None
        self._listeners: defaultdict[str, list[tuple[str, Listener]]] = defaultdict(list)

    def listen(self, match_id: str, account_id: str) -> Listener:
        """Adds a listener; to be given to `leave` when its stream ends."""
        listener = Listener()
        with self._lock:
            own = [other for account, other in self._listeners[match_id] if account == account_id]
            self._listeners[match_id].append((account_id, listener))
        if len(own) >= MAX_LISTENERS:
            own[0].stop()
            self.leave(match_id, own[0])
        return listener

    def leave(self, match_id: str, listener: Listener) -> None:
        """Forgets a listener."""
        with self._lock:
            others = [pair for pair in self._listeners.get(match_id, ()) if pair[1] is not listener]
            if others:
                self._listeners[match_id] = others
            else:
                self._listeners.pop(match_id, None)

    def count(self) -> int:
        """How many listen."""
        with self._lock:
            return sum(len(pairs) for pairs in self._listeners.values())

    def count_of(self, account_id: str) -> int:
        """How many of them are that account's."""
        with self._lock:
            return sum(account == account_id for pairs in self._listeners.values() for account, _ in pairs)

    def publish(self, match_id: str) -> None:
        """Tells every listener of that match."""
        self._tell_match(match_id)
        self.tell_others(f"{_MATCH} {match_id}")

    def wake(self, account_id: str) -> None:
        """Tells every listener of that account, so that each stream looks whether its login still holds."""
        self._tell_account(account_id)
        self.tell_others(f"{_ACCOUNT} {account_id}")

    def hear(self, told: str) -> None:
        """What another process has told its listeners, ours are told too."""
        kind, _, name = told.partition(" ")
        if kind == _MATCH:
            self._tell_match(name)
        elif kind == _ACCOUNT:
            self._tell_account(name)

    def _tell_match(self, match_id: str) -> None:
        with self._lock:
            listeners = [listener for _, listener in self._listeners.get(match_id, ())]
        for listener in listeners:
            listener.tell()

    def _tell_account(self, account_id: str) -> None:
        with self._lock:
            pairs = [pair for pairs in self._listeners.values() for pair in pairs]
        for account, listener in pairs:
            if account == account_id:
                listener.tell()

    def hear_anything(self) -> None:
        """Tells every listener of this process."""
        with self._lock:
            listeners = [listener for pairs in self._listeners.values() for _, listener in pairs]
        for listener in listeners:
            listener.tell()

    def close(self) -> None:
        """Stops every stream, so that the service can end."""
        with self._lock:
            listeners = [listener for pairs in self._listeners.values() for _, listener in pairs]
        for listener in listeners:
            listener.stop()
