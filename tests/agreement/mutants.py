"""Every small lie about a transcript: one scalar changed, one member or event added, left out, repeated or moved.

A mutant is a whole list of events; nothing here signs or judges. `every` gives all of them, `some` a sample.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from fairdeal.belote import RULESETS, VALUES, Bid, Double, Outcome, Scoring
from fairdeal.cards import SUITS, format_card
from fairdeal.limits import MAX_SAFE_INTEGER

EventDict = dict[str, Any]
Path = tuple[str | int, ...]

TIMES: Final = ("t", "from", "to")
_HEX: Final = re.compile(r"[0-9a-f]{32,}").fullmatch
_CARDS: Final = tuple(format_card(number) for number in range(32))
_ALLOWED: Final[dict[str, tuple[str, ...]]] = {
    "type": (
        "open", "join", "seed", "deal", "act", "show", "timeout", "resume", "score", "end", "reveal", "settle",
    ),
    "reason": ("target", "overruns", "resigned", "seed", "cancelled", "void"),
    "cause": ("deal_limit", "operator"),
    "outcome": tuple(outcome.value for outcome in Outcome),
    "says": ("belote", "rebelote"),
    "bid": tuple(word.value for word in (*Bid, *Double)),
    "suit": SUITS,
    "scoring": tuple(scoring.value for scoring in Scoring),
    "card": _CARDS,
    "cards": _CARDS,
    "turned": _CARDS,
    "tax_base": ("pot", "commission"),
    "account": ("pot", "seat:0", "seat:1", "seat:2", "seat:3", "commission", "tax"),
}  # fmt: skip
"""Every value of the members whose values are words."""
_NUMBERS: Final[dict[str, tuple[int, ...]]] = {
    "by": (-1, 2, 3, 4),
    **dict.fromkeys(("taker", "belote", "winner", "dealer", "seat"), (-1, 2, 3, 4)),
    "double": (2, 4),
    "target": (501, 1001, 2001),
    "value": VALUES,
}
"""Values that could stand there, besides a member's neighbours."""
_ACTIONS: Final = (
    {"resign": True}, {"declare": True}, {"card": "S7"}, {"bid": "pass"}, {"bid": "coinche"},
    {"bid": {"suit": "H", "value": 100}},
)  # fmt: skip
_ABSENT: Final[dict[str, dict[str, Any]]] = {
    "end": {"cause": "operator"},
    "deal": {"turned": "S7"},
    "score": {"announcements": [0, 0], "contract": None, "pot": 0},
}
"""Members that an event of one game or kind has and another has not."""
_CONTRACT: Final = {"double": 1, "seat": 0, "suit": "S", "value": 80}
_CARDS_TRIED: Final = 3


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed transcript: what was done, the index of the first event that differs, where in it, and the outcome.

    `n` counts from 0 in all events, unless `n` is what was changed.
    """

    what: str
    place: int
    path: Path
    events: tuple[EventDict, ...]

    def __str__(self) -> str:
        return f"{self.what} {self.place} {'.'.join(map(str, self.path))}"


def every(events: tuple[EventDict, ...], rng: random.Random, places: Sequence[int] | None = None) -> Iterator[Mutant]:
    """All mutants of a transcript, or those at some places; `rng` chooses where one of many values must do."""
    for place in range(len(events)) if places is None else places:
        yield from _changes(events, place, rng)
        yield from _moves(events, place, rng)


def some(events: tuple[EventDict, ...], rng: random.Random, count: int) -> Iterator[Mutant]:
    """That many of them, all kinds at all places alike."""
    for _ in range(count):
        place = rng.randrange(len(events))
        family = rng.choice((_changes, _moves))
        yield rng.choice(list(family(events, place, rng)))


def _at(event: EventDict, path: Path) -> Any:
    value: Any = event
    for step in path:
        value = value[step]
    return value


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every member and element, the outer ones first."""
    steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        yield (*path, step)
        yield from _paths(value[step], (*path, step))


