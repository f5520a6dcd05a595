"""Events that are not of their game for four: malformed, at exactly that place."""

from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier.actions import do_of
from fairdeal_verifier.cards import DECLARE
from tests.verifier.builder import Match
from tests.verifier.four_matches import SHOWN, first_card, plant
from tests.verifier.planting import found, insert


def edited(kind: str, *path: str | int, value: Any) -> Callable[[Match], int]:
    """Gives a member of the first such event, found by its path, another value (none at all for `...`)."""

    def change(match: Match) -> int:
        place = match.find(kind)
        inner = match.events[place]["data"]
        for step in path[:-1]:
            inner = inner[step]
        if value is ...:
            del inner[path[-1]]
        else:
            inner[path[-1]] = value
        return place

    return change


MALFORMED: list[tuple[str, Callable[[Match], int]]] = [
    ("classique", edited("open", "ruleset", "id", value="coinche@1")),
    ("classique", edited("open", "ruleset", "id", value="classique@2")),
    ("classique", edited("open", "ruleset", "options", "target", value=301)),
    ("classique", edited("open", "ruleset", "options", "scoring", value="faits")),
    ("classique", edited("open", "seats", value=2)),
    ("classique", edited("open", "stake", value=2**51)),
    ("classique", edited("deal", "turned", value=...)),
    ("classique", edited("deal", "dealer", value=4)),
    ("classique", edited("act", "do", value={"bid": "coinche"})),
    ("classique", edited("act", "do", value={"bid": {"suit": "S", "value": 80}})),
    ("classique", edited("act", "do", value={"declare": True})),
    ("classique", edited("score", "pot", value=...)),
    ("classique", edited("score", "announcements", value=[0, 0])),
    ("classique", edited("score", "contract", value=None)),
    ("classique", edited("score", "outcome", value="failed")),
    ("classique", edited("score", "marks", value=[0, 0, 0, 0])),
    ("classique", edited("score", "taker", value=4)),
    ("classique", edited("score", "belote", value=2)),
    ("classique", edited("end", "winner", value=2)),
    ("classique", edited("settle", "lines", 3, "account", value="seat:4")),
    ("seat", edited("timeout", "missing", value=[0, 1, 2, 3, 4])),
    ("coinche", edited("open", "ruleset", "options", "scoring", value="demandés")),
    ("coinche", edited("open", "ruleset", "options", "scoring", value=...)),
    ("coinche", edited("deal", "turned", value="S7")),
    ("coinche", edited("act", "do", value={"bid": "take"})),
    ("coinche", edited("act", "do", value={"bid": "S"})),
    ("coinche", edited("act", "do", value={"bid": {"suit": "S", "value": 85}})),
    ("coinche", edited("act", "do", value={"bid": {"suit": "S", "value": 190}})),
    ("coinche", edited("act", "do", value={"bid": {"suit": "T", "value": 80}})),
    ("coinche", edited("act", "do", value={"bid": {"suit": "S", "value": True}})),
    ("coinche", edited("score", "outcome", value="dedans")),
    ("coinche", edited("score", "contract", value=...)),
    ("coinche", edited("score", "contract", "double", value=3)),
    ("coinche", edited("score", "contract", "value", value=70)),
    ("coinche", edited("score", "contract", "suit", value="")),
    ("coinche", edited("score", "pot", value=0)),
    ("annonces", edited("open", "stake", value=1)),
    ("annonces", edited("act", "do", value={"declare": False})),
    ("annonces", edited("act", "do", value={"card": "S7", "declare": True})),
    ("annonces", edited("score", "announcements", value=...)),
    ("annonces", edited("score", "pot", value=None)),
    ("annonces", edited("show", "announcements", 0, "cards", value=["S7", "S8"])),
    ("annonces", edited("show", "announcements", 0, "seat", value=4)),
    ("annonces", edited("show", "announcements", value=None)),
    ("annonces", lambda m: insert("timeout", -1, {"do": do_of(DECLARE), "overrun": 1, "seat": 0}, first_card)(m) or 0),
    ("classique", lambda m: insert("show", -1, SHOWN, first_card)(m) or 0),
]  # fmt: skip


@pytest.mark.parametrize(("base", "change"), [pytest.param(*case, id=f"{i}") for i, case in enumerate(MALFORMED)])
def test_an_event_that_is_not_of_its_game(base: str, change: Callable[[Match], int]) -> None:
    match = plant(base)
    place = change(match)
    assert found(match) == ("malformed", 0, "schema", place)
