"""Canonical JSON, profile cj1 (protocol section 1): what is hashed or signed has exactly one spelling.

RFC 8785's output form, narrowed: keys match `[a-z][a-z0-9_]{0,63}`, integers within ±(2^53−1), no floats, well-formed
Unicode, depth ≤ 32. The one rule for reading is *parse, encode again, the bytes must be equal*.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from fairdeal.errors import Malformed
from fairdeal.limits import MAX_DEPTH, MAX_JSON_BYTES, MAX_SAFE_INTEGER

Json: TypeAlias = None | bool | int | str | Sequence["Json"] | Mapping[str, "Json"]
"""What cj1 can say. Arrays are lists (or tuples when written), objects are dicts; nothing else is accepted."""

_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
# With keys confined to ASCII, code point order is RFC 8785's UTF-16 order, and this encoder's escapes are RFC 8785's.
_write = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False).encode


def encode(value: Json) -> bytes:
    """The one cj1 spelling of `value`. Raises Malformed for what cj1 cannot say."""
    _check(value, 0)
    try:
        return _write(value).encode()
    except UnicodeEncodeError:
        raise Malformed("lone surrogate in a string") from None


def decode(data: bytes, *, limit: int = MAX_JSON_BYTES) -> Json:
    """The value written by `data`, which must be its cj1 spelling and at most `limit` bytes. Raises Malformed."""
    if len(data) > limit:
        raise Malformed(f"over {limit} bytes")
    try:
        value: Json = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise Malformed("not UTF-8 JSON") from None
    if encode(value) != data:
        raise Malformed("not in canonical form")
    return value


def _check(value: object, depth: int) -> None:
    # By exact type: a bool is not an int here, and an enum or a subclass could write itself in its own way.
    if value is None or type(value) is str or type(value) is bool:
        return
    if type(value) is int:
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            raise Malformed("integer beyond 2^53−1")
        return
    if depth == MAX_DEPTH:
        raise Malformed(f"deeper than {MAX_DEPTH}")
    if type(value) is dict:
        for key, member in value.items():
            if type(key) is not str or not _KEY.fullmatch(key):
                raise Malformed("key outside [a-z][a-z0-9_]{0,63}")
            _check(member, depth + 1)
    elif type(value) is list or type(value) is tuple:
        for item in value:
            _check(item, depth + 1)
    else:
        raise Malformed(f"{type(value).__name__} has no canonical form")
