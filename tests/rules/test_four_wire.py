"""Actions and options of the games for four as they are written and read."""

from typing import Any

import pytest

from fairdeal.belote import to_do
from fairdeal.belote.actions import ContractBid, Declare, Double
from fairdeal.belote.scoring import Options, Scoring
from fairdeal.errors import Malformed
from tests.rules.four_facts import FOUR_PLAYERS, GAMES
from tests.rules.four_random import SEEDS, random_deal


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
