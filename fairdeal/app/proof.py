"""The nightly proof: everything that was ever written of the money says the same (docs/ledger.md).

The journal's lines are read from the first to the last. Balances come out of them anew, and so does the Merkle root
that the log of all matches has; headers, entries, balances, holds, pots and the matches' `settle` events must agree.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from fairdeal.app.loop import Loop
from fairdeal.app.ports import SignificantEvent, Store
from fairdeal.app.proof_ports import MatchEnd
from fairdeal.app.right_clock import RightClock
from fairdeal.errors import LedgerBroken, Malformed, RecordsBroken
from fairdeal.ledger import (
    Kind,
    Line,
    Outcome,
    Refund,
    SeedForfeit,
    Transaction,
    Win,
    cash,
    check_books,
    pay_out,
)
from fairdeal.match.events import Event
from fairdeal.match.leaves import parse_leaf
from fairdeal.tlog import Frontier, leaf_hash

log = logging.getLogger("fairdeal.books")

LOOK_SECONDS: Final = 60.0
"""Between two looks at whether a day has begun."""
DAY_MS: Final = 86_400_000
_PAGE: Final = 200
"""Transactions or matches read at a time: some ten milliseconds of work."""
_PAUSE_SECONDS: Final = 0.02
"""Between two pages, so that play goes before."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved: so many transactions, whose tree has this root, and so many matches that have ended; or the
    first `fault` that was found.
    """

    transactions: int
    root: bytes
    matches: int
    fault: str | None = None

    def event(self, at: int) -> SignificantEvent:
        """What is kept for the auditor."""
        data: dict[str, str | int | None] = {
            "fault": self.fault,
            "matches": self.matches,
            "root": self.root.hex(),
            "transactions": self.transactions,
        }
        return SignificantEvent(at, "proof", data)


def prove(store: Store, pause: Callable[[], None] = lambda: None) -> Proof:
    """Reads all of it, with a `pause` after every page. Raises what keeps the store from being read, and what `pause`
    does.
    """
    proving = _Proving(store, pause)
    fault = None
    try:
        proving.journal()
        proving.matches()
    except (LedgerBroken, Malformed, RecordsBroken) as error:
        fault = error.message
    return Proof(proving.frontier.size, proving.frontier.root(), proving.ended, fault)


class Nightly:
    """Proves the books with the first look of every day, UTC, and keeps the result; `look` is one look.

    Where there was no proof yet, the first one comes the day after the first transaction.
    """

    def __init__(self, store: Store, clock: RightClock) -> None:
        self._store = store
        self._clock = clock
        # A proof that failed is owed, and tried again at the next look.
        self._loop = Loop("proof", self.look, LOOK_SECONDS, log, "the books cannot be proved")

    def start(self) -> None:
        """Goes on looking, in a thread of its own."""
        self._loop.start()

    def stop(self) -> None:
        """Ends the thread, and waits for it; a proof that is half made is made again."""
        self._loop.stop()

    def look(self) -> None:
        """Proves the books when it is time to, unless another process does. Raises what keeps the store from being
        read.
        """
        with self._store.alone("proof") as mine:
            if mine:
                self._look()

    def _look(self) -> None:
        since, now = self._since(), self._clock.now_ms()
        if since is None or since // DAY_MS >= now // DAY_MS:
            return
        made = prove(self._store, lambda: self._loop.pause(_PAUSE_SECONDS))
        self._store.keep_significant(made.event(self._clock.now_ms()))
        if made.fault is None:
            log.info("the books hold", extra={"transactions": made.transactions, "matches": made.matches})
        else:
            log.error("incident", extra={"why": f"the books do not hold: {made.fault}"})

    def _since(self) -> int | None:
        """The time after whose day a proof is due; None before there is any money."""
        last = self._store.last_significant("proof", {})
        if last is not None:
            return last.at
        first = self._store.journal(0, 1)
        return Transaction.parse(first[0]).at if first else None


class _Proving:
    def __init__(self, store: Store, pause: Callable[[], None]) -> None:
        self._store = store
        self._pause = pause
        self.frontier = Frontier()
        self.ended = 0

    def journal(self) -> None:
        """Line by line up to one moment, then everything else of that moment."""
        leaf = self._store.newest_ledger_leaf()
        logged = {} if leaf is None else parse_leaf(leaf)
        books = self._store.whole_books()
        balances: dict[str, Counter[str]] = {asset: Counter() for asset in books.assets}
        while lines := self._store.journal(self.frontier.size, min(_PAGE, books.size - self.frontier.size)):
            parsed = [_parse(line, self.frontier.size + place) for place, line in enumerate(lines)]
            kept = self._store.transactions([one.id for one in parsed])
            for line, one in zip(lines, parsed, strict=True):
                _check_kept(one, kept)
                for posting in one.postings:
                    balances.setdefault(one.asset, Counter())[posting.account] += posting.amount
                self.frontier = self.frontier.append(leaf_hash(line))
                if logged.get("size") == self.frontier.size and logged["root"] != self.frontier.root().hex():
                    raise LedgerBroken(f"the journal's first {logged['size']} lines are not those that the log has")
            self._pause()
        if self.frontier.size != books.size or logged.get("size", 0) > books.size:
            raise LedgerBroken(f"the journal ends after {self.frontier.size} lines")
        for asset, book in books.assets.items():
            check_books(book)
            for account in book.balances.keys() | balances[asset].keys():
                if book.balances.get(account, 0) != balances[asset][account]:
                    raise LedgerBroken(f"{account}: the balance is not what the journal says")
        if balances.keys() - books.assets.keys():
            raise LedgerBroken("the journal has an asset that there are no balances of")

    def matches(self) -> None:
        """Every match that has ended."""
        after = 0
        while ends := self._store.match_ends(after, _PAGE):
            for end in ends:
                try:
                    _check_end(end)
                except (LedgerBroken, Malformed) as error:
                    raise LedgerBroken(f"match {end.match_id}: {error.message}") from None
                self.ended += 1
            after = ends[-1].seq
            self._pause()


def _parse(line: bytes, index: int) -> Transaction:
    try:
        return Transaction.parse(line)
    except (LedgerBroken, Malformed) as error:
        raise LedgerBroken(f"line {index} of the journal: {error.message}") from None


def _check_kept(one: Transaction, kept: Mapping[str, Transaction]) -> None:
    stored = kept.get(one.id)
    if stored is None or replace(stored, postings=one.postings) != one or set(stored.postings) != set(one.postings):
        raise LedgerBroken(f"{one.id}: its header and entries are not its line's")


def _check_end(end: MatchEnd) -> None:
    """The money of a match's end is what its events say; without a `settle` every stake is back with its seat."""
    if not end.settled:
        raise LedgerBroken("it has ended, and its money has not")
    seated = [end.seated[seat] for seat in sorted(end.seated)]
    events = {event.type: event.data for event in map(Event.parse, end.last)}
    if "settle" in events:
        lines = [Line(line["account"], line["amount"]) for line in events["settle"]["lines"]]
        due = pay_out(end.match_id, seated, lines, _outcome(events["end"]), asset=end.asset, at=0)
        paid = end.money is not None and replace(end.money, at=0) == due
    else:
        moved = [] if end.money is None else [one for one in end.money.postings if one.amount > 0]
        back = {cash(account_id): end.stake for account_id in seated if end.stake}
        fits = end.money is None or (end.money.match == end.match_id and end.money.kind in (Kind.CANCEL, Kind.VOID))
        paid = fits and {one.account: one.amount for one in moved} == back
    if not paid:
        raise LedgerBroken("what was paid is not what its events say")


def _outcome(end: Mapping[str, Any]) -> Outcome:
    """What the `end` event of a match with a pot makes of it."""
    if end["winner"] is None:
        return Refund()
    return SeedForfeit(end["winner"]) if end["reason"] == "seed" else Win(end["winner"])
