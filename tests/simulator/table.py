"""A table with its own clock, its server's and its seats' keys, and everything that each seat is shown."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fairdeal.belote import Options, Ruleset, Scoring, find_ruleset
from fairdeal.commit import Seed, commitment
from fairdeal.keys import SigningKey
from fairdeal.ledger import FeeSchedule
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match import (
    Asset,
    Cancel,
    Clock,
    Command,
    Event,
    Held,
    HeldLine,
    MatchState,
    Move,
    Resume,
    SignedAction,
    Terms,
    Tick,
    Void,
    decide,
    evolve,
    open_match,
    receipt,
    receipt_key,
    receipt_name,
    view,
    view_message,
    write_bundle,
    write_held,
)
from fairdeal.tlog import EMPTY_ROOT, NoteSigner

LOG = "fairdeal.example/log"
BEGINNING = 1_750_000_000_000
DAY = 86_400_000

FEES = (
    FeeSchedule("free", 0, MAX_SAFE_INTEGER, 0, "pot"),
    FeeSchedule("standard", 300, MAX_SAFE_INTEGER, 0, "pot"),
    FeeSchedule("capped", 1_000, 7, 200, "pot"),
    FeeSchedule("taxed", 333, MAX_SAFE_INTEGER, 1_925, "commission"),
)


@dataclass(frozen=True, slots=True)
class Keys:
    """Every secret of a match, for sealing a changed one again."""

    operator: SigningKey
    seats: tuple[SigningKey, ...]
    server_seed: Seed
    seat_seeds: tuple[Seed, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played: files as they would be written, one held file per seat, and what they came from."""

    number: int
    ending: str
    bundle: bytes = field(repr=False)
    held: tuple[bytes, ...] = field(repr=False)
    policy: str = field(repr=False)
    keys: Keys = field(repr=False)
    state: MatchState = field(repr=False)
    events: tuple[Event, ...] = field(repr=False)


@dataclass
class Table:
    """A match being played."""

    random: random.Random
    keys: Keys
    state: MatchState
    now: int
    events: list[Event]
    shown: list[list[HeldLine]] = field(repr=False)
    receipts: list[str] = field(repr=False)

    @property
    def terms(self) -> Terms:
        return self.state.terms

    @property
    def seats(self) -> range:
        return range(self.terms.seats)

    def do(self, command: Command) -> tuple[Event, ...]:
        """Decides, appends, and gives each seat its receipt and view."""
        events = decide(self.state, command, self.now, self.keys.server_seed)
        for event in events:
            self.state = evolve(self.state, event, self.keys.server_seed)
        self.events += events
        if events:
            self._show()
        return events

    def _show(self) -> None:
        signer = NoteSigner(receipt_name(self.terms.log), self.keys.operator)
        self.receipts.append(receipt(self.state, signer))
        for seat, lines in enumerate(self.shown):
            seen = view(self.state, seat)
            lines.append(HeldLine(self.receipts[-1], self.keys.operator.sign(view_message(seen)).hex(), seen))

    def signed(self, seat: int, do: dict[str, Any]) -> SignedAction:
        """What that seat's own program would send now."""
        if "join" in do:
            root, size = self.state.join_root, 1
        elif "seed" in do:
            assert self.state.table_root is not None
            root, size = self.state.table_root, self.terms.seats + 1
        else:
            root, size = self.state.root, self.state.size
        return SignedAction.sign(self.keys.seats[seat], self.terms.m, do, root.hex(), seat, size)

    def join(self, seat: int) -> None:
        self.wait()
        self.do(Move(self.signed(seat, self.join_do(seat))))

    def join_do(self, seat: int) -> dict[str, Any]:
        joining = {
            "key": self.keys.seats[seat].public.hex,
            "player": self.random.randbytes(16).hex(),
            "seed_commitment": commitment(self.keys.seat_seeds[seat]),
            "seen": {"root": EMPTY_ROOT.hex(), "size": 0},
        }
        return {"join": joining}

    def send_seed(self, seat: int) -> None:
        self.do(Move(self.signed(seat, {"seed": self.keys.seat_seeds[seat].hex()})))

    def act(self, seat: int, do: dict[str, Any]) -> None:
        self.do(Move(self.signed(seat, do)))

    def time_out(self) -> None:
        """Lets the running deadline and its grace pass, sometimes to the millisecond."""
        assert self.state.due_at is not None
        self.now = max(self.now, self.state.due_at) + self.random.choice((0, 1, 400))
        assert self.do(Tick())

    def resume(self) -> None:
        """The service was away, from a moment before its last event or after it."""
        gap = self.terms.clock.outage_ms + self.random.randint(1, 5_000)
        start = max(self.state.resumed_to, self.now - self.random.randint(0, 2_000))
        self.now = start + gap + self.random.randint(0, 50)
        self.do(Resume(start, start + gap))

    def cancel(self) -> None:
        self.wait()
        self.do(Cancel())

    def void(self) -> None:
        self.do(Void())

    def wait(self, longest: int = 3_000) -> None:
        """Lets time pass, never beyond the deadline, now and then right up to it; the clock may also stand still."""
        self.now += self.random.choice((0, self.random.randint(0, longest), self.random.randint(0, longest)))
        if self.state.deadline is not None:
            self.now = self.state.deadline if self.random.random() < 0.03 else min(self.now, self.state.deadline)

    def played(self, number: int, ending: str) -> Played:
        """The files of the match as it stands."""
        held = tuple(
            write_held(Held(self.keys.seats[seat].public.hex, self.terms.m, seat, tuple(lines)))
            for seat, lines in enumerate(self.shown)
        )
        return Played(
            number,
            ending,
            write_bundle(self.receipts[-1], [event.line for event in self.events]),
            held,
            f"log {receipt_key(self.terms).format()}\nquorum none\n",
            self.keys,
            self.state,
            tuple(self.events),
        )


