"""What a dishonest operator can do, each deed done to its end: what it would hand out, and what others were shown.

The operator has the log's key, the receipts key and every server seed. A friend at the other seat, where a deed has
one, signs with that seat's key whatever helps.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from fairdeal import canonical
from fairdeal.belote import to_do
from fairdeal.commit import Seed, commitment
from fairdeal.match import Event, Move, Resume, SignedAction, Tick, Void, decide, evolve, lost_leaf, outage_leaf
from tests.dishonest.looking import NOTHING, Scene, noticed
from tests.dishonest.operator import FRIEND, HONEST, Match, Operator, ask, key_of, lines_root
from tests.simulator import Keys, ServiceLog
from tests.simulator.table import BEGINNING, DAY

Deed = Callable[[Operator], Scene]

GROUND: Final = Seed(b"g" * 32)
"""The seed that suits the operator, found by trying many."""
OTHER_KEY: Final = key_of(9)
"""Of the operator's own making, where a seat's should be."""
AFTERWARDS: Final = "nothing: its match was over"


def visited(operator: Operator) -> str:
    """The checkpoint that an auditor takes away, who came after an honest match."""
    operator.table().made_up()
    return operator.sign(operator.log)


# --- Seeds and seats


def grinds_after_the_seeds(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().joined()
    match.take(match.honest.seed())
    match.table.keys = promising(match, GROUND)
    match.take(match.clients[FRIEND].seed())
    for _ in range(6):
        match.move()
    lines = match.closed_by_operator(match.lines)
    match.log_close(lines)
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, lines)))
    return Scene(match, since, program, match.bundle(lines), operator.log)


def grinds_after_the_promises(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table()
    match.tell()
    match.take(match.honest.join())
    promise = commitment(GROUND)
    opened = Event.parse(match.lines[0])
    first = Event.make(0, opened.t, opened.by, "open", {**opened.data, "commitment": promise}).line
    lines = [first, match.lines[1]]
    lines.append(friends_join(match, lines))
    root = lines_root([first]).hex()
    replaced = canonical.encode({"commitment": promise, "m": match.m, "root": root, "type": "open"})
    operator.append(replaced, full_leaf(match, lines))
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, lines, start=0)))
    lines = match.closed_by_operator(lines, GROUND)
    match.log_close(lines)
    return Scene(match, since, program, match.bundle(lines, skip=match.leaf("open")), operator.log)


def friend_chooses_last(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().joined()
    match.take(match.honest.seed())
    lines = match.lines
    do, key = {"seed": GROUND.hex()}, match.table.keys.seats[FRIEND]
    lines.append(match.seat_event(4, FRIEND, "seed", do, lines[:3], key))
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, lines)))
    lines = match.closed_by_operator(lines)
    match.log_close(lines)
    return Scene(match, since, program, match.bundle(lines), operator.log)


def swaps_a_seat(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().joined()
    match.take(match.honest.seed())
    lines = [*match.lines[:2], friends_join(match, match.lines[:2]), match.lines[3]]
    operator.append(full_leaf(match, lines))
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, lines, start=0)))
    lines = match.closed_by_operator(lines)
    match.log_close(lines)
    return Scene(match, since, program, match.bundle(lines, skip=match.leaf("full")), operator.log)


def shows_another_table_than_the_log(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table()
    match.tell()
    match.take(match.honest.join())
    match.silent.add(HONEST)
    match.take(match.clients[FRIEND].join())
    match.note_seats()
    shown = [*match.lines[:2], friends_join(match, match.lines[:2])]
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, shown)), lambda: match.prove(match.honest))
    match.take(match.clients[FRIEND].seed())
    for _ in range(3):
        match.run_out()
    return Scene(match, since, program, match.bundle(), operator.log)


def commits_twice(operator: Operator) -> Scene:
    since = visited(operator)
    before = operator.table().made_up()
    match = operator.table(server_seed=before.server_seed)
    program = noticed(match, lambda: match.playing(4), match.finished)
    return Scene(match, since, program, match.bundle(), operator.log)


def says_one_seed_is_missing(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().joined()
    assert match.honest.seed() is not None
    match.take(match.clients[FRIEND].seed())
    program = noticed(match, match.run_out, match.run_out, match.run_out)
    return Scene(match, since, program, match.bundle(), operator.log)


def says_both_seeds_are_missing(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().joined()
    assert all(client.seed() for client in match.clients)
    program = noticed(match, match.run_out, match.run_out, match.run_out)
    return Scene(match, since, program, match.bundle(), operator.log, other_is_honest=True)


def withholds_the_seed(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().playing()
    return Scene(match, since, noticed(match, match.tell), match.bundle(), operator.log)


def voids_what_it_does_not_like(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().playing()
    match.step(Void())
    return Scene(match, since, noticed(match, match.tell), match.bundle(), operator.log)


# --- Moves and time


def forges_a_move(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().playing().until_turn_of(HONEST)
    turn = match.honest.turn
    assert turn is not None
    lines = match.lines
    lines.append(match.seat_event(len(lines), HONEST, "act", to_do(turn.legal[-1]), lines, OTHER_KEY))
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, lines)))
    lines = match.closed_by_operator(lines)
    match.log_close(lines)
    return Scene(match, since, program, match.bundle(lines), operator.log)


def forges_an_early_timeout(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().playing().until_turn_of(HONEST)
    state = match.table.state
    assert state.due_at is not None
    late = decide(state, Tick(), state.due_at, match.server_seed)[0]
    lines = [*match.lines, match.server_event(late.n, "timeout", late.data, state.due_at - 1)]
    match.table.now = state.due_at
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, lines)))
    lines = match.closed_by_operator(lines)
    match.log_close(lines)
    return Scene(match, since, program, match.bundle(lines), operator.log)


def says_moves_came_too_late(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().playing()
    program = NOTHING
    while match.table.state.ending is None and program == NOTHING:
        if match.on_turn.seat == HONEST:
            assert match.honest.act(match.honest.turn.legal[-1])  # type: ignore[union-attr]
            program = noticed(match, match.run_out)
        else:
            match.move()
    return Scene(match, since, program, match.bundle(), operator.log)


def resumes_without_an_outage(operator: Operator) -> Scene:
    return _resumes(operator, logged=False)


def makes_an_outage_up(operator: Operator) -> Scene:
    return _resumes(operator, logged=True)


def _resumes(operator: Operator, logged: bool) -> Scene:
    since = visited(operator)
    match = operator.table().playing()
    start = match.table.now
    match.table.now += 20_000
    if logged:
        operator.append(outage_leaf(start, match.table.now))
    match.step(Resume(start, match.table.now))
    program = noticed(match, match.tell, match.finished)
    return Scene(match, since, program, match.bundle(), operator.log)


def resumes_from_long_ago(operator: Operator) -> Scene:
    """An outage of the year 1970 for whoever needs more time."""
    since = visited(operator)
    match = operator.table().playing()
    operator.append(outage_leaf(0, 10_000))
    lines = [*match.lines, match.server_event(len(match.lines), "resume", {"from": 0, "to": 10_000})]
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, lines)))
    lines = match.closed_by_operator(lines)
    match.log_close(lines)
    return Scene(match, since, program, match.bundle(lines), operator.log)


def changes_times_afterwards(operator: Operator) -> Scene:
    """The last action and what follows from it are moved by five seconds, in a log that is told anew from there."""
    visited(operator)
    match = operator.table().playing().finished()
    since = operator.sign(operator.log)
    last = max(n for n, event in enumerate(match.table.events) if event.by >= 0)
    later = [replace(one, t=one.t + 5_000) for one in match.table.events[last:]]
    lines = [*match.lines[:last], *(Event.make(one.n, one.t, one.by, one.type, one.data).line for one in later)]
    log = operator.history(operator.log.leaves[: operator.log.own(match.m)[-1][0]])
    match.log_close(lines, "played", log)
    return Scene(match, since, AFTERWARDS, match.bundle(lines, log), log)


# --- Two histories


def tells_two_players_two_matches(operator: Operator) -> Scene:
    """Each sees the other run out of time, and win or lose against nobody; what the log closes is the other's."""
    since = visited(operator)
    match = operator.table().playing()
    lines = alone(match, FRIEND)
    shown = alone(match, HONEST)
    match.log_close(lines, "forfeit")
    assert shown != lines
    program = noticed(match, lambda: match.prove(match.honest))
    return Scene(match, since, program, match.bundle(lines), operator.log, other_is_honest=True)


