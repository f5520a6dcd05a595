"""The whole program and the log of all matches: asked in time, waited for, and taken away with the match."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
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
    Unacceptable,
    UnknownLogKey,
    prefer_winning_tricks,
)
from fairdeal.client import api as calls
from fairdeal.errors import WrongPhase
from fairdeal.keys import SigningKey
from fairdeal.match import MATCH_LEAVES, HeldLog, LogPart, lost_leaf, parse_bundle, parse_held, replay, write_bundle
from fairdeal.tlog import Checkpoint, Cosigner, Note, Policy, VerifierKey, format_policy
from fairdeal_verifier import Policy as TheirPolicy
from fairdeal_verifier import verify
from tests.client.server import LOG, LogBook, M, other_leaf
from tests.client.test_held_file_spoiled import BEFORE_THE_DEAL
from tests.client.test_player import House, play, sit

POLICY_PATH = "/log/policy"
LOG_PATH = f"/v1/matches/{M}/log"
OTHER_KEY = SigningKey.from_seed(b"o" * 32)
WITNESS = Cosigner("witness.test/one", SigningKey.from_seed(b"w" * 32))
OTHER = VerifierKey(LOG, OTHER_KEY.public)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr("fairdeal.client.player._LOOK_S", 0.001)


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[list[Memory]]:
    memories = [Memory(tmp_path / f"{seat}.db") for seat in (0, 1)]
    yield memories
    for memory in memories:
        memory.close()


@pytest.fixture
def players(house: House, memories: list[Memory], tmp_path: Path) -> list[Player]:
    policy = Policy.parse(house.policy.encode())
    return [Player(house.api(seat), memory, tmp_path / str(seat), policy) for seat, memory in enumerate(memories)]


def problem(status: int, code: str) -> httpx2.Response:
    return httpx2.Response(status, json={"code": code, "status": status, "title": "…", "type": f"/v1/errors/{code}"})


def on(path: str, answer: Callable[[httpx2.Request], httpx2.Response | None]) -> Any:
    """Another answer to the requests of this path."""
    return lambda request: answer(request) if request.url.path == path else None


def without(house: House, request: httpx2.Request, leaf: str) -> httpx2.Response:
    """What the log has of the match, up to this leaf."""
    answer = house.server.log.answer(int(request.url.params["since"]))
    later = MATCH_LEAVES[MATCH_LEAVES.index(leaf) :]
    answer["leaves"] = [one for one in answer["leaves"] if one["leaf"]["type"] not in later]
    return httpx2.Response(200, json=answer)


# --- Whom the player believes


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
    both = Policy.parse(format_policy((first, OTHER)).encode())
    again = [Player(house.api(seat), memory, tmp_path / str(seat), both) for seat, memory in enumerate(memories)]
    assert [taken.ending.reason for taken in play(again)] == ["target", "target"]
    assert house.bodies[: len(sent)] == sent


# --- Waiting for the log


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


# --- What is taken away


def other_bundle(house: House, part: LogPart | None) -> Any:
    server = house.server
    data = write_bundle(server.receipt(server.lines), server.lines, part)
    return on(f"/v1/matches/{M}/bundle", lambda _: httpx2.Response(200, content=data))


def forked(house: House) -> LogPart:
    """Everything of it verifies but for its being the log that was shown while playing."""
    other = house.server.log.fork()
    other.append(other_leaf(10**6 + 1))
    return other.part(house.server.lines, 2)


def falsely_signed(note: str) -> str:
    """The checkpoint under the log key's name, by somebody who has not that key."""
    text, (line,) = (told := Note.parse(note)).text, told.lines
    return Note(text, (replace(line, signature=OTHER_KEY.sign(text.encode())),)).format()


WRONG_PARTS: dict[str, tuple[Callable[[House, LogPart], LogPart | None], Finding]] = {
    "none": (lambda _house, _part: None, Finding.LEAF),
    "a leaf is missing": (
        lambda _house, part: LogPart(part.checkpoint, part.consistency, part.leaves[:-1]),
        Finding.LOG_FORK,
    ),
    "no proof of what was seen": (lambda _house, part: LogPart(part.checkpoint, (), part.leaves), Finding.CONSISTENCY),
    "another log": (lambda house, _part: forked(house), Finding.CONSISTENCY),
    "another signature": (
        lambda _house, part: LogPart(falsely_signed(part.checkpoint), part.consistency, part.leaves),
        Finding.CHECKPOINT,
    ),
    "a leaf without its proof": (
        lambda _house, part: LogPart(
            part.checkpoint, part.consistency, (*part.leaves[:-1], replace(part.leaves[-1], proof=()))
        ),
        Finding.INCLUSION,
    ),
    "a proof that is none": (
        lambda _house, part: LogPart(
            part.checkpoint, tuple(replace(one, proof=()) for one in part.consistency), part.leaves
        ),
        Finding.CONSISTENCY,
    ),
    "a proof of another size": (
        lambda _house, part: LogPart(
            part.checkpoint, tuple(replace(one, size=one.size - 1) for one in part.consistency), part.leaves
        ),
        Finding.CONSISTENCY,
    ),
    "an older checkpoint": (
        lambda house, part: LogPart(LogBook().checkpoint(), part.consistency, part.leaves),
        Finding.INCLUSION,
    ),
}


