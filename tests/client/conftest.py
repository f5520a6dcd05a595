from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.server import Table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.close()
