"""Steps 7 to 10: one pass over the events of a closed match, each against what those before it and the seeds allow.

Within one event the checks stand in the order of protocol 6.2: may it stand here (8), is the deal the derived one (7),
the show, the score and the end (9), the settlement (10).
"""

from collections.abc import Callable
from typing import Any

from fairdeal_verifier.annonces import SHUFFLE_AFTER
from fairdeal_verifier.cards import DECLARE, RESIGN, members
from fairdeal_verifier.errors import Broken, IllegalAction
from fairdeal_verifier.events import (
    Act,
    Dealt,
    End,
    Event,
    Join,
    Resume,
    Reveal,
    Scored,
    Seed,
    Settle,
    Shown,
    Timeout,
    accounts,
)
from fairdeal_verifier.game import SIDES, Deal, Pair, winner
from fairdeal_verifier.shuffle import cut_pack, deal_pack, first_dealer
from fairdeal_verifier.terms import BASIS, Open

SEED_PERIODS = 3
"""Protocol 2.6: after the third the match ends."""

JOINING, SEEDING, PLAYING, OVER = "joining", "seeding", "playing", "over"


class Fold:
    """The state after the events applied so far. `apply` raises Broken; its place is the index of the event given."""

    def __init__(self, terms: Open, server_seed: bytes, table_root: bytes) -> None:
        """`terms` is event 0; `table_root` is Root(k+1), of no account while seats are missing."""
        self._terms = terms
        self._server_seed = server_seed
        self._table_root = table_root
        self._n = 0
        self._t = terms.t
        self._phase = JOINING
        self._due: type[Event] | None = None
        self._counts_from = 0
        self._deadline = 0
        self._joins: dict[int, Join] = {}
        self._seeds: dict[int, bytes] = {}
        self._periods = 0
        self._resumed_to = 0
        self._deal: Deal | None = None
        self._number = 0
        self._first_dealer = 0
        self._gathered: list[int] = []
        self._voids_in_row = 0
        self._overruns = [0] * terms.seats
        self._totals: Pair = (0, 0)
        self._pot = 0
        self._end: tuple[str, int | None, str | None] = ("", None, None)

    def hand(self, seat: int) -> list[int]:
        """The cards a view shows to a seat now, in canonical order (protocol 2.9)."""
        return [] if self._deal is None else members(self._deal.hands[seat])

    def legal(self, seat: int) -> list[int]:
        """The actions a view shows to a seat now, in canonical order (protocol 2.9)."""
        if self._deal is None or self._due is not None or self._deal.turn != seat:
            return []
        return self._deal.legal()

    def apply(self, event: Event) -> None:
        """Takes the next event."""
        self._n += 1
        kind = type(event)
        if self._due is not None:
            if kind is not self._due:
                raise self._broken("order")
            if event.t != self._t:
                raise self._broken("clock")
            self._due = None
        elif self._phase not in _PHASES.get(kind, ()) or self._repeats(event):
            raise self._broken("order")
        elif event.t < self._t:
            raise self._broken("clock")
        self._t = event.t
        _HANDLERS[kind](self, event)

    def _repeats(self, event: Event) -> bool:
        """A seat's second join or seed."""
        if isinstance(event, Join):
            return event.by in self._joins
        return isinstance(event, Seed) and event.by in self._seeds

    def _broken(self, cause: str, step: int = 8) -> Broken:
        return Broken(step, cause, self._n)

    def _join(self, event: Join) -> None:
        for other in self._joins.values():
            if event.key == other.key or event.seed_commitment == other.seed_commitment:
                raise self._broken("duplicate")
        if event.seed_commitment == self._terms.commitment:
            raise self._broken("duplicate")
        self._joins[event.by] = event
        if len(self._joins) == self._terms.seats:
            self._phase = SEEDING
            self._start_clock()

    def _seed(self, event: Seed) -> None:
        self._check_in_time()
        self._seeds[event.by] = event.seed
        if len(self._seeds) == self._terms.seats:
            self._first_dealer = first_dealer(self._server_seed, self._table_root, self._seat_seeds())
            self._due = Dealt

    def _seat_seeds(self) -> list[bytes]:
        return [self._seeds[seat] for seat in range(self._terms.seats)]

    def _start_clock(self, pause_ms: int = 0) -> None:
        """A decision begins, or a seed period."""
        self._counts_from = self._t
        self._deadline = self._t + self._terms.clock.decision_ms + pause_ms

    def _check_in_time(self) -> None:
        if self._t > self._deadline:
            raise self._broken("clock")

    def _dealt(self, event: Dealt) -> None:
        self._phase = PLAYING
        self._number += 1
        dealer = (self._first_dealer + self._number - 1) % self._terms.seats
        self._deal = self._terms.ruleset.start(self._pack(), dealer)
        if (event.deal, event.dealer, event.turned) != (self._number, dealer, self._deal.turned):
            raise self._broken("deal", 7)
        self._start_clock(self._terms.clock.pause_ms)

    def _pack(self) -> list[int]:
        """The cards of deal number `_number`: shuffled, or in a game of announcements gathered and cut."""
        seeds = (self._server_seed, self._table_root, self._seat_seeds())
        if not self._terms.ruleset.announces or self._number == 1 or self._voids_in_row == SHUFFLE_AFTER:
            self._voids_in_row = 0
            return deal_pack(*seeds, self._number)
        return cut_pack(self._gathered, *seeds, self._number)

    def _act(self, event: Act) -> None:
        deal = self._deal
        assert deal is not None, "in play a deal is dealt or due"
        if event.action not in (RESIGN, DECLARE) and event.by != deal.turn:
            raise self._broken("turn")
        self._check_in_time()
        if event.action == RESIGN:
            self._ends("resigned", other_side(event.by))
        elif event.action == DECLARE:
            self._declare(deal, event.by)
        else:
            self._play(deal, event.action, event.says)

    def _declare(self, deal: Deal, seat: int) -> None:
        try:
            deal.declare(seat)
        except IllegalAction:
            raise self._broken("illegal") from None

    def _play(self, deal: Deal, action: int, says: str | None) -> None:
        try:
            due = deal.act(action)
        except IllegalAction:
            raise self._broken("illegal") from None
        if says != due:
            raise self._broken("says")
        if deal.turn is None:
            self._due = Scored
            return
        self._start_clock()
        if deal.shows:
            self._due = Shown

    def _shown(self, event: Shown) -> None:
        assert self._deal is not None, "a show is due only while a deal is there"
        if event.announcements != self._deal.shown():
            raise self._broken("show", 9)

    def _timeout(self, event: Timeout) -> None:
        deal = self._deal
        if (event.missing is None) != (deal is not None):
            raise self._broken("timeout")
        if deal is not None and event.seat != deal.turn:
            raise self._broken("turn")
        if self._t < self._deadline + self._terms.clock.grace_ms:
            raise self._broken("clock")
        if deal is None:
            self._end_period(event)
        else:
            self._overrun(deal, event)

    def _end_period(self, event: Timeout) -> None:
        if event.missing != tuple(seat for seat in range(self._terms.seats) if seat not in self._seeds):
            raise self._broken("timeout")
        self._periods += 1
        if self._periods < SEED_PERIODS:
            self._start_clock()
        else:
            late = {seat % SIDES for seat in event.missing or ()}
            self._ends("seed", other_side(late.pop()) if len(late) == 1 else None)

    def _overrun(self, deal: Deal, event: Timeout) -> None:
        self._overruns[event.seat] += 1
        count = self._overruns[event.seat]
        last = count == self._terms.clock.overruns
        if event.overrun != count or event.action != (None if last else deal.legal()[0]):
            raise self._broken("timeout")
        if event.action is None:
            self._ends("overruns", other_side(event.seat))
        else:
            self._play(deal, event.action, event.says)

    def _resume(self, event: Resume) -> None:
        long_enough = event.stop - event.start > self._terms.clock.outage_ms
        if not long_enough or event.start < self._resumed_to or not self._counts_from <= event.stop <= self._t:
            raise self._broken("resume")
        self._resumed_to = event.stop
        self._start_clock()

    def _scored(self, event: Scored) -> None:
        deal = self._deal
        assert deal is not None, "a score is due only while a deal is there"
        score = deal.score(self._pot, counts_bid=self._terms.counts_bid)
        totals = (self._totals[0] + score.marks[0], self._totals[1] + score.marks[1])
        if (event.deal, event.score, event.totals) != (self._number, score, totals):
            raise self._broken("score", 9)
        self._gathered = deal.gathered()
        self._voids_in_row = self._voids_in_row + 1 if score.taker is None else 0
        self._deal = None
        self._totals = totals
        self._pot = score.pot
        won_by = winner(totals, self._terms.target)
        if won_by is not None:
            self._ends("target", won_by)
        elif self._number == self._terms.deals_max:
            self._ends("void", None, "deal_limit")
        else:
            self._due = Dealt

    def _ends(self, reason: str, side: int | None, cause: str | None = None) -> None:
        self._end = (reason, side, cause)
        self._due = End

    def _ended(self, event: End) -> None:
        if not self._end[0]:
            self._end = ("cancelled", None, None) if self._phase == JOINING else ("void", None, "operator")
        if (event.reason, event.winner, event.cause) != self._end or event.totals != self._totals:
            raise self._broken("end", 9)
        self._phase = OVER
        self._deal = None
        self._due = Reveal

    def _revealed(self, event: Reveal) -> None:
        if len(self._joins) == self._terms.seats and self._terms.stake:
            self._due = Settle

    def _settled(self, event: Settle) -> None:
        reason, side, _ = self._end
        if event.lines != settlement(self._terms, reason, side):
            raise self._broken("settle", 10)


