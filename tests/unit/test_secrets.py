"""What holds a secret never shows it: not printed, formatted, logged, in a traceback, pickled or copied."""

import base64
import copy
import json
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator

import pytest

from fairdeal.commit import Custody, Seed
from fairdeal.errors import FairdealError
from fairdeal.keys import SigningKey

SECRET = bytes(range(0xA0, 0xC0))
MATCH = "0f" * 16
HOLDERS: list[Callable[[], object]] = [
    lambda: Seed(SECRET),
    lambda: Seed.from_hex(SECRET.hex()),
    lambda: SigningKey.from_seed(SECRET),
    lambda: Custody(SECRET),
]

pytestmark = pytest.mark.parametrize("make", HOLDERS)


def check_silent(text: str) -> None:
    """No run of six bytes of the secret in any way it would be printed."""
    for start in range(len(SECRET) - 6):
        part = SECRET[start : start + 6]
        assert part.hex() not in text.lower()
        assert repr(part)[2:-1] not in text
        assert base64.b64encode(part).decode() not in text
        assert ", ".join(map(str, part)) not in text


def spellings(holder: object) -> Iterator[str]:
    yield repr(holder)
    yield str(holder)
    yield f"{holder} {holder!r} {holder!s} {holder:}"
    yield "{} {!r}".format(holder, holder)  # noqa: UP032
    yield "%s %r" % (holder, holder)  # noqa: UP031
    yield repr([holder, {"seed": holder}])
    yield repr(dir(holder))


def test_printed(make: Callable[[], object]) -> None:
    holder = make()
    for text in spellings(holder):
        check_silent(text)
    assert repr(holder) == f"<{type(holder).__name__} redacted>"
    assert not hasattr(holder, "__dict__")


def test_logged(make: Callable[[], object], caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("test").error("holding %s %r", make(), {"it": make()})
    assert "redacted" in caplog.text
    check_silent(caplog.text)


def test_in_a_traceback_with_locals(make: Callable[[], object]) -> None:
    def fails(held: object) -> None:
        raise RuntimeError(f"while holding {held}")

    try:
        fails(make())
    except RuntimeError as error:
        report = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "held = <" in report
    check_silent(report)


def test_written_out(make: Callable[[], object]) -> None:
    holder = make()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="not to be written out"):
            pickle.dumps(holder, protocol)
    for duplicate in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not to be written out"):
            duplicate(holder)
    with pytest.raises(TypeError):
        json.dumps(holder)


def test_in_an_error_of_ours(make: Callable[[], object]) -> None:
    holder = make()
    failing: list[Callable[[], object]] = [
        lambda: Seed(SECRET + b"\0"),
        lambda: Seed.from_hex(SECRET.hex().upper()),
        lambda: SigningKey.from_seed(SECRET[:-1]),
        lambda: Custody(SECRET[:-1]),
    ]
    if isinstance(holder, Custody):
        sealed = holder.seal(Seed(SECRET), MATCH, bytes(12))
        failing.append(lambda: holder.open(sealed, "0e" * 16))
    for call in failing:
        with pytest.raises(FairdealError) as caught:
            call()
        check_silent(f"{caught.value} {caught.value!r} {caught.value.details}")
