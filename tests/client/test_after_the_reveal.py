"""What cannot be noticed while playing is noticed afterwards: the held file convicts a server of false cards."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.belote import Bid
from fairdeal.cards import format_card
from fairdeal.match import Held, HeldLine, receipt_name, view, write_bundle, write_held
from fairdeal.tlog import VerifierKey, format_policy
from tests.client.server import LOG, M, Table


def verify(table: Table, folder: Path) -> dict[str, Any]:
    """The report of fairdeal-verify on the match, with what seat 0 was shown."""
    server, client = table.server, table.clients[0]
    lines = []
    for shown in client.shown():
        told: Any = canonical.decode(shown.view)
        lines.append(HeldLine(shown.receipt, shown.sig, told))
    key = table.memories[0].sitting(M).key.public.hex
    bundle, held, policy = folder / "bundle", folder / "held", folder / "policy"
    bundle.write_bytes(write_bundle(server.receipt(server.lines), server.lines))
    held.write_bytes(write_held(Held(key, M, 0, tuple(lines))))
    policy.write_text(format_policy((VerifierKey(receipt_name(LOG), server.key.public),)))
    command = [sys.executable, "-m", "fairdeal_verifier", bundle, "--policy", policy, "--held", held, "--json"]
    report: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return report


def test_an_honest_match_verifies(table: Table, tmp_path: Path) -> None:
    table.seeded()
    for _ in range(4):
        table.take(table.on_turn.act(Bid.PASS))
    table.take(table.clients[1].resign())
    assert verify(table, tmp_path)["verdict"] == "verified"


@pytest.mark.parametrize("wrong_card", range(2))
def test_a_false_hand_in_a_deal_that_ends_void(table: Table, tmp_path: Path, wrong_card: int) -> None:
    """Nobody takes, so that the cards shown are never played; nothing in the events would give it away."""
    server = table.joined().server
    client, other = table.clients
    for joined in (client, other):
        server.take(joined.seed() or b"")
    deal = server.state.deal
    assert deal is not None
    assert deal.stock is not None

    def lie(start: int) -> dict[str, Any]:
        shown = view(server.state, 0)
        if shown["hand"]:
            assert deal.stock is not None
            cards = {format_card(card) for card in deal.stock[:1]} | set(
                shown["hand"][:wrong_card] + shown["hand"][wrong_card + 1 :]
            )
            shown["hand"] = [name for name in map(format_card, range(32)) if name in cards]
        return server.say(0, start, server.lines, shown)

    place = len(server.lines) - 1
    while server.state.deal_number == 1:
        client.receive(lie(client.size))
        other.receive(server.answer(1, other.size))
        for seat in (client, other):
            table.prove(seat)
        server.take((client if client.turn else other).act(Bid.PASS))
    table.tell()
    table.take(client.resign())
    report = verify(table, tmp_path)
    assert (report["verdict"], report["cause"], report["broken_at"]) == ("cheated", "shown_hand", place)