def _changes(events: tuple[EventDict, ...], place: int, rng: random.Random) -> Iterator[Mutant]:
    """Inside one event."""

    def edited(what: str, path: Path, edit: Callable[[Any], None]) -> Mutant:
        event = deepcopy(events[place])
        edit(_at(event, path[:-1]))
        return Mutant(what, place, path, (*events[:place], event, *events[place + 1 :]))

    def put(what: str, path: Path, new: Any) -> Mutant:
        return edited(what, path, lambda parent: parent.__setitem__(path[-1], new))

    for path in list(_paths(events[place])):
        old = _at(events[place], path)
        if isinstance(path[-1], str):
            yield edited("remove", path, lambda parent, name=path[-1]: parent.pop(name))
        if isinstance(old, dict):
            yield put("add", (*path, "unknown"), 0)
        elif isinstance(old, list):
            for new in _lists(old):
                yield put("list", path, new)
        else:
            for new in _scalars(path, old, events, rng):
                yield put("change", path, new)
    yield put("add", ("unknown",), None)
    for name, new in _optional(events[place]):
        yield put("change" if name in events[place]["data"] else "add", ("data", name), new)


def _optional(event: EventDict) -> Iterator[tuple[str, Any]]:
    """Members that could be there, and whole other actions."""
    kind, data = event["type"], event["data"]
    if kind in ("act", "timeout"):
        yield from (("do", do) for do in _ACTIONS if do != data.get("do"))
        yield from (("says", word) for word in _ALLOWED["says"] if "says" not in data)
    if "contract" in data:
        yield "contract", _CONTRACT if data["contract"] is None else None
    yield from ((name, value) for name, value in _ABSENT.get(kind, {}).items() if name not in data)


def _lists(old: list[Any]) -> Iterator[list[Any]]:
    yield []
    yield [*old, *old[-1:]]
    yield old[1:]
    yield old[:-1]
    yield old[::-1]


def _scalars(path: Path, old: Any, events: tuple[EventDict, ...], rng: random.Random) -> Iterator[Any]:
    """Other values for one scalar, each different from the old one."""
    tried: list[Any] = []
    for new in _others(path, old, events, rng):
        # True equals 1 in Python, not in JSON.
        if json.dumps(new) not in tried and json.dumps(new) != json.dumps(old):
            tried.append(json.dumps(new))
            yield new


def _others(path: Path, old: Any, events: tuple[EventDict, ...], rng: random.Random) -> Iterator[Any]:
    # An element is of the kind that its list is called after.
    name = str(path[-2] if isinstance(path[-1], int) else path[-1])
    if old is None:
        yield from (0, 1, False, "")
    elif isinstance(old, bool):
        yield from (not old, int(old), None)
    elif isinstance(old, int):
        numbers = [old + 1, old - 1, 0, 1, MAX_SAFE_INTEGER]
        numbers += (old + 997, old - 997) if name in TIMES else ()
        numbers += _NUMBERS.get(name, ())
        yield from (number for number in numbers if abs(number) <= MAX_SAFE_INTEGER)
        yield from (None,) if name in _NUMBERS else ()
    elif old in RULESETS:
        yield from (*RULESETS, "duel@2", "")
    elif name in _ALLOWED:
        yield from rng.sample(_CARDS, _CARDS_TRIED) if _ALLOWED[name] is _CARDS else _ALLOWED[name]
        yield ""
    elif _HEX(old):
        at = rng.randrange(len(old))
        yield old[:at] + rng.choice("0123456789abcdef") + old[at + 1 :]
        yield "0" * len(old)
        yield old.upper()
        yield old[:-1]
        same_kind = [value for event in events for path in _paths(event) if _same_kind(value := _at(event, path), old)]
        yield rng.choice(same_kind)
    else:
        yield from (old + "x", old[:-1], "")


def _same_kind(value: Any, old: str) -> bool:
    return isinstance(value, str) and len(value) == len(old) and _HEX(value) is not None


