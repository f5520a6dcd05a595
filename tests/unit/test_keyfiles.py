"""Key files: what is written is read, and nothing but that."""

import stat
from pathlib import Path

import pytest

from fairdeal.errors import KeyRefused
from fairdeal.keyfiles import read_key, write_key

KEY = bytes(range(32))


def test_what_is_written_is_read_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "a.key"
    write_key(path, KEY)
    assert read_key(path, len(KEY)) == KEY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0


def test_a_key_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    write_key(path, KEY)
    with pytest.raises(FileExistsError):
        write_key(path, bytes(32))
    assert read_key(path, len(KEY)) == KEY


@pytest.mark.parametrize("mode", [0o640, 0o620, 0o610, 0o604, 0o602, 0o601])
def test_a_key_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.key"
    write_key(path, KEY)
    path.chmod(mode)
    with pytest.raises(KeyRefused, match="chmod 600"):
        read_key(path, len(KEY))


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", KEY, KEY.hex().encode() + b"\r\n", KEY.hex().encode() + b"\n\n", KEY.hex().encode() + b"00\n",
     KEY.hex().upper().encode() + b"\n", KEY[1:].hex().encode() + b"\n", b" " + KEY.hex().encode(), b"\xff" * 64],
)  # fmt: skip
def test_anything_else_is_refused_without_repeating_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.key"
    path.touch(0o600)
    path.write_bytes(content)
    with pytest.raises(KeyRefused) as refused:
        read_key(path, len(KEY))
    assert KEY.hex()[:16] not in str(refused.value).lower()


def test_no_file_and_no_plain_file(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.key", tmp_path):
        with pytest.raises(KeyRefused):
            read_key(path, len(KEY))
