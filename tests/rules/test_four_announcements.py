"""Announcements: what a hand holds, when it is declared, and what is shown."""

from random import Random

import pytest

from fairdeal.belote import Bid, Deal, Play, card_set, cards_in
from fairdeal.belote.actions import Declare
from fairdeal.belote.annonces import check_declare, declare, show, to_show
from fairdeal.belote.announcements import announcement_of, best_announcements, holds_any, total
from fairdeal.cards import PACK, RANKS, SUITS, format_card, parse_card
from fairdeal.errors import IllegalAction, Malformed, WrongPhase
from tests.rules.four_facts import FOUR_PLAYERS, cards_among
from tests.rules.four_in_words import brute_force_total
from tests.rules.notation import cards_of


def random_hand(random: Random) -> list[str]:
    """Eight cards; half of the hands of few ranks or suits, so that carrés meet runs."""
    cards = [format_card(card) for card in PACK]
    if random.random() < 0.5:
        rank = random.choice(RANKS)
        four = [suit + rank for suit in SUITS]
        suit = random.choice(SUITS)
        others = [card for card in cards if card[0] == suit and card not in four]
        return [*four, *random.sample(others, 4)]
    return random.sample(cards, 8)


@pytest.mark.parametrize("seed", range(400))
def test_the_best_partition_is_worth_most_and_uses_a_card_once(seed: int) -> None:
    hand = random_hand(Random(seed))
    cards = card_set(cards_of(hand))
    found = best_announcements(cards)
    assert total(found) == brute_force_total(frozenset(hand))
    assert holds_any(cards) == bool(found)
    used = [card for one in found for card in cards_in(one.cards)]
    assert len(used) == len(set(used))
    assert set(used) <= set(cards_of(hand))
    assert all(announcement_of(one.cards) == one for one in found)


@pytest.mark.parametrize(
    "cards", ["", "S7 S8", "S7 S8 S10", "S7 H8 S9", "S7 H7 D7 C7", "SJ HJ DJ", "S7 S8 S9 H7 H8 H9"]
)
def test_what_is_no_announcement_is_refused(cards: str) -> None:
    with pytest.raises(Malformed):
        announcement_of(card_set(cards_of(cards.split())))
    with pytest.raises(Malformed):
        announcement_of(1 << 32 | 7)


def first_trick(hands: list[str], *, dealer: int = 3, trump: int = 3) -> Deal:
    """A deal of `annonces` after the bidding, seat 0 to lead from these eight cards each."""
    rules = FOUR_PLAYERS["annonces@1"]
    cards = tuple(card_set(cards_of(hand.split())) for hand in hands)
    deal = rules.start(PACK, dealer, rules.defaults)
    return deal._replace(taker=0, trump=trump, hands=cards, stock=(), stock_left=0)


HANDS = [
    "S7 S8 S9 HA DA CA CK D10",
    "H7 H8 H9 H10 SA DK CQ CJ",
    "SQ SK SJ D7 D8 D9 C7 C8",
    "S10 HJ HQ HK DJ DQ C9 C10",
]
LEADS = ["S7", "SA", "SQ", "S10"]


def play(deal: Deal, *words: str) -> Deal:
    rules = FOUR_PLAYERS["annonces@1"]
    for word in words:
        deal = rules.apply(deal, Declare.DECLARE if word == "declare" else Play(parse_card(word)))
    return deal


def reason_of(deal: Deal, seat: int) -> str:
    with pytest.raises(IllegalAction) as caught:
        check_declare(deal, seat)
    return str(caught.value.details["reason"])


def test_declaring_is_a_choice_made_with_the_first_card() -> None:
    deal = first_trick(HANDS)
    rules = FOUR_PLAYERS["annonces@1"]
    assert rules.actions(deal)[-1] is Declare.DECLARE
    assert [reason_of(deal, seat) for seat in (1, 2, 3)] == ["not_time_to_declare"] * 3
    declared = play(deal, "declare")
    assert (declared.turn, declared.hands) == (0, deal.hands)
    assert reason_of(declared, 0) == "already_declared"
    assert cards_among(rules.actions(declared)) == cards_among(rules.actions(deal))
    after = play(deal, "S7")
    assert declare(after, 0).announcing == declared.announcing, "just after the card it is not too late"
    assert reason_of(declare(after, 0), 0) == "already_declared"
    ended = play(after, *LEADS[1:])
    assert [reason_of(ended, seat) for seat in range(4)] == ["not_time_to_declare"] * 4


