"""The leaves of the log, and the files that carry them with their proofs (protocol sections 5 and 7.2)."""

import json
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.errors import Malformed
from fairdeal.keys import SigningKey
from fairdeal.match import (
    Held,
    HeldLog,
    LogPart,
    MatchState,
    ProvenLeaf,
    SeenProof,
    due_leaves,
    evolve,
    key_leaf,
    key_message,
    ledger_leaf,
    lost_leaf,
    outage_leaf,
    parse_bundle,
    parse_held,
    parse_leaf,
    write_bundle,
    write_held,
)
from fairdeal.tlog import VerifierKey
from tests.simulator import ENDINGS, play

HASH = "ab" * 32
M = "cd" * 16


def leaves_of(ending: str) -> tuple[list[dict[str, Any]], list[MatchState]]:
    played = play(7, ending)
    before: MatchState | None = None
    leaves, states = [], []
    for event in played.events:
        after = evolve(before, event, played.keys.server_seed)
        leaves += [parse_leaf(leaf) for leaf in due_leaves(before, after, played.keys.server_seed)]
        states.append(after)
        before = after
    return leaves, states


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_match_opens_first_and_closes_last(ending: str) -> None:
    leaves, states = leaves_of(ending)
    types = [leaf["type"] for leaf in leaves]
    assert types == [kind for kind in ("open", "full", "start", "close") if kind in types]
    assert (types[0], types[-1] == "close") == ("open", states[-1].phase == "closed")
    assert leaves[0]["root"] == states[0].root.hex()
    for leaf in leaves[1:]:
        size = leaf.get("size", states[0].terms.seats + 1)
        assert leaf["root"] == states[size - 1].root.hex()


def test_outcomes_follow_from_the_end() -> None:
    assert leaves_of("target")[0][-1]["outcome"] == "played"
    assert leaves_of("resigned")[0][-1]["outcome"] == "forfeit"
    void = leaves_of("deal_limit")[0][-1]
    assert (void["outcome"], void["cause"]) == ("void", "deal_limit")


def test_a_lost_match_closes_at_the_size_it_has() -> None:
    played = play(7, "target")
    state: MatchState | None = None
    for event in played.events[:9]:
        state = evolve(state, event, played.keys.server_seed)
    assert state is not None
    leaf = parse_leaf(lost_leaf(state, played.keys.server_seed))
    assert (leaf["outcome"], leaf["cause"], leaf["size"], leaf["root"]) == ("void", "lost", 9, state.root.hex())


def test_a_key_leaf_carries_what_both_keys_signed() -> None:
    keys = [SigningKey.from_seed(bytes([number]) * 32) for number in (1, 2)]
    old, new = (VerifierKey("log.example", key.public) for key in keys)
    message = key_message(old, new)
    leaf = parse_leaf(key_leaf(old, new, keys[0].sign(message), keys[1].sign(message)))
    assert message == b'fairdeal/1 key\n{"new":"%b","old":"%b"}' % (new.format().encode(), old.format().encode())
    assert (VerifierKey.parse(leaf["old"]), VerifierKey.parse(leaf["new"])) == (old, new)


GOOD: list[dict[str, Any]] = [
    {"commitment": HASH, "m": M, "root": HASH, "type": "open"},
    {"m": M, "root": HASH, "type": "full"},
    {"m": M, "root": HASH, "size": 6, "type": "start"},
    {"m": M, "outcome": "played", "root": HASH, "server_seed": HASH, "size": 9, "type": "close"},
    {"cause": "lost", "m": M, "outcome": "void", "root": HASH, "server_seed": HASH, "size": 9, "type": "close"},
    {"m": M, "outcome": "no_seed", "root": HASH, "seats": [0, 1], "server_seed": HASH, "size": 9, "type": "close"},
]
BAD: list[tuple[int, dict[str, Any]]] = [
    (0, {"type": "opened"}),
    (0, {"m": M.upper()}),
    (0, {"more": 1}),
    (2, {"size": 0}),
    (2, {"size": "6"}),
    (3, {"cause": "operator"}),
    (3, {"seats": [0]}),
    (3, {"outcome": "won"}),
    (4, {"cause": "target"}),
    (5, {"seats": []}),
    (5, {"seats": [1, 0]}),
    (5, {"outcome": "forfeit"}),
]


@pytest.mark.parametrize("leaf", [*GOOD, json.loads(ledger_leaf(bytes(32), 0)), json.loads(outage_leaf(1, 2))])
def test_leaves_are_read_as_they_were_written(leaf: dict[str, Any]) -> None:
    assert parse_leaf(canonical.encode(leaf)) == leaf


@pytest.mark.parametrize(("which", "change"), BAD)
def test_other_leaves_are_refused(which: int, change: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        parse_leaf(canonical.encode({**GOOD[which], **change}))


@pytest.mark.parametrize("leaf", [b"[]", b'{"from":2,"to":2,"type":"outage"}', b'{"type":["open"]}', b'{"type":"x"}'])
def test_other_texts_are_refused(leaf: bytes) -> None:
    with pytest.raises(Malformed):
        parse_leaf(leaf)


def proven(*which: int) -> tuple[ProvenLeaf, ...]:
    return tuple(ProvenLeaf(10 + index, GOOD[index], (HASH,)) for index in which)


def test_files_carry_the_log() -> None:
    played = play(7, "target")
    lines = [event.line for event in played.events]
    log = LogPart("a note\n", (SeenProof(3, (HASH,)), SeenProof(5, ())), proven(0, 1, 2, 3))
    assert parse_bundle(write_bundle("head\n", lines, log)).log == log
    assert parse_bundle(write_bundle("head\n", lines)).log is None
    held = parse_held(played.held[0])
    more = Held(held.key, held.m, held.seat, (*held.lines, HeldLog("a note\n", proven(0, 1))))
    assert parse_held(write_held(more)) == more


@pytest.mark.parametrize(
    "log",
    [
        LogPart("", (), proven(0)),
        LogPart("a note\n", (), ()),
        LogPart("a note\n", (), proven(1)),
        LogPart("a note\n", (), proven(1, 0)),
        LogPart("a note\n", (), proven(0, 0)),
        LogPart("a note\n", (), (ProvenLeaf(-1, GOOD[0], ()),)),
        LogPart("a note\n", (), (ProvenLeaf(1, GOOD[0], (HASH[1:],)),)),
        LogPart("a note\n", (), (ProvenLeaf(1, GOOD[0], (HASH,) * 64),)),
        LogPart("a note\n", (), (ProvenLeaf(1, json.loads(outage_leaf(1, 2)), ()),)),
        LogPart("a note\n", (SeenProof(0, ()),), proven(0)),
        LogPart("a note\n", (SeenProof(5, ()), SeenProof(3, ())), proven(0)),
        LogPart("a note\n", (SeenProof(5, ()), SeenProof(5, ())), proven(0)),
    ],
)
def test_a_header_of_another_form_is_refused(log: LogPart) -> None:
    lines = [event.line for event in play(7, "target").events]
    with pytest.raises(Malformed):
        parse_bundle(write_bundle("head\n", lines, log))
