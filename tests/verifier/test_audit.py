"""The audit of a whole log: every finding planted, and what is merely damaged or missing accuses nobody."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal_verifier import Policy, canonical, cli
from fairdeal_verifier.audit.questions import Unsigned
from fairdeal_verifier.audit.report import verdict_of
from fairdeal_verifier.audit.run import Outcome, Wishes, audit
from fairdeal_verifier.audit.source import Directory
from fairdeal_verifier.audit.state import State
from fairdeal_verifier.errors import WrongUsage
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.notes import Checkpoint
from tests.verifier.builder import BEGINNING, Match, Server, public, target
from tests.verifier.house import ACCOUNTS, NEXT_RECEIPTS_KEY, RECEIPTS_KEY, TERMS, House, house, matches, vkey
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, WITNESSES, Log, Signer, leaf_of, policy_text

POLICY = policy_text()
NOW = BEGINNING + 10 * 86_400_000


def look(folder: Path, policy: str | None = POLICY, **wishes: Any) -> Outcome:
    listed = None if policy is None else Policy.parse(policy.encode())
    return audit(Directory(folder), Wishes(listed, NOW, **wishes))


def verdict(folder: Path, policy: str | None = POLICY, **wishes: Any) -> tuple[str, str | None]:
    listed = None if policy is None else Policy.parse(policy.encode())
    wished = Wishes(listed, NOW, **wishes)
    return verdict_of(audit(Directory(folder), wished), wished)


def note(log: Log, size: int | None = None, **changed: Any) -> Checkpoint:
    return Checkpoint.parse(log.checkpoint(size, **changed))


def test_a_whole_house(tmp_path: Path) -> None:
    made = house()
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])
    counts = outcome.counts
    assert (counts["matches"], counts["closed"], counts["replayed"]) == (8, 8, 8)
    assert counts["leaves"] == len(made.log.entries)
    assert counts["transactions"] == len(made.journal)
    assert verdict(tmp_path) == ("unchecked", "no_anchor")
    assert verdict(tmp_path, since=note(made.log, 20)) == ("verified", None)
    assert verdict(tmp_path, since=note(made.log, 0)) == ("unchecked", "no_anchor")
    assert verdict(tmp_path, policy=None) == ("unchecked", "no_policy")
    stranger = policy_text((NEXT_LOG_KEY,))
    assert verdict(tmp_path, stranger, since=note(made.log, 20)) == ("unchecked", "unknown_key")
    assert look(tmp_path, stranger).faults == []


def test_witnesses_anchor(tmp_path: Path) -> None:
    made = house()
    made.log.witnesses = WITNESSES[:2]
    made.signed.clear()
    made.write(tmp_path)
    quorum = policy_text((LOG_KEY,), WITNESSES, "q", "group q {} " + " ".join(name for _, name in WITNESSES))
    assert verdict(tmp_path, quorum.format(2)) == ("verified", None)
    assert verdict(tmp_path, quorum.format(3)) == ("unchecked", "no_anchor")
    assert look(tmp_path, quorum.format(2)).cosignatures == 2


def test_processes_agree_with_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal_verifier.audit.pool.BATCH", 2)
    made = plant_settlement(house())
    (tmp_path / "matches").mkdir()
    made.write(tmp_path)
    alone, together = look(tmp_path), look(tmp_path, jobs=2)
    assert alone.findings == together.findings
    assert alone.counts == together.counts
    assert alone.questions == together.questions


@pytest.mark.parametrize("matches_open", [0, 1])
def test_an_empty_log(matches_open: int, tmp_path: Path) -> None:
    made = House()
    for number in range(matches_open):
        made.open(matches()[number])
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])
    assert outcome.counts["leaves"] == matches_open


def test_a_log_of_several_tiles(tmp_path: Path) -> None:
    """Also where it has grown meanwhile: then the full tile stands for the partial one."""
    made = House()
    for number in range(300):
        made.leaf({"from": number, "to": number + 1, "type": "outage"})
    made.write(tmp_path)
    assert verdict(tmp_path) == ("unchecked", "no_anchor")
    newest = made.log.checkpoint(100)
    (tmp_path / "checkpoint").write_text(newest)
    for size in (100, 300):
        (tmp_path / f"checkpoints/{size}").unlink(missing_ok=True)
    assert (tmp_path / "tile/0/000").exists()
    assert verdict(tmp_path) == ("unchecked", "no_anchor")


# What is planted: each takes a house and leaves in it a service that signed the fault.

Plant = Callable[[House], House]
ONE, TWO = (f"player:{account}" for account in ACCOUNTS[:2])


def reopened(made: House, match: Match, **changed: Any) -> None:
    """The match is logged as it is now, under the leaves that it has."""
    for kind in ("open", "full", "start", "close"):
        try:
            index = made.find(kind, match.m)
        except LookupError:
            continue
        made.log.entries[index] = canonical.encode(leaf_of(kind, match) | (changed if kind == "close" else {}))
    made.transcripts[match.m] = match.leaves
    made.signed.clear()


def plant_leaf(made: House) -> House:
    made.log.entries.append(b'{"type":"promise"}')
    return made


def plant_long_leaf(made: House) -> House:
    made.log.entries.append(b'"' + b"x" * 20_000 + b'"')
    return made


def plant_second_open(made: House) -> House:
    made.log.entries.append(made.log.entries[made.find("open")])
    return made


def plant_second_full(made: House) -> House:
    server = Server(60, **TERMS).sit()
    made.open(server.match)
    full = leaf_of("full", server.match)
    made.leaf(full)
    made.leaf(full)
    return made


def plant_start_first(made: House) -> House:
    server = Server(61, **TERMS).begin()
    made.open(server.match)
    made.leaf(leaf_of("start", server.match))
    return made


def plant_after_close(made: House) -> House:
    made.log.entries.append(made.log.entries[made.find("close")])
    return made


def plant_stray_close(made: House) -> House:
    server = Server(62, **TERMS).begin()
    server.resign(0)
    made.leaf(leaf_of("close", server.match))
    return made


def plant_commitment(made: House) -> House:
    """Two tables for one seed; the second stays open."""
    server = Server(63, **TERMS, commitment=matches()[0].events[0]["data"]["commitment"])
    made.open(server.match)
    return made


def plant_seed(made: House) -> House:
    """Another seed is revealed than the one promised."""
    match = matches()[6]
    match.events[match.find("reveal")]["data"]["server_seed"] = "77" * 32
    reopened(made, match)
    return made


def plant_settlement(made: House) -> House:
    """The house keeps a unit, in the match and in the journal alike."""
    match = matches()[0]
    lines = match.events[-1]["data"]["lines"]
    lines[1]["amount"], lines[3]["amount"] = lines[1]["amount"] - 1, lines[3]["amount"] + 1
    reopened(made, match)
    return made


def plant_open(made: House) -> House:
    """The first event that was logged is not the one of the match."""
    made.change(made.find("open"), root="ab" * 32)
    made.signed.clear()
    return made


def plant_no_full(made: House) -> House:
    del made.log.entries[made.find("full", matches()[3].m)]
    made.signed.clear()
    return made


def plant_outcome(made: House) -> House:
    made.change(made.find("close"), outcome="forfeit")
    made.signed.clear()
    return made


def plant_malformed_event(made: House) -> House:
    match = matches()[6]
    lines = [*match.leaves[:-1], b'{"by":-1,"data":{},"n":3,"t":1,"type":"reveal"}']
    made.transcripts[match.m] = lines
    made.change(made.find("close", match.m), root=roots(lines)[-1].hex())
    made.signed.clear()
    return made


def plant_other_log(made: House) -> House:
    server = Server(64, **TERMS, log="other.example/log")
    made.open(server.match)
    return made


def plant_retired_key(made: House) -> House:
    """The old key signs on after it was replaced."""
    rotate(made, LOG_KEY, NEXT_LOG_KEY)
    made.signed[len(made.log.entries)] = made.log.checkpoint(signers=(LOG_KEY,))
    made.leaf({"from": 5, "to": 6, "type": "outage"})
    return made


def plant_key_signature(made: House) -> House:
    rotate(made, RECEIPTS_KEY, NEXT_RECEIPTS_KEY, sig_old="00" * 64)
    made.keys.pop()
    return made


def plant_old_key(made: House) -> House:
    rotate(made, RECEIPTS_KEY, NEXT_RECEIPTS_KEY)
    rotate(made, RECEIPTS_KEY, (LOG_KEY[0], RECEIPTS_KEY[1]))
    made.keys.pop()
    return made


def plant_foreign_key(made: House) -> House:
    rotate(made, (LOG_KEY[0], "other.example"), (NEXT_LOG_KEY[0], "other.example"))
    made.keys.pop()
    return made


def plant_receipts_key(made: House) -> House:
    """A match under the key that was replaced."""
    rotate(made, RECEIPTS_KEY, NEXT_RECEIPTS_KEY)
    made.open(Server(65, **TERMS).match)
    return made


def plant_resume(made: House) -> House:
    made.change(made.find("outage"), to=BEGINNING + 10**9)
    made.signed.clear()
    return made


def plant_malformed_money(made: House) -> House:
    made.post("deposit:" + "ee" * 16, "deposit", {"cashier": -5, f"player:{ACCOUNTS[0]}:cash": 4})
    made.ledger()
    return made


def plant_repeated_money(made: House) -> House:
    made.post("deposit:" + "0" * 32, "deposit", {"cashier": -5, f"player:{ACCOUNTS[0]}:cash": 5})
    made.ledger()
    return made


def plant_overdraft(made: House) -> House:
    account = f"player:{ACCOUNTS[0]}"
    made.post("withdraw:" + "ee" * 16, "withdraw", {f"{account}:cash": -(10**9), f"{account}:pending": 10**9})
    made.ledger()
    return made


def plant_rewritten_journal(made: House) -> House:
    """What an older leaf fixed is not what the newest one says."""
    made.journal[0]["at"] += 1
    made.change(len(made.log.entries) - 1, root=roots(made.lines)[-1].hex())
    made.signed.clear()
    return made


def plant_two_journals(made: House) -> House:
    """Two leaves over journals of one size."""
    made.leaf({"root": "ab" * 32, "size": len(made.journal), "type": "ledger"})
    made.ledger()
    return made


def plant_smaller_journal(made: House) -> House:
    size = len(made.journal) - 3
    made.leaf({"root": roots(made.lines[:size])[-1].hex(), "size": size, "type": "ledger"})
    return made


def restated(made: House) -> House:
    """All leaves over the journal say what it is now."""
    for index, entry in enumerate(made.log.entries):
        leaf: Any = canonical.decode(entry)
        if leaf["type"] == "ledger":
            made.change(index, root=roots(made.lines[: leaf["size"]])[-1].hex())
    made.signed.clear()
    return made


def plant_pot(made: House) -> House:
    """A pot with somebody else's money in it."""
    entries = made.posted(f"pot:{matches()[0].m}")["entries"]
    entries[0]["amount"] += 1
    entries.append({"account": f"player:{ACCOUNTS[3]}:cash", "amount": -1})
    return restated(made)


