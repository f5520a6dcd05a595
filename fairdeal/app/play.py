"""Playing: what a seat sends, and what it is answered."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from fairdeal.app.answer import Answer
from fairdeal.app.heart import Heart
from fairdeal.app.house import House
from fairdeal.app.kept import Match
from fairdeal.app.log import Log
from fairdeal.app.matches import Matches
from fairdeal.app.ports import Account, Status
from fairdeal.app.right_clock import RightClock
from fairdeal.errors import IllegalAction, Malformed, NotSeated, Stale, Unauthenticated, WrongPhase
from fairdeal.match.actions import SignedAction, retry_of
from fairdeal.match.decide import Cancel, Command, Move, Void
from fairdeal.match.events import Event
from fairdeal.match.files import write_bundle
from fairdeal.match.leaves import LOST
from fairdeal.match.receipts import receipt
from fairdeal.match.views import view, view_message
from fairdeal.tlog import NoteSigner


@dataclass(frozen=True, slots=True)
class _Signed:
    """What was signed last for a match: the receipt over `root`, and the seats' views of that moment by seat."""

    root: bytes
    receipt: str
    views: dict[int, tuple[dict[str, Any], str]]


_SIGNED_KEPT: Final = 2_000
"""Matches whose newest signatures are kept; beyond this those signed longest ago are signed again when asked for."""


