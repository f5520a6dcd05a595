"""`fairdeal witness` as a process: started, killed without warning, and started again on its memory."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2

from fairdeal.tlog import VerifierKey

HOST = "127.0.0.1"
_START_S = 60.0


class WitnessProcess:
    """A witness of the logs in `policy`, with key and database in `home`. It keeps its port from start to start."""

    def __init__(self, home: Path, policy: str, name: str = "example.com/witness") -> None:
        home.mkdir(parents=True, exist_ok=True)
        (home / "logs.txt").write_text(policy)
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}"
        self.database = home / "witness.db"
        self._home, self._name = home, name
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "WitnessProcess":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

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
        until = time.monotonic() + _START_S
        while True:
            try:
                httpx2.get(self.url, timeout=_START_S)
            except httpx2.TransportError:
                assert time.monotonic() < until
                assert self._process.poll() is None
                time.sleep(0.02)
            else:
                return key

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
