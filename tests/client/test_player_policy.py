"""Whom the whole program believes: its own policy, the service's first one, and a log key that is replaced."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from fairdeal.client import Memory, Player, Unacceptable, UnknownLogKey, prefer_winning_tricks
from fairdeal.tlog import VerifierKey, format_policy
from tests.client.house import House, on, play, sit
from tests.client.server import LOG, OTHER_KEY, LogBook, M, policy_of

POLICY_PATH = "/log/policy"
OTHER = VerifierKey(LOG, OTHER_KEY.public)


def test_the_policy_of_a_player_is_its_own(house: House, players: list[Player]) -> None:
    house.before = on(POLICY_PATH, lambda _: pytest.fail("the service is not asked for a policy"))
    sit(players)
    assert [taken.ending.reason for taken in play(players)] == ["target", "target"]


def test_without_a_policy_the_services_own_is_kept(house: House, memories: list[Memory], tmp_path: Path) -> None:
    player = Player(house.api(0), memories[0], tmp_path)
    player.sit(M, stake=100)
    assert memories[0].policy(LOG) == house.policy.encode()
    first = house.server.log.signer.verifier_key
    house.policy = format_policy((OTHER, first))
    player.sit(M, stake=100)
    house.policy = format_policy((OTHER,))
    for attempt in (lambda: player.sit(M, stake=100), lambda: player.play(M, prefer_winning_tricks)):
        with pytest.raises(Unacceptable):
            attempt()
    assert memories[0].policy(LOG) == format_policy((OTHER, first)).encode()
    assert not house.bodies


@pytest.mark.parametrize("acts", [0, 10])
def test_a_log_key_that_is_replaced_during_the_match(
    house: House, players: list[Player], memories: list[Memory], tmp_path: Path, acts: int
) -> None:
    """Programs whose policy lists the old key alone stop where they are; with one that lists both they go on."""
    sit(players)
    first = house.server.log.signer.verifier_key

    def replace(request: httpx2.Request) -> None:
        if len(house.bodies) >= acts:
            house.server.log.signer = LogBook(OTHER_KEY).signer

    house.before = replace
    with ThreadPoolExecutor(2) as pool:
        for playing in [pool.submit(player.play, M, prefer_winning_tricks) for player in players]:
            with pytest.raises(UnknownLogKey, match="old key and the new one"):
                playing.result()
    sent = list(house.bodies)
    assert acts <= len(sent) < 20
    assert not list(tmp_path.glob(f"*/{M}.evidence"))
    both = policy_of(first, OTHER)
    again = [Player(house.api(seat), memory, tmp_path / str(seat), both) for seat, memory in enumerate(memories)]
    assert [taken.ending.reason for taken in play(again)] == ["target", "target"]
    assert house.bodies[: len(sent)] == sent
