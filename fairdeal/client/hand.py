"""Our own hand as far as views and events have shown it, and the checks this makes possible while playing.

Views come with answers, not with every event; between two of them a hand is the cards that are certainly in it and a
number of cards drawn unseen. Works for every game that deals the pack out evenly, at once or in parts.
"""

from dataclasses import dataclass, replace
from typing import Final

from fairdeal.belote import NO_CARD, Action, Deal, Phase, Play, Ruleset, Says, Shown, declare, to_show
from fairdeal.belote.values import ALL_CARDS, BELOTE_PAIR
from fairdeal.client.errors import Contradiction, Finding
from fairdeal.errors import IllegalAction


@dataclass(frozen=True, slots=True)
class OwnHand:
    """The hand of `seat`: the set `held`, and `unseen` more cards that no view has shown yet."""

    seat: int
    held: int = 0
    unseen: int = 0


def dealt(seat: int, deal: Deal, rules: Ruleset) -> OwnHand:
    """The hand when a deal begins: so many cards, none of them seen."""
    in_hands = ALL_CARDS.bit_count() - deal.stock_left - (deal.turned != NO_CARD)
    return OwnHand(seat, unseen=in_hands // rules.players)


def check_move(hand: OwnHand, deal: Deal, rules: Ruleset, action: Action, says: Says | None, by_clock: bool) -> None:
    """Raises Contradiction when the seat on turn cannot have done this, for all that our hand and the table tell.

    With our hand known, our own moves are judged exactly; the other player's too, once the stock is dealt out.
    """
    own = deal.turn == hand.seat
    if isinstance(action, Play):
        held = bool(1 << action.card & hand.held)
        if held and not own:
            raise Contradiction(Finding.ILLEGAL, None, "another seat played a card of our hand")
        if says is Says.BELOTE and not own and deal.trump is not None and BELOTE_PAIR[deal.trump] & hand.held:
            raise Contradiction(Finding.SAYS, None, "belote announced without the card that we hold")
    exact = _exact(hand, deal, rules)
    if exact is None:
        return
    try:
        rules.check(exact, action)
    except IllegalAction as error:
        raise Contradiction(Finding.ILLEGAL, None, error.message) from None
    if rules.says(exact, action) is not says:
        raise Contradiction(Finding.SAYS, None, "belote is announced where it is not due, or not where it is")
    if by_clock and rules.first_action(exact) != action:
        raise Contradiction(Finding.TIMEOUT, None, "the clock did not play the first legal card")


def check_declare(hand: OwnHand, deal: Deal, rules: Ruleset, seat: int) -> None:
    """Raises Contradiction when a seat, on turn or not, has declared what our hand shows that it has not."""
    if seat != hand.seat or hand.unseen:
        return
    try:
        declare(_with_hand(hand, deal, rules, 0), seat)
    except IllegalAction as error:
        raise Contradiction(Finding.ILLEGAL, None, error.message) from None


def check_show(hand: OwnHand, deal: Deal, rules: Ruleset, shown: Shown) -> None:
    """Raises Contradiction when announcements are shown that our hand, or the cards shown and played, give the lie to.

    When none are, the best of both sides are equal, which our hand alone cannot tell.
    """
    hands = [0] * rules.players
    for seat, one in shown:
        hands[seat] |= one.cards
    if not hand.unseen:
        hands[hand.seat] = 0
        if any(cards & hand.held for cards in hands):
            raise Contradiction(Finding.SHOW, None, "another seat shows a card of our hand")
        hands[hand.seat] = hand.held
    # With no more than was shown, and what was played, a seat finds exactly what it has.
    if shown and to_show(deal._replace(hands=tuple(hands))) != shown:
        raise Contradiction(Finding.SHOW, None, "not what the best side declared")


def after_move(hand: OwnHand, deal: Deal, after: Deal, rules: Ruleset, action: Action) -> OwnHand:
    """The hand after a move that was checked, `after` being the deal then: the card played gone, cards drawn."""
    gone = deal.stock_left - after.stock_left
    if isinstance(action, Play):
        unseen = hand.unseen + gone // rules.players
        if deal.turn != hand.seat:
            return replace(hand, unseen=unseen)
        bit = 1 << action.card
        return replace(hand, held=hand.held & ~bit, unseen=unseen - (not hand.held & bit))
    if not gone:
        return hand
    # On a taking the turned card is dealt out with the stock's, and is the taker's.
    each = (gone + 1) // rules.players
    if after.taker == hand.seat:
        return replace(hand, held=hand.held | 1 << after.turned, unseen=hand.unseen + each - 1)
    return replace(hand, unseen=hand.unseen + each)


def shown(hand: OwnHand, deal: Deal | None, cards: int) -> OwnHand:
    """The hand once a view has shown `cards` (a set). Raises Contradiction when they do not follow from before."""
    if hand.held & ~cards:
        raise Contradiction(Finding.SHOWN_HAND, None, "a card has left the hand without being played")
    if cards.bit_count() != hand.held.bit_count() + hand.unseen:
        raise Contradiction(Finding.SHOWN_HAND, None, "the hand has another number of cards")
    new = cards & ~hand.held
    if deal is not None and new & (deal.played | _turned(deal) | _announced(deal, hand.seat)):
        raise Contradiction(Finding.SHOWN_HAND, None, "a card in the hand is, or was, somewhere else")
    return OwnHand(hand.seat, cards)


def check_legal(hand: OwnHand, deal: Deal, rules: Ruleset, action: Action) -> None:
    """Raises IllegalAction, with the reason, unless our seat, on turn, may do this."""
    rules.check(_with_hand(hand, deal, rules, 0), action)


def _exact(hand: OwnHand, deal: Deal, rules: Ruleset) -> Deal | None:
    """The deal with the hand of the seat on turn, where we know it."""
    if hand.unseen:
        return None
    if deal.turn == hand.seat:
        return _with_hand(hand, deal, rules, 0)
    if rules.players == _TWO and rules.phase(deal) is Phase.STRICT:
        return _with_hand(hand, deal, rules, ALL_CARDS & ~deal.played & ~hand.held)
    return None


_TWO: Final = 2
"""Players among whom every card that we neither hold nor have seen is the other one's."""


def _with_hand(hand: OwnHand, deal: Deal, rules: Ruleset, others: int) -> Deal:
    return deal._replace(hands=tuple(hand.held if seat == hand.seat else others for seat in range(rules.players)))


def _turned(deal: Deal) -> int:
    return 0 if deal.turned == NO_CARD else 1 << deal.turned


def _announced(deal: Deal, seat: int) -> int:
    """Roi and dame of trump, when another seat has said that it has both."""
    return BELOTE_PAIR[deal.trump] if deal.trump is not None and deal.belote not in (None, seat) else 0
