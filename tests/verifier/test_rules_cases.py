"""The duel cases of the `--cases` file against the verifier's own rules: a second implementation of the same text."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier import duel
from fairdeal_verifier.duel import NAMES, Deal, members, replay_deal
from fairdeal_verifier.errors import IllegalAction
from tests.conftest import rules_cases

ACTIONS = {name: number for number, name in enumerate(NAMES)}
SOME_DECK = list(range(32))
Given = dict[str, Any]


def cards(names: list[str]) -> list[int]:
    return [ACTIONS[name] for name in names]


def as_set(names: list[str]) -> int:
    return sum(1 << card for card in cards(names))


def legal(given: Given) -> Given:
    led = ACTIONS[given["trick"][0][1]] if given["trick"] else None
    trump = duel.SUITS.index(given["trump"])
    allowed = duel.legal_cards(as_set(given["hand"]), led, trump, free=given["phase"] == "free")
    return {"legal": [NAMES[card] for card in members(allowed)]}


def trick(given: Given) -> Given:
    (leader, led), (follower, card) = given["trick"]
    second_wins, points = duel.trick(ACTIONS[led], ACTIONS[card], duel.SUITS.index(given["trump"]))
    return {"winner": follower if second_wins else leader, "points": points}


def deal_score(given: Given) -> Given:
    points, tricks = given["points"], given["tricks"]
    found = duel.score(given["taker"], (points[0], points[1]), (tricks[0], tricks[1]), given.get("belote"))
    return {"outcome": found.outcome, "marks": list(found.marks), "pot": 0}


def match(given: Given) -> Given:
    totals = (given["before"][0], given["before"][1])
    for marks in given["deal_marks"]:
        totals = totals if marks == "void" else (totals[0] + marks[0], totals[1] + marks[1])
    winner = duel.winner(totals, given["target"])
    state = "won" if winner is not None else "extra_deal" if max(totals) >= given["target"] else "continue"
    return {"totals": list(totals), "state": state, "winner": winner}


def deal_layout(given: Given) -> Given:
    deck = cards(given["deck"])
    deal = Deal(deck, given["dealer"])
    hands = [sorted(given["deck"][:12], key=given["deck"].index) for _ in range(2)]
    return {
        "hands": [[name for name in hands[seat] if deal.hands[seat] >> ACTIONS[name] & 1] for seat in (0, 1)],
        "turnup": NAMES[deal.turned],
        "stock_top": NAMES[deck[deal._stock]],
        "stock_size": 32 - deal._stock,
    }


def auction(given: Given) -> Given:
    dealer = given["dealer"]
    turned = ACTIONS[given["turnup"]]
    deck = [card for card in SOME_DECK if card != turned]
    deck.insert(12, turned)
    deal = Deal(deck, dealer)
    for index, (seat, word) in enumerate(given["actions"]):
        try:
            if seat != deal.turn:
                raise IllegalAction("turn")
            deal.act(ACTIONS[word])
        except IllegalAction:
            return {"illegal_at": index}
    if deal.taker is None or deal.trump is None:
        return {"void": deal.score().outcome == "void", "next_dealer": 1 - dealer, "deal_number_increment": 1}
    return {
        "trump": duel.SUITS[deal.trump],
        "taker": deal.taker,
        "leader": deal.turn,
        "hands": [hand.bit_count() for hand in deal.hands],
        "stock": 32 - deal._stock,
        "turnup_owner": next(seat for seat in (0, 1) if deal.hands[seat] >> turned & 1),
    }


def belote(given: Given) -> Given:
    deal = Deal(SOME_DECK, 0)
    deal.trump, deal.hands = duel.SUITS.index(given["trump"]), [0, 0]
    announced = []
    for kind, seat, what in given["events"]:
        if kind in ("play", "timeout_play"):
            deal.turn, deal._led = seat, None
            says = deal.act(ACTIONS[what])
            announced += [[seat, says, what]] if says else []
        else:
            deal.hands[seat] |= as_set(what if isinstance(what, list) else [what])
    return {"announced": announced, "belote_side": deal.belote}


def replay(given: Given) -> Given:
    deck = cards(given["deck"])
    deal, announced = Deal(deck, given["dealer"]), []
    for seat, name in given["actions"]:
        assert deal.turn == seat
        says = deal.act(ACTIONS[name])
        announced += [[seat, says, name]] if says else []
    found = replay_deal(deck, given["dealer"], (ACTIONS[name] for _, name in given["actions"]))
    assert found == deal.score()
    return {
        "trump": None if deal.trump is None else duel.SUITS[deal.trump],
        "taker": found.taker,
        "points": list(found.points),
        "tricks": list(found.tricks),
        "belote_side": found.belote,
        "announcements": announced,
        "outcome": found.outcome,
        "marks": list(found.marks),
    }


def perft(given: Given) -> Given:
    deck, dealer = cards(given["deck"]), given["dealer"]

    def count(actions: list[int], depth: int) -> int:
        if depth == 0:
            return 1
        deal = Deal(deck, dealer)
        for action in actions:
            deal.act(action)
        choices = deal.legal()
        return len(choices) if depth == 1 else sum(count([*actions, action], depth - 1) for action in choices)

    return {"count": count([ACTIONS[name] for _, name in given["actions"]], given["depth"])}


FACTS: dict[str, Callable[[Given], Given]] = {
    "legal": legal,
    "trick": trick,
    "deal_score": deal_score,
    "match": match,
    "deal_layout": deal_layout,
    "auction": auction,
    "belote": belote,
    "replay": replay,
    "perft": perft,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "duel_case" in metafunc.fixturenames:
        document = json.loads(metafunc.config.getoption("--cases").read_text(encoding="utf-8"))
        chosen = [
            pytest.param(case, id=name)
            for name, case in rules_cases(document)
            if case["ruleset"] == "duel" and case["type"] in FACTS
        ]
        metafunc.parametrize("duel_case", chosen)


def test_case(duel_case: Given) -> None:
    facts = FACTS[duel_case["type"]](duel_case["given"])
    assert duel_case["expect"]
    assert {name: facts[name] for name in duel_case["expect"]} == duel_case["expect"]
