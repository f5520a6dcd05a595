"""An answer of the service, from JSON to values: form only, nothing believed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fairdeal.client.errors import Contradiction, Finding
from fairdeal.errors import Malformed
from fairdeal.ids import parse_hex
from fairdeal.limits import SIGNATURE_BYTES
from fairdeal.match import check_view

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Parsed:
    """Event lines from number `start` on, a receipt and a view of the size they reach, and the running deadline."""

    start: int
    lines: list[bytes]
    receipt: str
    view: dict[str, Any]
    sig: bytes
    deadline: int | None

    @property
    def size(self) -> int:
        """How many events the answer reaches to."""
        return self.start + len(self.lines)


def parse_answer(answer: Mapping[str, Any], m: str) -> Parsed:
    """The answer's members; more of them than are known may stand in it. Raises Contradiction."""
    try:
        if _member(answer, "m", str) != m:
            raise Malformed("the answer is for another match")
        start = _member(answer, "from", int)
        lines = _member(answer, "events", list)
        if start < 0 or start + len(lines) < 1 or not all(type(line) is str for line in lines):
            raise Malformed("events are a list of lines")
        view = _member(answer, "view", dict)
        check_view(view)
        deadline = None if answer.get("deadline") is None else _member(answer, "deadline", int)
        return Parsed(
            start,
            [line.encode() for line in lines],
            _member(answer, "receipt", str),
            view,
            parse_hex(answer.get("sig"), SIGNATURE_BYTES),
            deadline,
        )
    except (Malformed, UnicodeEncodeError) as error:
        raise Contradiction(Finding.ANSWER, None, str(error)) from error


def _member(answer: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    value = answer.get(name)
    if type(value) is not kind:
        raise Malformed(f"{name} is missing or of another type")
    return value