def _options(ruleset: Ruleset, rng: random.Random, options: Mapping[str, Any]) -> Options:
    target = options.get("target", rng.choice((1, 82, 162, 301) if ruleset.id == "duel@1" else (501, 501, 501, 1001)))
    if not ruleset.features.contract:
        return Options(target)
    return Options(target, options.get("scoring", rng.choice(tuple(Scoring))))


def new_table(rng: random.Random, options: Mapping[str, Any]) -> Table:
    """A table at its `open` event. Options: `game`, a ruleset's id; `stake`, `target`, `scoring`, `deals_max`, `fees`,
    `clock` (members to change).
    """
    ruleset = find_ruleset(options.get("game", "duel@1"))
    seats = range(ruleset.players)
    keys = Keys(
        SigningKey.from_seed(rng.randbytes(32)),
        tuple(SigningKey.from_seed(rng.randbytes(32)) for _ in seats),
        Seed(rng.randbytes(32)),
        tuple(Seed(rng.randbytes(32)) for _ in seats),
    )
    clock = Clock(30_000, rng.randint(1, 3), 250, 60_000, rng.choice((0, 4_000)), 5_000)
    terms = Terms(
        log=LOG,
        m=rng.randbytes(16).hex(),
        ruleset=ruleset,
        options=_options(ruleset, rng, options),
        stake=options.get("stake", rng.choice((0, 1, 500, 99_999) if ruleset.features.shuffled else (0,))),
        asset=Asset("PLAY", 2),
        fees=options.get("fees", rng.choice(FEES)),
        clock=replace(clock, **options.get("clock", {})),
        deals_max=options.get("deals_max", 100),
        close_by=BEGINNING + 2 * DAY,
        receipt_key=keys.operator.public,
        commitment=commitment(keys.server_seed),
    )
    now = BEGINNING + rng.randrange(DAY)
    event = open_match(terms, now)
    table = Table(rng, keys, evolve(None, event, keys.server_seed), now, [event], [[] for _ in seats], [])
    table._show()
    return table
