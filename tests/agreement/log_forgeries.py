"""What whoever has the log's key can sign of a match whose events are true: other leaves, other logs; and policies that
are not the one that the match was played under. Nothing here knows what is to be said.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Final

from fairdeal import canonical
from fairdeal.errors import Malformed
from fairdeal.match import LOST, HeldLog, LogPart, parse_leaf, receipt_key, write_bundle, write_held
from fairdeal.tlog import Cosigner, NoteSigner, VerifierKey
from tests.agreement.log_lies import STRANGER, cosignatures_changed, leaves_changed, members_changed, notes_changed
from tests.agreement.made_up import LeafDict
from tests.agreement.sealing import Forger
from tests.simulator import NAME, ServiceLog

_NOTHING: Final = canonical.encode({"root": "00" * 32, "size": 0, "type": "ledger"})
"""A leaf that is no match's."""


def forged_headers(forger: Forger, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """The true events, under a log in which the match's own leaves are others, elsewhere, missing or too many."""
    log, m = forger.match.service_log, forger.match.state.terms.m
    own = log.own(m)
    for index, leaf in own:
        kind = leaf["type"]
        for name, value in members_changed(leaf, rng):
            other = leaf | {name: value}
            if name != "m" and _is_leaf(other):
                yield f"{kind} {name} {value} in the log", _bundle(forger, _put(log.leaves, index, other))
        if kind != "open":
            yield f"{kind} is not in the log", _bundle(forger, _put(log.leaves, index, None))
        yield f"{kind} later in the log", _bundle(forger, [*_put(log.leaves, index, None), canonical.encode(leaf)])
        yield f"{kind} twice in the log", _bundle(forger, [*log.leaves, canonical.encode(leaf)])
    for (one, first), (other, second) in combinations(own, 2):
        what = f"{first['type']} and {second['type']} exchanged in the log"
        yield what, _bundle(forger, _put(_put(log.leaves, one, second), other, first))
    place, close = own[-1]
    root, size = forger.frontier(min(7, len(forger.lines))).root().hex(), len(forger.lines)
    lost = {name: value for name, value in close.items() if name != "seats"} | {"cause": LOST, "outcome": "void"}
    yield "closed as lost", _bundle(forger, _put(log.leaves, place, lost))
    yield "closed as lost before", _bundle(forger, _put(log.leaves, place, lost | {"root": root, "size": min(7, size)}))
    for kind, more in (("full", {}), ("start", {"size": 6}), ("start", {"size": size + 1}), ("start", {"size": 1})):
        if kind not in [leaf["type"] for _, leaf in own]:
            extra = canonical.encode({"m": m, "root": root, "type": kind} | more)
            yield f"a {kind} besides {more}", _bundle(forger, [*log.leaves[:place], extra, *log.leaves[place:]])
    yield "another leaf before", _bundle(forger, [_NOTHING, *log.leaves])
    yield "another first leaf", _bundle(forger, [_NOTHING, *log.leaves[1:]])


def _bundle(forger: Forger, leaves: list[bytes]) -> bytes:
    log, part = forger.match.service_log.with_leaves(leaves, ()), forger.log_part
    assert part is not None
    seen = [one.size for one in part.consistency if one.size <= log.size]
    whole = log.part(forger.match.state.terms.m, log.size, seen)
    by_type = {leaf.leaf["type"]: leaf for leaf in whole.leaves}
    return write_bundle(forger.head, forger.lines, replace(whole, leaves=tuple(by_type.values())))


def _put(leaves: list[bytes], index: int, leaf: LeafDict | None) -> list[bytes]:
    return [*leaves[:index], *([] if leaf is None else [canonical.encode(leaf)]), *leaves[index + 1 :]]


def _is_leaf(leaf: LeafDict) -> bool:
    try:
        parse_leaf(canonical.encode(leaf))
    except Malformed:
        return False
    return True


def held_changes(forger: Forger, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """One log line of the held file changed by anybody."""
    log, lines = forger.match.service_log, forger.held.lines
    for at, line in enumerate(lines):
        if not isinstance(line, HeldLog):
            continue
        for what, note, _ in notes_changed(log, line.checkpoint, rng):
            yield f"line {at} {what}", _with_line(forger, at, replace(line, checkpoint=note))
        for what, note in cosignatures_changed(log, line.checkpoint, rng):
            yield f"line {at} {what}", _with_line(forger, at, replace(line, checkpoint=note))
        for what, part in leaves_changed(forger, LogPart(line.checkpoint, (), line.leaves), rng):
            yield f"line {at} {what}", _with_line(forger, at, replace(line, leaves=part.leaves))
        yield f"line {at} twice", write_held(replace(forger.held, lines=(*lines[:at], line, *lines[at:])))
        yield f"line {at} last", write_held(replace(forger.held, lines=(*lines[:at], *lines[at + 1 :], line)))


def held_forks(forger: Forger, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """The held file of somebody to whom the log's key had shown another log."""
    log, m = forger.match.service_log, forger.match.state.terms.m
    own = log.own(m)
    last = max(at for at, line in enumerate(forger.held.lines) if isinstance(line, HeldLog))
    logs = {
        "another last leaf": [*log.leaves[:-1], _NOTHING],
        "another leaf before": [_NOTHING, *log.leaves],
        "another first leaf": [_NOTHING, *log.leaves[1:]],
        "more leaves": [*log.leaves, _NOTHING, _NOTHING],
    }
    for index, leaf in own:
        for name, value in members_changed(leaf, rng):
            if _is_leaf(other := leaf | {name: value}) and name != "m":
                logs[f"{leaf['type']} {name} {value}"] = _put(log.leaves, index, other)
    for what, leaves in logs.items():
        shown = log.with_leaves(leaves)
        yield what, _with_line(forger, last, shown.held(m, shown.size))
        for index, leaf in own[:-1]:
            # As it was before the next leaf of the match.
            yield f"{what}, until after {leaf['type']}", _with_line(forger, last, shown.held(m, index + 2))
    foreign = ServiceLog(replace(log.keys, log=(STRANGER,)), log.cosigners)
    foreign.append(*(leaf for leaf in log.leaves if b'"type":"key"' not in leaf))
    yield "by a stranger", _with_line(forger, last, foreign.held(m, foreign.size))


def _with_line(forger: Forger, at: int, line: HeldLog) -> bytes:
    lines = forger.held.lines
    return write_held(replace(forger.held, lines=(*lines[:at], line, *lines[at + 1 :])))


def policies(forger: Forger) -> Iterator[tuple[str, bytes]]:
    """Policies with other logs, other witnesses and other quorums than the one that the match was played under."""
    log = forger.match.service_log
    logs = [NoteSigner(NAME, key).verifier_key for key in log.keys.log]
    stranger = NoteSigner(NAME, STRANGER).verifier_key
    own = [log.keys.cosigner(number).verifier_key for number in range(2)]
    other = Cosigner("witness.example/other", STRANGER).verifier_key
    witnesses = [f"witness {name} {key.format()}" for name, key in zip(("a", "b", "c"), (*own, other), strict=True)]
    renamed = VerifierKey(f"{NAME}2", logs[-1].public)
    crossed = VerifierKey(logs[0].name, own[0].public, own[0].kind)
    lists = {
        "the receipts key": [receipt_key(forger.match.state.terms)],
        "a stranger": [stranger],
        "a stranger besides": [stranger, *logs],
        "the oldest key": logs[:1],
        "the newest key": logs[-1:],
        "the receipts key besides": [*logs, receipt_key(forger.match.state.terms)],
        "the log under another name": [renamed],
    }
    for what, keys in lists.items():
        for tail in (["quorum none"], [*witnesses[:2], "group g any a b", "quorum g"]):
            yield f"{what}, {tail[-1]}", _policy([*(f"log {key.format()}" for key in keys), *tail])
    believed = [f"log {key.format()}" for key in logs]
    for tail in (
        ["quorum a"], ["quorum b"], ["quorum c"], ["group g all a b", "quorum g"], ["group g 1 a b c", "quorum g"],
        ["group g 2 a b c", "quorum g"], ["group g all a b c", "quorum g"], ["group g 3 a b c", "quorum g"],
        ["group g any c", "quorum g"], ["group g all a b", "group h any g c", "quorum h"],
        ["group g any a b", "group h all g c", "quorum h"], ["quorum none"], ["group g 0 a b", "quorum g"],
        ["group g 4 a b c", "quorum g"], ["group g 01 a b", "quorum g"], ["group g any a a", "quorum g"],
        ["group g any a x", "quorum g"], ["group g any", "quorum g"], ["group a any b", "quorum a"],
        ["group g any g", "quorum g"], ["group none any a", "quorum none"], ["quorum x"], ["quorum a", "quorum a"],
        ["quorum a b"], ["group g any a", "group h any a", "quorum h"], ["group g any a b", "quorum a"],
        ["witness d " + own[0].format(), "quorum d"], ["witness d " + logs[0].format(), "quorum d"],
        ["witness none " + crossed.format(), "quorum none"], ["witness d " + crossed.format(), "quorum d"],
        ["log " + crossed.format(), "quorum none"], ["witness d", "quorum none"], ["witness", "quorum none"],
        ["witness d x y z", "quorum none"], [f"witness d {crossed.format()} http://witness.example", "quorum a"],
    ):  # fmt: skip
        yield f"{tail}", _policy([*believed, *witnesses, *tail])
    yield "quorum first", _policy([*witnesses, "quorum a", *believed])
    yield "group first", _policy([*believed, "group g any a b", *witnesses, "quorum g"])


def _policy(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
