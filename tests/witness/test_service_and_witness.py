"""A service and a witness, each real: what players take away is cosigned, and a lost database is caught."""

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from fairdeal.errors import LogBehind
from fairdeal.keyfiles import LOG_KEY, RECEIPTS_KEY, replace_key
from fairdeal.main import restore_database
from fairdeal.settings import Settings
from fairdeal.tlog import Policy
from tests.api.serving import served
from tests.api.table import Player, Service, ok, start_two
from tests.cli.command import run as command
from tests.durability.process import until
from tests.witness.process import WitnessProcess

AUDITOR = "auditor-token-of-the-tests"


def verdict(folder: Path, bundle: bytes, policy: str) -> int:
    (folder / "m.fairdeal").write_bytes(bundle)
    (folder / "policy.txt").write_text(policy)
    verify = [sys.executable, "-m", "fairdeal_verifier", str(folder / "m.fairdeal")]
    done = subprocess.run([*verify, "--policy", str(folder / "policy.txt")], capture_output=True, check=False)
    return done.returncode


def audited(folder: Path, address: str) -> tuple[int, list[object]]:
    """The audit's exit code and findings, under the policy written last."""
    archive, policy = str(folder / "archive"), str(folder / "policy.txt")
    exported = command("audit", "export", archive, "--url", address, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    assert exported.returncode == 0, exported.stderr
    audit = [sys.executable, "-m", "fairdeal_verifier", "audit", archive, "--policy", policy, "--json"]
    done = subprocess.run(audit, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)["findings"]


def resign(player: Player) -> None:
    player.look()
    ok(player.send(player.sign({"resign": True})))


class Run:
    """The service with a witness that its policy asks for."""

    def __init__(self, folder: Path) -> None:
        self.service = Service(folder, {"auditor_token": AUDITOR})
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
        until(lambda: "example.com/witness" in self.service.http.get(path).text)
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
            until(lambda: "example.com/witness" in service.http.get("/log/checkpoint").text)
            Policy.parse(run.policy.encode()).open(service.http.get("/log/checkpoint").text)
            assert verdict(folder, early, run.policy) == 0
            assert verdict(folder, early, run.log_policy) == 13  # true, and nobody outside is asked
        lost = folder / "lost.db"
        shutil.copy(folder / "fairdeal.db", lost)
        # The witness is gone, the log has a new key, and a table is opened all the same.
        run.witness.kill()
        for name in (LOG_KEY, RECEIPTS_KEY):
            replace_key(folder / "keys" / name, sha256(name.encode()).digest(), "aaaa0000")
        service.start()
        assert "a witness does not cosign" in caplog.text
        service.tick()
        second = ok(first[0].person.post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
        with served(service) as address:
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
            assert audited(folder, address) == (0, [])
        # An older database, and the log's copy beside it gone: nothing of the operator's own tells.
        shutil.copy(lost, folder / "fairdeal.db")
        shutil.rmtree(folder / "log")
        with pytest.raises(LogBehind, match="the witness w keeps"):
            service.start()
        settings = Settings(database=folder / "fairdeal.db", keys=folder / "keys", **service.overrides)
        with pytest.raises(LogBehind, match="the witness w keeps"):
            restore_database(settings)
    finally:
        run.witness.close()
