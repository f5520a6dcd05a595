"""Routes of players' own limits and stops, and of the operator's switch."""

from dataclasses import asdict

from fastapi import APIRouter

from fairdeal.api.caller import CallerDep, OperatorDep, ServicesDep
from fairdeal.api.schemas.safeguards import (
    ExclusionIn,
    ExclusionOut,
    LimitIn,
    LimitOut,
    LimitsOut,
    StoppedOut,
    SwitchesOut,
    SwitchIn,
)
from fairdeal.app.safeguard_ports import Exclusion

router = APIRouter(tags=["safeguards"])


@router.get("/me/limits", operation_id="limits")
def limits(services: ServicesDep, caller: CallerDep) -> LimitsOut:
    """The caller's own limits."""
    return LimitsOut(limits=[LimitOut(**asdict(limit)) for limit in services.safeguards.limits(caller.id)])


@router.put("/me/limits", operation_id="set_limit")
def set_limit(body: LimitIn, services: ServicesDep, caller: CallerDep) -> LimitOut:
    """Sets one of the caller's limits: a lower one holds at once, a higher one or none 24 hours later."""
    limit = services.safeguards.set_limit(caller.id, body.kind, body.period, body.amount, body.asset)
    return LimitOut(**asdict(limit))


@router.get("/me/exclusion", operation_id="exclusion")
def exclusion(services: ServicesDep, caller: CallerDep) -> ExclusionOut:
    """The caller's own stop."""
    return _exclusion(services.safeguards.exclusion(caller.id))


@router.post("/me/exclusion", operation_id="exclude")
def exclude(body: ExclusionIn, services: ServicesDep, caller: CallerDep) -> ExclusionOut:
    """Stops the caller's play: no new seat and no deposit, while matches go on to their end and money can be withdrawn.
    Nobody can take it back or shorten it.
    """
    return _exclusion(services.safeguards.exclude(caller.id, body.kind, body.until))


@router.get("/switches", operation_id="switches", dependencies=[OperatorDep], tags=["operator"])
def switches(services: ServicesDep) -> SwitchesOut:
    """Whom play is stopped for. For the operator."""
    off = services.safeguards.switches_off()
    return SwitchesOut(off=[StoppedOut(account=one.account_id, reason=one.reason, at=one.at) for one in off])


@router.post("/switches", operation_id="switch", dependencies=[OperatorDep], tags=["operator"])
def switch(body: SwitchIn, services: ServicesDep) -> SwitchesOut:
    """Stops an account's play or everybody's, or lets it go on: what has begun goes on to its end. For the operator."""
    services.safeguards.switch(body.account, body.play == "on", body.reason)
    return switches(services)


def _exclusion(stop: Exclusion | None) -> ExclusionOut:
    if stop is None:
        return ExclusionOut(kind=None, at=None, until=None)
    return ExclusionOut(**asdict(stop))
