"""The call being answered: its id, for every line and answer that belongs to it, and what became of it."""

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import Final


@dataclass(slots=True)
class Call:
    """One call. `code` is that of the problem it is answered with; None while there is none."""

    request_id: str
    code: str | None = None


CURRENT: Final[ContextVar[Call | None]] = ContextVar("fairdeal_call", default=None)
"""Set by the door. A thread that works for a call sees the call's own."""


def call_ids(process: str) -> Iterator[str]:
    """Ids that tell the calls of all processes apart, each with a name of its own; nothing depends on nobody guessing
    them.
    """
    return (f"{process}{number:08x}" for number in count())
