"""Section 9 of docs/protocol.md: one short match with every intermediate value, and single lines of others.

`python -m tests.simulator.worked_example` writes it into the text again; a test compares the two.
"""

import hmac
import json
import random
from math import factorial
from pathlib import Path

from fairdeal.cards import format_card
from fairdeal.keys import SigningKey
from fairdeal.ledger import FeeSchedule
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match import Event, action_message, view, view_message
from fairdeal.shuffle import deal_pack
from fairdeal.tlog import Checkpoint, Frontier, leaf_hash
from tests.simulator.log import NAME, SECOND, WITNESSES, ServiceLog, key_replaced
from tests.simulator.table import Played, new_table
from tests.simulator.worked_blocks import block, escaped, listed
from tests.simulator.worked_lines import hand, lines

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"
HEADING = "## 9. Worked example\n"
_NUMBER = "worked example 3407"
"""A number whose log is small, and witnessed by one of two."""
_FEES = FeeSchedule("house-1", 500, MAX_SAFE_INTEGER, 200, "pot")
_CLOCK = {"overruns": 3, "pause_ms": 4_000}


def example() -> Played:
    """The match of the example: all joins and seeds, one bid each, one card, and a resignation. Always the same one."""
    options = {"stake": 500, "target": 301, "fees": _FEES, "clock": _CLOCK, "log": True}
    table = new_table(random.Random(_NUMBER), options)
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
    parts = [
        HEADING,
        "A short match and the log around it, made from fixed secrets that nobody may use again. A seat resigns",
        "early, to keep it short. A `leaf` is the leaf hash of the line's bytes above it, `root` is Root(n + 1).",
        "⏎ stands for LF.\n",
        _secrets(played),
        "### 9.1 The events\n",
        _transcript(played.events),
        *_action(played),
        *_deal(played),
        *_shown(played),
        "### 9.5 The money\n",
        "Pot 1000; commission = floor(1000 · 500 / 10000) = 50; tax = floor(1000 · 200 / 10000) = 20; the winner's",
        "seat gets 930, as the `settle` event says.\n",
        *_log(played),
        *_checkpoint(played.service_log),
        *_proofs(played),
        *_files(played),
        *_new_key(played.service_log.keys.log[0]),
        *hand(),
        *lines(played),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _secrets(played: Played) -> str:
    keys, log = played.keys, played.service_log.keys
    return block(
        ("server seed", keys.server_seed.hex()),
        ("commitment", played.state.terms.commitment),
        *((f"seat {seat} private key", key.seed.hex()) for seat, key in enumerate(keys.seats)),
        *((f"seat {seat} seed", seed.hex()) for seat, seed in enumerate(keys.seat_seeds)),
        ("receipts private key", keys.receipts.seed.hex()),
        ("log private key", log.log[0].seed.hex()),
        *((f"witness {name} private key", key.seed.hex()) for name, key in zip(WITNESSES, log.witnesses, strict=True)),
    )


def _action(played: Played) -> list[str]:
    act = next(event for event in played.events if event.type == "act")
    return [
        "### 9.2 A signed action\n",
        f"Seat {act.by} signs event {act.n} over these bytes (the first line ends in LF, the second does not):\n",
        "```\n" + _signed(played.state.terms.m, act).decode() + "\n```\n",
    ]


def _deal(played: Played) -> list[str]:
    root, keys = played.state.table_root, played.keys
    assert root is not None
    secret, seeds = keys.server_seed.reveal(), [seed.reveal() for seed in keys.seat_seeds]
    message = b"fairdeal/1 deal\n" + root + b"".join(seeds) + (1).to_bytes(4, "big")
    mac = hmac.digest(secret, message, "sha256")
    dealer_message = b"fairdeal/1 dealer\n" + root + b"".join(seeds)
    dealer_mac = hmac.digest(secret, dealer_message, "sha256")
    return [
        "### 9.3 The deal\n",
        block(
            ("table root", root.hex()),
            ("msg of deal 1", message.hex()),
            ("HMAC", mac.hex()),
            ("index", str(int.from_bytes(mac, "big") % factorial(32))),
            ("deck", " ".join(map(format_card, deal_pack(secret, root, seeds, 1)))),
            ("msg of the dealer", dealer_message.hex()),
            ("HMAC", dealer_mac.hex()),
            ("first dealer", str(int.from_bytes(dealer_mac, "big") % 2)),
        ),
    ]


def _shown(played: Played) -> list[str]:
    shown = next(line for line in map(json.loads, played.held[0].splitlines()[::-1]) if "receipt" in line)
    terms = played.state.terms
    assert Checkpoint(terms.origin, len(played.events), played.state.root).body() in shown["receipt"]
    return [
        "### 9.4 The last receipt and view of seat 0\n",
        "```\n" + shown["receipt"] + "```\n",
        block(
            ("view, signed bytes", escaped(view_message(shown["view"]).decode())),
            ("sig", shown["sig"]),
        ),
    ]


def _log(played: Played) -> list[str]:
    log, m = played.service_log, played.state.terms.m
    own = [index for index, _ in log.own(m)]
    rows = [f"{index}  {leaf.decode()}\n   {leaf_hash(leaf).hex()}\n" for index, leaf in enumerate(log.leaves)]
    nodes = [
        (f"{index << level} … {(index + 1 << level) - 1}", node.hex())
        for level, hashes in enumerate(log.tree.levels[1:], 1)
        for index, node in enumerate(hashes)
    ]
    return [
        "### 9.6 The log\n",
        f"{log.size} leaves, each with its leaf hash; {own[0]}, {own[1]}, {own[2]} and {own[3]} are the match's.\n",
        "```\n" + "".join(rows) + "```\n",
        "The nodes over full ranges of leaves, and the root:\n",
        block(*nodes, (f"0 … {log.size - 1}", log.tree.root(log.size).hex())),
    ]


def _checkpoint(log: ServiceLog) -> list[str]:
    (number,) = log.cosigners
    text = Checkpoint(NAME, log.size, log.tree.root(log.size)).body()
    cosigned = f"cosignature/v1\ntime {SECOND + log.size}\n{text}"
    assert text in log.checkpoint(log.size)
    return [
        "### 9.7 The checkpoint\n",
        f"Signed by the log and cosigned by the witness {WITNESSES[number]} at {SECOND + log.size}:\n",
        "```\n" + log.checkpoint(log.size) + "```\n",
        block(("the log signs", escaped(text)), ("the witness signs", escaped(cosigned))),
    ]


def _proofs(played: Played) -> list[str]:
    log, m = played.service_log, played.state.terms.m
    inclusion = [(f"{leaf.leaf['type']}, index {leaf.index}", *leaf.proof) for leaf in log.proven(m, log.size)]
    sizes = [event.data["do"]["join"]["seen"]["size"] for event in played.events if event.type == "join"]
    roots = [(f"root of size {size}", log.tree.root(size).hex()) for size in sizes]
    consistency = [(f"from size {size}", *log.tree.consistency(size, log.size)) for size in sizes]
    return [
        "### 9.8 Proofs\n",
        f"Inclusion, in the checkpoint of size {log.size}, one hash a line:\n",
        block(*listed(inclusion)),
        f"Consistency, from what seat 1 and seat 0 had `seen` to size {log.size}:\n",
        block(*roots, *listed(consistency)),
    ]


def _files(played: Played) -> list[str]:
    asked = next(line for line in played.held[1].splitlines() if line.startswith(b'{"checkpoint"'))
    return [
        "### 9.9 The bundle's first line, the first log line of seat 1, and two policies\n",
        "The bundle is this line and the twelve lines of 9.1, each with its LF:\n",
        "```\n" + played.bundle.split(b"\n")[0].decode() + "\n```\n",
        "Before it joined, seat 1 was given:\n",
        "```\n" + asked.decode() + "\n```\n",
        "The log alone is believed, and the verdict without a held file is `unchecked`; or a witness is asked for, and",
        "it is `verified`:\n",
        "```\n" + played.policy + "```\n",
        "```\n" + played.witnessed_policy + "```\n",
    ]


def _new_key(key: SigningKey) -> list[str]:
    new = SigningKey.from_seed(bytes(range(32)))
    message, leaf = key_replaced(key, new)
    return [
        "### 9.10 A key leaf\n",
        "What the log would append if the key of the private key 00 01 02 … 1f took the place of its own:\n",
        block(("signed bytes", escaped(message.decode())), ("leaf", leaf.decode()), ("hash", leaf_hash(leaf).hex())),
    ]


def _signed(m: str, event: Event) -> bytes:
    return action_message(m, event.data["do"], event.data["root"], event.by, event.n)


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
