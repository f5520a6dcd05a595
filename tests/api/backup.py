"""A database that is set aside, put back later, and said to be gone on with."""

import shutil

import pytest

from fairdeal.app.restore import Restored
from fairdeal.main import restore_database
from tests.api.table import Service


def set_aside(service: Service) -> None:
    """A backup of the database, as it is now."""
    service.stop()
    shutil.copy(service.folder / "fairdeal.db", service.folder / "backup.db")
    service.start()


def put_back(service: Service) -> None:
    service.stop()
    for kept in service.folder.glob("fairdeal.db-*"):
        kept.unlink()
    shutil.copy(service.folder / "backup.db", service.folder / "fairdeal.db")


def restored(service: Service, monkeypatch: pytest.MonkeyPatch) -> Restored:
    """What `fairdeal restore` does, with the service's clock."""
    monkeypatch.setattr("fairdeal.main.SystemClock", lambda: service.clock)
    return restore_database(service.settings)
