"""Logs of all matches that lie under their own valid signatures, and what is left after a player has refused one."""

import json
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.client import AlreadySigned, Contradiction, Memory, NotLogged
from fairdeal.errors import WrongPhase
from fairdeal.match import Phase, lost_leaf, parse_leaf
from tests.client.server import LOG, LogBook, M, Server, Table, ask, seed_of


def signed(memory: Memory) -> int:
    count: int = memory._db.execute("SELECT count(*) FROM action").fetchone()[0]
    return count


def refused(table: Table, seat: int, log: LogBook, answer: dict[str, Any] | None = None) -> Contradiction:
    """The contradiction; after it nothing is signed any more, and the evidence has both sides and no secret."""
    client, memory = table.clients[seat], table.memories[seat]
    before, held, kept = signed(memory), memory.newest(LOG), memory.logged(M)
    told = log.answer(0 if client.newest is None else client.newest.size) if answer is None else answer
    with pytest.raises(Contradiction) as caught:
        ask(client, log, told)
    for again in (client, table.client(seat)):
        for attempt in (again.join, again.seed, again.resign, again.kept_action):
            try:
                attempt()
            except (AlreadySigned, NotLogged, WrongPhase):
                continue
        with pytest.raises(AlreadySigned, match=caught.value.finding.value):
            ask(again, table.server.log)
    assert signed(memory) == before
    assert (memory.newest(LOG), memory.logged(M)) == (held, kept)
    data = (table.folder / str(seat) / f"{M}.evidence").read_bytes()
    lines: list[Any] = [canonical.decode(line) for line in data.splitlines()]
    assert lines[0]["finding"] == caught.value.finding.value
    assert json.loads(lines[-1]["answer"]) == told
    assert [line["newest"] for line in lines if "newest" in line] == ([] if held is None else [held[0]])
    assert [line["checkpoint"] for line in lines if "checkpoint" in line] == [one.checkpoint for one in kept]
    for secret in (bytes([10 + seat]) * 32, seed_of(20 + seat).reveal()):
        shown = secret.hex().encode() if table.server.state.phase in (Phase.JOINING, Phase.SEEDS) else b"\0"
        assert shown not in data
        assert secret not in data
    return caught.value


def changed(server: Server, kind: str, **members: Any) -> LogBook:
    """The server's log with another leaf of this kind in the place of ours."""
    book = LogBook()
    book.entries = list(server.log.entries)
    place = next(n for n, entry in enumerate(book.entries) if is_ours(entry, kind))
    book.entries[place] = canonical.encode({**parse_leaf(book.entries[place]), **members})
    return book


def is_ours(entry: bytes, kind: str) -> bool:
    leaf = parse_leaf(entry)
    return (leaf["m"], leaf["type"]) == (M, kind)


def lost(table: Table, at: int | None = None, **members: Any) -> LogBook:
    """The log in which the match was given up, with so many events left."""
    server, log = table.server, LogBook()
    log.entries = list(server.log.entries)
    leaf = parse_leaf(lost_leaf(server.state, server.server_seed))
    size = server.state.size if at is None else at
    root = table.clients[0]._roots[size].hex()
    log.append(canonical.encode({**leaf, "size": size, "root": root, **members}))
    return log
