"""What each type of event may contain, looked at alone: members, types, ranges (protocol sections 2.1, 2.2).

An event does not say which game it is of: what one game has and another has not is for `evolve` to see.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from fairdeal import belote
from fairdeal.cards import PACK, parse_card, parse_suit
from fairdeal.errors import Malformed
from fairdeal.ids import ASSET_CODE, FEES_ID, check_hex
from fairdeal.limits import (
    HASH_BYTES,
    KEY_BYTES,
    MAX_CLOCK_MS,
    MAX_DEALS,
    MAX_EXPONENT,
    MAX_LOG_NAME_BYTES,
    MAX_OVERRUNS,
    MAX_SAFE_INTEGER,
    MAX_SEATS,
    MIN_SEATS,
    PSEUDONYM_BYTES,
    SEED_BYTES,
    SIGNATURE_BYTES,
)
from fairdeal.tlog import EMPTY_ROOT

PROTOCOL: Final = "fairdeal/1"
BASIS_POINTS: Final = 10_000
_SHORTEST_RUN: Final = 3
_ANNOUNCED_BY_A_SEAT: Final = 2
"""Of three cards or more each, in a hand of eight."""

Check: TypeAlias = Callable[[object], None]
"""Returns nothing, or raises Malformed."""


def record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with all of the required members, some of the optional ones, and no others."""
    known = {**required, **(optional or {})}

    def check(value: object) -> None:
        if type(value) is not dict or not required.keys() <= value.keys() <= known.keys():
            raise Malformed(f"an object of {', '.join(known)}")
        for name, member in value.items():
            known[name](member)

    return check


def integer(low: int = 0, high: int = MAX_SAFE_INTEGER) -> Check:
    """An integer from `low` to `high`."""

    def check(value: object) -> None:
        if type(value) is not int or not low <= value <= high:
            raise Malformed(f"an integer from {low} to {high}")

    return check


def hexadecimal(byte_count: int) -> Check:
    """2·`byte_count` lowercase hex digits."""
    return lambda value: check_hex(value, byte_count)


def text(pattern: str) -> Check:
    """A string that matches the pattern from end to end."""
    compiled = re.compile(pattern)

    def check(value: object) -> None:
        if type(value) is not str or not compiled.fullmatch(value):
            raise Malformed(f"text of the form {pattern}")

    return check


def one_of(*values: str) -> Check:
    """One of these strings."""

    def check(value: object) -> None:
        if type(value) is not str or value not in values:
            raise Malformed(f"one of {', '.join(values)}")

    return check


def or_null(checked: Check) -> Check:
    """null, or what `checked` accepts."""

    def check(value: object) -> None:
        if value is not None:
            checked(value)

    return check


def list_of(item: Check, low: int, high: int) -> Check:
    """A list of `low` to `high` items."""

    def check(value: object) -> None:
        if type(value) is not list or not low <= len(value) <= high:
            raise Malformed(f"a list of {low} to {high} items")
        for member in value:
            item(member)

    return check


def _card(value: object) -> None:
    parse_card(value)


def _suit(value: object) -> None:
    parse_suit(value)


def _move(value: object) -> None:
    if isinstance(belote.from_do(value), belote.Declare):
        raise Malformed("nobody declares by timeout")


def _act(value: object) -> None:
    if type(value) is dict and value.keys() == {"resign"} and value["resign"] is True:
        return
    belote.from_do(value)


def _seen(value: object) -> None:
    _checkpoint(value)
    assert isinstance(value, dict)
    if value["size"] == 0 and value["root"] != EMPTY_ROOT.hex():
        raise Malformed("the empty tree has one root")


def ascending_seats(value: object) -> None:
    """Raises Malformed unless this is a list of seats in ascending order, each once, at least one."""
    list_of(seat, 1, MAX_SEATS)(value)
    assert isinstance(value, list)
    if value != sorted(set(value)):
        raise Malformed("seats in ascending order, each once")


def _check_says(data: Mapping[str, object]) -> None:
    """An announcement stands beside a card alone."""
    do = data.get("do")
    if "says" in data and not (isinstance(do, dict) and "card" in do):
        raise Malformed("says stands with a card alone")


seat: Final = integer(0, MAX_SEATS - 1)
_hash: Final = hexadecimal(HASH_BYTES)
_checkpoint: Final = record({"root": _hash, "size": integer()})
_says: Final = one_of(*(word.value for word in belote.Says))
_pair: Final = list_of(integer(), MIN_SEATS, MAX_SEATS)
_span: Final = integer(0, MAX_CLOCK_MS)
_period: Final = integer(1, MAX_CLOCK_MS)

