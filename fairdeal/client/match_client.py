"""One match through a player's eyes: takes in what the server sends, checks it, and signs (protocol section 2.10).

It sends nothing itself. What it signs is in the memory before it is returned; what contradicts itself stops the
signing for ever and is packed as evidence.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairdeal import canonical
from fairdeal.belote import Action, card_set, cards_in, to_do
from fairdeal.cards import parse_card
from fairdeal.client import hand as own_hand
from fairdeal.client.answers import Parsed, parse_answer
from fairdeal.client.errors import AlreadySigned, Contradiction, EventsMissing, Finding, NotRemembered
from fairdeal.client.evidence import write_evidence
from fairdeal.client.memory import Memory, Shown
from fairdeal.client.strategies import Turn
from fairdeal.client.watch import Watched, fold
from fairdeal.commit import commitment
from fairdeal.errors import FairdealError, KeyRefused, Malformed, WrongPhase
from fairdeal.match import (
    Event,
    MatchState,
    Phase,
    SignedAction,
    Terms,
    legal,
    open_receipt,
    receipt_key,
    view_message,
)
from fairdeal.tlog import EMPTY_ROOT, Checkpoint, Policy


class MatchClient:
    """The match `m` of a memory that knows it. Evidence is written into `folder`.

    `trusted` is the policy that the player has from elsewhere; None takes the key that the match was opened with.
    Raises NotRemembered; Contradiction when what is remembered does not hold.
    """

    def __init__(self, memory: Memory, m: str, folder: Path, trusted: Policy | None = None) -> None:
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
        if trusted is not None:
            try:
                trusted.check_log(self._receipt_key)
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
        """Whether the match has ended and nothing follows."""
        return self.size > 0 and self.state.phase is Phase.CLOSED

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
        self._check_going_on()
        try:
            self._take(parse_answer(answer, self.m), keep=True)
        except Contradiction as error:
            self._memory.stop(self.m, error.finding.value)
            self._evidence_of(error, answer)
            raise

    def join(self) -> bytes | None:
        """The signed `join`, as long as it is due: the seat's key and the commitment to its seed."""
        state = self.state
        if state.phase is not Phase.JOINING or state.joined[self.seat] is not None:
            return None
        joined = {
            "key": self._sitting.key.public.hex,
            "player": self._player,
            "seed_commitment": commitment(self._sitting.seed),
            "seen": {"root": EMPTY_ROOT.hex(), "size": 0},
        }
        return self._sign({"join": joined}, 1)

    def seed(self) -> bytes | None:
        """The signed `seed`, as long as it is due; given for the one table root that the memory then holds."""
        state = self.state
        if state.phase is not Phase.SEEDS or state.seeds[self.seat] is not None or state.table_root is None:
            return None
        self._check_going_on()
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

    def _sign(self, do: dict[str, Any], size: int) -> bytes:
        self._check_going_on()
        root = self._roots[size].hex()
        action = SignedAction.sign(self._sitting.key, self.m, do, root, self.seat, size)
        body = canonical.encode(action.to_json())
        self._memory.keep_action(self.m, size, body)
        return body

    def _check_going_on(self) -> None:
        stopped = self._memory.sitting(self.m).stopped
        if stopped is not None:
            raise AlreadySigned(f"signing has been stopped in this match: {stopped}", {"m": self.m})

    def _restore(self) -> None:
        lines = self._memory.events(self.m)
        for shown in self._memory.shown(self.m):
            start = min(self.size, shown.size)
            view: Any = canonical.decode(shown.view)
            parsed = Parsed(start, lines[start : shown.size], shown.receipt, view, bytes.fromhex(shown.sig), None)
            self._take(parsed, keep=False)

    def _take(self, answer: Parsed, keep: bool) -> None:
        size = answer.start + len(answer.lines)
        self._check_seen(answer)
        watched, roots = self._watched, list(self._roots)
        new = answer.lines[self.size - answer.start :]
        for line in new:
            watched, event = fold(watched, line)
            self._check_own(event)
            assert watched.state is not None
            roots.append(watched.state.root)
        assert watched.state is not None
        self._check_signed(answer, size, roots[size])
        if size >= self.size:
            watched = Watched(watched.state, self._check_view(watched, answer, size))
            if keep and watched.state is not None:
                _check_deadline(watched.state, answer)
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

    def _check_signed(self, answer: Parsed, size: int, root: bytes) -> None:
        try:
            told = open_receipt(answer.receipt, self._receipt_key)
            if (told.origin, told.size) != (self._terms.origin, size):
                raise Malformed("the receipt is for another match or size")
        except FairdealError as error:
            raise Contradiction(Finding.RECEIPT, size - 1, error.message) from error
        if told != Checkpoint(self._terms.origin, size, root):
            raise Contradiction(Finding.ROOT, size - 1, "the receipt's root is not that of the events")
        try:
            self._receipt_key.public.verify(answer.sig, view_message(answer.view))
            if (answer.view["m"], answer.view["seat"], answer.view["size"]) != (self.m, self.seat, size):
                raise Malformed("the view is for another match, seat or size")
        except FairdealError as error:
            raise Contradiction(Finding.VIEW, size - 1, error.message) from error

    def _check_view(self, watched: Watched, answer: Parsed, size: int) -> own_hand.OwnHand:
        state = watched.state
        assert state is not None
        try:
            cards = [parse_card(card) for card in answer.view["hand"]]
            if cards != sorted(set(cards)):
                raise Malformed("a hand in another order, or with a card twice")
            hand = own_hand.shown(watched.hand, state.deal, card_set(cards))
        except Malformed as error:
            raise Contradiction(Finding.SHOWN_HAND, size - 1, error.message) from error
        except Contradiction as error:
            raise Contradiction(error.finding, size - 1, error.message) from None
        if answer.view["legal"] != legal(state, self.seat, hand.held):
            raise Contradiction(Finding.SHOWN_LEGAL, size - 1, "the legal list is not that of our hand")
        return hand

    def _evidence_of(self, error: Contradiction, answer: Mapping[str, Any]) -> None:
        write_evidence(self._folder / f"{self.m}.evidence", error, self._sitting, self._lines, self.shown(), answer)


def _check_deadline(state: MatchState, answer: Parsed) -> None:
    """The countdown shown is the one that the events fix; before the last join it is the server's own affair."""
    if state.deadline is not None and answer.deadline != state.deadline:
        raise Contradiction(Finding.CLOCK, state.size - 1, "the deadline shown is not that of the events")
