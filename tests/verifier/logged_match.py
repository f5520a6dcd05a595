"""A match in the log of all matches, and what a verifier reports of it; for the tests of its log part."""

from collections.abc import Callable
from typing import Any

from fairdeal_verifier import Policy, Report, verify
from tests.verifier.logged import WITNESSES, LoggedServer, policy
from tests.verifier.reports import Told, told

Change = Callable[[LoggedServer], int | None]
"""Plants a fault and returns the place where it must be seen."""

PLAIN = policy()
WITNESSED = policy(witnesses=WITNESSES, quorum="enough", more="group enough 2 w1.example w2.example w3.example")
OPERATOR_ALONE = ("unchecked", None, "no_anchor", None)
VERIFIED = ("verified", None, None, None)


def played(seed: int = 3, **terms: Any) -> LoggedServer:
    """A duel to its end, a few dozen events."""
    server = LoggedServer(seed, **({"target": 50} | terms))
    server.begin().steps(1_000_000)
    return server


def running(acts: int = 9) -> LoggedServer:
    return LoggedServer(5).begin().steps(acts)


def report_of(server: LoggedServer, trusted: Policy | None = PLAIN, held: int | None = None, **part: Any) -> Report:
    match = server.match.copy()
    match.log_part |= part
    return verify(match.bundle(), trusted, None if held is None else match.held_file(held))


def found(server: LoggedServer, trusted: Policy | None = PLAIN, held: int | None = None, **part: Any) -> Told:
    return told(report_of(server, trusted, held, **part))


def damaged(note: str, line: int = -1) -> str:
    """With another signature in a line."""
    lines = note.splitlines(keepends=True)
    at = len(lines[line]) - 9
    lines[line] = lines[line][:at] + ("A" if lines[line][at] != "A" else "B") + lines[line][at + 1 :]
    return "".join(lines)


def body(note: str) -> str:
    return note.partition("\n\n")[0] + "\n"


FALSE = {"root": "11" * 32}
