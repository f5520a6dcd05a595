"""cj1 against the given texts, and against rfc8785 over random values."""

import base64
import json
from enum import IntEnum, StrEnum
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from fairdeal.canonical import Json, decode, encode
from fairdeal.errors import Malformed
from fairdeal.limits import MAX_DEPTH, MAX_JSON_BYTES, MAX_SAFE_INTEGER
from tests.conftest import VECTORS

GIVEN = json.loads((VECTORS / "tlog.json").read_text())["canonical_profile"]

keys = st.from_regex(r"[a-z][a-z0-9_]{0,63}", fullmatch=True)
integers = st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | integers | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=25,
)


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def test_canonical_text(canonical_text: tuple[str, bool]) -> None:
    text, accepted = canonical_text
    data = base64.b64decode(text)
    if accepted:
        assert encode(decode(data)) == data
    else:
        with pytest.raises(Malformed):
            decode(data)


def test_the_given_file_is_whole() -> None:
    assert (len(GIVEN["accept_b64"]), len(GIVEN["reject"])) == (17, 27)


@given(values)
@example({"ab": 1, "a_b": 2, "a": 3, "a1": 4})
@example(["\x00\x1f\x7f\u2028\ud7ff\ue000\uffff\U0010ffff", '"\\/\b\f\n\r\t'])
def test_what_is_written_is_rfc_8785_and_reads_back(value: Json) -> None:
    data = encode(value)
    assert data == rfc8785.dumps(value)  # type: ignore[arg-type]
    assert decode(data) == value


@given(values, st.data())
def test_no_other_text_reads_as_the_value(value: Json, data: st.DataObject) -> None:
    text = bytearray(encode(value))
    position = data.draw(st.integers(0, len(text)))
    change = data.draw(st.binary(max_size=2))
    removed = data.draw(st.integers(0, 2))
    text[position : position + removed] = change
    try:
        read = decode(bytes(text))
    except Malformed:
        return
    assert rfc8785.dumps(read) == bytes(text)  # type: ignore[arg-type]


@given(st.binary(max_size=40) | st.text(alphabet='[]{}",:0123456789.eE-+ \nabcul\\tr\ufeff').map(str.encode))
def test_only_our_own_error_leaves_the_parser(data: bytes) -> None:
    try:
        value = decode(data)
    except Malformed:
        return
    assert rfc8785.dumps(value) == data  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf{}",
        b'{"a":1,"a":1}',
        b'"\\ud83d\\ude00"',
        b'{"a" :1}',
        b"01",
        b"1E2",
        b"-Infinity",
        b"9" * 5000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"":1}',
        b'{"%s":1}' % (b"a" * 65),
        b'{"_a":1}',
        b'{"1a":1}',
    ],
    ids=lambda data: data[:12].decode("utf-8", "replace"),
)
def test_other_texts_are_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        decode(data)


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        float("nan"),
        b"bytes",
        {1: 2},
        {None: 1},
        {"A": 1},
        {"a\n": 1},
        {1, 2},
        pytest.param(object(), id="object"),
        2**53,
        -(2**53),
        "\ud800",
        "\udc00\ud800",
        IntEnum("Number", "ONE").ONE,  # type: ignore[attr-defined]
        StrEnum("Word", "ONE").ONE,  # type: ignore[attr-defined]
        [[1.5]],
    ],
    ids=repr,
)
def test_what_cj1_cannot_say_is_not_written(value: Any) -> None:
    with pytest.raises(Malformed):
        encode(value)


def test_true_is_not_one() -> None:
    assert encode([True, 1, False, 0]) == b"[true,1,false,0]"


def test_depth() -> None:
    assert decode(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    with pytest.raises(Malformed):
        decode(nested(MAX_DEPTH + 1))


def test_size_is_checked_first() -> None:
    longest = b'"' + b"a" * (MAX_JSON_BYTES - 2) + b'"'
    assert decode(longest) == "a" * (MAX_JSON_BYTES - 2)
    with pytest.raises(Malformed, match="over"):
        decode(b"\xff" * (MAX_JSON_BYTES + 1))
    assert decode(b"[1]", limit=3) == [1]
    with pytest.raises(Malformed, match="over 2 bytes"):
        decode(b"[1]", limit=2)
