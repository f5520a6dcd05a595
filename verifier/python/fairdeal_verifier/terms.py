"""The event `open`: the terms of a match, fixed before anyone joins (protocol 2.1, 2.2)."""

import re
from typing import NamedTuple

from fairdeal_verifier.canonical import MAX_INTEGER, Json
from fairdeal_verifier.coinche import BARE, WITH_BID
from fairdeal_verifier.errors import SchemaRefused
from fairdeal_verifier.fields import choice, hex16, hex32, integer, members, text
from fairdeal_verifier.rulesets import RULESETS, Ruleset

PROTOCOL = "fairdeal/1"
DAY_MS = 86_400_000
BASIS = 10_000
"""Basis points of a whole."""

_LOG = re.compile(r"[!-*,-~]{1,128}").fullmatch
_ASSET = re.compile(r"[A-Z][A-Z0-9]{0,11}").fullmatch
_FEES = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}").fullmatch


class Clock(NamedTuple):
    """Spans in ms, and the number of overruns that loses."""

    decision_ms: int
    grace_ms: int
    outage_ms: int
    overruns: int
    pause_ms: int


class Fees(NamedTuple):
    """Basis points and the cap of the commission; whether the tax is on the pot, else on the commission."""

    commission_bp: int
    commission_cap: int
    tax_bp: int
    tax_on_pot: bool


class Open(NamedTuple):
    """The terms. `counts_bid`: the marks of a contract count its bid too (`faits+demandés`)."""

    t: int
    log: str
    m: str
    ruleset: Ruleset
    target: int
    counts_bid: bool
    stake: int
    fees: Fees
    clock: Clock
    deals_max: int
    receipt_key: bytes
    commitment: bytes

    @property
    def seats(self) -> int:
        """How many seats the table has."""
        return self.ruleset.seats

    @property
    def receipt_name(self) -> str:
        """The note name of the receipt key."""
        return f"{self.log}/receipts"

    @property
    def origin(self) -> str:
        """The origin of the match's checkpoints."""
        return f"{self.log}/m/{self.m}"


def parse_open(t: int, data: Json) -> Open:
    """The terms from the event's `data`; raises SchemaRefused."""
    names = (
        *("asset", "clock", "close_by", "commitment", "deals_max", "fees", "log", "m", "protocol"),
        *("receipt_key", "ruleset", "seats", "stake"),
    )
    values = dict(zip(names, members(data, *names), strict=True))
    choice(values["protocol"], PROTOCOL)
    identity, options = members(values["ruleset"], "id", "options")
    ruleset = RULESETS[choice(identity, *RULESETS)]
    target, counts_bid = _options(ruleset, options)
    integer(values["seats"], ruleset.seats, ruleset.seats)
    code, exponent = members(values["asset"], "code", "exponent")
    text(code, _ASSET)
    integer(exponent, 0, 18)
    integer(values["close_by"])
    return Open(
        t,
        text(values["log"], _LOG),
        hex16(values["m"]),
        ruleset,
        target,
        counts_bid,
        integer(values["stake"], 0, 0 if ruleset.announces else MAX_INTEGER // ruleset.seats),
        _fees(values["fees"]),
        _clock(values["clock"]),
        integer(values["deals_max"], 1, 1_000),
        hex32(values["receipt_key"]),
        hex32(values["commitment"]),
    )


def _options(ruleset: Ruleset, options: Json) -> tuple[int, bool]:
    counts_bid = False
    if ruleset.auction:
        scoring, target = members(options, "scoring", "target")
        counts_bid = choice(scoring, BARE, WITH_BID) == WITH_BID
    else:
        (target,) = members(options, "target")
    found = integer(target)
    if found not in ruleset.targets:
        raise SchemaRefused("not a target of the game")
    return found, counts_bid


def _fees(value: Json) -> Fees:
    commission_bp, cap, identity, tax_base, tax_bp = members(
        value, "commission_bp", "commission_cap", "id", "tax_base", "tax_bp"
    )
    text(identity, _FEES)
    commission = integer(commission_bp, 0, BASIS)
    tax = integer(tax_bp, 0, BASIS - commission)
    return Fees(commission, integer(cap), tax, choice(tax_base, "pot", "commission") == "pot")


def _clock(value: Json) -> Clock:
    decision, grace, join, outage, overruns, pause = members(
        value, "decision_ms", "grace_ms", "join_ms", "outage_ms", "overruns", "pause_ms"
    )
    integer(join, 1, DAY_MS)
    return Clock(
        integer(decision, 1, DAY_MS),
        integer(grace, 0, DAY_MS),
        integer(outage, 0, DAY_MS),
        integer(overruns, 1, 100),
        integer(pause, 0, DAY_MS),
    )
