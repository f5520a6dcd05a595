"""What both verifiers are given, and that they give the same report of it."""

import json
import re
import subprocess
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from fairdeal_verifier import Policy, verify
from fairdeal_verifier.errors import WrongUsage
from fairdeal_verifier.report import Signatures
from fairdeal_verifier.sentences import sentence
from tests.verifier.javascript import ROOT, node

WRONG_USAGE = 2


@dataclass(frozen=True, slots=True)
class Case:
    """What both verifiers are given."""

    what: str
    bundle: bytes
    policy: bytes | None
    held: bytes | None
    signatures: Signatures = "all"

    def as_line(self) -> str:
        files = {name: getattr(self, name) for name in ("bundle", "policy", "held")}
        texts = {name: None if data is None else b64encode(data).decode() for name, data in files.items()}
        return json.dumps({**texts, "signatures": self.signatures})


def by_python(case: Case) -> tuple[int, dict[str, Any] | None]:
    try:
        policy = None if case.policy is None else Policy.parse(case.policy)
        report = verify(case.bundle, policy, case.held, signatures=case.signatures)
    except WrongUsage:
        return WRONG_USAGE, None
    return report.exit_code, json.loads(json.dumps(report.as_json(sentence(report, "en"))))


def told_in_numbers(report: dict[str, Any] | None) -> dict[str, Any] | None:
    """The report with the numbers of its sentence in the sentence's place."""
    if report is None:
        return None
    verdict, _, rest = report["sentence"].partition(": ")
    return report | {"sentence": [verdict, *re.findall(r"\d+", rest)]}


def check_agreement(cases: list[Case]) -> None:
    """One node process for all of them, at work while this one is."""
    command = [node(), ROOT / "test" / "batch.mjs"]
    lines = "".join(f"{case.as_line()}\n" for case in cases)
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
        ThreadPoolExecutor(1) as other,
    ):
        answer = other.submit(process.communicate, lines)
        told = [(code, told_in_numbers(report)) for code, report in map(by_python, cases)]
        out, _ = answer.result()
    assert process.returncode == 0
    for case, ours, line in zip(cases, told, out.splitlines(), strict=True):
        code, report = json.loads(line)
        assert (code, told_in_numbers(report)) == ours, case.what
