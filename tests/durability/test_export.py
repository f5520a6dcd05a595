"""A big export, killed in the middle again and again, is in the end the same directory as one that was left alone."""

import os
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal.api.caller import Services
from fairdeal.app.ports import Account
from fairdeal.app.tables import Wanted
from fairdeal.cli.operator import log_policy
from fairdeal.client import Api
from fairdeal.keys import SigningKey
from fairdeal.main import create_app
from fairdeal.match import SignedAction
from fairdeal.match.leaves import parse_leaf
from fairdeal.settings import Settings
from fairdeal.tlog import EMPTY_ROOT
from tests.agreement.auditor import AUDITOR, audit, export
from tests.durability.process import HOUR_MS, Service, until

MATCHES: Final = max(100, round(2_000 * float(os.environ.get("SOAK", "1"))))
PLAYED: Final = 3
"""One in so many is played, to a resignation; the others are called off."""
KILLS: Final = 6
MOMENTS: Final = ("before", "torn", "after")
PASSWORD: Final = "correct horse battery"


def fill(home: Path) -> None:
    """The records of a service that has been busy, made by its own use cases without a network."""
    app = create_app(Settings(database=home / "fairdeal.db", keys=home / "keys"))
    services: Services = app.state.services
    people = [services.accounts.sign_up(name, PASSWORD, "player")[0] for name in ("alice", "bruno")]
    for person in people:
        services.cashier.deposit("operator", f"deposit-{person.name}", person.id, 10**9)
    for number in range(MATCHES):
        m = services.tables.open(people[0], Wanted("duel", 100)).table.match_id
        if number % PLAYED:
            services.tables.cancel(people[0], m)
        else:
            play(services, people, m)
    app.state.sequencer.sequence()
    app.state.store.close()


def play(services: Services, people: list[Account], m: str) -> None:
    """Both sit, join, open their seeds, and the first gives up."""
    for person in people:
        services.tables.sit(person, m, f"sit-{person.name}-{m}")
    seated = services.matches.load(m).table.seated
    seeds = [sha256(f"seed {seat.player}".encode()).digest() for seat in seated]
    keys = [SigningKey.from_seed(sha256(f"key {seat.player}".encode()).digest()) for seat in seated]

    def act(seat: int, do: dict[str, Any]) -> None:
        state = services.matches.load(m).state
        size, root = state.size, state.root
        if "join" in do:
            size, root = 1, state.join_root
        elif "seed" in do:
            assert state.table_root is not None
            size, root = state.terms.seats + 1, state.table_root
        action = SignedAction.sign(keys[seat], m, do, root.hex(), seat, size)
        services.play.act(people[seat], m, action, services.tables.now())

    for seat, seated_as in enumerate(seated):
        promise = sha256(seeds[seat]).hexdigest()
        seen = {"root": EMPTY_ROOT.hex(), "size": 0}
        who = {"key": keys[seat].public.hex, "player": seated_as.player}
        act(seat, {"join": who | {"seed_commitment": promise, "seen": seen}})
    for seat, seed in enumerate(seeds):
        act(seat, {"seed": seed.hex()})
    act(0, {"resign": True})


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


KILLED: Final = """
import os, signal
from fairdeal.cli import main, mirror
rest, write = [{after}], mirror._write
def dies(folder, path, data):
    rest[0] -= 1
    if not rest[0] and {moment!r} == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    if not rest[0] and {moment!r} == "torn":
        (folder / ".partial").write_bytes(b"".join(data)[:-1])
        os.kill(os.getpid(), signal.SIGKILL)
    write(folder, path, data)
    if not rest[0]:
        os.kill(os.getpid(), signal.SIGKILL)
mirror._write = dies
main()
"""
"""An export that is gone around the writing of its n-th file, however fast the machine is."""


def killed_export(service: Service, folder: Path, after: int, moment: str) -> int:
    """How many files the directory has then."""
    program = KILLED.format(after=after, moment=moment)
    command = [sys.executable, "-c", program, "audit", "export", str(folder), "--url", service.url]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FAIRDEAL_")}
    done = subprocess.run(command, env=inherited | {"FAIRDEAL_AUDITOR_TOKEN": AUDITOR}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (folder / "checkpoint").exists()
    return len(files(folder))


def has_journal(service: Service) -> bool:
    """Whether the log has the leaf of the money, which is due when a service starts."""
    leaves = service.rows("SELECT leaf FROM leaves ORDER BY n DESC LIMIT 1")
    return any(parse_leaf(leaf)["type"] == "ledger" for (leaf,) in leaves)


@pytest.mark.soak
def test_an_export_killed_again_and_again(tmp_path: Path) -> None:
    home = tmp_path / "service"
    home.mkdir()
    fill(home)
    # An outage would be a leaf more, between one export and the other.
    with Service(home, auditor_token=AUDITOR, clock__outage_ms=str(HOUR_MS)) as service:
        until(lambda: has_journal(service))
        killed, whole = tmp_path / "killed", tmp_path / "whole"
        step = MATCHES // (KILLS + 2)
        counts = [killed_export(service, killed, step, MOMENTS[number % len(MOMENTS)]) for number in range(KILLS)]
        assert counts == sorted(set(counts)), "each run went on where the one before was killed"
        finished = export(service, killed)
        export(service, whole)
        # A proof of the books is an event of midnight.
        killed_files, whole_files = ({**files(folder), "significant_events.jsonl": b""} for folder in (killed, whole))
        killed_files.pop(".partial", None)
        assert killed_files == whole_files
        assert f"matches    {MATCHES} closed, 0 not closed" in finished.splitlines()
        policy = tmp_path / "policy.txt"
        policy.write_text(log_policy(service.keys))
        with Api(service.url) as api:
            assert api.checkpoint_sizes(0)
    code, report = audit(killed, "--policy", policy, "--jobs", "2")
    assert (code, report["cause"], report["findings"], report["faults"]) == (13, "no_anchor", [], [])
    assert report["counts"]["replayed"] == MATCHES
    played = len(range(0, MATCHES, PLAYED))
    assert report["counts"]["transactions"] == 2 + 4 * played, "deposits; two sittings, the pot and its end"
    for name, count in (("ledger", 2 + 4 * played), ("seats", 2 * played)):
        assert len(list((killed / name).iterdir())) == count // 1_000 + 1
