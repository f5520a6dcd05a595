"""What must hold of the log of all matches whatever broke: one history, and everything that was ever shown is in it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairdeal import canonical
from fairdeal.match.leaves import parse_leaf
from fairdeal.tlog import Frontier, Policy, check_inclusion, leaf_hash

ORDER = ("open", "full", "start", "close")
"""Of a match's leaves (protocol section 7.2)."""


def check_one_history(policy: Policy, leaves: Sequence[bytes], notes: Iterable[str]) -> int:
    """Every signed checkpoint has the root of that many leaves, so that no two contradict each other. How many."""
    frontier = Frontier()
    roots = [frontier.root()]
    for leaf in leaves:
        frontier = frontier.append(leaf_hash(leaf))
        roots.append(frontier.root())
    distinct = set(notes)
    for note in distinct:
        checkpoint = policy.open(note).checkpoint
        assert checkpoint.size <= len(leaves), "a checkpoint was signed over what the log has not"
        assert checkpoint.root == roots[checkpoint.size], f"two histories of {checkpoint.size} leaves"
    return len(distinct)


def check_proven(policy: Policy, leaves: Sequence[bytes], answers: Iterable[Mapping[str, Any]]) -> int:
    """Every leaf that was proven to a player stands where it was shown. How many answers there were."""
    count = 0
    for answer in answers:
        count += 1
        checkpoint = policy.open(answer["checkpoint"]).checkpoint
        for one in answer["leaves"]:
            leaf, proof = canonical.encode(one["leaf"]), [bytes.fromhex(text) for text in one["proof"]]
            assert leaves[one["index"]] == leaf
            check_inclusion(leaf_hash(leaf), one["index"], checkpoint.size, checkpoint.root, proof)
    return count


def check_leaves(leaves: Sequence[bytes], ended: Iterable[str]) -> None:
    """Each leaf of a match stands once and in order, each outage once; the matches that ended have their `close`."""
    of_match: dict[str, list[str]] = {}
    outages = []
    for leaf in map(parse_leaf, leaves):
        if "m" in leaf:
            of_match.setdefault(leaf["m"], []).append(leaf["type"])
        elif leaf["type"] == "outage":
            outages.append((leaf["from"], leaf["to"]))
    for types in of_match.values():
        assert types == sorted(set(types), key=ORDER.index)
        assert types[0] == "open"
    assert len(outages) == len(set(outages))
    assert {m for m, types in of_match.items() if types[-1] == "close"} == set(ended)
