"""An older database put back under a live match: real processes, real players, and an auditor who kept a checkpoint."""

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import NoReturn, TypeAlias

import httpx2
import pytest
from sqlalchemy import make_url

from fairdeal.client import Turn
from fairdeal.match import HeldLine, parse_bundle, parse_held
from fairdeal.match.leaves import parse_leaf
from fairdeal.tlog import Policy
from fairdeal_verifier import Policy as VerifierPolicy
from fairdeal_verifier import verify
from tests.agreement.auditor import AUDITOR, audit
from tests.cli.command import run
from tests.durability.archive import Archived
from tests.durability.duel import DEPOSIT, GIVE_UP_S, Both, Enough, Program, gone, leave_after, programs, seated
from tests.durability.history import check_one_history
from tests.durability.own_postgres import own_postgres
from tests.durability.process import Service, fairdeal
from tests.store.postgres import Postgres, programs_of_postgres


def resigned(both: Both) -> str:
    """A match that is over soon."""
    m = seated(both)
    with ThreadPoolExecutor(2) as pool:
        left, waiting = leave_after(both, m, 2, pool)
        left.resign(m)
        left.play(m)
        waiting.result(GIVE_UP_S)
    return m


class Sqlite:
    """Backing up, and putting back, as the operator's handbook says."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}

    def back_up(self, service: Service, backup: Path) -> None:
        with closing(sqlite3.connect(service.database)) as live, closing(sqlite3.connect(backup)) as to:
            live.backup(to)

    def put_back(self, service: Service, backup: Path) -> None:
        for path in service.home.glob("fairdeal.db-*"):
            path.unlink()
        shutil.copy(backup, service.database)


class Postgresql:
    """The same, of a PostgreSQL; `aside` is where the database goes that the backup takes the place of."""

    def __init__(self, url: str) -> None:
        self.settings = {"database_url": url, "workers": "2"}
        self._url = url
        self._name = make_url(url).database or ""
        self._server = make_url(url).set(database="postgres").render_as_string(hide_password=False)
        self.aside = make_url(url).set(database=f"{self._name}_lost").render_as_string(hide_password=False)

    def back_up(self, _service: Service, backup: Path) -> None:
        self._run("pg_dump", "--format=custom", "--file", backup, self._url)

    def put_back(self, _service: Service, backup: Path) -> None:
        rename = f"ALTER DATABASE {self._name} RENAME TO {self._name}_lost"
        self._run("psql", "--quiet", "--command", rename, self._server)
        made = ("--template=template0", "--encoding=UTF8", "--locale=C.UTF-8", f"--maintenance-db={self._server}")
        self._run("createdb", *made, self._name)
        self._run("pg_restore", "--exit-on-error", "--single-transaction", f"--dbname={self._url}", backup)

    def _run(self, program: str, *words: str | Path) -> None:
        subprocess.run([programs_of_postgres() / program, *words], check=True, timeout=GIVE_UP_S)


Database: TypeAlias = Sqlite | Postgresql | Archived


@pytest.fixture(params=["sqlite", *(pytest.param(kind, marks=pytest.mark.soak) for kind in ("postgresql", "archive"))])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    if request.param == "sqlite":
        yield Sqlite()
        return
    if request.param == "archive":
        with own_postgres() as server:
            archived = Archived(server)
            archived.take_base()
            yield archived
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    made = Postgresql(postgres.database())
    yield made
    postgres.drop(made.aside)
    postgres.drop(made.settings["database_url"])


def test_a_backup_put_back_in_the_middle_of_a_match(tmp_path: Path, database: Database) -> None:
    """When it was taken one match was over, and one was live that went on; another was played afterwards."""
    backup, kept, settings = tmp_path / "backup", tmp_path / "kept.checkpoint", database.settings
    with ThreadPoolExecutor(2) as pool, Service(tmp_path / "service", auditor_token=AUDITOR, **settings) as service:
        both = programs(service)
        over = resigned(both)
        before = [program.wallet() for program in both]
        live = seated(both)
        _, waiting = leave_after(both, live, 12, pool, {6: lambda: database.back_up(service, backup)})
        played = service.size(live)
        later = resigned(both)
        kept.write_text(httpx2.get(f"{service.url}/log/checkpoint", timeout=GIVE_UP_S).text)
        notes = {note for (note,) in service.rows("SELECT note FROM checkpoints")}
        assert "database_locked" in fairdeal(service, "restore").stderr
        for program in both:
            program.plan = gone
        with service.down():
            with pytest.raises(Enough):
                waiting.result(GIVE_UP_S)
            database.put_back(service, backup)
            size = service.size(live)
            assert 0 < size < played
            refused = fairdeal(service, "serve", "--port", str(service.port))
            assert refused.returncode == 1
            assert "`fairdeal restore`" in refused.stderr
            restored = fairdeal(service, "restore")
            lost = restored.stdout.splitlines()[1:]
            assert (restored.returncode, lost) == (0, [live]), restored.stderr
        for program in both:
            check_given_up(program, live, size)
        assert [program.wallet() for program in both] == before, "the stakes are back"
        assert sum(cash for cash, _ in before) < 2 * DEPOSIT
        check_log(service, both[0], notes, kept, tmp_path / "directory", (over, later, live))
        service.stop()
        assert not service.books().pots
        assert not service.books().holds


def never(_turn: Turn) -> NoReturn:
    raise AssertionError("nothing more is signed")


def check_given_up(program: Program, m: str, size: int) -> None:
    """The player holds receipts of more than there is, goes no further, and nobody is accused."""
    program.plan = lambda _: None
    before = len(program.heard)
    with program.api() as api:
        taken = program.player(api).play(m, never)
    assert taken.ending is None
    assert not [heard for heard in program.heard[before:] if heard.path.endswith("/actions")]
    bundle, held = taken.bundle.read_bytes(), taken.held.read_bytes()
    assert len(parse_bundle(bundle).events) == size
    assert max(line.view["size"] for line in parse_held(held).lines if isinstance(line, HeldLine)) > size
    report = verify(bundle, VerifierPolicy.parse(program.policy.read_bytes()), held)
    assert (report.verdict, report.ending and report.ending.reason) == ("verified", "lost")


def check_log(
    service: Service, program: Program, notes: set[str], kept: Path, directory: Path, matches: tuple[str, str, str]
) -> None:
    """One history over what was put back, and an audit that finds what a backup cannot have, and accuses nobody."""
    over, later, live = matches
    leaves = [leaf for (leaf,) in service.rows("SELECT leaf FROM leaves ORDER BY n")]
    notes |= {note for (note,) in service.rows("SELECT note FROM checkpoints")}
    check_one_history(Policy.parse(program.policy.read_bytes()), leaves, notes)
    closes = [leaf for leaf in map(parse_leaf, leaves) if leaf["type"] == "close"]
    assert [(leaf["m"], leaf["outcome"], leaf.get("cause")) for leaf in closes] == [
        (over, "forfeit", None),
        (later, "forfeit", None),
        (live, "void", "lost"),
    ]
    exported = run("audit", "export", directory, "--url", service.url, FAIRDEAL_AUDITOR_TOKEN=AUDITOR)
    gone_with_it = f"matches/{later}.jsonl"
    assert (exported.returncode, exported.stdout.splitlines()[-1].split()) == (1, ["missing", gone_with_it])
    code, report = audit(directory, "--policy", program.policy)
    faults = [(fault["code"], fault["path"]) for fault in report["faults"]]
    assert (code, report["findings"], faults) == (15, [], [("missing", gone_with_it)])
    assert report["questions"]["lost"] == [live]
    code, report = audit(directory, "--policy", program.policy, "--since", kept)
    assert (code, report["verdict"], report["findings"]) == (0, "verified", [])
    assert report["questions"]["lost"] == [live]
