"""A whole service by the protocol text alone: its log, its journal and its matches, as files that an auditor reads."""

import copy
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from fairdeal_verifier import canonical
from fairdeal_verifier.merkle import leaf_hash, node_hash, roots
from fairdeal_verifier.notes import format_verifier_key
from tests.verifier.builder import LOG, Match, Server, public, target
from tests.verifier.logged import LOG_KEY, Log, Signer, leaf_of, named

RECEIPTS_KEY = named(21, f"{LOG}/receipts")
NEXT_RECEIPTS_KEY = named(22, f"{LOG}/receipts")
TERMS: dict[str, Any] = {"receipt_key": public(RECEIPTS_KEY[0]).hex()}
ACCOUNTS = [sha256(b"account %d" % number).hexdigest()[:32] for number in range(4)]


def vkey(signer: Signer) -> str:
    return format_verifier_key(signer[1], public(signer[0]))


def _ended(match: Match) -> Match:
    assert match.events[-1]["type"] in ("reveal", "settle")
    return match


def _resumed() -> Match:
    server = Server(5, **TERMS).begin()
    server.act()
    server.resume()
    server.act()
    server.resign(0)
    return server.match


def _no_seed() -> Match:
    server = Server(6, **TERMS).sit()
    server.seed(1)
    for _ in range(3):
        server.missing()
    return server.match


def _void() -> Match:
    server = Server(7, **TERMS).begin().steps(4)
    server.end("void", None, cause="operator")
    return server.match


def _cancelled() -> Match:
    server = Server(8, **TERMS)
    server.join(1)
    server.end("cancelled", None)
    return server.match


@cache
def _course() -> tuple[Match, ...]:
    return tuple(
        _ended(match)
        for match in (
            target(1, target=50, **TERMS),
            _resumed(),
            target(2, "coinche@1", stake=301, **TERMS),
            _no_seed(),
            target(3, target=30, stake=0, **TERMS),
            _void(),
            _cancelled(),
            target(4, target=50, **TERMS),
        )
    )


def matches() -> list[Match]:
    """Closed matches of many endings, under the one receipts key: played, resigned after a resume, coinche for a stake,
    a seed withheld, without a stake, void, cancelled, played."""
    return [match.copy() for match in _course()]


