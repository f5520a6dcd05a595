"""Every error that an answer can carry: one table from our errors and the edge's own to HTTP (RFC 9457)."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from fairdeal import errors
from fairdeal.api.call import CURRENT

log = logging.getLogger("fairdeal.api")

TYPE_PREFIX: Final = "/v1/errors/"
"""An error's `type` is this and its code: a page that says what it means."""
_METHODS: Final = ("DELETE", "GET", "PATCH", "POST", "PUT")


class Kind(NamedTuple):
    """One row: the status of the answer, and what is always true of the error."""

    status: int
    title: str
    again: bool = False
    """Nothing is wrong with the service, and the same call may succeed soon."""


OURS: Final[Mapping[type[errors.FairdealError], Kind]] = {
    errors.FairdealError: Kind(500, "The service failed."),
    errors.Malformed: Kind(422, "Something is not written in the one form it must have."),
    errors.Proof: Kind(422, "A cryptographic check failed."),
    errors.CommitmentMismatch: Kind(422, "The seed does not open the commitment."),
    errors.Inconsistent: Kind(422, "The newer tree is not shown to only add to the older one."),
    errors.KeyRefused: Kind(422, "The key is weak, or of an unknown kind."),
    errors.NotIncluded: Kind(422, "The leaf is not shown to stand at that index of the log."),
    errors.QuorumMissing: Kind(422, "Too few witnesses have cosigned the checkpoint."),
    errors.SealBroken: Kind(500, "The service's own records are broken."),
    errors.SignatureInvalid: Kind(422, "The signature is not by that key over those bytes."),
    errors.Refused: Kind(409, "The rules do not allow it now."),
    errors.IllegalAction: Kind(422, "The rules forbid this bid, card or join; `reason` says which of them does."),
    errors.Late: Kind(409, "The deadline has passed."),
    errors.RootMismatch: Kind(409, "Signed over another history than this one."),
    errors.RuleBroken: Kind(500, "The service's own records are broken."),
    errors.NotYourTurn: Kind(409, "Another seat is on turn."),
    errors.Stale: Kind(409, "The history has moved on since this was signed."),
    errors.WrongPhase: Kind(409, "The match is not at the point where this may be done."),
    errors.AccountInUse: Kind(409, "The account has something that must end first, or must be kept for longer."),
    errors.AheadOfLog: Kind(409, "The log has fewer leaves than the checkpoint that the caller holds."),
    errors.AlreadySeated: Kind(409, "The account already has a seat at this table."),
    errors.BotRefused: Kind(403, "Machines do not sit at staked tables."),
    errors.CodeRefused: Kind(403, "The private table's code, or the partner's, is missing or wrong."),
    errors.CommitmentReused: Kind(409, "The commitment was used before; one serves once, ever."),
    errors.CredentialsRefused: Kind(401, "No account has that name and password."),
    errors.Excluded: Kind(403, "The account's owner has stopped its play for a time, or for good."),
    errors.Forbidden: Kind(403, "Who asks may not do this."),
    errors.IdempotencyConflict: Kind(409, "The idempotency key was used before for something else."),
    errors.InsufficientFunds: Kind(409, "The free balance does not suffice."),
    errors.LimitExceeded: Kind(409, "It would pass an amount or a count that the service allows."),
    errors.NameTaken: Kind(409, "Another account has that name."),
    errors.NotLoggedYet: Kind(503, "The leaf is not in the log yet; try again.", again=True),
    errors.NotReversible: Kind(409, "There is no such deposit or payout, or it was reversed before."),
    errors.NotSeated: Kind(403, "The account has no seat at this table."),
    errors.PlayStopped: Kind(403, "The operator has stopped play; what has begun goes on to its end."),
    errors.PlayerLimitReached: Kind(409, "It would pass a limit that the account's owner has set."),
    errors.SeatTaken: Kind(409, "The seat is taken, or all of them are."),
    errors.StakeRefused: Kind(422, "The game is not played for a stake."),
    errors.TableClosed: Kind(409, "The table no longer takes or releases seats."),
    errors.TermsRefused: Kind(422, "The house has no such asset, or opens no tables on these terms."),
    errors.Unauthenticated: Kind(401, "The call needs a login, and none that is valid came with it."),
    errors.UnknownAccount: Kind(404, "There is no such account."),
    errors.UnknownLog: Kind(404, "The witness keeps no checkpoints of that log."),
    errors.UnknownMatch: Kind(404, "There is no such match."),
    errors.UnknownPlayer: Kind(404, "Nobody sits, or sat at a full table, under that pseudonym."),
    errors.UnknownWithdrawal: Kind(404, "There is no such withdrawal."),
    errors.WebhookRefused: Kind(401, "The webhook is not signed with the cashier's secret, or is too old."),
    errors.WithdrawalEnded: Kind(409, "The withdrawal has ended the other way."),
    errors.WitnessConflict: Kind(409, "The witness holds another checkpoint."),
    errors.WitnessRefused: Kind(502, "The witness gave no cosignature."),
    errors.Broken: Kind(500, "The service's own records are broken."),
    errors.ClockApart: Kind(503, "The clock of this machine is not the database's; it waits until they agree."),
    errors.ClockSteppedBack: Kind(503, "The service's clock went back; it waits until it is right again."),
    errors.DatabaseLocked: Kind(503, "Another process uses this database."),
    errors.AddressRefused: Kind(503, "The service cannot listen there."),
    errors.KeyMissing: Kind(500, "The service lacks a key that its records need."),
    errors.LedgerBroken: Kind(500, "Money would be made, lost or moved twice; nothing was written."),
    errors.LogBehind: Kind(503, "The service's database is an older one than its log."),
    errors.LogStuck: Kind(503, "The log of all matches does not go on."),
    errors.RecordsBroken: Kind(500, "The service's own records would break; nothing was written."),
    errors.SchemaMismatch: Kind(503, "The database was made by another version."),
    errors.StoreBusy: Kind(503, "Others hold what it needs in the database; nothing was done, try again.", again=True),
    errors.StoreFailed: Kind(503, "The database does not answer, or refuses to write."),
}
"""Every error of `fairdeal.errors`, families included; a test walks them."""

