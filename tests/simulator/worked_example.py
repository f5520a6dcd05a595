"""Section 9 of docs/protocol.md: one short match with every intermediate value.

`python -m tests.simulator.worked_example` writes it into the text again; a test compares the two.
"""

import hmac
import json
import random
from math import factorial
from pathlib import Path

from fairdeal.cards import format_card
from fairdeal.ledger import FeeSchedule
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match import Event, action_message, view, view_message
from fairdeal.shuffle import deal_pack
from fairdeal.tlog import Checkpoint, Frontier, leaf_hash
from tests.simulator.table import Played, new_table

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"
HEADING = "## 9. Worked example\n"
_FEES = FeeSchedule("house-1", 500, MAX_SAFE_INTEGER, 200, "pot")
_CLOCK = {"overruns": 3, "pause_ms": 4_000}


def example() -> Played:
    """The match of the example: all joins and seeds, one bid each, one card, and a resignation. Always the same one."""
    table = new_table(random.Random("worked example"), {"stake": 500, "target": 301, "fees": _FEES, "clock": _CLOCK})
    for seat in (1, 0):
        table.join(seat)
    for seat in (0, 1):
        table.wait()
        table.send_seed(seat)
    for _ in range(2):
        assert table.state.turn is not None
        table.wait()
        table.act(table.state.turn, view(table.state, table.state.turn)["legal"][-1])
    table.wait()
    table.act(1, {"resign": True})
    return table.played(0, "resigned")


def section() -> str:
    """The text of section 9, heading included."""
    played = example()
    events, keys, terms = played.events, played.keys, played.state.terms
    assert played.state.table_root is not None
    root, seeds = played.state.table_root, [seed.reveal() for seed in keys.seat_seeds]
    message = b"fairdeal/1 deal\n" + root + b"".join(seeds) + (1).to_bytes(4, "big")
    mac = hmac.digest(keys.server_seed.reveal(), message, "sha256")
    dealer_message = b"fairdeal/1 dealer\n" + root + b"".join(seeds)
    dealer_mac = hmac.digest(keys.server_seed.reveal(), dealer_message, "sha256")
    deck = deal_pack(keys.server_seed.reveal(), root, seeds, 1)
    shown = json.loads(played.held[0].splitlines()[-1])
    act = next(event for event in events if event.type == "act")
    parts = [
        HEADING,
        "A short match, made from fixed secrets that nobody may use again. A seat resigns early, to keep it short.",
        "A `leaf` is the leaf hash of the line's bytes above it, `root` is Root(n + 1).\n",
        _block(
            ("server seed", keys.server_seed.hex()),
            ("commitment", terms.commitment),
            *((f"seat {seat} private key", key.seed.hex()) for seat, key in enumerate(keys.seats)),
            *((f"seat {seat} seed", seed.hex()) for seat, seed in enumerate(keys.seat_seeds)),
            ("receipts private key", keys.operator.seed.hex()),
        ),
        "### 9.1 The events\n",
        _transcript(events),
        "### 9.2 A signed action\n",
        f"Seat {act.by} signs event {act.n} over these bytes (the first line ends in LF, the second does not):\n",
        "```\n" + _signed(terms.m, act).decode() + "\n```\n",
        "### 9.3 The deal\n",
        _block(
            ("table root", root.hex()),
            ("msg of deal 1", message.hex()),
            ("HMAC", mac.hex()),
            ("index", str(int.from_bytes(mac, "big") % factorial(32))),
            ("deck", " ".join(map(format_card, deck))),
            ("msg of the dealer", dealer_message.hex()),
            ("HMAC", dealer_mac.hex()),
            ("first dealer", str(int.from_bytes(dealer_mac, "big") % 2)),
        ),
        "### 9.4 The last receipt and view of seat 0, and the policy\n",
        "```\n" + shown["receipt"] + "```\n",
        _block(
            ("view, signed bytes", view_message(shown["view"]).decode().replace("\n", "⏎")),
            ("sig", shown["sig"]),
        ),
        "```\n" + played.policy + "```\n",
        "### 9.5 The money\n",
        "Pot 1000; commission = floor(1000 · 500 / 10000) = 50; tax = floor(1000 · 200 / 10000) = 20; the winner's",
        "seat gets 930, as the `settle` event says.",
    ]
    assert Checkpoint(terms.origin, len(events), played.state.root).body() in shown["receipt"]
    return "\n".join(parts) + "\n"


def _signed(m: str, event: Event) -> bytes:
    return action_message(m, event.data["do"], event.data["root"], event.by, event.n)


def _block(*rows: tuple[str, str]) -> str:
    width = max(len(name) for name, _ in rows)
    return "```\n" + "".join(f"{name:<{width}}  {value}\n" for name, value in rows) + "```\n"


def _transcript(events: tuple[Event, ...]) -> str:
    frontier, rows = Frontier(), []
    for event in events:
        frontier = frontier.append(leaf_hash(event.line))
        rows.append(f"{event.line.decode()}\n  leaf {leaf_hash(event.line).hex()}\n  root {frontier.root().hex()}\n")
    return "```\n" + "".join(rows) + "```\n"


def written() -> str:
    """Section 9 as the text has it."""
    text = PROTOCOL.read_text()
    return text[text.index(HEADING) :]


if __name__ == "__main__":
    text = PROTOCOL.read_text()
    PROTOCOL.write_text(text[: text.index(HEADING)] + section())
