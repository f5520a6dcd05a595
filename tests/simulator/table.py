"""A table with its own clock, its server's and its seats' keys, the log around it, and all that each seat is shown."""

import random
from collections.abc import Mapping, Sequence
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
    HeldLog,
    MatchState,
    Move,
    Resume,
    SignedAction,
    Terms,
    Tick,
    Void,
    decide,
    due_leaves,
    evolve,
    lost_leaf,
    open_match,
    parse_held,
    receipt,
    receipt_key,
    receipt_name,
    replay,
    view,
    view_message,
    write_bundle,
    write_held,
)
from fairdeal.tlog import EMPTY_ROOT, NoteSigner, format_policy
from tests.simulator.log import NAME, ServiceLog, Surroundings

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
    """Every secret of a match but the log's, for sealing a changed one again. `receipts` signs receipts and views."""

    receipts: SigningKey
    seats: tuple[SigningKey, ...]
    server_seed: Seed
    seat_seeds: tuple[Seed, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played: files as they would be written, one held file per seat, and what they came from.

    `policy` lists the log's keys, or the receipts key where there is no log. `witnessed_policy` also asks for
    witnesses; those of an honest match have cosigned.
    """

    number: int
    ending: str
    bundle: bytes = field(repr=False)
    held: tuple[bytes, ...] = field(repr=False)
    policy: str = field(repr=False)
    witnessed_policy: str = field(repr=False)
    keys: Keys = field(repr=False)
    state: MatchState = field(repr=False)
    events: tuple[Event, ...] = field(repr=False)
    log: ServiceLog | None = field(repr=False)
    sizes: tuple[int, ...] = field(repr=False)
    """The sizes that have a receipt."""

    @property
    def service_log(self) -> ServiceLog:
        """The log, of a match that has one."""
        assert self.log is not None
        return self.log

    def pending(self, size: int, log_size: int | None = None) -> bytes:
        """The copy that somebody had at `size` events, with the leaves among the log's first `log_size` (all before
        `close`, where that is not said).
        """
        state = replay(self.events[:size], self.keys.server_seed)
        log = self.log
        if log is not None and log_size is None:
            log_size = log.own(self.state.terms.m)[-1][0]
        return _bundle(self.keys, state, self.events[:size], log, log_size or 0)

    def lost(self, size: int) -> "Played":
        """The match after the service went back to a store of `size` events, one of `sizes` before the last."""
        state, m = replay(self.events[:size], self.keys.server_seed), self.state.terms.m
        log = self.service_log.before_close(m)
        log.append(lost_leaf(state, self.keys.server_seed), *self.service_log.leaves[log.size + 1 :])
        held = []
        for data in self.held:
            file = parse_held(data)
            lines = tuple(line for line in file.lines if not _says_the_end(line, len(self.events)))
            held.append(write_held(replace(file, lines=lines)))
        return replace(
            self,
            bundle=_bundle(self.keys, state, self.events[:size], log, log.size),
            held=tuple(held),
            state=state,
            events=self.events[:size],
            log=log,
            sizes=tuple(one for one in self.sizes if one <= size),
        )


def _says_the_end(line: HeldLine | HeldLog, size: int) -> bool:
    if isinstance(line, HeldLog):
        return line.leaves[-1].leaf["type"] == "close"
    return bool(line.view["size"] == size)


def _bundle(keys: Keys, state: MatchState, events: Sequence[Event], log: ServiceLog | None, log_size: int) -> bytes:
    """The copy of these events, with what the log's first `log_size` leaves have of the match."""
    part = None
    if log is not None:
        joins = [event.data["do"]["join"] for event in events if event.type == "join"]
        part = log.part(state.terms.m, log_size, [join["seen"]["size"] for join in joins])
    head = receipt(state, NoteSigner(receipt_name(state.terms.log), keys.receipts))
    return write_bundle(head, [event.line for event in events], part)


