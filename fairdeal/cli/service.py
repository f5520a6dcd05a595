"""A service of one's own for a while: an empty database, a free port, in a process of its own."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2

from fairdeal.client import Unreachable

_HOST: Final = "127.0.0.1"
_START_S: Final = 120.0
_STOP_S: Final = 15.0
_LOOK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Service:
    """Where the service answers, the operator's token, and the directory of its keys."""

    url: str
    operator_token: str = field(repr=False)
    keys: Path


@contextmanager
def running_service(home: Path, keys: Path, log: Path, settings: dict[str, str]) -> Iterator[Service]:
    """A service with its database in `home`, that makes the keys it does not find and writes `log`; stopped at the end.

    `settings` are FAIRDEAL_… variables. Raises Unreachable when it does not get ready.
    """
    token = secrets.token_urlsafe(24)
    with socket.socket() as holder, log.open("wb") as output:
        # Bound as long as the service runs, so that nobody else is given its port before it listens there.
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind((_HOST, 0))
        port = holder.getsockname()[1]
        service = Service(f"http://{_HOST}:{port}", token, keys)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("FAIRDEAL_")}
        command = [sys.executable, "-m", "fairdeal", "serve", "--port", str(port)]
        command += ["--database", str(home / "fairdeal.db"), "--keys", str(service.keys)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**inherited, **settings, "FAIRDEAL_OPERATOR_TOKEN": token},
        )
        try:
            _wait_ready(process, service.url, log)
            yield service
        finally:
            _stop(process)


def _wait_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx2.get(f"{url}/readyz", timeout=_STOP_S).is_success:
                return
        except httpx2.TransportError:
            time.sleep(_LOOK_S)
    raise Unreachable(f"the service did not start; its log is {log}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
