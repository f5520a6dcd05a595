"""The unshuffled pack of `annonces`, deal after deal, and the score sheet against every split of the cards."""

import hmac
from itertools import product
from random import Random
from typing import Any

import pytest

from fairdeal.belote import Bid, Play, card_set
from fairdeal.belote.actions import CAPOT, Double
from fairdeal.belote.four import Made
from fairdeal.belote.pack import after_deal, cut_pack, gather
from fairdeal.belote.rulesets import RULESETS
from fairdeal.belote.scoring import Scoring
from fairdeal.belote.sheet import CARD_SUMS, Contract, Sheet, check_points, round_to_ten, with_last_trick
from fairdeal.cards import PACK
from fairdeal.errors import Malformed, WrongPhase
from fairdeal.shuffle import cut_place

RULES = RULESETS["annonces@1"]


def random_pack(seed: int) -> tuple[int, ...]:
    return tuple(Random(seed).sample(PACK, 32))


@pytest.mark.parametrize("seed", range(30))
def test_a_played_deal_is_gathered_trick_by_trick_the_takers_side_on_top(seed: int) -> None:
    random, pack = Random(seed), random_pack(seed)
    deal = RULES.start(pack, seed % 4, RULES.defaults)
    piles: list[list[int]] = [[], []]
    table: list[int] = []
    while actions := RULES.actions(deal):
        action = Bid.TAKE if Bid.TAKE in actions and random.random() < 0.5 else random.choice(actions)
        tricks, deal = deal.tricks, RULES.apply(deal, action)
        table += [action.card] if isinstance(action, Play) else []
        if deal.tricks != tricks:
            piles[deal.tricks[1] - tricks[1]] += table
            table = []
    score = RULES.score(deal)
    gathered = gather(pack, deal, score)
    assert card_set(gathered) == card_set(PACK)
    if score.taker is not None:
        assert gathered == (*piles[score.taker % 2], *piles[1 - score.taker % 2])


@pytest.mark.parametrize("dealer", range(4))
def test_a_void_deal_is_gathered_hand_by_hand_then_turned_card_then_stock(dealer: int) -> None:
    pack = random_pack(dealer)
    deal = RULES.start(pack, dealer, RULES.defaults)
    with pytest.raises(WrongPhase):
        gather(pack, deal, RULES.score(deal._replace(turn=None)))
    while not deal.over:
        deal = RULES.apply(deal, Bid.PASS)
    hands = [pack[3 * turn : 3 * turn + 3] + pack[12 + 2 * turn : 14 + 2 * turn] for turn in range(4)]
    assert gather(pack, deal, RULES.score(deal)) == (*hands[0], *hands[1], *hands[2], *hands[3], *pack[20:])
    other = RULESETS["classique@1"]
    with pytest.raises(WrongPhase):
        gather(pack, other.start(pack, 0, other.defaults)._replace(turn=None), other.score(deal))


@pytest.mark.parametrize("place", range(32))
def test_a_cut_turns_the_pack_round(place: int) -> None:
    assert cut_pack(PACK, place) == tuple((card + place) % 32 for card in PACK)


@pytest.mark.parametrize("place", [-1, 32])
def test_a_cut_is_within_the_pack(place: int) -> None:
    with pytest.raises(Malformed):
        cut_pack(PACK, place)


def test_four_void_deals_in_a_row_are_shuffled_and_the_count_begins_again() -> None:
    voids, shuffles = 0, []
    for void in (True, True, True, False, True, True, True, True, True, True, True, True, False):
        voids, shuffle = after_deal(voids, void)
        shuffles.append(shuffle)
    assert [number for number, shuffle in enumerate(shuffles) if shuffle] == [7, 11]
    assert voids == 0


def test_the_cut_comes_from_the_seeds() -> None:
    key, root, seeds = b"\x01" * 32, b"\x02" * 32, [bytes([seat]) * 32 for seat in range(4)]
    places = []
    for deal in range(1, 400):
        message = b"fairdeal/1 cut\n" + root + b"".join(seeds) + deal.to_bytes(4, "big")
        places.append(3 + int(hmac.new(key, message, "sha256").hexdigest(), 16) % 27)
        assert cut_place(key, root, seeds, deal) == places[-1]
    assert set(places) == set(range(3, 30))
    for deal in (0, 2**32):
        with pytest.raises(Malformed):
            cut_place(key, root, seeds, deal)


