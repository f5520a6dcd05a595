"""What one seat is answered, whether it asks or listens."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """What one seat may know and is owed: the event lines from `start` on, and for the size they reach the receipt
    (protocol section 2.8) and the signed view (section 2.9). `deadline` is that of the decision or seed period that
    runs, beside the server's `now`; both ms.
    """

    m: str
    start: int
    events: tuple[str, ...]
    receipt: str
    view: dict[str, Any]
    sig: str
    now: int
    deadline: int | None
    closed: bool
    """Nothing follows."""

    @property
    def size(self) -> int:
        """The size of the receipt and the view."""
        return self.start + len(self.events)
