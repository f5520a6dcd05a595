"""Canonical JSON, profile cj1 (protocol 1.1): parse, encode again, the bytes must be equal."""

import json
import re
from functools import lru_cache
from typing import NoReturn

from fairdeal_verifier.errors import NotCanonical

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON parser keeps exactly."""
MAX_DEPTH = 32
"""Protocol 1.1; far below what the parser's recursion bears."""
MAX_DIGITS = 16
"""Digits of MAX_INTEGER: longer numbers are refused before they are converted."""

# A transcript has a few dozen member names, many thousand times.
_KEY = lru_cache(256)(re.compile(r"[a-z][a-z0-9_]{0,63}").fullmatch)


def _refuse(text: str) -> NoReturn:
    raise NotCanonical(f"not an integer: {text[:20]}")


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS + 1:
        _refuse(text)
    value = int(text)
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        _refuse(text)
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    for key, _ in pairs:
        if not _KEY(key):
            raise NotCanonical(f"member name {key[:20]!r}")
    return dict(pairs)


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_refuse, parse_constant=_refuse, strict=True
)
_encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"))


def encode(value: Json) -> bytes:
    """The one spelling of a value that already keeps the limits of cj1."""
    return _encoder.encode(value).encode()


def decode(data: bytes) -> Json:
    """Parses one cj1 text whose size the caller has checked; raises NotCanonical."""
    try:
        text = data.decode()
        value: Json = _decoder.decode(text)
        same = _encoder.encode(value) == text
    except (ValueError, RecursionError) as error:
        raise NotCanonical(str(error)) from None
    if not same:
        raise NotCanonical("not the canonical spelling")
    # Counting brackets bounds the depth from above, and strings that hold brackets are rare.
    if text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth(value, MAX_DEPTH)
    return value


def _check_depth(value: Json, levels: int) -> None:
    if isinstance(value, dict | list):
        if levels == 0:
            raise NotCanonical(f"deeper than {MAX_DEPTH} levels")
        for inner in value.values() if isinstance(value, dict) else value:
            _check_depth(inner, levels - 1)
