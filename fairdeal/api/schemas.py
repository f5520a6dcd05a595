"""What goes over the wire, strictly: nothing is coerced, and a member that is not named here is refused."""

import re
import unicodedata
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from fairdeal.limits import MAX_CLOCK_MS, MAX_SAFE_INTEGER, MAX_SEATS, MAX_STAKE

Hex16: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", examples=["6f1c0b0e5d9a4c37a1f2e3d4c5b6a798"])]
Hex32: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Hex64: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
Amount: TypeAlias = Annotated[int, Field(ge=-MAX_SAFE_INTEGER, le=MAX_SAFE_INTEGER, description="Minor units.")]
Ms: TypeAlias = Annotated[int, Field(description="Milliseconds since 1970-01-01 UTC.")]
_LETTERS: Final = "A-Za-zÀ-ÖØ-öø-ÿŒœŸ0-9"
_NAME: Final = re.compile(f"[{_LETTERS}][{_LETTERS}._-]{{0,31}}")


def _composed(value: object) -> object:
    """Letter and accent as one character, as most keyboards send it: what looks the same is the same."""
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


def _check_name(value: str) -> str:
    # No other letters: in a closed set of one script nothing can be taken for something else, hidden or turned round.
    if not _NAME.fullmatch(value):
        raise ValueError(
            "a name has 1 to 32 letters (A to Z, accents of western Europe), digits, . _ -, first no . _ -"
        )
    return value


Name: TypeAlias = Annotated[
    str,
    BeforeValidator(_composed),
    AfterValidator(_check_name),
    Field(json_schema_extra={"pattern": f"^{_NAME.pattern}$"}, examples=["Zoé"]),
]
NewPassword: TypeAlias = Annotated[str, Field(min_length=8, max_length=128, examples=["correct horse battery"])]
Kind: TypeAlias = Literal["player", "bot"]
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


class Model(BaseModel):
    """The base of every schema."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SignUp(Model):
    """A new account. Only the operator may say `kind` "bot"."""

    name: Name
    password: NewPassword
    kind: Kind = "player"


class AccountOut(Model):
    """An account, as its owner sees it. `id` is what a deposit names; it is never shown to others."""

    id: Hex16
    name: str
    kind: Kind


class LogIn(Model):
    """With `cookie`, the token is set as a cookie that scripts cannot read, and is not in the answer."""

    name: Annotated[str, Field(max_length=64, examples=["Zoé"]), BeforeValidator(_composed)]
    password: Annotated[str, Field(max_length=128, examples=["correct horse battery"])]
    cookie: bool = False


class SessionOut(Model):
    """A login. `token` goes into `Authorization: Bearer …`."""

    token: str | None
    expires_at: Ms
    account: AccountOut


class DepositIn(Model):
    """Play money for an account."""

    account: Hex16
    amount: Annotated[int, Field(gt=0, le=MAX_STAKE, examples=[1000])]


class DepositOut(Model):
    """The deposit's transaction, and the free balance right after it."""

    transaction: str
    balance: Amount
    at: Ms


class WalletOut(Model):
    """Free money, and what is held at tables that have no pot yet."""

    asset: str
    exponent: int
    cash: Amount
    held: Amount


class WalletLineOut(Model):
    """One movement of the free money, with the balance after it."""

    transaction: str
    kind: str
    amount: Amount
    balance: Amount
    m: Hex16 | None
    at: Ms


class WalletPage(Model):
    """Newest first. `cursor` asks for the next page; null on the last one."""

    lines: list[WalletLineOut]
    cursor: str | None


class _NewTable(Model):
    stake: Annotated[int, Field(ge=0, le=MAX_STAKE, examples=[100])]
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
    """The fee schedule in basis points; `commission_cap` is 2^53−1 for none."""

    id: str
    commission_bp: int
    commission_cap: int
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


class ActionIn(Model):
    """A signed action (docs/protocol.md, section 2.4)."""

    do: DoJoin | DoSeed | DoBid | DoCard | DoDeclare | DoResign
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


class ProblemOut(BaseModel):
    """An error, RFC 9457: `code` is stable; more members say which rule, where there is one."""

    type: str
    title: str
    status: int
    code: str
    detail: str | None = None


class HealthOut(Model):
    """The service answers."""

    status: Literal["ok"]
