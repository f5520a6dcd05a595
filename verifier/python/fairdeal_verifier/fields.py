"""The members of a JSON object read one by one, each to its exact form (protocol 1.2, 2.1, 2.2)."""

import re
from collections.abc import Callable

from fairdeal_verifier.canonical import MAX_INTEGER, Json
from fairdeal_verifier.errors import SchemaRefused

_HEX32 = re.compile(r"[0-9a-f]{32}").fullmatch
_HEX64 = re.compile(r"[0-9a-f]{64}").fullmatch
_HEX128 = re.compile(r"[0-9a-f]{128}").fullmatch


def members(value: Json, *names: str) -> list[Json]:
    """The values of exactly these members; `names` in ascending order, as cj1 has them."""
    if type(value) is not dict or tuple(value) != names:
        raise SchemaRefused(f"not an object of {names}")
    return list(value.values())


def integer(value: Json, least: int = 0, most: int = MAX_INTEGER) -> int:
    """An integer (never a boolean) in a range."""
    if type(value) is not int or not least <= value <= most:
        raise SchemaRefused(f"not an integer in {least}…{most}")
    return value


def text(value: Json, pattern: Callable[[str], object]) -> str:
    """A string that matches a pattern whole."""
    if type(value) is not str or not pattern(value):
        raise SchemaRefused("not a string of the form asked for")
    return value


def choice(value: Json, *allowed: str) -> str:
    """One of some strings."""
    if type(value) is not str or value not in allowed:
        raise SchemaRefused(f"not one of {allowed}")
    return value


def hex32(value: Json) -> bytes:
    """32 bytes as 64 lowercase hex digits."""
    return bytes.fromhex(text(value, _HEX64))


def hex64(value: Json) -> bytes:
    """64 bytes as 128 lowercase hex digits."""
    return bytes.fromhex(text(value, _HEX128))


def hex16(value: Json) -> str:
    """16 bytes as 32 lowercase hex digits, kept as text."""
    return text(value, _HEX32)


def items(value: Json, least: int, most: int) -> list[Json]:
    """A list of a length in a range."""
    if type(value) is not list or not least <= len(value) <= most:
        raise SchemaRefused(f"not a list of {least}…{most}")
    return value
