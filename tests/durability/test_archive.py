"""PostgreSQL's continuous archiving, as the operator's handbook has it, under a live match (test_backup.py goes back to
an earlier point with it).
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fairdeal.tlog import Policy
from tests.durability.archive import Archived
from tests.durability.duel import GIVE_UP_S, check_kept, check_paid_once, check_verified, leave_after, programs, seated
from tests.durability.history import check_leaves, check_one_history
from tests.durability.own_postgres import own_postgres
from tests.durability.process import Service, fairdeal


@pytest.mark.soak
def test_a_database_put_back_to_its_newest_point_has_lost_nothing(tmp_path: Path) -> None:
    """The base backup is taken in the middle of a match. What came next is in the archive, and the last decisions
    before the server is killed are in its own segments alone. The players' programs wait, and go on.
    """
    with own_postgres() as server:
        archived = Archived(server)
        with Service(tmp_path, **archived.settings) as service:
            both = programs(service)
            m = seated(both)

            def put_back() -> None:
                server.kill()
                with service.down():
                    archived.put_back_newest()
                    check_books(service)

            moments = {5: archived.take_base, 10: archived.switch, 15: put_back}
            with ThreadPoolExecutor(2) as pool:
                left, waiting = leave_after(both, m, 20, pool, moments)
                left.resign(m)
                left.play(m)
                waiting.result(GIVE_UP_S)
            assert server.data.name == "restored"
            lines, _ = check_kept(both, m)
            check_verified(both, m)
            leaves = [leaf for (leaf,) in service.rows("SELECT leaf FROM leaves ORDER BY n")]
            notes = [note for (note,) in service.rows("SELECT note FROM checkpoints")]
            check_one_history(Policy.parse(both[0].policy.read_bytes()), leaves, notes)
            check_leaves(leaves, [m])
            check_paid_once(service, both, m, lines)
            check_books(service)


def check_books(service: Service) -> None:
    """While it is down, by the operator's command."""
    proved = fairdeal(service, "ledger", "check")
    assert (proved.returncode, proved.stdout.splitlines()[-1]) == (0, "the books hold"), proved.stderr


@pytest.mark.soak
def test_a_segment_is_archived_whole_and_once(tmp_path: Path) -> None:
    with own_postgres() as server:
        archived = Archived(server)
        archived.switch()
        first = min(archived.archive.iterdir())
        segment = server.home / "segment"
        segment.write_bytes(first.read_bytes())
        assert archived.archive_again(segment, first.name) == 0, "a crash came between the copy and the note of it"
        segment.write_bytes(b"of another server")
        assert archived.archive_again(segment, first.name) != 0
        assert first.read_bytes() != b"of another server"
        assert archived.archive_again(segment, "0" * 24) == 0
        assert (archived.archive / ("0" * 24)).read_bytes() == b"of another server"
        assert not [*archived.archive.glob("*.new")]
