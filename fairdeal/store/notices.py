"""What the processes on one PostgreSQL tell each other by NOTIFY: that a match has grown, or an account's logins ended.

It is told after the transaction, never in it: PostgreSQL lets one transaction with a NOTIFY commit at a time. A notice
can be lost, with the process that would have sent it or with a connection, so whoever listens also looks by itself now
and then. What has happened is read from the store.
"""

import logging
import math
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Final

import psycopg

from fairdeal.store.postgresql import connecting, parameters

log = logging.getLogger("fairdeal.notices")

LOOK_SECONDS: Final = 5.0
"""The longest that somebody waits for what was not told: far less than the time for a decision."""
_CHANNEL: Final = "fairdeal"
_TURN_SECONDS: Final = 0.5
"""How long a thread waits before it looks whether it is to stop."""
_AGAIN_SECONDS: Final = 0.5
"""Before a lost connection is made again."""
_WAITING: Final = 10_000
"""Notices not sent yet; more are dropped, and found when the others look by themselves."""
_AT_ONCE: Final = 200
_SEND: Final = f"SELECT pg_notify('{_CHANNEL}', told) FROM unnest(%s::text[]) AS told"


class Notices:
    """Tells and hears on the database of `url`, each over a connection and in a thread of its own, made again when it
    is lost. `hear` takes a name that another process told; `hear_anything` is called when some may have been missed,
    and again and again while there is no connection: who waits for news learns that none can come.
    """

    def __init__(self, url: str, hear: Callable[[str], None], hear_anything: Callable[[], None]) -> None:
        self._connecting = parameters(url) | connecting()
        self._hear = hear
        self._hear_anything = hear_anything
        self._own = secrets.token_hex(4)
        self._waiting: Queue[str] = Queue(_WAITING)
        self._stopping = Event()
        self._threads = [
            Thread(target=self._keep, args=(work,), name="notices", daemon=True)
            for work in (self._send_on, self._hear_on)
        ]

    def start(self) -> None:
        """Begins to tell and to hear."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends the threads, and waits for them."""
        self._stopping.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def tell(self, name: str) -> None:
        """Tells the other processes soon; nobody waits for it."""
        try:
            self._waiting.put_nowait(name)
        except Full:
            log.warning("a notice is dropped", extra={"of": name})

    def _keep(self, work: Callable[[psycopg.Connection], None]) -> None:
        well = True
        while not self._stopping.is_set():
            try:
                with psycopg.connect(autocommit=True, **self._connecting) as connection:
                    well = True
                    work(connection)
            except psycopg.Error as error:
                if well:
                    log.warning("the connection for notices is lost", extra={"why": str(error).strip()})
                well = False
                self._hear_anything()
                self._stopping.wait(_AGAIN_SECONDS)

    def _send_on(self, connection: psycopg.Connection) -> None:
        while not self._stopping.is_set():
            names: set[str] = set()
            with suppress(Empty):
                names.add(self._waiting.get(timeout=_TURN_SECONDS))
                while len(names) < _AT_ONCE:
                    names.add(self._waiting.get_nowait())
            if names:
                connection.execute(_SEND, [[f"{self._own} {name}" for name in names]])

    def _hear_on(self, connection: psycopg.Connection) -> None:
        connection.execute(f"LISTEN {_CHANNEL}")
        looked = -math.inf  # a machine's own clock may have begun a moment ago
        while not self._stopping.is_set():
            if time.monotonic() - looked > LOOK_SECONDS:
                self._hear_anything()
                looked = time.monotonic()
            for notice in connection.notifies(timeout=_TURN_SECONDS):
                sender, _, name = notice.payload.partition(" ")
                if sender != self._own:
                    self._hear(name)
                if time.monotonic() - looked > LOOK_SECONDS:
                    break
