"""What C2SP's texts are made of: canonical base64, decimals without leading zeros, and hashes, one to a line."""

import re
from base64 import b64decode, b64encode

from fairdeal.errors import Malformed
from fairdeal.limits import HASH_BYTES, MAX_TREE_SIZE

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")


def encode_base64(raw: bytes) -> str:
    """Standard, padded base64 (RFC 4648 section 4)."""
    return b64encode(raw).decode()


def decode_base64(text: str) -> bytes:
    """The bytes of standard, padded base64 in its one canonical spelling. Raises Malformed."""
    try:
        raw = b64decode(text, validate=True)
    except ValueError:
        raise Malformed("not base64") from None
    if encode_base64(raw) != text:
        raise Malformed("base64 in a second spelling")
    return raw


def parse_size(text: str) -> int:
    """A tree's size or a leaf's index, 0 to 2^63 − 1, in ASCII digits. Raises Malformed."""
    if not _DECIMAL.fullmatch(text) or int(text) > MAX_TREE_SIZE:
        raise Malformed("not a decimal from 0 to 2^63 − 1 without leading zeros")
    return int(text)


def parse_hash(text: str) -> bytes:
    """The 32 bytes that one base64 line holds. Raises Malformed."""
    raw = decode_base64(text)
    if len(raw) != HASH_BYTES:
        raise Malformed(f"a hash is {HASH_BYTES} bytes")
    return raw
