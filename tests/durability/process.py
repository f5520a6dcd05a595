"""`fairdeal serve` as a process on a database of its own, killed without warning and started again.

Nothing here or in its tests depends on how fast the machine is: nobody is short of time to decide but where a test puts
the service's clock forward, and whatever is waited for may take minutes.
"""

import os
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx2
import psycopg

from fairdeal.client import Api
from fairdeal.ledger import Books, check_books
from fairdeal.match import Event
from fairdeal.store import SqlStore

HOST: Final = "127.0.0.1"
WAIT_S: Final = 240.0
"""For a start or anything else that happens sooner or later, on a busy machine; an endless wait would hide a fault."""
ASSET: Final = "JETON"
HOUR_MS: Final = 3_600_000
UNHURRIED: Final = {"decisions_ms": f"[{HOUR_MS}]", "clock__join_ms": str(HOUR_MS)}
STEP_MS: Final = 300_000
"""Of a clock that is put forward with the service alive."""


@dataclass(frozen=True)
class Kill:
    """The heartbeat that the database held when the process was gone; None when it died before its first one, or after
    its database."""

    last_beat: int | None


def reserved_port(host: str = HOST) -> socket.socket:
    """Bound to a port that a process may listen on again and again, and that nobody else is given for as long as this
    is open: neither by the kernel, nor as the near end of a call to a service that is not there.
    """
    holder = socket.socket()
    # With this on both sides a second socket may be bound, as long as the first one does not listen.
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind((host, 0))
    return holder


def until(true: Callable[[], bool], look_s: float = 0.02) -> None:
    """Returns when it is; looks that often."""
    end = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(look_s)


def children(pid: int) -> list[int]:
    """The processes that it has started and that run, or have ended and it has not looked; none when it is gone."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def runs(pid: int) -> bool:
    """False when it is gone, or waited for by whoever started it."""
    return _state(pid) not in "ZX"


def wait_for_end(pids: list[int]) -> None:
    """Until none of them runs."""
    until(lambda: not any(map(runs, pids)), 0.005)


def halted(pid: int) -> list[int]:
    """Stops it where it stands, so that it starts nothing more: it, and what it has started."""

    def stands() -> bool:
        os.kill(pid, signal.SIGSTOP)
        return _state(pid) in "TZX"

    until(stands, 0.001)
    return [pid, *children(pid)]


def _state(pid: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return "X"


class Service:
    """Kept running by a keeper's thread, which starts it again `down_s` after it died. `settings` as FAIRDEAL_… say;
    with a `database_url` its records are there.
    """

    def __init__(self, home: Path, command: Sequence[str] | None = None, **settings: str) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home, self.database, self.log, self.keys = home, home / "fairdeal.db", home / "server.log", home / "keys"
        self._holder = reserved_port()
        self.port: int = self._holder.getsockname()[1]
        self.place: Path | str = settings.get("database_url", self.database)
        self.url = f"http://{HOST}:{self.port}"
        self.token = secrets.token_hex(16)
        self.down_s = 0.0
        self.kills: list[Kill] = []
        self._command = [*(command or (sys.executable, "-m", "fairdeal"))]
        self._settings = {f"FAIRDEAL_{name.upper()}": value for name, value in (UNHURRIED | settings).items()}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._wanted = threading.Event()
        self._wanted.set()
        self._process: subprocess.Popen[bytes] | None = None
        self._keeper = threading.Thread(target=self._keep)

    @property
    def over(self) -> bool:
        """Whether it will never run again."""
        return self._stopping.is_set()

    def __enter__(self) -> "Service":
        self._keeper.start()
        self.wait_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._keeper.join()
        self._holder.close()

    @contextmanager
    def lost_with_the_test(self) -> Iterator[None]:
        """Whatever fails in the block ends the service for good: who is waiting for it in a thread would go on waiting,
        and the test with them.
        """
        try:
            yield
        except BaseException:
            self._end()
            raise

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL, wherever it stands, also while it starts; it is gone when this returns, and its workers have seen
        that it is.
        """
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None:
                return
            _, *workers = halted(process.pid)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
            wait_for_end(workers)
            made = isinstance(self.place, str) or self.place.exists()
            beat: list[tuple[Any, ...]] = []
            with suppress(psycopg.OperationalError):
                beat = self.rows("SELECT at FROM heartbeat") if made else []
            self.kills.append(Kill(beat[0][0] if beat else None))

    def stop(self) -> None:
        """Killed, and not started again."""
        self._wanted.clear()
        self.kill()

    @contextmanager
    def down(self) -> Iterator[None]:
        """Killed, and started again at the end of the block."""
        self.stop()
        try:
            yield
        finally:
            self._wanted.set()
            self.wait_ready()

    def wait_ready(self) -> None:
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            try:
                if httpx2.get(f"{self.url}/readyz", timeout=WAIT_S).is_success:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(0.02)
        raise AssertionError(self.log.read_text()[-5_000:])

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """From a reader of its own, with the service running or not."""
        if isinstance(self.place, str):
            with psycopg.connect(self.place) as connection:
                return connection.execute(query.replace("?", "%s").encode(), values).fetchall()
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=WAIT_S)) as database:
            try:
                return database.execute(query, values).fetchall()
            except sqlite3.OperationalError:
                return []  # no schema yet

    def size(self, m: str) -> int:
        return int(self.rows("SELECT count(*) FROM events WHERE match_id = ?", m)[0][0])

    def beat(self) -> int:
        """When the heart beat last."""
        return int(self.rows("SELECT at FROM heartbeat")[0][0])

    def books(self) -> Books:
        """Checked. While the service is down: the file has one owner."""
        store = SqlStore(self.place)
        try:
            books = store.books(ASSET)
        finally:
            store.close()
        check_books(books)
        return books

    def money(self, m: str) -> list[str]:
        """The kinds of the match's transactions."""
        return sorted(kind for (kind,) in self.rows("SELECT kind FROM transactions WHERE match_id = ?", m))

    def types(self, m: str) -> list[str]:
        """Of the match's events."""
        lines = self.rows("SELECT line FROM events WHERE match_id = ? ORDER BY n", m)
        return [Event.parse(line).type for (line,) in lines]

    def operator(self) -> Api:
        return Api(self.url, self.token)

    def _end(self) -> None:
        self._stopping.set()
        self._wanted.set()
        with self._lock:
            if self._process is not None:
                self._process.kill()

    def _keep(self) -> None:
        with self.log.open("ab") as log:
            while True:
                self._wanted.wait()
                with self._lock:
                    if self._stopping.is_set():
                        return
                    self._process = self._start(log)
                self._process.wait()
                self._stopping.wait(self.down_s)

    def _start(self, log: Any) -> subprocess.Popen[bytes]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("FAIRDEAL_")}
        command = [*self._command, "serve", "--port", str(self.port)]
        command += ["--database", str(self.database), "--keys", str(self.keys)]
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**inherited, **self._settings, "FAIRDEAL_OPERATOR_TOKEN": self.token},
        )


