"""Signs of collusion, on matches made by hand around each threshold."""

import random
from dataclasses import replace
from itertools import count

import pytest

from fairdeal.app.records import Ending, MatchRecord, SeatRecord
from fairdeal.app.signs import Sign, find_signs

_ids = count(1)


def played(*accounts: str, winner: int | None = 0, reason: str = "target", stake: int = 100) -> MatchRecord:
    """Seats by turn on either side; the winners' net is what the losers staked."""
    number = next(_ids)
    seats = tuple(
        SeatRecord(
            seat=seat,
            side=seat % 2,
            account=account,
            player=f"{number:031x}{seat}",
            sat_at=number,
            payout=0,
            net=0 if winner is None else stake if seat % 2 == winner else -stake,
            money=(),
        )
        for seat, account in enumerate(accounts)
    )
    return MatchRecord(
        m=f"{number:032x}",
        status="ended",
        opener=accounts[0],
        visibility="public",
        ruleset={"id": "duel@1", "options": {}},
        asset={"code": "EUR", "exponent": 2},
        stake=stake,
        fees={},
        opened_at=number,
        full_at=number,
        started_at=number,
        ended_at=number,
        ending=Ending(reason, winner, None),
        pot=stake * len(seats),
        payouts=0,
        commission=0,
        tax=0,
        seats=seats,
        transactions=(),
    )


def kinds(records: list[MatchRecord]) -> list[str]:
    return [sign.kind for sign in find_signs(records)]


def alternating(met: int) -> list[MatchRecord]:
    return [played("a", "b", winner=number % 2) for number in range(met)]


def test_the_same_pair_again_and_again() -> None:
    assert kinds(alternating(9)) == []
    (sign,) = find_signs(alternating(10))
    assert (sign.kind, sign.accounts, sign.met, sign.won, sign.net) == ("again", ("a", "b"), 10, (5, 5), (0, 0))
    assert len(set(sign.matches)) == 10


def test_who_plays_everybody_meets_nobody_again_and_again() -> None:
    """Ten of twenty matches are half, ten of twenty-one are not; the smaller circle of the two counts."""
    others = [played("a", f"x{n}", winner=n % 2) for n in range(11)]
    of_b = [played("b", f"y{n}", winner=n % 2) for n in range(11)]
    assert kinds(alternating(10) + others) == ["again"], "b plays nobody else"
    assert kinds(alternating(10) + others[:10] + of_b[:10]) == ["again"]
    assert kinds(alternating(10) + others + of_b) == []


@pytest.mark.parametrize(
    ("won", "lost", "seen"), [(10, 0, False), (11, 0, True), (13, 1, False), (14, 1, True), (16, 2, False)]
)
def test_losses_that_flow_one_way(won: int, lost: int, seen: bool) -> None:
    matches = [played("b", "a", winner=0) for _ in range(won)] + [played("a", "b", winner=0) for _ in range(lost)]
    signs = [sign for sign in find_signs(matches) if sign.kind == "one_way"]
    assert bool(signs) == seen
    for sign in signs:
        assert (sign.accounts, sign.won) == (("a", "b"), (lost, won))
        assert sign.net == (100 * (lost - won), 100 * (won - lost))


def test_matches_of_a_pair_that_nobody_finishes() -> None:
    ends = [("cancelled", None), ("void", None), ("seed", 1)]
    unfinished = [played("a", "b", winner=winner, reason=reason) for reason, winner in ends]
    assert kinds(unfinished[:2]) == []
    (sign,) = find_signs(unfinished)
    assert (sign.kind, sign.unfinished, sign.won) == ("unfinished", 3, (0, 0))
    assert kinds(unfinished + alternating(9)) == ["again", "unfinished"], "a quarter"
    assert kinds(unfinished + alternating(10)) == ["again"]


def test_what_is_no_pair_and_no_money_is_no_sign() -> None:
    assert kinds([played("a", "b", stake=0) for _ in range(30)]) == []
    assert kinds([played("a", winner=None, reason="cancelled") for _ in range(30)]) == [], "nobody came"
    live = [replace(played("a", "b"), status="live", ending=None, ended_at=None) for _ in range(30)]
    assert kinds(live) == []
    two_assets = [replace(one, asset={"code": "USD", "exponent": 2}) for one in alternating(9)]
    assert kinds(alternating(9) + two_assets) == []


def test_partners_are_no_pair() -> None:
    matches = [played("a", "b", "c", f"x{n}", winner=0) for n in range(11)]
    signs = find_signs(matches)
    assert {sign.accounts for sign in signs} == {("a", "b"), ("b", "c")}
    assert {sign.kind for sign in signs} == {"again", "one_way"}


def test_the_same_matches_in_any_order_give_the_same_signs() -> None:
    matches = alternating(12) + [played("a", "c") for _ in range(12)] + [played("d", "c", winner=1) for _ in range(3)]
    first: tuple[Sign, ...] = find_signs(matches)
    assert len(first) > 2
    for seed in range(5):
        random.Random(seed).shuffle(matches)
        assert find_signs(matches) == first
