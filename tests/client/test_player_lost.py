"""The whole program in a match that a restored store has lost."""

from pathlib import Path

import httpx2
import pytest

from fairdeal.client import Memory, Player
from fairdeal.match import HeldLog, lost_leaf, parse_bundle, parse_held, replay
from fairdeal.tlog import Policy
from fairdeal_verifier import Policy as TheirPolicy
from fairdeal_verifier import verify
from tests.client.house import House, play, problem, sit, witness_policy
from tests.client.server import BEFORE_THE_DEAL


def restore(house: House, events: int) -> None:
    """The service goes on with an older store: the match is given up, with the events that are left."""
    server = house.server
    server.events = server.events[:events]
    server.state = replay(server.events, server.server_seed)
    server.lost = True
    server.log.append(lost_leaf(server.state, server.server_seed))


@pytest.mark.parametrize("back", [0, 2, "an answer is lost too"])
def test_a_match_that_the_service_has_lost(house: House, players: list[Player], back: int | str) -> None:
    """With the last events that were shown, or without; or with one more, whose answer did not arrive."""
    acts = 0

    def lose(request: httpx2.Request) -> httpx2.Response | None:
        nonlocal acts
        if not request.url.path.endswith("/actions"):
            return None
        acts += 1
        if acts == 20:
            if isinstance(back, str):
                house._route(request)
            restore(house, len(house.server.events) - (back if isinstance(back, int) else 0))
        return problem(409, "wrong_phase") if acts >= 20 else None

    house.before = lose
    sit(players)
    for taken in play(players):
        assert taken.ending is None
        bundle = parse_bundle(taken.bundle.read_bytes())
        assert [event.line for event in bundle.events] == house.server.lines
        assert bundle.log is not None
        assert bundle.log.leaves[-1].leaf["cause"] == "lost"
        held = parse_held(taken.held.read_bytes())
        assert [line for line in held.lines if isinstance(line, HeldLog)][-1].leaves[-1].leaf["cause"] == "lost"
        theirs = TheirPolicy.parse(house.policy.encode())
        assert verify(taken.bundle.read_bytes(), theirs, taken.held.read_bytes()).verdict == "verified"


def test_a_lost_match_whose_last_receipt_was_never_shown(house: House, memories: list[Memory], tmp_path: Path) -> None:
    """Then the service's bundle is the only one there is, witnessed or not."""
    policy = Policy.parse(witness_policy(house))
    players = [Player(house.api(seat), memory, tmp_path / str(seat), policy) for seat, memory in enumerate(memories)]

    def lose(request: httpx2.Request) -> httpx2.Response | None:
        if not request.url.path.endswith("/actions") or len(house.bodies) < 20:
            return None
        if not house.server.lost:
            restore(house, BEFORE_THE_DEAL)
        return problem(409, "wrong_phase")

    house.before = lose
    sit(players)
    for taken in play(players):
        assert (taken.ending, taken.witnessed) == (None, False)
        bundle = parse_bundle(taken.bundle.read_bytes())
        assert [event.line for event in bundle.events] == house.server.lines
