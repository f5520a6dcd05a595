"""The process that serves: listening, bounded connections, an orderly end, and the metrics beside the API."""

import gc
import logging
import resource
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from prometheus_client import start_http_server
from starlette.types import ASGIApp

from fairdeal.api.caller import Services
from fairdeal.api.connections import BoundedConnection
from fairdeal.api.metrics import Metrics
from fairdeal.app.clock import Ticker
from fairdeal.errors import AddressRefused

log = logging.getLogger("fairdeal.server")

GRACEFUL_SECONDS: Final = 2
"""How long a stopping service waits for the calls it is answering: with a quick start after it, well under the usual
`outage_ms`.
"""
_BACKLOG: Final = 2_048
"""Connections that wait to be accepted; they are so all at once, before those beyond the bound are closed."""
_OWN_FILES: Final = 512
"""Open besides connections: database, log, keys and threads have some hundred."""
_GARBAGE_AFTER: Final = 20_000
"""Objects made and not yet gone. A call leaves next to no garbage in cycles, and after Python's usual 700 every other
one would wait for a search.
"""


class Server(uvicorn.Server):
    """Serves an application made by `create_app`, in this process; `on_ready` is called when callers are answered.

    When it is told to stop nobody sits down any more, the clock holds nothing against anybody, streams end, and what
    has begun is answered: in less time than would owe the players a `resume`.
    """

    def __init__(self, app: FastAPI, host: str, port: int, on_ready: Callable[[], None] = lambda: None) -> None:
        services: Services = app.state.services
        super().__init__(bounded(app, host, port, services.connections_max))
        self._hub, self._drain = services.hub, services.drain
        self._on_ready = on_ready
        self._ticker: Ticker = app.state.ticker
        services.metrics.read(
            "fairdeal_connections", "Connections that are open.", lambda: len(self.server_state.connections)
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            log.info("listening", extra={"host": self.config.host, "port": self.config.port})
            self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._drain.stopping = True
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._drain.stopping = True
        self._hub.close()
        await run_in_threadpool(self._ticker.stop)
        await super().shutdown(sockets)


def bounded(
    app: ASGIApp, host: str, port: int, connections_max: int, connection: type[BoundedConnection] = BoundedConnection
) -> uvicorn.Config:
    """How a server that anybody may call is set up. This process may open the files that it needs from then on."""
    _let_open(connections_max + _BACKLOG + _OWN_FILES)
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=connection,
        limit_concurrency=connections_max,
        backlog=_BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the door reads them, of trusted proxies alone
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
        ws="none",
    )


def _let_open(files: int) -> None:
    """Where too few may be open, strangers' connections keep the heartbeat from being written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < files:
        log.warning("too few files may be open: raise `ulimit -Hn`", extra={"allowed": allowed, "needed": files})


def collect_garbage_seldom() -> None:
    """For a process that serves: what there is now stays until its end, and is not looked through again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_AFTER)


def listen(host: str, port: int) -> socket.socket:
    """Before anything is opened, so that a second service by mistake touches nothing. Raises AddressRefused."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError:
        raise AddressRefused(f"cannot listen on {host}, port {port}") from None


@contextmanager
def serve_metrics(metrics: Metrics, port: int | None) -> Iterator[None]:
    """To this machine alone, beside the API, so that no proxy passes them on. Raises AddressRefused."""
    if port is None:
        yield
        return
    try:
        server, thread = start_http_server(port, "127.0.0.1", metrics.registry)
    except OSError:
        raise AddressRefused(f"cannot listen on 127.0.0.1, port {port}") from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