class TimedService(Service):
    """One whose clock the test puts forward; of an outage it speaks after ten minutes. `module` is what is run."""

    def __init__(self, home: Path, module: str = "tests.durability.ahead", **settings: str) -> None:
        self._file, self._ahead_ms = home / "ahead", 0
        super().__init__(home, (sys.executable, "-m", module), **{"clock__outage_ms": str(2 * STEP_MS)} | settings)
        self.share_clock(self)

    def share_clock(self, other: "TimedService") -> None:
        """Before the start."""
        self._file = other._file
        self._settings["FAIRDEAL_TEST_AHEAD"] = str(self._file)

    def put_forward(self, ms: int) -> None:
        """All at once: the service has not been there meanwhile, alive or not."""
        self._ahead_ms += ms
        written = self._file.with_suffix(".new")
        written.write_text(str(self._ahead_ms))
        written.replace(self._file)

    def live_through(self, ms: int) -> None:
        """Step by step, with heartbeats that leave no gap."""
        for _ in range(0, ms, STEP_MS):
            beat = self.beat() + STEP_MS
            self.put_forward(STEP_MS)
            until(partial(self._has_beaten, beat))

    def _has_beaten(self, since: int) -> bool:
        return self.beat() >= since


def fairdeal(service: Service, *command: str) -> subprocess.CompletedProcess[str]:
    """A command of the operator's, on the service's files and database."""
    given = {"FAIRDEAL_DATABASE": str(service.database), "FAIRDEAL_KEYS": str(service.keys)}
    if isinstance(service.place, str):
        given["FAIRDEAL_DATABASE_URL"] = service.place
    line = [sys.executable, "-m", "fairdeal", *command]
    return subprocess.run(
        line, capture_output=True, text=True, timeout=WAIT_S, check=False, env={**os.environ, **given}
    )
