"""Who listens to which match, and what has happened that a listener should look at; what has grown is read from the
store.

A listener holds no queue, at most one answer that its stream has not taken, so that a slow one costs nothing and misses
nothing. One account has a bounded number of listeners at a match: one more, and its oldest is told to stop.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock
from typing import Final

from fairdeal.app.answer import Answer
from fairdeal.limits import MAX_SAFE_INTEGER

MAX_LISTENERS: Final = 4
"""Streams of one account on one match: two devices with a stale connection each."""

AS_IT_STANDS: Final = MAX_SAFE_INTEGER
"""More events than any match has: only the store can say how many."""
_MATCH: Final = "match"
_ACCOUNT: Final = "account"
_ANY: Final = "any"
_END: Final = "end"
_SIZE_DIGITS: Final = len(str(AS_IT_STANDS))
_LOOKED_OVER: Final = 8
"""Matches at a time of those that nothing was told of: what is told meanwhile waits for no more than these."""


class Listener:
    """One stream's ear: `size` is how much of the match it was handed. Made and awaited on an event loop; handed to
    from another thread.
    """

    def __init__(self, match_id: str, account_id: str, token: str, size: int, look: Callable[[str], None]) -> None:
        self.match_id = match_id
        self.account_id = account_id
        self.token = token
        self.size = size
        self._look = look
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._lock = Lock()
        self._handed: Answer | None = None
        self._behind = False
        self.stopped = False
        """Whether the stream is to end."""

    async def next(self, within_s: float) -> Answer | None:
        """What comes next; None when nothing does in this time, and when it is stopped."""
        # A timer costs a tenth of `asyncio.timeout`, and this is waited for twice a move.
        timer = self._loop.call_later(within_s, self._woken.set)
        try:
            await self._woken.wait()
        finally:
            timer.cancel()
        self._woken.clear()
        with self._lock:
            handed, self._handed = self._handed, None
            behind, self._behind = self._behind, False
        if behind:
            self._look(self.match_id)
        return None if self.stopped else handed

    def wants(self) -> bool:
        """Whether the last that it was handed is taken. If not it is looked at again when it is."""
        with self._lock:
            self._behind = self._handed is not None
            return not self._behind

    def hand(self, answer: Answer) -> None:
        """To be called after `wants`, by one thread."""
        with self._lock:
            self._handed, self.size = answer, answer.size
        self._wake()

    def stop(self) -> None:
        """Ends the stream."""
        self.stopped = True
        self._wake()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed, and the stream with it
            self._loop.call_soon_threadsafe(self._woken.set)


@dataclass(slots=True)
class News:
    """Of one match: how many events it was told to have at least, and who should look at it."""

    size: int = 0
    listeners: list[Listener] = field(default_factory=list)


class Hub:
    """The listeners of this process. Safe to call from several threads.

    What is told here is passed on to `tell_others`; what others tell comes to `hear`, and to `hear_anything` when it is
    not known what they told. `changed` gives it to the thread that looks.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.tell_others: Callable[[str], None] = lambda _: None
        self._listeners: defaultdict[str, list[Listener]] = defaultdict(list)
        self._of_account = Counter[str]()
        self._changed = SimpleQueue[tuple[str, str, int]]()
        self._to_look_over: list[str] = []
        self._closed = False

    def listen(self, match_id: str, account_id: str, token: str, size: int) -> Listener:
        """Adds a listener that knows so many events; to be given to `leave` when its stream ends."""
        listener = Listener(match_id, account_id, token, size, self._look)
        with self._lock:
            own = [other for other in self._listeners[match_id] if other.account_id == account_id]
            self._listeners[match_id].append(listener)
            self._of_account[account_id] += 1
            closed = self._closed
        if closed:
            listener.stop()
        if len(own) >= MAX_LISTENERS:
            own[0].stop()
            self.leave(own[0])
        # Something may have happened since it was told what it knows.
        self._look(match_id)
        return listener

    def leave(self, listener: Listener) -> None:
        """Forgets a listener."""
        with self._lock:
            listeners = self._listeners.get(listener.match_id, [])
            if listener not in listeners:
                return
            listeners.remove(listener)
            if not listeners:
                del self._listeners[listener.match_id]
            self._of_account[listener.account_id] -= 1
            if not self._of_account[listener.account_id]:
                del self._of_account[listener.account_id]

    def count(self) -> int:
        """How many listen."""
        with self._lock:
            return self._of_account.total()

    def count_of(self, account_id: str) -> int:
        """How many of them are that account's."""
        with self._lock:
            return self._of_account[account_id]

    def publish(self, match_id: str, size: int | None = None) -> None:
        """That match has grown to so many events; None for another change."""
        self._look(match_id, AS_IT_STANDS if size is None else size)
        self.tell_others(f"{_MATCH} {match_id}" if size is None else f"{_MATCH} {match_id} {size}")

    def wake(self, account_id: str) -> None:
        """A login of that account has ended."""
        self._changed.put((_ACCOUNT, account_id, AS_IT_STANDS))
        self.tell_others(f"{_ACCOUNT} {account_id}")

    def hear(self, told: str) -> None:
        """What another process has told."""
        kind, name, size = [*told.split(" "), "", ""][:3]
        if kind == _MATCH:
            told_size = size.isdecimal() and len(size) <= _SIZE_DIGITS
            self._look(name, int(size) if told_size else AS_IT_STANDS)
        elif kind == _ACCOUNT:
            self._changed.put((_ACCOUNT, name, AS_IT_STANDS))

    def hear_anything(self) -> None:
        """Anything may have happened."""
        self._changed.put((_ANY, "", AS_IT_STANDS))

    def changed(self) -> dict[str, News] | None:
        """Waits for something to happen: what to look at, by match. None after `end`."""
        told = [] if self._to_look_over else [self._changed.get()]
        while not self._changed.empty():
            told.append(self._changed.get())
        kinds = {kind for kind, _, _ in told}
        if _END in kinds:
            return None
        if _ANY in kinds:
            with self._lock:
                # Those of the time before first, or the last ones would never have their turn.
                self._to_look_over = list(dict.fromkeys([*self._to_look_over, *self._listeners]))
        found: defaultdict[str, News] = defaultdict(News)
        for kind, name, size in [*told, *self._some_to_look_over()]:
            for listener in self._concerned(kind, name):
                news = found[listener.match_id]
                news.size = max(news.size, size)
                if listener not in news.listeners:
                    news.listeners.append(listener)
        return found

    def end(self) -> None:
        """Nobody looks any more."""
        self._changed.put((_END, "", 0))

    def close(self) -> None:
        """Stops every stream, so that the service can end."""
        with self._lock:
            self._closed = True
        for listener in self._all():
            listener.stop()

    def _some_to_look_over(self) -> list[tuple[str, str, int]]:
        some, self._to_look_over = self._to_look_over[:_LOOKED_OVER], self._to_look_over[_LOOKED_OVER:]
        return [(_MATCH, match_id, AS_IT_STANDS) for match_id in some]

    def _look(self, match_id: str, size: int = AS_IT_STANDS) -> None:
        if match_id in self._listeners:
            self._changed.put((_MATCH, match_id, size))

    def _concerned(self, kind: str, name: str) -> Iterable[Listener]:
        if kind == _MATCH:
            with self._lock:
                return tuple(self._listeners.get(name, ()))
        return (listener for listener in self._all() if kind == _ACCOUNT and listener.account_id == name)

    def _all(self) -> list[Listener]:
        with self._lock:
            return [listener for listeners in self._listeners.values() for listener in listeners]
