"""The one place where a match takes a step: read, decide, write with the money, tell.

A state is the fold of the stored events. It is kept for a while, but only as far as the store agrees with its size, so
that nothing about a live match exists in memory alone. What makes two histories impossible is the store's
compare-and-set; the lock per match only saves decisions that would lose.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from threading import Lock
from typing import Final

from fairdeal import ledger
from fairdeal.app.house import House
from fairdeal.app.hub import Hub
from fairdeal.app.kept import KeptMatches
from fairdeal.app.ports import Append, CommitResult, Seat, SignificantEvent, SignificantKind, Status, Store, Table
from fairdeal.commit import Seed
from fairdeal.errors import Broken, FairdealError, NotSeated, Stale, StoreBusy, UnknownMatch, WrongPhase
from fairdeal.ledger import Transaction
from fairdeal.match.actions import SignedAction
from fairdeal.match.decide import Command, decide
from fairdeal.match.events import SEAT_EVENTS, Event
from fairdeal.match.evolve import evolve
from fairdeal.match.leaves import due_leaves, lost_leaf
from fairdeal.match.settlement import money_outcome, settlement_lines
from fairdeal.match.state import MatchState, Phase
from fairdeal.match.terms import Terms

log = logging.getLogger("fairdeal.matches")

_IN_HAND_S: Final = 0.25
"""For who is not patient: a step takes some ms."""
_ATTEMPTS: Final = 8
"""Lost races in a row. The per-match lock allows none in this process; another one may be faster."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match at one moment: the store's row and the fold of that many events."""

    table: Table
    state: MatchState

    def seat_of(self, account_id: str) -> Seat:
        """Where the account sits. Raises NotSeated."""
        for seat in self.table.seated:
            if seat.account_id == account_id:
                return seat
        raise NotSeated("the account has no seat at this table")

    @property
    def closed(self) -> bool:
        """Nothing follows."""
        return self.state.phase is Phase.CLOSED or self.lost

    @property
    def lost(self) -> bool:
        """It ended without an event, because an older database was put back (protocol section 7.5)."""
        return self.table.status is Status.ENDED and self.state.phase is not Phase.CLOSED

    @property
    def due_at(self) -> int | None:
        """When the clock must look at it next."""
        return self.table.due_at if self.state.phase is Phase.JOINING else self.state.due_at


@dataclass(slots=True)
class Tally:
    """Steps of matches that were committed, their events by type, and the seats' actions among these by kind."""

    commits: int = 0
    events: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    overtaken: int = 0
    """Actions that were at the door in time, and found a timeout that another process had written."""


