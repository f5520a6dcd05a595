"""The events of a transcript as typed values, each read alone by the exact schema of protocol 2.1 and 2.2."""

import re
from collections.abc import Callable
from typing import NamedTuple

from fairdeal_verifier import canonical, duel
from fairdeal_verifier.canonical import MAX_INTEGER, Json
from fairdeal_verifier.errors import SchemaRefused
from fairdeal_verifier.merkle import EMPTY_ROOT

PROTOCOL = "fairdeal/1"
RULESET = "duel@1"
SEATS = duel.SEATS
SERVER = -1
DAY_MS = 86_400_000
BASIS = 10_000
"""Basis points of a whole."""

Pair = tuple[int, int]

_HEX32 = re.compile(r"[0-9a-f]{32}").fullmatch
_HEX64 = re.compile(r"[0-9a-f]{64}").fullmatch
_HEX128 = re.compile(r"[0-9a-f]{128}").fullmatch
_LOG = re.compile(r"[!-*,-~]{1,128}").fullmatch
_ASSET = re.compile(r"[A-Z][A-Z0-9]{0,11}").fullmatch
_FEES = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}").fullmatch

DO_TEXT = (
    *(b'{"card":"%s"}' % name.encode() for name in duel.NAMES[: duel.CARDS]),
    *(b'{"bid":"%s"}' % name.encode() for name in duel.NAMES[duel.CARDS :]),
    b'{"resign":true}',
)
"""The cj1 text of the `do` of each action."""
_CARDS = {name: card for card, name in enumerate(duel.NAMES[: duel.CARDS])}
_BIDS = {name: bid for bid, name in enumerate(duel.NAMES[duel.CARDS :], duel.CARDS)}


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
    """The terms, fixed before anyone joins."""

    t: int
    log: str
    m: str
    target: int
    stake: int
    fees: Fees
    clock: Clock
    deals_max: int
    receipt_key: bytes
    commitment: bytes

    @property
    def receipt_name(self) -> str:
        """The note name of the receipt key."""
        return f"{self.log}/receipts"

    @property
    def origin(self) -> str:
        """The origin of the match's checkpoints."""
        return f"{self.log}/m/{self.m}"


class Join(NamedTuple):
    """A seat comes, with its key and the commitment to its seed."""

    t: int
    by: int
    do: bytes
    root: bytes
    sig: bytes
    key: bytes
    seed_commitment: bytes


class Seed(NamedTuple):
    """A seat opens its commitment."""

    t: int
    by: int
    do: bytes
    root: bytes
    sig: bytes
    seed: bytes


class Act(NamedTuple):
    """A seat bids, plays or resigns; `action` as in `duel`."""

    t: int
    by: int
    do: bytes
    root: bytes
    sig: bytes
    action: int
    says: str | None


class Dealt(NamedTuple):
    """The event `deal`."""

    t: int
    deal: int
    dealer: int
    turned: int


class Timeout(NamedTuple):
    """`missing` is set in the seed phase, else `seat` and `overrun`, and `action` unless the overrun loses."""

    t: int
    missing: tuple[int, ...] | None
    seat: int
    overrun: int
    action: int | None
    says: str | None


class Resume(NamedTuple):
    """The server was out from `start` to `stop`."""

    t: int
    start: int
    stop: int


class Scored(NamedTuple):
    """The event `score`."""

    t: int
    deal: int
    score: duel.Score
    totals: Pair


class End(NamedTuple):
    """The match is over; `cause` only for the reason `void`."""

    t: int
    reason: str
    winner: int | None
    totals: Pair
    cause: str | None


class Reveal(NamedTuple):
    """The server opens its commitment."""

    t: int
    server_seed: bytes


class Settle(NamedTuple):
    """Who gets what: (account, amount)."""

    t: int
    lines: tuple[tuple[str, int], ...]


SeatEvent = Join | Seed | Act
Event = Open | Join | Seed | Act | Dealt | Timeout | Resume | Scored | End | Reveal | Settle


def members(value: Json, *names: str) -> list[Json]:
    """The values of exactly these members; `names` in ascending order, as cj1 has them."""
    if type(value) is not dict or tuple(value) != names:
        raise SchemaRefused(f"not an object of {names}")
    return list(value.values())


def integer(value: Json, least: int = 0, most: int = MAX_INTEGER) -> int:
    """An integer (never a boolean) in a range."""
    if type(value) is not int or not least <= value <= most:
        raise SchemaRefused(f"not an integer in {least}…{most}")
    return value


