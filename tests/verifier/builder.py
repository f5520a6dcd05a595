"""Plays seeded random matches by the protocol text alone, on the verifier's own rules, sealed as a server would.

It shares no code with the service: what it writes and what the service writes are compared elsewhere.
"""

import copy
import random
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairdeal_verifier import Policy, canonical
from fairdeal_verifier.actions import do_of
from fairdeal_verifier.cards import CARD_NAMES, CONTRACT_BID, DECLARE, PASS, SUITS, TAKE, members
from fairdeal_verifier.game import Deal, winner
from fairdeal_verifier.merkle import EMPTY_ROOT, roots
from fairdeal_verifier.notes import format_verifier_key, key_id
from fairdeal_verifier.rulesets import RULESETS
from fairdeal_verifier.shuffle import cut_pack, deal_pack, first_dealer

LOG = "fairdeal.example/log"
BEGINNING = 1_750_000_000_000
GAMES = tuple(RULESETS)

EventDict = dict[str, Any]


def public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


@dataclass
class Match:
    """A transcript with every secret behind it, so that a changed one can be sealed again."""

    m: str
    server: Ed25519PrivateKey
    seats: list[Ed25519PrivateKey]
    log: str = LOG
    events: list[EventDict] = field(default_factory=list)
    held: list[list[EventDict]] = field(default_factory=list)
    """What each seat keeps: a list of lines."""
    log_part: dict[str, Any] = field(default_factory=dict)
    """The members of the header that a match of a log has besides."""

    def copy(self) -> "Match":
        own = {name: copy.deepcopy(getattr(self, name)) for name in ("events", "held", "log_part")}
        return replace(self, seats=list(self.seats), **own)

    @property
    def leaves(self) -> list[bytes]:
        return [canonical.encode(event) for event in self.events]

    def receipt(self, size: int, tree: list[bytes], *, origin: str | None = None, name: str | None = None) -> str:
        name = f"{self.log}/receipts" if name is None else name
        root = b64encode(tree[size]).decode()
        text = f"{origin or f'{self.log}/m/{self.m}'}\n{size}\n{root}\n"
        signature = key_id(name, public(self.server))[1] + self.server.sign(text.encode())
        return f"{text}\n— {name} {b64encode(signature).decode()}\n"

    def sign_view(self, view: dict[str, Any]) -> str:
        return self.server.sign(b"fairdeal/1 view\n" + canonical.encode(view)).hex()

    def sign_seats(self, start: int = 0) -> "Match":
        """Signs every seat event from `start` on again, on the roots as they are now; returns itself."""
        for n, event in enumerate(self.events):
            if event["by"] < 0 or n < start:
                continue
            size = {"join": 1, "seed": len(self.seats) + 1}.get(event["type"], n)
            data = event["data"]
            data["root"] = roots(self.leaves[:size])[size].hex()
            data["sig"] = self.signature(event["by"], data["do"], size, data["root"])
        return self

    def signature(self, seat: int, do: Any, size: int, root: str) -> str:
        signed = {"do": do, "m": self.m, "root": root, "seat": seat, "size": size}
        return self.seats[seat].sign(b"fairdeal/1 action\n" + canonical.encode(signed)).hex()

    def bundle(self, head: str | None = None) -> bytes:
        """The file, sealed over the events as they are."""
        head = self.receipt(len(self.events), roots(self.leaves)) if head is None else head
        header = canonical.encode({"format": "fairdeal/bundle@1", "head": head} | self.log_part)
        return b"".join(line + b"\n" for line in (header, *self.leaves))

    def held_file(self, number: int = 0, /, **header: Any) -> bytes:
        owner = {"format": "fairdeal/held@1", "key": public(self.seats[number]).hex(), "m": self.m, "seat": number}
        return b"".join(canonical.encode(line) + b"\n" for line in (owner | header, *self.held[number]))

    def policy_text(self) -> str:
        listed = format_verifier_key(f"{self.log}/receipts", public(self.server))
        return f"# who deals here\nlog {listed}\nquorum none\n"

    def policy(self) -> Policy:
        return Policy.parse(self.policy_text().encode())

    def find(self, kind: str, skip: int = 0) -> int:
        """The index of the first event of a type, or of one further on."""
        return [n for n, event in enumerate(self.events) if event["type"] == kind][skip]


