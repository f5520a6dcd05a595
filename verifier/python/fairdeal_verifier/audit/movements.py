"""Which transactions there are and what each may move: the closed list of protocol 7.6."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

PLAYER = "player"
COMMISSION, TAX, CASHIER = "house:commission", "tax", "cashier"
MOVES = {
    "deposit": ("deposit", CASHIER, "cash"),
    "withdraw": ("withdraw", "cash", "pending"),
    "payout": ("withdrawn", "pending", CASHIER),
    "refusal": ("withdrawn", "pending", "cash"),
    "sit": ("sit", "cash", "held"),
    "stand": ("stand", "held", "cash"),
}
"""Kinds with two entries, of one player: what the id begins with, from where, to where."""
OF_A_PLAYER = frozenset({"sit", "stand"})
"""Those of a match whose id names the pseudonym; all later kinds name the match."""


class Posted(NamedTuple):
    """A transaction, and the line of the journal it stands on."""

    line: int
    asset: str
    match: str | None
    entries: Mapping[str, int]


class Amount(NamedTuple):
    """Of one account of a player."""

    asset: str
    account: str
    amount: int


class Movements:
    """What stands open in a journal: withdrawals under way, stakes held for a match, pots; and the deposits and payouts
    that can be reversed still.
    """

    def __init__(self) -> None:
        self._asked: dict[str, Amount] = {}
        self._in: dict[str, Amount] = {}
        self._out: dict[str, Amount] = {}
        self._held: dict[str, dict[str, Amount]] = {}
        self._pots: dict[str, list[Amount]] = {}

    def take(self, name: str, kind: str, posted: Posted) -> bool:
        """The next transaction, by its id; whether it is one of the list. What it ends has ended in any case."""
        if kind in MOVES:
            return self._move(name, kind, posted)
        if kind == "reversal":
            return self._reverse(name, posted)
        m = posted.match or ""
        if kind == "pot" and name == f"pot:{m}":
            stakes = self._pots[m] = [*self._held.pop(m, {}).values()]
            return bool(stakes) and _moves(posted, stakes, {f"match:{m}:pot": sum(one.amount for one in stakes)})
        if kind == "cancel" and name == f"end:{m}":
            stakes = [*self._held.pop(m, {}).values()]
            return bool(stakes) and _moves(posted, stakes, _summed(stakes, "cash"))
        if kind in ("finish", "seed", "void") and name == f"end:{m}":
            return _empties(posted, self._pots.pop(m, []), f"match:{m}:pot", fees=kind == "finish")
        return False

    def is_open(self, m: str) -> bool:
        """Whether stakes of this match are still held, or in its pot."""
        return bool(self._held.get(m)) or m in self._pots

    def _move(self, name: str, kind: str, posted: Posted) -> bool:
        prefix, source, target = MOVES[kind]
        moved = _between(posted, source, target)
        start, _, number = name.partition(":")
        if moved is None or start != prefix or (posted.match is not None) != (kind in OF_A_PLAYER):
            return False
        match kind:
            case "deposit":
                self._in[number] = moved
            case "withdraw":
                self._asked[number] = moved
            case "payout" | "refusal":
                if kind == "payout":
                    self._out[number] = moved
                return self._asked.pop(number, None) == moved
            case "sit":
                self._held.setdefault(posted.match or "", {})[number] = moved
            case "stand":
                return self._held.get(posted.match or "", {}).pop(number, None) == moved
        return True

    def _reverse(self, name: str, posted: Posted) -> bool:
        start, _, number = name.partition(":")
        back, again = _between(posted, "cash", CASHIER), _between(posted, CASHIER, "cash")
        undone = back or again
        made = self._in if back else self._out
        right = start == "reversal" and posted.match is None and undone is not None
        return right and made.pop(number, None) == undone


def _between(posted: Posted, source: str, target: str) -> Amount | None:
    """Two entries from one place to the other, both of one player where they are of players."""
    (less, minus), (more, plus) = sorted(posted.entries.items(), key=lambda entry: entry[1])[:2]
    owners = {account.split(":")[1] for account in (less, more) if account.startswith(PLAYER)}
    if len(posted.entries) != 2 or minus >= 0 or (_place(less), _place(more)) != (source, target) or len(owners) != 1:
        return None
    return Amount(posted.asset, owners.pop(), plus)


def _place(account: str) -> str:
    return account.split(":")[2] if account.startswith(PLAYER) else account


def _summed(stakes: Iterable[Amount], place: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in stakes:
        found[f"{PLAYER}:{one.account}:{place}"] += one.amount
    return found


def _moves(posted: Posted, stakes: list[Amount], gains: Mapping[str, int]) -> bool:
    """All these held stakes, whole, and nothing else."""
    held = {account: -amount for account, amount in _summed(stakes, "held").items()}
    return {one.asset for one in stakes} == {posted.asset} and posted.entries == {**held, **gains}


def _empties(posted: Posted, stakes: list[Amount], pot: str, *, fees: bool) -> bool:
    """The whole pot, to those whose stakes are in it, and to house and state."""
    gains = {account: amount for account, amount in posted.entries.items() if account != pot}
    to = {f"{PLAYER}:{one.account}:cash" for one in stakes} | ({COMMISSION, TAX} if fees else set())
    whole = sum(one.amount for one in stakes)
    right = {one.asset for one in stakes} == {posted.asset} and posted.entries.get(pot) == -whole
    return right and gains.keys() <= to and min(gains.values()) > 0
