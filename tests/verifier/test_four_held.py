"""Held files of four seats: a hand or actions that were shown and are not so, and what is read without the match."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairdeal_verifier import WrongUsage, canonical, verify
from fairdeal_verifier.actions import do_of
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.cards import DECLARE, PASS, RESIGN, TAKE
from tests.verifier.builder import Match, target
from tests.verifier.four_matches import plant
from tests.verifier.planting import found


def views(match: Match) -> Iterator[tuple[int, dict[str, Any]]]:
    return ((seat, line) for seat, lines in enumerate(match.held) for line in lines)


def test_shown_hands_and_actions_of_four_seats() -> None:
    """A declaration that is not offered, one that is offered too much, a partner's hand."""
    match = plant("annonces")
    bundle, policy = match.bundle(), match.policy()
    told = set()
    for seat, line in views(match):
        view, true = line["view"], json.loads(json.dumps(line["view"]))
        if not view["legal"]:
            continue
        if view["legal"][-1] == do_of(DECLARE):
            view["legal"].pop()
            kind = "kept back"
        else:
            view["legal"].append(do_of(DECLARE))
            kind = "offered"
        line["sig"] = match.sign_view(view)
        report = verify(bundle, policy, match.held_file(seat))
        assert (report.step, report.cause, report.broken_at) == (8, "shown_legal", view["size"] - 1)
        told.add(kind)
        line["view"] = true
        line["sig"] = match.sign_view(true)
    assert told == {"kept back", "offered"}
    seat, line = next((seat, line) for seat, line in views(match) if line["view"]["hand"])
    partner = next(other for other in match.held[seat ^ 2] if other["view"]["size"] == line["view"]["size"])
    line["view"]["hand"] = partner["view"]["hand"]
    line["sig"] = match.sign_view(line["view"])
    report = verify(bundle, policy, match.held_file(seat))
    assert (report.step, report.cause, report.broken_at) == (7, "shown_hand", line["view"]["size"] - 1)


def test_a_held_file_is_read_without_its_match() -> None:
    """Its seats and actions are those of any game; one of a seat that the match has not is foreign."""
    match, duel = plant("coinche"), target(3, target=50)
    line = next(line for line in match.held[3] if line["view"]["legal"])
    for odd in (do_of(RESIGN), do_of(TAKE), do_of(DECLARE)):
        true = line["view"]["legal"]
        line["view"]["legal"] = [*true, odd][-49:]
        line["sig"] = match.sign_view(line["view"])
        assert found(match, 3) == ("cheated", 8, "shown_legal", line["view"]["size"] - 1)
        line["view"]["legal"] = true
    line["view"]["legal"] = [do_of(PASS)] * 50
    with pytest.raises(WrongUsage):
        found(match, 3)
    for seat in (2, 3, 4):
        header: dict[str, Json] = {"format": "fairdeal/held@1", "key": "00" * 32, "m": duel.m, "seat": seat}
        with pytest.raises(WrongUsage):
            verify(duel.bundle(), duel.policy(), canonical.encode(header) + b"\n")
