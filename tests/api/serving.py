"""A server behind a real socket."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from fairdeal.api.server import Server
from tests.api.table import Service


@contextmanager
def running(server: uvicorn.Server) -> Iterator[int]:
    """Its port, for as long as the block lasts."""
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.005)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def served(service: Service) -> Iterator[str]:
    """Its address, for as long as the block lasts. The clock's thread runs."""
    with running(Server(service.app, "127.0.0.1", 0)) as port:
        yield f"http://127.0.0.1:{port}"
