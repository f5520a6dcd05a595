import time
from types import SimpleNamespace

import pytest


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start of the service takes as long as it takes: the client tries for minutes, not for six seconds."""
    monkeypatch.setattr("fairdeal.client.api._ATTEMPTS", 1_000)
    monkeypatch.setattr("fairdeal.client.api.time", SimpleNamespace(sleep=lambda s: time.sleep(min(s, 0.2))))
