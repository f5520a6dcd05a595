"""An audit of a log in a folder, with the policy and at the time that these tests audit with."""

from pathlib import Path
from typing import Any

from fairdeal_verifier import Policy
from fairdeal_verifier.audit.report import verdict_of
from fairdeal_verifier.audit.run import Outcome, Wishes, audit
from fairdeal_verifier.audit.source import Directory
from fairdeal_verifier.notes import Checkpoint
from tests.verifier.builder import BEGINNING
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, Log, policy_text

POLICY = policy_text()
BOTH = policy_text((LOG_KEY, NEXT_LOG_KEY))
"""With the log's next key too."""
NOW = BEGINNING + 10 * 86_400_000


def look(folder: Path, policy: str | None = POLICY, **wishes: Any) -> Outcome:
    listed = None if policy is None else Policy.parse(policy.encode())
    return audit(Directory(folder), Wishes(listed, NOW, **wishes))


def verdict(folder: Path, policy: str | None = POLICY, **wishes: Any) -> tuple[str, str | None]:
    listed = None if policy is None else Policy.parse(policy.encode())
    wished = Wishes(listed, NOW, **wishes)
    return verdict_of(audit(Directory(folder), wished), wished)


def note(log: Log, size: int | None = None, **changed: Any) -> Checkpoint:
    return Checkpoint.parse(log.checkpoint(size, **changed))