def shows_two_players_two_logs(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table()
    other = another_history(operator)
    for client in match.clients:
        client.receive(match.say(client.seat))
    ask(match.honest, operator.log)
    ask(match.clients[FRIEND], other)
    match.silent |= {HONEST, FRIEND}
    for client in match.clients:
        client.receive(match.say(client.seat))
        match.take(client.join())
    match.note_seats()
    match.honest.receive(match.say(HONEST))
    program = noticed(match, lambda: match.prove(match.honest))
    for _ in range(3):
        match.run_out()
    return Scene(match, since, program, match.bundle(), operator.log, other_is_honest=True)


def shows_outsiders_two_logs(operator: Operator) -> Scene:
    """Of one size at last: one took its checkpoint away, the other is given the match."""
    visited(operator)
    match = operator.table().playing().finished()
    other = another_history(operator)
    since = operator.sign(operator.log)
    return Scene(match, since, AFTERWARDS, match.bundle(None, other), other, (since.encode(),))


def shows_outsiders_logs_of_two_sizes(operator: Operator) -> Scene:
    visited(operator)
    match = operator.table().playing().finished()
    other = another_history(operator)
    since = operator.sign(operator.log)
    other.append(outage_leaf(7, 8))
    operator.sign(other)
    return Scene(match, since, AFTERWARDS, match.bundle(None, other), other, (since.encode(),), victim=False)


def logs_nothing(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table(logged=False)
    match.honest.receive(match.say(HONEST))
    return Scene(match, since, noticed(match, match.honest.join), None, operator.log)


def drops_a_match(operator: Operator) -> Scene:
    """The whole match is taken out; the bundle is the player's own."""
    visited(operator)
    match = operator.table().playing().finished()
    own = match.bundle()
    since = operator.sign(operator.log)
    mine = {index for index, _ in operator.log.own(match.m)}
    left = [leaf for index, leaf in enumerate(operator.log.leaves) if index not in mine]
    other = operator.history([*left, *(outage_leaf(n, n + 1) for n in range(len(mine)))])
    note = other.checkpoint(other.size).encode()
    return Scene(match, since, AFTERWARDS, own, other, (note,))


def reorders_a_match(operator: Operator) -> Scene:
    visited(operator)
    match = operator.table().playing().finished()
    since = operator.sign(operator.log)
    _, full, start, _ = (index for index, _ in operator.log.own(match.m))
    other = operator.history(exchanged(operator.log, full, start))
    program = noticed(match, lambda: match.prove(match.honest, other, again=True))
    return Scene(match, since, program, match.bundle(None, other), other)


def reorders_matches(operator: Operator) -> Scene:
    visited(operator)
    match = operator.table().playing().finished()
    since = operator.sign(operator.log)
    ours = operator.log.own(match.m)[0][0]
    other = operator.history([*operator.log.leaves[ours:], *operator.log.leaves[:ours]])
    program = noticed(match, lambda: match.prove(match.honest, other, again=True))
    return Scene(match, since, program, match.bundle(None, other), other)


def dates_a_match_back(operator: Operator) -> Scene:
    """Made up today with friends in both seats, as of two days ago, and logged today."""
    since = visited(operator)
    match = operator.table(now=BEGINNING - DAY).made_up()
    return Scene(match, since, "not asked", match.bundle(), operator.log, victim=False)


def puts_a_match_in_before(operator: Operator) -> Scene:
    """The same, and the log is told anew, with the match in its place of two days ago."""
    since = visited(operator)
    match = operator.table(now=BEGINNING - DAY).made_up()
    ours = [leaf for index, leaf in enumerate(operator.log.leaves) if index >= operator.log.own(match.m)[0][0]]
    before = operator.log.leaves[: operator.log.size - len(ours)]
    other = operator.history([*ours, *before])
    return Scene(match, since, "not asked", match.bundle(None, other), other, victim=False)


def makes_a_log_up_afterwards(operator: Operator) -> Scene:
    """A match that the player won is void now, and the log is told anew around it."""
    visited(operator)
    match = operator.table().playing().resigned(FRIEND)
    since = operator.sign(operator.log)
    signed = max(n for n, event in enumerate(match.table.events) if event.by == HONEST)
    lines = match.closed_by_operator(match.lines[: signed + 1])
    log = operator.history(operator.log.leaves[: operator.log.own(match.m)[-1][0]])
    match.log_close(lines, log=log)
    return Scene(match, since, AFTERWARDS, match.bundle(lines, log), log)


def invents_a_whole_service(operator: Operator) -> Scene:
    """Nobody ever saw anything of it before witnesses were asked, of which none had been: all seats are friends'."""
    asleep, operator.witnesses = operator.witnesses, []
    operator.table().made_up()
    match = operator.table().made_up()
    operator.witnesses = asleep
    operator.log.notes.clear()
    operator.sign(operator.log)
    return Scene(match, None, "not asked", match.bundle(), operator.log, victim=False)


# --- Restoring


def gives_a_match_up_as_lost(operator: Operator) -> Scene:
    since = visited(operator)
    match = operator.table().playing()
    state, lines = match.table.state, match.lines
    match.move()
    operator.append(lost_leaf(state, match.server_seed))
    operator.transcripts[match.m] = lines
    program = noticed(match, lambda: match.prove(match.honest, again=True))
    assert match.honest.lost == len(lines)
    return Scene(match, since, program, match.bundle(lines), operator.log)


def plays_on_from_a_backup(operator: Operator) -> Scene:
    """The store forgets the last moves, the log does not show it; the player, who goes no further, runs out of time."""
    since = visited(operator)
    match = operator.table().playing(4).until_turn_of(HONEST)
    saved, now, size = match.table.state, match.table.now, len(match.lines)
    match.move()
    match.table.state, match.table.now, match.table.events = saved, now, match.table.events[:size]
    match.silent |= {HONEST, FRIEND}
    match.run_out()
    program = noticed(match, lambda: match.honest.receive(match.say(HONEST, start=0)))
    while match.table.state.ending is None:
        match.run_out()
    return Scene(match, since, program, match.bundle(), operator.log)


def plays_on_in_a_restored_log(operator: Operator) -> Scene:
    """Store and log go back to before a match that the player won, and other matches take its place."""
    visited(operator)
    match = operator.table().playing().finished()
    since, own = operator.sign(operator.log), match.bundle()
    before = operator.log.leaves[: operator.log.own(match.m)[0][0]]
    operator.log = operator.history(before)
    again = operator.table()
    again.honest.receive(again.say(HONEST))
    program = noticed(again, lambda: again.prove(again.honest))
    operator.append(*(outage_leaf(n, n + 1) for n in range(8)))
    return Scene(match, since, program, own, operator.log)


# --- Tools of the forger


def promising(match: Match, seed: Seed) -> Keys:
    """The secrets of the match, with another seed of the server's."""
    return replace(match.table.keys, server_seed=seed)


def friends_join(match: Match, lines: Sequence[bytes]) -> bytes:
    """Another join of the friend's seat: another key, and a seed that suits the operator."""
    seen = Event.parse(lines[1]).data["do"]["join"]["seen"]
    do = {
        "join": {"key": OTHER_KEY.public.hex, "player": "f" * 32, "seed_commitment": commitment(GROUND), "seen": seen}
    }
    return match.seat_event(len(lines), FRIEND, "join", do, lines[:1], OTHER_KEY)


def full_leaf(match: Match, lines: Sequence[bytes]) -> bytes:
    return canonical.encode({"m": match.m, "root": lines_root(lines[:3]).hex(), "type": "full"})


def another_history(operator: Operator) -> ServiceLog:
    """The same log, but for one leaf more, which is another one."""
    other = operator.history([*operator.log.leaves, outage_leaf(5, 6)])
    operator.append(outage_leaf(1, 2))
    return other


def exchanged(log: ServiceLog, one: int, other: int) -> list[bytes]:
    leaves = list(log.leaves)
    leaves[one], leaves[other] = leaves[other], leaves[one]
    return leaves


def alone(match: Match, seat: int) -> list[bytes]:
    """What this seat is told from now on: that the other one lets its time run out, until it has lost."""
    state, lines, client = match.table.state, match.lines, match.clients[seat]
    while state.ending is None:
        if state.turn == seat:
            assert client.turn is not None
            value: Any = canonical.decode(client.act(client.turn.legal[-1]))
            events = decide(state, Move(SignedAction.parse(value)), state.last_t + 10, match.server_seed)
        else:
            assert state.due_at is not None
            events = decide(state, Tick(), state.due_at, match.server_seed)
        for event in events:
            state = evolve(state, event, match.server_seed)
            lines.append(event.line)
        client.receive(match.say(seat, lines))
    return lines
