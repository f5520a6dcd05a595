"""The facts of the case types that ask for more than the rules: the clock, the money and the views of a match."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from fairdeal.belote import Bid, Deal, Phase, Ruleset, card_set, to_do
from fairdeal.canonical import encode
from fairdeal.cards import PACK, SUITS, format_card, parse_suit
from fairdeal.errors import Late
from fairdeal.ledger import FeeSchedule, TaxBase, Win, cancel, cash, held, settlement, sit
from fairdeal.match import Event, table_view
from fairdeal.match import view as match_view
from tests.rules.notation import Facts, action_of, cards_of, in_play, some_stock, texts_of
from tests.rules.table import SERVER_SEED, Table


def waiting_for(rules: Ruleset, seat: int, phase: str, trump: str, trick: list[list[Any]], hand: list[str]) -> Deal:
    """A deal in which this seat has to bid, or to play from this hand."""
    deal = rules.start(PACK, (seat - 1) % rules.players, rules.defaults)
    if phase == Phase.SECOND_ROUND:
        for _ in range(rules.players):
            deal = rules.apply(deal, Bid.PASS)
    elif phase != Phase.FIRST_ROUND:
        held_cards = card_set(cards_of(hand))
        down = cards_of([card for _, card in trick])
        stock = some_stock(phase, held_cards | card_set(down))
        deal = in_play(rules, seat=seat, trump=parse_suit(trump), trick=down, hand=held_cards, stock=stock)
    assert rules.phase(deal) == phase
    return deal


def timeout(
    rules: Ruleset,
    *,
    seat: int,
    phase: str = "free",
    elapsed: float = 31,
    count_before: int = 0,
    counts: list[int] | None = None,
    history: list[list[Any]] | None = None,
    trump: str = "S",
    trick: list[list[Any]] | None = None,
    hand: list[str] | None = None,
    client_action: str | None = None,
    disconnected_at: float | None = None,
) -> Facts:
    """One decision against a match's clock (protocol section 2), or a `history` of overruns and nothing else.

    That a seat is disconnected reaches no rule: there is nothing to tell the match.
    """
    before = list(counts or [0] * rules.players)
    if counts is None:
        before[seat] = count_before
    table = Table.seated(rules)
    accepted = False
    events: tuple[Event, ...] = ()
    for late_seat, _ in history or [[seat, None]]:
        assert table.state.ending is None
        table.set(waiting_for(rules, late_seat, phase, trump, trick or [], hand or [client_action or "S7"]), before)
        events = ()
        if client_action is not None:
            try:
                events = table.do(late_seat, dict(to_do(action_of(client_action))), elapsed)
                accepted = True
            except Late:
                pass
        events = events or table.late(elapsed)
        before = list(table.state.overruns)
    played = events[0].data.get("do") if events else None
    ending = table.state.ending
    assert ending is None or ending.reason == "overruns"
    return {
        "action": None if played is None else next(iter(played.values())),
        "auto_play": bool(events) and events[0].type == "timeout" and played is not None,
        "accepted": accepted,
        "count": before[seat],
        "counts": before,
        "forfeit": ending is not None,
        "winner": None if ending is None else ending.winner,
    }


def schedule_of(pot: int, commission: int, tax: int) -> FeeSchedule:
    """A schedule that takes this commission and tax from this pot."""
    bases: tuple[tuple[TaxBase, int], ...] = (("pot", pot), ("commission", commission))
    for base, amount in bases:
        rate = -(-tax * 10_000 // amount) if amount else 0
        if amount * rate // 10_000 == tax and rate <= 10_000:
            fees = FeeSchedule("case", 10_000 - rate, commission, rate, base)
            if fees.breakdown(pot).commission == commission:
                return fees
    raise AssertionError("no schedule takes that")


def payout(rules: Ruleset, *, event: str, stake: int, commission: int = 0, tax: int = 0) -> Facts:
    if event == "no_opponent":
        match_id, account = "0" * 32, "1" * 32
        balance = {cash(account): stake, held(account): 0}
        for movement in (
            sit(match_id, account, "2" * 32, stake, asset="EUR", at=0),
            cancel(match_id, [account], stake, asset="EUR", at=1),
        ):
            for entry in movement.postings:
                balance[entry.account] += entry.amount
        assert balance[held(account)] == 0
        return {"refund": balance[cash(account)]}
    assert event == "won"
    whole = stake * rules.players
    fees = schedule_of(whole, commission, tax)
    lines = {line.account: line.amount for line in settlement(range(rules.players), stake, Win(0), fees)}
    assert lines["commission"] == commission
    assert lines["tax"] == tax
    assert lines["seat:0"] + lines["commission"] + lines["tax"] == -lines["pot"] == whole
    return {"winner_gets": lines["seat:0"], "invariant": "winner+commission+tax == 2*stake"}


def with_other_hidden_cards(deal: Deal, viewer: int, order: Callable[[list[int]], list[int]]) -> Deal:
    """The same deal as `viewer` sees it, all the cards they may not know in another order."""
    assert deal.hands is not None
    known = deal.hands[viewer] | 1 << deal.turned | deal.played
    others = iter(order([card for card in PACK if not known >> card & 1]))
    hands = list(deal.hands)
    for seat, hand in enumerate(deal.hands):
        if seat != viewer:
            kept = hand & known
            hands[seat] = kept | card_set(islice(others, hand.bit_count() - kept.bit_count()))
    return deal._replace(hands=tuple(hands), stock=tuple(others))


class SomeOf(frozenset[str]):
    """Equal to any list of some of these, in any order."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and set(other) <= self

    __hash__ = frozenset.__hash__


