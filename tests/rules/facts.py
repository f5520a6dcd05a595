"""What the product says about a rules case, one function per case type: its arguments are the case's `given`, its
answer every fact that an `expect` of that type may ask for. An argument or fact that nobody knows fails the case.
"""

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

from fairdeal.belote import (
    Bid,
    Deal,
    Outcome,
    Play,
    Ruleset,
    Says,
    card_set,
    cards_in,
    check_turn,
    match_result,
    to_do,
)
from fairdeal.belote.deal import announcement
from fairdeal.belote.duel import layout, marks
from fairdeal.cards import PACK, SUITS, format_card, parse_card, parse_suit
from fairdeal.errors import IllegalAction, NotYourTurn
from fairdeal.match import Event
from tests.rules.match_facts import payout, timeout, view
from tests.rules.notation import Facts, action_of, cards_of, in_play, pack_with, some_stock, texts_of, word_of
from tests.rules.table import Table


def replayed(
    rules: Ruleset, deck: list[str], dealer: int, actions: list[list[Any]]
) -> Iterator[tuple[Deal, Says | None]]:
    """The deal at its start and after each action, with what the action announced."""
    deal = rules.start(cards_of(deck), dealer, rules.defaults)
    yield deal, None
    for seat, word in actions:
        check_turn(deal, seat)
        action = action_of(word)
        says = rules.says(deal, action)
        deal = rules.apply(deal, action)
        yield deal, says


def legal(rules: Ruleset, *, hand: list[str], trump: str, seat: int, trick: list[list[Any]], phase: str) -> Facts:
    held_cards = card_set(cards_of(hand))
    down = cards_of([card for _, card in trick])
    stock = some_stock(phase, held_cards | card_set(down))
    deal = in_play(rules, seat=seat, trump=parse_suit(trump), trick=down, hand=held_cards, stock=stock)
    assert rules.phase(deal) == phase
    accepted = []
    for card in cards_in(held_cards):
        try:
            rules.check(deal, Play(card))
        except IllegalAction:
            continue
        accepted.append(Play(card))
    assert tuple(accepted) == rules.actions(deal)
    return {"legal": [word_of(action) for action in rules.actions(deal)]}


def trick(rules: Ruleset, *, trump: str, trick: list[list[Any]]) -> Facts:
    *before, (seat, last) = trick
    down = cards_of([card for _, card in before])
    hand = 1 << parse_card(last)
    deal = in_play(
        rules,
        seat=seat,
        trump=parse_suit(trump),
        trick=down,
        hand=hand,
        stock=some_stock("free", card_set(down) | hand),
    )
    after = rules.apply(deal, Play(parse_card(last)))
    assert not after.trick, "the trick is not full"
    return {"winner": after.turn, "points": sum(after.points)}


def phase(rules: Ruleset, *, tricks_played: int, stock: int, hands: list[int] | None = None) -> Facts:
    deal = rules.apply(rules.start(PACK, 0, rules.defaults), Bid.TAKE)
    while sum(deal.tricks) < tricks_played:
        deal = rules.apply(deal, rules.first_action(deal))
    assert deal.stock_left == stock
    assert deal.hands is not None
    assert hands is None or [hand.bit_count() for hand in deal.hands] == hands
    facts: Facts = {"phase": rules.phase(deal).value}
    while not deal.over:
        deal = rules.apply(deal, rules.first_action(deal))
    total = sum(deal.tricks)
    return {**facts, "tricks_left": total - tricks_played, "total_tricks": total}


def draw_order(rules: Ruleset, *, stock: list[str], winner: int) -> Facts:
    cards = cards_of(stock)
    for led, card in permutations([card for card in PACK if card not in cards], 2):
        seat = (winner + 1) % rules.players if led > card else winner
        deal = in_play(rules, seat=seat, trump=0, trick=(led,), hand=1 << card, stock=cards)
        after = rules.apply(deal, Play(card))
        if after.turn == winner:
            break
    else:
        raise AssertionError("no trick is won by that seat")
    assert after.hands is not None
    drawn = [[seat, format_card(card)] for card in cards for seat, hand in enumerate(after.hands) if hand >> card & 1]
    return {"drawn": drawn, "leader": after.turn}


