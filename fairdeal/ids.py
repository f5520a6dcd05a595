"""Identifiers: random bytes given by the caller, written as lowercase hex of one exact length; and names."""

import re
from typing import Final

from fairdeal.errors import Malformed
from fairdeal.limits import MATCH_ID_BYTES, PSEUDONYM_BYTES

ASSET_CODE: Final = "[A-Z][A-Z0-9]{0,11}"
FEES_ID: Final = "[a-z0-9][a-z0-9._-]{0,31}"
"""Patterns of the names that an operator gives (protocol section 2.2)."""

_HEX = re.compile(r"(?:[0-9a-f]{2})+")


def match_id(entropy: bytes) -> str:
    """A match's id `m` from 16 random bytes: 32 hex digits. Raises Malformed for another length."""
    return _written(entropy, MATCH_ID_BYTES)


def pseudonym(entropy: bytes) -> str:
    """A player's name inside one match from 16 random bytes: 32 hex digits. Raises Malformed for another length."""
    return _written(entropy, PSEUDONYM_BYTES)


def parse_hex(text: object, byte_count: int) -> bytes:
    """The bytes written by exactly 2·`byte_count` lowercase hex digits. Raises Malformed, never quoting the text."""
    if not isinstance(text, str) or len(text) != 2 * byte_count or not _HEX.fullmatch(text):
        raise Malformed(f"not {2 * byte_count} lowercase hex digits")
    return bytes.fromhex(text)


def check_hex(text: object, byte_count: int) -> None:
    """Raises Malformed unless `text` is exactly 2·`byte_count` lowercase hex digits."""
    parse_hex(text, byte_count)


def _written(entropy: bytes, byte_count: int) -> str:
    if len(entropy) != byte_count:
        raise Malformed(f"not {byte_count} bytes")
    return entropy.hex()
