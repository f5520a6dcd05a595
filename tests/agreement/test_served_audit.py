"""A real service and the auditor's verifier, which share no code: what was played is exported, and audited twice."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from fairdeal.cli.operator import log_policy
from fairdeal.client import Api
from tests.agreement.auditor import AUDITOR, audit, export
from tests.durability.duel import play_both, programs, seated
from tests.durability.process import HOUR_MS, WAIT_S, Service, until


@dataclass(frozen=True)
class Evening:
    """A service with one match played out, one table called off and one that waits, and what an auditor took away."""

    service: Service
    folder: Path
    policy: Path
    played: str
    called_off: str
    waiting: str


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    home = tmp_path_factory.mktemp("evening")
    # An outage would be a leaf more, between one look and the next.
    with Service(home / "service", auditor_token=AUDITOR, clock__outage_ms=str(HOUR_MS)) as service:
        both = programs(service)
        played = seated(both)
        play_both(both, played)
        called_off, waiting = both[0].open(), both[0].open()
        with Api(service.url, both[0].session) as api:
            api.cancel_table(called_off)
            for m, leaf in ((played, "close"), (called_off, "close"), (waiting, "open")):
                api.log(m, 0, leaf)
        (home / "policy.txt").write_text(log_policy(service.keys))
        export(service, home / "directory")
        yield Evening(service, home / "directory", home / "policy.txt", played, called_off, waiting)


def test_the_directory_and_the_service_give_one_report(evening: Evening, tmp_path: Path) -> None:
    """What nobody has witnessed and nobody compares with what they kept is the operator's word alone: 13, unchecked."""

    def one_report() -> bool:
        """Another leaf may come between the two."""
        export(evening.service, tmp_path / "directory")
        of_files = audit(tmp_path / "directory", "--policy", evening.policy)
        return of_files == audit(f"{evening.service.url}/log", "--policy", evening.policy)

    until(one_report)
    code, of_files = audit(evening.folder, "--policy", evening.policy)
    assert (code, of_files["verdict"], of_files["cause"]) == (13, "unchecked", "no_anchor")
    assert of_files["findings"] == of_files["faults"] == []
    counts = of_files["counts"]
    assert (counts["matches"], counts["closed"], counts["replayed"]) == (3, 2, 2)
    assert counts["transactions"] == 6, "two deposits, two sittings, the pot, its end"
    assert counts["checkpoints"] > 1, "the archive came along"
    assert of_files["questions"]["endings"] == {"played": 1}
    assert of_files["questions"]["not_closed"] == [], "the table that waits is within its time"
    assert (evening.folder / f"matches/{evening.waiting}.jsonl").read_bytes().count(b"\n") == 1


def test_the_next_audit_takes_up_the_checkpoint_that_was_kept(evening: Evening, tmp_path: Path) -> None:
    """Exported again, with what came since, it is an extension of the log that the auditor knows: verified."""
    folder, kept = tmp_path / "directory", tmp_path / "kept.checkpoint"
    shutil.copytree(evening.folder, folder)
    assert audit(folder, "--policy", evening.policy, "--keep", kept)[0] == 13
    assert kept.read_bytes() == (folder / "checkpoint").read_bytes()
    with Api(evening.service.url) as api:  # somebody who has not been there yet
        api.sign_up("claire", "correct horse battery")
        api.sign_in("claire", "correct horse battery")
        api.log(api.open_table({"game": "duel", "stake": 0})["m"], 0, "open")
    export(evening.service, folder)
    code, report = audit(folder, "--policy", evening.policy, "--since", kept)
    assert (code, report["verdict"], report["findings"], report["faults"]) == (0, "verified", [], [])
    assert report["checkpoint"]["size"] > report["since"]


@pytest.mark.parametrize("name", ["transcript", "journal", "seats", "keys", "tile", "checkpoint"])
def test_a_directory_that_was_changed_or_lost_a_file_accuses_nobody(
    name: str, evening: Evening, tmp_path: Path
) -> None:
    """Of what a directory holds only signed texts are the operator's word: the rest anybody may have changed."""
    folder = tmp_path / "directory"
    shutil.copytree(evening.folder, folder)
    paths = {"transcript": f"matches/{evening.played}.jsonl", "journal": "ledger/0.jsonl", "seats": "seats/0.jsonl"}
    (tile,) = (folder / "tile/0").glob("*.p/*")
    paths |= {"keys": "keys.jsonl", "tile": str(tile.relative_to(folder)), "checkpoint": "checkpoint"}
    path = folder / paths[name]
    whole = path.read_bytes()
    path.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    # What has no checkpoint at all is no log.
    for change in ("changed", "gone") if name != "checkpoint" else ("changed",):
        code, report = audit(folder, "--policy", evening.policy)
        assert (code, report["verdict"], report["findings"]) == (15, "altered", []), (name, change)
        path.unlink(missing_ok=True)


def test_without_the_token_the_service_shows_no_money(evening: Evening) -> None:
    for path in ("ledger/0.jsonl", "seats/0.jsonl"):
        assert httpx2.get(f"{evening.service.url}/log/{path}", timeout=WAIT_S).status_code == 403
