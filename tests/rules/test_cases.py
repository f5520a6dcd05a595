"""Every rules case of the `--cases` file, each as one test named by its id."""

from typing import Any

import pytest

from fairdeal.belote import find_ruleset
from fairdeal.belote.presets import SHEETS
from tests.rules.facts import FACTS
from tests.rules.four_facts import FOUR_FACTS, GAMES, SHEET_FACTS
from tests.rules.notation import Facts


def facts_of(ruleset: str, kind: str, given: dict[str, Any]) -> Facts:
    """What the product says. Raises KeyError for a game or a type of case that is unknown."""
    if ruleset in SHEETS:
        return SHEET_FACTS[kind](SHEETS[ruleset], **given)
    if ruleset in GAMES:
        return FOUR_FACTS[kind](GAMES[ruleset], **given)
    return FACTS[kind]({"duel": find_ruleset("duel@1")}[ruleset], **given)


def check_case(case: dict[str, Any]) -> None:
    """Fails for a fact that differs, and for a game, case type, argument or fact that is unknown."""
    facts = facts_of(case["ruleset"], case["type"], case["given"])
    assert case["expect"], "a case expects something"
    assert {name: facts.get(name, "unknown fact") for name in case["expect"]} == case["expect"]


def test_case(rules_case: dict[str, Any]) -> None:
    check_case(rules_case)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"ruleset": "unheard_of"}, KeyError),
        ({"type": "unheard_of"}, KeyError),
        ({"given": {"target": 301, "before": [0, 0], "deal_marks": [], "unheard_of": 1}}, TypeError),
        ({"expect": {"unheard_of": None}}, AssertionError),
        ({"expect": {"state": "won"}}, AssertionError),
        ({"expect": {}}, AssertionError),
    ],
)
def test_a_case_that_is_not_understood_fails(change: dict[str, Any], error: type[Exception]) -> None:
    case = {
        "ruleset": "duel",
        "type": "match",
        "given": {"target": 301, "before": [0, 0], "deal_marks": []},
        "expect": {"state": "continue"},
    }
    check_case(case)
    with pytest.raises(error):
        check_case(case | change)
