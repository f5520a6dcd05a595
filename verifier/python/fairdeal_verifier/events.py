"""The events of a transcript as typed values, each read alone by the exact schema of protocol 2.1 and its ruleset's."""

from collections.abc import Callable
from typing import NamedTuple

from fairdeal_verifier import canonical
from fairdeal_verifier.actions import DO_TEXT, action, card, contract_value, suit
from fairdeal_verifier.canonical import MAX_INTEGER, Json
from fairdeal_verifier.cards import CARDS, RESIGN
from fairdeal_verifier.errors import SchemaRefused
from fairdeal_verifier.fields import choice, hex16, hex32, hex64, integer, items, members
from fairdeal_verifier.game import SIDES, Announcement, Contract, Pair, Score
from fairdeal_verifier.merkle import EMPTY_ROOT
from fairdeal_verifier.rulesets import Ruleset
from fairdeal_verifier.terms import Open, parse_open

SERVER = -1
LEAST_SHOWN = 3
"""Cards of the shortest announcement."""


class Join(NamedTuple):
    """A seat comes, with its key, the commitment to its seed, and the newest checkpoint of the log it had seen."""

    t: int
    by: int
    do: bytes
    root: bytes
    sig: bytes
    key: bytes
    seed_commitment: bytes
    seen_root: bytes
    seen_size: int


class Seed(NamedTuple):
    """A seat opens its commitment."""

    t: int
    by: int
    do: bytes
    root: bytes
    sig: bytes
    seed: bytes


class Act(NamedTuple):
    """A seat bids, plays, declares or resigns; `action` as in `cards`."""

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
    turned: int | None


class Shown(NamedTuple):
    """The event `show`."""

    t: int
    announcements: tuple[Announcement, ...]


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
    score: Score
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
Event = Open | Join | Seed | Act | Dealt | Shown | Timeout | Resume | Scored | End | Reveal | Settle


def accounts(seats: int) -> tuple[str, ...]:
    """In the order of a settlement."""
    return ("pot", *(f"seat:{seat}" for seat in range(seats)), "commission", "tax")


def _seat(game: Ruleset, value: Json) -> int:
    return integer(value, 0, game.seats - 1)


def _pair(value: Json) -> Pair:
    first, second = items(value, SIDES, SIDES)
    return integer(first), integer(second)


def _side_or_null(value: Json) -> int | None:
    return None if value is None else integer(value, 0, SIDES - 1)


def _join(game: Ruleset, t: int, by: int, data: Json) -> Join:
    do, root, sig = members(data, "do", "root", "sig")
    (join,) = members(do, "join")
    key, player, seed_commitment, seen = members(join, "key", "player", "seed_commitment", "seen")
    hex16(player)
    seen_root, seen_size = members(seen, "root", "size")
    size, its_root = integer(seen_size), hex32(seen_root)
    if size == 0 and its_root != EMPTY_ROOT:
        raise SchemaRefused("no tree has this size and root")
    return Join(
        t, by, canonical.encode(do), hex32(root), hex64(sig), hex32(key), hex32(seed_commitment), its_root, size
    )


def _seed(game: Ruleset, t: int, by: int, data: Json) -> Seed:
    do, root, sig = members(data, "do", "root", "sig")
    (seed,) = members(do, "seed")
    return Seed(t, by, canonical.encode(do), hex32(root), hex64(sig), hex32(seed))


def _act(game: Ruleset, t: int, by: int, data: Json) -> Act:
    says = None
    if type(data) is dict and "says" in data:
        do, root, spoken, sig = members(data, "do", "root", "says", "sig")
        says = choice(spoken, "belote", "rebelote")
    else:
        do, root, sig = members(data, "do", "root", "sig")
    done = action(do, game.bids, declares=game.announces)
    if says and done >= CARDS:
        raise SchemaRefused("only a card says something")
    return Act(t, by, DO_TEXT[done], hex32(root), hex64(sig), done, says)


def _deal(game: Ruleset, t: int, by: int, data: Json) -> Dealt:
    if game.auction:
        deal, dealer = members(data, "deal", "dealer")
        return Dealt(t, integer(deal, 1), _seat(game, dealer), None)
    deal, dealer, turned = members(data, "deal", "dealer", "turned")
    return Dealt(t, integer(deal, 1), _seat(game, dealer), card(turned))


def _show(game: Ruleset, t: int, by: int, data: Json) -> Shown:
    if not game.announces:
        raise SchemaRefused("nothing is shown in this game")
    (announcements,) = members(data, "announcements")
    pairs = [members(one, "cards", "seat") for one in items(announcements, 0, MAX_INTEGER)]
    return Shown(
        t,
        tuple(
            Announcement(_seat(game, seat), tuple(card(one) for one in items(cards, LEAST_SHOWN, MAX_INTEGER)))
            for cards, seat in pairs
        ),
    )


