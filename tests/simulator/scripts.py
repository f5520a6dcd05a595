"""What seldom happens by itself, and how a match is led through it: deals are tried until one goes the wanted way."""

from collections.abc import Callable

from fairdeal.belote import Action, Bid, Deal, DealScore, Outcome, Ruleset, match_result, pay_pot, to_do
from fairdeal.belote import MatchState as Result
from fairdeal.belote.announcements import best_announcements, winning_side
from fairdeal.belote.values import DEAL_POINTS
from fairdeal.match import view
from tests.simulator.steps import PASS, may_declare, start, to_the_end
from tests.simulator.table import Table

Wanted = Callable[[DealScore, tuple[int, ...]], bool]
"""Whether a deal's score and the totals it leads to are what is looked for."""


def _rollout(table: Table, start: Deal) -> tuple[list[Action], DealScore, tuple[int, ...]]:
    """One random way to play a deal out, its score, and the totals it leads to."""
    ruleset, state, deal, actions = table.terms.ruleset, table.state, start, []
    while not deal.over:
        actions.append(table.random.choice(_likely(ruleset, ruleset.actions(deal))))
        deal = ruleset.apply(deal, actions[-1])
    score = pay_pot(ruleset.score(deal), state.pot)
    return actions, score, tuple(sum(pair) for pair in zip(state.totals, score.marks, strict=True))


def _likely(ruleset: Ruleset, actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """In an auction of points mostly pass, or the next bids: else it would always end at the top."""
    return (Bid.PASS,) * 15 + actions[1:6] if ruleset.features.contract and actions[0] is Bid.PASS else actions


def script(table: Table, wanted: Wanted, tries: int) -> bool:
    """Plays this deal in a way that is wanted; passes it out when `tries` ways were not."""
    deal = table.state.deal
    assert deal is not None
    for _ in range(tries):
        actions, score, totals = _rollout(table, deal)
        if wanted(score, totals):
            break
    else:
        pass_out(table)
        return False
    for action in actions:
        assert table.state.turn is not None
        table.wait()
        table.act(table.state.turn, to_do(action))
    return True


def pass_out(table: Table) -> None:
    """Everybody passes until the deal is void."""
    number = table.state.deal_number
    while table.state.deal_number == number and table.state.turn is not None:
        table.wait()
        table.act(table.state.turn, PASS)


def extra_deal(table: Table) -> None:
    """Both sides reach the target with equal totals, so that one more deal decides."""
    target, four = table.terms.options.target, len(table.seats) == 4
    start(table)
    if four:
        while sum(table.state.totals) + DEAL_POINTS < 2 * target:
            script(table, lambda _, totals: max(totals) < target and _may_be_equal(table, totals), 400)
    else:
        while not script(table, lambda _, totals: min(totals) > 0 and 20 < max(totals) < target, 20):
            pass
    while not script(table, lambda _, totals: _equal(totals, target), 600 if four else 60):
        pass
    assert table.state.totals[0] == table.state.totals[1] >= target
    to_the_end(table)


def _may_be_equal(table: Table, totals: tuple[int, ...]) -> bool:
    """From these totals one more deal can bring both sides there together, or there is room for one before it.

    A deal that is made, and by little, brings a side forward by an even number; never by nothing: that is a litige.
    """
    left, apart = 2 * table.terms.options.target - sum(totals), abs(totals[0] - totals[1])
    return totals != table.state.totals and apart in range(2, 24, 2) and not 0 < left - DEAL_POINTS < 30


def _equal(totals: tuple[int, ...], target: int) -> bool:
    return match_result((totals[0], totals[1]), target)[0] is Result.EXTRA_DEAL


def _litige(table: Table) -> None:
    """A litige, mostly a second one on top, then on to the target."""
    start(table)
    while not script(table, lambda score, totals: score.outcome is Outcome.LITIGE and max(totals) < 501, 200):
        pass
    script(table, lambda score, totals: score.outcome is Outcome.LITIGE and max(totals) < 501, 200)
    pass_out(table)
    assert table.state.pot > 0
    to_the_end(table)


def _auction(*words: str | dict[str, int | str]) -> Callable[[Table], None]:
    """The first deals are bid by these words, everybody else passing, and played at random; then on to the target."""

    def lead(table: Table) -> None:
        start(table)
        for word in words:
            while _says_nothing(table, word):
                table.act(_turn(table), PASS)
            table.act(_turn(table), {"bid": word})
        to_the_end(table)

    return lead


def _turn(table: Table) -> int:
    assert table.state.turn is not None
    return table.state.turn


def _says_nothing(table: Table, word: str | dict[str, int | str]) -> bool:
    assert table.state.deal is not None
    actions = [to_do(action) for action in table.terms.ruleset.actions(table.state.deal)]
    return {"bid": word} not in actions


def _four_voids(table: Table) -> None:
    """Four void deals in a row: an unshuffled pack is shuffled after them; then one more, and on to the target."""
    start(table)
    for _ in range(5):
        pass_out(table)
    to_the_end(table)


def _tie(table: Table) -> None:
    """Both sides declare announcements of one strength, and nothing counts: passed out until the cards are so."""
    start(table)
    while not (auction := _auction_to_a_tie(table)):
        pass_out(table)
    for bid in auction:
        table.act(_turn(table), to_do(bid))
    for _ in range(4):
        for seat in may_declare(table):
            table.act(seat, {"declare": True})
        table.wait()
        table.act(_turn(table), table.random.choice(view(table.state, _turn(table))["legal"]))
    to_the_end(table)


def _auction_to_a_tie(table: Table) -> list[Action]:
    """An auction of this deal after which both sides' best announcements are equal; empty when there is none."""
    deal, ruleset = table.state.deal, table.terms.ruleset
    assert deal is not None
    passes: list[Action] = []
    while not deal.over:
        for bid in ruleset.actions(deal)[1:]:
            taken = ruleset.apply(deal, bid)
            assert taken.hands is not None
            assert taken.trump is not None
            held = [
                (seat, one) for seat, hand in enumerate(taken.hands) for one in best_announcements(hand, taken.trump)
            ]
            if held and winning_side(held, taken.trump) is None:
                return [*passes, bid]
        passes.append(Bid.PASS)
        deal = ruleset.apply(deal, Bid.PASS)
    return []


_FOR_FOUR = ("classique@1", "coinche@1", "annonces@1")
SCRIPTS: dict[str, tuple[tuple[str, ...], Callable[[Table], None]]] = {
    "four_voids": (_FOR_FOUR, _four_voids),
    "litige": (("classique@1", "annonces@1"), _litige),
    "capot_bid": (("coinche@1",), _auction({"suit": "H", "value": 250})),
    "coinched": (("coinche@1",), _auction({"suit": "S", "value": 80}, "coinche")),
    "surcoinched": (("coinche@1",), _auction({"suit": "C", "value": 100}, "coinche", "surcoinche")),
    "tie": (("annonces@1",), _tie),
}
"""Name → the games in which it can happen, and how it is led to."""