EDGE: Final[Mapping[str, Kind]] = {
    "bad_request": Kind(
        400,
        "No proper HTTP, a header twice, a path in a second spelling, or a body that is not JSON in UTF-8 with every"
        " member once.",
    ),
    "not_found": Kind(404, "There is nothing here."),
    "method_not_allowed": Kind(405, "This cannot be done with that method."),
    "body_timeout": Kind(408, "The body took too long to arrive."),
    "head_timeout": Kind(408, "The head of the call took too long to arrive."),
    "head_too_large": Kind(431, "The head of the call, or what stands around its body, is larger than any call needs."),
    "body_too_large": Kind(413, "The body is larger than any call needs."),
    "unsupported_media_type": Kind(415, "Bodies are application/json."),
    "invalid_request": Kind(422, "The call does not have the members and forms that it must have."),
    "internal_error": Kind(500, "The service failed."),
    "rate_limited": Kind(429, "The caller asks too often; `Retry-After` says when to ask again."),
    "too_many_streams": Kind(429, "The account has as many streams open as it may; close one first."),
    "busy": Kind(503, "Too many ask for this at once; try again."),
    "stopping": Kind(503, "The service is about to stop, or to start anew; try again."),
}
"""What the edge refuses by itself, by code."""

KINDS: Final[Mapping[str, Kind]] = {**{error.code: kind for error, kind in OURS.items()}, **EDGE}
_BY_STATUS: Final = {kind.status: code for code, kind in EDGE.items() if code != "invalid_request"}


class NotNow(Exception):
    """The edge turns a call away that may succeed after `seconds`, with one of its codes."""

    def __init__(self, code: str, seconds: int) -> None:
        super().__init__(code)
        self.code = code
        self.seconds = seconds


def problem(
    code: str,
    detail: str | None = None,
    details: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer for an error of this code. `details` become members of their own; none may replace a standard one."""
    kind = KINDS[code]
    call = CURRENT.get()
    content: dict[str, Any] = dict(details or {})
    content |= {"type": TYPE_PREFIX + code, "title": kind.title, "status": kind.status, "code": code}
    if detail:
        content["detail"] = detail
    if call is not None:
        content["request"], call.code = call.request_id, code
    return JSONResponse(content, kind.status, dict(headers or {}), media_type="application/problem+json")


def of_error(error: errors.FairdealError) -> Response:
    """The answer for one of ours. A fault of the service shows its code and nothing of its message."""
    kind = OURS[type(error)]
    if kind.again:
        return problem(error.code, error.message, error.details, {"Retry-After": "1"})
    if kind.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("fault", exc_info=error)
        return problem(error.code)
    headers = {"WWW-Authenticate": "Bearer"} if kind.status == HTTPStatus.UNAUTHORIZED else {}
    return problem(error.code, error.message, error.details, headers)


def install(app: FastAPI) -> None:
    """Makes every refusal of this application a problem."""

    async def ours(_request: Request, error: Exception) -> Response:
        assert isinstance(error, errors.FairdealError)
        return of_error(error)

    async def later(_request: Request, error: Exception) -> Response:
        assert isinstance(error, NotNow)
        return problem(error.code, headers={"Retry-After": str(error.seconds)})

    async def invalid(_request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        # What was sent is not repeated: it may be a password.
        faults = [{"where": [str(part) for part in fault["loc"]], "why": fault["msg"]} for fault in error.errors()]
        if any(fault["type"] == "json_invalid" for fault in error.errors()):
            return problem("bad_request")
        return problem("invalid_request", details={"faults": faults})

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = _BY_STATUS.get(error.status_code, "internal_error")
        # The framework names the methods of the first route of that path alone.
        allowed = {"Allow": _methods(request)} if code == "method_not_allowed" else {}
        return problem(code, headers={**(error.headers or {}), **allowed})

    app.add_exception_handler(errors.FairdealError, ours)
    app.add_exception_handler(NotNow, later)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)


def _methods(request: Request) -> str:
    """Every method that some route answers on the request's path. The door answers a HEAD by what answers the GET."""
    scopes = [{**request.scope, "method": method} for method in _METHODS]
    answered = [scope["method"] for scope in scopes if any(_matches(route, scope) for route in request.app.routes)]
    return ", ".join(f"{method}, HEAD" if method == "GET" else method for method in answered)


def _matches(route: BaseRoute, scope: Scope) -> bool:
    return route.matches(scope)[0] is Match.FULL
