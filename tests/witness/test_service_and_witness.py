"""A service and a witness, each real: what players take away is cosigned, and a lost database is caught."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fairdeal.errors import LogBehind
from fairdeal.keyfiles import LOG_KEY, replace_key
from fairdeal.tlog import Policy
from tests.api.serving import served
from tests.api.table import Player, Service, ok, start_two
from tests.witness.process import WitnessProcess


def wait(for_what: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not for_what():
        assert time.monotonic() < until
        time.sleep(0.05)


def verdict(folder: Path, bundle: bytes, policy: str) -> int:
    (folder / "m.fairdeal").write_bytes(bundle)
    (folder / "policy.txt").write_text(policy)
    command = [sys.executable, "-m", "fairdeal_verifier", str(folder / "m.fairdeal")]
    done = subprocess.run([*command, "--policy", str(folder / "policy.txt")], capture_output=True, check=False)
    return done.returncode


def resign(player: Player) -> None:
    player.look()
    ok(player.send(player.sign({"resign": True})))


class Run:
    """The service with a witness that its policy asks for."""

    def __init__(self, folder: Path) -> None:
        self.service = Service(folder)
        self.log_policy = self.policy
        self.witness = WitnessProcess(folder / "witness", self.log_policy)
        self.folder = folder
        key = self.witness.start()
        lines = f"witness w {key.format()} {self.witness.url}\nquorum w\n"
        (folder / "witnesses.txt").write_text(self.log_policy.replace("quorum none\n", lines))
        self.service.overrides["witnesses"] = folder / "witnesses.txt"
        self.service.restart(1_000)

    @property
    def policy(self) -> str:
        return str(self.service.http.get("/log/policy").text)

    def witnessed(self, m: str) -> bytes:
        """The bundle of a match that has closed, once its checkpoint is witnessed."""
        path = f"/v1/matches/{m}/bundle"
        wait(lambda: "example.com/witness" in self.service.http.get(path).text)
        return bytes(self.service.http.get(path).content)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_a_service_with_a_witness(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    service, folder = run.service, run.folder
    try:
        first = start_two(service)
        with served(service):
            resign(first[0])
            early = run.witnessed(first[0].m)
            wait(lambda: "example.com/witness" in service.http.get("/log/checkpoint").text)
            Policy.parse(run.policy.encode()).open(service.http.get("/log/checkpoint").text)
            assert verdict(folder, early, run.policy) == 0
            assert verdict(folder, early, run.log_policy) == 13  # true, and nobody outside is asked
        lost = folder / "lost.db"
        shutil.copy(folder / "fairdeal.db", lost)
        # The witness is gone, the log has a new key, and a table is opened all the same.
        run.witness.kill()
        replace_key(folder / "keys" / LOG_KEY, b"\7" * 32, "aaaa0000")
        service.start()
        assert "a witness does not cosign" in caplog.text
        service.tick()
        second = ok(first[0].person.post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
        with served(service):
            late = (Player(first[0].person, second), Player(first[1].person, second))
            for player in late:
                player.join()
            for player in late:
                player.send_seed()
            resign(late[0])
            (folder / "witness" / "logs.txt").write_text(run.policy)
            run.witness.start()
            bundle = run.witnessed(second)
            for one in (early, bundle):
                assert verdict(folder, one, run.policy) == 0
        shutil.copy(lost, folder / "fairdeal.db")
        with pytest.raises(LogBehind, match="the witness w keeps"):
            service.start()
    finally:
        run.witness.kill()
