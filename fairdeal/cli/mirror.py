"""A directory of plain files with everything that an auditor reads, fetched from the service: the files of protocol
section 7.6, and what the service tells an auditor besides, the records of all matches and the significant events.

Nothing is judged here: that is `fairdeal-verify audit`, which reads the files of the protocol alone. `checkpoint` is
asked for first and written last, so that the rest of the directory is never behind it; other files are written whole or
not at all, and what never changes is fetched once. A mirror can therefore be broken off anywhere and gone on with.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from fairdeal import canonical
from fairdeal.app.audit import PAGE_LINES
from fairdeal.app.tables import RULESETS
from fairdeal.client import Api, ApiError, every
from fairdeal.errors import Inconsistent, Malformed, Refused
from fairdeal.match import parse_leaf
from fairdeal.tlog import Checkpoint, EntryBundle, Note, entry_bundles, parse_entries, tiles
from fairdeal.tlog.tiles import TILE_WIDTH

_CHECKPOINT: Final = "checkpoint"
_OTHER: Final = "checkpoint.other"
"""What contradicts the checkpoint of a directory is kept beside it: the two are evidence."""
_PARTIAL: Final = ".partial"
"""The one file being written; a mirror that was killed leaves it, and the next one writes over it."""
_NOT_FOUND: Final = 404


@dataclass(slots=True)
class Mirrored:
    """What a directory holds once it is whole, and what was done for it. `missing` are paths that the service lacks."""

    checkpoint: Checkpoint
    fetched: int = 0
    fetched_bytes: int = 0
    kept: int = 0
    closed: int = 0
    unclosed: int = 0
    missing: tuple[str, ...] = ()


def mirror(api: Api, folder: Path, tell: Callable[[Mirrored, str], None]) -> Mirrored:
    """Brings `folder`, which is made if need be, up to the service's checkpoint. `tell` hears of every file fetched,
    and of every line of those that are told in pages.

    Raises ApiError, Unreachable; Inconsistent when the service's checkpoint cannot follow the directory's own,
    Malformed for a log that cannot be read, Refused while another mirror writes there.
    """
    if not folder.exists():
        _parse(api.log_file(_CHECKPOINT))  # what cannot be begun leaves no directory
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        text = api.log_file(_CHECKPOINT)
        checkpoint = _parse(text)
        run = _Run(api, folder, tell, Mirrored(checkpoint), _follow(folder, checkpoint, text))
        for pages in ("ledger", "seats"):
            run.pages(pages)
        for tile in tiles(checkpoint.size):
            run.once(tile.path)
        for bundle in entry_bundles(checkpoint.size):
            run.once(bundle.path)
        run.archive()
        run.matches()
        run.anew("keys.jsonl", lambda data: _keys_under(data, checkpoint.size))
        for path in ("policy", *(f"rules/{game}.md" for game in RULESETS)):
            run.anew(path)
        run.told("records.jsonl", api.match_records, "matches")
        run.told("significant_events.jsonl", api.significant_events, "events")
        _write(folder, _CHECKPOINT, [text])
        return run.made


class _Run:
    """One mirroring. `before` is the number of leaves of which the directory has everything already."""

    def __init__(
        self, api: Api, folder: Path, tell: Callable[[Mirrored, str], None], made: Mirrored, before: int
    ) -> None:
        self._api = api
        self._folder = folder
        self._tell = tell
        self._before = before
        self.made = made

    def once(self, path: str) -> None:
        """A file that never changes."""
        if (self._folder / path).exists():
            self.made.kept += 1
        else:
            self.anew(path)

    def anew(self, path: str, cut: Callable[[bytes], bytes] = bytes) -> bytes:
        """A file as it is now, as far as `cut` keeps it; empty, and not written, when the service has none."""
        try:
            data = cut(self._api.log_file(path))
        except ApiError as error:
            if error.status != _NOT_FOUND:
                raise
            self.made.missing += (path,)
            return b""
        _write(self._folder, path, [data])
        self.made.fetched += 1
        self.made.fetched_bytes += len(data)
        self._tell(self.made, path)
        return data

    def pages(self, name: str) -> None:
        """Pages, of which the last one is not full."""
        for number in count():
            path, following = f"{name}/{number}.jsonl", f"{name}/{number + 1}.jsonl"
            # A page is followed by another only when it is full.
            full = (self._folder / path).exists() and (
                (self._folder / following).exists() or _lines(self._folder / path) == PAGE_LINES
            )
            self.made.kept += full
            if not full and self.anew(path).count(b"\n") < PAGE_LINES:
                return

    def told(self, path: str, ask: Callable[[str | None], Mapping[str, Any]], member: str) -> None:
        """What the service tells in pages, as it stands now: the cj1 of each on a line, the newest first."""
        _write(self._folder, path, self._spelled(path, every(ask, member)))
        self.made.fetched += 1

    def _spelled(self, path: str, told: Iterator[Any]) -> Iterator[bytes]:
        for one in told:
            line = canonical.encode(one) + b"\n"
            self.made.fetched_bytes += len(line)
            self._tell(self.made, path)
            yield line

    def archive(self) -> None:
        """Every checkpoint that was kept, up to the one that the directory is made for."""
        since = 0
        while sizes := self._api.checkpoint_sizes(since):
            for size in sizes:
                if size > self.made.checkpoint.size:
                    return
                self.once(f"checkpoints/{size}")
            since = sizes[-1]

    def matches(self) -> None:
        """The transcripts, from the last leaf to the first: of the matches, only those met at their `close` and not yet
        at their `open` have to be remembered.
        """
        closed = set()
        for index, leaf in self._leaves():
            m, path = leaf.get("m"), f"matches/{leaf.get('m')}.jsonl"
            if leaf["type"] == "close":
                closed.add(m)
                self.made.closed += 1
                self._closed(path, leaf["size"], index)
            elif leaf["type"] == "open" and m in closed:
                closed.remove(m)
            elif leaf["type"] == "open":
                self.made.unclosed += 1
                if (self._folder / path).exists():
                    self.made.kept += 1
                else:
                    # The match may have closed since the checkpoint.
                    self.anew(path, _first_line)

    def _closed(self, path: str, size: int, index: int) -> None:
        """A whole transcript; before the match had closed there may have been event 0 alone in its place."""
        here = self._folder / path
        if here.exists() and (index < self._before or _lines(here) == size):
            self.made.kept += 1
        else:
            self.anew(path)

    def _leaves(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The leaves of the directory's log, the last one first; what is none is for the audit to see."""
        size = self.made.checkpoint.size
        for number in reversed(range(-(-size // TILE_WIDTH))):
            bundle = EntryBundle(number, min(TILE_WIDTH, size - number * TILE_WIDTH))
            here = self._folder / bundle.path
            entries = parse_entries(here.read_bytes(), bundle.width) if here.exists() else ()
            for place, entry in reversed(tuple(enumerate(entries))):
                with suppress(Malformed):
                    yield number * TILE_WIDTH + place, parse_leaf(entry)


def _keys_under(data: bytes, size: int) -> bytes:
    """The key history without what came after the checkpoint; what is none is for the audit to see."""
    try:
        return b"".join(line for line in data.splitlines(keepends=True) if json.loads(line)["from"] <= size)
    except (ValueError, TypeError, KeyError, RecursionError):
        return data


def _first_line(data: bytes) -> bytes:
    first, end, _ = data.partition(b"\n")
    return first + end


def _follow(folder: Path, checkpoint: Checkpoint, text: bytes) -> int:
    """The size of the directory's own checkpoint, 0 without one. Raises Inconsistent when this one cannot follow it."""
    here = folder / _CHECKPOINT
    if not here.exists():
        return 0
    own = _parse(here.read_bytes())
    if own.origin != checkpoint.origin:
        raise Inconsistent(f"{folder} is of the log {own.origin}, the service's is {checkpoint.origin}")
    if checkpoint.size < own.size or (checkpoint.size == own.size and checkpoint.root != own.root):
        _write(folder, _OTHER, [text])
        raise Inconsistent(
            f"the service's checkpoint, of {checkpoint.size} leaves, cannot follow the one of {own.size} in {folder};"
            f" it is kept there as {_OTHER}"
        )
    return own.size


def _parse(text: bytes) -> Checkpoint:
    try:
        return Checkpoint.parse(Note.parse(text.decode()).text)
    except UnicodeDecodeError:
        raise Malformed("a checkpoint is text") from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"another export writes into {folder}") from None
        yield
    finally:
        os.close(lock)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))


def _write(folder: Path, path: str, data: Iterable[bytes]) -> None:
    """Whole or not at all, also when the power goes: a file that is there is never looked at again."""
    partial, here = folder / _PARTIAL, folder / path
    with partial.open("wb") as file:
        file.writelines(data)
        file.flush()
        os.fsync(file.fileno())
    here.parent.mkdir(parents=True, exist_ok=True)
    partial.replace(here)