def other_side(seat: int) -> int:
    """The side against a seat."""
    return 1 - seat % SIDES


def settlement(terms: Open, reason: str, side: int | None) -> tuple[tuple[str, int], ...]:
    """The lines of `settle` (protocol 4.6) in their order; `side` is the one that won."""
    pot = terms.seats * terms.stake
    commission = tax = 0
    payouts = [terms.stake] * terms.seats
    if side is not None:
        fees = terms.fees
        if reason != "seed":
            commission = min(pot * fees.commission_bp // BASIS, fees.commission_cap)
            tax = (pot if fees.tax_on_pot else commission) * fees.tax_bp // BASIS
        payouts = [0] * terms.seats
        winners = range(side, terms.seats, SIDES)
        share, odd = divmod(pot - commission - tax, len(winners))
        for number, seat in enumerate(winners):
            payouts[seat] = share + (number < odd)
    return tuple(zip(accounts(terms.seats), (-pot, *payouts, commission, tax), strict=True))


_HANDLERS: dict[type[Event], Callable[[Fold, Any], None]] = {
    Join: Fold._join,
    Seed: Fold._seed,
    Dealt: Fold._dealt,
    Act: Fold._act,
    Shown: Fold._shown,
    Timeout: Fold._timeout,
    Resume: Fold._resume,
    Scored: Fold._scored,
    End: Fold._ended,
    Reveal: Fold._revealed,
    Settle: Fold._settled,
}
_PHASES: dict[type[Event], tuple[str, ...]] = {
    Join: (JOINING,),
    Seed: (SEEDING,),
    Act: (PLAYING,),
    Timeout: (SEEDING, PLAYING),
    Resume: (SEEDING, PLAYING),
    End: (JOINING, SEEDING, PLAYING),
}
"""Where an event may stand that nothing makes due."""