def plant_wrong_winner(made: House) -> House:
    """The prize goes to the other account of the match."""
    entries = made.posted(f"end:{matches()[0].m}")["entries"]
    prize = next(entry for entry in entries if entry["account"].startswith("player:"))
    loser = next(a for a in ACCOUNTS[:2] if a not in prize["account"])
    prize["account"] = f"player:{loser}:cash"
    return restated(made)


def plant_no_settlement(made: House) -> House:
    """The last match is never paid out."""
    made.journal.remove(made.posted(f"end:{matches()[7].m}"))
    made.change(len(made.log.entries) - 1, root=roots(made.lines)[-1].hex(), size=len(made.journal))
    made.signed.clear()
    return made


def plant_stranger(made: House) -> House:
    made.post(
        "pot:" + "ee" * 16, "pot", {"match:" + "ee" * 16 + ":pot": 2, f"player:{ACCOUNTS[0]}:cash": -2}, "ee" * 16
    )
    made.ledger()
    return made


def plant_pot_of_none(made: House) -> House:
    m = matches()[6].m
    made.post(f"pot:{m}", "pot", {f"match:{m}:pot": 2, f"player:{ACCOUNTS[0]}:cash": -2}, m)
    made.ledger()
    return made


def plant_kept_stake(made: House) -> House:
    """A table was called off, and its stake is held for ever."""
    made.journal.remove(made.posted(f"end:{matches()[6].m}"))
    return restated(shortened(made))


