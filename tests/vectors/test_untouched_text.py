"""Text is taken as it is or refused: never trimmed, never normalised. Both programs, the same cases."""

import unicodedata
from collections.abc import Callable

import pytest

from fairdeal import canonical
from fairdeal.errors import Malformed
from fairdeal.ids import parse_hex
from fairdeal_verifier import canonical as verifier
from fairdeal_verifier.errors import NotCanonical

#: What Python's `strip` or JavaScript's `trim` takes away: U+001C to U+001F and U+0085 only the first, U+FEFF only the
#: second.
TRIMMED = [chr(code) for code in range(0x110000) if chr(code).isspace()] + ["\ufeff"]

#: Letters that a normalisation would join, part or exchange.
SPELLINGS = [
    "\u00e9",
    "e\u0301",
    "\u212b",
    "\u00c5",
    "\ufb01",
    "fi",
    "\u1e9b\u0323",
    "\uac00",
    "\u1100\u1161",
    "\u0958",
]

Decode = Callable[[bytes], object]
Encode = Callable[..., bytes]

PROGRAMS = pytest.mark.parametrize(
    ("decode", "encode", "refusal"),
    [(canonical.decode, canonical.encode, Malformed), (verifier.decode, verifier.encode, NotCanonical)],
    ids=["fairdeal", "verifier"],
)


def test_the_cases_are_what_they_say() -> None:
    assert {"\x1c", "\x85", "\ufeff", " ", "\u2028", "\u3000"} <= set(TRIMMED)
    forms = ("NFC", "NFD", "NFKC", "NFKD")
    assert all(any(unicodedata.normalize(form, text) != text for form in forms) for text in SPELLINGS if text != "fi")


@PROGRAMS
def test_nothing_around_a_text_is_overlooked(decode: Decode, encode: Encode, refusal: type[Exception]) -> None:
    for text in (b'{"a":1}', b'"a"', b"[]", b"1"):
        assert encode(decode(text)) == text
        for space in TRIMMED:
            for around in (space.encode() + text, text + space.encode()):
                with pytest.raises(refusal):
                    decode(around)


@PROGRAMS
def test_nothing_inside_a_string_is_changed(decode: Decode, encode: Encode, refusal: type[Exception]) -> None:
    for text in [*SPELLINGS, *(f"{space}a{space}" for space in TRIMMED)]:
        assert decode(encode({"a": text})) == {"a": text}
    assert len({encode(text) for text in SPELLINGS}) == len(SPELLINGS)


def test_nothing_around_hex_digits_is_overlooked() -> None:
    digits = "0123456789abcdef" * 4
    assert parse_hex(digits, 32).hex() == digits
    for space in TRIMMED:
        for text in (space + digits, digits + space, space + digits[1:], digits[:-1] + space):
            with pytest.raises(Malformed):
                parse_hex(text, 32)
