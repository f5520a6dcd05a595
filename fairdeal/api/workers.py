"""Several processes that serve on one listening socket, and the one above them that starts them again."""

import logging
import os
import select
import signal
import sys
import time
from dataclasses import dataclass
from threading import Thread
from types import FrameType
from typing import Final

log = logging.getLogger("fairdeal.main")

_AGAIN_SECONDS: Final = 1.0
"""Before a worker that ended by itself is started again, so that one that cannot start does not take a whole core."""
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Worker:
    """One process that serves. `ready` is where it says that it does, if there is somebody above it."""

    number: int
    ready: int | None = None

    def tell_ready(self) -> None:
        """To be called once callers are answered."""
        if self.ready is not None:
            os.write(self.ready, b"\n")


def supervise(count: int) -> Worker:
    """Returns in each of `count` processes, which it makes by forking, and never in the one that called it: that keeps
    them running until it is told to stop, and then ends with exit code 0.

    The first worker must come to serve before there are others; it ends by itself otherwise, and everything with it.
    A worker is told to stop when the process above it is gone.
    """
    return _Supervisor(count).run()


class _Supervisor:
    def __init__(self, count: int) -> None:
        self._count = count
        self._alive_read, self._alive_write = os.pipe()
        self._ready_read, self._ready_write = os.pipe()
        self._numbers: dict[int, int] = {}
        self._stopping = False

    def run(self) -> Worker:
        for one in _SIGNALS:
            signal.signal(one, self._stop)
        waiting = list(range(self._count))
        served = False
        while True:
            if not self._stopping and waiting and (served or not self._numbers):
                worker = self._fork(waiting.pop(0))
                if worker is not None:
                    return worker
            readable, _, _ = select.select([self._ready_read], [], [], 0.05)
            if readable:
                served = bool(os.read(self._ready_read, self._count))
            ended = self._ended()
            for number, status in () if self._stopping else ended:
                if not served:
                    sys.exit(max(1, os.waitstatus_to_exitcode(status)))
                log.error("a worker ended", extra={"worker": number, "status": os.waitstatus_to_exitcode(status)})
                waiting.append(number)
            if ended and not self._stopping:
                time.sleep(_AGAIN_SECONDS)  # once, however many have ended
            if self._stopping and not self._numbers:
                sys.exit(0)

    def _fork(self, number: int) -> Worker | None:
        """The worker, in its own process; None in this one."""
        # A signal in between would be answered by the parent's handler in the child.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            if self._stopping:
                return None
            pid = os.fork()
            if pid:
                self._numbers[pid] = number
                log.info("a worker starts", extra={"worker": number, "pid": pid})
                return None
            for one in _SIGNALS:
                signal.signal(one, signal.default_int_handler if one == signal.SIGINT else signal.SIG_DFL)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.close(self._alive_write)
        os.close(self._ready_read)
        Thread(target=self._outlive, name="supervisor", daemon=True).start()
        return Worker(number, self._ready_write)

    def _outlive(self) -> None:
        """In a worker: the pipe ends with the process above."""
        os.read(self._alive_read, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    def _ended(self) -> list[tuple[int, int]]:
        """(number, status) of the workers that have ended since the last look."""
        ended = []
        while self._numbers:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            ended.append((self._numbers.pop(pid), status))
        return ended

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._stopping = True
        for pid in self._numbers:
            os.kill(pid, signal.SIGTERM)