@dataclass
class Table:
    """A match being played."""

    random: random.Random
    keys: Keys
    state: MatchState
    now: int
    events: list[Event]
    shown: list[list[HeldLine | HeldLog]] = field(repr=False)
    receipts: dict[int, str] = field(repr=False)
    around: Surroundings | None = field(repr=False)
    acted: set[int] = field(default_factory=set)

    @property
    def terms(self) -> Terms:
        return self.state.terms

    @property
    def seats(self) -> range:
        return range(self.terms.seats)

    def do(self, command: Command) -> tuple[Event, ...]:
        """Decides, appends, to the log too, and gives each seat its receipt and view."""
        before = self.state
        events = decide(before, command, self.now, self.keys.server_seed)
        for event in events:
            self.state = evolve(self.state, event, self.keys.server_seed)
        self.events += events
        if events:
            self._show(before)
        return events

    def _show(self, before: MatchState | None) -> None:
        if self.around is not None:
            self.around.log.append(*due_leaves(before, self.state, self.keys.server_seed))
        signer = NoteSigner(receipt_name(self.terms.log), self.keys.receipts)
        shown = self.receipts[self.state.size] = receipt(self.state, signer)
        for seat, lines in enumerate(self.shown):
            seen = view(self.state, seat)
            lines.append(HeldLine(shown, self.keys.receipts.sign(view_message(seen)).hex(), seen))

    def ask(self, seat: int) -> None:
        """The seat asks for the match's leaves, before it goes on and after the end."""
        if self.around is not None:
            self.around.pass_by()
            self.shown[seat].append(self.around.log.held(self.terms.m, self.around.log.size))

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
        self.ask(seat)
        self.do(Move(self.signed(seat, self.join_do(seat))))

    def join_do(self, seat: int) -> dict[str, Any]:
        log = None if self.around is None else self.around.log
        joining = {
            "key": self.keys.seats[seat].public.hex,
            "player": self.random.randbytes(16).hex(),
            "seed_commitment": commitment(self.keys.seat_seeds[seat]),
            "seen": {"root": EMPTY_ROOT.hex(), "size": 0} if log is None else log.seen(log.size),
        }
        return {"join": joining}

    def send_seed(self, seat: int) -> None:
        self.ask(seat)
        self.do(Move(self.signed(seat, {"seed": self.keys.seat_seeds[seat].hex()})))

    def act(self, seat: int, do: dict[str, Any]) -> None:
        if seat not in self.acted:
            self.acted.add(seat)
            self.ask(seat)
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
        if self.around is not None:
            self.around.outage(start, start + gap)
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
        for seat in self.seats:
            self.ask(seat)
        if self.around is not None:
            self.around.pass_by()
        log = None if self.around is None else self.around.log
        own_key = format_policy([receipt_key(self.terms)])
        held = tuple(
            write_held(Held(self.keys.seats[seat].public.hex, self.terms.m, seat, tuple(lines)))
            for seat, lines in enumerate(self.shown)
        )
        return Played(
            number,
            ending,
            _bundle(self.keys, self.state, self.events, log, 0 if log is None else log.size),
            held,
            own_key if log is None else log.policy,
            own_key if log is None else log.witnessed_policy,
            self.keys,
            self.state,
            tuple(self.events),
            log,
            tuple(self.receipts),
        )


def _options(ruleset: Ruleset, rng: random.Random, options: Mapping[str, Any]) -> Options:
    target = options.get("target", rng.choice((1, 82, 162, 301) if ruleset.id == "duel@1" else (501, 501, 501, 1001)))
    if not ruleset.features.contract:
        return Options(target)
    return Options(target, options.get("scoring", rng.choice(tuple(Scoring))))


def new_table(rng: random.Random, options: Mapping[str, Any]) -> Table:
    """A table at its `open` event. Options: `game`, a ruleset's id; `stake`, `target`, `scoring`, `deals_max`, `fees`,
    `clock` (members to change); `log`, whether there is a log of all matches; `receipts`, the key of a service that
    has more than this one.
    """
    ruleset = find_ruleset(options.get("game", "duel@1"))
    seats = range(ruleset.players)
    own = SigningKey.from_seed(rng.randbytes(32))
    keys = Keys(
        options.get("receipts", own),
        tuple(SigningKey.from_seed(rng.randbytes(32)) for _ in seats),
        Seed(rng.randbytes(32)),
        tuple(Seed(rng.randbytes(32)) for _ in seats),
    )
    clock = Clock(30_000, rng.randint(1, 3), 250, 60_000, rng.choice((0, 4_000)), 5_000)
    m = rng.randbytes(16).hex()
    terms = Terms(
        log=NAME,
        m=m,
        ruleset=ruleset,
        options=_options(ruleset, rng, options),
        stake=options.get("stake", rng.choice((0, 1, 500, 99_999) if ruleset.features.shuffled else (0,))),
        asset=Asset("PLAY", 2),
        fees=options.get("fees", rng.choice(FEES)),
        clock=replace(clock, **options.get("clock", {})),
        deals_max=options.get("deals_max", 100),
        close_by=BEGINNING + 2 * DAY,
        receipt_key=keys.receipts.public,
        commitment=commitment(keys.server_seed),
    )
    now = BEGINNING + rng.randrange(DAY)
    event = open_match(terms, now)
    # A stream of its own: the players do the same things with a log and without.
    around = Surroundings(random.Random(m)) if options.get("log", False) else None
    if around is not None:
        around.pass_by(least=2)
    table = Table(rng, keys, evolve(None, event, keys.server_seed), now, [event], [[] for _ in seats], {}, around)
    table._show(None)
    return table
