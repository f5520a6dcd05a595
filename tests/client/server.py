"""A service in memory, on the pure parts alone, that can be made to lie: what it says is signed with its own key."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairdeal import canonical
from fairdeal.belote import find_ruleset
from fairdeal.client import MatchClient, Memory, prefer_winning_tricks
from fairdeal.commit import Seed, commitment
from fairdeal.keys import SigningKey
from fairdeal.ledger import FeeSchedule
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match import (
    SERVER,
    Asset,
    Clock,
    Command,
    Event,
    LogPart,
    MatchState,
    Move,
    SeenProof,
    SignedAction,
    Terms,
    Tick,
    decide,
    due_leaves,
    evolve,
    open_match,
    parse_leaf,
    proven_leaves,
    receipt_name,
    replay,
    view,
    view_message,
)
from fairdeal.tlog import (
    Checkpoint,
    NoteSigner,
    Policy,
    Tile,
    VerifierKey,
    consistency_proof,
    format_policy,
    inclusion_proof,
    leaf_hash,
    root,
    sign_note,
    tree_root,
)

LOG = "fairdeal.test/log"
OTHERS = 300
"""Leaves of other matches that stand in the log before ours: more than a tile holds."""
START = 1_700_000_000_000
M = "0123456789abcdef0123456789abcdef"
BEFORE_THE_DEAL = 5
"""A size within a transaction: no honest answer ends there, so no view of it is known."""
NONE: Mapping[str, int | str] = {}
OTHER_KEY = SigningKey.from_seed(b"o" * 32)
"""Somebody else's, and no key of the service."""


def policy_of(*keys: VerifierKey) -> Policy:
    return Policy.parse(format_policy(keys).encode())


def seed_of(number: int) -> Seed:
    return Seed(bytes([number]) * 32)


class LogBook:
    """The log of all matches, that signs whatever it is told to. Every leaf of ours is followed by another match's."""

    def __init__(self, key: SigningKey | None = None) -> None:
        self.signer = NoteSigner(LOG, key or SigningKey.from_seed(bytes([201]) * 32))
        self.entries = list(_OTHERS)
        self._full: dict[tuple[int, int], bytes] = {}

    def append(self, *leaves: bytes) -> None:
        for leaf in leaves:
            self.entries += [leaf, other_leaf(len(self.entries))]

    def fork(self) -> "LogBook":
        """Another log under the same key, the same up to its last entry, which is exchanged."""
        other = LogBook()
        other.entries = [*self.entries[:-1], other_leaf(10**6)]
        return other

    def subtrees(self, level: int, index: int) -> bytes:
        if (level, index) not in self._full:
            entries = self.entries[index << level : index + 1 << level]
            self._full[level, index] = root(map(leaf_hash, entries))
        return self._full[level, index]

    def checkpoint(self, signer: NoteSigner | None = None, origin: str = LOG) -> str:
        body = Checkpoint(origin, len(self.entries), tree_root(len(self.entries), self.subtrees)).body()
        return sign_note(body, signer or self.signer)

    def proven(self, index: int) -> dict[str, Any]:
        proof = inclusion_proof(index, len(self.entries), self.subtrees)
        leaf = parse_leaf(self.entries[index])
        return {"index": index, "leaf": leaf, "proof": [one.hex() for one in proof]}

    def answer(self, since: int = 0, m: str = M) -> dict[str, Any]:
        """The honest answer of `GET /v1/matches/{m}/log`."""
        mine = [n for n, entry in enumerate(self.entries) if f'"m":"{m}"'.encode() in entry]
        proof = consistency_proof(since, len(self.entries), self.subtrees)
        return {
            "checkpoint": self.checkpoint(),
            "consistency": [one.hex() for one in proof],
            "leaves": [self.proven(index) for index in mine],
        }

    def tile(self, tile: Tile) -> bytes:
        first = tile.index * 256
        return b"".join(self.subtrees(8 * tile.level, index) for index in range(first, first + tile.width))

    def part(self, lines: Sequence[bytes], seats: int) -> LogPart:
        """The log's part of the service's own bundle."""
        joins = [event for event in map(Event.parse, lines[1 : seats + 1]) if event.type == "join"]
        sizes = {event.data["do"]["join"]["seen"]["size"] for event in joins} - {0}
        proofs = {size: consistency_proof(size, len(self.entries), self.subtrees) for size in sizes}
        seen = (SeenProof(size, tuple(one.hex() for one in proofs[size])) for size in sorted(sizes))
        return LogPart(self.checkpoint(), tuple(seen), proven_leaves(self.answer()["leaves"]))


def other_leaf(number: int) -> bytes:
    """The `full` of another match."""
    return canonical.encode({"m": f"{number:032x}", "root": leaf_hash(b"%d" % number).hex(), "type": "full"})


_OTHERS = [other_leaf(number) for number in range(OTHERS)]


