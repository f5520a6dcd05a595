"""A PostgreSQL that archives, backed up and put back by the very commands that the operator's handbook has."""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

import psycopg

from tests.durability.own_postgres import GIVE_UP_S, OwnPostgres
from tests.durability.process import Service, until

_HANDBOOK: Final = Path(__file__).parents[2] / "docs" / "operating.md"
(_SECTION,) = re.findall(
    r"^### Continuous archiving\n(.*?)^## ", _HANDBOOK.read_text("utf-8"), re.MULTILINE | re.DOTALL
)
_SETTINGS, _BASE, _POINT, _COPY, _TO_NEWEST, _TO_POINT, _STOP = re.findall(
    r"^```(?:conf|sh)\n(.*?)^```$", _SECTION, re.MULTILINE | re.DOTALL
)


class Archived:
    """Of a server that has done nothing yet. What the handbook has in `/srv` is in the server's home."""

    def __init__(self, server: OwnPostgres) -> None:
        self.settings = {"database_url": server.url}
        self.archive = server.home / "archive"
        self._server = server
        self._run("mkdir /srv/archive")
        server.kill()
        server.configure(self._here(_SETTINGS))
        server.start()

    def take_base(self) -> None:
        self._run(_BASE)

    def back_up(self, _service: Service, _backup: Path) -> None:
        """A point to come back to, since the base backup."""
        self._run(_POINT)

    def put_back(self, _service: Service, _backup: Path) -> None:
        """To that point. The server ends without a warning, and all it still has not archived is at hand."""
        self._recover(_TO_POINT)

    def put_back_newest(self) -> None:
        """To the last transaction."""
        self._recover(_TO_NEWEST)

    def switch(self) -> None:
        """What was written is archived when this returns; what follows goes into another segment."""
        with psycopg.connect(self.settings["database_url"]) as connection:
            written = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
        assert written is not None
        until((self.archive / written[0]).exists)

    def archive_again(self, segment: Path, name: str) -> int:
        """The exit code of the archive's command for a file that is to go there under this name."""
        (command,) = re.findall(r"^archive_command = '(.*)'$", self._here(_SETTINGS), re.MULTILINE)
        return self._shell(command.replace("%p", str(segment)).replace("%f", name)).returncode

    def _recover(self, start: str) -> None:
        if self._server.runs:
            self._server.kill()
        self._run(_COPY + start + _STOP)
        self._server.data = self._server.home / "restored"
        self._server.start()

    def _here(self, text: str) -> str:
        return text.replace("/srv/", f"{self._server.home}/")

    def _run(self, commands: str) -> None:
        done = self._shell(self._here(commands))
        assert done.returncode == 0, done.stderr

    def _shell(self, commands: str) -> subprocess.CompletedProcess[str]:
        server = self._server
        places = {"PATH": f"{server.programs}:{os.environ['PATH']}", "PGHOST": str(server.home), "PGUSER": "postgres"}
        line = ["sh", "-eu", "-c", commands]
        return subprocess.run(
            line,
            capture_output=True,
            text=True,
            timeout=GIVE_UP_S,
            check=False,
            user=server.system_user,
            cwd=server.home,
            env=os.environ | places,
        )