def first_deal_with(rules: Ruleset, hands: list[int], stock: int) -> Deal:
    """A deal in which the seats hold so many cards, and so many are left to draw."""
    deal = rules.start(PACK, 0, rules.defaults)
    while not deal.over:
        assert deal.hands is not None
        if ([hand.bit_count() for hand in deal.hands], deal.stock_left) == (hands, stock):
            return deal
        deal = rules.apply(deal, Bid.TAKE if deal.trump is None else rules.first_action(deal))
    raise AssertionError("no deal is ever like that")


def says_of_a_belote(rules: Ruleset) -> str:
    """What everybody reads in the event of a king of trump played from a hand that holds the queen."""
    honours = card_set(cards_of(["SQ", "SK"]))
    table = Table.seated(rules)
    deal = in_play(rules, seat=0, trump=0, trick=(), hand=honours, stock=some_stock("free", honours))
    table.set(deal, [0] * rules.players)
    event, *_ = table.do(0, {"card": "SK"})
    return str(event.data["says"])


def view(rules: Ruleset, *, viewer: int, hands: list[int], stock: int) -> Facts:
    """What a match shows to a seat: its own view and the table's, the same for all that differs in hidden cards."""
    deal = first_deal_with(rules, hands, stock)
    assert deal.hands is not None
    shown = []
    for order in (lambda c: c, lambda c: c[::-1], lambda c: c[5:] + c[:5]):
        table = Table.seated(rules)
        table.set(with_other_hidden_cards(deal, viewer, order), [0] * rules.players)
        shown.append((match_view(table.state, viewer), table_view(table.state)))
    mine, everyones = shown[0]
    down = rules.players * sum(everyones["tricks"]) + len(everyones["trick"])
    turned = 0 if deal.taker is not None else 1
    sees = {
        "own hand": mine["hand"] == texts_of(deal.hands[viewer]),
        "opponent hand count": 32 - everyones["stock"] - turned - down - len(mine["hand"]) == hands[1 - viewer],
        "stock count": everyones["stock"] == stock,
        "current trick": everyones["trick"] == texts_of(deal.trick),
        "trump": everyones["trump"] == (None if deal.trump is None else SUITS[deal.trump]),
        "taker": everyones["taker"] == deal.taker,
        "turn-up identity": everyones["turned"] == format_card(deal.turned),
        "announcements": says_of_a_belote(rules) == "belote",
    }
    same = all(encode(list(other)) == encode(list(shown[0])) for other in shown)
    never = {
        "opponent cards": same,
        "stock order": same,
        "server seed": SERVER_SEED.hex().encode() not in encode(list(shown[0])),
    }
    return {
        name: SomeOf(what for what, holds in facts.items() if holds)
        for name, facts in (("sees", sees), ("never", never))
    }