def _timeout(game: Ruleset, t: int, by: int, data: Json) -> Timeout:
    if type(data) is not dict:
        raise SchemaRefused("not an object")
    if "missing" in data:
        (value,) = members(data, "missing")
        missing = tuple(_seat(game, one) for one in items(value, 1, game.seats))
        if missing != tuple(sorted(set(missing))):
            raise SchemaRefused("not ascending")
        return Timeout(t, missing, SERVER, 0, None, None)
    names = [name for name in ("do", "overrun", "says", "seat") if name in ("overrun", "seat") or name in data]
    values = dict(zip(names, members(data, *names), strict=True))
    done = action(values["do"], game.bids, declares=False) if "do" in values else None
    says = choice(values["says"], "belote", "rebelote") if "says" in values else None
    if done == RESIGN or (says and (done is None or done >= CARDS)):
        raise SchemaRefused("not what a timeout may do")
    return Timeout(t, None, _seat(game, values["seat"]), integer(values["overrun"], 1), done, says)


def _resume(game: Ruleset, t: int, by: int, data: Json) -> Resume:
    start, stop = members(data, "from", "to")
    return Resume(t, integer(start), integer(stop))


def _score(game: Ruleset, t: int, by: int, data: Json) -> Scored:
    own = {"announcements": game.announces, "contract": game.auction, "pot": game.has_pot}
    names = ["belote", "deal", "marks", "outcome", "points", "taker", "totals", "tricks"]
    names = sorted(names + [name for name, written in own.items() if written])
    values = dict(zip(names, members(data, *names), strict=True))
    taker = values["taker"]
    score = Score(
        None if taker is None else _seat(game, taker),
        _pair(values["points"]),
        _pair(values["tricks"]),
        _side_or_null(values["belote"]),
        choice(values["outcome"], *game.outcomes),
        _pair(values["marks"]),
        integer(values["pot"]) if game.has_pot else 0,
        _contract(game, values["contract"]) if game.auction else None,
        _pair(values["announcements"]) if game.announces else (0, 0),
    )
    return Scored(t, integer(values["deal"], 1), score, _pair(values["totals"]))


def _contract(game: Ruleset, value: Json) -> Contract | None:
    if value is None:
        return None
    double, seat, of_suit, worth = members(value, "double", "seat", "suit", "value")
    if integer(double) not in (1, 2, 4):
        raise SchemaRefused("not how often a contract is doubled")
    return Contract(integer(double), _seat(game, seat), suit(of_suit), contract_value(worth))


def _end(game: Ruleset, t: int, by: int, data: Json) -> End:
    cause = None
    if type(data) is dict and data.get("reason") == "void":
        written, reason, totals, winner = members(data, "cause", "reason", "totals", "winner")
        cause = choice(written, "deal_limit", "operator")
    else:
        reason, totals, winner = members(data, "reason", "totals", "winner")
    known = choice(reason, "target", "overruns", "resigned", "seed", "cancelled", "void")
    return End(t, known, _side_or_null(winner), _pair(totals), cause)


def _reveal(game: Ruleset, t: int, by: int, data: Json) -> Reveal:
    (server_seed,) = members(data, "server_seed")
    return Reveal(t, hex32(server_seed))


def _settle(game: Ruleset, t: int, by: int, data: Json) -> Settle:
    names = accounts(game.seats)
    (lines,) = members(data, "lines")
    pairs = (members(line, "account", "amount") for line in items(lines, len(names), len(names)))
    settled = tuple((choice(name, *names), integer(amount, -MAX_INTEGER)) for name, amount in pairs)
    if len(dict(settled)) != len(names):
        raise SchemaRefused("an account twice")
    return Settle(t, settled)


_Parser = Callable[[Ruleset, int, int, Json], Event]
_BY_SERVER: dict[str, _Parser] = {
    "deal": _deal, "show": _show, "timeout": _timeout, "resume": _resume, "score": _score, "end": _end,
    "reveal": _reveal, "settle": _settle,
}  # fmt: skip
_BY_SEAT: dict[str, _Parser] = {"join": _join, "seed": _seed, "act": _act}


def parse_event(value: Json, game: Ruleset | None) -> tuple[int, Event]:
    """The `n` of an event, which the caller compares, and the event; raises SchemaRefused.

    `game` is the ruleset that event 0 names; None for that event itself, which can only be `open`.
    """
    by, data, n, t, kind = members(value, "by", "data", "n", "t", "type")
    index, time = integer(n), integer(t)
    if type(kind) is not str:
        raise SchemaRefused("type")
    if kind == "open":
        integer(by, SERVER, SERVER)
        return index, parse_open(time, data)
    if game is None:
        raise SchemaRefused("not an opening")
    parse = _BY_SEAT.get(kind)
    if parse is not None:
        return index, parse(game, time, _seat(game, by), data)
    parse = _BY_SERVER.get(kind)
    if parse is None or integer(by, SERVER, SERVER) != SERVER:
        raise SchemaRefused("type")
    return index, parse(game, time, SERVER, data)
