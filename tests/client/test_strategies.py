"""What the demo's strategy does at a table of four, decision by decision."""

import pytest

from fairdeal.belote import Action, Bid, ContractBid, Deal, Declare, Double, Play, card_set, find_ruleset
from fairdeal.cards import PACK, parse_card
from fairdeal.client import Turn, prefer_winning_tricks

COINCHE, ANNONCES = find_ruleset("coinche@1"), find_ruleset("annonces@1")
STRONG = "SJ S9 SA S10 H7 HA D7 C8"
WEAK = "S7 S8 HQ H7 D8 D7 C8 C7"
SPADES, HEARTS = 0, 1


def choice(hand: str, *words: Action) -> Action:
    """What the seat on turn does with this hand after these words of a coinche; seat 0 speaks first."""
    deal = COINCHE.start(PACK, 3, COINCHE.defaults)
    for word in words:
        deal = COINCHE.apply(deal, word)
    return decided(deal, hand)


def decided(deal: Deal, hand: str) -> Action:
    rules = ANNONCES if deal.announcing is not None else COINCHE
    cards = tuple(sorted(map(parse_card, hand.split())))
    assert deal.turn is not None
    mine = deal._replace(hands=tuple(card_set(cards) if seat == deal.turn else 0 for seat in range(4)))
    return prefer_winning_tricks(Turn(deal.turn, deal._replace(hands=None), cards, rules.actions(mine)))


@pytest.mark.parametrize(
    ("hand", "words", "done"),
    [
        (WEAK, (), Bid.PASS),
        (STRONG, (), ContractBid(80, SPADES)),
        (STRONG, (ContractBid(80, HEARTS),), ContractBid(90, SPADES)),
        (STRONG, (ContractBid(180, HEARTS),), Bid.PASS),
        (STRONG, (ContractBid(80, HEARTS), Bid.PASS), Bid.PASS),
        (STRONG, (ContractBid(80, SPADES),), Double.COINCHE),
        (STRONG, (ContractBid(80, SPADES), Double.COINCHE), Double.SURCOINCHE),
        (WEAK, (ContractBid(80, SPADES), Double.COINCHE), Bid.PASS),
    ],
)
def test_words_of_the_coinche(hand: str, words: tuple[Action, ...], done: Action) -> None:
    assert choice(hand, *words) == done


def trick(cards: str) -> Deal:
    """Spades are trump and these cards lie on the table; seat 0 leads."""
    deal = COINCHE.start_public(-1, 3, COINCHE.defaults)
    for word in (ContractBid(80, SPADES), Bid.PASS, Bid.PASS, Bid.PASS):
        deal = COINCHE.apply_public(deal, word, None)
    for card in cards.split():
        deal = COINCHE.apply_public(deal, Play(parse_card(card)), None)
    return deal


@pytest.mark.parametrize(
    ("table", "hand", "card"),
    [
        ("H7 HA H8", "H10 H9 S7", "H10"),  # the partner has it for sure
        ("HA H8", "H10 H9 S7", "H9"),  # the partner has it, for the time being
        ("H7 HK H8", "HA H9 D7", "HA"),  # it is the side's
        ("H7 H8 HK", "HA H9 S7", "HA"),  # the others have it
        ("", "HA H9 SJ", "SJ"),
    ],
)
def test_a_trick_of_the_partner(table: str, hand: str, card: str) -> None:
    assert decided(trick(table), hand) == Play(parse_card(card))


def test_announcements_are_declared() -> None:
    deal = ANNONCES.apply_public(ANNONCES.start_public(parse_card("S9"), 3, ANNONCES.defaults), Bid.TAKE, None)
    assert decided(deal, "S9 H7 H8 H9 D7 DA C8 CK") is Declare.DECLARE
    assert isinstance(decided(deal, "S9 H7 H8 H10 D7 DA C8 CK"), Play)
