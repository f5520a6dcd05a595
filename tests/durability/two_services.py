"""Two services on one PostgreSQL in one process, and what the writes of one of them come to."""

from collections.abc import Callable
from typing import TypeAlias

from fairdeal.app.ports import Append, CommitResult
from tests.api.table import Service

Both: TypeAlias = tuple[Service, Service]


def written(service: Service, meanwhile: Callable[[], object] = lambda: None) -> list[CommitResult]:
    """What its writes come to, from here on; between the decision and the first one it stands still for `meanwhile`."""
    real, rested, results = service.store.commit, list[bool](), list[CommitResult]()

    def commit(append: Append) -> CommitResult:
        if not rested:
            rested.append(True)
            meanwhile()
        results.append(real(append))
        return results[-1]

    vars(service.store)["commit"] = commit
    return results