def text(value: Json, pattern: Callable[[str], object]) -> str:
    """A string that matches a pattern whole."""
    if type(value) is not str or not pattern(value):
        raise SchemaRefused("not a string of the form asked for")
    return value


def choice(value: Json, *allowed: str) -> str:
    """One of some strings."""
    if type(value) is not str or value not in allowed:
        raise SchemaRefused(f"not one of {allowed}")
    return value


def hex32(value: Json) -> bytes:
    """32 bytes as 64 lowercase hex digits."""
    return bytes.fromhex(text(value, _HEX64))


def hex64(value: Json) -> bytes:
    """64 bytes as 128 lowercase hex digits."""
    return bytes.fromhex(text(value, _HEX128))


def match_id(value: Json) -> str:
    """16 bytes as 32 lowercase hex digits, kept as text."""
    return text(value, _HEX32)


def seat(value: Json) -> int:
    """A seat of the table."""
    return integer(value, 0, SEATS - 1)


def card(value: Json) -> int:
    """A card by its name."""
    found = _CARDS.get(value) if type(value) is str else None
    if found is None:
        raise SchemaRefused("not a card")
    return found


def action(do: Json) -> int:
    """The action of a `do`: exactly one of bid, card, resign."""
    if type(do) is dict and len(do) == 1:
        [(kind, value)] = do.items()
        if kind == "card":
            return card(value)
        if kind == "bid" and type(value) is str and value in _BIDS:
            return _BIDS[value]
        if kind == "resign" and value is True:
            return duel.RESIGN
    raise SchemaRefused("not an action")


def _pair(value: Json) -> Pair:
    if type(value) is not list or len(value) != SEATS:
        raise SchemaRefused("not one integer per side")
    return integer(value[0]), integer(value[1])


def _side_or_null(value: Json) -> int | None:
    return None if value is None else seat(value)


