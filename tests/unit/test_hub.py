"""Who listens: nothing is missed by a slow one, and nothing waits for it."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps

from fairdeal.app.answer import Answer
from fairdeal.app.hub import AS_IT_STANDS, MAX_LISTENERS, Hub, Listener


def on_a_loop(test: Callable[[], Coroutine[None, None, None]]) -> Callable[[], None]:
    @wraps(test)
    def run() -> None:
        asyncio.run(test())

    return run


def answer(start: int, count: int) -> Answer:
    return Answer("m", start, ("{}",) * count, "", {}, "", 0, None, False)


def told(hub: Hub) -> dict[str, list[Listener]]:
    """Who is to be looked at, by match."""
    return {match_id: news.listeners for match_id, news in (hub.changed() or {}).items()}


@on_a_loop
async def test_who_has_not_taken_what_it_was_handed_is_looked_at_again_when_it_has() -> None:
    hub = Hub()
    listener = hub.listen("m", "alice", "token", 3)
    # What happened before it listened is looked for at once.
    assert told(hub) == {"m": [listener]}
    assert listener.wants()
    listener.hand(answer(3, 2))
    assert listener.size == 5
    hub.publish("m")
    assert told(hub) == {"m": [listener]}
    assert not listener.wants()
    assert await listener.next(600) == answer(3, 2)
    assert told(hub) == {"m": [listener]}
    assert listener.wants()


@on_a_loop
async def test_who_has_taken_everything_is_not_looked_at() -> None:
    hub = Hub()
    listener = hub.listen("m", "alice", "token", 3)
    hub.changed()
    assert listener.wants()
    listener.hand(answer(3, 2))
    assert await listener.next(600) == answer(3, 2)
    hub.publish("other")
    hub.end()
    assert hub.changed() is None


@on_a_loop
async def test_who_is_told_nothing_for_a_while_goes_on_to_listen() -> None:
    hub = Hub()
    listener = hub.listen("m", "alice", "token", 3)
    assert await listener.next(0.01) is None
    assert not listener.stopped
    listener.hand(answer(3, 2))
    assert await listener.next(600) == answer(3, 2)
    listener.stop()
    assert await listener.next(600) is None
    assert listener.stopped


@on_a_loop
async def test_streams_are_counted_and_the_oldest_of_too_many_ends() -> None:
    hub = Hub()
    listeners = [hub.listen("m", "alice", "token", 0) for _ in range(MAX_LISTENERS + 1)]
    other = hub.listen("m", "bruno", "token", 0)
    assert await listeners[0].next(600) is None
    assert (hub.count(), hub.count_of("alice"), hub.count_of("bruno")) == (MAX_LISTENERS + 1, MAX_LISTENERS, 1)
    for listener in [*listeners, other, other]:
        hub.leave(listener)
    assert (hub.count(), hub.count_of("alice"), hub.count_of("bruno")) == (0, 0, 0)


@on_a_loop
async def test_a_closed_hub_ends_every_stream_and_those_that_come_late() -> None:
    hub = Hub()
    early = hub.listen("m", "alice", "token", 0)
    hub.close()
    late = hub.listen("m", "alice", "token", 0)
    assert await early.next(600) is None
    assert await late.next(600) is None


@on_a_loop
async def test_when_anything_may_have_happened_everybody_is_looked_at_and_what_is_told_comes_in_between() -> None:
    hub = Hub()
    matches = [f"m{number}" for number in range(50)]
    listeners = {m: [hub.listen(m, account, "token", 0) for account in ("alice", "bruno")] for m in matches}
    assert told(hub) == listeners
    hub.hear_anything()
    looked_at = told(hub)
    assert 0 < len(looked_at) < 10
    last = next(m for m in reversed(matches) if m not in looked_at)
    hub.publish(last)
    assert told(hub)[last] == listeners[last]
    rounds = 0
    while len(looked_at) < len(matches):
        hub.hear_anything()  # more often than it takes to look at all of them
        looked_at |= told(hub)
        rounds += 1
        assert rounds < len(matches)
    assert looked_at == listeners


@on_a_loop
async def test_what_is_told_says_how_far_the_match_has_grown_as_far_as_anybody_knows() -> None:
    def size(*told: Callable[[], None]) -> int:
        for tell in told:
            tell()
        return (hub.changed() or {})["m"].size

    hub = Hub()
    passed_on: list[str] = []
    hub.tell_others = passed_on.append
    hub.listen("m", "alice", "token", 3)
    assert size() == AS_IT_STANDS, "it may be any size by now"
    assert size(lambda: hub.publish("m", 7), lambda: hub.publish("m", 5)) == 7
    assert size(lambda: hub.publish("m", 7), lambda: hub.hear("match m 9")) == 9
    assert size(lambda: hub.publish("m", 7), lambda: hub.publish("m")) == AS_IT_STANDS
    assert passed_on[-2:] == ["match m 7", "match m"]
    for sizeless in ("match m", "match m ", "match m x", "match m -1", f"match m {'9' * 5_000}"):
        assert size(lambda told=sizeless: hub.hear(told)) == AS_IT_STANDS  # type: ignore[misc]
    assert size(lambda: hub.publish("m", 7), lambda: hub.wake("alice")) == AS_IT_STANDS