def error_of(points: tuple[int, int], last: int | None = None, tricks: tuple[int, int] | None = None) -> str | None:
    try:
        check_points(points, last, tricks)
    except Malformed as error:
        return str(error.details["reason"])
    return None


def test_every_split_of_the_cards() -> None:
    trump = [sum(value for bit, value in enumerate((20, 14, 11, 10, 4, 3)) if mask >> bit & 1) for mask in range(64)]
    plain = [sum(value for bit, value in enumerate((11, 10, 4, 3, 2)) if mask >> bit & 1) for mask in range(32)]
    sums = {a + b for a, b in product(set(trump), set(plain))}
    for _ in range(2):
        sums = {a + b for a, b in product(sums, set(plain))}
    assert sums == set(range(153)) - {1, 151} == CARD_SUMS
    refused = [points for points in range(163) if error_of((points, 162 - points)) is not None]
    assert refused == [1, 161]
    for last in (0, 1):
        refused = [own for own in range(163) if error_of((own, 162 - own) if last == 0 else (162 - own, own), last)]
        assert refused == [*range(10), 11, 161]


@pytest.mark.parametrize(
    ("points", "last", "tricks", "reason"),
    [
        ((100, 60), None, None, "sum"),
        ((163, -1), None, None, "negative"),
        ((161, 1), None, None, "unreachable"),
        ((151, 11), 1, None, "unreachable"),
        ((151, 11), 0, None, None),
        ((162, 0), 0, (8, 0), None),
        ((162, 0), 0, (7, 1), None),
        ((152, 10), 1, (8, 0), "tricks"),
        ((162, 0), None, (0, 8), "tricks"),
        ((81, 81), None, (4, 5), "tricks"),
        ((81, 81), None, (9, -1), "tricks"),
    ],
)
def test_a_line_is_checked(
    points: tuple[int, int], last: int | None, tricks: tuple[int, int] | None, reason: str | None
) -> None:
    assert error_of(points, last, tricks) == reason


def test_cards_and_the_last_trick_make_points() -> None:
    assert with_last_trick((95, 57), 0) == (105, 57)
    assert with_last_trick((95, 57), 1) == (95, 67)
    with pytest.raises(Malformed):
        with_last_trick((95, 58), 0)


@pytest.mark.parametrize(("value", "rounded"), [(0, 0), (4, 0), (5, 10), (84, 80), (85, 90), (162, 160), (252, 250)])
def test_five_goes_up(value: int, rounded: int) -> None:
    assert round_to_ten(value) == rounded


@pytest.mark.parametrize(
    ("sheet", "made", "pot", "contract", "expected"),
    [
        (Sheet(), Made(0, (81, 81), (4, 4)), 0, None, ("litige", (0, 81), 81)),
        (Sheet(rounding=True), Made(0, (81, 81), (4, 4)), 81, None, ("litige", (0, 80), 162)),
        (Sheet(rounding=True), Made(0, (82, 80), (4, 4)), 0, None, ("made", (80, 80), 0)),
        (Sheet(rounding=True), Made(0, (100, 62), (4, 4)), 81, None, ("made", (180, 60), 0)),
        (Sheet(), Made(1, (162, 0), (8, 0), 1), 81, None, ("capot", (333, 20), 0)),
        (Sheet(capot=250), Made(1, (162, 0), (8, 0), 1), 0, None, ("capot", (250, 20), 0)),
        (
            Sheet(capot=250),
            Made(0, (162, 0), (8, 0)),
            0,
            Contract(CAPOT, Double.COINCHE, Scoring.MADE_AND_BID),
            ("made+capot", (1000, 0), 0),
        ),
        (Sheet(), Made(0, (96, 66), (4, 4)), 0, Contract(100, None, Scoring.MADE), ("failed", (0, 162), 0)),
    ],
)
def test_a_line_is_marked(sheet: Sheet, made: Made, pot: int, contract: Contract | None, expected: Any) -> None:
    score = sheet.line(made, pot, contract)
    assert (score.outcome.value, score.marks, score.pot) == expected