class Server:
    """One match. `now` is the clock; every answer is signed for whatever lines, hand and legal list it is given."""

    def __init__(
        self,
        number: int = 1,
        stake: int = 100,
        key: SigningKey | None = None,
        game: str = "duel@1",
        options: Mapping[str, int | str] = NONE,
    ) -> None:
        self.key = key or SigningKey.from_seed(bytes([200]) * 32)
        self.signer = NoteSigner(receipt_name(LOG), self.key)
        self.server_seed = seed_of(number)
        self.now = START
        self.lost = False
        ruleset = find_ruleset(game)
        self.terms = Terms(
            log=LOG,
            m=M,
            ruleset=ruleset,
            options=ruleset.parse_options({**ruleset.format_options(ruleset.defaults), **options}),
            stake=stake,
            asset=Asset("JETON", 0),
            fees=FeeSchedule("standard", 500, MAX_SAFE_INTEGER, 100, "pot"),
            clock=Clock(30_000, 3, 250, 60_000, 4_000, 5_000),
            deals_max=100,
            close_by=START + 200_000_000,
            receipt_key=self.key.public,
            commitment=commitment(self.server_seed),
        )
        opened = open_match(self.terms, self.now)
        self.events = [opened]
        self.state: MatchState = evolve(None, opened, self.server_seed)
        self.log = LogBook()
        self.log.append(*due_leaves(None, self.state, self.server_seed))
        self.policy = policy_of(self.log.signer.verifier_key, self.signer.verifier_key)

    @property
    def lines(self) -> list[bytes]:
        return [event.line for event in self.events]

    def step(self, command: Command) -> None:
        for event in decide(self.state, command, self.now, self.server_seed):
            self.events.append(event)
            before, self.state = self.state, evolve(self.state, event, self.server_seed)
            self.log.append(*due_leaves(before, self.state, self.server_seed))

    def take(self, body: bytes) -> None:
        """A signed action, as a client made it."""
        self.now += 10
        value: Any = canonical.decode(body)
        self.step(Move(SignedAction.parse(value)))

    def run_out(self) -> None:
        """The clock passes the deadline, and acts."""
        assert self.state.due_at is not None
        self.now = self.state.due_at
        self.step(Tick())

    def answer(self, seat: int, start: int) -> dict[str, Any]:
        """The honest answer."""
        return self.say(seat, start, self.lines, view(self.state, seat))

    def say(self, seat: int, start: int, lines: Sequence[bytes], shown: dict[str, Any] | None = None) -> dict[str, Any]:
        """An answer with these lines, signed. The view is the one given, or the honest one of these lines."""
        if shown is None:
            try:
                shown = view(replay(map(Event.parse, lines), self.server_seed), seat)
            except Exception:  # lines that do not fold: any view will do
                shown = {"hand": [], "legal": [], "m": M, "seat": seat, "size": len(lines)}
        return {
            "m": M,
            "from": start,
            "events": [line.decode() for line in lines[start:]],
            "receipt": self.receipt(lines),
            "view": shown,
            "sig": self.key.sign(view_message(shown)).hex(),
            "now": self.now,
            "deadline": None if self.lost else self.state.deadline,
        }

    def receipt(self, lines: Sequence[bytes], origin: str = f"{LOG}/m/{M}", signer: NoteSigner | None = None) -> str:
        told = self.state.root if lines == self.lines else root(map(leaf_hash, lines))
        return sign_note(Checkpoint(origin, len(lines), told).body(), signer or self.signer)

    def server_event(self, kind: str, data: dict[str, Any], t: int | None = None) -> bytes:
        """The line of a server event that would stand next."""
        return Event.make(len(self.events), self.now if t is None else t, SERVER, kind, data).line


def ask(client: MatchClient, log: LogBook, answer: dict[str, Any] | None = None) -> None:
    """This log is asked from what the client holds on, and gives this answer instead of the honest one."""
    held = client.newest
    size = 0 if held is None else held.size
    client.receive_log(log.answer(size) if answer is None else answer, held, log.tile)


class Table:
    """An honest client in each seat, each with its own memory under `folder`."""

    def __init__(
        self,
        folder: Path,
        number: int = 1,
        stake: int = 100,
        game: str = "duel@1",
        options: Mapping[str, int | str] = NONE,
        proving: bool = True,
    ) -> None:
        self.proving = proving
        self.server = Server(number, stake, None, game, options)
        seats = range(self.server.terms.seats)
        self.memories = [Memory(folder / f"{seat}.db") for seat in seats]
        self.folder = folder
        for seat, memory in enumerate(self.memories):
            key = SigningKey.from_seed(bytes([10 + seat]) * 32)
            memory.begin(M, self.server.events[0].line, key, seed_of(20 + seat))
            memory.seated(M, seat, f"{seat:032x}")
        self.clients = [self.client(seat) for seat in seats]
        self.tell()

    def close(self) -> None:
        for memory in self.memories:
            memory.close()

    def client(self, seat: int) -> MatchClient:
        """A new program with the memory of that seat."""
        return MatchClient(self.memories[seat], M, self.folder / str(seat), self.server.policy)

    def tell(self) -> None:
        """Everybody is told where the match stands, and unless the table is not proving, what the log has of it."""
        for client in self.clients:
            client.receive(self.server.answer(client.seat, client.size))
            if self.proving:
                self.prove(client)

    def prove(self, client: MatchClient) -> None:
        """The log answers what this client waits for."""
        if client.awaited is not None:
            ask(client, self.server.log)
            assert client.awaited is None

    def take(self, body: bytes | None) -> None:
        assert body is not None
        self.server.take(body)
        self.tell()

    def joined(self) -> "Table":
        for client in self.clients:
            self.take(client.join())
        return self

    def seeded(self) -> "Table":
        self.joined()
        for client in self.clients:
            self.take(client.seed())
        return self

    @property
    def on_turn(self) -> MatchClient:
        turn = self.server.state.turn
        assert turn is not None
        return self.clients[turn]


def play_on(table: Table, moves: int = 10_000) -> None:
    """So many moves, or to the end."""
    while table.server.state.turn is not None and moves:
        client = table.on_turn
        turn = client.turn
        assert turn is not None
        table.take(client.act(prefer_winning_tricks(turn)))
        moves -= 1
