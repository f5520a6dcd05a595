"""How full the disks are: a service whose disk is full stops dealing, so somebody should know before."""

import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Final

log = logging.getLogger("fairdeal.disks")

LOOK_SECONDS: Final = 15.0
"""Between two looks: the alarm stands far above what is written in that time."""


class Disks:
    """The file systems of some directories, by what is kept there. The alarm is for less than `least` free bytes."""

    def __init__(self, kept: Mapping[str, Path], least: int) -> None:
        self._kept = kept
        self._least = least
        self._lock = Lock()
        self._short: frozenset[str] = frozenset()

    def free(self) -> Mapping[str, int]:
        """The bytes that are free for each; one whose file system does not answer is left out."""
        found = {}
        for name, path in self._kept.items():
            try:
                found[name] = shutil.disk_usage(path).free
            except OSError:
                log.exception("a disk does not answer", extra={"disk": name})
        return found

    def short(self) -> tuple[str, ...]:
        """What has too little room left. Logs what was not so at the last look."""
        free = self.free()
        short = frozenset(name for name in self._kept if free.get(name, 0) < self._least)
        with self._lock:
            new, self._short = short - self._short, short
        for name in sorted(new):
            log.error("disk nearly full", extra={"disk": name, "free": free.get(name), "least": self._least})
        return tuple(sorted(short))
