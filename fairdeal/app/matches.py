"""The one place where a match takes a step: read, decide, write with the money, tell.

A state is the fold of the stored events. It is kept for a while, so that it need not be folded, nor looked for, each
time; nothing about a live match exists in memory alone, and who is refused is refused by what the store has. What makes
two histories impossible is the store's compare-and-set; the lock per match only saves decisions that would lose.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from threading import Lock
from typing import Final

from fairdeal.app.appending import append_of, refund, standing
from fairdeal.app.house import House
from fairdeal.app.hub import AS_IT_STANDS, Hub
from fairdeal.app.kept import Kept, KeptMatches, Match
from fairdeal.app.ports import Append, CommitResult, SignificantEvent, SignificantKind, Status, Store, Table
from fairdeal.commit import Seed
from fairdeal.errors import Broken, FairdealError, Stale, StoreBusy, UnknownMatch, WrongPhase
from fairdeal.match.actions import SignedAction
from fairdeal.match.decide import Command, decide
from fairdeal.match.events import SEAT_EVENTS, Event
from fairdeal.match.evolve import evolve
from fairdeal.match.leaves import lost_leaf
from fairdeal.match.state import MatchState
from fairdeal.match.terms import Terms

log = logging.getLogger("fairdeal.matches")

_IN_HAND_S: Final = 0.25
"""For who is not patient: a step takes some ms."""
_ATTEMPTS: Final = 8
"""Lost races in a row. The per-match lock allows none in this process; another one may be faster."""


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
        kept = self._remembered(match_id)
        table = self._store.table(match_id)  # after `kept`, so that it is never behind it
        if table is None:
            raise UnknownMatch("there is no such match")
        state = kept.match.state if kept else None
        return Match(table, state if state is not None and state.size == table.size else self._fold(table, state))

    def beyond(self, match_id: str, size: int) -> Match:
        """The match at a moment when it had that many events at least, without a look if so many are known here.
        Raises UnknownMatch.
        """
        known = self._known(match_id)
        if known is None or size == AS_IT_STANDS:
            return self.load(match_id)
        return known if known.state.size >= size else self._caught_up(known)

    def doubt(self) -> None:
        """To be called when the store has failed: whatever answers next may be a standby that has not the last of what
        was acknowledged. What is remembered of a match is compared with it before it counts again.
        """
        self._kept.doubt()

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
            for match, as_it_stands in self._moments(match_id):
                seed = self._seed(match_id)
                try:
                    events = _decided(match, choose(match), now, seed)
                except FairdealError:
                    if as_it_stands:
                        raise
                    continue
                if not events:
                    if as_it_stands:
                        return match
                    continue
                after = reduce(lambda state, event: evolve(state, event, seed), events, match.state)
                append = append_of(match, events, after, now, seed, patient=patient)
                if significant is not None:
                    append = replace(append, significant=SignificantEvent(now, significant, {"m": match_id}))
                if self._store.commit(append) is CommitResult.COMMITTED:
                    table = replace(match.table, size=after.size, status=append.status, due_at=append.due_at)
                    stepped = Match(table, after)
                    self._kept.put(stepped, append.lines, seed)
                    self._count(events)
                    self._hub.publish(match_id, after.size)
                    return stepped
        raise Stale("the match keeps changing")

    def _moments(self, match_id: str) -> Iterator[tuple[Match, bool]]:
        """The match to take a step from, until the step is taken: in play first as it is known here, which spares a
        look when it is right; then as it stands, which is what the second member says. Who is refused, or has nothing
        to do, is so by the latter alone.
        """
        known = self._known(match_id)
        if known is not None:
            yield known, False
        for _ in range(_ATTEMPTS):
            yield self.load(match_id), True

    def lose(self, match_id: str, now: int, *, logged: bool) -> None:
        """Ends a match that an older database still has live, stakes back, by its `close` leaf alone; without one when
        the log has one of it.
        """
        match = self.load(match_id)
        leaves = () if logged else (lost_leaf(match.state, self._seed(match_id)),)
        table, money = match.table, refund(match, now)
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
        newest = kept.lines(start) if kept is not None and kept.match.state.size == size else None
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
        if not lines or start + len(lines) != table.size:
            raise Broken("a match has not the events that its row says")
        seed = self._seed(table.match_id)
        state = _folded(state, lines, seed)
        self._kept.put(Match(table, state), lines, seed)
        return state

    def _caught_up(self, known: Match) -> Match:
        """In play, and at its end by an event, everything follows from the events."""
        match_id, size = known.table.match_id, known.state.size
        lines, seed = self._store.events(match_id, size), self._seed(match_id)
        state = _folded(known.state, lines, seed)
        status, due_at = standing(known.table, state)
        match = Match(replace(known.table, size=size + len(lines), status=status, due_at=due_at), state)
        self._kept.put(match, lines, seed)
        return match

    def _known(self, match_id: str) -> Match | None:
        """A moment that the match had, without a look; none before play: there a row changes without an event."""
        kept = self._remembered(match_id)
        return kept.match if kept is not None and kept.match.state.full else None

    def _remembered(self, match_id: str) -> Kept | None:
        """What is kept of it, and is of the store's history."""
        kept = self._kept.get(match_id)
        if kept is None or not self._kept.doubted(match_id):
            return kept
        start = kept.match.state.size - len(kept.newest)
        if self._store.events(match_id, start)[: len(kept.newest)] == kept.newest:
            self._kept.trust(match_id, kept)
            return kept
        self._kept.forget(match_id)
        log.error("the database has not what was written to it", extra={"match": match_id})
        return None

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


def _decided(match: Match, command: Command | None, now: int, seed: Seed) -> tuple[Event, ...]:
    if command is None:
        return ()
    if match.lost:
        raise WrongPhase("the match was lost with a database, and its stakes went back")
    return decide(match.state, command, now, seed)


def _charges(event: Event, seat: int) -> bool:
    """Whether it is a timeout of that seat."""
    return event.type == "timeout" and seat in (event.data.get("seat"), *event.data.get("missing", ()))


def _folded(state: MatchState | None, lines: Sequence[bytes], seed: Seed) -> MatchState:
    """The state after these lines, of which there is one at least. Raises Broken."""
    try:
        for line in lines:
            state = evolve(state, Event.parse(line), seed)
    except FairdealError as error:
        raise Broken("the stored events of a match do not fold") from error
    assert state is not None
    return state
