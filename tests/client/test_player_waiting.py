"""The whole program waits for the log of all matches: each leaf is asked for in time, and nothing is sent before."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fairdeal.client import (
    CheckpointMoved,
    Contradiction,
    Finding,
    MatchClient,
    Memory,
    NotLogged,
    Player,
    prefer_winning_tricks,
)
from fairdeal.client import api as calls
from fairdeal.match import MATCH_LEAVES, HeldLog, parse_bundle, parse_held
from tests.client.house import House, on, play, problem, sit
from tests.client.server import LOG, M, other_leaf

LOG_PATH = f"/v1/matches/{M}/log"


def without(house: House, request: httpx2.Request, leaf: str) -> httpx2.Response:
    """What the log has of the match, up to this leaf."""
    answer = house.server.log.answer(int(request.url.params["since"]))
    later = MATCH_LEAVES[MATCH_LEAVES.index(leaf) :]
    answer["leaves"] = [one for one in answer["leaves"] if one["leaf"]["type"] not in later]
    return httpx2.Response(200, json=answer)


@pytest.mark.parametrize("kind", ["refused", "not there yet"])
def test_a_log_that_is_behind_is_waited_for(house: House, players: list[Player], kind: str) -> None:
    """For each leaf, longer than one call lasts."""
    asked: dict[tuple[str, str], int] = {}
    proven: dict[str, str] = {}

    def behind(request: httpx2.Request) -> httpx2.Response | None:
        leaf = request.url.params.get("leaf")
        seat = request.headers["Authorization"]
        if leaf is None:
            # Nothing new: a look without a leaf in mind would bring earlier what is to be waited for.
            return without(house, request, proven[seat])
        about = (seat, leaf)
        asked[about] = asked.get(about, 0) + 1
        if leaf == "close" or asked[about] > 2 * calls._ATTEMPTS:
            proven[seat] = MATCH_LEAVES[MATCH_LEAVES.index(leaf) + 1] if leaf != "close" else leaf
            return without(house, request, proven[seat]) if leaf != "close" else None
        return problem(503, "not_logged_yet") if kind == "refused" else without(house, request, leaf)

    house.before = on(LOG_PATH, behind)
    sit(players)
    assert [taken.ending.reason for taken in play(players)] == ["target", "target"]
    assert {leaf for _, leaf in asked} >= {"open", "full", "start", "close"}


@pytest.mark.parametrize("leaf", ["open", "full", "start"])
def test_nothing_is_sent_that_the_log_has_not(house: House, players: list[Player], leaf: str) -> None:
    """Until the test has seen enough: the log never comes so far."""
    asked = 0

    class Enough(Exception):
        pass

    def behind(request: httpx2.Request) -> httpx2.Response | None:
        nonlocal asked
        if request.url.params.get("leaf") != leaf:
            return without(house, request, leaf)
        asked += 1
        if asked > 50:
            raise Enough
        return problem(503, "not_logged_yet")

    house.before = on(LOG_PATH, behind)
    sit(players)
    with ThreadPoolExecutor(2) as pool:
        for playing in [pool.submit(player.play, M, prefer_winning_tricks) for player in players]:
            with pytest.raises(Enough):
                playing.result()
    assert len(house.bodies) == {"open": 0, "full": 2, "start": 4}[leaf]


def test_an_end_that_the_log_does_not_show(house: House, players: list[Player], tmp_path: Path) -> None:
    asked = 0

    def behind(request: httpx2.Request) -> httpx2.Response | None:
        nonlocal asked
        if request.url.params.get("leaf") != "close":
            return without(house, request, "close")
        asked += 1
        assert asked < 100, "who has been told so twice does not ask for ever"
        return problem(503, "not_logged_yet")

    house.before = on(LOG_PATH, behind)
    sit(players)
    with ThreadPoolExecutor(2) as pool:
        for playing in [pool.submit(player.play, M, prefer_winning_tricks) for player in players]:
            with pytest.raises(NotLogged):
                playing.result()
    assert len(list(tmp_path.glob(f"*/{M}.held"))) == 2
    house.before = None
    for player in players:
        taken = player.refresh(M)
        assert taken.ending is not None
        part = parse_bundle(taken.bundle.read_bytes()).log
        assert part is not None
        assert parse_held(taken.held.read_bytes()).lines[-1] == HeldLog(house.server.log.checkpoint(), part.leaves)


def test_a_log_that_says_it_is_shorter(house: House, players: list[Player]) -> None:
    sit(players)
    house.before = on(
        LOG_PATH, lambda request: problem(409, "ahead_of_log") if int(request.url.params["since"]) else None
    )
    for error in play(players):
        assert isinstance(error, Contradiction)
        assert error.finding is Finding.LOG_FORK
    assert len(house.bodies) == 2


def test_another_program_with_this_memory_learns_more_meanwhile(
    house: House, players: list[Player], memories: list[Memory], tmp_path: Path
) -> None:
    moves = 0

    def move(request: httpx2.Request) -> httpx2.Response | None:
        nonlocal moves
        if request.url.params.get("leaf") != "full" or moves == 4:
            return None
        moves += 1
        seat, log = int(request.headers["Authorization"][-1]), house.server.log
        answer = httpx2.Response(200, json=log.answer(int(request.url.params["since"])))
        log.append(other_leaf(10**6 + moves))
        other = Memory(tmp_path / f"{seat}.db")
        newest = other.newest(LOG)
        assert newest is not None
        other.keep_logged("e" * 32, newest[1], log.checkpoint(), None)
        other.close()
        return answer

    house.before = on(LOG_PATH, move)
    sit(players)
    assert [taken.ending.reason for taken in play(players)] == ["target", "target"]
    assert moves == 4


def test_matches_of_one_memory_learn_more_again_and_again(
    house: House, players: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More often in a row than calls may be nested."""
    moved = iter(range(2_500))
    receive_log = MatchClient.receive_log

    def overtaken(client: MatchClient, *answer: Any) -> None:
        if next(moved, None) is not None:
            raise CheckpointMoved("a newer checkpoint has been kept meanwhile")
        receive_log(client, *answer)

    monkeypatch.setattr(MatchClient, "receive_log", overtaken)
    sit(players)
    assert [taken.ending.reason for taken in play(players)] == ["target", "target"]
    assert next(moved, None) is None


