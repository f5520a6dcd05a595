"""Reading what the service answers over HTTP: JSON objects, refusals, and how long a busy service asks to wait."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import httpx2

from fairdeal.client.errors import ApiError

_BY_A_PROXY: Final = frozenset({httpx2.codes.BAD_GATEWAY, httpx2.codes.GATEWAY_TIMEOUT})
"""What a proxy says while the service behind it starts anew: it had no answer, whatever became of the call."""
_AGAIN: Final = _BY_A_PROXY | {
    httpx2.codes.REQUEST_TIMEOUT,
    httpx2.codes.TOO_MANY_REQUESTS,
    httpx2.codes.SERVICE_UNAVAILABLE,
}
"""Refusals for want of time or room: the call itself may be made again."""
LONGEST_WAIT_S: Final = 5
"""A service that is busy may ask for so much patience; one that asks for more has refused."""
SIZE_DIGITS: Final = 20
"""More than a log's size has."""


def asked_wait(response: httpx2.Response, *, repeatable: bool) -> int | None:
    """The seconds to wait before the call is made again; None for an answer, or a refusal. One that is not `repeatable`
    is made again only when it had no effect.
    """
    if response.status_code not in _AGAIN:
        return None
    unsaid = response.status_code == httpx2.codes.SERVICE_UNAVAILABLE and "Retry-After" not in response.headers
    if unsaid or response.status_code in _BY_A_PROXY:
        return 0 if repeatable else None  # it may have been done, and its answer lost
    seconds = response.headers.get("Retry-After", "0")
    asked = int(seconds) if seconds.isascii() and seconds.isdecimal() and len(seconds) < SIZE_DIGITS else 0
    return asked if asked <= LONGEST_WAIT_S else None


def read_object(text: str) -> dict[str, Any]:
    """The members of a JSON object. Raises ApiError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ApiError("not_json", 0, "the service sent something that is no JSON object")
    return value


def every(ask: Callable[[str | None], Mapping[str, Any]], member: str) -> Iterator[Any]:
    """What all the pages of a list hold, such as `every(api.withdrawals, "withdrawals")`. Raises ApiError."""
    cursor = None
    while True:
        page = ask(cursor)
        held, cursor = page.get(member), page.get("cursor")
        if not isinstance(held, list) or not isinstance(cursor, str | None):
            raise ApiError("not_a_page", 0, "the service sent something that is no page of a list")
        yield from held
        if cursor is None:
            return


def refusal_of(response: httpx2.Response) -> ApiError:
    """The error that a problem+json body tells of; other bodies come from something between us and the service."""
    try:
        told = read_object(response.text)
    except ApiError:
        told = {}
    problem = str(told.get("code", "http_error"))
    detail = str(told.get("detail", told.get("title", "no detail")))
    faults = told.get("faults")
    if isinstance(faults, list):
        detail = " ".join([detail, *(_fault(fault) for fault in faults if isinstance(fault, dict))])
    return ApiError(problem, response.status_code, detail, told)


def _fault(fault: Mapping[str, Any]) -> str:
    """One member that was refused, and why."""
    where = fault.get("where")
    return f"{'.'.join(map(str, where)) if isinstance(where, list) else '?'}: {fault.get('why')}."
