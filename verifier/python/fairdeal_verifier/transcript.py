"""The events of one match with the roots they give, and steps 4 to 10 of protocol 6.2 over them."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeVar

from fairdeal_verifier.ed25519 import PublicKey, public_key
from fairdeal_verifier.errors import Broken, KeyRefused, SignatureRefused
from fairdeal_verifier.events import Event, Join, Reveal, SeatEvent, Seed, Settle
from fairdeal_verifier.fold import Fold
from fairdeal_verifier.leaves import CloseLeaf
from fairdeal_verifier.merkle import EMPTY_ROOT, roots
from fairdeal_verifier.report import Signatures
from fairdeal_verifier.terms import Open

ACTION_CONTEXT = b"fairdeal/1 action\n"

OneEvent = TypeVar("OneEvent", bound=Event)

Look = Callable[[int, Fold], None]
"""Called with each size that is reached, and the state there."""


class Transcript:
    """One copy of a match. `lost` is the leaf of a match that ended by it alone (protocol 7.5)."""

    def __init__(
        self, terms: Open, events: Sequence[Event], lines: Sequence[bytes], close: CloseLeaf | None = None
    ) -> None:
        """`events` begin with `terms`; `lines` are their bytes; `close` is the leaf that the log has of this match."""
        self.open = terms
        self.events = events
        self.roots = roots(lines)
        self.joins: dict[int, Join] = {}
        for event in events:
            if isinstance(event, Join):
                self.joins.setdefault(event.by, event)
        self.finished = self._is_finished()
        self.lost = close if close is not None and close.is_lost and not self.finished else None

    @property
    def closed(self) -> bool:
        """Whether nothing follows any more (protocol 6.1)."""
        return self.finished or self.lost is not None

    @property
    def seated(self) -> bool:
        """Whether the joins stand where the table root is over them."""
        seats = self.open.seats
        return len(self.events) > seats and all(isinstance(event, Join) for event in self.events[1 : seats + 1])

    def first(self, kind: type[OneEvent]) -> tuple[int, OneEvent] | None:
        """The first event of a type, with its index."""
        return next(((n, event) for n, event in enumerate(self.events) if isinstance(event, kind)), None)

    def _is_finished(self) -> bool:
        kinds = [type(event) for event in self.events]
        if Settle in kinds:
            return True
        if Reveal not in kinds:
            return False
        return Reveal in kinds[:-1] or self.open.stake == 0 or len(self.joins) < self.open.seats

    def check_seat_signatures(self, signatures: Signatures = "all") -> int:
        """Step 4; the number of signatures checked."""
        last = {event.by: n for n, event in enumerate(self.events) if isinstance(event, SeatEvent)}
        keys: dict[int, PublicKey] = {}
        checked = 0
        for n, event in enumerate(self.events):
            if not isinstance(event, SeatEvent):
                continue
            if isinstance(event, Join):
                key = _joining_key(event, n)
                keys.setdefault(event.by, key)
            elif event.by in keys:
                key = keys[event.by]
            else:
                raise Broken(4, "seat_key", n)
            size = signed_size(event, n, self.open.seats)
            if size > n:
                # A seed that comes too early was signed on a size that its transcript had not reached.
                raise Broken(4, "signed_root", n)
            if event.root != self.roots[size]:
                raise Broken(4, "signed_root", size - 1, size=size)
            if signatures == "all" or last[event.by] == n:
                try:
                    key.check(event.sig, signed_bytes(self.open.m, event, size))
                except SignatureRefused:
                    raise Broken(4, "seat_signature", n) from None
                checked += 1
        return checked

    def check_commitment(self) -> bytes:
        """Step 5; the server seed."""
        revealed = self.first(Reveal) if self.lost is None else (len(self.events), self.lost)
        if revealed is None:
            raise Broken(5, "no_reveal", len(self.events))
        place, by = revealed
        if sha256(by.server_seed).digest() != self.open.commitment:
            raise Broken(5, "commitment", place)
        return by.server_seed

    def check_seat_seeds(self) -> None:
        """Step 6."""
        for n, event in enumerate(self.events):
            if isinstance(event, Seed) and sha256(event.seed).digest() != self.joins[event.by].seed_commitment:
                raise Broken(6, "seat_seed", n)

    def check_course(self, server_seed: bytes, look: Look | None = None) -> None:
        """Steps 7 to 10, but for what the head's terms are."""
        full = self.open.seats + 1
        fold = Fold(self.open, server_seed, self.roots[full] if len(self.roots) > full else EMPTY_ROOT)
        if look is not None:
            look(1, fold)
        for size, event in enumerate(self.events[1:], 2):
            fold.apply(event)
            if look is not None:
                look(size, fold)

    def endorsed(self) -> list[tuple[int, bytes]]:
        """The sizes and roots that seats signed."""
        return [
            (signed_size(event, n, self.open.seats), event.root)
            for n, event in enumerate(self.events)
            if isinstance(event, SeatEvent)
        ]


def _joining_key(event: Join, n: int) -> PublicKey:
    try:
        key = public_key(event.key)
        key.check_torsion_free()
    except KeyRefused:
        raise Broken(4, "seat_key", n) from None
    return key


def signed_size(event: SeatEvent, n: int, seats: int) -> int:
    """The size a seat event signs on at a table of so many seats (protocol 2.4)."""
    if isinstance(event, Join):
        return 1
    return seats + 1 if isinstance(event, Seed) else n


def signed_bytes(m: str, event: SeatEvent, size: int) -> bytes:
    """What the seat of an event of match `m` signs, with the root that the event names (protocol 2.4)."""
    return ACTION_CONTEXT + b'{"do":%b,"m":"%b","root":"%b","seat":%d,"size":%d}' % (
        event.do, m.encode(), event.root.hex().encode(), event.by, size,
    )  # fmt: skip