class Server:
    """Plays one match. Every method appends events with their follow-ups and keeps what each seat is shown."""

    def __init__(self, seed: int, game: str = "duel@1", **terms: Any) -> None:
        self.random = random.Random(seed)
        self.game, self.ruleset = game, RULESETS[game]
        self.seats = tuple(range(self.ruleset.seats))
        self.server_seed = self.bytes(32)
        self.seat_seeds = [self.bytes(32) for _ in self.seats]
        keys = [Ed25519PrivateKey.from_private_bytes(self.bytes(32)) for _ in range(len(self.seats) + 1)]
        self.match = Match(self.bytes(16).hex(), keys[0], keys[1:], held=[[] for _ in self.seats])
        self.t = BEGINNING
        self.clock = {
            "decision_ms": 30_000, "grace_ms": 250, "join_ms": 60_000, "outage_ms": 5_000, "overruns": 3,
            "pause_ms": 4_000,
        }  # fmt: skip
        self.fees: dict[str, Any] = {
            "commission_bp": 333, "commission_cap": 900, "id": "standard", "tax_base": "commission", "tax_bp": 2_000,
        }  # fmt: skip
        self.target = terms.pop("target", 301 if game == "duel@1" else 501)
        options = {"target": self.target}
        if game == "coinche@1":
            self.scoring = terms.pop("scoring", "faits")
            options = {"scoring": self.scoring, "target": self.target}
        self.open: dict[str, Any] = {
            "asset": {"code": "PLAY", "exponent": 2}, "clock": self.clock, "close_by": self.t + 86_400_000,
            "commitment": sha256(self.server_seed).hexdigest(), "deals_max": 100, "fees": self.fees, "log": LOG,
            "m": self.match.m, "protocol": "fairdeal/1", "receipt_key": public(keys[0]).hex(),
            "ruleset": {"id": game, "options": options}, "seats": len(self.seats),
            "stake": 0 if game == "annonces@1" else 10_001,
        } | terms  # fmt: skip
        self.deal: Deal | None = None
        self.number = 0
        self.totals = (0, 0)
        self.pot = 0
        self.voids = 0
        self.gathered: list[int] = []
        self.overruns = [0 for _ in self.seats]
        self.joined: list[int] = []
        self.seeded: list[int] = []
        self.deadline = 0
        self.add("open", -1, self.open)
        self.show()

    def bytes(self, count: int) -> bytes:
        return self.random.getrandbits(8 * count).to_bytes(count, "big")

    def add(self, kind: str, by: int, data: dict[str, Any]) -> None:
        event = {"by": by, "data": data, "n": len(self.match.events), "t": self.t, "type": kind}
        self.match.events.append(event)

    def signed(self, kind: str, seat: int, size: int, do: dict[str, Any], **more: Any) -> None:
        root = roots(self.match.leaves[:size])[size].hex()
        signature = self.match.signature(seat, do, size, root)
        self.add(kind, seat, {"do": do, "root": root, "sig": signature, **more})

    def show(self) -> None:
        """A receipt and a view for each seat, of the size reached."""
        size = len(self.match.events)
        receipt = self.match.receipt(size, roots(self.match.leaves))
        for seat in self.seats:
            hand = members(self.deal.hands[seat]) if self.deal else []
            legal = self.deal.legal() if self.deal and self.deal.turn == seat else []
            view = {
                "hand": [CARD_NAMES[card] for card in hand], "legal": [do_of(action) for action in legal],
                "m": self.match.m, "seat": seat, "size": size,
            }  # fmt: skip
            self.match.held[seat].append({"receipt": receipt, "sig": self.match.sign_view(view), "view": view})

    def join(self, seat: int) -> None:
        self.t += self.random.randrange(20_000)
        join = {
            "key": public(self.match.seats[seat]).hex(), "player": self.bytes(16).hex(),
            "seed_commitment": sha256(self.seat_seeds[seat]).hexdigest(), "seen": self.seen(),
        }  # fmt: skip
        self.signed("join", seat, 1, {"join": join})
        self.joined.append(seat)
        self.deadline = self.t + self.clock["decision_ms"]
        self.show()

    def seen(self) -> dict[str, Any]:
        """The newest checkpoint of the log that a seat holds: none."""
        return {"root": EMPTY_ROOT.hex(), "size": 0}

    def seed(self, seat: int) -> None:
        self.t = self.moment()
        self.signed("seed", seat, len(self.seats) + 1, {"seed": self.seat_seeds[seat].hex()})
        self.seeded.append(seat)
        if len(self.seeded) == len(self.seats):
            self.deals()
        self.show()

    def moment(self) -> int:
        """A time not after the deadline; now and then the last one allowed."""
        return self.deadline if self.random.random() < 0.05 else self.random.randrange(self.t, self.deadline + 1)

    def deals(self) -> None:
        full = len(self.seats) + 1
        root = roots(self.match.leaves[:full])[full]
        self.number += 1
        dealer = (first_dealer(self.server_seed, root, self.seat_seeds) + self.number - 1) % len(self.seats)
        if self.game != "annonces@1" or self.number == 1 or self.voids == 4:
            self.voids = 0
            pack = deal_pack(self.server_seed, root, self.seat_seeds, self.number)
        else:
            pack = cut_pack(self.gathered, self.server_seed, root, self.seat_seeds, self.number)
        self.deal = self.ruleset.start(pack, dealer)
        turned = {} if self.deal.turned is None else {"turned": CARD_NAMES[self.deal.turned]}
        self.add("deal", -1, {"deal": self.number, "dealer": dealer} | turned)
        self.deadline = self.t + self.clock["decision_ms"] + self.clock["pause_ms"]

    def act(self, action: int | None = None) -> None:
        """The seat on turn acts, at random if no action is given."""
        assert self.deal is not None
        assert self.deal.turn is not None
        self.t = self.moment()
        seat = self.deal.turn
        action = self.random.choice(self.deal.legal()) if action is None else action
        if action == DECLARE:
            self.declare(seat)
            return
        says = self.deal.act(action)
        self.signed("act", seat, len(self.match.events), do_of(action), **({"says": says} if says else {}))
        self.follow()

    def declare(self, seat: int) -> None:
        assert self.deal is not None
        self.deal.declare(seat)
        self.signed("act", seat, len(self.match.events), do_of(DECLARE))
        self.show()

    def resign(self, seat: int) -> None:
        self.t = self.moment()
        self.signed("act", seat, len(self.match.events), {"resign": True})
        self.end("resigned", 1 - seat % 2)

    def overrun(self) -> None:
        """The seat on turn lets its time pass."""
        assert self.deal is not None
        assert self.deal.turn is not None
        self.t = self.deadline + self.clock["grace_ms"] + self.random.randrange(2) * 100
        seat = self.deal.turn
        self.overruns[seat] += 1
        data: dict[str, Any] = {"overrun": self.overruns[seat], "seat": seat}
        if self.overruns[seat] == self.clock["overruns"]:
            self.add("timeout", -1, data)
            self.end("overruns", 1 - seat % 2)
            return
        action = self.deal.legal()[0]
        data["do"] = do_of(action)
        says = self.deal.act(action)
        self.add("timeout", -1, data | ({"says": says} if says else {}))
        self.follow()

    def missing(self) -> None:
        """A seed period ends with seats missing."""
        self.t = self.deadline + self.clock["grace_ms"]
        self.add("timeout", -1, {"missing": [seat for seat in self.seats if seat not in self.seeded]})
        self.deadline = self.t + self.clock["decision_ms"]
        if sum(event["type"] == "timeout" for event in self.match.events) == 3:
            complete = [side for side in (0, 1) if set(self.seats[side::2]) <= set(self.seeded)]
            self.end("seed", complete[0] if len(complete) == 1 else None)
        else:
            self.show()

    def resume(self) -> None:
        before = self.t
        self.t += 60_000
        self.add("resume", -1, {"from": before + 1, "to": before + 50_000})
        self.deadline = self.t + self.clock["decision_ms"]
        self.show()

    def follow(self) -> None:
        assert self.deal is not None
        if self.deal.turn is not None:
            self.deadline = self.t + self.clock["decision_ms"]
            if self.deal.shows:
                shown = [{"cards": [CARD_NAMES[c] for c in one.cards], "seat": one.seat} for one in self.deal.shown()]
                self.add("show", -1, {"announcements": shown})
            self.show()
            return
        self.scores(self.deal)
        self.deal = None
        won_by = winner(self.totals, self.target)
        if won_by is not None:
            self.end("target", won_by)
        elif self.number == self.open["deals_max"]:
            self.end("void", None, cause="deal_limit")
        else:
            self.deals()
            self.show()

    def scores(self, deal: Deal) -> None:
        score = deal.score(self.pot, counts_bid=self.game == "coinche@1" and self.scoring != "faits")
        self.totals = (self.totals[0] + score.marks[0], self.totals[1] + score.marks[1])
        self.pot = score.pot
        self.voids = self.voids + 1 if score.taker is None else 0
        self.gathered = deal.gathered()
        data: dict[str, Any] = {
            "belote": score.belote, "deal": self.number, "marks": list(score.marks), "outcome": score.outcome,
            "points": list(score.points), "taker": score.taker, "totals": list(self.totals),
            "tricks": list(score.tricks),
        }  # fmt: skip
        if self.game in ("classique@1", "annonces@1"):
            data["pot"] = score.pot
        if self.game == "annonces@1":
            data["announcements"] = list(score.announcements)
        if self.game == "coinche@1":
            data["contract"] = score.contract and score.contract._asdict() | {"suit": SUITS[score.contract.suit]}
        self.add("score", -1, data)

    def end(self, reason: str, winner: int | None, **cause: str) -> None:
        self.deal = None
        self.add("end", -1, {"reason": reason, "totals": list(self.totals), "winner": winner, **cause})
        self.add("reveal", -1, {"server_seed": self.server_seed.hex()})
        stake = self.open["stake"]
        if len(self.joined) == len(self.seats) and stake:
            self.add("settle", -1, {"lines": self.lines(reason, winner, stake)})
        self.show()

    def lines(self, reason: str, side: int | None, stake: int) -> list[dict[str, Any]]:
        pot = len(self.seats) * stake
        commission = tax = 0
        paid = [stake for _ in self.seats]
        if side is not None and reason == "seed":
            paid = [2 * stake if seat % 2 == side else 0 for seat in self.seats]
        elif side is not None:
            commission = min(pot * self.fees["commission_bp"] // 10_000, self.fees["commission_cap"])
            base = pot if self.fees["tax_base"] == "pot" else commission
            tax = base * self.fees["tax_bp"] // 10_000
            rest = pot - commission - tax
            paid = [0 for _ in self.seats]
            if len(self.seats) == 2:
                paid[side] = rest
            else:
                paid[side], paid[side + 2] = (rest + 1) // 2, rest // 2
        amounts = {"pot": -pot, **{f"seat:{s}": paid[s] for s in self.seats}, "commission": commission, "tax": tax}
        return [{"account": account, "amount": amount} for account, amount in amounts.items()]

    def sit(self) -> Self:
        """All join."""
        for seat in self.random.sample(self.seats, len(self.seats)):
            self.join(seat)
        return self

    def begin(self) -> Self:
        """All join and send their seeds."""
        self.sit()
        for seat in self.random.sample(self.seats, len(self.seats)):
            self.seed(seat)
        return self

    @property
    def over(self) -> bool:
        return self.match.events[-1]["type"] in ("reveal", "settle")

    def likely(self, luck: float) -> int | None:
        """A bid that lets an auction end; a declaration often; else anything."""
        assert self.deal is not None
        legal = self.deal.legal()
        if luck < 0.5 and TAKE in legal:
            return TAKE
        if legal[-1] == DECLARE and luck < 0.7:
            return DECLARE
        if self.game == "coinche@1" and PASS in legal and luck < 0.9:
            return next((bid for bid in legal if CONTRACT_BID <= bid < CONTRACT_BID + 12), PASS) if luck < 0.3 else PASS
        return None

    def steps(self, count: int) -> Self:
        """So many random acts, with a timeout or a resume now and then, while the match goes on."""
        for _ in range(count):
            if self.over or self.deal is None or self.deal.turn is None:
                break
            luck = self.random.random()
            if luck < 0.02:
                self.resume()
            elif luck < 0.05 and max(self.overruns) < self.clock["overruns"] - 1:
                self.overrun()
            else:
                self.act(self.likely(luck))
        return self


def target(seed: int, game: str = "duel@1", **terms: Any) -> Match:
    return Server(seed, game, **terms).begin().steps(1_000_000).match


def overruns(seed: int, game: str = "duel@1") -> Match:
    server = Server(seed, game).begin().steps(seed % 40)
    while not server.over:
        server.overrun()
    return server.match


def resigned(seed: int, game: str = "duel@1") -> Match:
    server = Server(seed, game).begin().steps(seed % 50)
    if not server.over:
        server.resign(seed % len(server.seats))
    return server.match


def seed_phase(seed: int, game: str = "duel@1") -> Match:
    """Each pattern: who sends (nobody, a seat, its whole side but not all), and after how many periods."""
    server = Server(seed, game).sit()
    sender, periods = (None, 0, 1)[seed % 3], seed // 3 % 3
    for period in range(3):
        if period == periods and sender is not None:
            for seat in server.seats[sender :: 2 if seed % 4 else 4]:
                server.seed(seat)
        if period == 1 and seed % 5 == 0:
            server.resume()
        server.missing()
    return server.match


def late_seeds(seed: int, game: str = "duel@1") -> Match:
    """The last seeds come in the last period; then somebody resigns."""
    server = Server(seed, game).sit()
    server.missing()
    server.seed(0)
    server.missing()
    for seat in server.seats[1:]:
        server.seed(seat)
    server.steps(3).resign(0)
    return server.match


def cancelled(seed: int, game: str = "duel@1") -> Match:
    server = Server(seed, game)
    if seed % 3:
        server.join(seed % 3 - 1)
    server.t += 5
    server.end("cancelled", None)
    return server.match


def deal_limit(seed: int, game: str = "duel@1") -> Match:
    return target(seed, game, deals_max=2, target=10_000 if game == "duel@1" else 2_001)


def void(seed: int, game: str = "duel@1") -> Match:
    """The operator ends it, in the seed phase or in play."""
    server = Server(seed, game).sit() if seed % 2 else Server(seed, game).begin().steps(seed % 60)
    server.end("void", None, cause="operator")
    return server.match


def no_stake(seed: int, game: str = "duel@1") -> Match:
    return target(seed, game, stake=0, target=100 if game == "duel@1" else 501)


def all_pass(seed: int, game: str = "duel@1") -> Match:
    """A void deal first; with announcements five, so that the pack is shuffled once."""
    server = Server(seed, game, target=50 if game == "duel@1" else 501).begin()
    voids = 5 if game == "annonces@1" else 1
    while server.number <= voids:
        server.act(PASS)
    return server.steps(1_000_000).match


ENDINGS: dict[str, Callable[..., Match]] = {
    "target": target, "overruns": overruns, "resigned": resigned, "seed": seed_phase, "late seeds": late_seeds,
    "cancelled": cancelled, "deal limit": deal_limit, "void": void, "no stake": no_stake, "all pass": all_pass,
}  # fmt: skip
"""Each takes a number and a game."""
