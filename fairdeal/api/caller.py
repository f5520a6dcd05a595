"""What a route may ask for: the services, who calls, and when the call was all there."""

import hmac
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Annotated, Final, TypeVar

import anyio
import anyio.to_thread
from fastapi import Depends, Header, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPBearer

from fairdeal.api.door import ARRIVED
from fairdeal.app.accounts import Accounts
from fairdeal.app.hub import Hub
from fairdeal.app.matches import Matches
from fairdeal.app.play import Play
from fairdeal.app.ports import Account
from fairdeal.app.tables import Tables
from fairdeal.errors import Forbidden, Unauthenticated

Result = TypeVar("Result")

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
HASHING_AT_ONCE: Final = 2
"""Password hashes computed at the same time: each takes a core and 19 MiB."""
HASHING_QUEUE: Final = 64
"""Callers that may wait for one; beyond this they are told to come back."""

_bearer = HTTPBearer(auto_error=False, description="A session's token; the operator's own for the operator's calls.")


class Busy(Exception):
    """Too many wait for this already."""


class Hashing:
    """Lets few password hashes run at once, off the event loop, and bounds who waits."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(HASHING_AT_ONCE)

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of `work`. Raises Busy."""
        if self._limiter.statistics().tasks_waiting >= HASHING_QUEUE:
            raise Busy
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the routes call. `origin` is the one that browsers must call from, None for the host called."""

    accounts: Accounts
    tables: Tables
    matches: Matches
    play: Play
    hub: Hub
    hashing: Hashing
    operator_token: str | None = field(repr=False)
    origin: str | None
    secure_cookies: bool

    @property
    def cookie(self) -> str:
        """The session cookie's name; the prefix makes a browser insist on https and on this host."""
        return "__Host-fairdeal" if self.secure_cookies else "fairdeal"


async def _services(request: Request) -> Services:
    services = request.app.state.services
    assert isinstance(services, Services)
    return services


ServicesDep = Annotated[Services, Depends(_services)]


async def _token(
    request: Request, services: ServicesDep, _documented: Annotated[object, Depends(_bearer)]
) -> str | None:
    """The bearer token, else the cookie's; a cookie counts in an unsafe call only when it comes from our own page."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return bearer
    token = request.cookies.get(services.cookie)
    if token is not None and request.method not in SAFE_METHODS:
        check_origin(request, services)
    return token


def check_origin(request: Request, services: Services) -> None:
    """Raises Forbidden for a call that another site's page makes with our cookie."""
    own = services.origin or f"{request.url.scheme}://{request.headers.get('host', '')}"
    if request.headers.get("origin") != own:
        raise Forbidden("the call does not come from this service's page")


TokenDep = Annotated[str | None, Depends(_token)]


async def _visitor(services: ServicesDep, token: TokenDep) -> Account | None:
    return None if token is None else await run_in_threadpool(services.accounts.who, token)


VisitorDep = Annotated[Account | None, Depends(_visitor)]
"""Who calls, when they say so. A login that is not valid is refused, not ignored."""


async def _caller(visitor: VisitorDep) -> Account:
    if visitor is None:
        raise Unauthenticated("log in first")
    return visitor


CallerDep = Annotated[Account, Depends(_caller)]


def is_operator(request: Request, services: Services) -> bool:
    """Whether the call carries the operator's token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    expected = services.operator_token
    return (
        expected is not None and scheme.lower() == "bearer" and hmac.compare_digest(token.encode(), expected.encode())
    )


async def _operator(request: Request, services: ServicesDep, _documented: Annotated[object, Depends(_bearer)]) -> None:
    if not is_operator(request, services):
        raise Forbidden("this is for the operator")


OperatorDep = Depends(_operator)

MatchId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The match's id.")]
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[A-Za-z0-9._-]{8,64}$",
        description="Chosen by the caller, new for each intent: the same key again gets the same answer.",
    ),
]

Language = Annotated[str, Header(alias="Accept-Language", description="`fr` or `en`, for the texts.")]


def is_french(language: str) -> bool:
    """Whether French is the first of our two languages that an Accept-Language header names."""
    for part in language.lower().split(","):
        primary = part.strip().split(";")[0].split("-")[0]
        if primary in ("fr", "en"):
            return primary == "fr"
    return False


async def _arrived(request: Request, services: ServicesDep, m: MatchId) -> AsyncIterator[int]:
    arrived: int = request.scope[ARRIVED]
    with services.matches.arriving(m, arrived):
        yield arrived


ArrivedDep = Annotated[int, Depends(_arrived)]
"""When the action was all there; from then on the clock knows that it is on its way."""
