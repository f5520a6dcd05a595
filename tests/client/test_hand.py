"""What our own hand tells of others' moves, and what a view may show next, case by case."""

import pytest

from fairdeal.belote import Bid, Deal, Play, Says, card_set, find_ruleset
from fairdeal.cards import parse_card
from fairdeal.client import Contradiction, Finding
from fairdeal.client.hand import OwnHand, after_move, check_move, dealt, shown
from fairdeal.errors import FairdealError

RULES = find_ruleset("duel@1")
TURNED = parse_card("S9")
DEAL = RULES.start_public(TURNED, 0, RULES.defaults)
"""Seat 1 speaks first."""


def cards(text: str) -> int:
    return card_set(map(parse_card, text.split()))


def taken(by: int) -> Deal:
    deal = DEAL if by == 1 else RULES.apply_public(DEAL, Bid.PASS, None)
    return RULES.apply_public(deal, Bid.TAKE, None)


def finding(error: pytest.ExceptionInfo[FairdealError]) -> Finding:
    assert isinstance(error.value, Contradiction)
    return error.value.finding


def test_six_cards_are_dealt_unseen() -> None:
    assert dealt(1, DEAL, RULES) == OwnHand(1, 0, 6)
    assert shown(dealt(1, DEAL, RULES), DEAL, cards("H7 H8 H9 D7 D8 D9")) == OwnHand(1, cards("H7 H8 H9 D7 D8 D9"), 0)


@pytest.mark.parametrize("hand", ["H7 H8 H9 D7 D8", "H7 H8 H9 D7 D8 D9 C7", "H7 H8 H9 D7 D8 S9", ""])
def test_a_first_hand_that_cannot_be(hand: str) -> None:
    with pytest.raises(Contradiction) as error:
        shown(dealt(1, DEAL, RULES), DEAL, cards(hand))
    assert finding(error) is Finding.SHOWN_HAND


def test_the_taker_has_the_turned_card_and_the_other_draws() -> None:
    hand = OwnHand(1, cards("H7 H8 H9 D7 D8 D9"))
    assert after_move(hand, DEAL, taken(1), RULES, Bid.TAKE) == OwnHand(1, hand.held | cards("S9"), 0)
    passed = RULES.apply_public(DEAL, Bid.PASS, None)
    assert after_move(hand, passed, taken(0), RULES, Bid.TAKE) == OwnHand(1, hand.held, 1)
    assert after_move(hand, DEAL, passed, RULES, Bid.PASS) == hand


@pytest.mark.parametrize("drawn", ["S9", "HJ SA"])
def test_a_card_drawn_that_cannot_be(drawn: str) -> None:
    with pytest.raises(Contradiction) as error:
        shown(OwnHand(1, cards("H7 H8 H9 D7 D8 D9"), 1), taken(0), cards("H7 H8 H9 D7 D8 D9 " + drawn))
    assert finding(error) is Finding.SHOWN_HAND


def test_both_players_draw_after_a_trick() -> None:
    deal = RULES.apply_public(taken(1), Play(parse_card("H7")), None)
    after = RULES.apply_public(deal, Play(parse_card("HA")), None)
    assert after_move(OwnHand(1, cards("H8"), 0), deal, after, RULES, Play(parse_card("HA"))) == OwnHand(
        1, cards("H8"), 1
    )
    assert after_move(OwnHand(0, cards("HA"), 0), deal, after, RULES, Play(parse_card("HA"))) == OwnHand(0, 0, 1)


def test_a_card_drawn_and_played_unseen() -> None:
    deal = taken(1)
    after = RULES.apply_public(deal, Play(parse_card("C7")), None)
    assert after_move(OwnHand(1, cards("H8"), 2), deal, after, RULES, Play(parse_card("C7"))) == OwnHand(
        1, cards("H8"), 1
    )


def test_belote_that_another_announced_is_not_drawn_by_us() -> None:
    deal = RULES.apply_public(taken(1), Play(parse_card("SK")), Says.BELOTE)
    hand = OwnHand(0, cards("H7"), 1)
    assert shown(hand, deal, cards("H7 HQ")).unseen == 0
    with pytest.raises(Contradiction) as error:
        shown(hand, deal, cards("H7 SQ"))
    assert finding(error) is Finding.SHOWN_HAND


def test_belote_announced_while_we_hold_the_other_card() -> None:
    with pytest.raises(Contradiction) as error:
        check_move(OwnHand(0, cards("SQ"), 1), taken(1), RULES, Play(parse_card("SK")), Says.BELOTE, False)
    assert finding(error) is Finding.SAYS
    check_move(OwnHand(0, cards("HQ"), 1), taken(1), RULES, Play(parse_card("SK")), Says.BELOTE, False)


@pytest.mark.parametrize("says", [None, Says.REBELOTE])
def test_our_own_belote_is_announced(says: Says | None) -> None:
    hand = OwnHand(1, cards("SK SQ H7"))
    check_move(hand, taken(1), RULES, Play(parse_card("SK")), Says.BELOTE, False)
    with pytest.raises(Contradiction) as error:
        check_move(hand, taken(1), RULES, Play(parse_card("SK")), says, False)
    assert finding(error) is Finding.SAYS


def test_our_seat_plays_what_it_does_not_have() -> None:
    with pytest.raises(Contradiction) as error:
        check_move(OwnHand(1, cards("SK SQ H7")), taken(1), RULES, Play(parse_card("H8")), None, False)
    assert finding(error) is Finding.ILLEGAL
    check_move(OwnHand(1, cards("SK SQ H7"), 1), taken(1), RULES, Play(parse_card("H8")), None, False)
