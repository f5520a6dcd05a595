"""The auditor's own notes of which matches were replayed, so that an interrupted audit goes on (`--state`)."""

import json
import os
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from fairdeal_verifier.audit.courses import Course
from fairdeal_verifier.audit.facts import Facts, facts_of_notes
from fairdeal_verifier.errors import WrongUsage
from fairdeal_verifier.report import Signatures

FORMAT = "fairdeal/audit-state@1"
MAX_STATE_BYTES = 1 << 30
"""A million matches."""


def course_key(origin: str, course: Course, signatures: Signatures) -> str:
    """Names a match with all its leaves and their places, and how it is replayed."""
    return sha256(f"{FORMAT} {origin} {signatures} {course!r}".encode()).hexdigest()


class State:
    """One JSON line a match, appended as soon as it was replayed; a line that was cut off is forgotten."""

    def __init__(self, path: Path) -> None:
        """Reads what is there; raises WrongUsage."""
        self.known: dict[str, Facts] = {}
        try:
            data = path.read_bytes() if path.exists() else b""
            if len(data) > MAX_STATE_BYTES:
                raise WrongUsage("state", path)
            whole = data[: data.rfind(b"\n") + 1]
            for line in whole.splitlines():
                value = json.loads(line)
                key = value.pop("key")
                self.known[key] = facts_of_notes(value)
            self._file: BinaryIO = path.open("ab")
            self._file.truncate(len(whole))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise WrongUsage("state", path) from None

    def keep(self, replayed: list[tuple[str, Facts]]) -> None:
        """Appends, and waits until it is on the disk."""
        lines = (json.dumps({"key": key, **asdict(facts)}, separators=(",", ":")) + "\n" for key, facts in replayed)
        self._file.write("".join(lines).encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Nothing more is kept."""
        self._file.close()
