"""Whatever the bytes, there is a verdict; and a file that differs in one byte is never called verified."""

import json
import random

import pytest

from fairdeal_verifier import WrongUsage, canonical, verify
from fairdeal_verifier.report import Report
from tests.verifier.builder import ENDINGS, Match

SMALL = {"cancelled": 4, "resigned": 3, "seed": 1}
HOSTILE = (b"", b"\n", b"\0", b"{", b"{}\n", b"[]\n" * 100, b"null\n", b"\xff\xfe\n", b'"' + b"[" * 9_000 + b"\n")


def check(match: Match, bundle: bytes) -> Report:
    report = verify(bundle, match.policy(), match.held_file())
    assert report.verdict != "verified"
    return report


@pytest.mark.parametrize("name", ["cancelled", "seed"])
def test_one_changed_byte(name: str) -> None:
    """Each place once, with a bit flipped or a byte drawn. It accuses nobody."""
    match = ENDINGS[name](SMALL[name])
    good, chooser = match.bundle(), random.Random(name)
    verdicts = set()
    for place in range(len(good)):
        other = good[place] ^ 1 << chooser.randrange(8) if place % 2 else chooser.randrange(256)
        if other != good[place]:
            changed = good[:place] + bytes([other]) + good[place + 1 :]
            verdicts.add(check(match, changed).verdict)
    assert verdicts == {"altered", "malformed"}


@pytest.mark.soak
@pytest.mark.parametrize("name", SMALL)
def test_each_changed_bit(name: str) -> None:
    match = ENDINGS[name](SMALL[name])
    good = match.bundle()
    for place in range(len(good)):
        for bit in range(8):
            changed = good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :]
            assert check(match, changed).verdict in ("altered", "malformed")


@pytest.mark.parametrize("name", SMALL)
def test_truncated_at_each_byte(name: str) -> None:
    match = ENDINGS[name](SMALL[name])
    good = match.bundle()
    for size in (*range(0, len(good), 7), *(len(good) - cut for cut in range(1, 200))):
        assert check(match, good[:size]).verdict in ("altered", "malformed")


def test_lines_in_another_order_or_twice() -> None:
    match = ENDINGS["resigned"](9)
    lines = match.bundle().splitlines(keepends=True)
    for place in range(len(lines)):
        assert check(match, b"".join(lines[:place] + lines[place + 1 :])).verdict in ("altered", "malformed")
        assert check(match, b"".join(lines[: place + 1] + lines[place:])).verdict == "malformed"


@pytest.mark.parametrize("bundle", HOSTILE)
def test_no_bundle_at_all(bundle: bytes) -> None:
    report = check(ENDINGS["resigned"](1), bundle)
    assert (report.verdict, report.step, report.m, report.ending) == ("malformed", 0, None, None)


@pytest.mark.parametrize("held", HOSTILE)
def test_no_held_file_at_all(held: bytes) -> None:
    match = ENDINGS["resigned"](1)
    with pytest.raises(WrongUsage):
        verify(match.bundle(), match.policy(), held)


def test_a_held_file_with_one_changed_byte() -> None:
    """Malformed, foreign, or not what was signed; a changed key no longer anchors. It accuses nobody."""
    match, chooser = ENDINGS["seed"](1), random.Random(1)
    bundle, policy, good = match.bundle(), match.policy(), match.held_file()
    told = set()
    for place in (*range(1_000), *range(1_000, len(good), 3)):
        other = bytes([good[place] ^ 1 << chooser.randrange(7)])
        try:
            told.add(verify(bundle, policy, good[:place] + other + good[place + 1 :]).cause)
        except WrongUsage:
            told.add("wrong usage")
    assert told == {"wrong usage", "held_signature", "no_anchor"}


def test_every_value_replaced_by_a_value_of_another_kind() -> None:
    """Under a head and signatures made anew: some verdict always, `verified` never."""
    match = ENDINGS["resigned"](0)
    odd: tuple[object, ...] = (None, True, -1, 2**53 - 1, "é" * 40, [[]], {"a": 0})
    for n, event in enumerate(match.events):
        text = canonical.encode(event)
        for path in paths(event):
            for value in odd:
                changed = match.copy()
                changed.events[n] = replaced(json.loads(text), path, value)
                if canonical.encode(changed.events[n]) != text:
                    assert check(changed, changed.bundle()).verdict in ("malformed", "cheated", "altered")


def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, one in inner for found in paths(one, (*path, key)))]


def replaced(event: object, path: tuple[str | int, ...], value: object) -> dict[str, object]:
    """The event with the value at a path replaced, the whole event for the empty path."""
    holder = {"event": event}
    place: object = holder
    keys = ("event", *path)
    for key in keys[:-1]:
        place = place[key]  # type: ignore[index]
    place[keys[-1]] = value  # type: ignore[index]
    return holder["event"]  # type: ignore[return-value]
