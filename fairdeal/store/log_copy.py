"""The log outside of the database: what a database that was put back is held against (protocol section 7.5).

`leaves.jsonl` has every leaf on a line, `checkpoint` the newest one that was published, `heartbeat` the last one in ms.
Leaves are there before the checkpoint that covers them, a heartbeat after the database's own. The processes of one
machine have one copy, and take turns by a lock on the file `lock`.
"""

import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from fairdeal.errors import StoreFailed

_LEAVES: Final = "leaves.jsonl"
_CHECKPOINT: Final = "checkpoint"
_BEAT: Final = "heartbeat"
_LOCK: Final = "lock"
_LOCK_SECONDS: Final = 4.0
"""Less than the sequencer's patience; a turn takes some ms."""
_LOCK_PAUSE: Final = 0.005


class LogCopy:
    """`app.log_ports.LogCopy` in a directory, which is made if need be. Raises StoreFailed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._leaves = directory / _LEAVES
        with _our_errors():
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._leaves, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
            self._size = self._end = 0
            self._look()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with _our_errors():
            lock = os.open(self._directory / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            _take(lock)
            with _our_errors():
                self._look()
            yield
        finally:
            os.close(lock)

    @property
    def place(self) -> str:
        return str(self._directory)

    @property
    def size(self) -> int:
        return self._size

    def checkpoint(self) -> str | None:
        try:
            return (self._directory / _CHECKPOINT).read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreFailed(f"the log's copy cannot be read: {error}") from error

    def leaves(self, start: int, end: int) -> Iterator[bytes]:
        with _our_errors(), self._leaves.open("rb") as file:
            for line in islice(file, start, min(end, self._size)):
                yield line.removesuffix(b"\n")

    def append(self, leaves: Sequence[bytes]) -> None:
        data = b"".join(leaf + b"\n" for leaf in leaves)
        with _our_errors(), self._leaves.open("r+b") as file:
            file.truncate(self._end)
            file.seek(self._end)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self._size, self._end = self._size + len(leaves), self._end + len(data)

    def cut(self, size: int) -> None:
        kept = sum(len(leaf) + 1 for leaf in self.leaves(0, size))
        with _our_errors(), self._leaves.open("r+b") as file:
            file.truncate(kept)
            os.fsync(file.fileno())
        self._size, self._end = min(size, self._size), kept

    def keep(self, note: str) -> None:
        aside = self._directory / f"{_CHECKPOINT}.new"
        with _our_errors():
            with aside.open("wb") as file:
                file.write(note.encode())
                file.flush()
                os.fsync(file.fileno())
            aside.replace(self._directory / _CHECKPOINT)
            directory = os.open(self._directory, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)

    def beat(self, now: int) -> None:
        # Not forced to the disk: a database that is put back is older than what a power cut loses.
        with _our_errors():
            aside = self._directory / f"{_BEAT}.{os.getpid()}"
            aside.write_text(f"{now}\n", "ascii")
            aside.replace(self._directory / _BEAT)

    def last_beat(self) -> int:
        with _our_errors():
            try:
                return int((self._directory / _BEAT).read_text("ascii"))
            except (FileNotFoundError, ValueError):  # a power cut may leave it empty
                return 0

    def _look(self) -> None:
        """Counts what was written since the last look."""
        with self._leaves.open("rb") as file:
            if file.seek(0, os.SEEK_END) < self._end:
                self._size = self._end = 0
            file.seek(self._end)
            for line in file:
                if line.endswith(b"\n"):  # a line that was cut off is written again
                    self._size, self._end = self._size + 1, self._end + len(line)


def _take(lock: int) -> None:
    """A process that stands still with the lock must not hold the others for ever. Raises StoreFailed."""
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise StoreFailed("another process does not give the log's copy free") from None
            time.sleep(_LOCK_PAUSE)


@contextmanager
def _our_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreFailed(f"the log's copy cannot be read or written: {error}") from error
