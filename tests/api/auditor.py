"""The auditor of a service in this process."""

from pathlib import Path

import httpx2

from fairdeal.cli.mirror import mirror
from fairdeal.client import Api
from tests.api.table import AUDITOR, Service


def export(service: Service, folder: Path) -> dict[str, bytes]:
    """Without a socket, and without threads that could let the log grow meanwhile."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        told = service.http.get(str(request.url), headers=dict(request.headers))
        return httpx2.Response(told.status_code, content=told.content)

    with Api("http://testserver", AUDITOR, transport=httpx2.MockTransport(answer)) as api:
        assert mirror(api, folder, lambda _made, _path: None).missing == ()
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
