"""Routes beside the API: whether the service is well, what its errors mean, and a page that shows the description."""

import re
from collections.abc import Mapping
from html import escape
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from fairdeal.api.caller import ServicesDep
from fairdeal.api.problems import KINDS, TYPE_PREFIX
from fairdeal.api.schemas.base import HealthOut, ReadyOut

health = APIRouter(tags=["service"])
pages = APIRouter(include_in_schema=False)

_CODE: Final = re.compile(r"`([^`]*)`")
_STYLE: Final = "body{font:1rem/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}code{font-size:.95em}"


@health.get("/healthz", operation_id="healthz")
async def healthz() -> HealthOut:
    """The process answers."""
    return HealthOut(status="ok")


@health.get("/readyz", operation_id="readyz")
def readyz(services: ServicesDep) -> ReadyOut:
    """The schema is this version's, the store can write, the keys are there and sign, the clock is right, the
    log goes on, and nobody has asked the service to stop. What needs the operator soon is in `warnings`.
    """
    services.drain.check()
    services.matches.check_ready()
    services.heart.check_ready()
    return ReadyOut(status="ok", warnings=[f"disk nearly full: {kept}" for kept in services.disks.short()])


@pages.get("/")
async def home() -> RedirectResponse:
    """Shows who comes by with a browser what there is. Nobody keeps such an answer, so that another may come."""
    return RedirectResponse("/docs")


@pages.get(TYPE_PREFIX.rstrip("/"))
async def error_list() -> HTMLResponse:
    """Every error there is."""
    rows = "".join(
        f"<li><a href='{TYPE_PREFIX}{code}'><code>{code}</code></a> ({kind.status}) {escape(kind.title)}</li>"
        for code, kind in sorted(KINDS.items())
    )
    return _page("Errors", f"<ul>{rows}</ul>")


@pages.get(TYPE_PREFIX + "{code}")
async def error(code: str) -> HTMLResponse:
    """What an error's `type` leads to."""
    kind = KINDS.get(code)
    if kind is None:
        raise HTTPException(404)
    return _page(code, f"<p>{escape(kind.title)}</p><p>Status {kind.status}.</p>")


@pages.get("/openapi.json")
async def description(request: Request) -> JSONResponse:
    """The API, for programs."""
    return JSONResponse(request.app.openapi())


@pages.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Every call, from the description itself; no outside host is asked."""
    items = []
    described = request.app.openapi()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            about = _CODE.sub(r"<code>\1</code>", escape(operation["description"]))
            items.append(
                f"<li><code>{method.upper()} {escape(path)}</code><br>{about}{_body(described, operation)}</li>"
            )
    return _page("fairdeal API", f"<p><a href='/openapi.json'>openapi.json</a></p><ul>{''.join(items)}</ul>")


def _body(described: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    """The members of the body that a call takes; a call with several forms has a line for each."""
    if "requestBody" not in operation:
        return ""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    forms = [described["components"]["schemas"][one["$ref"].split("/")[-1]] for one in schema.get("oneOf", [schema])]
    return "".join(f"<br>Body: <code>{escape(', '.join(form['properties']))}</code>" for form in forms)


def _page(title: str, body: str) -> HTMLResponse:
    head = f"<meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"
    return HTMLResponse(f"<!doctype html><html lang=en>{head}<h1>{escape(title)}</h1>{body}</html>")