class Play:
    """The use cases of somebody at a table. Safe to call from several threads."""

    def __init__(self, house: House, matches: Matches, heart: Heart, log: Log, clock: RightClock) -> None:
        self._house = house
        self._heart = heart
        self._log = log
        self._matches = matches
        self._clock = clock
        self._lock = Lock()
        self._signed: OrderedDict[str, _Signed] = OrderedDict()

    def act(self, account: Account, m: str, action: SignedAction, arrived: int) -> Answer:
        """Takes a signed action that was all there at `arrived` (ms), or finds that it was taken before.

        Answers the events from the action's own on. Raises UnknownMatch, NotSeated, WrongPhase before the table is
        full or for another sitting's pseudonym, ClockApart, and whatever `match.decide` refuses with; nothing has
        changed then.
        """
        self._clock.check()
        answer = self._take(account, m, action, arrived, made_up=False)
        if answer is None:
            # It may be the service that was late: the match is given what it is owed before a deadline is held to.
            self._heart.beat()
            self._heart.make_up(m)
            answer = self._take(account, m, action, arrived, made_up=True)
        assert answer is not None
        return answer

    def _take(self, account: Account, m: str, action: SignedAction, arrived: int, *, made_up: bool) -> Answer | None:
        """As `act`; but None, and nothing done, for one past the deadline unless the match was `made_up` to."""
        start: int | None = None  # the action's own event, as `choose` found the match when it was asked last

        def choose(match: Match) -> Command | None:
            nonlocal start
            start = None
            if match.seat_of(account.id).seat != action.seat:
                raise NotSeated("that is another seat's action")
            deadline = match.state.deadline
            if not made_up and deadline is not None and arrived > deadline:
                return None
            start = self._placed(match, action)
            if start is not None:
                return None
            start = match.state.size
            self._check_join(match, account, action)
            return Move(action)

        try:
            match = self._matches.step(m, arrived, choose)
        except (Stale, WrongPhase):
            self._matches.count_overtaken(m, action, arrived)
            raise
        return None if start is None else self._answer(match, action.seat, start)

    def answer(self, account: Account, match: Match, start: int) -> Answer:
        """What has happened at the account's seat from event `start` on. Raises NotSeated, Malformed."""
        return self._answer(match, match.seat_of(account.id).seat, start)

    def void(self, m: str) -> Match:
        """The operator ends a match, all stakes go back: void, or cancelled as long as a seat has not joined. Asked
        again of one that ended so, it answers the same. The auditor sees it once.

        Raises UnknownMatch, WrongPhase, ClockApart.
        """

        def choose(match: Match) -> Command | None:
            ending = match.state.ending
            if ending is not None and (ending.cause == "operator" or ending.reason == "cancelled"):
                return None
            return Void() if match.state.full else Cancel()

        return self._matches.step(m, self._clock.now_ms(), choose, significant="void")

    def transcript(self, account: Account | None, m: str) -> tuple[bytes, ...]:
        """Every event line: for the seats at any time, for anybody after the end.

        Raises UnknownMatch; before the end Unauthenticated for nobody, NotSeated for somebody else.
        """
        match = self._matches.load(m)
        if not match.closed:
            if account is None:
                raise Unauthenticated("until the end the transcript is for the seats alone: log in first")
            match.seat_of(account.id)
        return self._matches.lines(match, 0)

    def bundle(self, m: str) -> bytes:
        """The match's bundle (protocol section 5.1). Raises UnknownMatch, WrongPhase before the end, LogStuck."""
        match = self._matches.load(m)
        if not match.closed:
            raise WrongPhase("there is a bundle only after the end")
        lines = self._matches.lines(match, 0)
        first = map(Event.parse, lines[1 : 1 + match.table.seats])
        seen = [event.data["do"]["join"]["seen"]["size"] for event in first if event.type == "join"]
        part = self._log.bundle_part(m, seen)
        if match.lost and part.leaves[-1].leaf.get("cause") != LOST:
            raise WrongPhase("the log closed this match with events that a restored database has not")
        return write_bundle(self.receipt(match), lines, part)

    def receipt(self, match: Match) -> str:
        """The receipt of the match's present size."""
        return self._sign(match).receipt

    def _sign(self, match: Match) -> _Signed:
        """A key gives the same signature every time: what several ask for is signed once."""
        m, root = match.table.match_id, match.state.root
        with self._lock:
            kept = self._signed.get(m)
        if kept is not None and kept.root == root:
            return kept
        signed = _Signed(root, receipt(match.state, self._signer(match)), {})
        with self._lock:
            self._signed[m] = signed
            self._signed.move_to_end(m)
            if len(self._signed) > _SIGNED_KEPT:
                self._signed.popitem(last=False)
        return signed

    def _view(self, match: Match, seat: int, signed: _Signed) -> tuple[dict[str, Any], str]:
        if seat not in signed.views:
            shown = view(match.state, seat)
            signed.views[seat] = (shown, self._signer(match).sign(view_message(shown)).hex())
        return signed.views[seat]

    def _signer(self, match: Match) -> NoteSigner:
        return self._house.receipts_of(match.state.terms.receipt_key)

    def _check_join(self, match: Match, account: Account, action: SignedAction) -> None:
        """What a join must have besides the protocol's rules: a full table, the pseudonym given with the seat, and a
        checkpoint of this log.
        """
        if action.type != "join":
            return
        if match.table.status is Status.OPEN:
            raise WrongPhase("the table is not full yet")
        join = action.do["join"]
        if join["player"] != match.seat_of(account.id).player:
            raise IllegalAction("another pseudonym than the seat's", {"reason": "wrong_player"})
        self._log.check_seen(join["seen"]["size"], bytes.fromhex(join["seen"]["root"]))

    def _placed(self, match: Match, action: SignedAction) -> int | None:
        """The event that this action already became."""
        if action.type == "act" and action.size >= match.state.size:
            return None
        return retry_of(self._matches.lines(match, 0), action)

    def _answer(self, match: Match, seat: int, start: int) -> Answer:
        if start > match.state.size:
            raise Malformed("the match has not so many events")
        signed = self._sign(match)
        shown, sig = self._view(match, seat, signed)
        return Answer(
            m=match.table.match_id,
            start=start,
            events=tuple(line.decode() for line in self._matches.lines(match, start)),
            receipt=signed.receipt,
            view=shown,
            sig=sig,
            now=self._clock.unchecked_ms(),
            deadline=None if match.lost else match.state.deadline,
            closed=match.closed,
        )
