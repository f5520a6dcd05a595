"""A log of all matches by the protocol text alone, and matches that are logged in it as a server would."""

import copy
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairdeal_verifier import Policy, canonical
from fairdeal_verifier.merkle import EMPTY_ROOT, leaf_hash, node_hash, roots
from fairdeal_verifier.notes import COSIGNS, format_verifier_key, key_id
from tests.verifier.builder import LOG, Match, Server, public

Signer = tuple[Ed25519PrivateKey, str]
"""A key and its name."""
TIME = 1_790_000_000
"""Seconds since 1970 of the first cosignature."""
OUTCOMES = {
    "target": "played", "overruns": "forfeit", "resigned": "forfeit", "seed": "no_seed", "cancelled": "cancelled",
    "void": "void",
}  # fmt: skip


def named(number: int, name: str) -> Signer:
    return Ed25519PrivateKey.from_private_bytes(sha256(b"%d" % number).digest()), name


LOG_KEY = named(1, LOG)
NEXT_LOG_KEY = named(2, LOG)
WITNESSES = (named(11, "w1.example"), named(12, "w2.example"), named(13, "w3.example"))


def cosigned(text: str, signers: Sequence[Signer], witnesses: Sequence[Signer]) -> str:
    """A note over a text, signed by some and cosigned by some."""
    lines = []
    for key, name in signers:
        lines.append((name, key_id(name, public(key))[1] + key.sign(text.encode())))
    for number, (key, name) in enumerate(witnesses):
        time = TIME + number
        signature = key.sign(f"cosignature/v1\ntime {time}\n{text}".encode())
        lines.append((name, key_id(name, public(key), COSIGNS)[1] + time.to_bytes(8) + signature))
    return f"{text}\n" + "".join(f"— {name} {b64encode(data).decode()}\n" for name, data in lines)


def policy_text(
    logs: Sequence[Signer] = (LOG_KEY,), witnesses: Sequence[Signer] = (), quorum: str = "none", more: str = ""
) -> str:
    """`more` is written before the quorum."""
    lines = [f"log {format_verifier_key(name, public(key))}" for key, name in logs]
    lines += [f"witness {name} {format_verifier_key(name, public(key), COSIGNS)}" for key, name in witnesses]
    return "\n".join([*lines, *more.splitlines(), f"quorum {quorum}", ""])


def policy(*arguments: Any, **named_arguments: Any) -> Policy:
    return Policy.parse(policy_text(*arguments, **named_arguments).encode())


def split(size: int) -> int:
    """The largest power of two below a size of two or more."""
    return 1 << (size - 1).bit_length() - 1


class Log:
    """Entries, and what RFC 6962 says of them, word for word."""

    def __init__(self, key: Signer = LOG_KEY) -> None:
        self.key = key
        self.witnesses: tuple[Signer, ...] = ()
        self.entries: list[bytes] = []

    def fill(self, count: int) -> None:
        """Entries of other matches."""
        for _ in range(count):
            number = len(self.entries)
            m, root = sha256(b"%d" % number).hexdigest()[:32], sha256(b"root %d" % number).hexdigest()
            self.entries.append(canonical.encode({"m": m, "root": root, "type": "full"}))

    def root(self, size: int | None = None, start: int = 0) -> bytes:
        entries = self.entries[start:size]
        if len(entries) < 2:
            return leaf_hash(entries[0]) if entries else EMPTY_ROOT
        middle = start + split(len(entries))
        return node_hash(self.root(middle, start), self.root(start + len(entries), middle))

    def inclusion(self, index: int, size: int, start: int = 0) -> list[bytes]:
        """Of the entry `index` in the entries [start, size)."""
        if size - start == 1:
            return []
        middle = start + split(size - start)
        if index < middle:
            return [*self.inclusion(index, middle, start), self.root(size, middle)]
        return [*self.inclusion(index, size, middle), self.root(middle, start)]

    def consistency(self, old: int, size: int) -> list[bytes]:
        return [] if old in (0, size) else self._subproof(old, size, 0, whole=True)

    def _subproof(self, old: int, size: int, start: int, *, whole: bool) -> list[bytes]:
        if old == size:
            return [] if whole else [self.root(size, start)]
        middle = start + split(size - start)
        if old <= middle:
            return [*self._subproof(old, middle, start, whole=whole), self.root(size, middle)]
        return [*self._subproof(old, size, middle, whole=False), self.root(middle, start)]

    def checkpoint(self, size: int | None = None, *, origin: str = LOG, **signed_by: Sequence[Signer]) -> str:
        """By the log key and the witnesses, or by `signers` and `witnesses`."""
        size = len(self.entries) if size is None else size
        text = f"{origin}\n{size}\n{b64encode(self.root(size)).decode()}\n"
        return cosigned(text, signed_by.get("signers", (self.key,)), signed_by.get("witnesses", self.witnesses))


