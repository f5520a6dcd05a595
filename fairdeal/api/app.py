"""The application: routes, errors and the door, around services made elsewhere."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from fastapi import APIRouter, Depends, FastAPI, Request, Response

from fairdeal import __version__
from fairdeal.api import accounts, audit, cashier, history, log, matches, pages, problems, rules, safeguards, tables
from fairdeal.api.caller import Services, count_call, forget_cookie
from fairdeal.api.door import Door
from fairdeal.api.paging import check_query
from fairdeal.api.schemas.base import ProblemOut
from fairdeal.api.schemas.matches import AnswerOut
from fairdeal.errors import Unauthenticated

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    "default": {"model": ProblemOut, "description": "An error; its `type` is a page about it."}
}


def _all_routes() -> APIRouter:
    v1 = APIRouter(prefix="/v1", dependencies=[Depends(check_query)])
    for router in (
        accounts.router,
        cashier.router,
        safeguards.router,
        history.router,
        tables.router,
        matches.router,
        log.router,
        rules.router,
        audit.router,
    ):
        v1.include_router(router)
    routes = APIRouter(dependencies=[Depends(count_call)], responses=_RESPONSES)
    for router in (v1, log.files, audit.files, pages.health, pages.pages):
        routes.include_router(router)
    return routes


_ROUTES: Final = _all_routes()
"""Of every application that this process makes: what they take and give is read out of their annotations once."""
_MOVE: Final = matches.MoveRoute(
    "/v1/matches/{m}/actions",
    matches.act,
    methods=["POST"],
    operation_id="act",
    tags=["matches"],
    response_model=AnswerOut,
    responses=_RESPONSES,
)
"""Before all others, so that it is not looked for among them."""


def build(services: Services, now_ms: Callable[[], int], new_id: Callable[[], str], lifespan: Lifespan) -> FastAPI:
    """The ASGI application."""
    app = _Application(
        title="fairdeal",
        version=__version__,
        summary="Provably fair dealing and audit of wagered belote.",
        openapi_url=None,  # `pages` has it: FastAPI's own would stand beside the routes that are counted
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # the redirect would be to whatever host the caller named
        lifespan=lifespan,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.services = services
    problems.install(app)
    app.add_exception_handler(Unauthenticated, _unauthenticated)
    app.router.routes.append(_MOVE)
    app.include_router(_ROUTES)
    app.add_middleware(Door, now_ms=now_ms, new_id=new_id, proxies=services.proxies, metrics=services.metrics)
    return app


class _Application(FastAPI):
    """Describes what FastAPI does not: the sum of a call, the media type of errors."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is not None:
            return self.openapi_schema
        described = super().openapi()
        for methods in described["paths"].values():
            for operation in methods.values():
                operation["summary"] = operation["description"].split(".")[0].split(":")[0]
                problem = {"schema": {"$ref": "#/components/schemas/ProblemOut"}}
                operation["responses"]["default"]["content"] = {"application/problem+json": problem}
        return described


async def _unauthenticated(request: Request, error: Exception) -> Response:
    assert isinstance(error, Unauthenticated)
    answer, services = problems.of_error(error), request.app.state.services
    if services.cookie in request.cookies and "authorization" not in request.headers:
        forget_cookie(answer, services)
    return answer
