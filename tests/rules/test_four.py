"""The games for four played at random, step by step, against the rules in plain words; and what is refused."""

from collections import Counter
from typing import Any

import pytest

from fairdeal.belote import Action, Bid, Deal, Outcome, Phase, Play, Reason, Says, card_set
from fairdeal.belote.actions import ContractBid, Declare, Double
from fairdeal.belote.annonces import show, show_due, to_show
from fairdeal.belote.presets import Preset
from fairdeal.cards import PACK, SUITS, format_card
from fairdeal.errors import IllegalAction, Malformed, WrongPhase
from tests.rules.four_facts import FOUR_PLAYERS, GAMES, cards_among, set_up
from tests.rules.four_in_words import hand_of, reason_for
from tests.rules.four_random import SEEDS, random_deal

CONTRACTS = [ContractBid(value, suit) for value in (*range(70, 190, 10), 85, 250, 270) for suit in range(5)]
EVERY_ACTION: tuple[Action, ...] = (*Bid, *CONTRACTS, *Double, *map(Play, PACK), Declare.DECLARE)
game_and_seed = pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in GAMES for seed in SEEDS])


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
