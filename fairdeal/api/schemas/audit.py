"""What the operator is asked about players, what the auditor is told of it, and the records of matches."""

from typing import Literal

from fairdeal.api.schemas.base import Amount, Hex16, Model, Ms, Reason
from fairdeal.api.schemas.tables import AssetOut, EndingOut, FeesOut, Options
from fairdeal.app.ports import SignificantKind


class IdentifyIn(Model):
    """A pseudonym, and why the operator asks whose it is. The reason is kept for the auditor, for ever."""

    player: Hex16
    reason: Reason


class IdentityOut(Model):
    """The account behind a pseudonym, and where it sat."""

    account: Hex16
    name: str
    m: Hex16
    seat: int


class SignificantEventOut(Model):
    """`kind` is `clock` (`beat`, the time of the heartbeat before the clock stepped back, and `why`), `erasure`
    (`account`, `reason`), `exclusion` (`account`, `stop`, `until`), `identify` (`player`, `reason`, and `m` and `seat`,
    null where nobody was found), `key` (`key`: `log`, `receipts` or `sealing`; `old`, null at the first start, and
    `new`), `limit` (`account`, `asset`, `limit`, `period`, `old`, `amount`, `from`), `proof` (`transactions`, `root`,
    `matches`, and `fault`, null where the books hold), `refused_start` (`beat`, null before the first, `code`, `why`),
    `reset` (`account`, `reason`), `reversal` (`account`, `transaction`, the one that it undoes, `reason`), `schedule`
    (`asset`, its `exponent`, `old`, null at its first start, and `new`), `switch` (`account`, null for everybody,
    `play`, `reason`) or `void` (`m`).
    """

    at: Ms
    kind: SignificantKind
    data: dict[str, str | int | None | FeesOut]


class SignificantEventPage(Model):
    """Newest first. `cursor` asks for the next page; null on the last one."""

    events: list[SignificantEventOut]
    cursor: str | None


class RulesetOut(Model):
    """The rules with their version, and what was chosen of them, as the `open` event names them."""

    id: str
    options: Options


class MovedOut(Model):
    """What a transaction of the match did to the free money of the account that sits there."""

    transaction: str
    kind: str
    at: Ms
    amount: Amount
    balance_before: Amount
    balance_after: Amount


class SeatRecordOut(Model):
    """A seat, and whose it is. `payout` is what the end paid, `net` what the match has done to the account's free money
    so far, `money` each step of it.
    """

    seat: int
    side: int
    account: Hex16
    player: Hex16
    sat_at: Ms
    payout: Amount
    net: Amount
    money: tuple[MovedOut, ...]


class MatchRecordOut(Model):
    """A match as its events and the journal have it. `full_at`: the last seat joined; `started_at`: the first cards
    were dealt. `pot` is what was staked once all had joined, after the end `payouts` + `commission` + `tax`.
    `transactions` are in the journal's order, those of seats that were left again among them.
    """

    m: Hex16
    status: Literal["open", "joining", "live", "ended"]
    opener: Hex16
    visibility: Literal["public", "private"]
    ruleset: RulesetOut
    asset: AssetOut
    stake: Amount
    fees: FeesOut
    opened_at: Ms
    full_at: Ms | None
    started_at: Ms | None
    ended_at: Ms | None
    ending: EndingOut | None
    pot: Amount
    payouts: Amount
    commission: Amount
    tax: Amount
    seats: tuple[SeatRecordOut, ...]
    transactions: tuple[str, ...]


class MatchRecordPage(Model):
    """The last one opened first. `cursor` asks for the next page; null on the last one."""

    matches: list[MatchRecordOut]
    cursor: str | None