class Matches:
    """Reads matches, and steps them on. Safe to call from several threads."""

    def __init__(self, store: Store, house: House, hub: Hub) -> None:
        self._store = store
        self._house = house
        self._hub = hub
        self._lock = Lock()
        self._kept = KeptMatches()
        self._stepping: dict[str, tuple[Lock, int]] = {}
        self._arrivals: dict[str, list[int]] = {}
        self._tally = Tally()

    def check_ready(self) -> None:
        """Raises when the store is not fit to serve."""
        self._store.check_ready()

    def check_keys(self) -> None:
        """Raises KeyMissing, or SealBroken, unless the keys that every unfinished match began with are at hand."""
        for match_id in self._store.unfinished_matches():
            table = self._store.table(match_id)
            assert table is not None
            self._house.receipts_of(Terms.parse(Event.parse(table.line).data).receipt_key)
            self._seed(match_id)

    def load(self, match_id: str) -> Match:
        """The match as it stands. Raises UnknownMatch."""
        kept = self._kept.get(match_id)
        table = self._store.table(match_id)  # after `kept`, so that it is never behind it
        if table is None:
            raise UnknownMatch("there is no such match")
        if kept is not None and kept.state.size == table.size:
            return Match(table, kept.state)
        return Match(table, self._fold(table, kept.state if kept else None))

    def step(
        self,
        match_id: str,
        now: int,
        choose: Callable[[Match], Command | None],
        *,
        significant: SignificantKind | None = None,
        patient: bool = True,
    ) -> Match:
        """Takes the step that `choose` says, at the latest moment that it holds for; none when it says None or
        the command gives no events.

        `choose` is asked again when the match changed under it, and refuses by raising. Returns the match afterwards.
        The auditor is told of a `significant` one. Who has other matches to look after is not `patient`: StoreBusy is
        raised when somebody has this one in hand.
        """
        with self._one_at_a_time(match_id, patient=patient):
            for _ in range(_ATTEMPTS):
                match = self.load(match_id)
                command = choose(match)
                if command is None:
                    return match
                if match.lost:
                    raise WrongPhase("the match was lost with a database, and its stakes went back")
                seed = self._seed(match_id)
                events = decide(match.state, command, now, seed)
                if not events:
                    return match
                after = reduce(lambda state, event: evolve(state, event, seed), events, match.state)
                append = _append(match, events, after, now, seed, patient=patient)
                if significant is not None:
                    append = replace(append, significant=SignificantEvent(now, significant, {"m": match_id}))
                if self._store.commit(append) is CommitResult.COMMITTED:
                    self._kept.put(match_id, after, append.lines, seed)
                    self._count(events)
                    self._hub.publish(match_id)
                    changed = replace(match.table, size=after.size, status=append.status, due_at=append.due_at)
                    return Match(changed, after)
        raise Stale("the match keeps changing")

    def lose(self, match_id: str, now: int, *, logged: bool) -> None:
        """Ends a match that an older database still has live, stakes back, by its `close` leaf alone; without one when
        the log has one of it.
        """
        match = self.load(match_id)
        leaves = () if logged else (lost_leaf(match.state, self._seed(match_id)),)
        table, money = match.table, _refund(match, now)
        lost = Append(match_id, table.size, table.seating, (), Status.ENDED, None, now, money=money, leaves=leaves)
        if self._store.commit(lost) is not CommitResult.COMMITTED:
            raise Stale("the match keeps changing")

    def changed(self, match_id: str) -> Match:
        """Tells who listens that the seating has changed, and reads the match. Raises UnknownMatch."""
        self._hub.publish(match_id)
        return self.load(match_id)

    def postpone(self, match_id: str, due_at: int, now: int) -> None:
        """Gives a full table until `due_at` to join, whatever joins come in at the same time. Nothing moves once all
        have joined. Raises StoreBusy when somebody has the match in hand.
        """
        # Under the lock: a join names the due time that it was decided on.
        with self._one_at_a_time(match_id, patient=False):
            table = self.load(match_id).table
            if table.status is Status.JOINING:
                later = Append(match_id, table.size, table.seating, (), table.status, due_at, now, patient=False)
                self._store.commit(later)

    @contextmanager
    def arriving(self, match_id: str, arrived: int) -> Iterator[None]:
        """Around an action that was at the door at `arrived`, from there to its answer."""
        with self._lock:
            self._arrivals.setdefault(match_id, []).append(arrived)
        try:
            yield
        finally:
            with self._lock:
                self._arrivals[match_id].remove(arrived)
                if not self._arrivals[match_id]:
                    del self._arrivals[match_id]

    def earliest_arrival(self, match_id: str) -> int | None:
        """When the first of the actions now on their way through the service was at the door; None without any."""
        with self._lock:
            return min(self._arrivals.get(match_id, ()), default=None)

    def count_overtaken(self, match_id: str, action: SignedAction, arrived: int) -> None:
        """To be called with an action that was refused: counts and tells it when it was at the door by its deadline
        and another process, which does not see this one's arrivals, has written the timeout in between.
        """
        match = self.load(match_id)
        newer = [Event.parse(line) for line in self.lines(match, action.size)]
        if action.type == "act":
            newer = newer[:1]
        if not any(_charges(event, action.seat) for event in newer):
            return  # nearly always, and the events before need not be folded for it
        seed = self._seed(match_id)
        state: MatchState | None = None
        for event in map(Event.parse, self.lines(match, 0)[: action.size]):
            state = evolve(state, event, seed)
        for event in newer:
            if _charges(event, action.seat):
                if state is not None and state.deadline is not None and arrived <= state.deadline:
                    with self._lock:
                        self._tally.overtaken += 1
                    log.error("an action in time was overtaken by a timeout", extra={"match": match_id, "n": event.n})
                return
            state = evolve(state, event, seed)

    def lines(self, match: Match, start: int) -> tuple[bytes, ...]:
        """The match's event lines from `start` on, up to its size."""
        match_id, size = match.table.match_id, match.state.size
        kept = self._kept.get(match_id)
        newest = kept.lines(start) if kept is not None and kept.state.size == size else None
        return self._store.events(match_id, start)[: size - start] if newest is None else newest

    def tally(self) -> Tally:
        """What this process has committed so far."""
        with self._lock:
            return Tally(
                self._tally.commits, self._tally.events.copy(), self._tally.actions.copy(), self._tally.overtaken
            )

    def _count(self, events: tuple[Event, ...]) -> None:
        with self._lock:
            self._tally.commits += 1
            self._tally.events.update(event.type for event in events)
            self._tally.actions.update(next(iter(event.data["do"])) for event in events if event.type in SEAT_EVENTS)

    def _fold(self, table: Table, state: MatchState | None) -> MatchState:
        """The state at the table's size, from the one kept or from nothing."""
        start = state.size if state else 0
        lines = self._store.events(table.match_id, start)[: table.size - start]
        seed = self._seed(table.match_id)
        try:
            for line in lines:
                state = evolve(state, Event.parse(line), seed)
        except FairdealError as error:
            raise Broken("the stored events of a match do not fold") from error
        if state is None or state.size != table.size:
            raise Broken("a match has not the events that its row says")
        self._kept.put(table.match_id, state, lines, seed)
        return state

    def _seed(self, match_id: str) -> Seed:
        kept = self._kept.get(match_id)
        return kept.seed if kept else self._house.custody.open(self._store.sealed_seed(match_id), match_id)

    @contextmanager
    def _one_at_a_time(self, match_id: str, *, patient: bool) -> Iterator[None]:
        with self._lock:
            lock, waiting = self._stepping.get(match_id, (Lock(), 0))
            self._stepping[match_id] = (lock, waiting + 1)
        try:
            if not lock.acquire(timeout=-1 if patient else _IN_HAND_S):
                raise StoreBusy("another call has the match in hand")
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._lock:
                lock, waiting = self._stepping.pop(match_id)
                if waiting > 1:
                    self._stepping[match_id] = (lock, waiting - 1)


