"""The evidence file of a contradiction, for anybody to judge: what was received, never a private key or a seed."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from fairdeal import canonical
from fairdeal.canonical import Json
from fairdeal.client.errors import Contradiction
from fairdeal.client.memory import Shown, Sitting

FORMAT: Final = "fairdeal/evidence@1"


def write_evidence(
    path: Path,
    error: Contradiction,
    sitting: Sitting,
    lines: Sequence[bytes],
    shown: Sequence[Shown],
    answer: Mapping[str, Any],
) -> None:
    """JSON Lines, each cj1: a header; {`event`} for each event seen; {`receipt`, `sig`, `view`} for each size shown;
    and {`answer`}, the text of the answer that contradicts them.
    """
    header: Json = {
        "format": FORMAT,
        "m": sitting.m,
        "seat": sitting.seat,
        "key": sitting.key.public.hex,
        "finding": error.finding.value,
        "place": error.place,
        "message": error.message,
    }
    parts: list[Json] = [header]
    parts += [{"event": line.decode()} for line in lines]
    parts += [{"receipt": one.receipt, "sig": one.sig, "view": canonical.decode(one.view)} for one in shown]
    parts.append({"answer": json.dumps(answer)})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(canonical.encode(part) + b"\n" for part in parts))
