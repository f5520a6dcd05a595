"""What a route may ask for: the services, who calls, and when the call was all there."""

import hmac
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeVar

import anyio
import anyio.to_thread
from fastapi import Depends, Header, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.security import APIKeyCookie, HTTPBearer

from fairdeal.api.addresses import Proxies
from fairdeal.api.door import CLIENT
from fairdeal.api.logins import Logins
from fairdeal.api.metrics import Metrics
from fairdeal.api.problems import NotNow
from fairdeal.api.rates import Rates
from fairdeal.api.webhooks import WebhookSecret
from fairdeal.app.accounts import Accounts
from fairdeal.app.audit import Audit
from fairdeal.app.cashier import Cashier
from fairdeal.app.disks import Disks
from fairdeal.app.heart import Heart
from fairdeal.app.hub import Hub
from fairdeal.app.log import Log
from fairdeal.app.matches import Matches
from fairdeal.app.play import Play
from fairdeal.app.ports import Account
from fairdeal.app.safeguards import Safeguards
from fairdeal.app.tables import Tables
from fairdeal.errors import Forbidden, Unauthenticated

Result = TypeVar("Result")

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
HASHING_AT_ONCE: Final = 2
"""Password hashes computed at the same time: each takes a core and 19 MiB."""
HASHING_QUEUE: Final = 64
"""Callers that may wait for one; beyond this they are told to come back."""
_STARTED_AGAIN_S: Final = 2
"""A service that is started anew answers by then."""
_HASHING_AGAIN_S: Final = 2
"""By then half of a full queue is done."""

_WEIGHT: Final = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")
"""RFC 9110, section 12.4.2."""

# For the description alone: the headers are read below.
_bearer = HTTPBearer(scheme_name="session", auto_error=False, description="A session's token.")
_operator_bearer = HTTPBearer(scheme_name="operator", auto_error=False, description="The operator's own token.")
_auditor_bearer = HTTPBearer(scheme_name="auditor", auto_error=False, description="The auditor's token: it only reads.")
_cookie = APIKeyCookie(
    name="__Host-fairdeal",
    scheme_name="cookie",
    auto_error=False,
    description="A session's token, set by logging in with `cookie`; in development it is named `fairdeal`. Calls that"
    " change something then need the `Origin` of the service's own page.",
)


class Hashing:
    """Lets few password hashes run at once, off the event loop, and bounds who waits."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(HASHING_AT_ONCE)

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of `work`. Raises NotNow."""
        if self._limiter.statistics().tasks_waiting >= HASHING_QUEUE:
            raise NotNow("busy", _HASHING_AGAIN_S)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


class Drain:
    """Whether the service is about to stop. What has begun is answered, and nobody sits down any more."""

    def __init__(self) -> None:
        self.stopping = False

    def check(self) -> None:
        """Raises NotNow."""
        if self.stopping:
            raise NotNow("stopping", _STARTED_AGAIN_S)


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the routes call. `origin` is the one that browsers must call from, None for the host called.

    Where there is no token of a role, nobody has that role.
    """

    accounts: Accounts
    logins: Logins
    cashier: Cashier
    safeguards: Safeguards
    tables: Tables
    matches: Matches
    heart: Heart
    play: Play
    log: Log
    audit: Audit
    hub: Hub
    hashing: Hashing
    proxies: Proxies
    rates: Rates
    metrics: Metrics
    disks: Disks
    drain: Drain
    streams_max: int
    connections_max: int
    operator_token: str | None = field(repr=False)
    auditor_token: str | None = field(repr=False)
    webhook_secrets: tuple[WebhookSecret, ...]
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


def _bearer_token(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else None


async def count_call(request: Request, services: ServicesDep) -> None:
    """Asked before every route. Raises NotNow when who calls does so too often: the account, else the address. Operator
    and auditor are not counted.
    """
    bearer = _bearer_token(request)
    if _carries(bearer, services.operator_token) or _carries(bearer, services.auditor_token):
        return
    token = bearer if bearer is not None else request.cookies.get(services.cookie)
    account_id = None
    if token is not None:
        account_id = services.logins.owner(token)
        if account_id is None:
            with suppress(Unauthenticated):
                account_id = (await run_in_threadpool(services.logins.who, token)).id
    if account_id is None:
        services.rates.count_address(request.scope[CLIENT])
    else:
        services.rates.count_account(account_id)


async def token_of(request: Request, services: ServicesDep) -> str | None:
    """The bearer token, else the cookie's; a cookie counts in an unsafe call only when it comes from our own page."""
    bearer = _bearer_token(request)
    if bearer is not None:
        return bearer
    token = request.cookies.get(services.cookie)
    if token is not None and request.method not in SAFE_METHODS:
        check_origin(request, services)
    return token


