"""The transactions that an audit lets pass: what may move between which accounts, and what may not."""

from pathlib import Path

import pytest

from fairdeal_verifier import Policy
from fairdeal_verifier.audit.questions import Unsigned
from fairdeal_verifier.audit.run import Wishes, audit
from fairdeal_verifier.audit.source import Directory
from tests.verifier.auditing import NOW, POLICY, look
from tests.verifier.builder import Server
from tests.verifier.house import TERMS, House
from tests.verifier.house_faults import ONE, TWO, restated

A, B, C, M = "a" * 32, "b" * 32, "c" * 32, Server(68, **TERMS).match.m
POT = f"match:{M}:pot"
SITTING: list[tuple[str, str, dict[str, int], str | None]] = [
    (f"sit:{A}", "sit", {f"{ONE}:cash": -9, f"{ONE}:held": 9}, M),
    (f"sit:{B}", "sit", {f"{TWO}:cash": -9, f"{TWO}:held": 9}, M),
]
SEATED = (f"pot:{M}", "pot", {POT: 18, f"{ONE}:held": -9, f"{TWO}:held": -9}, M)
ASKED = (f"withdraw:{A}", "withdraw", {f"{ONE}:cash": -9, f"{ONE}:pending": 9}, None)
PAID = (f"withdrawn:{A}", "payout", {f"{ONE}:pending": -9, "cashier": 9}, None)
PAID_IN = (f"deposit:{B}", "deposit", {"cashier": -5, f"{ONE}:cash": 5}, None)
TAKEN_BACK = (f"reversal:{B}", "reversal", {f"{ONE}:cash": -5, "cashier": 5}, None)
GIVEN_BACK = (f"reversal:{A}", "reversal", {"cashier": -9, f"{ONE}:cash": 9}, None)

RIGHT = {
    "a withdrawal paid": [ASKED, PAID],
    "a deposit taken back": [PAID_IN, TAKEN_BACK],
    "a payout given back": [ASKED, PAID, GIVEN_BACK],
    "both, of one number": [
        ASKED,
        PAID,
        (f"deposit:{A}", "deposit", {"cashier": -9, f"{TWO}:cash": 9}, None),
        GIVEN_BACK,
    ],
    "a withdrawal refused": [ASKED, (f"withdrawn:{A}", "refusal", {f"{ONE}:pending": -9, f"{ONE}:cash": 9}, None)],
    "a seat left": [SITTING[0], (f"stand:{A}", "stand", {f"{ONE}:held": -9, f"{ONE}:cash": 9}, M)],
    "a table called off": [
        *SITTING,
        (f"end:{M}", "cancel", {f"{ONE}:held": -9, f"{ONE}:cash": 9, f"{TWO}:held": -9, f"{TWO}:cash": 9}, M),
    ],
    "a match": [*SITTING, SEATED, (f"end:{M}", "finish", {POT: -18, f"{TWO}:cash": 15, "house:commission": 3}, M)],
}
"""Transactions (id, kind, entries, match) at a table that is open, or of none."""

