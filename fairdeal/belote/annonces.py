"""The ruleset `annonces@1`: belote for four on a turned card, with announcements (docs/rules/annonces.md)."""

from dataclasses import dataclass
from typing import ClassVar, Final

from fairdeal.belote.actions import Action, Declare, Reason, from_do, refuse
from fairdeal.belote.announcements import Announcement, best_announcements, counted, holds_any, points
from fairdeal.belote.classique import LITIGE_OUTCOMES, Marking, scored
from fairdeal.belote.deal import SIDES, Announcing, Deal
from fairdeal.belote.four import DEFAULT_TARGET, PLAYERS, TRICKS, Duties
from fairdeal.belote.scoring import DealScore, Features, Options
from fairdeal.belote.turned_card import TurnedCard
from fairdeal.errors import WrongPhase

Shown = tuple[tuple[int, Announcement], ...]
"""Announcements with the seat that holds each."""

_NOTHING_YET: Final = Announcing(0, None, ((), ()))
_NO_TRICK: Final = (0, 0)


@dataclass(frozen=True)
class Annonces(TurnedCard):
    """Belote for four with announcements: declared with one's first card or kept silent, shown at the second trick."""

    marking: Marking

    features: ClassVar[Features] = Features(LITIGE_OUTCOMES, litige=True, announcements=True, shuffled=False)

    def start(self, pack: tuple[int, ...], dealer: int, options: Options) -> Deal:
        """The deal of this pack, before the first bid. Raises Malformed when `pack` is not the 32 cards."""
        return super().start(pack, dealer, options)._replace(announcing=_NOTHING_YET)

    def start_public(self, turned: int, dealer: int, options: Options) -> Deal:
        """The same deal seen from outside: hands and stock unknown (None)."""
        return super().start_public(turned, dealer, options)._replace(announcing=_NOTHING_YET)

    def from_do(self, do: object) -> Action:
        """The action that a `do` object writes: as in any game on a turned card, or `declare`. Raises Malformed."""
        action = from_do(do)
        return action if isinstance(action, Declare) else super().from_do(do)

    def actions(self, deal: Deal) -> tuple[Action, ...]:
        """What the seat on turn may do, in canonical order, `declare` last; nothing when the deal is over.

        Raises WrongPhase in the outside view once cards are played: it does not know the hands.
        """
        actions = super().actions(deal)
        turn, hands, announcing = deal.turn, deal.hands, deal.announcing
        if deal.tricks != _NO_TRICK or deal.trump is None or turn is None or hands is None or announcing is None:
            return actions
        silent = not announcing.declared >> turn & 1
        return (*actions, Declare.DECLARE) if silent and holds_any(hands[turn]) else actions

    def check_word(self, deal: Deal, action: Action) -> None:
        """Raises IllegalAction, with the reason, unless the seat on turn may say this."""
        if deal.turn is not None and isinstance(action, Declare):
            check_declare(deal, deal.turn)
        else:
            super().check_word(deal, action)

    def apply(self, deal: Deal, action: Action) -> Deal:
        """The deal after an action of the seat on turn, announcements shown with the first card of the second trick.

        Raises IllegalAction as `check`; WrongPhase from outside.
        """
        after = super().apply(deal, action)
        return show(after, to_show(after)) if len(after.trick) == 1 and show_due(after) else after

    def after_word(self, deal: Deal, action: Action) -> Deal:
        """The deal after a word that may be said."""
        if isinstance(action, Declare):
            assert deal.turn is not None
            return _declared(deal, deal.turn)
        return super().after_word(deal, action)

    def marked(self, deal: Deal, taker: int) -> DealScore:
        """The score of a played deal. Raises WrongPhase when announcements were declared and never shown."""
        announcing = deal.announcing
        if announcing is not None and announcing.declared and announcing.counted is None:
            raise WrongPhase("the announcements have not been shown")
        return scored(deal, taker, self.marking)


def _refusal(deal: Deal, seat: int) -> Reason | None:
    """Why a seat may not declare now; None when it may.

    It may with its first card: from its turn in the first trick on, also just after the card, until the trick is full.
    """
    if deal.trump is None or deal.announcing is None or deal.tricks != _NO_TRICK:
        return Reason.NOT_TIME_TO_DECLARE
    place = (seat - deal.dealer - 1) % PLAYERS
    if place > len(deal.trick):
        return Reason.NOT_TIME_TO_DECLARE
    if deal.announcing.declared >> seat & 1:
        return Reason.ALREADY_DECLARED
    if deal.hands is None:
        return None
    own = 1 << deal.trick[place] if place < len(deal.trick) else 0
    return None if holds_any(deal.hands[seat] | own) else Reason.NOTHING_TO_DECLARE


