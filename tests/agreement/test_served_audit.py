"""A real service and the auditor's verifier, which share no code: what was played is exported, and audited both ways."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from fairdeal.cli.operator import log_policy
from fairdeal.client import Api
from tests.cli.test_commands import run
from tests.durability.duel import play_both, programs, seated
from tests.durability.process import Service

AUDITOR: Final = "auditor-token-of-the-tests"


@dataclass(frozen=True)
class Evening:
    """A service with one match played out, one table called off and one that waits, and what an auditor took away."""

    service: Service
    folder: Path
    policy: Path
    played: str
    called_off: str
    waiting: str


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    home = tmp_path_factory.mktemp("evening")
    with Service(home / "service", auditor_token=AUDITOR) as service:
        both = programs(service)
        played = seated(both)
        play_both(both, played)
        called_off, waiting = both[0].open(), both[0].open()
        session = {"Authorization": f"Bearer {both[0].session}"}
        httpx2.post(f"{service.url}/v1/tables/{called_off}/cancel", headers=session).raise_for_status()
        with Api(service.url) as api:
            for m, leaf in ((played, "close"), (called_off, "close"), (waiting, "open")):
                api.log(m, 0, leaf)
        (home / "policy.txt").write_text(log_policy(service.keys))
        export(service, home / "directory")
        yield Evening(service, home / "directory", home / "policy.txt", played, called_off, waiting)


def export(service: Service, folder: Path) -> str:
    done = run("audit", "export", folder, "--url", service.url, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def audit(where: Path | str, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, "-m", "fairdeal_verifier", "audit", "--json", str(where), *map(str, arguments)]
    done = subprocess.run(command, env={"FAIRDEAL_AUDITOR_TOKEN": AUDITOR}, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, report


def test_the_directory_and_the_service_give_one_report(evening: Evening) -> None:
    of_files = audit(evening.folder, "--policy", evening.policy)
    of_service = audit(f"{evening.service.url}/log", "--policy", evening.policy)
    print(json.dumps(of_files[1], indent=1))
    print(json.dumps(of_service[1], indent=1))
    assert of_files == of_service
