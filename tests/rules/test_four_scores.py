"""Marks of the games for four: every deal that can be made, in plain words and in figures."""

from collections.abc import Iterator
from random import Random

import pytest

from fairdeal.belote import Outcome
from fairdeal.belote.actions import CAPOT, VALUES, Double
from fairdeal.belote.classique import Marking, marks
from fairdeal.belote.deal import Contract
from fairdeal.belote.four import Duties, Made
from fairdeal.belote.scoring import DealScore, Options, Scoring, pay_pot
from fairdeal.cards import PACK
from tests.rules.four_facts import FOUR_PLAYERS, GAMES


def every_made() -> Iterator[Made]:
    for taker in (0, 1):
        for belote in (None, 0, 1):
            for announcements in ((0, 0), (20, 0), (0, 50)):
                for points in range(163):
                    for tricks in (0, 4, 8) if points in (0, 162) else (4,):
                        if (points, tricks) not in ((0, 8), (162, 0)):
                            yield Made(taker, (points, 162 - points), (tricks, 8 - tricks), belote, announcements)


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