class House:
    """What an operator exports. Change what it says before `write`, which seals it as it is then."""

    def __init__(self) -> None:
        self.log = Log()
        self.signed: dict[int, str] = {}
        self.transcripts: dict[str, list[bytes]] = {}
        self.journal: list[dict[str, Any]] = []
        self.seats: list[dict[str, Any]] = []
        self.keys = [{"from": 0, "vkey": vkey(LOG_KEY)}, {"from": 0, "vkey": vkey(RECEIPTS_KEY)}]
        for number, account in enumerate(ACCOUNTS):
            self.post(f"deposit:{number:032x}", "deposit", {"cashier": -1_000_000, f"player:{account}:cash": 1_000_000})

    def leaf(self, leaf: dict[str, Any]) -> int:
        """Appends it; its index."""
        self.log.entries.append(canonical.encode(leaf))
        return len(self.log.entries) - 1

    def change(self, index: int, **changed: Any) -> None:
        leaf: Any = canonical.decode(self.log.entries[index])
        self.log.entries[index] = canonical.encode(leaf | changed)

    def find(self, kind: str, m: str | None = None) -> int:
        """The index of the first leaf of a type, of a match where one is given."""
        for index, entry in enumerate(self.log.entries):
            leaf: Any = canonical.decode(entry)
            if leaf["type"] == kind and m in (None, leaf.get("m")):
                return index
        raise LookupError(kind)

    def post(self, name: str, kind: str, entries: dict[str, int], match: str | None = None, **more: Any) -> None:
        line: dict[str, Any] = {
            "asset": "PLAY", "at": 1_750_000_000_000, "format": "fairdeal/transaction@1", "id": name, "kind": kind,
            "entries": [{"account": account, "amount": amount} for account, amount in entries.items() if amount],
        }  # fmt: skip
        self.journal.append(line | ({"match": match} if match else {}) | more)

    def posted(self, name: str) -> dict[str, Any]:
        """A transaction by its id, to be changed."""
        return next(line for line in self.journal if line["id"] == name)

    def open(self, match: Match) -> None:
        """A table that stays open."""
        self.leaf(leaf_of("open", match))
        self.transcripts[match.m] = match.leaves[:1]

    def add(self, match: Match) -> None:
        """A match from its opening to its end, its money with it, and a checkpoint."""
        self.begin(match)
        self.close(match)

    def begin(self, match: Match) -> None:
        """All but its end."""
        self.open(match)
        for event in match.events:
            if event["type"] == "resume":
                self.leaf({"from": event["data"]["from"], "to": event["data"]["to"], "type": "outage"})
        joins = [event for event in match.events if event["type"] == "join"]
        stake = match.events[0]["data"]["stake"]
        for event in joins:
            self._sits(match, event, stake)
        if len(joins) == len(match.seats):
            self.leaf(leaf_of("full", match))
            self._fills(match, joins, stake)
        if any(event["type"] == "deal" for event in match.events):
            self.leaf(leaf_of("start", match))

    def close(self, match: Match) -> None:
        self.leaf(leaf_of("close", match))
        self.transcripts[match.m] = match.leaves
        kinds = {"played": "finish", "forfeit": "finish", "no_seed": "seed", "void": "void"}
        if match.events[-1]["type"] == "settle":
            lines = {one["account"]: one["amount"] for one in match.events[-1]["data"]["lines"]}
            self.settle(match.m, lines, kinds[leaf_of("close", match)["outcome"]])
        elif stake := match.events[0]["data"]["stake"]:
            accounts = [ACCOUNTS[event["by"]] for event in match.events if event["type"] == "join"]
            held = {f"player:{account}:held": -stake for account in accounts}
            cash = {f"player:{account}:cash": stake for account in accounts}
            self.post(f"end:{match.m}", "cancel", held | cash, match.m)
        self.sign()

    def settle(self, m: str, lines: dict[str, int], kind: str) -> None:
        names = {"pot": f"match:{m}:pot", "commission": "house:commission", "tax": "tax"}
        names |= {f"seat:{seat}": f"player:{account}:cash" for seat, account in enumerate(ACCOUNTS)}
        self.post(f"end:{m}", kind, {names[name]: amount for name, amount in lines.items()}, m)

    def _sits(self, match: Match, event: dict[str, Any], stake: int) -> None:
        account, player = ACCOUNTS[event["by"]], event["data"]["do"]["join"]["player"]
        if stake:
            self.post(
                f"sit:{player}", "sit", {f"player:{account}:cash": -stake, f"player:{account}:held": stake}, match.m
            )

    def _fills(self, match: Match, joins: list[dict[str, Any]], stake: int) -> None:
        for event in sorted(joins, key=lambda event: event["by"]):
            player = event["data"]["do"]["join"]["player"]
            self.seats.append({"account": ACCOUNTS[event["by"]], "m": match.m, "player": player, "seat": event["by"]})
        if stake:
            held = {f"player:{ACCOUNTS[seat]}:held": -stake for seat in range(len(joins))}
            self.post(f"pot:{match.m}", "pot", {f"match:{match.m}:pot": stake * len(joins), **held}, match.m)

    @property
    def lines(self) -> list[bytes]:
        return [canonical.encode(line) for line in self.journal]

    def ledger(self) -> int:
        """A leaf over the journal as it is."""
        lines = self.lines
        return self.leaf({"root": roots(lines)[-1].hex(), "size": len(lines), "type": "ledger"})

    def sign(self) -> None:
        """A checkpoint of what is there, kept in the archive."""
        self.signed[len(self.log.entries)] = self.log.checkpoint()

    def write(self, folder: Path) -> Path:
        """Everything, under a newest checkpoint over the entries as they are now."""
        self.sign()
        files: dict[str, bytes] = {"checkpoint": self.signed[max(self.signed)].encode()}
        files |= {f"checkpoints/{size}": note.encode() for size, note in self.signed.items()}
        files |= dict(tiles(self.log.entries))
        files |= {f"matches/{m}.jsonl": joined(lines) for m, lines in self.transcripts.items()}
        files |= pages("ledger", self.lines) | pages("seats", [canonical.encode(line) for line in self.seats])
        files["keys.jsonl"] = joined(canonical.encode(line) for line in self.keys)
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder


def house() -> House:
    """All of `matches`, with the journal's leaf after half of them and at the end."""
    made = copy.copy(_house())
    for name in ("transcripts", "journal", "seats", "keys", "signed"):
        setattr(made, name, copy.deepcopy(getattr(made, name)))
    made.log = Log()
    made.log.entries = [*_house().log.entries]
    return made


@cache
def _house() -> House:
    made = House()
    for number, match in enumerate(matches()):
        made.add(match)
        if number == 3:
            made.ledger()
    made.ledger()
    made.sign()
    return made


def joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def pages(folder: str, lines: list[bytes]) -> dict[str, bytes]:
    cut = range(0, len(lines) + 1, 1_000)
    return {f"{folder}/{number}.jsonl": joined(lines[start : start + 1_000]) for number, start in enumerate(cut)}


def tiles(entries: list[bytes]) -> Iterator[tuple[str, bytes]]:
    """C2SP tlog-tiles, for fewer than 256,000 entries."""
    for start in range(0, len(entries), 256):
        part = entries[start : start + 256]
        yield tile("entries", start, len(part)), b"".join(len(one).to_bytes(2, "big") + one for one in part)
    nodes = [leaf_hash(entry) for entry in entries]
    level = 0
    while nodes:
        for start in range(0, len(nodes), 256):
            part = nodes[start : start + 256]
            yield tile(str(level), start, len(part)), b"".join(part)
        for _ in range(8):
            nodes = [node_hash(nodes[i], nodes[i + 1]) for i in range(0, len(nodes) - 1, 2)]
        level += 1


def tile(level: str, start: int, width: int) -> str:
    return f"tile/{level}/{start // 256:03}" + ("" if width == 256 else f".p/{width}")
