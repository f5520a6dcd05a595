"""`fairdeal witness` as a process: started, killed without warning, and started again on its memory."""

import os
import subprocess
import sys
from pathlib import Path

import httpx2

from fairdeal.tlog import VerifierKey
from tests.durability.process import HOST, WAIT_S, reserved_port, until


class WitnessProcess:
    """A witness of the logs in `policy`, with key and database in `home`. It keeps its port from start to start."""

    def __init__(self, home: Path, policy: str, name: str = "example.com/witness") -> None:
        home.mkdir(parents=True, exist_ok=True)
        (home / "logs.txt").write_text(policy)
        self._holder = reserved_port()
        self.port: int = self._holder.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}"
        self.database = home / "witness.db"
        self._home, self._name = home, name
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "WitnessProcess":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Killed for good."""
        self.kill()
        self._holder.close()

    def start(self) -> VerifierKey:
        """The key that it prints, once it listens."""
        home = self._home
        command = [sys.executable, "-m", "fairdeal", "witness", "--name", self._name, "--port", str(self.port)]
        command += ["--keys", str(home), "--database", str(self.database), "--logs", str(home / "logs.txt")]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FAIRDEAL_")}
        with (home / "witness.log").open("ab") as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=output, text=True, env=environment
            )
        assert self._process.stdout is not None
        key = VerifierKey.parse(self._process.stdout.readline().strip())
        until(self._listens)
        return key

    def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None
        try:
            httpx2.get(self.url, timeout=WAIT_S)
        except httpx2.TransportError:
            return False
        return True

    def kill(self) -> None:
        """SIGKILL; it is gone when this returns."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    @property
    def log(self) -> str:
        return (self._home / "witness.log").read_text()