@pytest.mark.parametrize("wrong", WRONG_PARTS)
def test_another_log_in_the_services_bundle(house: House, players: list[Player], tmp_path: Path, wrong: str) -> None:
    sit(players)
    assert all(not isinstance(taken, Exception) for taken in play(players))
    own = (tmp_path / "0" / f"{M}.fairdeal").read_bytes()
    make, finding = WRONG_PARTS[wrong]
    house.before = other_bundle(house, make(house, house.server.log.part(house.server.lines, 2)))
    with pytest.raises(Contradiction) as caught:
        players[0].play(M, prefer_winning_tricks)
    assert caught.value.finding is finding
    assert (tmp_path / "0" / f"{M}.fairdeal").read_bytes() == own
    assert (tmp_path / "0" / f"{M}.evidence").exists()


def test_a_newer_checkpoint_in_the_services_bundle(house: House, players: list[Player], tmp_path: Path) -> None:
    sit(players)
    play(players)
    house.server.log.append(other_leaf(10**6))
    (tmp_path / "0" / f"{M}.fairdeal").unlink()
    taken = players[0].play(M, prefer_winning_tricks)
    log = parse_bundle(taken.bundle.read_bytes()).log
    assert log is not None
    assert log.checkpoint != house.server.log.checkpoint()
    assert taken.witnessed, "the policy asks for no witness"


def witness_policy(house: House) -> bytes:
    log = house.server.log.signer.verifier_key.format()
    return f"log {log}\nwitness one {WITNESS.verifier_key.format()}\nquorum one\n".encode()


def witnessed_bundle(house: House) -> bytes:
    """The service's bundle when the witness has cosigned the newest checkpoint."""
    part = house.server.log.part(house.server.lines, 2)
    cosigned = part.checkpoint + WITNESS.cosign(Checkpoint.parse(Note.parse(part.checkpoint).text), 10**9).format()
    return write_bundle(
        house.server.receipt(house.server.lines), house.server.lines, replace(part, checkpoint=cosigned)
    )


def test_the_services_bundle_is_taken_once_it_is_witnessed(
    house: House, memories: list[Memory], tmp_path: Path
) -> None:
    policy = witness_policy(house)
    players = [
        Player(house.api(seat), memory, tmp_path / str(seat), Policy.parse(policy))
        for seat, memory in enumerate(memories)
    ]
    sit(players)
    house.before = lambda _: pytest.fail("nothing is asked of a match that is not over")
    MatchClient(memories[0], M, tmp_path, Policy.parse(policy)).receive(house.server.answer(0, 0))
    with pytest.raises(WrongPhase):
        players[0].refresh(M)
    house.before = None
    taken = play(players)[0]
    own = taken.bundle.read_bytes()
    assert verify(own, TheirPolicy.parse(policy), None).verdict == "unchecked"
    assert (taken.witnessed, players[0].refresh(M), taken.bundle.read_bytes()) == (False, taken, own)

    witnessed = witnessed_bundle(house)
    house.before = on(f"/v1/matches/{M}/bundle", lambda _: httpx2.Response(200, content=witnessed))
    assert players[0].refresh(M) == replace(taken, witnessed=True)
    assert taken.bundle.read_bytes() == witnessed
    assert verify(witnessed, TheirPolicy.parse(policy), None).verdict == "verified"

    # The service's newest checkpoint waits for its witness again: what is witnessed stays.
    house.before = None
    house.server.log.append(other_leaf(10**6))
    for again in (lambda: players[0].refresh(M), lambda: players[0].play(M, prefer_winning_tricks)):
        assert again() == replace(taken, witnessed=True)
        assert taken.bundle.read_bytes() == witnessed
    # A file that is not whole is no witnessed one.
    taken.bundle.write_bytes(witnessed[:-2])
    assert players[0].refresh(M) == taken
    assert taken.bundle.read_bytes() == own


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


# --- A store that was restored


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