def dealer(rules: Ruleset, *, dealer: int, deals: list[str]) -> Facts:
    dealers = [dealer]
    for ending in deals:
        deal = rules.start(PACK, dealers[-1], rules.defaults)
        while not deal.over:
            deal = rules.apply(
                deal, Bid.TAKE if ending == "played" and deal.trump is None else rules.first_action(deal)
            )
        assert (rules.score(deal).outcome is Outcome.VOID) == (ending == "void")
        dealers.append(rules.next_dealer(deal.dealer))
    return {"dealers": dealers[:-1], "next": dealers[-1]}


def deal_layout(rules: Ruleset, *, deck: list[str], dealer: int) -> Facts:
    dealt = layout(cards_of(deck), dealer)
    deal = rules.start(cards_of(deck), dealer, rules.defaults)
    assert (deal.hands, deal.turned, deal.stock) == (tuple(map(card_set, dealt.hands)), dealt.turned, dealt.stock)
    return {
        "hands": [texts_of(hand) for hand in dealt.hands],
        "turnup": format_card(dealt.turned),
        "stock": texts_of(dealt.stock),
        "stock_top": format_card(dealt.stock[0]),
        "stock_size": deal.stock_left,
    }


def deal_layout_after_take(rules: Ruleset, *, deck: list[str], dealer: int, actions: list[list[Any]]) -> Facts:
    deals = [deal for deal, _ in replayed(rules, deck, dealer, actions)]
    before, after = deals[0], deals[-1]
    assert before.hands is not None
    assert after.hands is not None
    assert after.stock is not None
    gains = [texts_of(new & ~old) for old, new in zip(before.hands, after.hands, strict=True)]
    assert after.taker is not None
    (taker_gets,), (opponent_draws,) = gains[after.taker], gains[1 - after.taker]
    return {
        "taker_gets": taker_gets,
        "opponent_draws": opponent_draws,
        "stock": after.stock_left,
        "next_draw": format_card(after.stock[-after.stock_left]),
        "hands": [texts_of(hand) for hand in after.hands],
    }


def auction(rules: Ruleset, *, dealer: int, turnup: str, actions: list[list[Any]]) -> Facts:
    turned = parse_card(turnup)
    table = Table.seated(rules)
    table.set(rules.start(pack_with(turned), dealer, rules.defaults), [0] * rules.players)
    number = table.state.deal_number
    events: tuple[Event, ...] = ()
    for index, (seat, word) in enumerate(actions):
        try:
            events = table.do(seat, dict(to_do(action_of(word))))
        except (IllegalAction, NotYourTurn):
            return {"illegal_at": index}
    deal = table.state.deal
    assert deal is not None
    if table.state.deal_number != number:
        _, score, redeal = events
        assert score.data["outcome"] == "void"
        increment = redeal.data["deal"] - number
        return {"void": True, "next_dealer": redeal.data["dealer"], "deal_number_increment": increment}
    assert deal.trump is not None, "the auction is not over"
    assert deal.hands is not None
    return {
        "trump": SUITS[deal.trump],
        "taker": deal.taker,
        "leader": deal.turn,
        "hands": [hand.bit_count() for hand in deal.hands],
        "stock": deal.stock_left,
        "turnup_owner": next(seat for seat, hand in enumerate(deal.hands) if hand >> turned & 1),
    }


def belote(rules: Ruleset, *, trump: str, events: list[list[Any]]) -> Facts:
    hands = [0] * rules.players
    announced: list[list[Any]] = []
    owner: int | None = None
    for kind, seat, *what in events:
        texts = [text for item in what for text in (item if isinstance(item, list) else [item])]
        match kind:
            case "hold" | "draw" | "turnup_to_taker":
                hands[seat] |= card_set(cards_of(texts))
            case "play" | "timeout_play":
                (card,) = cards_of(texts)
                says = announcement(hands[seat], card, parse_suit(trump), owner == seat)
                hands[seat] &= ~(1 << card)
                if says is not None:
                    announced.append([seat, says.value, format_card(card)])
                    owner = seat
            case "forfeit":
                break
            case _:
                raise AssertionError(f"unknown event {kind}")
    return {"announced": announced, "belote_side": None if owner is None else owner % rules.sides}


