"""What lies behind a player: own matches, and the money of a month."""

from typing import Annotated, Literal, TypeAlias

from fastapi import Query

from fairdeal.api.schemas.accounts import WalletLineOut
from fairdeal.api.schemas.base import Amount, Hex16, Model, Ms
from fairdeal.api.schemas.tables import AssetOut, EndingOut, Game

Month: TypeAlias = Annotated[
    str, Query(pattern="^2[0-9]{3}-(0[1-9]|1[0-2])$", description="A calendar month, UTC.", examples=["2026-11"])
]


class TotalOut(Model):
    """What the lines of one kind come to."""

    kind: str
    lines: int
    amount: Amount


class StatementOut(Model):
    """The free money over a month, UTC: `opening` and all lines come to `closing`, and by kind to `totals`. Each month
    opens with what the one before it closed with; the current one grows. `lines` are a page, the oldest first, and
    `cursor` asks for the next one; null on the last.
    """

    month: str
    asset: str
    exponent: int
    opening: Amount
    totals: list[TotalOut]
    lines: list[WalletLineOut]
    closing: Amount
    cursor: str | None


class OwnMatchOut(Model):
    """A match that the caller sits at, or sat at to its end. `ending` (null while it goes on) is the match's own, with
    the cause `lost` where it went with a database and its stakes came back; `net` what it did to the caller's free
    money, null while it goes on; `bundle` where its record is, from the end on.
    """

    m: Hex16
    game: Game
    stake: Amount
    asset: AssetOut
    seat: int
    player: Hex16
    status: Literal["open", "joining", "live", "ended"]
    sat_at: Ms
    ended_at: Ms | None
    ending: EndingOut | None
    won: bool | None
    net: Amount | None
    bundle: str | None


class OwnMatchPage(Model):
    """By when the caller sat down, the newest first. `cursor` asks for the next page; null on the last one."""

    matches: list[OwnMatchOut]
    cursor: str | None
