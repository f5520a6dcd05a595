"""What the log says of a match against the match: one planted fault or more for each cause of steps 2 and 3."""

from collections.abc import Callable
from typing import Any

import pytest

from fairdeal_verifier import canonical, verify
from fairdeal_verifier.merkle import roots
from tests.verifier.builder import Match
from tests.verifier.logged import LoggedServer
from tests.verifier.logged_match import FALSE, OPERATOR_ALONE, PLAIN, VERIFIED, Change, found, played, report_of
from tests.verifier.reports import told


def flip(text: str) -> str:
    return ("1" if text[0] != "1" else "2") + text[1:]


def leaf_damage(change: Callable[[list[Any]], object]) -> Change:
    def apply(server: LoggedServer) -> None:
        change(server.match.log_part["leaves"])

    return apply


def seen_elsewhere(server: LoggedServer) -> int:
    """The last to join names a checkpoint that the log never had, and it signed that; so did all that follows."""
    place = 2
    server.match.events[place]["data"]["do"]["join"]["seen"]["root"] = "11" * 32
    server.match.sign_seats()
    for kind, size in (("full", 3), ("start", server.match.find("deal") + 1), ("close", len(server.match.events))):
        server.rewrite(kind, root=roots(server.match.leaves)[size].hex())
    return place


def unseen(server: LoggedServer) -> LoggedServer:
    """No seat has seen the log, so that nothing but its entries contradicts it."""
    for event in server.match.events[1:3]:
        event["data"]["do"]["join"]["seen"] = {"root": roots([])[0].hex(), "size": 0}
    server.match.sign_seats()
    return server


def swap(server: LoggedServer, one: str, other: str) -> None:
    entries, indices = server.log.entries, server.indices
    entries[indices[one]], entries[indices[other]] = entries[indices[other]], entries[indices[one]]
    indices[one], indices[other] = indices[other], indices[one]
    server.logged()


def drop_consistency(server: LoggedServer) -> int:
    server.match.log_part["consistency"] = []
    return 2


def damage_consistency(server: LoggedServer) -> int:
    proof = server.match.log_part["consistency"][0]["proof"]
    proof[0] = flip(proof[0])
    return 2


def more_consistency(server: LoggedServer) -> None:
    more = [one.hex() for one in server.log.consistency(1, len(server.log.entries))]
    server.match.log_part["consistency"].insert(0, {"proof": more, "size": 1})


def rewritten(kind: str, place: Callable[[Match], int | None], **changed: Any) -> Change:
    def apply(server: LoggedServer) -> int | None:
        server.rewrite(kind, **changed)
        return place(server.match)

    return apply


def promise(server: LoggedServer, commitment: str) -> int:
    server.rewrite("open", commitment=commitment)
    return 0


def at(place: int | None) -> Callable[[Match], int | None]:
    return lambda match: place


def of(kind: str) -> Callable[[Match], int | None]:
    return lambda match: match.find(kind)


def end(match: Match) -> int:
    return len(match.events)


def last(match: Match) -> int:
    return len(match.events) - 1


def resized(kind: str, by: int) -> Change:
    """A leaf of a size that is greater by so much; its root is that of the size, if there is one."""

    def apply(server: LoggedServer) -> int:
        leaf = canonical.decode(server.log.entries[server.indices[kind]])
        assert isinstance(leaf, dict)
        assert isinstance(leaf["size"], int)
        size, have = leaf["size"] + by, len(server.match.events)
        server.rewrite(kind, size=size, root=roots(server.match.leaves)[min(size, have)].hex())
        return min(size - 1, have) if kind == "start" else min(size, have)

    return apply