def deal_score(rules: Ruleset, *, taker: int, points: list[int], tricks: list[int], belote: int | None = None) -> Facts:
    outcome, written = marks(taker, (points[0], points[1]), (tricks[0], tricks[1]), belote)
    return {"outcome": outcome.value, "marks": list(written), "pot": 0}


def match(rules: Ruleset, *, target: int, before: list[int], deal_marks: list[Any]) -> Facts:
    totals = list(before)
    for written in deal_marks:
        if written != "void":
            totals = [total + mark for total, mark in zip(totals, written, strict=True)]
    state, winner = match_result((totals[0], totals[1]), target)
    return {"totals": totals, "state": state.value, "winner": winner}


def replay(rules: Ruleset, *, deck: list[str], dealer: int, actions: list[list[Any]]) -> Facts:
    steps = list(replayed(rules, deck, dealer, actions))
    deal = steps[-1][0]
    score = rules.score(deal)
    announcements = [
        [seat, says.value, word] for (seat, word), (_, says) in zip(actions, steps[1:], strict=True) if says is not None
    ]
    return {
        "trump": None if deal.trump is None else SUITS[deal.trump],
        "taker": score.taker,
        "points": list(score.points),
        "tricks": list(score.tricks),
        "belote": score.belote,
        "announcements": announcements,
        "outcome": score.outcome.value,
        "marks": list(score.marks),
    }


def count_sequences(rules: Ruleset, deal: Deal, depth: int) -> int:
    """How many legal sequences of exactly `depth` actions there are (perft)."""
    if depth == 0:
        return 1
    return sum(count_sequences(rules, rules.apply(deal, action), depth - 1) for action in rules.actions(deal))


def perft(rules: Ruleset, *, deck: list[str], dealer: int, actions: list[list[Any]], depth: int) -> Facts:
    *_, (deal, _) = replayed(rules, deck, dealer, actions)
    return {"count": count_sequences(rules, deal, depth)}


def duel_scores() -> Iterator[tuple[int, tuple[int, int], tuple[int, int], int | None]]:
    """Every taker, points, tricks and belote that a played duel deal can end with, and some that it cannot."""
    for taker in range(2):
        for belote_side in (None, 0, 1):
            for points in range(163):
                for tricks in range(17):
                    if (tricks == 16 and points < 162) or (tricks == 0 and points > 0):
                        continue
                    yield taker, (points, 162 - points), (tricks, 16 - tricks), belote_side


def no_equal_marks() -> bool:
    for taker, points, tricks, belote_side in duel_scores():
        outcome, written = marks(taker, points, tricks, belote_side)
        low, high = sorted(written)
        if not {
            Outcome.MADE: written[taker] > written[1 - taker],
            Outcome.DEDANS: written[taker] in (0, 20) and written[1 - taker] >= 162,
            Outcome.CAPOT: low <= 20 and high >= 252,
            Outcome.VOID: False,
        }[outcome]:
            return False
    return True


PROPERTIES: dict[str, Callable[[], bool]] = {"in the duel rules no completed deal gives equal marks": no_equal_marks}


def property_(rules: Ruleset, *, claim: str) -> Facts:
    return {"holds": PROPERTIES[claim.partition(":")[0]]()}


FACTS: dict[str, Callable[..., Facts]] = {
    "legal": legal,
    "trick": trick,
    "phase": phase,
    "draw_order": draw_order,
    "dealer": dealer,
    "deal_layout": deal_layout,
    "deal_layout_after_take": deal_layout_after_take,
    "auction": auction,
    "belote": belote,
    "deal_score": deal_score,
    "match": match,
    "timeout": timeout,
    "replay": replay,
    "perft": perft,
    "payout": payout,
    "view": view,
    "property": property_,
}
