"""Routes that answer questions about the rules. No login; the same question has the same answer, so it may be kept.

Cards are `S10` or `10♠`, suits `S` or `♠`; lists have commas or spaces; pairs, as `82,80`, are those of sides 0 and 1.
The answers are `fairdeal.app.rules`'s own, the same that `fairdeal rules --json` prints.
"""

from typing import Annotated, Final, Literal, TypeAlias

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from fairdeal.api.caller import Language, is_french
from fairdeal.app import rules

KEEP_SECONDS: Final = 3600
"""How long an answer may be kept: a release may bring a game, or a better sentence."""


async def _may_be_kept(response: Response) -> None:
    response.headers["Cache-Control"] = f"public, max-age={KEEP_SECONDS}"
    response.headers["Vary"] = "Accept-Language"


router = APIRouter(prefix="/rules", tags=["rules"], dependencies=[Depends(_may_be_kept)])

Game: TypeAlias = Annotated[str, Field(max_length=32, examples=["classique"], description="As GET /v1/rules has it.")]
Suit: TypeAlias = Annotated[str, Field(max_length=1, examples=["S"])]
Side: TypeAlias = Annotated[int, Field(ge=0, le=1)]
Seat: TypeAlias = Annotated[int, Field(ge=0, le=3)]
Pair: TypeAlias = Annotated[str, Field(max_length=16, examples=["82,80"])]
Cards: TypeAlias = Annotated[str, Field(max_length=160, examples=["S7,S9,D8"])]


class _Asked(BaseModel):
    """A question: nothing that is not named here."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LegalQuery(_Asked):
    """Which cards of a hand may be played on a trick. `phase` is for the duel alone, which needs it."""

    game: Game
    trump: Suit
    hand: Cards
    trick: Cards = ""
    phase: Literal["free", "strict"] | None = None


class TrickQuery(_Asked):
    """Who wins a full trick, its cards in the order played from seat `leader` on."""

    game: Game
    trump: Suit
    trick: Cards
    leader: Seat = 0
    last: bool = False


class BidsQuery(_Asked):
    """What may be said after an auction so far: `pass`, `take`, `S`; in the coinche `100S`, `capotH`, `coinche`."""

    game: Game
    auction: Annotated[str, Field(max_length=400, examples=["80S,pass,90H"])] = ""
    turned: Annotated[str | None, Field(max_length=3, examples=["HJ"])] = None
    dealer: Seat | None = None


class AnnouncementsQuery(_Asked):
    """What eight cards as dealt announce."""

    hand: Cards
    trump: Suit | None = None


class CountQuery(_Asked):
    """The count of a deal in which side 0 took these cards; `other` are those of side 1, the rest unless told."""

    game: Game
    trump: Suit
    taken: Cards
    last_trick: Side
    other: Cards | None = None


class MarksQuery(_Asked):
    """What a deal brings. Either `points`, the ten of the last trick in them, or `cards` and `last_trick`."""

    game: Game
    taker: Side
    points: Pair | None = None
    cards: Pair | None = None
    last_trick: Side | None = None
    tricks: Annotated[Pair | None, Field(description="Needed when a side has every point.")] = None
    belote: Side | None = None
    announcements: Pair | None = None
    pot: Annotated[int, Field(ge=0, description="What earlier litiges left.")] = 0
    bid: Annotated[str | None, Field(max_length=8, examples=["100"], description="80 to 180, or capot.")] = None
    double: Literal["coinche", "surcoinche"] | None = None
    scoring: Literal["faits", "faits+demandés"] | None = None
    rounding: bool = False


@router.get("", operation_id="rules")
def catalogue() -> rules.Catalogue:
    """Every game that may be asked about: rulesets with their options, presets, score sheets."""
    return rules.catalogue()


@router.get("/legal", operation_id="rules_legal")
def legal(asked: Annotated[LegalQuery, Query()], language: Language = "en") -> rules.Legal:
    """The cards of a hand that may be played on a trick, and why each other one is refused."""
    return rules.legal(**asked.model_dump(), french=is_french(language))


@router.get("/trick", operation_id="rules_trick")
def trick(asked: Annotated[TrickQuery, Query()], language: Language = "en") -> rules.Trick:
    """The winner of a trick, and its points."""
    return rules.trick(**asked.model_dump(), french=is_french(language))


@router.get("/bids", operation_id="rules_bids")
def bids(asked: Annotated[BidsQuery, Query()], language: Language = "en") -> rules.Bids:
    """What may be said next. A word that may not is `illegal_action`, with its index as `at`."""
    return rules.bids(**asked.model_dump(), french=is_french(language))


@router.get("/announcements", operation_id="rules_announcements")
def announcements(asked: Annotated[AnnouncementsQuery, Query()]) -> rules.Announcements:
    """The best that a hand announces."""
    return rules.announcements(**asked.model_dump())


@router.get("/count", operation_id="rules_count")
def count(asked: Annotated[CountQuery, Query()], language: Language = "en") -> rules.Count:
    """The first three steps of counting, from the cards taken."""
    return rules.count(**asked.model_dump(), french=is_french(language))


@router.get("/marks", operation_id="rules_marks")
def marks(asked: Annotated[MarksQuery, Query()], language: Language = "en") -> rules.Marks:
    """The marks of a deal, with the five steps of counting spelled out."""
    return rules.marks(rules.Line(**asked.model_dump()), french=is_french(language))