def check_declare(deal: Deal, seat: int) -> None:
    """Raises IllegalAction, with the reason, unless this seat, on turn or not, may declare now."""
    reason = _refusal(deal, seat)
    if reason is not None:
        refuse(reason)


def declare(deal: Deal, seat: int) -> Deal:
    """The deal after a seat, on turn or not, has declared. Raises IllegalAction as `check_declare`."""
    check_declare(deal, seat)
    return _declared(deal, seat)


def _declared(deal: Deal, seat: int) -> Deal:
    announcing = deal.announcing
    assert announcing is not None
    return deal._replace(announcing=announcing._replace(declared=announcing.declared | 1 << seat))


def show_due(deal: Deal) -> bool:
    """Announcements were declared and are to be shown now: after the first card of the second trick."""
    announcing = deal.announcing
    if announcing is None or not announcing.declared or announcing.counted is not None:
        return False
    return len(deal.trick) == 1 and sum(deal.tricks) == 1


def to_show(deal: Deal) -> Shown:
    """What is shown now: all that the side with the best announcement declared; nothing when both are equal.

    By seat, then by lowest card. Found in the eight cards as dealt. Raises WrongPhase when nothing is to be shown, and
    in the outside view.
    """
    if not show_due(deal) or deal.hands is None or deal.trump is None:
        raise WrongPhase("no announcements are to be shown, or the hands are not known")
    assert deal.announcing is not None
    declared = []
    for seat in range(PLAYERS):
        if deal.announcing.declared >> seat & 1:
            found = best_announcements(deal.hands[seat] | _played_by(deal, seat), deal.trump)
            declared += [(seat, one) for one in sorted(found, key=lambda one: one.cards & -one.cards)]
    return counted(declared, deal.trump)


def show(deal: Deal, shown: Shown) -> Deal:
    """The deal after announcements were shown.

    Raises WrongPhase when none are to be shown now; IllegalAction when they are not what must be shown, in the outside
    view when no hidden hands could explain them.
    """
    if not show_due(deal):
        raise WrongPhase("no announcements are to be shown")
    if shown != to_show(deal) if deal.hands is not None else not _possible(deal, shown):
        refuse(Reason.FALSE_ANNOUNCEMENT)
    assert deal.announcing is not None
    return deal._replace(announcing=deal.announcing._replace(counted=points(shown)))


def _possible(deal: Deal, shown: Shown) -> bool:
    """Whether some hands could show this: all who declared of one side do, or nobody when both sides declared.

    Each card stands once, was played by nobody else, and is in a hand of eight; the turned card is the taker's.
    """
    assert deal.announcing is not None
    declared = {seat for seat in range(PLAYERS) if deal.announcing.declared >> seat & 1}
    seats = {seat for seat, _ in shown}
    sides = {seat % SIDES for seat in seats}
    if not shown:
        return {seat % SIDES for seat in declared} == {0, 1}
    if len(sides) > 1 or seats != {seat for seat in declared if seat % SIDES in sides}:
        return False
    cards = 0
    for _, one in shown:
        if cards & one.cards:
            return False
        cards |= one.cards
    taken = 1 << deal.turned
    for seat in seats:
        known = _played_by(deal, seat) | (taken if seat == deal.taker else 0)
        held = known | sum(one.cards for other, one in shown if other == seat)
        if held.bit_count() > TRICKS or held & (deal.played | taken) & ~known:
            return False
    return True


def _played_by(deal: Deal, seat: int) -> int:
    """The cards a seat has played when the second trick has its first card."""
    assert deal.announcing is not None
    assert deal.turn is not None
    first = deal.announcing.piles[0] or deal.announcing.piles[1]
    cards = 1 << first[(seat - deal.dealer - 1) % PLAYERS]
    return cards | 1 << deal.trick[0] if (deal.turn - 1) % PLAYERS == seat else cards


ANNONCES: Final = Annonces(
    id="annonces@1",
    defaults=Options(DEFAULT_TARGET),
    duties=Duties(under_trump=False, rise_over_partner=True),
    marking=Marking(dedans=160),
)