class LoggedServer(Server):
    """A server with a log. A seat sees the newest checkpoint before it joins, and keeps each proof it is given."""

    def __init__(self, seed: int, game: str = "duel@1", **terms: Any) -> None:
        self.log: Log = terms.pop("log", None) or Log()
        self.log.fill(self.log.entries == [] and seed % 9)
        self.indices: dict[str, int] = {}
        super().__init__(seed, game, **terms)

    def show(self) -> None:
        events = [event["type"] for event in self.match.events]
        for kind, due in (
            ("open", True),
            ("full", events.count("join") == len(self.seats)),
            ("start", "deal" in events),
            ("close", "end" in events),
        ):
            if due and kind not in self.indices:
                self.append(kind, leaf_of(kind, self.match))
        super().show()

    def append(self, kind: str, leaf: dict[str, Any]) -> None:
        self.log.fill(self.random.randrange(3))
        self.indices[kind] = len(self.log.entries)
        self.log.entries.append(canonical.encode(leaf))
        self.log.fill(self.random.randrange(3))
        if kind != "close":
            for held in self.match.held:
                held.append(self.held_line())
        self.logged()

    def held_line(self) -> dict[str, Any]:
        """What a seat keeps of the log as it is now."""
        part = log_part(self.log, self.indices, self.match)
        return copy.deepcopy({name: part[name] for name in ("checkpoint", "leaves")})

    def rewrite(self, kind: str, **changed: Any) -> None:
        """The operator logs something else than it did."""
        leaf = canonical.decode(self.log.entries[self.indices[kind]])
        assert isinstance(leaf, dict)
        self.log.entries[self.indices[kind]] = canonical.encode(leaf | changed)
        self.logged()

    def lose(self, kept: int | None = None, **changed: Any) -> None:
        """The match ends by its leaf alone, with so many events left (protocol 7.5)."""
        self.match.events = self.match.events[:kept]
        size = len(self.match.events)
        leaf = {
            "cause": "lost", "m": self.match.m, "outcome": "void", "root": roots(self.match.leaves)[size].hex(),
            "server_seed": self.server_seed.hex(), "size": size, "type": "close",
        }  # fmt: skip
        self.append("close", leaf | changed)

    def seen(self) -> dict[str, Any]:
        """The first to join knows no checkpoint, the others the newest."""
        size = len(self.log.entries) if self.joined else 0
        return {"root": self.log.root(size).hex(), "size": size}

    def logged(self) -> Match:
        """The match, with its part of the log as it is now."""
        self.match.log_part = log_part(self.log, self.indices, self.match)
        return self.match


def leaf_of(kind: str, match: Match) -> dict[str, Any]:
    """Protocol 7.2."""
    tree = roots(match.leaves)
    if kind == "open":
        return {
            "commitment": match.events[0]["data"]["commitment"], "m": match.m, "root": tree[1].hex(), "type": kind,
        }  # fmt: skip
    if kind == "full":
        return {"m": match.m, "root": tree[len(match.seats) + 1].hex(), "type": kind}
    if kind == "start":
        size = match.find("deal") + 1
        return {"m": match.m, "root": tree[size].hex(), "size": size, "type": kind}
    end = match.events[match.find("end")]["data"]
    leaf = {
        "m": match.m, "outcome": OUTCOMES[end["reason"]], "root": tree[-1].hex(),
        "server_seed": match.events[match.find("reveal")]["data"]["server_seed"], "size": len(match.events),
        "type": "close",
    }  # fmt: skip
    if end["reason"] == "seed":
        sent = [event["by"] for event in match.events if event["type"] == "seed"]
        leaf["seats"] = [seat for seat in range(len(match.seats)) if seat not in sent]
    return leaf | ({"cause": end["cause"]} if "cause" in end else {})


def proven(log: Log, index: int) -> dict[str, Any]:
    proof = [one.hex() for one in log.inclusion(index, len(log.entries))]
    return {"index": index, "leaf": canonical.decode(log.entries[index]), "proof": proof}


def log_part(log: Log, indices: dict[str, int], match: Match) -> dict[str, Any]:
    """What the header of a bundle says beside its head."""
    size = len(log.entries)
    joins = [event["data"]["do"]["join"] for event in match.events if event["type"] == "join"]
    seen = sorted({join["seen"]["size"] for join in joins} - {0})
    return {
        "checkpoint": log.checkpoint(),
        "consistency": [{"proof": [one.hex() for one in log.consistency(old, size)], "size": old} for old in seen],
        "leaves": [proven(log, index) for index in indices.values()],
    }
