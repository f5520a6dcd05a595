"""Signs of collusion: what pairs of accounts do to each other more often than chance and habit explain.

Signs, not proofs: friends play each other, and a better player wins. Each names the matches, so that somebody can look.
Only staked matches count, and only two accounts of which one can win from the other. What is not looked for: partners
of a game for four who tell each other their cards, and one large loss on purpose.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Final, Literal

from fairdeal.app.records import MatchRecord, SeatRecord

AGAIN_MATCHES: Final = 10
"""Matches of a pair in one asset, below which nothing is said of its meeting again: two evenings among friends."""
AGAIN_SHARE: Final = 2
"""And they are one in so many of all staked matches of one of the two: who plays everybody meets everybody often."""
ONE_WAY_CHANCE: Final = 1_000
"""Of two equal players one wins so lopsidedly less than once in so many series: eleven to nothing, fourteen to
one, seventeen to two. A house has more pairs than this, so that some stand here by chance.
"""
UNFINISHED_MATCHES: Final = 3
"""Matches of a pair at a full table that nobody won: once is a lost connection, twice bad luck."""
UNFINISHED_SHARE: Final = 4
"""And they are one in so many of the pair's matches. An honest pair has far fewer: a seed is sent by the program."""


@dataclass(frozen=True, slots=True)
class Sign:
    """`again`: the two meet again and again; `one_way`: one of them nearly always wins; `unfinished`: their matches are
    called off, lack seeds or end void.

    In `accounts`' order: how often each `won`, and `net`, what these matches did to the free money of each (minor units
    of `asset`). `met` are the matches, `unfinished` those of them that nobody won by play, `matches` their ids.
    """

    kind: Literal["again", "one_way", "unfinished"]
    accounts: tuple[str, str]
    asset: str
    met: int
    won: tuple[int, int]
    unfinished: int
    net: tuple[int, int]
    matches: tuple[str, ...]


@dataclass(slots=True)
class _Pair:
    matches: list[str] = field(default_factory=list)
    unfinished: int = 0
    won: Counter[str] = field(default_factory=Counter)
    net: Counter[str] = field(default_factory=Counter)


def find_signs(records: Iterable[MatchRecord]) -> tuple[Sign, ...]:
    """The signs in these matches, by kind, then asset, then accounts, whatever the records' order. A period is chosen
    by whoever chooses the records.
    """
    pairs: dict[tuple[str, str, str], _Pair] = {}
    played: Counter[tuple[str, str]] = Counter()
    for record in sorted(records, key=lambda one: (one.opened_at, one.m)):
        if record.ending is None or not record.stake or len({seat.side for seat in record.seats}) < 2:
            continue
        asset = str(record.asset["code"])
        played.update((asset, seat.account) for seat in record.seats)
        for one, other in combinations(sorted(record.seats, key=lambda seat: seat.account), 2):
            if one.side != other.side:
                _add(pairs.setdefault((asset, one.account, other.account), _Pair()), record, one, other)
    signs = []
    for (asset, first, second), pair in pairs.items():
        met, fewest = len(pair.matches), min(played[asset, first], played[asset, second])
        if met >= AGAIN_MATCHES and met * AGAIN_SHARE >= fewest:
            signs.append(_sign("again", asset, (first, second), pair))
        if _is_one_way(pair.won[first], pair.won[second]):
            signs.append(_sign("one_way", asset, (first, second), pair))
        if pair.unfinished >= UNFINISHED_MATCHES and pair.unfinished * UNFINISHED_SHARE >= met:
            signs.append(_sign("unfinished", asset, (first, second), pair))
    return tuple(sorted(signs, key=lambda sign: (sign.kind, sign.asset, sign.accounts)))


def _add(pair: _Pair, record: MatchRecord, one: SeatRecord, other: SeatRecord) -> None:
    assert record.ending is not None
    pair.matches.append(record.m)
    pair.net.update({one.account: one.net, other.account: other.net})
    if record.ending.winner is None or record.ending.reason == "seed":
        pair.unfinished += 1
    else:
        pair.won[one.account if one.side == record.ending.winner else other.account] += 1


def _is_one_way(first: int, second: int) -> bool:
    """Whether equal players part so unequally, either way, less than once in `ONE_WAY_CHANCE` series of that length."""
    series, fewer = first + second, min(first, second)
    as_unequal = 2 * sum(comb(series, wins) for wins in range(fewer + 1))
    return as_unequal * ONE_WAY_CHANCE < 1 << series


def _sign(kind: Literal["again", "one_way", "unfinished"], asset: str, accounts: tuple[str, str], pair: _Pair) -> Sign:
    first, second = accounts
    return Sign(
        kind=kind,
        accounts=accounts,
        asset=asset,
        met=len(pair.matches),
        won=(pair.won[first], pair.won[second]),
        unfinished=pair.unfinished,
        net=(pair.net[first], pair.net[second]),
        matches=tuple(pair.matches),
    )