def _charges(event: Event, seat: int) -> bool:
    """Whether it is a timeout of that seat."""
    return event.type == "timeout" and seat in (event.data.get("seat"), *event.data.get("missing", ()))


def _append(
    match: Match, events: tuple[Event, ...], after: MatchState, now: int, seed: Seed, *, patient: bool
) -> Append:
    """Everything the events change: lines, status, due time, a join's commitment, the money, the log of all matches."""
    table = match.table
    if after.ending is not None:
        status, due_at = Status.ENDED, None
    elif after.full:
        status, due_at = Status.LIVE, after.due_at
    else:
        status, due_at = table.status, table.due_at
    joins = [event.data["do"]["join"] for event in events if event.type == "join"]
    return Append(
        match_id=table.match_id,
        size=table.size,
        seating=table.seating,
        lines=tuple(event.line for event in events),
        status=status,
        due_at=due_at,
        at=now,
        commitment=joins[0]["seed_commitment"] if joins else None,
        money=_money(match, after),
        leaves=due_leaves(match.state, after, seed),
        patient=patient,
    )


def _refund(match: Match, at: int) -> Transaction | None:
    """Every stake back, out of the pot where there is one."""
    table, terms = match.table, match.state.terms
    accounts = _accounts(table)
    if table.stake == 0 or not accounts:
        return None
    if not match.state.full:
        return ledger.cancel(table.match_id, accounts, table.stake, asset=table.asset, at=at)
    lines = ledger.settlement(terms.sides, table.stake, ledger.Refund(), terms.fees)
    return ledger.pay_out(table.match_id, accounts, lines, ledger.Refund(), asset=table.asset, at=at)


def _accounts(table: Table) -> list[str]:
    return [seat.account_id for seat in sorted(table.seated, key=lambda seat: seat.seat)]


def _money(match: Match, after: MatchState) -> Transaction | None:
    """What the step moves: the last join forms the pot, an end empties it, or gives back what was held."""
    table, before = match.table, match.state
    accounts = _accounts(table)
    if table.stake == 0 or not accounts:
        return None
    if after.full and not before.full:
        return ledger.form_pot(table.match_id, accounts, table.stake, asset=table.asset, at=after.last_t)
    if after.ending is None:
        return None
    if not after.full:
        return ledger.cancel(table.match_id, accounts, table.stake, asset=table.asset, at=after.last_t)
    lines = settlement_lines(after)
    return ledger.pay_out(table.match_id, accounts, lines, money_outcome(after), asset=table.asset, at=after.last_t)
