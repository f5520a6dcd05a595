"""What is damaged, missing or told beside the log, by nobody's signed word, accuses nobody."""

from pathlib import Path

import pytest

from fairdeal_verifier.errors import WrongUsage
from tests.verifier.auditing import BOTH, look
from tests.verifier.builder import target
from tests.verifier.house import ACCOUNTS, TERMS, house, vkey
from tests.verifier.house_faults import rotate
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY


def test_a_broken_tree_hides_which_key_was_in_force(tmp_path: Path) -> None:
    made = house()
    rotate(made, LOG_KEY, NEXT_LOG_KEY)
    made.write(tmp_path)
    next((tmp_path / "tile/entries").rglob("*/*")).write_bytes(b"")
    outcome = look(tmp_path, BOTH)
    assert outcome.findings == []
    assert [fault.code for fault in outcome.faults] == ["damaged"]


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


BENIGN = "checkpoints/"
"""An archive keeps what it can."""


def test_what_is_missing_accuses_nobody(tmp_path: Path) -> None:
    house().write(tmp_path)
    for path in files(tmp_path):
        data, name = path.read_bytes(), path.relative_to(tmp_path).as_posix()
        path.unlink()
        if name == "checkpoint":  # without it there is no log at all
            with pytest.raises(WrongUsage):
                look(tmp_path)
            path.write_bytes(data)
            continue
        outcome = look(tmp_path, signatures="last")
        assert outcome.findings == [], name
        assert {fault.code for fault in outcome.faults} == (set() if name.startswith(BENIGN) else {"missing"}), name
        path.write_bytes(data)
    assert look(tmp_path, signatures="last").faults == []


@pytest.mark.parametrize("damage", ["flipped", "cut", "long", "empty"])
def test_what_is_damaged_accuses_nobody(damage: str, tmp_path: Path) -> None:
    house().write(tmp_path)
    for path in files(tmp_path):
        data, name = path.read_bytes(), path.relative_to(tmp_path).as_posix()
        middle = len(data) // 2
        changed = {
            "flipped": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            "cut": data[:-1],
            "long": data + data,
            "empty": b"",
        }
        path.write_bytes(changed[damage])
        outcome = look(tmp_path, signatures="last")
        assert outcome.findings == [], name
        assert outcome.faults, name
        path.write_bytes(data)


def test_what_the_operator_tells_beside_the_log(tmp_path: Path) -> None:
    """Keys, seats and the end of the journal that no leaf covers are nobody's signed word."""
    for change in (
        lambda made: made.keys.append({"from": 3, "vkey": vkey(NEXT_LOG_KEY)}),
        lambda made: made.keys.pop(),
        lambda made: made.seats[0].update(player="ab" * 16),
        lambda made: made.seats[0].update(account=ACCOUNTS[3]),
        lambda made: made.seats.pop(),
        lambda made: made.seats.append(made.seats[0]),
        lambda made: made.post("gift:" + "ee" * 16, "gift", {"tax": -(10**9), "cashier": 10**9}),
        lambda made: made.post("deposit:" + "0" * 32, "deposit", {"cashier": -5, f"player:{ACCOUNTS[0]}:cash": 5}),
        lambda made: made.journal.append({"format": "none"}),
    ):
        made = house()
        change(made)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        made.write(folder)
        outcome = look(folder)
        assert outcome.findings == []
        assert len(outcome.faults) == 1


def test_files_ahead_of_the_log(tmp_path: Path) -> None:
    """Of a service that goes on: a new key, and money of a table that was opened after the checkpoint."""
    made = house()
    made.keys.append({"from": len(made.log.entries) + 1, "vkey": vkey(NEXT_LOG_KEY)})
    m, account = "ee" * 16, f"player:{ACCOUNTS[0]}"
    made.post("sit:" + "dd" * 16, "sit", {f"{account}:cash": -2, f"{account}:held": 2}, m)
    made.post(f"pot:{m}", "pot", {f"match:{m}:pot": 2, f"{account}:held": -2}, m)
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])


def test_a_settlement_that_no_later_leaf_covers(tmp_path: Path) -> None:
    made = house()
    match = target(70, target=40, **TERMS)
    made.add(match)
    made.journal.pop()
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert outcome.findings == []
    assert [(fault.code, fault.path) for fault in outcome.faults] == [("missing", "ledger")]