def test_crash_at_any_question_to_the_log(house: House, players: list[Player]) -> None:
    """After each, and after the answer is kept, the program starts again."""
    crashed: set[tuple[str, str, bool]] = set()

    class Crash(Exception):
        pass

    def crash(request: httpx2.Request) -> httpx2.Response | None:
        if request.url.path == LOG_PATH or request.url.path.startswith("/log/tile"):
            about = (request.headers["Authorization"], request.url.params.get("leaf", request.url.path), True)
            if about not in crashed:
                crashed.add(about)
                raise Crash
        return None

    house.before = crash
    sit(players)

    def attempt(player: Player) -> Any:
        while True:
            try:
                return player.play(M, prefer_winning_tricks)
            except Crash:
                continue

    with ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(attempt, players))
    assert len(crashed) >= 10
    for one in taken:
        bundle, held = parse_bundle(one.bundle.read_bytes()), parse_held(one.held.read_bytes())
        assert bundle.log is not None
        assert len(bundle.log.leaves) == 4
        assert sum(hasattr(line, "leaves") for line in held.lines) == 4


@pytest.mark.parametrize("spoil", [lambda _: b"\xab" * 31, lambda data: data[:-1] + b"\xab", lambda data: data[32:]])
def test_tiles_that_prove_nothing(house: House, players: list[Player], spoil: Callable[[bytes], bytes]) -> None:
    """The other seat has seen a shorter log than ours: without a proof no seed is given. Nobody has signed a tile, so
    that a wrong one ends nothing.
    """

    def garbage(request: httpx2.Request) -> httpx2.Response | None:
        if not request.url.path.startswith("/log/tile/"):
            return None
        return httpx2.Response(200, content=spoil(house._route(request).content))

    house.before = garbage
    sit(players)
    house.server.log.append(other_leaf(10**6))

    def attempt(player: Player) -> None:
        with pytest.raises(NotLogged):
            player.play(M, prefer_winning_tricks)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(attempt, players))
    assert len(house.bodies) == 2
    house.before = None
    for taken in play(players):
        assert taken.ending is not None
