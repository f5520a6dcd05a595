"""Sections 9.11 and 9.12 of docs/protocol.md: a hand of a game for four, and single lines of other matches."""

import hmac
import json
import random
from collections.abc import Iterable

from fairdeal import canonical
from fairdeal.belote.announcements import best_announcements
from fairdeal.cards import format_card, parse_card
from fairdeal.match import Event, HeldLine, MatchState, replay
from fairdeal_verifier import Policy, verify
from fairdeal_verifier.sentences import sentence
from tests.simulator.endings import play
from tests.simulator.steps import random_action, start
from tests.simulator.table import Played, Table, new_table
from tests.simulator.worked_blocks import block

_NUMBER = "worked hand 1278"
"""A number whose first deal is taken at once; both sides declare, one has two announcements and the belote."""
_HANDS = ("S10 SJ SQ SK SA HK DK CK", "S8 S9 S10 SJ SQ H10 D10 C10")
"""A carré that leaves a run, and one that is worth what it breaks."""
_CLOCK = {"overruns": 3, "pause_ms": 4_000}


def hand() -> list[str]:
    """A deal of `annonces@1` from the pack to its score, and how the next one's pack follows from it."""
    table = new_table(random.Random(_NUMBER), {"game": "annonces@1", "log": False, "target": 501, "clock": _CLOCK})
    start(table)
    while table.state.deal_number == 1:
        random_action(table)
    first, again = (event for event in table.events if event.type == "deal")
    acts = [event for event in table.events[first.n : again.n] if event.type == "act"]
    taken = next(event for event in acts if event.data["do"] != {"bid": "pass"})
    held = _at(table, taken.n + 1).deal
    assert held is not None
    assert held.hands is not None
    keys, root = table.keys, table.state.table_root
    assert root is not None
    return [
        "### 9.11 A hand of a game for four\n",
        "Deal 1 of an `annonces@1` match, then the pack of deal 2. After `,` stands what a card says; `!` is a",
        "`declare` of the seat, in its place.\n",
        block(
            ("server seed", keys.server_seed.hex()),
            ("table root", root.hex()),
            *((f"seat {seat} seed", seed.hex()) for seat, seed in enumerate(keys.seat_seeds)),
            ("pack of deal 1", _cards(_pack(table, first.n + 1))),
            ("dealer, turned", f"{first.data['dealer']}, {first.data['turned']}"),
            ("bidding", " ".join(f"{act.by} {act.data['do']['bid']}" for act in acts if "bid" in act.data["do"])),
            *((f"hand of seat {seat}", _of(cards)) for seat, cards in enumerate(held.hands)),
            *((f"trick {number}", text) for number, text in enumerate(_tricks(acts), 1)),
        ),
        "```\n"
        + "".join(f"{e.line.decode()}\n" for e in table.events[: again.n] if e.type in ("show", "score"))
        + "```\n",
        *_cut(table, again),
        _receipt_line(table, taken.n + 1),
    ]


def _at(table: Table, size: int) -> MatchState:
    return replay(table.events[:size], table.keys.server_seed)


def _pack(table: Table, size: int) -> tuple[int, ...]:
    """The pack in play, or as it was gathered."""
    pack = _at(table, size).pack
    assert pack is not None
    return pack


def _cut(table: Table, again: Event) -> list[str]:
    keys, root, gathered = table.keys, table.state.table_root, _pack(table, again.n)
    assert root is not None
    seeds = b"".join(seed.reveal() for seed in keys.seat_seeds)
    message = b"fairdeal/1 cut\n" + root + seeds + (2).to_bytes(4, "big")
    mac = hmac.digest(keys.server_seed.reveal(), message, "sha256")
    place = 3 + int.from_bytes(mac, "big") % 27
    pack = gathered[place:] + gathered[:place]
    assert pack == _pack(table, again.n + 1)
    return [
        "Gathered, and cut for deal 2 by the HMAC over `fairdeal/1 cut⏎`, root, seeds and 00000002:\n",
        block(
            ("gathered", _cards(gathered)),
            ("HMAC", mac.hex()),
            ("c", str(place)),
            ("pack of deal 2", _cards(pack)),
            ("dealer, turned", f"{again.data['dealer']}, {again.data['turned']}"),
        ),
    ]


def _receipt_line(table: Table, size: int) -> str:
    """What the seat on turn keeps of its first lead."""
    lead = table.events[size]
    shown = (line for line in table.shown[lead.by] if isinstance(line, HeldLine))
    line = next(line for line in shown if line.view["size"] == size)
    written = canonical.encode({"receipt": line.receipt, "sig": line.sig, "view": line.view}).decode()
    return f"The line of seat {lead.by}'s held file before it leads to the first trick:\n\n```\n{written}\n```\n"


def _cards(cards: Iterable[int]) -> str:
    return " ".join(map(format_card, cards))


def _tricks(acts: list[Event]) -> list[str]:
    tricks, cards = [""], 0
    for act in acts:
        do = act.data["do"]
        if "bid" in do:
            continue
        if "card" in do and cards and cards % 4 == 0:
            tricks.append("")
        says = f", {act.data['says']}" if "says" in act.data else ""
        tricks[-1] += f"  {act.by} {do.get('card', '!')}{says}"
        cards += "card" in do
    return [trick.strip() for trick in tricks]


def _announced(hand: str) -> str:
    cards = sum(1 << parse_card(card) for card in hand.split())
    return " + ".join(f"{one.value}: {_of(one.cards)}" for one in best_announcements(cards, 0))


def _of(cards: int) -> str:
    return _cards(card for card in range(32) if cards >> card & 1)


def lines(example: Played) -> list[str]:
    """Scores of other games; of the first example a report with suspects and the header of a lost copy."""
    litige = [event for event in play(1, "litige", game="classique@1", log=False).events if event.type == "score"]
    drawn, paid = litige[1], next(event for event in litige if event.data["pot"] == 0)
    coinched = next(e for e in play(1, "coinched", game="coinche@1", log=False).events if e.type == "score")
    damaged = example.bundle.replace(b'"card":"CQ"', b'"card":"CK"')
    report = verify(damaged, Policy.parse(example.policy.encode()), example.held[0])
    told = json.dumps(report.as_json(sentence(report, "en")), sort_keys=True)
    return [
        "### 9.12 Lines of other files\n",
        "Announcements of two hands; the second has two choices of 100, and the carré is the stronger:\n",
        block(*((hand, _announced(hand)) for hand in _HANDS)),
        "`classique@1`: a second litige, and the deal that takes the pot of both, 99 + 162. `coinche@1`,",
        "`faits+demandés`: 80 coinched and made, (162 + 80) · 2 + 20 for the belote.\n",
        "```\n" + "".join(f"{event.line.decode()}\n" for event in (drawn, paid, coinched)) + "```\n",
        "The bundle of 9.9 with CK in the place of CQ in event 7, with the held file of seat 0 and the first policy:",
        "`altered`, exit 15. The root of 12 events is wrong, that of 7 is still what seat 1 signed. (The `sentence` is",
        "one program's.)\n",
        "```\n" + told + "\n```\n",
        "The same match, had it been lost at 7 events. The bundle is this line and the first seven of 9.1; under the",
        "second policy it is `verified`:\n",
        "```\n" + example.lost(7).bundle.split(b"\n")[0].decode() + "\n```\n",
    ]
