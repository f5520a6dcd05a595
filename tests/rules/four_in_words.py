"""The rules of the games for four, written a second time in the plainest words."""

from typing import Any

from fairdeal.belote import Action, Bid, Deal, Play, cards_in
from fairdeal.belote.actions import ContractBid, Declare, Double
from fairdeal.belote.annonces import Annonces
from fairdeal.belote.coinche import Coinche
from fairdeal.belote.four import Duties
from fairdeal.belote.presets import Preset
from fairdeal.cards import RANKS, SUITS, format_card

TRUMP_ORDER = ["7", "8", "Q", "K", "10", "A", "9", "J"]
PLAIN_ORDER = ["7", "8", "9", "J", "Q", "K", "10", "A"]


def hand_of(deal: Deal, seat: int) -> list[str]:
    assert deal.hands is not None
    return [format_card(card) for card in cards_in(deal.hands[seat])]


def bid_refusal(game: Preset, deal: Deal, action: Action, history: list[tuple[int, Action]]) -> str | None:
    """Why a bid is refused, from what was said so far, as (seat, word)."""
    contracts = [(seat, word) for seat, word in history if isinstance(word, ContractBid)]
    doubles = [word for _, word in history if isinstance(word, Double)]
    if action is Bid.PASS:
        return None
    if not isinstance(game.rules, Coinche):
        if len(history) < 4:
            return None if action is Bid.TAKE else "bid_not_allowed"
        turned = format_card(deal.turned)[0]
        return None if isinstance(action, Bid) and action.value in set(SUITS) - {turned} else "bid_not_allowed"
    allowed = False
    if isinstance(action, ContractBid) and not doubles:
        highest = max((word.value for _, word in contracts if isinstance(word, ContractBid)), default=0)
        allowed = action.value in (*range(80, 181, 10), 250) and action.value > highest and 0 <= action.suit < 4
    if action is Double.COINCHE and contracts and not doubles:
        assert deal.turn is not None
        allowed = (deal.turn - contracts[-1][0]) % 2 == 1
    if action is Double.SURCOINCHE:
        allowed = doubles == [Double.COINCHE]
    return None if allowed else "bid_not_allowed"


def play_refusal(game: Preset, deal: Deal, card: str) -> str | None:
    assert deal.turn is not None
    assert deal.trump is not None
    hand, trump = hand_of(deal, deal.turn), SUITS[deal.trump]
    if card not in hand:
        return "not_in_hand"
    down = [format_card(other) for other in deal.trick]
    if not down:
        return None

    def strength(other: str) -> int:
        if other[0] == trump:
            return 100 + TRUMP_ORDER.index(other[1:])
        return PLAIN_ORDER.index(other[1:]) if other[0] == down[0][0] else -1

    best = max(down, key=strength)
    partner_holds = len(down) >= 2 and down.index(best) == len(down) - 2
    duties: Duties = game.rules.duties
    if any(mine[0] == down[0][0] for mine in hand):
        if card[0] != down[0][0]:
            return "must_follow"
        if card[0] != trump or (partner_holds and not duties.rise_over_partner):
            return None
        return "must_rise" if can_beat(hand, best, strength) and strength(card) < strength(best) else None
    trumps = [mine for mine in hand if mine[0] == trump]
    if not trumps or partner_holds:
        return None
    if best[0] != trump:
        return None if card in trumps else "must_trump"
    if can_beat(trumps, best, strength):
        if card not in trumps:
            return "must_trump"
        return None if strength(card) > strength(best) else "must_rise"
    return "must_trump" if duties.under_trump and card not in trumps else None


def can_beat(hand: list[str], best: str, strength: Any) -> bool:
    return any(strength(mine) > strength(best) for mine in hand)


def reason_for(game: Preset, deal: Deal, action: Action, history: list[tuple[int, Action]]) -> str | None:
    """Why the seat on turn may not do this, None when it may: the rules in plain words."""
    if deal.turn is None:
        return "deal_over"
    if isinstance(action, Declare) and isinstance(game.rules, Annonces):
        if deal.trump is None or any(deal.tricks):
            return "not_time_to_declare"
        if (deal.turn, action) in history:
            return "already_declared"
        return None if brute_force_total(frozenset(hand_of(deal, deal.turn))) else "nothing_to_declare"
    if isinstance(action, Play):
        return "not_playing" if deal.trump is None else play_refusal(game, deal, format_card(action.card))
    if deal.trump is not None:
        return "not_bidding"
    return bid_refusal(game, deal, action, history)


def brute_force_total(hand: frozenset[str]) -> int:
    """What a hand is worth: every way to take carrés out, what remains read in maximal runs."""
    values = {"J": 200, "9": 150, "A": 100, "10": 100, "K": 100, "Q": 100}
    best = 0
    for suit in SUITS:
        run = 0
        for rank in (*RANKS, None):
            if rank is not None and suit + rank in hand:
                run += 1
                continue
            best += 0 if run < 3 else {3: 20, 4: 50}.get(run, 100)
            run = 0
    for rank, value in values.items():
        four = {suit + rank for suit in SUITS}
        if four <= hand:
            best = max(best, value + brute_force_total(hand - four))
    return best