STEP_2: list[tuple[str, str, str, Change]] = [
    ("another match", "altered", "leaf", rewritten("full", at(None), m="0" * 32)),
    ("another match's opening", "altered", "leaf", rewritten("open", at(None), m="0" * 32)),
    ("a proof", "altered", "inclusion", leaf_damage(lambda leaves: leaves[0].update(proof=leaves[1]["proof"]))),
    ("a proof too long", "altered", "inclusion", leaf_damage(lambda leaves: leaves[0]["proof"].append("00" * 32))),
    ("a proof too short", "altered", "inclusion", leaf_damage(lambda leaves: leaves[0]["proof"].pop())),
    ("an index", "altered", "inclusion", leaf_damage(lambda leaves: leaves[3].update(index=leaves[3]["index"] + 1))),
    ("an index outside", "altered", "inclusion", leaf_damage(lambda leaves: leaves[3].update(index=2**53 - 1))),
    ("a leaf", "altered", "inclusion", leaf_damage(lambda leaves: leaves[3]["leaf"].update(FALSE))),
    ("another opening", "altered", "leaf", rewritten("open", at(0), **FALSE)),
    ("no full", "altered", "leaf_missing", leaf_damage(lambda leaves: leaves.pop(1) and None)),
    ("no start", "altered", "leaf_missing", leaf_damage(lambda leaves: leaves.pop(2) and None)),
    ("no close", "altered", "leaf_missing", leaf_damage(lambda leaves: leaves.pop(3) and None)),
    ("no consistency", "altered", "consistency", drop_consistency),
    ("false consistency", "altered", "consistency", damage_consistency),
    ("consistency that nobody asked for", "altered", "consistency", more_consistency),
    ("another checkpoint seen", "altered", "consistency", seen_elsewhere),
    ("full before open", "cheated", "log_order", lambda server: swap(unseen(server), "open", "full")),
    ("close before start", "cheated", "log_order", lambda server: swap(server, "close", "start")),
]  # fmt: skip
STEP_3: list[tuple[str, str, str, Change]] = [
    ("another commitment", "cheated", "leaf", lambda server: promise(unseen(server), "11" * 32)),
    ("another table root", "cheated", "leaf", rewritten("full", at(2), **FALSE)),
    ("another first deal", "cheated", "leaf", rewritten("start", of("deal"), **FALSE)),
    ("start too early", "cheated", "leaf", resized("start", -1)),
    ("start too late", "cheated", "leaf", resized("start", 1)),
    ("start beyond the end", "cheated", "leaf", resized("start", 1_000)),
    ("another end", "cheated", "leaf", rewritten("close", last, **FALSE)),
    ("closed too early", "cheated", "leaf", resized("close", -1)),
    ("closed too late", "cheated", "leaf", resized("close", 1)),
    ("another server seed", "cheated", "leaf", rewritten("close", of("reveal"), server_seed="11" * 32)),
    ("another outcome", "cheated", "leaf", rewritten("close", of("end"), outcome="forfeit")),
    ("void and not played", "cheated", "leaf", rewritten("close", of("end"), outcome="void", cause="operator")),
    ("lost and not played", "cheated", "leaf", rewritten("close", of("end"), outcome="void", cause="lost")),
    ("no seed and not played", "cheated", "leaf", rewritten("close", of("end"), outcome="no_seed", seats=[0])),
]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "verdict", "cause", "change"),
    [pytest.param(step, *fault[1:], id=fault[0]) for step, faults in ((2, STEP_2), (3, STEP_3)) for fault in faults],
)
def test_a_fault(step: int, verdict: str, cause: str, change: Change) -> None:
    server = played()
    assert found(server, held=0) == VERIFIED
    place = change(server)
    assert found(server) == (verdict, step, cause, place)
    assert found(server, None) == ("unchecked", step, cause, place)
    report = report_of(server)
    assert [check.result for check in report.checks][: step + 1] == ["passed"] * step + ["failed"]


def test_an_older_checkpoint_covers_only_what_it_covers() -> None:
    server = played()
    size = server.indices["close"]
    older = server.log.checkpoint(size)
    assert found(server, checkpoint=older) == ("altered", 2, "inclusion", None)


def test_two_joins_that_name_one_size_with_different_roots() -> None:
    class Together(LoggedServer):
        def seen(self) -> dict[str, Any]:
            size = len(self.log.entries)
            return {"root": ("11" * 32 if self.joined else self.log.root(size).hex()), "size": size}

    server = Together(4).begin().steps(3)
    assert told(verify(server.match.bundle(), PLAIN, None)) == ("altered", 2, "consistency", 2)


def test_where_no_seat_has_seen_the_log_no_proof_is_asked_for() -> None:
    class Unseen(LoggedServer):
        def seen(self) -> dict[str, Any]:
            return {"root": roots([])[0].hex(), "size": 0}

    match = Unseen(4).begin().steps(3).match
    assert match.log_part["consistency"] == []
    assert verify(match.bundle(), PLAIN, None).verdict == "pending"


def test_roots_of_leaves_have_suspects() -> None:
    server = played()
    deal = server.match.find("deal")
    server.rewrite("start", **FALSE)
    assert report_of(server).suspects == (3, deal)
    server = played()
    server.rewrite("open", **FALSE)
    assert report_of(server).suspects == (0, 0)
    server = played()
    resized("start", 1)(server)
    assert report_of(server).suspects is None


def test_a_full_or_start_too_many() -> None:
    """The log says that all were seated, the copy that the match was cancelled before."""
    server = LoggedServer(1)
    server.join(0)
    server.end("cancelled", None)
    match = server.match
    close = server.indices.pop("close")
    server.append("full", {"m": match.m, "root": roots(match.leaves)[3].hex(), "type": "full"})
    server.log.entries.append(server.log.entries[close])
    server.indices["close"] = len(server.log.entries) - 1
    server.logged()
    assert found(server) == ("cheated", 3, "leaf", 2)
    match.held[0] = [server.held_line()]
    del server.indices["full"]
    server.logged()
    match.held[0][0]["leaves"].pop()
    assert found(server, held=0) == ("cheated", 3, "log_fork", 2)

    server = LoggedServer(1).sit()
    server.end("void", None, cause="operator")
    assert found(server) == OPERATOR_ALONE
    close = server.indices.pop("close")
    start = {"m": server.match.m, "root": roots(server.match.leaves)[4].hex(), "size": 4, "type": "start"}
    server.append("start", start)
    server.log.entries.append(server.log.entries[close])
    server.indices["close"] = len(server.log.entries) - 1
    server.logged()
    assert found(server) == ("cheated", 3, "leaf", 3)


def test_seats_that_are_said_to_have_sent_no_seed() -> None:
    server = LoggedServer(2).sit()
    server.seed(1)
    for _ in range(3):
        server.missing()
    assert isinstance(server, LoggedServer)
    place = server.match.find("end")
    assert found(server, held=1) == VERIFIED
    for wrong in ([1], [0, 1]):
        server.rewrite("close", seats=wrong)
        assert found(server) == ("cheated", 3, "leaf", place)


def test_a_copy_that_the_log_has_closed_already() -> None:
    for kept in (1, 2, 5, 20, played().match.find("end") + 2):
        cut = played()
        cut.match.events = cut.match.events[:kept]
        cut.match.log_part["consistency"] = cut.match.log_part["consistency"] if kept > 2 else []
        assert found(cut) == ("altered", 3, "events_missing", kept)