def _moves(events: tuple[EventDict, ...], place: int, rng: random.Random) -> Iterator[Mutant]:
    """Of whole events, from `place` on."""

    def moved(what: str, *middle: EventDict, skip: int) -> Mutant:
        new = _numbered((*events[:place], *middle, *events[place + skip :]))
        # A copy of the event that stands here changes nothing here.
        same = next((n for n, pair in enumerate(zip(new, events, strict=False)) if pair[0] != pair[1]), len(events))
        return Mutant(what, min(same, len(new)), (), new)

    event = events[place]
    yield moved("delete", skip=1)
    yield Mutant("cut", place, (), events[:place])
    if place + 1 < len(events):
        other = events[place + 1]
        yield moved("swap", other, event, skip=2)
        yield moved("swap in time", other | {"t": event["t"]}, event | {"t": other["t"]}, skip=2)
    if place == 0:
        return
    before = events[place - 1]
    yield moved("duplicate", before, skip=0)
    for copied in rng.sample(events, min(2, len(events))):
        yield moved("insert", copied | {"t": before["t"]}, skip=0)
    for made in _made_up(events[:place]):
        yield moved(f"insert {made['type']}", made, skip=0)


def _numbered(events: tuple[EventDict, ...]) -> tuple[EventDict, ...]:
    return tuple(event if event["n"] == n else event | {"n": n} for n, event in enumerate(events))


def _made_up(before: tuple[EventDict, ...]) -> Iterator[EventDict]:
    """Events that an operator might wish for after these, as plausible as can be."""
    now, clock = before[-1]["t"], before[0]["data"]["clock"]
    late = now + clock["decision_ms"] + clock["pause_ms"] + clock["grace_ms"]
    overruns = [event["data"]["seat"] for event in before if event["type"] == "timeout" and "seat" in event["data"]]
    totals = next((event["data"]["totals"] for event in before[::-1] if event["type"] == "score"), [0, 0])
    resumed = [event["data"]["to"] for event in before if event["type"] == "resume"]
    start = resumed[-1] if resumed else 0

    def event(t: int, kind: str, **data: Any) -> EventDict:
        return {"by": -1, "data": data, "n": 0, "t": t, "type": kind}

    outage = {"from": start, "to": start + clock["outage_ms"] + 1}
    yield event(now, "resume", **outage)
    seeded = {event["by"] for event in before if event["type"] == "seed"}
    seats = range(before[0]["data"]["seats"])
    if missing := [seat for seat in seats if seat not in seeded]:
        yield event(late, "timeout", missing=missing)
    else:
        for seat in seats:
            yield event(late, "timeout", do={"bid": "pass"}, overrun=overruns.count(seat) + 1, seat=seat)
        if before[0]["data"]["ruleset"]["id"] == "annonces@1":
            declared = {"do": {"declare": True}, "root": "0" * 64, "sig": "0" * 128}
            yield from (event(now, "act", **declared) | {"by": seat} for seat in seats)
            yield event(now, "show", announcements=[])
    yield event(now, "end", reason="cancelled", totals=totals, winner=None)
    yield event(now, "end", cause="operator", reason="void", totals=totals, winner=None)


def respelt(line: bytes) -> Iterator[bytes]:
    """The same value in spellings that are not the canonical one, and texts that are not one value."""
    value = json.loads(line)
    text = line.decode()
    yield json.dumps(value, ensure_ascii=False).encode()
    yield json.dumps(dict(reversed(value.items())), ensure_ascii=False, separators=(",", ":")).encode()
    yield json.dumps(value, indent=1).encode()
    for changed in (
        text.replace(":", ": ", 1),
        text + " ",
        "\ufeff" + text,
        text + "\r",
        text + "\n",
        text + text,
        text[:-1],
        "",
        re.sub(r":(\d+)", r":\1.0", text, count=1),
        re.sub(r":(\d+)", r":0\1", text, count=1),
        re.sub(r":(\d+)", r":\1e0", text, count=1),
        re.sub(r'("[a-z]+":)', r"\1null,\1", text, count=1),
        re.sub(r'"([a-z])', lambda match: f'"\\u{ord(match[1]):04x}', text, count=1),
    ):
        # A header has no number to spell in another way.
        if changed != text:
            yield changed.encode()
