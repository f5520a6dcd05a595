"""The record of one match, as auditors and regulators ask for it: read out of events and entries, kept nowhere."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fairdeal.app.record_ports import MatchEntry, MatchFacts, SeatFacts
from fairdeal.ledger import COMMISSION, TAX, cash, pot, purpose
from fairdeal.match.events import Event
from fairdeal.match.leaves import LOST
from fairdeal.match.terms import Terms


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended, in the words of its `end` event; `winner` is a side."""

    reason: str
    winner: int | None
    cause: str | None


@dataclass(frozen=True, slots=True)
class MoneyLine:
    """What a transaction of the match did to the free money of an account (minor units)."""

    transaction: str
    kind: str
    at: int
    amount: int
    balance_before: int
    balance_after: int


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """A seat, and whose it is. `payout` is what the match's end paid, `net` what all of the match has done to the
    account's free money so far, `money` each step of it.
    """

    seat: int
    side: int
    account: str
    player: str
    sat_at: int
    payout: int
    net: int
    money: tuple[MoneyLine, ...]


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match of any status. Times are ms, amounts minor units of `asset` (`code`, `exponent`).

    `ruleset` (`id`, `options`) and `fees` are those of the `open` event. `full_at` is when the last seat joined,
    `started_at` when the first cards were dealt. `pot` is what was staked once all had joined, and after the end
    `payouts` + `commission` + `tax`. `transactions` are the ids of all that moved money for the match, in the journal's
    order, those of seats that were left again among them.
    """

    m: str
    status: str
    opener: str
    visibility: str
    ruleset: Mapping[str, Any]
    asset: Mapping[str, str | int]
    stake: int
    fees: Mapping[str, str | int]
    opened_at: int
    full_at: int | None
    started_at: int | None
    ended_at: int | None
    ending: Ending | None
    pot: int
    payouts: int
    commission: int
    tax: int
    seats: tuple[SeatRecord, ...]
    transactions: tuple[str, ...]


def make_record(facts: MatchFacts) -> MatchRecord:
    """The record that these facts are of; `head` reaches to the first deal, if there was one. Raises Malformed."""
    events = [Event.parse(line) for line in facts.head]
    terms = Terms.parse(events[0].data)
    opened = terms.data()
    of_pot = [one for one in facts.entries if one.account == pot(facts.match_id)]
    end = [one for one in facts.entries if one.transaction == f"end:{facts.match_id}"]
    return MatchRecord(
        m=facts.match_id,
        status=facts.status,
        opener=facts.opener,
        visibility=facts.visibility,
        ruleset=opened["ruleset"],
        asset=asdict(terms.asset),
        stake=terms.stake,
        fees=opened["fees"],
        opened_at=facts.opened_at,
        full_at=next((event.t for event in events if event.type == "join" and event.n == terms.seats), None),
        started_at=next((event.t for event in events if event.type == "deal"), None),
        ended_at=facts.ended_at,
        ending=None if facts.ended_at is None else ending_of(facts.last),
        pot=sum(one.amount for one in of_pot if one.amount > 0),
        payouts=sum(one.amount for one in end if purpose(one.account) == "cash"),
        commission=sum(one.amount for one in end if one.account == COMMISSION),
        tax=sum(one.amount for one in end if one.account == TAX),
        seats=tuple(_seat(seat, terms, facts.entries) for seat in facts.seated),
        transactions=tuple(dict.fromkeys(one.transaction for one in facts.entries)),
    )


def ending_of(last: Sequence[bytes]) -> Ending:
    """What the `end` among the last events says; a match that an older database ends has none (protocol 7.5)."""
    for event in map(Event.parse, last):
        if event.type == "end":
            return Ending(event.data["reason"], event.data["winner"], event.data.get("cause"))
    return Ending("void", None, LOST)


def reaches_the_deal(facts: MatchFacts) -> bool:
    """Whether the `head` says all that a record is made of: a `resume` may have come before the first deal."""
    return len(facts.head) == facts.size or any(Event.parse(line).type == "deal" for line in facts.head)


def _seat(seat: SeatFacts, terms: Terms, entries: Sequence[MatchEntry]) -> SeatRecord:
    mine = [one for one in entries if one.account == cash(seat.account_id)]
    return SeatRecord(
        seat=seat.seat,
        side=terms.sides[seat.seat],
        account=seat.account_id,
        player=seat.player,
        sat_at=seat.sat_at,
        payout=sum(one.amount for one in mine if one.transaction.startswith("end:")),
        net=sum(one.amount for one in mine),
        money=tuple(
            MoneyLine(one.transaction, one.kind, one.at, one.amount, one.balance - one.amount, one.balance)
            for one in mine
        ),
    )
