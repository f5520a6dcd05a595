"""The auditor of a service: what is taken away from it, and what the verifier says of that."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tests.cli.command import run
from tests.durability.process import Service

AUDITOR: Final = "auditor-token-of-the-tests"


def export(service: Service, folder: Path) -> str:
    done = run("audit", "export", folder, "--url", service.url, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def audit(where: Path | str, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "fairdeal_verifier", "audit", "--json", str(where), *map(str, arguments)]
    done = subprocess.run(command, env={"FAIRDEAL_AUDITOR_TOKEN": AUDITOR}, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, report
