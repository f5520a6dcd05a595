"""The games for four played at random, step by step, against the rules written a second time in the plainest words."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from fairdeal.belote import (
    Action,
    Bid,
    Deal,
    Outcome,
    Phase,
    Play,
    Reason,
    Says,
    card_set,
    cards_in,
    to_do,
)
from fairdeal.belote.actions import CAPOT, VALUES, ContractBid, Declare, Double
from fairdeal.belote.annonces import Annonces, check_declare, declare, show, show_due, to_show
from fairdeal.belote.announcements import announcement_of, best_announcements, holds_any, total
from fairdeal.belote.classique import Marking, marks
from fairdeal.belote.coinche import Coinche
from fairdeal.belote.deal import Contract
from fairdeal.belote.four import Duties, Made
from fairdeal.belote.presets import Preset
from fairdeal.belote.scoring import DealScore, Options, Scoring, pay_pot
from fairdeal.cards import PACK, RANKS, SUITS, format_card, parse_card
from fairdeal.errors import IllegalAction, Malformed, WrongPhase
from tests.rules.four_facts import FOUR_PLAYERS, GAMES, cards_among, set_up
from tests.rules.notation import cards_of

SEEDS = range(25)
TRUMP_ORDER = ["7", "8", "Q", "K", "10", "A", "9", "J"]
PLAIN_ORDER = ["7", "8", "9", "J", "Q", "K", "10", "A"]
CONTRACTS = [ContractBid(value, suit) for value in (*range(70, 190, 10), 85, 250, 270) for suit in range(5)]
EVERY_ACTION: tuple[Action, ...] = (*Bid, *CONTRACTS, *Double, *map(Play, PACK), Declare.DECLARE)
Steps = list[tuple[Deal, Action | None, Says | None]]
game_and_seed = pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in GAMES for seed in SEEDS])


@cache
def random_deal(name: str, seed: int) -> Steps:
    """Each state of a random deal with what is done there and announced with it; the last one with nothing."""
    random, (rules, options) = Random(seed), GAMES[name]
    deal = rules.start(tuple(random.sample(PACK, 32)), random.randrange(4), options)
    steps: Steps = []
    while actions := rules.actions(deal):
        bids = [action for action in actions if not isinstance(action, ContractBid | Bid)]
        action = random.choice(bids) if bids and random.random() < 0.3 else random.choice(actions)
        if isinstance(action, ContractBid) and action.value > 100:
            action = Bid.PASS
        steps.append((deal, action, rules.says(deal, action)))
        deal = rules.apply(deal, action)
    return [*steps, (deal, None, None)]


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


def refusal(game: Preset, deal: Deal, action: Action) -> str | None:
    try:
        game.rules.check(deal, action)
    except IllegalAction as error:
        with pytest.raises(IllegalAction):
            game.rules.apply(deal, action)
        return str(error.details["reason"])
    return None


@game_and_seed
def test_every_action_is_allowed_or_refused_for_the_right_reason(name: str, seed: int) -> None:
    game = GAMES[name]
    history: list[tuple[int, Action]] = []
    for deal, action, _ in random_deal(name, seed):
        reasons = {action: reason_for(game, deal, action, history) for action in EVERY_ACTION}
        assert {action: refusal(game, deal, action) for action in EVERY_ACTION} == reasons
        allowed = tuple(action for action in EVERY_ACTION if reasons[action] is None)
        assert game.rules.actions(deal) == allowed
        assert bool(allowed) != deal.over
        if allowed:
            assert game.rules.first_action(deal) == allowed[0]
            assert isinstance(allowed[0], Play) or allowed[0] is Bid.PASS
        if action is not None and deal.turn is not None:
            history.append((deal.turn, action))


@game_and_seed
def test_every_card_is_in_one_place_and_every_point_is_counted(name: str, seed: int) -> None:
    for deal, _, _ in random_deal(name, seed):
        assert deal.hands is not None
        assert deal.stock is not None
        undealt = [card_set(deal.stock), 1 << deal.turned] if deal.trump is None and deal.turned >= 0 else []
        places = [*deal.hands, deal.played, *undealt]
        assert sum(places) == card_set(PACK)
        assert sum(place.bit_count() for place in places) == 32
        if deal.trump is not None and not deal.trick and not deal.over:
            assert {hand.bit_count() for hand in deal.hands} == {8 - sum(deal.tricks)}
        if deal.announcing is not None:
            assert sum(map(len, deal.announcing.piles)) == 4 * sum(deal.tricks)
    score = GAMES[name].rules.score(deal)
    assert sum(score.points) == (0 if score.taker is None else 162)
    assert sum(score.tricks) == (0 if score.taker is None else 8)
    assert (score.outcome is Outcome.VOID) == (score.taker is None) == (score.marks == (0, 0) and score.winner is None)


@game_and_seed
def test_the_outside_view_knows_all_but_the_hidden_cards(name: str, seed: int) -> None:
    rules, options = GAMES[name]
    (deal, action, says), *steps = random_deal(name, seed)
    seen = rules.start_public(deal.turned, deal.dealer, options)
    assert seen == deal._replace(hands=None, stock=None)
    for after, next_action, next_says in steps:
        assert action is not None
        inside = rules.apply_public(deal, action, says)
        seen = rules.apply_public(seen, action, says)
        assert show_due(seen) == show_due(inside)
        if show_due(seen):
            seen = show(seen, to_show(inside))
        assert seen == after._replace(hands=None, stock=None)
        assert rules.phase(seen) == rules.phase(after)
        deal, action, says = after, next_action, next_says
    assert rules.score(seen) == rules.score(deal)


@game_and_seed
def test_belote_needs_both_cards_together(name: str, seed: int) -> None:
    said, together, gone = [], None, set()
    for deal, action, says in random_deal(name, seed):
        if says is not None:
            said.append((deal.turn, says))
        if deal.trump is None or not isinstance(action, Play) or deal.turn is None:
            assert says is None
            continue
        pair = {SUITS[deal.trump] + honour for honour in "KQ"}
        card = format_card(action.card)
        if card in pair and not gone:
            together = deal.turn if pair <= set(hand_of(deal, deal.turn)) else None
        gone |= pair & {card}
    assert said == ([] if together is None else [(together, Says.BELOTE), (together, Says.REBELOTE)])
    assert GAMES[name].rules.score(deal).belote == (None if together is None else together % 2)


def test_random_deals_reach_everything_they_are_meant_to_show() -> None:
    seen: Counter[str] = Counter()
    for name, game in GAMES.items():
        for seed in SEEDS:
            history: list[tuple[int, Action]] = []
            for deal, action, says in random_deal(name, seed):
                seen[str(says)] += 1
                seen.update({str(reason_for(game, deal, other, history)) for other in EVERY_ACTION})
                seen[f"{game.rules.phase(deal)}"] += 1
                if action is not None and deal.turn is not None:
                    history.append((deal.turn, action))
            seen[game.rules.score(deal).outcome] += 1
            seen["counted"] += deal.announcing is not None and any(deal.announcing.counted or ())
            seen[f"double {deal.contract and deal.contract.double}"] += 1
    wanted = {"belote", "rebelote", "made", "dedans", "void", "failed", "counted", *Phase} - {"free"}
    wanted |= {"double coinche", "double surcoinche"}
    wanted |= {reason.value for reason in Reason} - {"not_your_turn", "false_announcement"}
    assert wanted <= seen.keys()


# Announcements


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


def random_hand(random: Random) -> list[str]:
    """Eight cards; half of the hands of few ranks or suits, so that carrés meet runs."""
    cards = [format_card(card) for card in PACK]
    if random.random() < 0.5:
        rank = random.choice(RANKS)
        four = [suit + rank for suit in SUITS]
        suit = random.choice(SUITS)
        others = [card for card in cards if card[0] == suit and card not in four]
        return [*four, *random.sample(others, 4)]
    return random.sample(cards, 8)


@pytest.mark.parametrize("seed", range(400))
def test_the_best_partition_is_worth_most_and_uses_a_card_once(seed: int) -> None:
    hand = random_hand(Random(seed))
    cards = card_set(cards_of(hand))
    found = best_announcements(cards)
    assert total(found) == brute_force_total(frozenset(hand))
    assert holds_any(cards) == bool(found)
    used = [card for one in found for card in cards_in(one.cards)]
    assert len(used) == len(set(used))
    assert set(used) <= set(cards_of(hand))
    assert all(announcement_of(one.cards) == one for one in found)


@pytest.mark.parametrize(
    "cards", ["", "S7 S8", "S7 S8 S10", "S7 H8 S9", "S7 H7 D7 C7", "SJ HJ DJ", "S7 S8 S9 H7 H8 H9"]
)
def test_what_is_no_announcement_is_refused(cards: str) -> None:
    with pytest.raises(Malformed):
        announcement_of(card_set(cards_of(cards.split())))
    with pytest.raises(Malformed):
        announcement_of(1 << 32 | 7)


def first_trick(hands: list[str], *, dealer: int = 3, trump: int = 3) -> Deal:
    """A deal of `annonces` after the bidding, seat 0 to lead from these eight cards each."""
    rules = FOUR_PLAYERS["annonces@1"]
    cards = tuple(card_set(cards_of(hand.split())) for hand in hands)
    deal = rules.start(PACK, dealer, rules.defaults)
    return deal._replace(taker=0, trump=trump, hands=cards, stock=(), stock_left=0)


HANDS = [
    "S7 S8 S9 HA DA CA CK D10",
    "H7 H8 H9 H10 SA DK CQ CJ",
    "SQ SK SJ D7 D8 D9 C7 C8",
    "S10 HJ HQ HK DJ DQ C9 C10",
]
LEADS = ["S7", "SA", "SQ", "S10"]


def play(deal: Deal, *words: str) -> Deal:
    rules = FOUR_PLAYERS["annonces@1"]
    for word in words:
        deal = rules.apply(deal, Declare.DECLARE if word == "declare" else Play(parse_card(word)))
    return deal


def reason_of(deal: Deal, seat: int) -> str:
    with pytest.raises(IllegalAction) as caught:
        check_declare(deal, seat)
    return str(caught.value.details["reason"])


def test_declaring_is_a_choice_made_with_the_first_card() -> None:
    deal = first_trick(HANDS)
    rules = FOUR_PLAYERS["annonces@1"]
    assert rules.actions(deal)[-1] is Declare.DECLARE
    assert [reason_of(deal, seat) for seat in (1, 2, 3)] == ["not_time_to_declare"] * 3
    declared = play(deal, "declare")
    assert (declared.turn, declared.hands) == (0, deal.hands)
    assert reason_of(declared, 0) == "already_declared"
    assert cards_among(rules.actions(declared)) == cards_among(rules.actions(deal))
    after = play(deal, "S7")
    assert declare(after, 0).announcing == declared.announcing, "just after the card it is not too late"
    assert reason_of(declare(after, 0), 0) == "already_declared"
    ended = play(after, *LEADS[1:])
    assert [reason_of(ended, seat) for seat in range(4)] == ["not_time_to_declare"] * 4


def test_the_side_with_the_best_shows_all_it_declared_at_the_second_trick() -> None:
    ended = play(first_trick(HANDS), "declare", "S7", "declare", "SA", "declare", "SQ", "declare", "S10")
    assert ended.announcing is not None
    assert ended.announcing.counted is None
    second = play(ended, "H7")
    assert second.announcing is not None
    # The cinquante of seat 1 is the best; the tierce of its partner counts with it.
    assert second.announcing.counted == (0, 70)
    silent = play(first_trick(HANDS), "declare", "S7", "SA", "SQ", "declare", "S10", "H7")
    assert silent.announcing is not None
    assert silent.announcing.counted == (0, 20), "the tierce to the king beats the one to the nine"
    nobody = play(first_trick(HANDS), *LEADS, "H7")
    assert nobody.announcing is not None
    assert (nobody.announcing.declared, nobody.announcing.counted) == (0, None)


def before_the_show(outside: bool) -> Deal:
    """Seats 0 and 1 have declared; the first card of the second trick is down."""
    rules = FOUR_PLAYERS["annonces@1"]
    deal = play(first_trick(HANDS), "declare", "S7", "declare", *LEADS[1:])
    deal = rules.apply_public(deal, Play(parse_card("H7")), None)
    return deal._replace(hands=None) if outside else deal


@pytest.mark.parametrize(
    "shown",
    [
        [],
        [(0, "S7 S8 S9")],
        [(1, "H7 H8 H9 H10"), (3, "HJ HQ HK")],
        [(3, "HJ HQ HK")],
    ],
)
def test_what_is_not_to_be_shown_is_refused(shown: list[tuple[int, str]]) -> None:
    announcements = tuple((seat, announcement_of(card_set(cards_of(cards.split())))) for seat, cards in shown)
    with pytest.raises(IllegalAction):
        show(before_the_show(outside=False), announcements)


@pytest.mark.parametrize(
    "shown",
    [
        [(3, "HJ HQ HK")],  # did not declare
        [(0, "D7 D8 D9"), (1, "H7 H8 H9")],  # both sides
        [(0, "HA HK HQ HJ H10"), (0, "HQ HJ H10")],  # a card twice
        [(0, "SA SK SQ")],  # another seat played two of them
        [(0, "H7 H8 H9")],
    ],
)
def test_what_no_hands_could_show_is_refused_outside(shown: list[tuple[int, str]]) -> None:
    announcements = tuple((seat, announcement_of(card_set(cards_of(cards.split())))) for seat, cards in shown)
    with pytest.raises(IllegalAction):
        show(before_the_show(outside=True), announcements)


def test_showing_has_its_time_and_a_score_waits_for_it() -> None:
    deal = before_the_show(outside=True)
    for early in (play(first_trick(HANDS), "declare", "S7"), first_trick(HANDS)):
        with pytest.raises(WrongPhase):
            show(early, ())
        with pytest.raises(WrongPhase):
            to_show(early)
    with pytest.raises(WrongPhase):
        to_show(deal)
    over = deal._replace(turn=None, points=(100, 62), tricks=(4, 4))
    with pytest.raises(WrongPhase):
        FOUR_PLAYERS["annonces@1"].score(over)
    assert deal.announcing is not None
    with pytest.raises(IllegalAction):
        show(deal._replace(announcing=deal.announcing._replace(declared=0b0101)), ())
    equal = show(deal, ())
    assert equal.announcing is not None
    assert equal.announcing.counted == (0, 0)


# Scores


def every_made() -> Iterator[Made]:
    for taker in (0, 1):
        for belote in (None, 0, 1):
            for announcements in ((0, 0), (20, 0), (0, 50)):
                for points in range(163):
                    for tricks in (0, 4, 8) if points in (0, 162) else (4,):
                        if (points, tricks) not in ((0, 8), (162, 0)):
                            yield Made(taker, (points, 162 - points), (tricks, 8 - tricks), belote, announcements)


def test_what_one_seat_shows_stands_in_the_order_of_its_lowest_cards() -> None:
    """A run of the seven before a carré of jacks, although the carré is worth more."""
    rules = FOUR_PLAYERS["annonces@1"]
    own = [parse_card(text) for text in ("SJ", "HJ", "DJ", "CJ", "S7", "S8", "S9", "HA")]
    rest = [card for card in PACK if card not in own]
    pack = (*own[:3], *rest[:9], *own[3:5], *rest[9:15], own[7], *own[5:7], *rest[15:])
    deal = rules.apply(rules.start(pack, 0, rules.defaults), Bid.TAKE)
    deal = rules.apply(deal, Declare.DECLARE)
    for _ in range(4):
        deal = rules.apply(deal, rules.first_action(deal))
    deal = rules.apply_public(deal, rules.first_action(deal), rules.says(deal, rules.first_action(deal)))
    assert [(seat, one.value) for seat, one in to_show(deal)] == [(1, 20), (1, 200)]


@pytest.mark.parametrize("dedans", [160, 162])
def test_every_point_made_is_marked_by_somebody_or_put_aside(dedans: int) -> None:
    for made in every_made():
        outcome, written, pot = marks(made, Marking(dedans=dedans))
        full = (made.belote is not None) * 20 + sum(made.announcements)
        base = {Outcome.CAPOT: 252, Outcome.DEDANS: dedans}.get(outcome, 162)
        assert sum(written) + pot == base + full
        assert (pot > 0) == (outcome is Outcome.LITIGE)
        assert (outcome is Outcome.CAPOT) == (8 in made.tricks)
        if made.belote is not None and outcome is not Outcome.LITIGE:
            assert written[made.belote] >= 20


@pytest.mark.parametrize("seed", range(100))
def test_pots_are_conserved_over_a_match(seed: int) -> None:
    """What was ever put aside has been marked by a winner or still waits, and only a decided deal pays it."""
    random = Random(seed)
    deals = [made for made in every_made() if made.announcements == (0, 0)]
    litiges = [made for made in deals if marks(made, Marking())[0] is Outcome.LITIGE]
    pot = put_aside = paid = 0
    for _ in range(60):
        made = random.choice(random.choice([deals, litiges]))
        outcome, written, aside = marks(made, Marking())
        taker = made.taker if random.random() < 0.9 else None
        score = DealScore(
            taker,
            made.points,
            made.tricks,
            made.belote,
            outcome if taker is not None else Outcome.VOID,
            written if taker is not None else (0, 0),
            pot=aside if taker is not None else 0,
        )
        after = pay_pot(score, pot)
        put_aside += score.pot
        paid += sum(after.marks) - sum(score.marks)
        if score.winner is None:
            assert (after.marks, after.pot) == (score.marks, pot + score.pot)
        else:
            assert after.marks[score.winner] == score.marks[score.winner] + pot
            assert after.pot == 0
        pot = after.pot
        assert put_aside == paid + pot


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("double", [None, *Double])
@pytest.mark.parametrize("scoring", Scoring)
def test_a_contract_in_plain_words(value: int, double: Double | None, scoring: Scoring) -> None:
    rules = FOUR_PLAYERS["coinche@1"]
    for made in every_made():
        taker, other = made.taker, 1 - made.taker
        deal = rules.start(PACK, 0, Options(1001, scoring))._replace(
            turn=None, taker=taker, trump=0, points=made.points, tricks=made.tricks, belote=made.belote
        )
        score = rules.score(deal._replace(contract=Contract(value, 0, taker, double)))
        own = (252 if made.tricks[taker] == 8 else made.points[taker]) + (20 if made.belote == taker else 0)
        won = made.tricks[taker] == 8 if value == CAPOT else own >= value
        bid = value if scoring is Scoring.MADE_AND_BID else 0
        belote = [20 if made.belote == side else 0 for side in (0, 1)]
        expected = [0, 0]
        if won and double is None:
            expected[taker], expected[other] = own + bid, made.points[other] + belote[other]
        else:
            winner, loser = (taker, other) if won else (other, taker)
            base = 252 if made.tricks[loser] == 0 else 162
            expected[winner] = (base + bid) * {None: 1, Double.COINCHE: 2, Double.SURCOINCHE: 4}[double] + belote[
                winner
            ]
            expected[loser] = belote[loser]
        assert list(score.marks) == expected
        assert score.winner == (taker if won else other)
        assert score.outcome.value == ("failed" if not won else "made+capot" if made.tricks[taker] == 8 else "made")


@pytest.mark.parametrize(
    ("name", "made", "value", "double", "expected"),
    [
        ("contree-cannes", Made(0, (60, 102), (4, 4), 0), 100, None, (0, 162 + 100 + 20)),
        ("contree-cannes", Made(0, (60, 102), (4, 4), 1), 100, None, (0, 162 + 100 + 20)),
        ("contree-cannes", Made(0, (110, 52), (4, 4), 1), 100, None, (210, 72)),
        ("contree-cannes", Made(0, (110, 52), (4, 4), 1), 100, Double.COINCHE, (162 + 200 + 20, 0)),
        ("contree-cannes", Made(0, (162, 0), (8, 0)), CAPOT, None, (252 + 270, 0)),
        ("contree-cannes", Made(0, (150, 12), (7, 1)), CAPOT, Double.SURCOINCHE, (0, 162 + 3 * 270)),
        ("coinche-pagat160", Made(0, (60, 102), (4, 4), 0), 100, Double.SURCOINCHE, (20, 160 + 400)),
        ("coinche-pagat160", Made(0, (110, 52), (4, 4)), 100, Double.COINCHE, (160 + 200, 0)),
        ("coinche-ffb", Made(0, (81, 81), (4, 4)), 80, None, (0, 160 + 80)),
        ("coinche-ffb", Made(0, (82, 80), (4, 4)), 80, None, (82 + 80, 80)),
        ("coinche-ffb", Made(0, (71, 91), (4, 4), 0), 80, None, (20, 160 + 80)),
        ("coinche-ffb", Made(0, (0, 162), (0, 8)), 80, Double.COINCHE, (0, 2 * (252 + 80))),
        ("coinche-demandes", Made(0, (162, 0), (8, 0)), 180, None, (252 + 180, 0)),
        ("coinche", Made(0, (162, 0), (8, 0), 1), 90, Double.COINCHE, (504, 20)),
    ],
)
def test_the_presets_in_figures(
    name: str, made: Made, value: int, double: Double | None, expected: tuple[int, int]
) -> None:
    rules, options = GAMES[name]
    deal = rules.start(PACK, 0, options)._replace(
        turn=None, taker=0, trump=0, points=made.points, tricks=made.tricks, belote=made.belote
    )
    assert rules.score(deal._replace(contract=Contract(value, 0, 0, double))).marks == expected


def test_the_presets_of_the_games_on_a_turned_card() -> None:
    made = Made(0, (60, 102), (4, 4))
    assert [game.rules.duties.rise_over_partner for name, game in GAMES.items() if "classique" in name] == [False, True]
    assert GAMES["classique-ffb"].options.target == 1000
    for name, written in (("annonces", (0, 160)), ("annonces-ffb", (0, 162)), ("classique", (0, 162))):
        rules, options = GAMES[name]
        deal = rules.start(PACK, 0, options)._replace(
            turn=None, taker=0, trump=0, points=made.points, tricks=made.tricks
        )
        assert rules.score(deal).marks == written
    assert GAMES["annonces-ffb"].rules.duties == Duties(under_trump=True, rise_over_partner=True)


# Words, options, registry


@pytest.mark.parametrize("name", GAMES)
def test_the_wire_form_goes_both_ways(name: str) -> None:
    rules = GAMES[name].rules
    for seed in SEEDS:
        for deal, _, _ in random_deal(name, seed)[:20]:
            for action in rules.actions(deal):
                assert rules.from_do(to_do(action)) == action
    assert to_do(ContractBid(100, 0)) == {"bid": {"suit": "S", "value": 100}}
    assert to_do(Double.SURCOINCHE) == {"bid": "surcoinche"}
    assert to_do(Declare.DECLARE) == {"declare": True}


@pytest.mark.parametrize(
    ("name", "do"),
    [
        *(("coinche", {"bid": {"suit": suit, "value": 100}}) for suit in ("SA", "", None, 0)),
        *(
            ("coinche", {"bid": {"suit": "S", "value": value}})
            for value in (70, 85, 190, 0, True, "100", "capot", None)
        ),
        ("coinche", {"bid": {"suit": "S", "value": 100, "more": 1}}),
        ("coinche", {"bid": {"suit": "S"}}),
        ("coinche", {"bid": {"suit": "S", "value": 100}, "card": "S7"}),
        *(("coinche", {"bid": bid}) for bid in ("contre", "take", "S")),
        *((name, {"declare": True}) for name in ("classique", "coinche")),
        *(("annonces", {"declare": value}) for value in (False, 1, None, ["S7"])),
        ("annonces", {"declare": True, "card": "S7"}),
        *((name, {"bid": "coinche"}) for name in ("classique", "annonces")),
        *((name, {"bid": {"suit": "S", "value": 100}}) for name in ("classique", "annonces")),
    ],
)
def test_other_wire_forms_are_refused(name: str, do: Any) -> None:
    with pytest.raises(Malformed):
        GAMES[name].rules.from_do(do)


@pytest.mark.parametrize("name", FOUR_PLAYERS)
@pytest.mark.parametrize("target", [501, 1001, 2001])
def test_options_are_read_and_written(name: str, target: int) -> None:
    rules = FOUR_PLAYERS[name]
    for scoring in Scoring if name == "coinche@1" else [Scoring.MADE]:
        options = Options(target, scoring)
        assert rules.parse_options(dict(rules.format_options(options))) == options
    assert rules.defaults == Options(1001)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in FOUR_PLAYERS for value in (None, [], {}, {"target": 301}, {"target": True})),
        *((name, {"target": 1001, "scoring": "faits", "more": 1}) for name in FOUR_PLAYERS),
        *((name, {"target": 1001, "scoring": "faits"}) for name in ("classique@1", "annonces@1")),
        ("coinche@1", {"target": 1001}),
        ("coinche@1", {"target": 1001, "scoring": "faits+demandes"}),
        ("coinche@1", {"target": "1001", "scoring": "faits"}),
        ("coinche@1", {"target": 1001, "scoring": None}),
    ],
)
def test_other_options_are_refused(name: str, value: Any) -> None:
    with pytest.raises(Malformed):
        FOUR_PLAYERS[name].parse_options(value)


@pytest.mark.parametrize("name", FOUR_PLAYERS)
def test_only_a_whole_pack_is_dealt_and_a_running_deal_has_no_score(name: str) -> None:
    rules = FOUR_PLAYERS[name]
    with pytest.raises(Malformed):
        rules.start((*PACK[:31], 0), 0, rules.defaults)
    deal = rules.start(PACK, 2, rules.defaults)
    assert deal.turn == rules.next_dealer(2) == 3
    with pytest.raises(WrongPhase):
        rules.score(deal)
    while not deal.over:
        deal = rules.apply(deal, Bid.PASS)
    with pytest.raises(WrongPhase):
        rules.first_action(deal)


@pytest.mark.parametrize("name", FOUR_PLAYERS)
def test_what_the_outside_view_cannot_know_is_refused(name: str) -> None:
    rules = FOUR_PLAYERS[name]
    deal = rules.start_public(0, 0, rules.defaults)._replace(trump=0, taker=1)
    for question in (
        lambda: rules.actions(deal),
        lambda: rules.says(deal, Play(8)),
        lambda: rules.apply(deal, Play(8)),
    ):
        with pytest.raises(WrongPhase):
            question()
    seen = rules.apply_public(deal, Play(8), None)
    with pytest.raises(IllegalAction):
        rules.apply_public(seen, Play(8), None)
    with pytest.raises(IllegalAction):
        rules.apply_public(seen, Play(9), Says.BELOTE)


@pytest.mark.parametrize(
    ("name", "hand", "trick", "legal"),
    [
        ("classique", "S7 SJ HA", [[1, "S9"], [2, "S8"]], "S7 SJ"),  # no rising over a partner who is master
        ("annonces", "S7 SJ HA", [[1, "S9"], [2, "S8"]], "SJ"),
        ("classique", "S7 S8 DA", [[0, "H7"], [1, "S9"], [2, "HA"]], "S7 S8 DA"),
        ("annonces", "S7 D8", [[2, "HA"]], "S7"),
        ("contree-cannes", "S7 DA", [[1, "H7"], [2, "SJ"]], "S7 DA"),
        ("coinche", "S7 DA", [[1, "H7"], [2, "SJ"]], "S7"),
    ],
)
def test_some_duties(name: str, hand: str, trick: list[list[Any]], legal: str) -> None:
    deal = set_up(GAMES[name], seat=3, trump="S", trick=trick, hand=hand.split())
    assert cards_among(GAMES[name].rules.actions(deal)) == legal.split()
