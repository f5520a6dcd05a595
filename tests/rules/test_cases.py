"""Every rules case of the `--cases` file whose game exists, each as one test named by its id."""

from typing import Any

import pytest

from fairdeal.belote import RULESETS
from tests.rules.facts import FACTS

BY_GAME = {name.partition("@")[0]: ruleset for name, ruleset in RULESETS.items()}


def check_case(case: dict[str, Any]) -> None:
    """Fails for a fact that differs, and for a case type, argument or fact that is unknown."""
    facts = FACTS[case["type"]](BY_GAME[case["ruleset"]], **case["given"])
    assert case["expect"], "a case expects something"
    assert {name: facts.get(name, "unknown fact") for name in case["expect"]} == case["expect"]


def test_case(rules_case: dict[str, Any]) -> None:
    check_case(rules_case)


@pytest.mark.parametrize(
    ("change", "error"),
    [
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
