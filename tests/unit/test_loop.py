"""A look that fails is told once and comes again; a loop that is stopped ends, also in the middle of a look."""

import logging
import threading
from collections.abc import Callable

import pytest

from fairdeal.app.loop import Loop

PATIENCE_S = 60
NEVER_S = 3_600.0

log = logging.getLogger("tests.loop")


def loop(look: Callable[[], None], seconds: float = 0.0) -> Loop:
    return Loop("looking", look, seconds, log, "it cannot go on")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The kinds of the failures that were logged."""
    assert {record.getMessage() for record in caplog.records} <= {"it cannot go on"}
    return [record.exc_info[0].__name__ for record in caplog.records if record.exc_info and record.exc_info[0]]


def test_of_a_row_of_failures_the_first_of_a_kind_is_told(caplog: pytest.LogCaptureFixture) -> None:
    failures = iter([KeyError, KeyError, None, KeyError, OSError, OSError, KeyError])

    def look() -> None:
        failure = next(failures)
        if failure is not None:
            raise failure

    failing = []
    one = loop(look)
    for _ in range(7):
        one.look()
        failing.append(one.failing)
    assert told(caplog) == ["KeyError", "KeyError", "OSError", "KeyError"]
    assert failing == [KeyError, KeyError, None, KeyError, OSError, OSError, KeyError]


def test_a_look_that_lasts_says_itself_that_it_goes_well(caplog: pytest.LogCaptureFixture) -> None:
    def look() -> None:
        one.failing = None
        raise KeyError

    one = loop(look)
    one.look()
    one.look()
    assert told(caplog) == ["KeyError"] * 2


def test_it_looks_again_after_a_failure_until_it_is_stopped(caplog: pytest.LogCaptureFixture) -> None:
    looks = threading.Semaphore(0)
    threads = set()

    def look() -> None:
        threads.add(threading.current_thread())
        looks.release()
        raise KeyError

    one = loop(look)
    one.start()
    for _ in range(3):
        assert looks.acquire(timeout=PATIENCE_S)
    one.stop()
    (thread,) = threads
    assert (thread.name, thread.daemon, thread.is_alive()) == ("looking", True, False)
    assert told(caplog) == ["KeyError"]


def test_it_is_stopped_while_it_waits() -> None:
    looked = threading.Event()
    one = loop(looked.set, NEVER_S)
    one.start()
    assert looked.wait(PATIENCE_S)
    one.stop()


def test_it_is_stopped_in_the_middle_of_a_look(caplog: pytest.LogCaptureFixture) -> None:
    begun, left, done = threading.Event(), threading.Event(), threading.Event()

    def look() -> None:
        one.pause(0.0)
        begun.set()
        try:
            one.pause(NEVER_S)
        finally:
            left.set()
        done.set()

    one = loop(look)
    one.start()
    assert begun.wait(PATIENCE_S)
    one.stop()
    assert left.is_set()
    assert not done.is_set()
    assert told(caplog) == []


def test_it_may_be_stopped_before_it_began_and_twice() -> None:
    one = loop(lambda: None)
    one.stop()
    one.stop()
