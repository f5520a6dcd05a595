"""`fairdeal witness`: a witness for somebody else's log, until it is stopped."""

import logging
import secrets
from contextlib import closing
from pathlib import Path
from typing import Final

import uvicorn

from fairdeal.api.connections import BoundedConnection
from fairdeal.api.json_logging import configure_logging
from fairdeal.api.server import bounded, listen
from fairdeal.errors import StoreFailed
from fairdeal.keyfiles import WITNESS_KEY, read_key, write_key
from fairdeal.keys import SigningKey
from fairdeal.limits import KEY_BYTES
from fairdeal.settings import read_policy
from fairdeal.tlog import Cosigner
from fairdeal.tlog.witness import MAX_REQUEST_BYTES
from fairdeal.witness.memory import Memory
from fairdeal.witness.service import WitnessService

log = logging.getLogger("fairdeal.witness")

CONNECTIONS_MAX: Final = 256
"""A log needs one; each may bring a body of half a megabyte."""


class WitnessConnection(BoundedConnection):
    """Takes bodies of a witness's size."""

    max_body_bytes = MAX_REQUEST_BYTES


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
    made = None if key.exists() else secrets.token_bytes(KEY_BYTES)
    cosigner = Cosigner(name, SigningKey.from_seed(made or read_key(key, KEY_BYTES)))
    with listen(host, port) as listening:
        database.parent.mkdir(parents=True, exist_ok=True)
        with closing(Memory(database)) as memory:
            # The last thing that can be refused: without its database a key serves for nothing.
            if made is not None:
                write_key(key, made)
            configure_logging()
            print(cosigner.verifier_key.format(), flush=True)
            log.info("listening", extra={"host": host, "port": port})
            witness_server(WitnessService(cosigner, trusted, memory), host, port).run([listening])


def witness_server(service: WitnessService, host: str, port: int) -> uvicorn.Server:
    """Bounds what callers may say and how long they may take, as the main service does."""
    return uvicorn.Server(bounded(service.application(), host, port, CONNECTIONS_MAX, WitnessConnection))
