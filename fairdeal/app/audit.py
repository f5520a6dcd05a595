"""What an auditor is given beside the log (protocol section 7.6), and whose a pseudonym is: nobody asks that unseen."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from fairdeal import canonical
from fairdeal.app.house import Clock
from fairdeal.app.log_keys import LogKeys
from fairdeal.app.ports import Account, SeatedPlayer, SignificantEvent, SignificantKind, Status, Store
from fairdeal.app.record_ports import MatchFacts
from fairdeal.app.records import MatchRecord, make_record, reaches_the_deal
from fairdeal.errors import Broken, UnknownMatch, UnknownPlayer

Record = TypeVar("Record")

PAGE_LINES: Final = 1_000
"""Lines of a full page of the journal and of the seats (protocol section 7.6)."""


@dataclass(frozen=True, slots=True)
class Page:
    """A file of lines; `full` when nothing can be added to it any more."""

    lines: tuple[bytes, ...]
    full: bool


@dataclass(frozen=True, slots=True)
class Identified:
    """Whose a pseudonym was, and where it sat."""

    account: Account
    seated: SeatedPlayer


class Audit:
    """The use cases of an auditor, and of an operator asked about a player. Safe to call from several threads."""

    def __init__(self, store: Store, keys: LogKeys, clock: Clock) -> None:
        self._store = store
        self._keys = keys
        self._clock = clock

    def transcript(self, m: str) -> Page:
        """Every event line of a match that has closed, event 0 alone of another. Raises UnknownMatch."""
        table = self._store.table(m)
        if table is None:
            raise UnknownMatch("there is no such match")
        if table.status is not Status.ENDED:
            return Page((table.line,), full=False)
        return Page(self._store.events(m), full=True)

    def journal(self, number: int) -> Page | None:
        """A page of the money journal; None for one that is not begun."""
        return _page(number, self._store.journal, bytes)

    def seats(self, number: int) -> Page | None:
        """A page of who sat where, of the matches that all seats joined; None for one that is not begun."""
        return _page(number, self._store.roster, _seat_line)

    def keys(self) -> Page:
        """Every key that the log and the receipts were ever signed by, with the index that each began at."""
        return Page(tuple(span.line for span in self._keys.history()), full=False)

    def identify(self, player: str, reason: str) -> Identified:
        """Whose pseudonym it is. That it was asked, and why, is a significant event, whatever comes of it.

        Raises UnknownPlayer.
        """
        seated = self._store.identify(player, reason, self._clock.now_ms())
        if seated is None:
            raise UnknownPlayer("nobody sits, or sat at a full table, under that pseudonym")
        account = self._store.account(seated.account_id)
        if account is None:
            raise Broken("somebody sits who has no account")
        return Identified(account, seated)

    def significant_events(
        self, before: int | None, limit: int, kind: SignificantKind | None
    ) -> tuple[SignificantEvent, ...]:
        """What was done, found and changed, newest first; of one kind where one is named."""
        return self._store.significant_events(before, limit, kind)

    def records(self, before: int | None, limit: int) -> tuple[tuple[int, MatchRecord], ...]:
        """The record of every match, the last one opened first, each with the `before` of the page after it."""
        return tuple((facts.seq, make_record(self._whole(facts))) for facts in self._store.match_facts(before, limit))

    def _whole(self, facts: MatchFacts) -> MatchFacts:
        return facts if reaches_the_deal(facts) else replace(facts, head=self._store.events(facts.match_id))


def _page(number: int, read: Callable[[int, int], tuple[Record, ...]], line: Callable[[Record], bytes]) -> Page | None:
    start = number * PAGE_LINES
    records = read(start, PAGE_LINES)
    if not records and start and not read(start - 1, 1):
        return None
    return Page(tuple(map(line, records)), len(records) == PAGE_LINES)


def _seat_line(seat: SeatedPlayer) -> bytes:
    return canonical.encode(
        {"account": seat.account_id, "m": seat.match_id, "player": seat.player, "seat": seat.seat},
    )
