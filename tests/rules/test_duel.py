"""The duel played at random, step by step, against the rules written a second time in the plainest words."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from fairdeal.belote import (
    RULESETS,
    Action,
    Bid,
    Deal,
    MatchState,
    Options,
    Outcome,
    Phase,
    Play,
    Reason,
    Says,
    card_set,
    cards_in,
    check_turn,
    find_ruleset,
    from_do,
    match_result,
    to_do,
)
from fairdeal.belote.values import BEATEN_BY, VALUE, trick_result
from fairdeal.cards import PACK, format_card, parse_card
from fairdeal.errors import IllegalAction, Malformed, NotYourTurn, WrongPhase
from tests.rules.facts import count_sequences
from tests.rules.notation import cards_of, in_play

RULES = find_ruleset("duel@1")
TRUMP_POINTS = {"7": 0, "8": 0, "Q": 3, "K": 4, "10": 10, "A": 11, "9": 14, "J": 20}
PLAIN_POINTS = {"7": 0, "8": 0, "9": 0, "J": 2, "Q": 3, "K": 4, "10": 10, "A": 11}
TRUMP_ORDER, PLAIN_ORDER = list(TRUMP_POINTS), list(PLAIN_POINTS)
EVERY_ACTION: tuple[Action, ...] = (*Bid, *map(Play, PACK))
SEEDS = range(150)


def random_pack(random: Random) -> tuple[int, ...]:
    return tuple(random.sample(PACK, 32))


def random_deal(seed: int) -> Iterator[tuple[Deal, Action | None, Says | None]]:
    """Each state of a random deal with what is done there and announced with it; the last one with nothing."""
    random = Random(seed)
    deal = RULES.start(random_pack(random), random.randrange(2), RULES.defaults)
    while actions := RULES.actions(deal):
        action = random.choice(actions)
        yield deal, action, RULES.says(deal, action)
        deal = RULES.apply(deal, action)
    yield deal, None, None


def reason_for(deal: Deal, action: Action) -> str | None:
    """Why the seat on turn may not do this, None when it may: the rules in plain words."""
    if deal.turn is None:
        return "deal_over"
    assert deal.hands is not None
    if isinstance(action, Bid):
        if deal.trump is not None:
            return "not_bidding"
        if action is Bid.PASS:
            return None
        first_round = deal.passes < 2
        if first_round:
            return None if action is Bid.TAKE else "bid_not_allowed"
        return "bid_not_allowed" if action in (Bid.TAKE, format_card(deal.turned)[0]) else None
    if deal.trump is None:
        return "not_playing"
    hand = [format_card(card) for card in cards_in(deal.hands[deal.turn])]
    card = format_card(action.card)
    if card not in hand:
        return "not_in_hand"
    if not deal.trick or sum(deal.tricks) < 9:
        return None
    led = format_card(deal.trick[0])
    trump = "SHDC"[deal.trump]
    if any(mine[0] == led[0] for mine in hand):
        if card[0] != led[0]:
            return "must_follow"
        above = [mine for mine in hand if mine[0] == led[0] and rank(mine) > rank(led)]
        return "must_rise" if led[0] == trump and above and card not in above else None
    return "must_trump" if any(mine[0] == trump for mine in hand) and card[0] != trump else None


def rank(card: str) -> int:
    return TRUMP_ORDER.index(card[1:])


def refusal(deal: Deal, action: Action) -> str | None:
    try:
        RULES.check(deal, action)
    except IllegalAction as error:
        with pytest.raises(IllegalAction):
            RULES.apply(deal, action)
        return str(error.details["reason"])
    return None


def refused(deal: Deal, action: Action) -> str:
    reason = refusal(deal, action)
    assert reason is not None
    return reason


def strict(hand: str, trick: str, trump: int = 0) -> Deal:
    return in_play(
        RULES, seat=1, trump=trump, trick=cards_of(trick.split()), hand=card_set(cards_of(hand.split())), stock=()
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_action_is_allowed_or_refused_for_the_right_reason(seed: int) -> None:
    for deal, _, _ in random_deal(seed):
        reasons = {action: reason_for(deal, action) for action in EVERY_ACTION}
        assert {action: refusal(deal, action) for action in EVERY_ACTION} == reasons
        allowed = tuple(action for action in EVERY_ACTION if reasons[action] is None)
        assert RULES.actions(deal) == allowed
        assert bool(allowed) != deal.over
        if allowed:
            assert RULES.first_action(deal) == allowed[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_card_is_in_one_place_and_every_point_is_counted(seed: int) -> None:
    deal, *_ = next(random_deal(seed))
    for deal, _, _ in random_deal(seed):
        assert deal.hands is not None
        assert deal.stock is not None
        turned = 0 if deal.taker is not None else 1 << deal.turned
        places = [*deal.hands, deal.played, card_set(deal.stock[len(deal.stock) - deal.stock_left :]), turned]
        assert sum(places) == card_set(PACK)
        assert sum(place.bit_count() for place in places) == 32
    score = RULES.score(deal)
    if score.taker is None:
        assert (score.points, score.tricks, score.marks, score.outcome) == ((0, 0), (0, 0), (0, 0), Outcome.VOID)
    else:
        assert sum(score.points) == 162
        assert sum(score.tricks) == 16
        assert score.marks[0] != score.marks[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_hands_hold_seven_until_the_stock_is_empty_and_duties_bind_from_trick_ten(seed: int) -> None:
    for deal, _, _ in random_deal(seed):
        if deal.trump is None or deal.trick or deal.over:
            continue
        tricks = sum(deal.tricks)
        assert deal.hands is not None
        assert [hand.bit_count() for hand in deal.hands] == [min(7, 16 - tricks)] * 2
        assert deal.stock_left == max(0, 18 - 2 * tricks)
        assert RULES.phase(deal) == (Phase.FREE if tricks < 9 else Phase.STRICT)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_outside_view_knows_all_but_the_hidden_cards(seed: int) -> None:
    steps = random_deal(seed)
    deal, action, says = next(steps)
    seen = RULES.start_public(deal.turned, deal.dealer, RULES.defaults)
    assert seen == deal._replace(hands=None, stock=None)
    for after, next_action, next_says in steps:
        assert action is not None
        seen = RULES.apply_public(seen, action, says)
        assert seen == after._replace(hands=None, stock=None)
        assert RULES.phase(seen) == RULES.phase(after)
        action, says = next_action, next_says
    assert RULES.score(seen) == RULES.score(after)


@pytest.mark.parametrize("seed", SEEDS)
def test_belote_needs_both_cards_together(seed: int) -> None:
    said: list[tuple[int, Says]] = []
    together: int | None = None
    gone: set[str] = set()
    for deal, action, says in random_deal(seed):
        if says is not None and deal.turn is not None:
            said.append((deal.turn, says))
        if deal.trump is None or not isinstance(action, Play):
            assert says is None
            continue
        pair = {"SHDC"[deal.trump] + honour for honour in "KQ"}
        card = format_card(action.card)
        assert deal.hands is not None
        assert deal.turn is not None
        if card in pair and not gone:
            hand = {format_card(mine) for mine in cards_in(deal.hands[deal.turn])}
            together = deal.turn if pair <= hand else None
        gone |= pair & {card}
    assert said == ([] if together is None else [(together, Says.BELOTE), (together, Says.REBELOTE)])
    assert deal.belote == together
    assert RULES.score(deal).belote == together


def test_random_deals_reach_everything_they_are_meant_to_show() -> None:
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        for deal, _, says in random_deal(seed):
            seen[str(says)] += 1
            seen.update(set(filter(None, (reason_for(deal, action) for action in EVERY_ACTION))))
        seen[RULES.score(deal).outcome] += 1
        seen[f"belote of {deal.belote}, taker {deal.taker}"] += 1
    wanted = {"belote", "rebelote", "made", "dedans", "void", "belote of 0, taker 1", "belote of 1, taker 1"}
    elsewhere = {"not_your_turn", "false_announcement", "nothing_to_declare", "already_declared", "not_time_to_declare"}
    wanted |= {reason.value for reason in Reason} - elsewhere
    assert wanted <= seen.keys()


@pytest.mark.parametrize("trump", range(4))
def test_strength_and_values(trump: int) -> None:
    assert sum(VALUE[trump]) == 152
    for first in PACK:
        led = format_card(first)
        points = TRUMP_POINTS if led[0] == "SHDC"[trump] else PLAIN_POINTS
        assert VALUE[trump][first] == points[led[1:]]
        order = list(points)
        for second in PACK:
            laid = format_card(second)
            higher = laid[0] == led[0] and order.index(laid[1:]) > order.index(led[1:])
            ruff = laid[0] != led[0] and laid[0] == "SHDC"[trump]
            assert bool(BEATEN_BY[trump][first] >> second & 1) == (higher or ruff)


def test_a_trick_of_four_is_won_by_the_highest_trump_else_the_highest_of_the_suit_led() -> None:
    assert trick_result(cards_of(["HA", "S8", "H10", "S7"]), trump=0) == (1, 21)
    assert trick_result(cards_of(["H7", "DA", "HK", "CA"]), trump=0) == (2, 26)
    assert trick_result(cards_of(["S8", "SQ", "S9", "SA"]), trump=0) == (2, 28)


@pytest.mark.parametrize(
    ("hand", "trick", "card", "reason"),
    [
        ("H7 S9 D8", "H10", "S9", Reason.MUST_FOLLOW),
        ("S7 S9 D8", "SK", "D8", Reason.MUST_FOLLOW),
        ("S7 S9 D8", "SK", "S7", Reason.MUST_RISE),
        ("S7 D8", "H10", "D8", Reason.MUST_TRUMP),
        ("S7 D8", "H10", "H8", Reason.NOT_IN_HAND),
        ("S7 D8", "H10", "H10", Reason.NOT_IN_HAND),
    ],
)
def test_the_reason_is_a_value(hand: str, trick: str, card: str, reason: Reason) -> None:
    assert refused(strict(hand, trick), Play(parse_card(card))) == reason.value


@pytest.mark.parametrize(
    ("hand", "trick", "legal"),
    [
        ("H7 HA S9", "H10", "H7 HA"),
        ("S7 SQ", "SK", "S7 SQ"),
        ("S7 SJ D8", "S9", "SJ"),
        ("S7 SJ D8", "HA", "S7 SJ"),
        ("D8 C9", "SA", "D8 C9"),
        ("S7 SJ D8", "", "S7 SJ D8"),
    ],
)
def test_the_strict_duties(hand: str, trick: str, legal: str) -> None:
    deal = strict(hand, trick)
    assert RULES.actions(deal) == tuple(map(Play, cards_of(legal.split())))


def test_nothing_is_announced_by_a_bid_or_after_the_end() -> None:
    deal = RULES.start(PACK, 0, RULES.defaults)
    assert RULES.says(deal, Bid.TAKE) is None
    assert RULES.says(deal._replace(turn=None), Play(0)) is None


@pytest.mark.parametrize(
    ("card", "says", "earlier", "belote"),
    [
        ("S7", Says.BELOTE, "", None),  # not an honour
        ("HK", Says.BELOTE, "", None),  # not of trump
        ("SK", Says.REBELOTE, "", None),  # before belote
        ("SK", Says.BELOTE, "SQ", None),  # the other is gone
        ("SK", Says.REBELOTE, "SQ", 0),  # the other seat's belote
        ("SK", None, "SQ", 1),  # a rebelote kept quiet
        ("SK", Says.BELOTE, "SQ", 1),
    ],
)
def test_an_impossible_announcement_is_refused_from_outside(
    card: str, says: Says | None, earlier: str, belote: int | None
) -> None:
    taken = RULES.apply_public(RULES.start_public(parse_card("S9"), 0, RULES.defaults), Bid.TAKE, None)
    assert taken.turn == 1
    deal = taken._replace(played=card_set(cards_of(earlier.split())), belote=belote)
    with pytest.raises(IllegalAction) as caught:
        RULES.apply_public(deal, Play(parse_card(card)), says)
    assert caught.value.details["reason"] == "false_announcement"


def test_what_the_outside_view_can_check() -> None:
    deal = RULES.start_public(parse_card("S9"), 0, RULES.defaults)
    assert RULES.actions(deal) == (Bid.PASS, Bid.TAKE)
    with pytest.raises(IllegalAction):
        RULES.apply_public(deal, Bid.SPADES, None)
    with pytest.raises(IllegalAction):
        RULES.apply_public(deal, Bid.TAKE, Says.BELOTE)
    deal = RULES.apply_public(RULES.apply_public(deal, Bid.TAKE, None), Play(0), None)
    with pytest.raises(IllegalAction) as caught:
        RULES.apply_public(deal, Play(0), None)
    assert caught.value.details["reason"] == "not_in_hand"


def test_what_the_outside_view_cannot_know_is_refused() -> None:
    deal = RULES.apply_public(RULES.start_public(0, 0, RULES.defaults), Bid.TAKE, None)
    with pytest.raises(WrongPhase):
        RULES.actions(deal)
    with pytest.raises(WrongPhase):
        RULES.first_action(deal)
    with pytest.raises(WrongPhase):
        RULES.says(deal, Play(8))
    with pytest.raises(WrongPhase):
        RULES.apply(deal, Play(8))


def test_a_running_deal_has_no_score_and_a_finished_one_no_action() -> None:
    deal = RULES.start(PACK, 0, RULES.defaults)
    with pytest.raises(WrongPhase):
        RULES.score(deal)
    for _ in range(4):
        assert not deal.over
        deal = RULES.apply(deal, Bid.PASS)
    assert deal.over
    assert RULES.actions(deal) == ()
    assert refused(deal, Bid.PASS) == "deal_over"
    with pytest.raises(WrongPhase):
        RULES.first_action(deal)


@pytest.mark.parametrize("dealer", [0, 1])
def test_the_other_seat_speaks_first_and_leads_whoever_takes(dealer: int) -> None:
    deal = RULES.start(PACK, dealer, RULES.defaults)
    assert deal.turn == 1 - dealer == RULES.next_dealer(dealer)
    check_turn(deal, 1 - dealer)
    with pytest.raises(NotYourTurn) as caught:
        check_turn(deal, dealer)
    assert caught.value.details["reason"] == "not_your_turn"
    for passes in range(4):
        assert deal.turn == (dealer + 1 + passes) % 2
        taken = RULES.apply(deal, Bid.TAKE if passes < 2 else Bid.CLUBS)
        assert (taken.taker, taken.turn, taken.trump) == (deal.turn, 1 - dealer, 1 if passes < 2 else 3)
        deal = RULES.apply(deal, Bid.PASS)


def test_a_timeout_plays_the_first_legal_card_and_announces() -> None:
    deal = strict("SQ SK HA", "S8")
    action = RULES.first_action(deal)
    assert action == Play(parse_card("SQ"))
    assert RULES.says(deal, action) is Says.BELOTE


def test_all_sixteen_tricks_are_a_capot_and_fifteen_are_not() -> None:
    deal = RULES.start(PACK, 0, RULES.defaults)._replace(turn=None, taker=1, trump=0, belote=1)
    assert RULES.score(deal._replace(points=(0, 162), tricks=(0, 16))).marks == (0, 272)
    assert RULES.score(deal._replace(points=(162, 0), tricks=(16, 0))).marks == (252, 20)
    assert RULES.score(deal._replace(points=(0, 162), tricks=(1, 15))).marks == (0, 182)
    assert RULES.score(deal._replace(points=(162, 0), tricks=(15, 1))).marks == (162, 20)


@pytest.mark.parametrize("value", [{"target": 1}, {"target": 301}, {"target": 10_000}])
def test_options_are_read_and_written(value: dict[str, int]) -> None:
    assert RULES.parse_options(value) == Options(value["target"])
    assert RULES.format_options(Options(value["target"])) == value


@pytest.mark.parametrize(
    "value",
    [
        *(None, [], {}, 301, {"target": 301, "more": 1}, {"Target": 301}),
        *({"target": target} for target in (0, -1, 10_001, True, "301", None, 301.0)),
    ],
)
def test_other_options_are_refused(value: Any) -> None:
    with pytest.raises(Malformed):
        RULES.parse_options(value)


def test_the_wire_form_goes_both_ways() -> None:
    written = [to_do(action) for action in EVERY_ACTION]
    assert [from_do(do) for do in written] == list(EVERY_ACTION)
    assert written[:7] == [*({"bid": word} for word in ("pass", "take", "S", "H", "D", "C")), {"card": "S7"}]
    assert all(type(value) is str for do in written for value in do.values())


@pytest.mark.parametrize(
    "do",
    [
        *(None, [], {}, "pass", {"resign": True}, {"declare": True}, {"bid": "coinche"}),
        *({"bid": word} for word in ("PASS", "s", "SA", "", None)),
        {"bid": []},
        *({"card": card} for card in ("10S", "S7 ", "s7", "7♠", ["S7"], 0, None)),
        {"bid": {"suit": "S", "value": 80}},
        *({"card": "S7", "bid": "S"}, {"bid": "S", "value": 80}, {"card": "S7", "n": 1}),
    ],
)
def test_other_wire_forms_are_refused(do: Any) -> None:
    with pytest.raises(Malformed):
        RULES.from_do(do)


@pytest.mark.parametrize("pack", [PACK[:31], (*PACK, 0), (*PACK[:31], 0), (*PACK[:31], 32)])
def test_only_a_whole_pack_is_dealt(pack: tuple[int, ...]) -> None:
    with pytest.raises(Malformed):
        RULES.start(pack, 0, RULES.defaults)


@pytest.mark.parametrize(
    ("totals", "target", "result"),
    [
        ((300, 300), 301, (MatchState.CONTINUE, None)),
        ((301, 300), 301, (MatchState.WON, 0)),
        ((300, 301), 301, (MatchState.WON, 1)),
        ((301, 301), 301, (MatchState.EXTRA_DEAL, None)),
        ((310, 412), 301, (MatchState.WON, 1)),
    ],
)
def test_match_result(totals: tuple[int, int], target: int, result: tuple[MatchState, int | None]) -> None:
    assert match_result(totals, target) == result


def test_a_deal_is_a_value_and_the_registry_is_closed() -> None:
    deal = RULES.start(PACK, 0, RULES.defaults)
    RULES.apply(deal, Bid.TAKE)
    assert deal == RULES.start(PACK, 0, RULES.defaults)
    assert hash(deal) == hash(RULES.start(PACK, 0, RULES.defaults))
    with pytest.raises(AttributeError):
        deal.turn = 0  # type: ignore[misc]
    with pytest.raises(TypeError):
        RULESETS["duel@2"] = RULES  # type: ignore[index]
    with pytest.raises(Malformed):
        find_ruleset("duel")


def test_no_sequence_is_longer_than_the_deal() -> None:
    deal = RULES.apply(RULES.start(PACK, 0, RULES.defaults), Bid.TAKE)
    while sum(deal.tricks) < 14:
        deal = RULES.apply(deal, RULES.first_action(deal))
    assert count_sequences(RULES, deal, 4) > 0
    assert count_sequences(RULES, deal, 5) == 0
