"""What a match is played for and under: the `open` event, typed (protocol sections 2.1 and 2.2)."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from fairdeal.belote import Options, Ruleset, find_ruleset
from fairdeal.errors import Malformed
from fairdeal.keys import PublicKey
from fairdeal.ledger import FeeSchedule
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match.schema import OPEN, PROTOCOL


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock's numbers: spans in ms, and how many overruns lose."""

    decision_ms: int
    overruns: int
    grace_ms: int
    join_ms: int
    pause_ms: int
    outage_ms: int


@dataclass(frozen=True, slots=True)
class Asset:
    """What the stake is counted in: 10^`exponent` minor units make one."""

    code: str
    exponent: int


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one match. `stake` is each seat's, in minor units; `commitment` is the server seed's, 64 hex."""

    log: str
    m: str
    ruleset: Ruleset
    options: Options
    stake: int
    asset: Asset
    fees: FeeSchedule
    clock: Clock
    deals_max: int
    close_by: int
    receipt_key: PublicKey
    commitment: str

    @property
    def seats(self) -> int:
        return self.ruleset.players

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat."""
        return tuple(seat % self.ruleset.sides for seat in range(self.seats))

    @property
    def origin(self) -> str:
        """The origin of the match's own log, which its receipts are checkpoints of (protocol section 2.8)."""
        return f"{self.log}/m/{self.m}"

    def data(self) -> dict[str, Any]:
        """The `data` of the `open` event."""
        return {
            "protocol": PROTOCOL,
            "log": self.log,
            "m": self.m,
            "ruleset": {"id": self.ruleset.id, "options": self.ruleset.format_options(self.options)},
            "seats": self.seats,
            "stake": self.stake,
            "asset": asdict(self.asset),
            "fees": asdict(self.fees),
            "clock": asdict(self.clock),
            "deals_max": self.deals_max,
            "close_by": self.close_by,
            "receipt_key": self.receipt_key.hex,
            "commitment": self.commitment,
        }

    @classmethod
    def parse(cls, data: dict[str, Any]) -> Self:
        """The terms written by the `data` of an `open` event. Raises Malformed; KeyRefused for a weak receipt key."""
        OPEN(data)
        ruleset = find_ruleset(data["ruleset"]["id"])
        if data["seats"] != ruleset.players:
            raise Malformed("not as many seats as the ruleset has players")
        if data["stake"] and not ruleset.features.shuffled:
            raise Malformed("nothing is staked where the pack is not shuffled")
        if data["seats"] * data["stake"] > MAX_SAFE_INTEGER:
            raise Malformed("a pot beyond 2^53−1")
        return cls(
            log=data["log"],
            m=data["m"],
            ruleset=ruleset,
            options=ruleset.parse_options(data["ruleset"]["options"]),
            stake=data["stake"],
            asset=Asset(**data["asset"]),
            fees=FeeSchedule(**data["fees"]),
            clock=Clock(**data["clock"]),
            deals_max=data["deals_max"],
            close_by=data["close_by"],
            receipt_key=PublicKey.from_hex(data["receipt_key"]),
            commitment=data["commitment"],
        )
