from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.table import Service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path)
    yield running
    running.stop()
