"""Group commit: while one transaction goes to the disk, whoever comes waits, and the next one is for all of them."""

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Final, Generic, TypeVar

from fairdeal.errors import StoreBusy, StoreFailed

_MOST: Final = 64
"""Jobs in one transaction: enough for the disk not to count any more, few enough for the first one not to wait long."""

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


class _Waiting(Generic[Job, Outcome]):
    __slots__ = ("alone", "called", "error", "job", "outcome", "over")

    def __init__(self, job: Job) -> None:
        self.job = job
        # Taken until there is an outcome, or until it is to do the work. A lock for all would be won by whoever comes,
        # and who is done with would wait for one transaction of others after another.
        self.called = Lock()
        self.called.acquire()
        self.over = False
        self.alone = False
        """Whether it is over for those who did it together, with nothing done of it."""
        self.outcome: Outcome | None = None
        self.error: Exception | None = None


class Batches(Generic[Job, Outcome]):
    """Does jobs for callers in many threads, together. There is no thread of its own and no delay: a caller who comes
    alone does its own job at once, and of those who had to wait one does the work of all.

    `together` does jobs in one transaction, all of them, with an outcome for each, or none and raises; StoreBusy soon
    when it would have to wait for somebody, since everybody else waits for it. What it does not do `alone` does, of one
    caller in his own thread.
    """

    def __init__(self, together: Callable[[Sequence[Job]], Sequence[Outcome]], alone: Callable[[Job], Outcome]) -> None:
        self._together = together
        self._alone = alone
        self._queue: deque[_Waiting[Job, Outcome]] = deque()
        self._lock = Lock()
        self._working = False
        """Whether somebody does the work, or was called to: as long as anybody is in the queue."""

    def do(self, job: Job) -> Outcome:
        """The job's outcome, when it is committed. Raises what `alone` does for it; StoreFailed when a transaction it
        was in may or may not have been committed.
        """
        mine: _Waiting[Job, Outcome] = _Waiting(job)
        with self._lock:
            self._queue.append(mine)
            somebody_works, self._working = self._working, True
        if somebody_works:
            mine.called.acquire()
        if not mine.over:
            self._work()
        if mine.alone:
            return self._alone(mine.job)
        if mine.error is not None:
            raise mine.error
        return mine.outcome  # type: ignore[return-value]  # there is one when there is no error

    def _work(self) -> None:
        """Does the first jobs of the queue, the caller's before all others, and calls whoever comes after them."""
        with self._lock:
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), _MOST))]
        try:
            self._run(batch)
        finally:
            with self._lock:
                following = self._queue[0] if self._queue else None
                self._working = following is not None
            if following is not None:
                following.called.release()
            for one in batch[1:]:
                one.called.release()

    def _run(self, batch: Sequence[_Waiting[Job, Outcome]]) -> None:
        try:
            outcomes = self._together([one.job for one in batch])
            for one, outcome in zip(batch, outcomes, strict=True):
                one.outcome = outcome
        except Exception as error:
            unknown = isinstance(error, StoreFailed) and not isinstance(error, StoreBusy)
            for one in batch:
                if unknown:
                    one.error = StoreFailed(str(error))
                    one.error.__cause__ = error
                else:
                    # Nothing was committed: one of them was refused or has to wait, which is nothing to the others.
                    one.alone = True
        except BaseException:
            for one in batch:
                one.error = StoreFailed("whoever wrote it was interrupted")
            raise
        finally:
            for one in batch:
                one.over = True
