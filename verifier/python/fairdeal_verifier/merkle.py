"""The Merkle tree of a transcript (protocol 1.5, RFC 6962 section 2.1)."""

from collections.abc import Iterable
from hashlib import sha256

EMPTY_ROOT = sha256(b"").digest()


def roots(leaves: Iterable[bytes]) -> list[bytes]:
    """The root of the first n leaves, for every n from 0 on: what each seat signed, in one pass.

    `peaks` are the roots of the full subtrees from left to right, as the binary digits of n; folded from the right they
    are Root(n).
    """
    found = [EMPTY_ROOT]
    peaks: list[bytes] = []
    for n, leaf in enumerate(leaves):
        node = sha256(b"\0" + leaf).digest()
        while n & 1:
            node = sha256(b"\1" + peaks.pop() + node).digest()
            n >>= 1
        peaks.append(node)
        for peak in peaks[-2::-1]:
            node = sha256(b"\1" + peak + node).digest()
        found.append(node)
    return found