OPEN: Final = record(
    {
        "protocol": one_of(PROTOCOL),
        "log": text(rf"[!-*,-~]{{1,{MAX_LOG_NAME_BYTES}}}"),
        "m": hexadecimal(PSEUDONYM_BYTES),
        "ruleset": record({"id": one_of(*belote.RULESETS), "options": lambda _: None}),
        "seats": integer(MIN_SEATS, MAX_SEATS),
        "stake": integer(),
        "asset": record({"code": text(ASSET_CODE), "exponent": integer(0, MAX_EXPONENT)}),
        "fees": record(
            {
                "id": text(FEES_ID),
                "commission_bp": integer(0, BASIS_POINTS),
                "commission_cap": integer(),
                "tax_bp": integer(0, BASIS_POINTS),
                "tax_base": one_of("pot", "commission"),
            }
        ),
        "clock": record(
            {
                "decision_ms": _period,
                "overruns": integer(1, MAX_OVERRUNS),
                "grace_ms": _span,
                "join_ms": _period,
                "pause_ms": _span,
                "outage_ms": _span,
            }
        ),
        "deals_max": integer(1, MAX_DEALS),
        "close_by": integer(),
        "receipt_key": hexadecimal(KEY_BYTES),
        "commitment": _hash,
    }
)
"""The form of `open`; what binds several members together is for `Terms.parse`."""

JOIN: Final = record(
    {
        "join": record(
            {
                "key": hexadecimal(KEY_BYTES),
                "player": hexadecimal(PSEUDONYM_BYTES),
                "seed_commitment": _hash,
                "seen": _seen,
            }
        )
    }
)
SEED: Final = record({"seed": hexadecimal(SEED_BYTES)})
ACT: Final[Check] = _act

_signed: Final = {"root": _hash, "sig": hexadecimal(SIGNATURE_BYTES)}
_timeout_in_play: Final = record({"seat": seat, "overrun": integer(1)}, {"do": _move, "says": _says})
_timeout_of_seeds: Final = record({"missing": ascending_seats})
_shown: Final = record({"cards": list_of(_card, _SHORTEST_RUN, len(PACK) // MAX_SEATS), "seat": seat})
_contract: Final = record(
    {"double": integer(1, 4), "seat": seat, "suit": _suit, "value": integer(min(belote.VALUES), max(belote.VALUES))}
)
_end: Final = record(
    {
        "reason": one_of("target", "overruns", "resigned", "seed", "cancelled", "void"),
        "winner": or_null(seat),
        "totals": _pair,
    },
    {"cause": one_of("deal_limit", "operator")},
)


def _check_timeout(value: object) -> None:
    if isinstance(value, dict) and "missing" in value:
        _timeout_of_seeds(value)
        return
    _timeout_in_play(value)
    assert isinstance(value, dict)
    _check_says(value)


def _check_act(value: object) -> None:
    _act_members(value)
    assert isinstance(value, dict)
    _check_says(value)


def _check_end(value: object) -> None:
    _end(value)
    assert isinstance(value, dict)
    if ("cause" in value) != (value["reason"] == "void"):
        raise Malformed("cause stands exactly with void")


_act_members: Final = record({"do": ACT, **_signed}, {"says": _says})

DATA: Final[Mapping[str, Check]] = {
    "open": OPEN,
    "join": record({"do": JOIN, **_signed}),
    "seed": record({"do": SEED, **_signed}),
    "act": _check_act,
    "deal": record({"deal": integer(1), "dealer": seat}, {"turned": _card}),
    "show": record({"announcements": list_of(_shown, 0, 2 * _ANNOUNCED_BY_A_SEAT)}),
    "timeout": _check_timeout,
    "resume": record({"from": integer(), "to": integer()}),
    "score": record(
        {
            "deal": integer(1),
            "taker": or_null(seat),
            "points": _pair,
            "tricks": _pair,
            "marks": _pair,
            "totals": _pair,
            "belote": or_null(seat),
            "outcome": one_of(*(outcome.value for outcome in belote.Outcome)),
        },
        {"announcements": _pair, "contract": or_null(_contract), "pot": integer()},
    ),
    "end": _check_end,
    "reveal": record({"server_seed": hexadecimal(SEED_BYTES)}),
    "settle": record(
        {
            "lines": list_of(
                record(
                    {
                        "account": text(rf"pot|seat:[0-{MAX_SEATS - 1}]|commission|tax"),
                        "amount": integer(-MAX_SAFE_INTEGER),
                    }
                ),
                1,
                MAX_SEATS + 3,
            )
        }
    ),
}
"""Event type → check of its `data`."""