def plant_kept_pot(made: House) -> House:
    """A match of an audit before this one was never paid out."""
    made.post("sit:" + "dd" * 16, "sit", {f"{ONE}:cash": -2, f"{ONE}:held": 2}, matches()[6].m)
    made.ledger()
    return made


def shortened(made: House) -> House:
    """The newest leaf over the journal is over one line less."""
    made.change(len(made.log.entries) - 1, size=len(made.journal))
    return made


def rotate(made: House, old: Signer, new: Signer, **changed: Any) -> None:
    keys = {"new": vkey(new), "old": vkey(old)}
    message = b"fairdeal/1 key\n" + canonical.encode(keys)
    signed = {"sig_new": new[0].sign(message).hex(), "sig_old": old[0].sign(message).hex()}
    index = made.leaf({**keys, **signed, "type": "key"} | changed)
    made.keys.append({"from": index + 1, "vkey": vkey(new)})
    if old == made.log.key:
        made.log.key = new


BOTH = policy_text((LOG_KEY, NEXT_LOG_KEY))

PLANTS: dict[str, tuple[str, str, Plant]] = {
    "no leaf": ("leaf", "no_leaf", plant_leaf),
    "a long leaf": ("leaf", "no_leaf", plant_long_leaf),
    "a second open": ("order", "second", plant_second_open),
    "a second full": ("order", "second", plant_second_full),
    "a start before the full": ("order", "start_first", plant_start_first),
    "a second close": ("order", "after", plant_after_close),
    "a close of no open": ("order", "before_open", plant_stray_close),
    "a commitment twice": ("commitment", "same_commitment", plant_commitment),
    "another seed": ("seed", "not_opened", plant_seed),
    "a settlement": ("transcript", "step_at", plant_settlement),
    "another opening": ("transcript", "step_at", plant_open),
    "no full": ("transcript", "step", plant_no_full),
    "an outcome": ("transcript", "step_at", plant_outcome),
    "a malformed event": ("transcript", "step_at", plant_malformed_event),
    "a match of another log": ("transcript", "step_at", plant_other_log),
    "a retired key": ("key", "checkpoint_key", plant_retired_key),
    "a key's signature": ("key", "key_signature", plant_key_signature),
    "an old key": ("key", "old_key", plant_old_key),
    "a key of another name": ("key", "key_name", plant_foreign_key),
    "a receipts key": ("key", "receipts_key", plant_receipts_key),
    "a resume": ("resume", "resume", plant_resume),
    "a malformed transaction": ("money", "no_transaction", plant_malformed_money),
    "a transaction twice": ("money", "posted_twice", plant_repeated_money),
    "an overdraft": ("money", "below_zero", plant_overdraft),
    "a rewritten journal": ("money", "journal_root", plant_rewritten_journal),
    "two journals": ("money", "journal_root", plant_two_journals),
    "a smaller journal": ("money", "journal_smaller", plant_smaller_journal),
    "a pot": ("money", "not_as_said", plant_pot),
    "another winner": ("money", "not_as_said", plant_wrong_winner),
    "no settlement": ("money", "not_posted", plant_no_settlement),
    "a stranger's pot": ("money", "no_match", plant_stranger),
    "a pot of no table": ("money", "without_pot", plant_pot_of_none),
    "a stake kept": ("money", "left", plant_kept_stake),
    "a stake for a closed table": ("money", "left", plant_kept_pot),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_fault_is_the_one_finding(name: str, tmp_path: Path) -> None:
    code, detail, plant = PLANTS[name]
    plant(house()).write(tmp_path)
    outcome = look(tmp_path, BOTH)
    assert [(found.code, found.detail[0]) for found in outcome.findings] == [(code, detail)]
    assert outcome.faults == []
    assert verdict(tmp_path, BOTH) == ("cheated", None)
    assert verdict(tmp_path, None) == ("unchecked", "no_policy")


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


def test_a_finding_names_its_place(tmp_path: Path) -> None:
    made = plant_settlement(house())
    made.write(tmp_path)
    [found] = look(tmp_path).findings
    match = matches()[0]
    assert found.detail == ("step_at", 10, "settle", len(match.events) - 1)
    assert (found.index, found.m) == (made.find("close", match.m), match.m)


def test_a_seed_used_twice(tmp_path: Path) -> None:
    made = house()
    server = Server(64, **TERMS, commitment=matches()[6].events[0]["data"]["commitment"])
    server.server_seed = bytes.fromhex(matches()[6].events[-1]["data"]["server_seed"])
    server.end("cancelled", None)
    made.add(server.match)
    made.write(tmp_path)
    assert [found.code for found in look(tmp_path).findings] == ["commitment", "seed"]


# Two histories.


def test_a_checkpoint_of_another_history(tmp_path: Path) -> None:
    made, other = house(), Log()
    other.fill(9)
    made.signed[9] = other.checkpoint()
    made.write(tmp_path)
    [found] = look(tmp_path).findings
    assert (found.code, found.detail) == ("fork", ("root", "checkpoints/9", 9))
    (tmp_path / "checkpoints/9").unlink()
    assert look(tmp_path).findings == []
    [found] = look(tmp_path, since=note(other)).findings
    assert (found.code, found.detail) == ("fork", ("root", "--since", 9))


def test_two_roots_of_the_newest_size_need_no_entries(tmp_path: Path) -> None:
    made, other = house(), Log()
    made.write(tmp_path)
    other.fill(len(made.log.entries))
    next((tmp_path / "tile/entries").iterdir()).rename(tmp_path / "gone")
    outcome = look(tmp_path, since=note(other))
    assert [found.code for found in outcome.findings] == ["fork"]
    assert [fault.code for fault in outcome.faults] == ["missing"]
    assert verdict(tmp_path, since=note(other)) == ("cheated", None)


def test_a_log_that_ends_before_the_auditors_own_checkpoint(tmp_path: Path) -> None:
    made = house()
    made.write(tmp_path)
    made.leaf({"from": 1, "to": 2, "type": "outage"})
    assert verdict(tmp_path, since=note(made.log)) == ("altered", None)


def test_a_checkpoint_that_a_player_saw(tmp_path: Path) -> None:
    """Somebody claims to have been shown another history; where it is signed, it is a fork."""
    other = Log()
    other.fill(4)
    made, server = house(), Server(66, **TERMS)
    server.seen = lambda: {"root": other.root(4).hex(), "size": 4}  # type: ignore[attr-defined]
    server.begin()
    server.resign(1)
    made.add(server.match)
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert outcome.findings == []
    assert [(one.m, one.size) for one in outcome.questions.seen] == [(server.match.m, 4)] * 2
    (tmp_path / "checkpoints/4").write_text(other.checkpoint())
    assert [found.code for found in look(tmp_path).findings] == ["fork"]


def test_keys_of_their_time(tmp_path: Path) -> None:
    made = house()
    rotate(made, LOG_KEY, NEXT_LOG_KEY)
    rotate(made, RECEIPTS_KEY, NEXT_RECEIPTS_KEY)
    made.open(Server(67, **TERMS | {"receipt_key": public(NEXT_RECEIPTS_KEY[0]).hex()}).match)
    made.write(tmp_path)
    outcome = look(tmp_path, BOTH)
    assert (outcome.findings, outcome.faults) == ([], [])
    # The old key signed checkpoints of its time, and the log's leaf says so.
    assert look(tmp_path, policy_text((NEXT_LOG_KEY,))).findings == []


def test_a_broken_tree_hides_which_key_was_in_force(tmp_path: Path) -> None:
    made = house()
    rotate(made, LOG_KEY, NEXT_LOG_KEY)
    made.write(tmp_path)
    next((tmp_path / "tile/entries").rglob("*/*")).write_bytes(b"")
    outcome = look(tmp_path, BOTH)
    assert outcome.findings == []
    assert [fault.code for fault in outcome.faults] == ["damaged"]


# What nobody signed.


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


# What an auditor asks about.


def lost(made: House, kept: int) -> Match:
    """A match that a restored store still had live: its leaf alone ends it, stakes back."""
    server = Server(71, **TERMS).begin().steps(9)
    match = server.match
    match.events = match.events[:kept]
    made.begin(match)
    leaf = {"cause": "lost", "m": match.m, "outcome": "void", "server_seed": server.server_seed.hex(), "type": "close"}
    made.leaf(leaf | {"root": roots(match.leaves)[-1].hex(), "size": kept})
    made.transcripts[match.m] = match.leaves
    stake = match.events[0]["data"]["stake"]
    made.settle(match.m, {"pot": -2 * stake, "seat:0": stake, "seat:1": stake}, "void")
    made.ledger()
    return match


def test_a_lost_match(tmp_path: Path) -> None:
    made = house()
    match = lost(made, 7)
    made.write(tmp_path)
    outcome = look(tmp_path)
    assert (outcome.findings, outcome.faults) == ([], [])
    assert outcome.questions.lost == [match.m]
    posted = made.posted(f"end:{match.m}")
    posted["entries"][1]["amount"] += 1
    posted["entries"][2]["amount"] -= 1
    restated(made).write(tmp_path)
    assert [found.code for found in look(tmp_path).findings] == ["money"]


def test_questions(tmp_path: Path) -> None:
    made = house()
    late = Server(72, **TERMS)
    late.match.events[0]["t"] -= 90_000
    late.match.events[0]["data"]["close_by"] = NOW - 5_000
    made.open(late.match)
    made.write(tmp_path)
    asked = look(tmp_path).questions
    index = len(made.log.entries) - 1
    assert [(one.m, one.index, one.overdue_ms) for one in asked.not_closed] == [(late.match.m, index, 5_000)]
    [backwards] = asked.backwards
    assert (backwards.m, backwards.index, backwards.by_ms) == (late.match.m, index, 90_000)
    assert asked.endings == {"played": 4, "forfeit": 1, "no_seed": 1, "void": 1}
    assert asked.void == [matches()[5].m]
    assert asked.lost == []
    first, second = asked.accounts[ACCOUNTS[0]], asked.accounts[ACCOUNTS[1]]
    assert (first.matches, first.endings.total(), first.seeds_missing) == (7, 3, 1)
    assert (second.matches, second.endings.total(), second.seeds_missing) == (7, 3, 0)
    assert ACCOUNTS[2] not in asked.accounts


# The auditor's own checkpoint, and its notes.


def test_since_spares_what_was_closed_under_it(tmp_path: Path) -> None:
    made = house()
    made.write(tmp_path)
    since = note(made.log)
    match = target(73, target=40, **TERMS)
    made.add(match)
    made.ledger()
    made.write(tmp_path)
    for old in matches():
        (tmp_path / f"matches/{old.m}.jsonl").unlink()
    outcome = look(tmp_path, since=since)
    assert (outcome.findings, outcome.faults) == ([], [])
    assert (outcome.counts["replayed"], outcome.counts["skipped"]) == (1, 8)


def test_notes_spare_what_was_replayed(tmp_path: Path) -> None:
    house().write(tmp_path / "log")
    state = tmp_path / "notes"
    assert audited(tmp_path, state)["resumed"] == 0
    data = state.read_bytes()
    lines = data.splitlines(keepends=True)
    assert len(lines) == 8
    for kept in (len(data), len(data) - 1, len(data) - len(lines[-1]) - 1, 10):
        state.write_bytes(data[:kept])
        known = data[:kept].count(b"\n")
        assert audited(tmp_path, state)["resumed"] == known
        assert sorted(state.read_bytes().splitlines()) == sorted(data.splitlines())
    # Not even their files are asked for.
    for match in matches():
        (tmp_path / f"log/matches/{match.m}.jsonl").unlink()
    assert audited(tmp_path, state)["resumed"] == 8
    # Another way of replaying them is another thing.
    assert cli.main(["audit", str(tmp_path / "log"), "--state", str(state), "--signatures", "last"]) == 13


def audited(folder: Path, state: Path) -> dict[str, Any]:
    kept = State(state)
    outcome = look(folder / "log", state=kept)
    kept.close()
    assert (outcome.findings, outcome.faults) == ([], [])
    assert outcome.questions.endings["played"] == 4
    return outcome.counts


def test_notes_keep_a_finding(tmp_path: Path) -> None:
    plant_settlement(house()).write(tmp_path / "log")
    for known in (0, 8):
        kept = State(tmp_path / "notes")
        outcome = look(tmp_path / "log", state=kept)
        kept.close()
        assert [found.code for found in outcome.findings] == ["transcript"]
        assert outcome.counts["resumed"] == known


def test_an_audit_killed_in_its_midst_goes_on(tmp_path: Path) -> None:
    """By SIGKILL while it reads the fifth match."""
    house().write(tmp_path / "log")
    script = f"""
import os, signal
from fairdeal_verifier.audit import pool, source
from fairdeal_verifier.cli import main
pool.BATCH = 1
read, seen = source.Directory.read, []
def killed(self, path, limit):
    seen.append(path)
    if sum("matches/" in path for path in seen) == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return read(self, path, limit)
source.Directory.read = killed
main(["audit", {str(tmp_path / "log")!r}, "--state", {str(tmp_path / "notes")!r}, "--jobs", "1"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=600)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert audited(tmp_path, tmp_path / "notes")["resumed"] == 4
