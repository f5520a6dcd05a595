"""A player's own limits and stops, and the operator's switch."""

from typing import Annotated, Literal

from pydantic import Field

from fairdeal.api.schemas.base import Amount, AssetCode, Hex16, Model, Ms, Reason
from fairdeal.app.safeguard_ports import ExclusionKind, LimitKind, Period
from fairdeal.limits import MAX_SAFE_INTEGER


class LimitIn(Model):
    """The most that may come in (`deposit`), be staked (`stake`) or be lost (`loss`) in a day, a week from Monday on,
    or a month, UTC. Null asks for no limit.
    """

    kind: LimitKind
    period: Period
    amount: Annotated[int, Field(ge=0, le=MAX_SAFE_INTEGER, examples=[5000], description="Minor units.")] | None
    asset: Annotated[AssetCode | None, Field(description="Absent: the usual one.")] = None


class LimitOut(Model):
    """The limit in force, null for none. From `next_from` on, where that is not null, it is `next_amount`."""

    asset: str
    kind: LimitKind
    period: Period
    amount: Amount | None
    next_amount: Amount | None
    next_from: Ms | None


class LimitsOut(Model):
    """Every limit that is in force or to come."""

    limits: list[LimitOut]


class ExclusionIn(Model):
    """A stop of one's own play: cooling off for at most six weeks, or exclusion until a time or, null, for good."""

    kind: ExclusionKind
    until: Annotated[int, Field(gt=0, le=MAX_SAFE_INTEGER)] | None


class ExclusionOut(Model):
    """The stop in force that lasts longest; all null when there is none, `until` null when it is for good."""

    kind: ExclusionKind | None
    at: Ms | None
    until: Ms | None


class SwitchIn(Model):
    """Lets an account play, or everybody where it is null, or stops it. The reason is kept for the auditor."""

    account: Hex16 | None
    play: Literal["on", "off"]
    reason: Reason


class StoppedOut(Model):
    """Whom play is stopped for; everybody where `account` is null."""

    account: Hex16 | None
    reason: str
    at: Ms


class SwitchesOut(Model):
    """Everything that is switched off."""

    off: list[StoppedOut]
