"""What may be shown to whom, by allow-list (protocol section 2.9). No other module lets a hand out."""

from typing import Any, Final

from fairdeal import canonical
from fairdeal.belote import NO_CARD, Deal, cards_in, to_do
from fairdeal.cards import PACK, format_card, format_suit
from fairdeal.errors import Malformed, WrongPhase
from fairdeal.match.followups import contract_data
from fairdeal.match.state import MatchState

_LABEL: Final = b"fairdeal/1 view\n"


def view(state: MatchState, seat: int) -> dict[str, Any]:
    """The view of `seat` at this size: hand, legal, m, seat, size.

    Raises WrongPhase in the outside view while a deal is in play; Malformed for a seat that the table has not.
    """
    if not 0 <= seat < state.terms.seats:
        raise Malformed("no such seat at this table")
    hand = _hand(state, seat)
    return {
        "hand": [format_card(card) for card in cards_in(hand)],
        "legal": legal(state, seat, hand),
        "m": state.terms.m,
        "seat": seat,
        "size": state.size,
    }


def legal(state: MatchState, seat: int, hand: int) -> list[dict[str, Any]]:
    """The `do` objects allowed to `seat` if it holds `hand` (a card set), in canonical order, without `resign`.

    Of all hidden cards it depends on this hand alone; a client asks it of its outside view and the hand it was shown.
    """
    deal = state.deal
    if deal is None or state.turn != seat:
        return []
    own_hand_alone = tuple(hand if other == seat else 0 for other in range(state.terms.seats))
    return [dict(to_do(action)) for action in state.terms.ruleset.actions(deal._replace(hands=own_hand_alone))]


def view_message(view: dict[str, Any]) -> bytes:
    """The bytes that the receipt key signs for a view."""
    return _LABEL + canonical.encode(view)


def table_view(state: MatchState) -> dict[str, Any]:
    """What a stranger may know: nothing that is in a hand or in the stock."""
    deal = state.deal
    return {
        "phase": state.phase.value,
        "size": state.size,
        "joined": [joined is not None for joined in state.joined],
        "seeds": [seed is not None for seed in state.seeds],
        "deal": state.deal_number,
        "dealer": state.dealer,
        "turned": None if deal is None or deal.turned == NO_CARD else format_card(deal.turned),
        "taker": None if deal is None else deal.taker,
        "trump": None if deal is None or deal.trump is None else format_suit(deal.trump),
        "contract": contract_data(deal),
        "declared": _declared(deal, state.terms.seats),
        "trick": [] if deal is None else [format_card(card) for card in deal.trick],
        "points": None if deal is None else list(deal.points),
        "tricks": None if deal is None else list(deal.tricks),
        "stock": None if deal is None else deal.stock_left,
        "hand_sizes": None if deal is None else _hand_sizes(deal, state.terms.seats),
        "belote": None if deal is None else deal.belote,
        "totals": list(state.totals),
        "pot": state.pot,
        "overruns": list(state.overruns),
        "turn": state.turn,
        "deadline": state.deadline,
        "ending": None
        if state.ending is None
        else {"reason": state.ending.reason, "winner": state.ending.winner, "cause": state.ending.cause},
    }


def _declared(deal: Deal | None, seats: int) -> list[int]:
    """The seats that have declared announcements in this deal."""
    if deal is None or deal.announcing is None:
        return []
    return [seat for seat in range(seats) if deal.announcing.declared >> seat & 1]


def _hand_sizes(deal: Deal, seats: int) -> list[int]:
    """How many cards each seat holds, counted from what lies on the table: the hands themselves are not looked at."""
    down = deal.played.bit_count() - len(deal.trick)
    turned_lies = deal.taker is None and deal.turned != NO_CARD
    before_the_trick = (len(PACK) - deal.stock_left - turned_lies - down) // seats
    sizes = [before_the_trick] * seats
    for back in range(1, len(deal.trick) + 1):
        assert deal.turn is not None
        sizes[(deal.turn - back) % seats] -= 1
    return sizes


def _hand(state: MatchState, seat: int) -> int:
    """The card set of a seat, empty unless a deal is in play."""
    if state.deal is None:
        return 0
    if state.deal.hands is None:
        raise WrongPhase("the outside view does not know the hands")
    return state.deal.hands[seat]