WRONG = {
    "a kind of its own": [(f"tidy:{A}", "tidy", {f"{ONE}:cash": -5, "house:commission": 5}, None)],
    "a player pays the house": [(f"deposit:{A}", "deposit", {f"{ONE}:cash": -5, "house:commission": 5}, None)],
    "a player pays another": [(f"deposit:{A}", "deposit", {f"{ONE}:cash": -5, f"{TWO}:cash": 5}, None)],
    "the cashier pays the house": [(f"deposit:{A}", "deposit", {"cashier": -5, "house:commission": 5}, None)],
    "the cashier pays two": [(f"deposit:{A}", "deposit", {"cashier": -5, f"{ONE}:cash": 2, f"{TWO}:cash": 3}, None)],
    "the cashier takes": [(f"deposit:{A}", "deposit", {"cashier": 5, f"{ONE}:cash": -5}, None)],
    "a deposit of another name": [(f"gift:{A}", "deposit", {"cashier": -5, f"{ONE}:cash": 5}, None)],
    "a deposit of a match": [(f"deposit:{A}", "deposit", {"cashier": -5, f"{ONE}:cash": 5}, M)],
    "a sitting of no match": [(f"sit:{A}", "sit", {f"{ONE}:cash": -9, f"{ONE}:held": 9}, None)],
    "a stake for another": [(f"sit:{A}", "sit", {f"{ONE}:cash": -9, f"{TWO}:held": 9}, M)],
    "a withdrawal of another": [(f"withdraw:{A}", "withdraw", {f"{ONE}:cash": -9, f"{TWO}:pending": 9}, None)],
    "a payout not asked for": [ASKED, (f"withdrawn:{B}", "payout", {f"{ONE}:pending": -9, "cashier": 9}, None)],
    "a payout in part": [ASKED, (f"withdrawn:{A}", "payout", {f"{ONE}:pending": -8, "cashier": 8}, None)],
    "nothing taken back": [TAKEN_BACK],
    "a deposit taken back before it": [GIVEN_BACK],
    "a deposit taken back in part": [
        PAID_IN, (f"reversal:{B}", "reversal", {f"{ONE}:cash": -4, "cashier": 4}, None),
    ],
    "a deposit taken back from another": [
        PAID_IN, (f"reversal:{B}", "reversal", {f"{TWO}:cash": -5, "cashier": 5}, None),
    ],
    "a deposit taken back for the house": [
        PAID_IN, (f"reversal:{B}", "reversal", {f"{ONE}:cash": -5, "house:commission": 5}, None),
    ],
    "a deposit made again": [PAID_IN, (f"reversal:{B}", "reversal", {"cashier": -5, f"{ONE}:cash": 5}, None)],
    "a deposit taken back by another name": [
        PAID_IN, (f"deposit:{A}", "reversal", {f"{ONE}:cash": -5, "cashier": 5}, None),
    ],
    "a deposit taken back for a match": [PAID_IN, (*TAKEN_BACK[:3], M)],
    "a payout made again": [ASKED, PAID, (f"reversal:{A}", "reversal", {f"{ONE}:cash": -9, "cashier": 9}, None)],
    "a payout given back to another": [
        ASKED, PAID, (f"reversal:{A}", "reversal", {"cashier": -9, f"{TWO}:cash": 9}, None),
    ],
    "a refusal given back": [
        ASKED, (f"withdrawn:{A}", "refusal", {f"{ONE}:pending": -9, f"{ONE}:cash": 9}, None), GIVEN_BACK,
    ],
    "a refusal for another": [ASKED, (f"withdrawn:{A}", "refusal", {f"{ONE}:pending": -9, f"{TWO}:cash": 9}, None)],
    "a stand in part": [SITTING[0], (f"stand:{A}", "stand", {f"{ONE}:held": -8, f"{ONE}:cash": 8}, M)],
    "a stand of nobody": [SITTING[0], (f"stand:{B}", "stand", {f"{ONE}:held": -9, f"{ONE}:cash": 9}, M)],
    "a pot of one stake of two": [*SITTING, (f"pot:{M}", "pot", {POT: 9, f"{ONE}:held": -9}, M)],
    "a pot of nobody's": [(f"pot:{M}", "pot", {POT: 9, f"{ONE}:cash": -9}, M)],
    "a pot of another name": [*SITTING, (f"pot:{A}", "pot", {POT: 18, f"{ONE}:held": -9, f"{TWO}:held": -9}, M)],
    "a stake called off to another": [
        SITTING[0], (f"end:{M}", "cancel", {f"{ONE}:held": -9, f"{TWO}:cash": 9}, M),
    ],
    "a table called off for a fee": [
        SITTING[0], (f"end:{M}", "cancel", {f"{ONE}:held": -9, f"{ONE}:cash": 8, "house:commission": 1}, M),
    ],
    "a pot in part": [*SITTING, SEATED, (f"end:{M}", "finish", {POT: -17, f"{TWO}:cash": 17}, M)],
    "a pot to a friend": [*SITTING, SEATED, (f"end:{M}", "finish", {POT: -18, f"player:{C}:cash": 18}, M)],
    "a pot to the cashier": [*SITTING, SEATED, (f"end:{M}", "finish", {POT: -18, "cashier": 18}, M)],
    "a pot and more": [*SITTING, SEATED, (f"end:{M}", "finish", {POT: -18, f"{ONE}:cash": -2, f"{TWO}:cash": 20}, M)],
    "a fee of a void match": [
        *SITTING, SEATED, (f"end:{M}", "void", {POT: -18, f"{ONE}:cash": 9, f"{TWO}:cash": 8, "tax": 1}, M),
    ],
    "an end of no pot": [(f"end:{M}", "finish", {f"{ONE}:cash": -9, f"{TWO}:cash": 9}, M)],
}  # fmt: skip
"""Its last one is not of the list."""


def booked(made: House, posted: list[tuple[str, str, dict[str, int], str | None]]) -> House:
    made.open(Server(68, **TERMS).match)
    for one in posted:
        made.post(*one)
    made.ledger()
    return made


@pytest.mark.parametrize("name", RIGHT)
def test_what_may_move(name: str, tmp_path: Path) -> None:
    booked(House(), RIGHT[name]).write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])


@pytest.mark.parametrize("name", WRONG)
def test_what_may_not_move(name: str, tmp_path: Path) -> None:
    made = booked(House(), WRONG[name])
    made.write(tmp_path)
    last, kind, *_ = WRONG[name][-1]
    assert [(one.code, one.detail) for one in look(tmp_path).findings] == [("money", ("not_listed", last, kind))]


def test_another_asset_is_other_money(tmp_path: Path) -> None:
    made = booked(House(), RIGHT["a match"])
    made.journal[-1]["asset"] = "OTHER"
    restated(made).write(tmp_path)
    assert {one.detail[0] for one in look(tmp_path).findings} == {"not_listed"}


def test_lines_that_no_leaf_covers_are_asked_about(tmp_path: Path) -> None:
    """From ten minutes after the first of them, be there a leaf over what stands before or none at all."""
    at = House().journal[0]["at"]
    policy = Policy.parse(POLICY.encode())
    for number, made in enumerate((House(), booked(House(), RIGHT["a match"]))):
        covered = len(made.journal) if number else 0
        made.post(*ASKED[:3])
        made.post(f"deposit:{C}", "deposit", {"cashier": -5, f"{ONE}:cash": 5})
        made.write(tmp_path / str(number))
        source = Directory(tmp_path / str(number))
        assert audit(source, Wishes(policy, at + 600_000)).questions.unsigned is None
        outcome = audit(source, Wishes(policy, at + 600_001))
        assert (outcome.findings, outcome.faults) == ([], [])
        assert outcome.questions.unsigned == Unsigned(len(made.journal) - covered, 600_001)
        if number:
            made.ledger()
            made.write(tmp_path / "covered")
            assert audit(Directory(tmp_path / "covered"), Wishes(policy, NOW)).questions.unsigned is None