def test_the_side_with_the_best_shows_all_it_declared_at_the_second_trick() -> None:
    ended = play(first_trick(HANDS), "declare", "S7", "declare", "SA", "declare", "SQ", "declare", "S10")
    assert ended.announcing is not None
    assert ended.announcing.counted is None
    second = play(ended, "H7")
    assert second.announcing is not None
    # The cinquante of seat 1 is the best; the tierce of its partner counts with it.
    assert second.announcing.counted == (0, 70)
    silent = play(first_trick(HANDS), "declare", "S7", "SA", "SQ", "declare", "S10", "H7")
    assert silent.announcing is not None
    assert silent.announcing.counted == (0, 20), "the tierce to the king beats the one to the nine"
    nobody = play(first_trick(HANDS), *LEADS, "H7")
    assert nobody.announcing is not None
    assert (nobody.announcing.declared, nobody.announcing.counted) == (0, None)


def before_the_show(outside: bool) -> Deal:
    """Seats 0 and 1 have declared; the first card of the second trick is down."""
    rules = FOUR_PLAYERS["annonces@1"]
    deal = play(first_trick(HANDS), "declare", "S7", "declare", *LEADS[1:])
    deal = rules.apply_public(deal, Play(parse_card("H7")), None)
    return deal._replace(hands=None) if outside else deal


@pytest.mark.parametrize(
    "shown",
    [
        [],
        [(0, "S7 S8 S9")],
        [(1, "H7 H8 H9 H10"), (3, "HJ HQ HK")],
        [(3, "HJ HQ HK")],
    ],
)
def test_what_is_not_to_be_shown_is_refused(shown: list[tuple[int, str]]) -> None:
    announcements = tuple((seat, announcement_of(card_set(cards_of(cards.split())))) for seat, cards in shown)
    with pytest.raises(IllegalAction):
        show(before_the_show(outside=False), announcements)


@pytest.mark.parametrize(
    "shown",
    [
        [(3, "HJ HQ HK")],  # did not declare
        [(0, "D7 D8 D9"), (1, "H7 H8 H9")],  # both sides
        [(0, "HA HK HQ HJ H10"), (0, "HQ HJ H10")],  # a card twice
        [(0, "SA SK SQ")],  # another seat played two of them
        [(0, "H7 H8 H9")],
    ],
)
def test_what_no_hands_could_show_is_refused_outside(shown: list[tuple[int, str]]) -> None:
    announcements = tuple((seat, announcement_of(card_set(cards_of(cards.split())))) for seat, cards in shown)
    with pytest.raises(IllegalAction):
        show(before_the_show(outside=True), announcements)


def test_showing_has_its_time_and_a_score_waits_for_it() -> None:
    deal = before_the_show(outside=True)
    for early in (play(first_trick(HANDS), "declare", "S7"), first_trick(HANDS)):
        with pytest.raises(WrongPhase):
            show(early, ())
        with pytest.raises(WrongPhase):
            to_show(early)
    with pytest.raises(WrongPhase):
        to_show(deal)
    over = deal._replace(turn=None, points=(100, 62), tricks=(4, 4))
    with pytest.raises(WrongPhase):
        FOUR_PLAYERS["annonces@1"].score(over)
    assert deal.announcing is not None
    with pytest.raises(IllegalAction):
        show(deal._replace(announcing=deal.announcing._replace(declared=0b0101)), ())
    equal = show(deal, ())
    assert equal.announcing is not None
    assert equal.announcing.counted == (0, 0)


def test_what_one_seat_shows_stands_in_the_order_of_its_lowest_cards() -> None:
    """A run of the seven before a carré of jacks, although the carré is worth more."""
    rules = FOUR_PLAYERS["annonces@1"]
    own = [parse_card(text) for text in ("SJ", "HJ", "DJ", "CJ", "S7", "S8", "S9", "HA")]
    rest = [card for card in PACK if card not in own]
    pack = (*own[:3], *rest[:9], *own[3:5], *rest[9:15], own[7], *own[5:7], *rest[15:])
    deal = rules.apply(rules.start(pack, 0, rules.defaults), Bid.TAKE)
    deal = rules.apply(deal, Declare.DECLARE)
    for _ in range(4):
        deal = rules.apply(deal, rules.first_action(deal))
    deal = rules.apply_public(deal, rules.first_action(deal), rules.says(deal, rules.first_action(deal)))
    assert [(seat, one.value) for seat, one in to_show(deal)] == [(1, 20), (1, 200)]
