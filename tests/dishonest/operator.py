"""A service whose operator has every key of it and lies at will, around honest programs of players and witnesses."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from fairdeal import canonical
from fairdeal.client import MatchClient, Memory, Policy
from fairdeal.commit import Seed, commitment
from fairdeal.errors import FairdealError, Inconsistent, WitnessConflict
from fairdeal.keys import SigningKey
from fairdeal.match import (
    SERVER,
    Command,
    Event,
    Move,
    Phase,
    SignedAction,
    Tick,
    due_leaves,
    evolve,
    open_match,
    receipt_name,
    replay,
    view,
    view_message,
    write_bundle,
    write_held,
)
from fairdeal.tlog import EMPTY_ROOT, AddCheckpoint, Checkpoint, NoteSigner, Tile, leaf_hash, root, sign_note
from tests.simulator import NAME, ServiceLog, Table, new_table
from tests.simulator.log import SECOND, LogKeys
from tests.simulator.table import BEGINNING

HONEST, FRIEND = 0, 1
"""The seats: a player with the program as it is, and one who, where a deed says so, signs what the operator likes."""
HOUR: Final = 3_600_000
CLOCK: Final = {"overruns": 3, "pause_ms": 4_000}
Lines = Sequence[bytes]


def key_of(number: int) -> SigningKey:
    return SigningKey.from_seed(bytes([number]) * 32)


class Witness:
    """What a witness is: one history, whoever asks."""

    def __init__(self, keys: LogKeys, number: int) -> None:
        self.cosigner = keys.cosigner(number)
        self.kept: Checkpoint | None = None

    def cosign(self, log: ServiceLog, note: str) -> str:
        """The line for the log's newest checkpoint, or nothing when it does not build on the one kept."""
        old = 0 if self.kept is None else self.kept.size
        if old > log.size:
            return ""
        proof = tuple(bytes.fromhex(one) for one in log.tree.consistency(old, log.size))
        checkpoint = Checkpoint(NAME, log.size, log.tree.root(log.size))
        try:
            AddCheckpoint(old, proof, note, checkpoint).check(
                [NoteSigner(NAME, log.keys.log[0]).verifier_key], self.kept
            )
        except (Inconsistent, WitnessConflict):
            return ""
        self.kept = checkpoint
        return self.cosigner.cosign(checkpoint, SECOND + log.size).format()


