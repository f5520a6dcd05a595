"""What the whole program takes away of the log: its own bundle, or the service's where that is as good or better."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from fairdeal.client import Contradiction, Finding, MatchClient, Memory, Player, prefer_winning_tricks
from fairdeal.errors import WrongPhase
from fairdeal.match import LogPart, parse_bundle, write_bundle
from fairdeal.tlog import Checkpoint, Note, Policy
from fairdeal_verifier import Policy as TheirPolicy
from fairdeal_verifier import verify
from tests.client.house import WITNESS, House, on, play, sit, witness_policy
from tests.client.server import OTHER_KEY, LogBook, M, other_leaf


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
