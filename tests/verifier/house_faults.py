"""Faults to plant in a sound house: each leaves in it a service that signed the fault."""

from collections.abc import Callable
from typing import Any

from fairdeal_verifier import canonical
from fairdeal_verifier.merkle import roots
from tests.verifier.builder import BEGINNING, Match, Server
from tests.verifier.house import ACCOUNTS, NEXT_RECEIPTS_KEY, RECEIPTS_KEY, TERMS, House, matches, vkey
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, Signer, leaf_of

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
"""By name: the code and the first detail of the one finding, and what plants it."""
