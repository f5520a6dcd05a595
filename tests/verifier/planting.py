"""Faults to plant in a sound match: each changes it and returns the place where a verifier must see it."""

from collections.abc import Callable
from typing import Any

from fairdeal_verifier import verify
from fairdeal_verifier.cards import CARD_NAMES
from tests.verifier.builder import Match
from tests.verifier.reports import Told, told

Change = Callable[[Match], int | None]
"""Plants a fault in a match and returns the place where it must be seen."""


def found(match: Match, held: int | None = None, **changed: Any) -> Told:
    bundle = changed["bundle"] if "bundle" in changed else match.bundle(changed.get("head"))
    return told(verify(bundle, match.policy(), None if held is None else match.held_file(held)))


def number(match: Match) -> None:
    for n, event in enumerate(match.events):
        event["n"] = n


def at(kind: str, skip: int = 0, **data: Any) -> Change:
    """Overwrites members of an event's data."""

    def change(match: Match) -> int:
        place = match.find(kind, skip)
        match.events[place]["data"].update(data)
        return place

    return change


def more(kind: str, member: str, by: int = 1, skip: int = 0) -> Change:
    """Adds to an integer member, or to the first of a list of them."""

    def change(match: Match) -> int:
        place = match.find(kind, skip)
        data = match.events[place]["data"]
        if isinstance(data[member], list):
            data[member][0] += by
        else:
            data[member] += by
        return place

    return change


def replaced(kind: str, data: dict[str, Any]) -> Change:
    """Gives an event another data altogether."""

    def change(match: Match) -> int:
        place = match.find(kind)
        match.events[place]["data"] = data
        return place

    return change


def time(kind: str, by: int, skip: int = 0) -> Change:
    """Moves the time of an event."""

    def change(match: Match) -> int:
        place = match.find(kind, skip)
        match.events[place]["t"] += by
        return place

    return change


def insert(kind: str, by: int, data: dict[str, Any], before: Callable[[Match], int]) -> Change:
    def change(match: Match) -> int:
        place = before(match)
        t = match.events[max(place - 1, 0)]["t"]
        match.events.insert(place, {"by": by, "data": data, "n": 0, "t": t, "type": kind})
        number(match)
        return place

    return change


def drop(kind: str, skip: int = 0) -> Change:
    def change(match: Match) -> int:
        place = match.find(kind, skip)
        del match.events[place]
        number(match)
        return place

    return change


def before(kind: str, skip: int = 0) -> Callable[[Match], int]:
    return lambda match: match.find(kind, skip)


def the_end(match: Match) -> int:
    return len(match.events)


def signed(do: dict[str, Any]) -> dict[str, Any]:
    return {"do": do, "root": "00" * 32, "sig": "00" * 64}


def act(change: Callable[[dict[str, Any]], None], wanted: Callable[[dict[str, Any]], bool]) -> Change:
    """Changes the first act whose data is wanted."""

    def apply(match: Match) -> int:
        for place, event in enumerate(match.events):
            if event["type"] == "act" and wanted(event["data"]):
                change(event)
                return place
        raise AssertionError("no such act")

    return apply


def speaks(word: str | None) -> Callable[[dict[str, Any]], bool]:
    return lambda data: "card" in data["do"] and data.get("says") == word


def play_illegally(strict: bool) -> Change:
    """A card that is not in the hand; or, in the last seven tricks, one in the hand that may not be played."""

    def change(match: Match) -> int:
        views = {line["view"]["size"]: line["view"] for lines in match.held for line in lines if line["view"]["legal"]}
        for place, event in enumerate(match.events):
            view = views.get(place)
            if event["type"] != "act" or view is None or "card" not in view["legal"][0]:
                continue
            allowed = [do["card"] for do in view["legal"]]
            outside = view["hand"] if strict else CARD_NAMES
            wrong = [card for card in outside if card not in allowed and (strict or card not in view["hand"])]
            if wrong:
                event["data"]["do"] = {"card": wrong[0]}
                event["data"].pop("says", None)
                return place
        raise AssertionError("no such place")

    return change


def again(which: int, place: int) -> Change:
    """Writes an event a second time."""

    def change(match: Match) -> int:
        match.events.insert(place, match.copy().events[which])
        number(match)
        return place

    return change


def late(kind: str, skip: int = 0) -> Change:
    """One ms after the deadline; what follows moves along."""

    def change(match: Match) -> int:
        place = match.find(kind, skip)
        pause = 4_000 if match.events[place - 1]["type"] == "deal" else 0
        moved = match.events[place - 1]["t"] + 30_000 + pause + 1 - match.events[place]["t"]
        for event in match.events[place:]:
            event["t"] += moved
        return place

    return change


def early(skip: int = 0) -> Change:
    """A timeout one ms before deadline and grace are over."""

    def change(match: Match) -> int:
        place = match.find("timeout", skip)
        pause = 4_000 if match.events[place - 1]["type"] == "deal" else 0
        match.events[place]["t"] = match.events[place - 1]["t"] + 30_000 + pause + 249
        return place

    return change


def flip(match: Match, kind: str, member: str, skip: int = 0) -> int:
    place = match.find(kind, skip)
    data = match.events[place]["data"]
    data[member] = 1 - (data[member] or 0)
    return place


def outage(match: Match, skip: int, span: int | None) -> int:
    place = match.find("resume", skip)
    event = match.events[place]
    start = event["data"]["from"]
    event["data"]["to"] = start + span if span is not None else event["t"] + 1
    return place


def pay(match: Match, line: int) -> int:
    place = match.find("settle")
    match.events[place]["data"]["lines"][line]["amount"] += 1
    return place