def _open(t: int, by: int, data: Json) -> Open:
    names = (
        *("asset", "clock", "close_by", "commitment", "deals_max", "fees", "log", "m", "protocol"),
        *("receipt_key", "ruleset", "seats", "stake"),
    )
    values = dict(zip(names, members(data, *names), strict=True))
    choice(values["protocol"], PROTOCOL)
    identity, options = members(values["ruleset"], "id", "options")
    choice(identity, RULESET)
    (target,) = members(options, "target")
    integer(values["seats"], SEATS, SEATS)
    code, exponent = members(values["asset"], "code", "exponent")
    text(code, _ASSET)
    integer(exponent, 0, 18)
    integer(values["close_by"])
    return Open(
        t,
        text(values["log"], _LOG),
        match_id(values["m"]),
        integer(target, 1, 10_000),
        integer(values["stake"], 0, MAX_INTEGER // SEATS),
        _fees(values["fees"]),
        _clock(values["clock"]),
        integer(values["deals_max"], 1, 1_000),
        hex32(values["receipt_key"]),
        hex32(values["commitment"]),
    )


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


def _join(t: int, by: int, data: Json) -> Join:
    do, root, sig = members(data, "do", "root", "sig")
    (join,) = members(do, "join")
    key, player, seed_commitment, seen = members(join, "key", "player", "seed_commitment", "seen")
    text(player, _HEX32)
    seen_root, seen_size = members(seen, "root", "size")
    integer(seen_size, 0, 0)
    choice(seen_root, EMPTY_ROOT.hex())
    return Join(t, by, canonical.encode(do), hex32(root), hex64(sig), hex32(key), hex32(seed_commitment))


def _seed(t: int, by: int, data: Json) -> Seed:
    do, root, sig = members(data, "do", "root", "sig")
    (seed,) = members(do, "seed")
    return Seed(t, by, canonical.encode(do), hex32(root), hex64(sig), hex32(seed))


def _act(t: int, by: int, data: Json) -> Act:
    says = None
    if type(data) is dict and "says" in data:
        do, root, spoken, sig = members(data, "do", "root", "says", "sig")
        says = choice(spoken, "belote", "rebelote")
    else:
        do, root, sig = members(data, "do", "root", "sig")
    done = action(do)
    if says and done >= duel.CARDS:
        raise SchemaRefused("only a card says something")
    return Act(t, by, DO_TEXT[done], hex32(root), hex64(sig), done, says)


def _deal(t: int, by: int, data: Json) -> Dealt:
    deal, dealer, turned = members(data, "deal", "dealer", "turned")
    return Dealt(t, integer(deal, 1), seat(dealer), card(turned))


def _timeout(t: int, by: int, data: Json) -> Timeout:
    if type(data) is not dict:
        raise SchemaRefused("not an object")
    if "missing" in data:
        (value,) = members(data, "missing")
        if type(value) is not list or not 1 <= len(value) <= SEATS:
            raise SchemaRefused("not a list of seats")
        missing = tuple(seat(one) for one in value)
        if missing != tuple(sorted(set(missing))):
            raise SchemaRefused("not ascending")
        return Timeout(t, missing, SERVER, 0, None, None)
    names = [name for name in ("do", "overrun", "says", "seat") if name in ("overrun", "seat") or name in data]
    values = dict(zip(names, members(data, *names), strict=True))
    done = action(values["do"]) if "do" in values else None
    says = choice(values["says"], "belote", "rebelote") if "says" in values else None
    if done == duel.RESIGN or (says and (done is None or done >= duel.CARDS)):
        raise SchemaRefused("not what a timeout may do")
    return Timeout(t, None, seat(values["seat"]), integer(values["overrun"], 1), done, says)


def _resume(t: int, by: int, data: Json) -> Resume:
    start, stop = members(data, "from", "to")
    return Resume(t, integer(start), integer(stop))


def _score(t: int, by: int, data: Json) -> Scored:
    belote, deal, marks, outcome, points, taker, totals, tricks = members(
        data, "belote", "deal", "marks", "outcome", "points", "taker", "totals", "tricks"
    )
    score = duel.Score(
        _side_or_null(taker),
        _pair(points),
        _pair(tricks),
        _side_or_null(belote),
        choice(outcome, "made", "dedans", "capot", "void"),
        _pair(marks),
    )
    return Scored(t, integer(deal, 1), score, _pair(totals))


def _end(t: int, by: int, data: Json) -> End:
    cause = None
    if type(data) is dict and data.get("reason") == "void":
        written, reason, totals, winner = members(data, "cause", "reason", "totals", "winner")
        cause = choice(written, "deal_limit", "operator")
    else:
        reason, totals, winner = members(data, "reason", "totals", "winner")
    known = choice(reason, "target", "overruns", "resigned", "seed", "cancelled", "void")
    return End(t, known, _side_or_null(winner), _pair(totals), cause)


def _reveal(t: int, by: int, data: Json) -> Reveal:
    (server_seed,) = members(data, "server_seed")
    return Reveal(t, hex32(server_seed))


ACCOUNTS = ("pot", *(f"seat:{number}" for number in range(SEATS)), "commission", "tax")
"""In the order of a settlement."""


def _settle(t: int, by: int, data: Json) -> Settle:
    (lines,) = members(data, "lines")
    if type(lines) is not list or len(lines) != len(ACCOUNTS):
        raise SchemaRefused("not one line per account")
    pairs = (members(line, "account", "amount") for line in lines)
    settled = tuple((choice(name, *ACCOUNTS), integer(amount, -MAX_INTEGER)) for name, amount in pairs)
    if len(dict(settled)) != len(ACCOUNTS):
        raise SchemaRefused("an account twice")
    return Settle(t, settled)


_BY_SERVER: dict[str, Callable[[int, int, Json], Event]] = {
    "open": _open, "deal": _deal, "timeout": _timeout, "resume": _resume, "score": _score, "end": _end,
    "reveal": _reveal, "settle": _settle,
}  # fmt: skip
_BY_SEAT: dict[str, Callable[[int, int, Json], Event]] = {"join": _join, "seed": _seed, "act": _act}


def parse_event(value: Json) -> tuple[int, Event]:
    """The `n` of an event, which the caller compares, and the event; raises SchemaRefused."""
    by, data, n, t, kind = members(value, "by", "data", "n", "t", "type")
    index, time = integer(n), integer(t)
    if type(kind) is not str:
        raise SchemaRefused("type")
    parse = _BY_SEAT.get(kind)
    if parse is not None:
        return index, parse(time, seat(by), data)
    parse = _BY_SERVER.get(kind)
    if parse is None or integer(by, SERVER, SERVER) != SERVER:
        raise SchemaRefused("type")
    return index, parse(time, SERVER, data)
