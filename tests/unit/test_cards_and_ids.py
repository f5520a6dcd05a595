"""Text forms of cards and ids, both ways and strictly."""

import pytest

from fairdeal.cards import (
    PACK,
    format_card,
    format_card_fr,
    format_suit,
    parse_card,
    parse_card_fr,
    parse_suit,
    rank_of,
    suit_of,
)
from fairdeal.errors import Malformed
from fairdeal.ids import check_hex, match_id, parse_hex, pseudonym


def test_the_pack_in_canonical_order() -> None:
    wire = "S7 S8 S9 S10 SJ SQ SK SA H7 H8 H9 H10 HJ HQ HK HA D7 D8 D9 D10 DJ DQ DK DA C7 C8 C9 C10 CJ CQ CK CA"
    french = "7♠ 8♠ 9♠ 10♠ V♠ D♠ R♠ A♠ 7♥ 8♥ 9♥ 10♥ V♥ D♥ R♥ A♥ 7♦ 8♦ 9♦ 10♦ V♦ D♦ R♦ A♦ 7♣ 8♣ 9♣ 10♣ V♣ D♣ R♣ A♣"
    assert " ".join(map(format_card, PACK)) == wire
    assert " ".join(map(format_card_fr, PACK)) == french
    assert [parse_card(text) for text in wire.split()] == list(range(32))
    assert [parse_card_fr(text) for text in french.split()] == list(range(32))
    assert all(card == 8 * suit_of(card) + rank_of(card) for card in PACK)
    assert [parse_suit(format_suit(suit)) for suit in range(4)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "text", ["", "S", "s7", "S07", "S1", " S7", "S7 ", "7S", "SV", "10", "V♥", "ST", None, 3, ["S7"]]
)
def test_no_other_text_is_a_card(text: object) -> None:
    with pytest.raises(Malformed):
        parse_card(text)


@pytest.mark.parametrize("text", ["", "♥V", "J♥", "v♥", "V♥\ufe0f", "V♡", "10", "S10", None])
def test_no_other_text_is_a_french_card(text: object) -> None:
    with pytest.raises(Malformed):
        parse_card_fr(text)


@pytest.mark.parametrize("text", ["", "s", "SS", "♠", None, 0])
def test_no_other_text_is_a_suit(text: object) -> None:
    with pytest.raises(Malformed):
        parse_suit(text)


def test_ids_are_hex_of_sixteen_bytes() -> None:
    assert match_id(bytes(range(16))) == pseudonym(bytes(range(16))) == "000102030405060708090a0b0c0d0e0f"
    for length in (0, 15, 17, 32):
        with pytest.raises(Malformed):
            match_id(bytes(length))
        with pytest.raises(Malformed):
            pseudonym(bytes(length))


def test_hex_has_one_spelling() -> None:
    assert parse_hex("00ff", 2) == b"\x00\xff"
    check_hex("00ff", 2)
    for text in ("00FF", "00f", "00fff", "0x00", "00 f", "00ff\n", "٠٠٠٠", "00fg", "", None, 5, b"00ff"):
        with pytest.raises(Malformed):
            check_hex(text, 2)
