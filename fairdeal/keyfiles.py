"""The operator's key files: hex digits and LF, in a directory outside the database, readable by their owner alone."""

import os
from pathlib import Path
from typing import Final

from fairdeal.errors import KeyRefused, Malformed
from fairdeal.ids import parse_hex

RECEIPTS_KEY: Final = "receipts.key"
"""Signs receipts and views (Ed25519)."""
SEALING_KEY: Final = "sealing.key"
"""Seals the server seeds of live matches (AES-256)."""


def read_key(path: Path, byte_count: int) -> bytes:
    """The key in that file. Raises KeyRefused."""
    try:
        with path.open("rb") as file:
            mode, digits = os.fstat(file.fileno()).st_mode, file.read(2 * byte_count + 2)
    except OSError:
        raise KeyRefused(f"{path} cannot be read") from None
    if mode & 0o077:
        raise KeyRefused(f"{path} is open to others than its owner (chmod 600)")
    try:
        return parse_hex(digits.decode("ascii").removesuffix("\n"), byte_count)
    except (UnicodeDecodeError, Malformed):
        raise KeyRefused(f"{path} is not {2 * byte_count} hex digits") from None


def write_key(path: Path, key: bytes) -> None:
    """Makes the file, and the directory if need be. Raises FileExistsError rather than replace a key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(key.hex() + "\n")
