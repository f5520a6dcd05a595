"""Every secret is 32 bytes from the operating system: the server's seed, the seats' seeds, the keys."""

import ast
import os
import secrets
from hashlib import sha256
from pathlib import Path

import pytest

import fairdeal
from fairdeal.client import Memory, Player
from fairdeal.commit import Seed
from fairdeal.main import SystemEntropy
from fairdeal.match import Event
from tests.api.table import CountedEntropy, Service, ok
from tests.client.house import House

SOURCES = Path(fairdeal.__file__).parent
#: Modules that draw from the operating system; everything else is handed its bytes.
SOURCES_OF_CHANCE = {
    "main.py",  # os.urandom for whatever the service draws, secrets for the ids of calls
    "client/player.py",  # the seat's key and seed, and idempotency keys
    "cli/keys.py",  # the operator's keys
    "cli/witness.py",  # a witness's key
    "cli/demo.py",  # passwords of the two players
    "cli/running.py",  # the idempotency key of a reversal
    "cli/service.py",  # an operator token for a service started by hand
    "store/notices.py",  # a process's name among those on one database, to know its own notices by
}


def test_the_service_draws_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def urandom(count: int) -> bytes:
        asked.append(count)
        return b"\x5a" * count

    monkeypatch.setattr(os, "urandom", urandom)
    assert SystemEntropy().take(32) == b"\x5a" * 32
    assert asked == [32]


def test_a_table_promises_32_fresh_bytes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commitment is to bytes drawn for this table, and to nothing else; two tables share none."""
    drawn: list[bytes] = []
    take = CountedEntropy.take

    def recorded(self: CountedEntropy, count: int) -> bytes:
        drawn.append(take(self, count))
        return drawn[-1]

    monkeypatch.setattr(CountedEntropy, "take", recorded)
    person = service.person("alice")
    promised = set()
    for _ in range(5):
        drawn.clear()
        m = ok(person.post("/v1/tables", {"game": "duel", "stake": 0}))["m"]
        commitment = Event.parse(service.store.events(m)[0]).data["commitment"]
        seeds = [raw for raw in drawn if sha256(raw).hexdigest() == commitment]
        assert [len(raw) for raw in seeds] == [32]
        assert service.app.state.services.matches._seed(m) == Seed(seeds[0])
        promised.add(commitment)
    assert len(promised) == 5


def test_a_seat_makes_key_and_seed_of_32_fresh_bytes_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawn: list[bytes] = []

    def token_bytes(count: int) -> bytes:
        drawn.append(os.urandom(count))
        return drawn[-1]

    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    house = House()
    memory = Memory(tmp_path / "memory.db")
    Player(house.api(0), memory, tmp_path).sit(house.server.terms.m, house.server.terms.stake)
    sitting = memory.sitting(house.server.terms.m)
    memory.close()
    key, seed = drawn[:2]
    assert (len(key), len(seed)) == (32, 32)
    assert (sitting.key.seed, sitting.seed.reveal()) == (key, seed)
    assert key != seed


def test_nothing_draws_from_anywhere_else() -> None:
    found: dict[str, set[str]] = {}
    for path in SOURCES.rglob("*.py"):
        if names := chance(path.read_text()):
            found[path.relative_to(SOURCES).as_posix()] = names
    assert found.keys() == SOURCES_OF_CHANCE
    assert set().union(*found.values()) == {"os.urandom", "secrets"}


def chance(source: str) -> set[str]:
    """The makers of chance that a module uses."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
            modules += [f"os.{name.name}" for name in node.names if node.module == "os"]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            modules = [f"{node.value.id}.{node.attr}"]
        found |= {name for name in modules if name in ("random", "secrets", "uuid", "numpy", "os.urandom")}
    return found


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import random", "random"),
        ("from random import Random", "random"),
        ("def f():\n    import uuid", "uuid"),
        ("from os import urandom", "os.urandom"),
        ("import os\nos.urandom(4)", "os.urandom"),
    ],
)
def test_a_maker_of_chance_is_seen(source: str, name: str) -> None:
    assert name in chance(source)