async def _token(
    token: Annotated[str | None, Depends(token_of)],
    _documented: Annotated[object, Depends(_bearer)],
    _documented_too: Annotated[object, Depends(_cookie)],
) -> str | None:
    return token


def check_origin(request: Request, services: Services) -> None:
    """Raises Forbidden for a call that another site's page makes with our cookie."""
    own = services.origin or f"{request.url.scheme}://{request.headers.get('host', '')}"
    if request.headers.get("origin") != own:
        raise Forbidden("the call does not come from this service's page")


def forget_cookie(response: Response, services: Services) -> None:
    """Tells a browser to drop the session cookie: scripts of the page cannot."""
    response.delete_cookie(services.cookie, path="/", secure=services.secure_cookies, httponly=True, samesite="strict")


TokenDep = Annotated[str | None, Depends(_token)]


async def _visitor(token: TokenDep, services: ServicesDep) -> Account | None:
    return None if token is None else await run_in_threadpool(services.logins.who, token)


VisitorDep = Annotated[Account | None, Depends(_visitor)]
"""Who calls, when they say so. A login that is not valid is refused, not ignored; a cookie goes with the refusal."""


async def _caller(visitor: VisitorDep) -> Account:
    if visitor is None:
        raise Unauthenticated("log in first")
    return visitor


CallerDep = Annotated[Account, Depends(_caller)]

ALSO_NOBODY: Final[dict[str, Any]] = {"openapi_extra": {"security": [{}]}}
"""Of a route that says more, or does something, for a login, and answers without one: its description says so."""


def is_operator(request: Request, services: Services) -> bool:
    """Whether the call carries the operator's token."""
    return _carries(_bearer_token(request), services.operator_token)


def _carries(token: str | None, expected: str | None) -> bool:
    return token is not None and expected is not None and hmac.compare_digest(token.encode(), expected.encode())


async def _operator(
    request: Request, services: ServicesDep, _documented: Annotated[object, Depends(_operator_bearer)]
) -> None:
    if not is_operator(request, services):
        raise Forbidden("this is for the operator")


OperatorDep = Depends(_operator)


async def _auditor(
    request: Request, services: ServicesDep, _documented: Annotated[object, Depends(_auditor_bearer)]
) -> None:
    if not _carries(_bearer_token(request), services.auditor_token):
        raise Forbidden("this is for the auditor")


AuditorDep = Depends(_auditor)

MatchId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The match's id.")]
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[A-Za-z0-9._-]{8,64}$",
        description="Chosen by the caller, new for each intent. The same key again does the work no second"
        " time: a refusal of it is repeated, and an answer tells how things stand now.",
    ),
]

Language = Annotated[str, Header(alias="Accept-Language", description="`fr` or `en`, for the texts.")]


def is_french(language: str) -> bool:
    """Whether an Accept-Language header prefers French to English; named alike, the first counts."""
    asked: list[tuple[float, str]] = []
    for part in language.lower().replace(" ", "").split(","):
        tag, _, weight = part.partition(";q=")
        asked.append((float(weight) if _WEIGHT.fullmatch(weight) else 1.0, tag.split("-")[0]))
    ours = [(weight, primary) for weight, primary in asked if primary in ("fr", "en") and weight > 0]
    return max(ours, key=lambda one: one[0], default=(0.0, "en"))[1] == "fr"
