"""What somebody without any key can change of the log: in a bundle's header, in a held file's log lines.

`HeaderChange.harmless` says that only what nobody asks for was taken away or added; else nothing here knows what is to
be said.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from fairdeal import canonical
from fairdeal.keys import SigningKey
from fairdeal.match import LogPart, ProvenLeaf, SeenProof, write_bundle
from fairdeal.tlog import Checkpoint, Cosigner, NoteSigner, sign_note
from tests.agreement.made_up import LeafDict, log_size
from tests.agreement.sealing import Forger
from tests.simulator import NAME, ServiceLog

STRANGER = SigningKey.from_seed(b"\x07" * 32)


@dataclass(frozen=True, slots=True)
class HeaderChange:
    """A bundle under its true head, with another word about the log."""

    what: str
    bundle: bytes
    harmless: bool = False


def header_changes(forger: Forger, rng: random.Random) -> Iterator[HeaderChange]:
    """Everything small that somebody without any key can do to the log part of a header."""
    part = forger.log_part
    assert part is not None
    changed = (*leaves_changed(forger, part, rng), *_consistency_changed(forger, part, rng))
    for what, other in changed:
        yield HeaderChange(what, write_bundle(forger.head, forger.lines, other))
    for what, note, harmless in notes_changed(forger.match.service_log, part.checkpoint, rng):
        yield HeaderChange(what, write_bundle(forger.head, forger.lines, replace(part, checkpoint=note)), harmless)
    log, seen = forger.match.service_log, [one.size for one in part.consistency]
    for size in range(part.leaves[-1].index + 1, log.size + 1):
        whole = log.part(forger.match.state.terms.m, size, seen)
        yield HeaderChange(f"under size {size}", write_bundle(forger.head, forger.lines, whole), harmless=True)
        if size < log.size:
            torn = replace(part, checkpoint=whole.checkpoint)
            yield HeaderChange(f"proofs of another size than {size}", write_bundle(forger.head, forger.lines, torn))


def leaves_changed(forger: Forger, part: LogPart, rng: random.Random) -> Iterator[tuple[str, LogPart]]:
    """Other leaves, indexes and proofs, none of which its checkpoint has for this match."""
    leaves, log = part.leaves, forger.match.service_log

    def put(at: int, leaf: ProvenLeaf) -> LogPart:
        return replace(part, leaves=(*leaves[:at], leaf, *leaves[at + 1 :]))

    for at, leaf in enumerate(leaves):
        kind = leaf.leaf["type"]
        for what, proof in _proofs_changed(leaf.proof, rng):
            yield f"{kind} {what}", put(at, replace(leaf, proof=proof))
        for index in {leaf.index + 1, leaf.index - 1, 0, log.size, log.size - 1, 2**53 - 1} - {leaf.index}:
            yield f"{kind} index {index}", put(at, replace(leaf, index=index))
        for name, value in members_changed(leaf.leaf, rng):
            yield f"{kind} {name} {value}", put(at, replace(leaf, leaf=leaf.leaf | {name: value}))
        yield f"{kind} dropped", replace(part, leaves=(*leaves[:at], *leaves[at + 1 :]))
        yield f"{kind} twice", replace(part, leaves=(*leaves[: at + 1], *leaves[at:]))
        for index, foreign in enumerate(map(canonical.decode, log.leaves)):
            if foreign["type"] == kind and index != leaf.index:  # type: ignore[call-overload,index]
                other = ProvenLeaf(index, foreign, log.tree.inclusion(index, log.size))  # type: ignore[arg-type]
                yield f"{kind} of another match", put(at, other)
    for one, other in combinations(range(len(leaves)), 2):
        swapped = list(leaves)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        yield f"leaves {one} and {other} in another order", replace(part, leaves=tuple(swapped))
        proofs = list(leaves)
        proofs[one] = replace(leaves[one], proof=leaves[other].proof)
        proofs[other] = replace(leaves[other], proof=leaves[one].proof)
        yield f"proofs of {one} and {other} exchanged", replace(part, leaves=tuple(proofs))
        named = list(leaves)
        named[one] = replace(leaves[one], index=leaves[other].index)
        named[other] = replace(leaves[other], index=leaves[one].index)
        yield f"indexes of {one} and {other} exchanged", replace(part, leaves=tuple(named))
    yield "no leaves", replace(part, leaves=())


def members_changed(leaf: LeafDict, rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Members of a leaf with another value, mostly such that it still is one."""
    for name, value in leaf.items():
        if name == "size":
            yield from ((name, size) for size in (value + 1, value - 1, 0, 2**53 - 1))
        elif name == "outcome":
            yield from ((name, word) for word in ("played", "forfeit", "cancelled", "void", "lost") if word != value)
        elif name not in ("type", "cause", "seats"):
            at = rng.randrange(len(value))
            digit = rng.choice([digit for digit in "0123456789abcdef" if digit != value[at]])
            yield name, value[:at] + digit + value[at + 1 :]
    for name, value in (("cause", "operator"), ("cause", "deal_limit"), ("seats", [1]), ("seats", [0, 1])):
        if leaf.get(name) != value:
            yield name, value
    yield "unknown", 0


def _proofs_changed(proof: tuple[str, ...], rng: random.Random) -> Iterator[tuple[str, tuple[str, ...]]]:
    made = rng.randbytes(32).hex()
    yield "proof with one more", (*proof, made)
    yield "proof with one before", (made, *proof)
    yield "proof of 63", (*proof, made) * 63
    if not proof:
        return
    at = rng.randrange(len(proof))
    yield "proof without its last", proof[:-1]
    yield "proof without its first", proof[1:]
    yield "proof without", ()
    yield "proof with the last twice", (*proof, proof[-1])
    yield "proof turned round", proof[::-1] if proof[::-1] != proof else proof[1:]
    yield "proof with another hash", (*proof[:at], made, *proof[at + 1 :])
    yield "proof in capitals", tuple(one.upper() for one in proof)


