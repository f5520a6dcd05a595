"""A real match at its first card, in which a case can set the deal, the overruns and the time."""

from dataclasses import dataclass, replace
from typing import Any

from fairdeal.belote import Deal, Ruleset
from fairdeal.commit import Seed, commitment
from fairdeal.keys import SigningKey
from fairdeal.ledger import FeeSchedule
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match import (
    Asset,
    Clock,
    Command,
    Event,
    MatchState,
    Move,
    Phase,
    SignedAction,
    Terms,
    Tick,
    decide,
    evolve,
    open_match,
    replay,
)

SERVER_SEED = Seed(b"\x01" * 32)
MATCH = "0" * 32


def seat_seed(seat: int) -> Seed:
    return Seed(bytes([2 + seat]) * 32)


def seat_key(seat: int) -> SigningKey:
    return SigningKey.from_seed(bytes([100 + seat]) * 32)


def terms_of(rules: Ruleset) -> Terms:
    return Terms(
        log="cases.example",
        m=MATCH,
        ruleset=rules,
        options=rules.defaults,
        stake=0,
        asset=Asset("EUR", 2),
        fees=FeeSchedule("free", 0, MAX_SAFE_INTEGER, 0, "pot"),
        clock=Clock(30_000, 3, 250, 60_000, 4_000, 5_000),
        deals_max=100,
        close_by=10**12,
        receipt_key=SigningKey.from_seed(b"\x09" * 32).public,
        commitment=commitment(SERVER_SEED),
    )


@dataclass(slots=True)
class Table:
    """The state of a match, moved on by `do` and `late`; times in seconds since the running decision began."""

    state: MatchState

    @classmethod
    def seated(cls, rules: Ruleset) -> "Table":
        """Every seat has joined and sent its seed; the first deal is in play."""
        table = cls(replay([open_match(terms_of(rules), 0)], SERVER_SEED))
        for seat in range(rules.players):
            join = {
                "key": seat_key(seat).public.hex,
                "player": bytes([seat + 1]).hex() * 16,
                "seed_commitment": commitment(seat_seed(seat)),
                "seen": {"size": 0, "root": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
            }
            table.sign(seat, {"join": join}, table.state.join_root, 1)
        for seat in range(rules.players):
            assert table.state.table_root is not None
            table.sign(seat, {"seed": seat_seed(seat).hex()}, table.state.table_root, rules.players + 1)
        assert table.state.phase is Phase.PLAY
        return table

    def set(self, deal: Deal, overruns: list[int]) -> None:
        """Put this deal on the table, its decision beginning now."""
        begun = self.state.last_t
        self.state = replace(
            self.state, deal=deal, dealer=deal.dealer, overruns=tuple(overruns), deadline=begun + 30_000
        )

    def sign(self, seat: int, do: dict[str, Any], root: bytes, size: int, after: float = 0) -> tuple[Event, ...]:
        action = SignedAction.sign(seat_key(seat), MATCH, do, root.hex(), seat, size)
        return self._decide(Move(action), after)

    def do(self, seat: int, do: dict[str, str], after: float = 0) -> tuple[Event, ...]:
        """What `seat` does so many seconds later. Raises as `decide`."""
        return self.sign(seat, do, self.state.root, self.state.size, after)

    def late(self, after: float) -> tuple[Event, ...]:
        """The clock's look so many seconds later, grace aside."""
        return self._decide(Tick(), after + self.state.terms.clock.grace_ms / 1000)

    def _decide(self, command: Command, after: float) -> tuple[Event, ...]:
        events = decide(self.state, command, self.state.last_t + round(after * 1000), SERVER_SEED)
        for event in events:
            self.state = evolve(self.state, event, SERVER_SEED)
        return events
