"""Looking at something again and again, in a thread of its own."""

import logging
from collections.abc import Callable
from threading import Event, Thread


class Loop:
    """Calls `look`, and again `seconds` after each call has ended, until it is stopped.

    What a look raises is logged with `complaint`, of a row of failures of one kind the first alone, and the next look
    comes all the same.
    """

    def __init__(
        self, name: str, look: Callable[[], None], seconds: float, log: logging.Logger, complaint: str
    ) -> None:
        self._look = look
        self._seconds = seconds
        self._log = log
        self._complaint = complaint
        self._stopping = Event()
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self.failing: type[Exception] | None = None
        """What the last look failed by; a look that lasts may say itself that it goes well."""

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, and waits for it; a look in the middle of a `pause` ends there."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        """One look, by whoever calls this."""
        try:
            self._look()
            self.failing = None
        except _Stopped:
            pass
        except Exception as error:
            if type(error) is not self.failing:
                self._log.exception(self._complaint)
            self.failing = type(error)

    def pause(self, seconds: float) -> None:
        """For a look to call: waits, or ends the look when the loop is stopped."""
        if self._stopping.wait(seconds):
            raise _Stopped

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.look()
            self._stopping.wait(self._seconds)


class _Stopped(Exception):
    pass
