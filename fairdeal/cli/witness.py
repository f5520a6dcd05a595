"""`fairdeal witness`: a witness for somebody else's log, until it is stopped."""

import secrets
import socket
from contextlib import closing
from pathlib import Path

import uvicorn

from fairdeal.api.logs import configure_logging
from fairdeal.errors import AddressRefused, Malformed, StoreFailed
from fairdeal.keyfiles import WITNESS_KEY, read_key, write_key
from fairdeal.keys import SigningKey
from fairdeal.limits import KEY_BYTES, MAX_POLICY_BYTES
from fairdeal.tlog import Cosigner, Policy
from fairdeal.witness.memory import Memory
from fairdeal.witness.service import WitnessService


def witness_until_stopped(name: str, keys: Path, database: Path, logs: Path, host: str, port: int) -> None:
    """Cosigns what the logs of the policy file show to be consistent, and prints its verifier key first.

    Raises Malformed, KeyRefused, StoreFailed, AddressRefused.
    """
    try:
        with logs.open("rb") as file:
            trusted = Policy.parse(file.read(MAX_POLICY_BYTES + 1))
    except OSError:
        raise Malformed(f"{logs} cannot be read") from None
    key = keys / WITNESS_KEY
    if key.exists() and not database.exists():
        raise StoreFailed(
            f"the memory of {key} is gone: {database} is not there, and without it this key would cosign a fork."
            " A new witness takes a new key"
        )
    database.parent.mkdir(parents=True, exist_ok=True)
    memory = Memory(database)
    with closing(memory), _listen(host, port) as listening:
        if not key.exists():
            write_key(key, secrets.token_bytes(KEY_BYTES))
        cosigner = Cosigner(name, SigningKey.from_seed(read_key(key, KEY_BYTES)))
        configure_logging()
        print(cosigner.verifier_key.format(), flush=True)
        app = WitnessService(cosigner, trusted, memory).application()
        uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False)).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError:
        raise AddressRefused(f"cannot listen on {host}, port {port}") from None
