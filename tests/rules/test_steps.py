"""The five steps in words say what the marks are: every game, every count, both languages."""

import re
from collections.abc import Iterator

import pytest

from fairdeal.app.rules import Line, Marks, catalogue, marks
from fairdeal.app.rules.texts import TEXTS

COUNTS = sorted({*range(12, 151, 3), 0, 71, 80, 81, 82, 91, 162})
BIDS = ("80", "100", "160", "180", "capot")


def lines(game: str) -> Iterator[Line]:
    """Both takers, many counts, belote or not, each kind of contract."""
    total = 16 if game == "duel" else 8
    contract = game.startswith(("coinche", "contree"))
    bids = BIDS if contract else (None,)
    for bid in bids:
        for double in (None, "coinche", "surcoinche") if contract else (None,):
            for points in COUNTS:
                for belote in (None, 0, 1):
                    tricks = f"0,{total}" if points == 0 else f"{total},0" if points == 162 else None
                    yield Line(
                        game=game,
                        taker=points % 2,
                        points=f"{points},{162 - points}",
                        tricks=tricks,
                        belote=belote,
                        bid=bid,
                        double=double,
                    )


GAMES = [one.game for kind in (catalogue().rulesets, catalogue().presets, catalogue().sheets) for one in kind]


def check_words(answer: Marks) -> None:
    """The sums in the sentences are right, and what is said to be written is what the marks are."""
    text = answer.steps[4].text
    for left, right in re.findall(r"(\(?\d[\d() +×]*) = (\d+)", " ".join(step.text for step in answer.steps)):
        assert eval(left.replace("×", "*")) == int(right), text
    assert re.search(r"(\d+) (?:and|et) (\d+)\.$", text).groups() == tuple(map(str, answer.marks))
    alone = re.search(r"(?:Side|Le camp) (\d) (?:writes|marque) ([\d() +×=]+)[,.]", text)
    if alone:
        winner, formula = int(alone[1]), int(alone[2].split(" = ")[-1])
        kept = {0: 0, 1: 0}
        if answer.belote is not None:
            kept[int(re.search(r"(?:The belote|La belote) .* (\d)\.", text)[1])] += 20
        assert answer.marks[winner] == formula + kept[winner]
        assert answer.marks[1 - winner] == kept[1 - winner]


@pytest.mark.parametrize("game", GAMES)
def test_the_words_and_the_marks_agree(game: str) -> None:
    seen = set()
    for line in lines(game):
        for french in (False, True):
            answer = marks(line, french)
            seen.add(answer.outcome)
            assert answer.steps[2].sides == answer.points
            assert sum(answer.points) == 162
            check_words(answer)
    assert len(seen) >= 3


def test_every_text_has_both_languages_with_the_same_values() -> None:
    for key, (english, french) in TEXTS.items():
        assert english, key
        assert french, key
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", french)), key
