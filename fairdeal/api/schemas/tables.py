"""Tables: the terms an opener chooses, seats, and a match as a stranger may see it."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from fairdeal.api.schemas.base import Amount, AssetCode, Hex16, Kind, Model, Ms
from fairdeal.limits import MAX_CLOCK_MS, MAX_SEATS, MAX_STAKE

Game: TypeAlias = Literal["duel", "classique", "coinche", "annonces"]
Options: TypeAlias = dict[str, int | str]


def _integer(value: object) -> object:
    """Python's 501.0 equals 501; on the wire they are two things."""
    if type(value) is not int:
        raise ValueError("Input should be a valid integer")
    return value


Target: TypeAlias = Annotated[
    Literal[501, 1001, 2001], BeforeValidator(_integer), Field(description="The total that wins.")
]


def _absent(value: object) -> bool:
    """What has no value is left out."""
    return value is None


class _NewTable(Model):
    stake: Annotated[int, Field(ge=0, le=MAX_STAKE, examples=[100])]
    asset: Annotated[AssetCode | None, Field(description="Absent: the usual one.")] = None
    private: bool = False
    decision_ms: Annotated[int | None, Field(ge=1, le=MAX_CLOCK_MS, description="Absent: the usual one.")] = None


class DuelIn(_NewTable):
    """A duel, to 301."""

    game: Literal["duel"]


class FourIn(_NewTable):
    """A game for four in which a card is turned up; `annonces` for no stake only."""

    game: Literal["classique", "annonces"]
    target: Target = 1001


class CoincheIn(_NewTable):
    """A coinche; `scoring` says whether a contract brings the points made, or these and the points bid."""

    game: Literal["coinche"]
    target: Target = 1001
    scoring: Literal["faits", "faits+demandés"] = "faits"


TableIn: TypeAlias = Annotated[DuelIn | FourIn | CoincheIn, Field(discriminator="game")]
"""The terms an opener chooses; all else is the house's. Opening does not sit."""


class Code(Model):
    """A private table's code, as its opener gave it out."""

    code: Annotated[str, Field(max_length=32, examples=["7Q2MK9XD"])]


class SitIn(Model):
    """`code` for a private table only; `seat` absent: the lowest one that may be taken.

    At a staked table of four partners choose each other: `partner_code` is the code that who sits face to face was
    given, to be sent exactly when that seat is taken.
    """

    seat: Annotated[int | None, Field(ge=0, lt=MAX_SEATS)] = None
    partner_code: Annotated[str | None, Field(max_length=32, examples=["3F8T0ZKA"])] = None
    code: Annotated[str | None, Field(max_length=32, examples=["7Q2MK9XD"])] = None


class AssetOut(Model):
    """10^`exponent` minor units make one."""

    code: str
    exponent: int


class FeesOut(Model):
    """The fee schedule in basis points."""

    id: str
    commission_bp: int
    commission_cap: Annotated[
        int,
        Field(description="The most that the commission takes, in minor units; 9007199254740991 (2^53−1) for none."),
    ]
    tax_bp: int
    tax_base: Literal["pot", "commission"]


class MeaningOut(Model):
    """What one ending means in money: what a seat of each side gets back, and the rest.

    `seats`, in the games for four, is what every seat gets back when the side of seats 0 and 2 is the one favoured.
    """

    code: Literal["won", "forfeit", "seed_missing", "seeds_missing", "cancelled", "void"]
    favoured: Amount
    other: Amount
    house: Amount
    text: str
    seats: Annotated[list[Amount] | None, Field(exclude_if=_absent)] = None


class SeatOut(Model):
    """One seat: the pseudonym for this match alone, null when it is free."""

    seat: int
    player: Hex16 | None
    kind: Kind | None


class YouOut(Model):
    """The caller's own seat. `partner_code` lets the partner in, who sits face to face: (seat + 2) mod 4."""

    seat: int
    player: Hex16
    partner_code: Annotated[str | None, Field(exclude_if=_absent)] = None


class EndingOut(Model):
    """How a match ended (docs/protocol.md, section 2.3)."""

    reason: str
    winner: int | None
    cause: str | None


class BoardOut(Model):
    """A match as a stranger may see it: nothing of a hand or of the stock. A member that the game has not is null.

    Lists go by seat, `points`, `tricks` and `totals` by side; cards and suits are written as in an action.
    """

    phase: str
    size: int
    joined: list[bool]
    seeds: list[bool]
    deal: int | None
    dealer: int | None
    turned: str | None
    taker: int | None
    trump: str | None
    contract: dict[str, int | str] | None
    declared: list[int]
    trick: list[str]
    points: list[int] | None
    tricks: list[int] | None
    stock: int | None
    hand_sizes: list[int] | None
    belote: int | None
    totals: list[int]
    pot: Amount
    overruns: list[int]
    turn: int | None
    deadline: Ms | None
    ending: EndingOut | None


class TableOut(Model):
    """A table: everything to know before sitting down, and where it stands.

    `open` is event 0, the terms themselves; `receipt` the newest one. `due_at` is when the clock acts next: until then
    somebody must come, join, or move. `table` is the match as a stranger may see it: phase, deal, trick, totals, how
    many cards each seat holds. In the games for four seats 0 and 2 play against 1 and 3; `winner_net` is what the
    side that wins takes, `winner_nets` what each of its seats does, the lower one first; `options` are the ruleset's.
    """

    m: Hex16
    game: Game
    status: Literal["open", "joining", "live", "ended"]
    private: bool
    code: str | None
    stake: Amount
    asset: AssetOut
    pot: Amount
    commission: Amount
    tax: Amount
    winner_net: Amount
    fees: FeesOut
    meanings: list[MeaningOut]
    decision_ms: int
    seats: list[SeatOut]
    you: YouOut | None
    options: Annotated[Options | None, Field(exclude_if=_absent)] = None
    winner_nets: Annotated[list[Amount] | None, Field(exclude_if=_absent)] = None
    open: str
    receipt: str
    size: int
    expires_at: Ms
    due_at: Ms | None
    now: Ms
    table: BoardOut


class TableSummary(Model):
    """A public table that still takes players."""

    m: Hex16
    game: Game
    stake: Amount
    asset: AssetOut
    winner_net: Amount
    options: Annotated[Options | None, Field(exclude_if=_absent)] = None
    decision_ms: int
    free: int
    expires_at: Ms


class TablePage(Model):
    """Newest first. `cursor` asks for the next page; null on the last one."""

    tables: list[TableSummary]
    cursor: str | None
    now: Ms
