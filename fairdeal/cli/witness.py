"""`fairdeal witness`: a witness for somebody else's log, until it is stopped."""

import logging
import secrets
import socket
from contextlib import closing
from pathlib import Path

import uvicorn

from fairdeal.api.logs import configure_logging
from fairdeal.errors import AddressRefused, StoreFailed
from fairdeal.keyfiles import WITNESS_KEY, read_key, write_key
from fairdeal.keys import SigningKey
from fairdeal.limits import KEY_BYTES
from fairdeal.settings import read_policy
from fairdeal.tlog import Cosigner
from fairdeal.witness.memory import Memory
from fairdeal.witness.service import WitnessService

log = logging.getLogger("fairdeal.witness")


def witness_until_stopped(name: str, keys: Path, database: Path, logs: Path, host: str, port: int) -> None:
    """Cosigns what the logs of the policy file show to be consistent, and prints its verifier key first.

    Raises Malformed, KeyRefused, StoreFailed, AddressRefused.
    """
    trusted = read_policy(logs)
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
        log.info("listening", extra={"host": host, "port": port})
        app = WitnessService(cosigner, trusted, memory).application()
        uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False)).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError:
        raise AddressRefused(f"cannot listen on {host}, port {port}") from None
