"""The log part of a bundle's header: its form, its checkpoint and its signatures."""

import random
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier import Policy, verify
from fairdeal_verifier.merkle import roots
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, WITNESSES, cosigned, policy
from tests.verifier.logged_match import (
    OPERATOR_ALONE,
    PLAIN,
    VERIFIED,
    WITNESSED,
    body,
    damaged,
    found,
    played,
    report_of,
)
from tests.verifier.reports import Told, told

ALL_WITNESSES = policy(witnesses=WITNESSES, quorum="all", more="group all all w1.example w2.example w3.example")


def test_step_1_checkpoint() -> None:
    server = played()
    server.log.witnesses = WITNESSES
    server.logged()
    altered = ("altered", 1, "checkpoint", None)
    note = server.log.checkpoint()
    text, line = body(note), note.splitlines(keepends=True)
    assert found(server, WITNESSED, checkpoint=note) == VERIFIED
    assert found(server, WITNESSED, checkpoint=damaged(note, 4)) == altered
    assert found(server, WITNESSED, checkpoint=damaged(note)) == altered
    assert found(server, PLAIN, checkpoint=damaged(note)) == OPERATOR_ALONE
    assert found(server, WITNESSED, checkpoint=note + line[4]) == altered
    assert found(server, WITNESSED, checkpoint=note + line[-1]) == altered
    assert found(server, PLAIN, checkpoint=note + line[-1]) == OPERATOR_ALONE
    assert found(server, WITNESSED, checkpoint=note.replace(line[4], line[4][:-9] + "\n")) == altered
    other = server.log.checkpoint(origin="other.example/log")
    assert found(server, WITNESSED, checkpoint=other) == altered
    elsewhere = (LOG_KEY[0], "other.example/log")
    by_other = cosigned(text, [elsewhere], WITNESSES)
    assert found(server, policy((elsewhere,)), checkpoint=by_other) == altered
    by_both = cosigned(text, [(NEXT_LOG_KEY[0], "other.example/log"), LOG_KEY], [])
    assert (
        found(server, policy((LOG_KEY, (NEXT_LOG_KEY[0], "other.example/log"))), checkpoint=by_both) == OPERATOR_ALONE
    )
    # A cosignature by the log's own key is no signature of the log.
    assert found(server, PLAIN, checkpoint=cosigned(text, [], [LOG_KEY])) == ("unchecked", 1, "unknown_key", None)
    without = report_of(server, WITNESSED, checkpoint=other)
    assert without.log is not None
    assert without.log.cosignatures == 0


def test_step_1_head() -> None:
    """The receipts key is the one of `open`, and no policy has to list it."""
    server = played()
    match = server.match
    tree, size = roots(match.leaves), len(match.events)
    altered = ("altered", 1, "head_signature", None)

    def by_head(head: str, trusted: Policy | None = PLAIN) -> Told:
        return told(verify(match.bundle(head), trusted, None))

    true = match.receipt(size, tree)
    assert by_head(true) == OPERATOR_ALONE
    assert by_head(damaged(true)) == altered
    assert by_head(match.receipt(size, tree, name="other")) == altered
    assert by_head(damaged(true), None) == ("unchecked", 1, "head_signature", None)
    by_log = cosigned(body(true), [LOG_KEY], [])
    assert by_head(by_log) == altered


@pytest.mark.parametrize(
    "change",
    [
        lambda part: part.pop("checkpoint"),
        lambda part: part.pop("consistency"),
        lambda part: part.pop("leaves"),
        lambda part: part.update(more=0),
        lambda part: part.update(checkpoint=None),
        lambda part: part.update(checkpoint=part["checkpoint"].replace("\n\n", "\nextension\n\n")),
        lambda part: part.update(leaves=[]),
        lambda part: part.update(leaves=part["leaves"][1:]),
        lambda part: part["leaves"].reverse(),
        lambda part: part["leaves"].append(part["leaves"][-1]),
        lambda part: part["leaves"].insert(1, part["leaves"][0]),
        lambda part: part["leaves"][1].update(more=0),
        lambda part: part["leaves"][1].update(index=-1),
        lambda part: part["leaves"][1]["leaf"].update(more=0),
        lambda part: part["leaves"][1].update(leaf={"root": "00" * 32, "size": 1, "type": "ledger"}),
        lambda part: part["leaves"][1]["proof"].append("00" * 31),
        lambda part: part["leaves"][1].update(proof=["00" * 32] * 64),
        lambda part: part["consistency"].append(part["consistency"][-1]),
        lambda part: part["consistency"][0].update(size=0),
        lambda part: part["consistency"][0].update(proof=["00" * 32] * 64),
        lambda part: part["consistency"][0].update(more=0),
    ],
)
def test_a_header_that_is_not_of_its_form(change: Callable[[Any], object]) -> None:
    server = played()
    change(server.match.log_part)
    assert found(server) == ("malformed", 0, "header", None)


def test_the_header_has_a_limit_of_its_own() -> None:
    server = played()
    long = ["00" * 32] * 63
    few = [{"proof": long, "size": size} for size in range(1, 14)]
    assert found(server, consistency=few)[:3] == ("altered", 2, "consistency")
    assert found(server, consistency=[*few, {"proof": long, "size": 14}, {"proof": long, "size": 15}])[2] == "size"


@pytest.mark.parametrize("held", [None, 0])
def test_one_changed_byte_of_the_header_accuses_nobody(held: int | None) -> None:
    """And it is `verified` no more: what is lost was asked for."""
    server, chooser = played(), random.Random(held)
    server.log.witnesses = WITNESSES
    server.logged()
    match = server.match
    good = match.bundle()
    kept = None if held is None else match.held_file(held)
    assert verify(good, ALL_WITNESSES, kept).anchor == "witnesses"
    causes = set()
    for place in range(0, good.index(b"\n"), 3):
        changed = good[:place] + bytes([good[place] ^ 1 << chooser.randrange(7)]) + good[place + 1 :]
        report = verify(changed, ALL_WITNESSES, kept)
        assert report.verdict in ("altered", "malformed", "unchecked") or (report.anchor == "held")
        causes.add(report.cause)
    assert {"encoding", "header", "checkpoint", "head_signature", "inclusion", "consistency"} <= causes


def test_the_note_of_the_checkpoint_stands_as_it_came() -> None:
    """Lines of keys that nobody knows, before and after the log's, change nothing."""
    server = played()
    note = server.log.checkpoint()
    text, line = body(note), note.splitlines()[-1]
    strange = f"— ecdsa.example {b64encode(bytes(75)).decode()}"
    assert found(server, checkpoint=f"{text}\n{strange}\n{line}\n{strange}\n") == OPERATOR_ALONE
