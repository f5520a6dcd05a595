"""The policy: which receipt keys a player trusts, as C2SP tlog-policy text (protocol section 5.3).

It comes from somewhere else than the service's own answers, or it says nothing.
"""

from typing import Final

from fairdeal.errors import Malformed
from fairdeal.tlog import VerifierKey

_QUORUM: Final = "quorum none"


def format_policy(keys: tuple[VerifierKey, ...]) -> str:
    """The policy text that lists these keys."""
    return "".join(f"log {key.format()}\n" for key in keys) + f"{_QUORUM}\n"


def parse_policy(text: str) -> tuple[VerifierKey, ...]:
    """The keys of a policy text, at least one. Raises Malformed, KeyRefused."""
    if not text.endswith("\n"):
        raise Malformed("a policy's last line ends in LF")
    lines = [line for line in text[:-1].split("\n") if line and not line.startswith("#")]
    logs = [line.removeprefix("log ") for line in lines if line.startswith("log ")]
    if not logs or lines.count(_QUORUM) != 1 or len(lines) != len(logs) + 1:
        raise Malformed("a policy is `log <key>` lines and one `quorum none`")
    return tuple(VerifierKey.parse(log) for log in logs)