def _consistency_changed(forger: Forger, part: LogPart, rng: random.Random) -> Iterator[tuple[str, LogPart]]:
    seen, log = part.consistency, forger.match.service_log
    for at, one in enumerate(seen):
        for what, proof in _proofs_changed(one.proof, rng):
            yield f"consistency {at}: {what}", _with_seen(part, *seen[:at], replace(one, proof=proof), *seen[at + 1 :])
        yield f"consistency {at} dropped", _with_seen(part, *seen[:at], *seen[at + 1 :])
        yield f"consistency {at} twice", _with_seen(part, *seen[: at + 1], *seen[at:])
        moved = replace(one, size=one.size + 1)
        yield f"consistency {at} of the next size", _with_seen(part, *seen[:at], moved, *seen[at + 1 :])
    if len(seen) > 1:
        yield "consistency turned round", _with_seen(part, *seen[::-1])
    more = [size for size in range(1, log.size + 1) if size not in [one.size for one in seen]]
    for size in rng.sample(more, min(2, len(more))):
        proven = SeenProof(size, log.tree.consistency(size, log.size))
        yield f"consistency from {size} besides", _with_seen(part, *sorted((*seen, proven), key=lambda one: one.size))
    yield "consistency from 0 besides", _with_seen(part, SeenProof(0, ()), *seen)


def _with_seen(part: LogPart, *seen: SeenProof) -> LogPart:
    return replace(part, consistency=seen)


def notes_changed(log: ServiceLog, note: str, rng: random.Random) -> Iterator[tuple[str, str, bool]]:
    """Other notes for a checkpoint, and whether only lines of witnesses or strangers differ, none by a false hand."""
    text, _, lines = note.partition("\n\n")
    own, *cosigned = (f"{line}\n" for line in lines[:-1].split("\n"))
    size, before = log_size(note), f"{text}\n\n"
    checkpoint = Checkpoint(NAME, size, log.tree.root(size))
    stranger = Cosigner("witness.example/stranger", STRANGER).cosign(checkpoint, 1).format()
    yield "no cosignature", before + own, True
    yield "a stranger's line besides", note + stranger, True
    yield "a stranger's line first", before + stranger + lines, True
    yield "a stranger's line twice", note + stranger * 2, True
    yield "lines turned round", before + "".join(cosigned[::-1]) + own, True
    yield "a hundred lines", note + stranger * (99 - len(cosigned)), True
    yield "over a hundred lines", note + stranger * (100 - len(cosigned)), False
    for at in range(len(cosigned)):
        rest = "".join((own, *cosigned[:at], *cosigned[at + 1 :]))
        yield "one cosignature less", before + rest, True
    yield "the log's line twice", before + own + lines, False
    yield "without the log's line", before + ("".join(cosigned) or stranger), False
    yield "no line", before, False
    for what, key in (("a stranger", STRANGER), ("a witness", log.keys.witnesses[0])):
        yield f"by {what} instead of the log", sign_note(f"{text}\n", NoteSigner(NAME, key)) + "".join(cosigned), False
    for what, other in (
        ("another root", Checkpoint(NAME, size, rng.randbytes(32))),
        ("the next size", Checkpoint(NAME, size + 1, checkpoint.root)),
        ("another origin", Checkpoint(f"{NAME}2", size, checkpoint.root)),
    ):
        yield f"{what} under the same lines", f"{other.body()}\n{lines}", False
    yield "an extension line", f"{text}\nextension\n\n{lines}", False
    yield "the log's line bent", before + _bent(own, rng) + "".join(cosigned), False


def cosignatures_changed(log: ServiceLog, note: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Lines under a witness's name and key id that are not this witness's for this checkpoint."""
    text, _, lines = note.partition("\n\n")
    own, *cosigned = (f"{line}\n" for line in lines[:-1].split("\n"))
    size = log_size(note)
    number = log.cosigners[0]
    witness = log.keys.cosigner(number)
    true = Checkpoint(NAME, size, log.tree.root(size))
    other = Checkpoint(NAME, size, rng.randbytes(32))
    line = witness.cosign(true, 5)
    signed = line.signature
    bad = {
        "bent": _bent(cosigned[0], rng),
        "of another root": witness.cosign(other, 5).format(),
        "of another time": replace(line, signature=(6).to_bytes(8, "big") + signed[8:]).format(),
        "of a time beyond": replace(line, signature=(2**63).to_bytes(8, "big") + signed[8:]).format(),
        "without its time": replace(line, signature=signed[8:]).format(),
        "one byte short": replace(line, signature=signed[:-1]).format(),
        "one byte long": replace(line, signature=signed + b"\0").format(),
        "by the log": replace(line, signature=signed[:8] + log.keys.log[0].sign(f"{text}\n".encode())).format(),
        "of low order": replace(line, signature=signed[:8] + bytes(64)).format(),
    }
    for what, other_line in bad.items():
        yield f"cosignature {what}", f"{text}\n\n{own}{other_line}"
        yield f"cosignature {what} besides the true one", f"{text}\n\n{lines}{other_line}"
    yield "cosignature twice", f"{text}\n\n{own}{line.format()}{witness.cosign(true, 6).format()}"


def _bent(line: str, rng: random.Random) -> str:
    """With another character in the middle of its base64."""
    at = rng.randrange(len(line) - 40, len(line) - 10)
    return line[:at] + rng.choice([other for other in "Ab0" if other != line[at]]) + line[at + 1 :]
