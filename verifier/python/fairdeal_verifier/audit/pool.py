"""Transcripts read and replayed by worker processes, in batches; the order in which they come back is anybody's."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice

from fairdeal_verifier.audit.courses import Course
from fairdeal_verifier.audit.facts import Facts
from fairdeal_verifier.audit.replay import read_match
from fairdeal_verifier.audit.source import Source
from fairdeal_verifier.errors import FileFault
from fairdeal_verifier.report import Signatures

BATCH = 16
"""Matches a process takes at a time: little talk between processes, and little lost when an audit is interrupted."""
WAITING = 3
"""Batches for each process, so that none is idle."""

Result = tuple[Course, Facts | FileFault]


def read_batch(source: Source, batch: Sequence[Course], origin: str, signatures: Signatures) -> list[Result]:
    """In a worker process. Raises NotFetched."""
    return [(course, read_match(source, course, origin, signatures)) for course in batch]


def read_all(
    source: Source, courses: Sequence[Course], origin: str, signatures: Signatures, jobs: int
) -> Iterator[list[Result]]:
    """Every match, a batch at a time; raises NotFetched."""
    rest = iter(courses)
    batches = iter(lambda: list(islice(rest, BATCH)), [])
    if jobs == 1 or len(courses) <= BATCH:
        for batch in batches:
            yield read_batch(source, batch, origin, signatures)
        return
    with ProcessPoolExecutor(jobs) as pool:
        running: set[Future[list[Result]]] = set()
        try:
            for batch in batches:
                running.add(pool.submit(read_batch, source, batch, origin, signatures))
                if len(running) >= jobs * WAITING:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(cancel_futures=True)


class Progress:
    """Tells how far an audit is, at most once in so many seconds."""

    EVERY_S = 2.0

    def __init__(self, tell: Callable[[int, int], None], total: int) -> None:
        self._tell = tell
        self._total = total
        self._done = 0
        self._next = time.monotonic() + self.EVERY_S

    def add(self, count: int) -> None:
        """So many more are done."""
        self._done += count
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self.EVERY_S
            self._tell(self._done, self._total)
