"""Service and verifier, which share no code, agree on whole matches of every game and ending."""

import os

import pytest

from fairdeal_verifier import Policy, verify
from tests.simulator import ENDINGS, GAMES, Played, endings, play

SCALE = float(os.environ.get("SOAK", "1"))
MATCHES = 200
OF_FOUR, MANY_OF_FOUR = 2, 20
"""Matches of each game for four and each ending."""
NUMBERED = [(number, ENDINGS[number % len(ENDINGS)]) for number in range(MATCHES)]


def anchored_by(match: Played, seat: int) -> str:
    """A held file anchors when its seat joined: nobody else's word is outside the operator's."""
    return "unchecked" if match.state.joined[seat] is None else "verified"


FOUR = [(game, ending) for game in GAMES[1:] for ending in endings(game)]


def check_each_seat(match: Played) -> None:
    """Verified with the held file of each seat that joined, and the same end and number of events in both programs."""
    policy = Policy.parse(match.policy.encode())
    for seat, held in enumerate(match.held):
        report = verify(match.bundle, policy, held)
        assert (report.verdict, report.broken_at) == (anchored_by(match, seat), None)
    assert match.state.ending is not None
    assert report.ending is not None
    assert (report.ending.reason, report.ending.winner) == (match.state.ending.reason, match.state.ending.winner)
    assert report.counts.events == len(match.events)


@pytest.mark.parametrize(("number", "ending"), NUMBERED)
def test_a_match_is_verified_with_the_held_file_of_each_seat_that_joined(number: int, ending: str) -> None:
    check_each_seat(play(number, ending))


@pytest.mark.parametrize(("game", "ending"), FOUR)
def test_a_match_of_four_is_verified_with_the_held_file_of_each_seat_that_joined(game: str, ending: str) -> None:
    for number in range(OF_FOUR):
        check_each_seat(play(number, ending, game=game))


@pytest.mark.soak
@pytest.mark.parametrize(("game", "ending"), FOUR)
def test_many_matches_of_four_are_verified(game: str, ending: str) -> None:
    for number in range(OF_FOUR, OF_FOUR + max(1, round(SCALE * MANY_OF_FOUR))):
        check_each_seat(play(number, ending, game=game))


@pytest.mark.parametrize("ending", ENDINGS)
def test_without_the_users_own_policy_or_held_file_nothing_is_verified(ending: str) -> None:
    match = play(1, ending)
    policy = Policy.parse(match.policy.encode())
    assert verify(match.bundle, None, match.held[0]).verdict == "unchecked"
    assert verify(match.bundle, policy, None).verdict == "unchecked"
    assert verify(match.bundle, Policy.parse(play(2, ending).policy.encode()), match.held[0]).verdict == "unchecked"


def test_the_matches_are_of_every_ending_and_stall_in_every_way() -> None:
    ends, kinds = set(), set()
    for number, ending in NUMBERED:
        match = play(number, ending)
        dealt = False
        kinds |= set() if match.state.terms.stake else {"no stake"}
        for event in match.events:
            dealt = dealt or event.type == "deal"
            if event.type in ("timeout", "resume"):
                kinds.add(f"{event.type} in {'play' if dealt else 'the seed phase'}")
            elif event.type == "score":
                kinds.add(event.data["outcome"])
            elif event.type == "end":
                ends.add((event.data["reason"], event.data.get("cause"), event.data["winner"]))
    sides = {(reason, None, winner) for reason in ("target", "overruns", "resigned", "seed") for winner in (0, 1)}
    assert ends == sides | {
        ("seed", None, None),
        ("cancelled", None, None),
        ("void", "operator", None),
        ("void", "deal_limit", None),
    }
    assert kinds == {
        "no stake",
        "timeout in the seed phase",
        "timeout in play",
        "resume in the seed phase",
        "resume in play",
        "made",
        "dedans",
        "void",
    }
