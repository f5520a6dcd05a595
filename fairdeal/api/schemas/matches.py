"""What is sent to a match, and what it answers."""

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairdeal.api.schemas.base import Hex16, Hex32, Hex64, Model, Ms
from fairdeal.limits import MAX_SAFE_INTEGER


class Seen(Model):
    """The newest checkpoint of the log of all matches that the client knows."""

    root: Hex32
    size: Annotated[int, Field(ge=0, le=MAX_SAFE_INTEGER)]


class Join(Model):
    """The seat's key and its promise of a seed."""

    key: Hex32
    player: Hex16
    seed_commitment: Hex32
    seen: Seen


class DoJoin(Model):
    """Join the match."""

    join: Join


class DoSeed(Model):
    """Open the promise."""

    seed: Hex32


class ContractIn(Model):
    """A bid of the coinche: the points undertaken, 250 for the capot, and the trump."""

    suit: Literal["S", "H", "D", "C"]
    value: Annotated[int, Field(ge=80, le=250)]


class DoBid(Model):
    """A word of the bidding."""

    bid: Literal["pass", "take", "S", "H", "D", "C", "coinche", "surcoinche"] | ContractIn


class DoCard(Model):
    """A card of the own hand."""

    card: Annotated[str, Field(pattern=r"^[SHDC]([789JQKA]|10)$", examples=["S10"])]


def _not_one(value: object) -> object:
    """Python's 1 equals True; on the wire they are two things."""
    if type(value) is int:
        raise ValueError("Input should be true")
    return value


class DoResign(Model):
    """Give the match up."""

    resign: Annotated[Literal[True], BeforeValidator(_not_one)]


class DoDeclare(Model):
    """Declare one's announcements."""

    declare: Annotated[Literal[True], BeforeValidator(_not_one)]


def _form(do: object) -> str | None:
    """The name of its only member. In place of a try at every form, which would tell of each why it is not that one."""
    members = type(do).model_fields if isinstance(do, Model) else do
    return next(iter(members)) if isinstance(members, dict) and len(members) == 1 else None


_DO_FORMS: Final = (
    'Input should be one of {"join": …}, {"seed": …}, {"bid": …}, {"card": …}, {"declare": true}, {"resign": true}'
)


class ActionIn(Model):
    """A signed action (docs/protocol.md, section 2.4)."""

    do: Annotated[
        Annotated[DoJoin, Tag("join")]
        | Annotated[DoSeed, Tag("seed")]
        | Annotated[DoBid, Tag("bid")]
        | Annotated[DoCard, Tag("card")]
        | Annotated[DoDeclare, Tag("declare")]
        | Annotated[DoResign, Tag("resign")],
        Discriminator(_form, custom_error_type="do_form", custom_error_message=_DO_FORMS),
    ]
    root: Hex32
    seat: Annotated[int, Field(ge=0, le=3)]
    sig: Hex64
    size: Annotated[int, Field(ge=1, le=MAX_SAFE_INTEGER)]


class ViewOut(Model):
    """What the receipt key signs for a seat: its cards, and the `do` objects that it may send now."""

    hand: list[str]
    legal: list[DoBid | DoCard | DoDeclare]
    m: Hex16
    seat: int
    size: int


class AnswerOut(Model):
    """What the caller's seat may know: the event lines from `from` on, verbatim, the receipt and the signed view of the
    size they reach (docs/protocol.md, sections 2.8 and 2.9).
    """

    m: Hex16
    from_: Annotated[int, Field(alias="from", serialization_alias="from")]
    events: list[str]
    receipt: str
    view: ViewOut
    sig: Hex64
    now: Ms
    deadline: Ms | None
