"""The money journal: its transactions, the `ledger` leaves over them, and what the matches say (protocol 7.6)."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fairdeal_verifier import canonical
from fairdeal_verifier.audit.findings import Detail
from fairdeal_verifier.audit.keys import lines_of
from fairdeal_verifier.audit.movements import CASHIER, Movements, Posted
from fairdeal_verifier.audit.source import Source
from fairdeal_verifier.audit.tree import Tree
from fairdeal_verifier.canonical import MAX_INTEGER
from fairdeal_verifier.errors import FileFault, NotCanonical, SchemaRefused
from fairdeal_verifier.fields import choice, hex16, integer, items, members, text
from fairdeal_verifier.files import MAX_FILE_BYTES, MAX_LINE_BYTES
from fairdeal_verifier.leaves import LedgerLeaf

LEDGER, SEATS = "ledger", "seats"
"""Folders of pages."""
PAGE_LINES = 1_000

_ID = re.compile(r"[a-z]+:[0-9a-f]{32}").fullmatch
_KIND = re.compile(r"[a-z]+").fullmatch
_ASSET = re.compile(r"[A-Z][A-Z0-9]{0,11}").fullmatch
_ACCOUNT = re.compile(
    r"player:[0-9a-f]{32}:(?:cash|held|pending)|match:[0-9a-f]{32}:pot|house:commission|tax|cashier"
).fullmatch
_OF_A_MATCH = re.compile(r"(?:pot|end|sit):").match


class MoneyFault(NamedTuple):
    """What is wrong with the money, at a line of the journal; None where a line is missing."""

    line: int | None
    detail: Detail
    m: str | None = None


class Stakes(NamedTuple):
    """What a match says of its money: who sits at each seat, and the lines of its settlement."""

    m: str
    asset: str
    stake: int
    players: tuple[str, ...]
    lines: Mapping[str, int]


def pages(source: Source, folder: str) -> Iterator[bytes]:
    """The lines of all pages of a folder, in order; raises FileFault, NotFetched."""
    number = 0
    full = True
    while full:
        path = f"{folder}/{number}.jsonl"
        lines = lines_of(source.read(path, MAX_FILE_BYTES), path)
        if len(lines) > PAGE_LINES or any(len(line) > MAX_LINE_BYTES for line in lines):
            raise FileFault("damaged", path, "too many lines, or too long ones")
        yield from lines
        full = len(lines) == PAGE_LINES
        number += 1


class Journal:
    """A journal read to its end. `add` takes one line after the other."""

    def __init__(self) -> None:
        self.tree = Tree()
        self.faults: list[MoneyFault] = []
        self.of_matches: dict[str, Posted] = {}
        self.movements = Movements()
        self.times: list[int] = []
        self._ids: set[str] = set()
        self._balances: dict[tuple[str, str], int] = {}

    def add(self, line: bytes) -> None:
        """The next line, whatever it says."""
        number = self.tree.size
        self.tree.add(line)
        try:
            name, kind, posted, at = _parse(line, number)
        except (NotCanonical, SchemaRefused):
            self.times.append(self.times[-1] if self.times else 0)
            self.faults.append(MoneyFault(number, ("no_transaction", number)))
            return
        self.times.append(at)
        if name in self._ids:
            self.faults.append(MoneyFault(number, ("posted_twice", name), posted.match))
            return
        self._ids.add(name)
        if _OF_A_MATCH(name):
            self.of_matches[name] = posted
        if not self.movements.take(name, kind, posted):
            self.faults.append(MoneyFault(number, ("not_listed", name, kind), posted.match))
        for account, amount in posted.entries.items():
            key = posted.asset, account
            self._balances[key] = self._balances.get(key, 0) + amount
            if self._balances[key] < 0 and account != CASHIER:
                self.faults.append(MoneyFault(number, ("below_zero", account), posted.match))

    def signed_size(self, ledgers: list[tuple[int, LedgerLeaf]]) -> int:
        """How many lines stand under the log: those of the newest `ledger` leaf that this journal has."""
        return next((leaf.size for _, leaf in reversed(ledgers) if self._has(leaf)), 0)

    def _has(self, leaf: LedgerLeaf) -> bool:
        return leaf.size <= self.tree.size and self.tree.root(leaf.size) == leaf.root

    def disagreeing(self, ledgers: list[tuple[int, LedgerLeaf]]) -> list[tuple[int, LedgerLeaf]]:
        """Those `ledger` leaves, with their index, that this journal does not fit."""
        return [(index, leaf) for index, leaf in ledgers if not self._has(leaf)]

    def check_match(self, match: Stakes) -> Iterator[MoneyFault]:
        """The pot and the settlement of a closed match whose pot was formed."""
        held: list[str] = []
        cash: list[str] = []
        for seat, player in enumerate(match.players):
            account = self.account_of(player)
            if account is None:
                yield MoneyFault(None, ("nobody_sat", seat), match.m)
                return
            held.append(f"player:{account}:held")
            cash.append(f"player:{account}:cash")
        pot = f"match:{match.m}:pot"
        formed = {pot: match.stake * len(held), **dict.fromkeys(held, -match.stake)}
        accounts = {"pot": pot, "commission": "house:commission", "tax": "tax"}
        accounts |= {f"seat:{seat}": account for seat, account in enumerate(cash)}
        emptied = {accounts[name]: amount for name, amount in match.lines.items() if amount}
        for name, entries in (("pot", formed), ("end", emptied)):
            posted = self.of_matches.get(f"{name}:{match.m}")
            if posted is None:
                yield MoneyFault(None, ("not_posted", f"{name}:{match.m}"), match.m)
            elif (posted.asset, posted.match, posted.entries) != (match.asset, match.m, entries):
                yield MoneyFault(posted.line, ("not_as_said", f"{name}:{match.m}"), match.m)

    def check_no_pot(self, m: str) -> Iterator[MoneyFault]:
        """A closed match that never had a pot."""
        posted = self.of_matches.get(f"pot:{m}")
        if posted is not None:
            yield MoneyFault(posted.line, ("without_pot", f"pot:{m}"), m)

    def check_left(self, m: str) -> Iterator[MoneyFault]:
        """A closed match keeps no stake."""
        if self.movements.is_open(m):
            yield MoneyFault(None, ("left", m), m)

    def check_known(self, known: Mapping[str, object], signed: int) -> Iterator[MoneyFault]:
        """No stake, no pot and no settlement, among the first `signed` lines, of a match that the log does not have.

        Later lines may be of matches that were opened after the checkpoint.
        """
        for name, posted in self.of_matches.items():
            if posted.match is not None and posted.match not in known and posted.line < signed:
                yield MoneyFault(posted.line, ("no_match", name), posted.match)

    def account_of(self, player: str) -> str | None:
        """Who took a seat under that pseudonym for a stake, as the journal has it."""
        sat = self.of_matches.get(f"sit:{player}")
        if sat is None:
            return None
        return next((name.split(":")[1] for name, amount in sat.entries.items() if name.endswith(":held")), None)


def _parse(line: bytes, number: int) -> tuple[str, str, Posted, int]:
    value = canonical.decode(line)
    names = ["asset", "at", "entries", "format", "id", "kind"]
    if type(value) is dict and "match" in value:
        names.append("match")
    found = dict(zip(names, members(value, *names), strict=True))
    choice(found["format"], "fairdeal/transaction@1")
    at, kind = integer(found["at"]), text(found["kind"], _KIND)
    entries: dict[str, int] = {}
    listed = items(found["entries"], 2, MAX_LINE_BYTES)
    for entry in listed:
        account, amount = members(entry, "account", "amount")
        entries[text(account, _ACCOUNT)] = integer(amount, -MAX_INTEGER)
    amounts = [*entries.values()]
    if len(entries) != len(listed) or sum(amounts) != 0 or 0 in amounts:
        raise SchemaRefused("an account twice, an amount of 0, or not a sum of 0")
    match = hex16(found["match"]) if "match" in found else None
    return text(found["id"], _ID), kind, Posted(number, text(found["asset"], _ASSET), match, entries), at


class Sitting(NamedTuple):
    """On the operator's word, who sat where."""

    account: str
    player: str


def read_seats(source: Source) -> dict[tuple[str, int], Sitting]:
    """The seats pages by match and seat; raises FileFault, NotFetched."""
    found: dict[tuple[str, int], Sitting] = {}
    try:
        for line in pages(source, SEATS):
            account, m, player, seat = members(canonical.decode(line), "account", "m", "player", "seat")
            key = hex16(m), integer(seat)
            if key in found:
                raise SchemaRefused("a seat twice")
            found[key] = Sitting(hex16(account), hex16(player))
    except (NotCanonical, SchemaRefused):
        raise FileFault("damaged", SEATS, "not a list of seats") from None
    return found
