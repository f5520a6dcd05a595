from collections.abc import Iterator
from pathlib import Path

import pytest

from fairdeal.api.rates import Rates
from tests.api.table import Service


@pytest.fixture(autouse=True)
def buckets_that_do_not_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a test takes."""
    monkeypatch.setitem(Rates.__init__.__kwdefaults__, "now", lambda: 0.0)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path)
    yield running
    running.stop()
