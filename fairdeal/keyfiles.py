"""The operator's key files: hex digits and LF, in a directory outside the database, readable by their owner alone.

`<name>.key` is the key in use. Replaced, it stays beside as `<name>-<fingerprint>.key`: what it sealed or signed is
still asked for.
"""

import os
from pathlib import Path
from typing import Final

from fairdeal.errors import KeyRefused, Malformed
from fairdeal.ids import parse_hex

LOG_KEY: Final = "log.key"
"""Signs the checkpoints of the log of all matches (Ed25519)."""
RECEIPTS_KEY: Final = "receipts.key"
"""Signs receipts and views (Ed25519)."""
SEALING_KEY: Final = "sealing.key"
"""Seals the server seeds of live matches (AES-256)."""
WITNESS_KEY: Final = "witness.key"
"""A witness's own: cosigns the checkpoints of other people's logs (Ed25519)."""


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


def read_keys(path: Path, byte_count: int) -> tuple[bytes, ...]:
    """The key in that file, then those that it replaced, the last one written first; none twice. Raises KeyRefused."""
    retired = path.parent.glob(f"{path.stem}-*{path.suffix}")
    newest_first = sorted(retired, key=lambda old: (-old.stat().st_mtime_ns, old.name))
    return tuple(dict.fromkeys(read_key(one, byte_count) for one in (path, *newest_first)))


def write_key(path: Path, key: bytes) -> None:
    """Makes the file, whole or not at all, and the directory if need be.

    Raises FileExistsError rather than replace a key.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    written = _write_aside(path, key)
    try:
        os.link(written, path)
    finally:
        written.unlink()
    _keep_names(path.parent)


def replace_key(path: Path, key: bytes, fingerprint: str) -> Path:
    """Puts a key in the place of the one in the file, which stays as the file returned, named by its `fingerprint`.

    At every moment there is a whole key in use. After a crash on the way that is still the old one, which may stand
    under both names already; doing it again is all there is to do. Raises FileExistsError when another key has the
    name of the retired one.
    """
    retired = path.with_name(f"{path.stem}-{fingerprint}{path.suffix}")
    written = _write_aside(path, key)
    try:
        if not (retired.exists() and retired.read_bytes() == path.read_bytes()):
            os.link(path, retired)
    except OSError:
        written.unlink()
        raise
    _keep_names(path.parent)  # the old key's second name is on disk before its first goes to the new one
    written.replace(path)
    _keep_names(path.parent)
    return retired


def _write_aside(path: Path, key: bytes) -> Path:
    """A file that becomes `path` later, on disk to its end; what a crash left of an earlier one goes."""
    aside = path.with_name(f".{path.name}.new")
    aside.unlink(missing_ok=True)
    with os.fdopen(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(key.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    return aside


def _keep_names(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
