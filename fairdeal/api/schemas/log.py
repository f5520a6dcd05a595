"""What is answered of the log of all matches."""

from typing import Any

from fairdeal.api.schemas.base import Hex32, Model


class ProvenLeafOut(Model):
    """A leaf of the match at its index, as an object whose canonical bytes were logged, and its inclusion proof."""

    index: int
    leaf: dict[str, Any]
    proof: list[Hex32]


class EvidenceOut(Model):
    """The newest signed checkpoint, the consistency proof to it from the size that the caller holds, and the match's
    leaves under it (docs/protocol.md, section 7.3).
    """

    checkpoint: str
    consistency: list[Hex32]
    leaves: list[ProvenLeafOut]