class Operator:
    """The keys, the log, the witnesses that it asks for every checkpoint, and the tables it has opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.receipts = key_of(3)
        self.keys = LogKeys((key_of(1),), (key_of(4), key_of(5)))
        self.log = ServiceLog(self.keys, ())
        self.witnesses = [Witness(self.keys, number) for number in range(2)]
        self.memories = [_memory(folder / str(seat)) for seat in (HONEST, FRIEND)]
        self.tables: list[Match] = []
        self.transcripts: dict[str, list[bytes]] = {}
        self.seats: list[dict[str, Any]] = []
        listed = ServiceLog(self.keys, (0, 1))
        self.policy, self.witnessed_policy = listed.policy, listed.witnessed_policy

    def close(self) -> None:
        for memory in self.memories:
            memory.close()

    def table(self, **options: Any) -> "Match":
        """A table that is open, in the log, and known to both players."""
        return Match(self, len(self.tables), options)

    def sign(self, log: ServiceLog) -> str:
        """The checkpoint over all that this history has, cosigned by every witness that is content with it."""
        if log.size not in log.notes:
            note = log.checkpoint(log.size, ())
            log.notes[log.size] = note + "".join(witness.cosign(log, note) for witness in self.witnesses)
        return log.notes[log.size]

    def append(self, *leaves: bytes) -> None:
        self.log.append(*leaves)
        self.sign(self.log)

    def history(self, leaves: Sequence[bytes]) -> ServiceLog:
        """Another history under the same keys, signed, as far as witnesses go along."""
        other = self.log.with_leaves(leaves)
        self.sign(other)
        return other


class Match:
    """A match by the rules, as long as nobody lies; each seat's program with its own memory."""

    def __init__(self, operator: Operator, number: int, options: dict[str, Any]) -> None:
        operator.tables.append(self)
        self.operator = operator
        seed: Seed | None = options.pop("server_seed", None)
        logged: bool = options.pop("logged", True)
        now: int = options.pop("now", BEGINNING + number * HOUR)
        options = {"stake": 0, "target": 1, "receipts": operator.receipts, "clock": CLOCK, **options}
        self.table: Table = new_table(random.Random(number), options)
        self._open_again(seed or self.table.keys.server_seed, now)
        self.log = operator.log
        if logged:
            operator.append(*due_leaves(None, self.table.state, self.server_seed))
        operator.transcripts[self.m] = self.lines
        self.silent: set[int] = set()
        """The seats that are told nothing for now."""
        self.clients = [self._client(seat) for seat in (HONEST, FRIEND)]

    def _open_again(self, seed: Seed, now: int) -> None:
        table = self.table
        terms = replace(table.terms, commitment=commitment(seed))
        event = open_match(terms, now)
        table.keys, table.now, table.events = replace(table.keys, server_seed=seed), now, [event]
        table.state = evolve(None, event, seed)

    def _client(self, seat: int) -> MatchClient:
        memory, keys, folder = self.operator.memories[seat], self.table.keys, self.operator.folder / str(seat)
        memory.begin(self.m, self.lines[0], keys.seats[seat], keys.seat_seeds[seat])
        memory.seated(self.m, seat, f"{self.m[:31]}{seat}")
        return MatchClient(memory, self.m, folder, Policy.parse(self.operator.policy.encode()))

    @property
    def m(self) -> str:
        return self.table.terms.m

    @property
    def lines(self) -> list[bytes]:
        return [event.line for event in self.table.events]

    @property
    def server_seed(self) -> Seed:
        return self.table.keys.server_seed

    @property
    def honest(self) -> MatchClient:
        return self.clients[HONEST]

    # The honest course

    def step(self, command: Command) -> None:
        before = self.table.state
        self.table.do(command)
        leaves = due_leaves(before, self.table.state, self.server_seed)
        if leaves:
            self.operator.append(*leaves)
        if self.table.state.phase is Phase.CLOSED:
            self.operator.transcripts[self.m] = self.lines

    def take(self, body: bytes | None) -> None:
        """A signed action, as a program made it."""
        assert body is not None
        value: Any = canonical.decode(body)
        self.table.now += 10
        self.step(Move(SignedAction.parse(value)))
        self.tell()

    def run_out(self) -> None:
        """The deadline and its grace pass, and the clock acts."""
        assert self.table.state.due_at is not None
        self.table.now = self.table.state.due_at
        self.step(Tick())
        self.tell()

    def tell(self) -> None:
        """Both programs are told where the match stands, and what the log has of it; but those that are away."""
        for client in self.clients:
            if client.seat not in self.silent:
                client.receive(self.say(client.seat))
                self.prove(client)

    def prove(self, client: MatchClient, log: ServiceLog | None = None, *, again: bool = False) -> None:
        """The log answers what the program waits for."""
        if again or client.awaited is not None:
            ask(client, self.log if log is None else log)

    def joined(self) -> "Match":
        self.tell()
        for client in self.clients:
            self.take(client.join())
        self.note_seats()
        return self

    def note_seats(self) -> None:
        """What the operator tells an auditor of who sat there."""
        self.operator.seats += [
            {"account": f"{seat:032x}", "m": self.m, "player": joined.player, "seat": seat}
            for seat, joined in enumerate(self.table.state.joined)
            if joined is not None
        ]

    def seeded(self) -> "Match":
        self.joined()
        for client in self.clients:
            self.take(client.seed())
        return self

    def playing(self, moves: int = 6) -> "Match":
        self.seeded()
        for _ in range(moves):
            self.move()
        return self

    def move(self) -> None:
        client = self.on_turn
        assert client.turn is not None
        self.take(client.act(client.turn.legal[-1]))

    @property
    def on_turn(self) -> MatchClient:
        assert self.table.state.turn is not None
        return self.clients[self.table.state.turn]

    def until_turn_of(self, seat: int) -> "Match":
        while self.table.state.turn != seat:
            self.move()
        return self

    def finished(self) -> "Match":
        """Played to its target: one deal."""
        while self.table.state.turn is not None:
            self.move()
        return self

    def resigned(self, seat: int = FRIEND) -> "Match":
        """The quick end of a match."""
        self.take(self.clients[seat].resign())
        return self

    def made_up(self) -> "Match":
        """The whole match between two seats whose programs have seen nothing of the log: friends of the operator."""
        table = self.table
        for seat in (HONEST, FRIEND):
            self.step(Move(table.signed(seat, table.join_do(seat))))
        self.note_seats()
        for seat in (HONEST, FRIEND):
            self.step(Move(table.signed(seat, {"seed": table.keys.seat_seeds[seat].hex()})))
        while (turn := table.state.turn) is not None:
            table.now += 1_000
            self.step(Move(table.signed(turn, view(table.state, turn)["legal"][-1])))
        return self

    # Lies

    def say(self, seat: int, lines: Lines | None = None, start: int | None = None) -> dict[str, Any]:
        """An answer with these lines, signed, with the view that they give, or an empty one where they do not fold."""
        told = self.lines if lines is None else lines
        first = self.clients[seat].size if start is None else start
        deadline = self.table.state.deadline
        try:
            state = replay(map(Event.parse, told), self.server_seed)
            shown, deadline = view(state, seat), state.deadline
        except FairdealError:
            shown = {"hand": [], "legal": [], "m": self.m, "seat": seat, "size": len(told)}
        return {
            "m": self.m,
            "from": first,
            "events": [line.decode() for line in told[first:]],
            "receipt": self.receipt(told),
            "view": shown,
            "sig": self.operator.receipts.sign(view_message(shown)).hex(),
            "now": self.table.now,
            "deadline": deadline,
        }

    def receipt(self, lines: Lines) -> str:
        body = Checkpoint(self.table.terms.origin, len(lines), lines_root(lines)).body()
        return sign_note(body, NoteSigner(receipt_name(NAME), self.operator.receipts))

    def server_event(self, n: int, kind: str, data: dict[str, Any], t: int | None = None) -> bytes:
        return Event.make(n, self.table.now if t is None else t, SERVER, kind, data).line

    def seat_event(self, n: int, seat: int, kind: str, do: dict[str, Any], before: Lines, key: SigningKey) -> bytes:
        """An event of this seat, signed by whatever key over these lines."""
        action = SignedAction.sign(key, self.m, do, lines_root(before).hex(), seat, len(before))
        return Event.make(n, self.table.now, seat, kind, {"do": do, "root": action.root, "sig": action.sig}).line

    def closed_by_operator(self, lines: Lines, seed: Seed | None = None) -> list[bytes]:
        """These lines, and the void end that an operator may write when it likes, with the seed or another one."""
        totals = list(self.table.state.totals)
        end = {"cause": "operator", "reason": "void", "totals": totals, "winner": None}
        closed = [*lines, self.server_event(len(lines), "end", end)]
        return [*closed, self.server_event(len(closed), "reveal", {"server_seed": (seed or self.server_seed).hex()})]

    def log_close(self, lines: Lines, outcome: str = "void", log: ServiceLog | None = None, **more: Any) -> None:
        """The `close` leaf over these lines, into the log, and the lines for whoever audits it."""
        reveal: Any = canonical.decode(lines[-1])
        leaf = {
            "m": self.m,
            "outcome": outcome,
            "root": lines_root(lines).hex(),
            "server_seed": reveal["data"]["server_seed"],
            "size": len(lines),
            "type": "close",
            **({"cause": "operator"} if outcome == "void" else {}),
            **more,
        }
        to = self.log if log is None else log
        to.append(canonical.encode(leaf))
        self.operator.sign(to)
        self.operator.transcripts[self.m] = list(lines)

    def bundle(self, lines: Lines | None = None, log: ServiceLog | None = None, skip: int | None = None) -> bytes:
        """What the operator hands out: these lines, and what this history has of the match, but for one leaf."""
        told, of = self.lines if lines is None else lines, self.log if log is None else log
        joins = [event.data["do"]["join"] for event in map(Event.parse, told) if event.type == "join"]
        part = of.part(self.m, of.size, (join["seen"]["size"] for join in joins))
        leaves = tuple(one for one in part.leaves if one.index != skip)
        return write_bundle(self.receipt(told), told, replace(part, leaves=leaves))

    def leaf(self, kind: str) -> int:
        """The index of the first leaf of this type that the match has."""
        return next(index for index, leaf in self.log.own(self.m) if leaf["type"] == kind)

    def held(self, seat: int) -> bytes:
        return write_held(self.clients[seat].held())


def _memory(folder: Path) -> Memory:
    folder.mkdir(parents=True)
    memory = Memory(folder / "memory.db")
    # Nothing crashes here, and waiting for the disk is most of the time.
    memory._db.execute("PRAGMA synchronous = OFF")
    return memory


def lines_root(lines: Lines) -> bytes:
    return root(map(leaf_hash, lines)) if lines else EMPTY_ROOT


def ask(client: MatchClient, log: ServiceLog) -> None:
    """The program asks for what this history has of its match, and gets an honest answer of it."""
    held = client.newest
    old = 0 if held is None else held.size
    if old > log.size:
        client.refuse_log({"code": "ahead_of_log"})
    answer = {
        "checkpoint": log.checkpoint(log.size),
        "consistency": list(log.tree.consistency(old, log.size)),
        "leaves": [one.to_json() for one in log.proven(client.m, log.size)],
    }
    client.receive_log(answer, held, lambda tile: read_tile(log, tile))


def read_tile(log: ServiceLog, tile: Tile) -> bytes:
    first = tile.index * 256
    return b"".join(log.tree.subtree(8 * tile.level, number) for number in range(first, first + tile.width))
