"""The service's log of all matches, as anybody may read it."""

from typing import Any

from fairdeal.tlog import (
    Checkpoint,
    Policy,
    TileEdge,
    leaf_hash,
    root,
    tiles,
)
from tests.api.table import Service, ok


def opened(service: Service, note: str) -> Checkpoint:
    """The checkpoint, under the policy that the service gives out."""
    return Policy.parse(service.http.get("/log/policy").content).open(note).checkpoint


def log_of(service: Service, m: str, **asked: Any) -> dict[str, Any]:
    return ok(service.http.get(f"/v1/matches/{m}/log", params=asked))


def stored(service: Service) -> list[bytes]:
    return list(service.store.leaves(0, 10_000))


def check_one_history(service: Service) -> None:
    """The head, its checkpoint, every checkpoint before and every tile are those of the leaves."""
    leaves = stored(service)
    hashes = [leaf_hash(leaf) for leaf in leaves]
    assert opened(service, service.http.get("/log/checkpoint").text).root == root(hashes)
    for size in map(int, service.http.get("/log/checkpoints").text.split()):
        kept = opened(service, service.http.get(f"/log/checkpoints/{size}").text)
        assert (kept.size, kept.root) == (size, root(hashes[:size]))
    _, whole = TileEdge().append(hashes)
    for tile in tiles(len(leaves)):
        assert service.http.get(f"/log/{tile.path}").content == whole[tile]
