"""Key files: what is written is read, and nothing but that."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from fairdeal.errors import KeyRefused
from fairdeal.keyfiles import read_key, read_keys, replace_key, write_key

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


def written(path: Path, key: bytes, second: int) -> None:
    write_key(path, key)
    os.utime(path, (second, second))


def test_a_replaced_key_stays_beside(tmp_path: Path) -> None:
    path = tmp_path / "log.key"
    first, second, third = (bytes([number]) * 32 for number in range(3))
    written(path, first, 1)
    assert replace_key(path, second, "00001111") == tmp_path / "log-00001111.key"
    os.utime(path, (2, 2))
    replace_key(path, third, "aaaa0000")
    assert read_keys(path, 32) == (third, second, first)
    assert {one.name for one in tmp_path.iterdir()} == {"log.key", "log-aaaa0000.key", "log-00001111.key"}
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}


def test_another_names_retired_keys_are_not_ones_own(tmp_path: Path) -> None:
    write_key(tmp_path / "log.key", KEY)
    write_key(tmp_path / "logs-aaaa.key", bytes(32))
    write_key(tmp_path / "receipts-aaaa.key", bytes(32))
    assert read_keys(tmp_path / "log.key", 32) == (KEY,)


def test_a_retired_key_is_read_as_strictly(tmp_path: Path) -> None:
    write_key(tmp_path / "log.key", KEY)
    replace_key(tmp_path / "log.key", bytes(32), "aaaa").chmod(0o640)
    with pytest.raises(KeyRefused, match="chmod 600"):
        read_keys(tmp_path / "log.key", 32)


def test_there_is_nothing_to_replace(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replace_key(tmp_path / "log.key", KEY, "aaaa")
    assert list(tmp_path.iterdir()) == []


def test_a_retired_key_is_not_overwritten(tmp_path: Path) -> None:
    write_key(tmp_path / "log.key", KEY)
    write_key(tmp_path / "log-aaaa.key", bytes(32))
    with pytest.raises(FileExistsError):
        replace_key(tmp_path / "log.key", b"\1" * 32, "aaaa")
    assert read_keys(tmp_path / "log.key", 32) == (KEY, bytes(32))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("step", range(12))
def test_after_a_crash_at_any_step_a_whole_key_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Every call that changes the disk, made to fail in turn: the process is gone at that moment."""
    path = tmp_path / "log.key"
    write_key(path, KEY)
    new, calls = bytes(32), 0

    class Gone(BaseException):
        pass

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls > step:
                raise Gone
            return real(*arguments, **named)

        return call

    with monkeypatch.context() as patched:
        for name in ("open", "fdopen", "fsync", "link", "unlink", "replace"):
            patched.setattr(os, name, counted(getattr(os, name)))
        for name in ("unlink", "replace"):
            patched.setattr(Path, name, counted(getattr(Path, name)))
        try:
            replace_key(path, new, "aaaa")
            done = True
        except Gone:
            done = False
    current, *retired = read_keys(path, 32)
    assert (current == KEY and not retired) or (current, *retired) == (new, KEY)
    if current == KEY:
        assert not done
        replace_key(path, b"\7" * 32, "aaaa")
        assert read_keys(path, 32) == (b"\7" * 32, KEY)
        assert {one.name for one in tmp_path.iterdir()} == {"log.key", "log-aaaa.key"}
