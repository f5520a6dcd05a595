"""The evidence file of a contradiction, for anybody to judge: what was received, never a private key or a seed."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from fairdeal import canonical
from fairdeal.canonical import Json
from fairdeal.client.errors import Contradiction
from fairdeal.match import Held

FORMAT: Final = "fairdeal/evidence@1"


def write_evidence(
    path: Path,
    error: Contradiction,
    held: Held,
    lines: Sequence[bytes],
    newest: str | None,
    answer: Mapping[str, Any],
) -> None:
    """JSON Lines, each cj1: a header; {`event`} for each event seen; the lines of the held file; {`newest`}, the newest
    checkpoint held of the log, where there is one; and {`answer`}, the text of the answer that contradicts them.
    """
    header: Json = {
        "format": FORMAT,
        "m": held.m,
        "seat": held.seat,
        "key": held.key,
        "finding": error.finding.value,
        "place": error.place,
        "message": error.message,
    }
    parts: list[Json] = [header]
    parts += [{"event": line.decode()} for line in lines]
    parts += [line.to_json() for line in held.lines]
    if newest is not None:
        parts.append({"newest": newest})
    parts.append({"answer": json.dumps(answer)})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(canonical.encode(part) + b"\n" for part in parts))
