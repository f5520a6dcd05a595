"""One match through a player's eyes: takes in what the server sends, checks it, and signs (protocol section 2.10).

It sends nothing itself. What it signs is in the memory before it is returned, and so is the proof that the log of all
matches has what it signs on; what contradicts itself stops the signing for ever and is packed as evidence.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from fairdeal import canonical
from fairdeal.belote import Action, cards_in, to_do
from fairdeal.client import hand as own_hand
from fairdeal.client.answers import Parsed, parse_answer
from fairdeal.client.errors import AlreadySigned, Contradiction, EventsMissing, Finding, NotRemembered
from fairdeal.client.evidence import write_evidence
from fairdeal.client.log import ReadTile
from fairdeal.client.match_log import MatchLog
from fairdeal.client.memory import Memory, Shown
from fairdeal.client.strategies import Turn
from fairdeal.client.watch import Watched, after_view, check_deadline, check_signed, fold
from fairdeal.commit import commitment
from fairdeal.errors import FairdealError, KeyRefused, WrongPhase
from fairdeal.match import (
    Bundle,
    Event,
    Held,
    HeldLine,
    HeldLog,
    MatchState,
    Phase,
    SignedAction,
    Terms,
    legal,
    open_receipt,
    parse_bundle,
    receipt_key,
    write_bundle,
)
from fairdeal.tlog import EMPTY_ROOT, Checkpoint, Policy


class MatchClient:
    """The match `m` of a memory that knows it. Evidence is written into `folder`.

    `policy` is whom the player believes: with a key of the log of all matches nothing is signed without its proofs,
    with the receipts key alone no log is asked. Raises NotRemembered; Contradiction when what is remembered does not
    hold.
    """

    def __init__(self, memory: Memory, m: str, folder: Path, policy: Policy) -> None:
        sitting = memory.sitting(m)
        if sitting.seat is None or sitting.player is None:
            raise NotRemembered("the memory knows the table, but no seat at it", {"m": m})
        self.m = m
        self.seat = sitting.seat
        self._player = sitting.player
        self._sitting = sitting
        self._memory = memory
        self._folder = folder
        self._terms = Terms.parse(Event.parse(sitting.opened).data)
        self._receipt_key = receipt_key(self._terms)
        try:
            self._log = MatchLog(memory, self._terms, policy)
        except KeyRefused as error:
            raise Contradiction(Finding.TERMS, 0, error.message) from error
        self._lines: list[bytes] = []
        self._roots: list[bytes] = [EMPTY_ROOT]
        self._views: dict[int, bytes] = {}
        self._watched = Watched(None, own_hand.OwnHand(self.seat))
        self._restore()

    def __repr__(self) -> str:
        return f"MatchClient(m={self.m!r}, seat={self.seat}, size={self.size})"

    @property
    def state(self) -> MatchState:
        """The fold of all events seen. Raises WrongPhase before the first answer."""
        if self._watched.state is None:
            raise WrongPhase("nothing has been received yet")
        return self._watched.state

    @property
    def size(self) -> int:
        """How many events have been seen: the next one asked for."""
        return len(self._lines)

    @property
    def hand(self) -> tuple[int, ...]:
        """Our cards, in canonical order."""
        return cards_in(self._watched.hand.held)

    @property
    def over(self) -> bool:
        """Whether the match has ended and nothing follows, or was lost."""
        return self.lost is not None or (self.size > 0 and self.state.phase is Phase.CLOSED)

    @property
    def lost(self) -> int | None:
        """How many events are left of a match that a restored store has given up (protocol section 7.5)."""
        leaf = self._log.lost
        return None if leaf is None else int(leaf["size"])

    @property
    def logged(self) -> bool:
        """Whether the player's policy lists the match's log, so that proofs are asked for."""
        return self._log.used

    @property
    def newest(self) -> Checkpoint | None:
        """The newest checkpoint of the log that the memory holds: the log is asked from there on."""
        return self._log.newest

    @property
    def awaited(self) -> str | None:
        """The leaf of the log that must be proven before anything more is signed or taken away."""
        return self._log.awaited(self.state.phase)

    @property
    def turn(self) -> Turn | None:
        """The decision that is ours to make now."""
        if not self.size or self.state.turn != self.seat or self.state.deal is None:
            return None
        allowed = legal(self.state, self.seat, self._watched.hand.held)
        read = self.state.terms.ruleset.from_do
        return Turn(self.seat, self.state.deal, self.hand, tuple(map(read, allowed)))

    def receive(self, answer: Mapping[str, Any]) -> None:
        """Take in an answer or a stream's message: all of it is checked and kept, or it raises Contradiction.

        Raises EventsMissing, and nothing has happened, when it does not begin where the events seen so far end.
        """
        self._check_not_stopped()
        with self._stopping(answer):
            self._take(parse_answer(answer, self.m), keep=True)

    def receive_log(self, answer: Mapping[str, Any], held: Checkpoint | None, read: ReadTile) -> None:
        """Take in what the log has of the match, asked for from `held` on, which was `newest`; `read` reads its tiles.

        Raises Contradiction; EventsMissing, CheckpointMoved, and nothing has happened, when it is to be asked again;
        UnknownLogKey, and nothing has happened; WrongPhase before the first answer; what `read` raises.
        """
        self._check_not_stopped()
        with self._stopping(answer):
            self._log.take(answer, held, read, self._watched, self._roots, self._lines)

    def refuse_log(self, answer: Mapping[str, Any]) -> NoReturn:
        """The service has answered that its log is shorter than what we hold of it. Raises Contradiction."""
        with self._stopping(answer):
            raise Contradiction(Finding.LOG_FORK, None, "the log is shorter than it was")

    def bundle(self, read: ReadTile) -> bytes | None:
        """The bundle of the match that is over, made of what we saw ourselves.

        None for a lost match whose last receipt we were not shown. Raises WrongPhase before the end, NotLogged before
        the log has shown it, Contradiction, UnknownLogKey, and what `read` raises.
        """
        if not self.over:
            raise WrongPhase("the match is not over")
        self._log.check_proven(self.state.phase)
        lines = self._left()
        head = next((shown.receipt for shown in self.shown() if shown.size == len(lines)), None)
        return None if head is None else write_bundle(head, lines, self._log.part(lines, read))

    def check_bundle(self, data: bytes, read: ReadTile) -> None:
        """Raises Contradiction unless the service's bundle is the match that was played, with proofs of its leaves.

        Its checkpoint may be a newer one than ours. Raises UnknownLogKey, and what `read` raises.
        """
        with self._stopping({"bundle": data.decode(errors="replace")}):
            self._log.check_part(self._open_bundle(data).log, self._left(), read)

    def check_quorum(self, data: bytes) -> None:
        """Raises QuorumMissing unless the witnesses that the policy asks for have cosigned a bundle's checkpoint.

        Raises Contradiction when it is not of the match that was played, and as `Policy.open`; proofs are not checked.
        """
        self._log.check_quorum(self._open_bundle(data).log)

    def held(self) -> Held:
        """What our seat was shown, in order: the held file."""
        lines: list[HeldLine | HeldLog] = []
        for shown in self.shown():
            view: Any = canonical.decode(shown.view)
            lines.append(HeldLine(shown.receipt, shown.sig, view))
        for before, logged in reversed(self._log.lines):
            lines.insert(before, logged)
        return Held(self._sitting.key.public.hex, self.m, self.seat, tuple(lines))

    def join(self) -> bytes | None:
        """The signed `join`, as long as it is due: the seat's key and the commitment to its seed."""
        state = self.state
        if state.phase is not Phase.JOINING or state.joined[self.seat] is not None:
            return None
        kept = self._memory.action(self.m, 1)
        if kept is not None:
            # What it says to have seen was the newest then; meanwhile the memory may have been shown more.
            self._check_going_on()
            return kept
        seen = self.newest or Checkpoint(self._terms.log, 0, EMPTY_ROOT)
        joined = {
            "key": self._sitting.key.public.hex,
            "player": self._player,
            "seed_commitment": commitment(self._sitting.seed),
            "seen": {"root": seen.root.hex(), "size": seen.size},
        }
        return self._sign({"join": joined}, 1)

    def seed(self) -> bytes | None:
        """The signed `seed`, as long as it is due; given for the one table root that the memory then holds."""
        state = self.state
        if state.phase is not Phase.SEEDS or state.seeds[self.seat] is not None or state.table_root is None:
            return None
        self._check_going_on()
        self._log.check_proven(state.phase)
        self._memory.keep_table_root(self.m, state.table_root)
        return self._sign({"seed": self._sitting.seed.hex()}, state.terms.seats + 1)

    def kept_action(self) -> bytes | None:
        """The action signed for the present size and not yet an event: after a crash it is sent again as it is."""
        return self._memory.action(self.m, self.size) if self.turn else None

    def act(self, action: Action) -> bytes:
        """The signed action for the present size. Raises WrongPhase off turn, IllegalAction, AlreadySigned."""
        turn, deal = self.turn, self.state.deal
        if turn is None or deal is None:
            raise WrongPhase("our seat is not on turn")
        own_hand.check_legal(self._watched.hand, deal, self.state.terms.ruleset, action)
        return self._sign(to_do(action), self.size)

    def resign(self) -> bytes:
        """The signed resignation, possible at any time from the first deal on. Raises WrongPhase, AlreadySigned."""
        if self.state.phase is not Phase.PLAY:
            raise WrongPhase("one resigns from the first deal on, before the end")
        return self._sign({"resign": True}, self.size)

    def lines(self) -> list[bytes]:
        """The event lines seen so far."""
        return list(self._lines)

    def shown(self) -> list[Shown]:
        """The receipts and views seen so far, in their order."""
        return self._memory.shown(self.m)

    def _open_bundle(self, data: bytes) -> Bundle:
        """A bundle of the match that was played, all but its proofs. Raises Contradiction."""
        lines = self._left()
        try:
            bundle = parse_bundle(data)
            told = open_receipt(bundle.head, self._receipt_key)
        except FairdealError as error:
            raise Contradiction(Finding.FORK, None, f"the bundle: {error.message}") from error
        own = Checkpoint(self._terms.origin, len(lines), self._roots[len(lines)])
        if [event.line for event in bundle.events] != lines or told != own:
            raise Contradiction(Finding.FORK, None, "the bundle is not the match that was played")
        return bundle

    def _left(self) -> list[bytes]:
        """The events of the match that is over. Raises EventsMissing for those of a lost one that we have not seen."""
        left = self.size if self.lost is None else self.lost
        if left > self.size:
            raise EventsMissing("not all events that are left have been seen", {"size": self.size})
        return self._lines[:left]

    def _sign(self, do: dict[str, Any], size: int) -> bytes:
        self._check_going_on()
        self._log.check_proven(self.state.phase)
        root = self._roots[size].hex()
        action = SignedAction.sign(self._sitting.key, self.m, do, root, self.seat, size)
        body = canonical.encode(action.to_json())
        self._memory.keep_action(self.m, size, body)
        return body

    def _check_not_stopped(self) -> None:
        if (stopped := self._memory.sitting(self.m).stopped) is not None:
            raise AlreadySigned(f"signing has been stopped in this match: {stopped}", {"m": self.m})

    def _check_going_on(self) -> None:
        self._check_not_stopped()
        if self.lost is not None:
            raise WrongPhase("the match was lost: nothing more is signed")

    def _restore(self) -> None:
        lines = self._memory.events(self.m)
        for shown in self._memory.shown(self.m):
            start = min(self.size, shown.size)
            view: Any = canonical.decode(shown.view)
            parsed = Parsed(start, lines[start : shown.size], shown.receipt, view, bytes.fromhex(shown.sig), None)
            self._take(parsed, keep=False)

    def _take(self, answer: Parsed, keep: bool) -> None:
        size = answer.size
        self._check_seen(answer)
        watched, roots = self._watched, list(self._roots)
        new = answer.lines[self.size - answer.start :]
        for line in new:
            watched, event = fold(watched, line)
            self._check_own(event)
            assert watched.state is not None
            roots.append(watched.state.root)
        assert watched.state is not None
        check_signed(answer, self._terms, self._receipt_key, self.seat, roots[size])
        self._log.check_said(watched, roots)
        if size >= self.size:
            watched = after_view(watched, answer)
            if keep:
                check_deadline(watched, answer)
        view = canonical.encode(answer.view)
        known = size in self._views
        if self._views.setdefault(size, view) != view:
            raise Contradiction(Finding.FORK, size - 1, "two views of one size")
        # One text can have any number of valid signatures: were each kept, the held file could be grown past its limit.
        if keep and not known:
            shown = Shown(size, answer.receipt, view, answer.sig.hex())
            self._memory.keep_shown(self.m, self.size, new, shown)
        self._lines += new
        self._watched, self._roots = watched, roots

    def _check_seen(self, answer: Parsed) -> None:
        """No gap (else EventsMissing), and what was sent before is sent again as it was."""
        if answer.start > self.size:
            raise EventsMissing("events before these have not been seen", {"size": self.size})
        for n, line in enumerate(answer.lines[: self.size - answer.start], answer.start):
            if line != self._lines[n]:
                raise Contradiction(Finding.FORK, n, "another event than before")
        if self.size == 0 and answer.lines[:1] != [self._sitting.opened]:
            raise Contradiction(Finding.TERMS, 0, "event 0 is not the one shown before sitting")

    def _check_own(self, event: Event) -> None:
        """What stands under our seat's name is what we signed, byte for byte."""
        if event.by != self.seat:
            return
        size = {"join": 1, "seed": self._terms.seats + 1}.get(event.type, event.n)
        data = event.data
        action = SignedAction(data["do"], data["root"], self.seat, data["sig"], size)
        if self._memory.action(self.m, size) != canonical.encode(action.to_json()):
            raise Contradiction(Finding.OWN_ACTION, event.n, "our seat did not sign this")

    @contextmanager
    def _stopping(self, answer: Mapping[str, Any]) -> Iterator[None]:
        """A contradiction in the answer ends all signing in this match, and is packed as evidence."""
        try:
            yield
        except Contradiction as error:
            self._memory.stop(self.m, error.finding.value)
            newest = self._memory.newest(self._terms.log)
            path = self._folder / f"{self.m}.evidence"
            write_evidence(path, error, self.held(), self._lines, None if newest is None else newest[0], answer)
            raise
