"""The log outside of the database: what a database that was put back is held against (protocol section 7.5).

`leaves.jsonl` has every leaf on a line, `checkpoint` the newest one that was published, `heartbeat` the last one in ms.
Leaves are there before the checkpoint that covers them, a heartbeat after the database's own.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from fairdeal.errors import StoreFailed

_LEAVES: Final = "leaves.jsonl"
_CHECKPOINT: Final = "checkpoint"
_BEAT: Final = "heartbeat"


class LogCopy:
    """`app.log_ports.LogCopy` in a directory, which is made if need be. Raises StoreFailed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._leaves = directory / _LEAVES
        with _our_errors():
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._leaves, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
            self._size = self._end = 0
            with self._leaves.open("rb") as file:
                for line in file:
                    if line.endswith(b"\n"):  # a line that was cut off is written again
                        self._size, self._end = self._size + 1, self._end + len(line)
        self._note = self.checkpoint()

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
        self._check_alone()
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
        self._check_alone()
        aside = self._directory / f"{_CHECKPOINT}.new"
        with _our_errors():
            with aside.open("wb") as file:
                file.write(note.encode())
                file.flush()
                os.fsync(file.fileno())
            aside.replace(self._directory / _CHECKPOINT)
            self._note = note
            directory = os.open(self._directory, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)

    def _check_alone(self) -> None:
        """Two services with one copy, each with a database of its own, would publish two histories."""
        if self.checkpoint() != self._note:
            raise StoreFailed(
                "somebody else writes to the log's copy: another service runs with it, or it was exchanged"
            )

    def beat(self, now: int) -> None:
        # Not forced to the disk: a database that is put back is older than what a power cut loses.
        with _our_errors():
            aside = self._directory / f"{_BEAT}.new"
            aside.write_text(f"{now}\n", "ascii")
            aside.replace(self._directory / _BEAT)

    def last_beat(self) -> int:
        with _our_errors():
            try:
                return int((self._directory / _BEAT).read_text("ascii"))
            except (FileNotFoundError, ValueError):  # a power cut may leave it empty
                return 0


@contextmanager
def _our_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreFailed(f"the log's copy cannot be read or written: {error}") from error
