"""The application: routes, errors and the door, around services made elsewhere."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response

from fairdeal import __version__
from fairdeal.api import accounts, matches, pages, problems, rules, tables
from fairdeal.api.caller import Busy, Services
from fairdeal.api.door import Door
from fairdeal.api.schemas import ProblemOut

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def build(services: Services, now_ms: Callable[[], int], new_id: Callable[[], str], lifespan: Lifespan) -> FastAPI:
    """The ASGI application."""
    app = _Application(
        title="fairdeal",
        version=__version__,
        summary="Provably fair dealing and audit of wagered belote.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses={"default": {"model": ProblemOut, "description": "An error; its `type` is a page about it."}},
    )
    app.state.services = services
    problems.install(app)
    app.add_exception_handler(Busy, _busy)
    v1 = APIRouter(prefix="/v1")
    for router in (accounts.router, tables.router, matches.router, rules.router):
        v1.include_router(router)
    app.include_router(v1)
    app.include_router(pages.health)
    app.include_router(pages.pages)
    app.add_middleware(Door, now_ms=now_ms, new_id=new_id)
    return app


class _Application(FastAPI):
    """Describes errors under the media type that they are sent with."""

    def openapi(self) -> dict[str, Any]:
        described = super().openapi()
        for methods in described["paths"].values():
            for operation in methods.values():
                problem = operation["responses"]["default"]
                schema = {"schema": {"$ref": "#/components/schemas/ProblemOut"}}
                problem["content"] = {"application/problem+json": schema}
        return described


async def _busy(_request: Request, _error: Exception) -> Response:
    return problems.problem("busy", headers={"Retry-After": "2"})
