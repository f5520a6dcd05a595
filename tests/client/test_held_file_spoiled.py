"""A server cannot spoil the evidence: whatever a client takes in, its held file stays one that a verifier reads."""

from hashlib import sha512
from typing import Any

import pytest

from fairdeal import canonical
from fairdeal.client import Contradiction, Finding
from fairdeal.keys import SigningKey
from fairdeal.match import Held, HeldLine, receipt_key, view, view_message, write_bundle, write_held
from fairdeal_verifier import Policy, verify
from fairdeal_verifier.ed25519 import BASE, L, _encode, _multiply
from tests.client.server import BEFORE_THE_DEAL, M, Table


def verdict(table: Table, seat: int) -> str:
    """What the verifier says of the match with the held file that this client would write."""
    lines = [HeldLine(one.receipt, one.sig, view_of(one.view)) for one in table.clients[seat].shown()]
    held = write_held(Held(table.memories[seat].sitting(M).key.public.hex, M, seat, tuple(lines)))
    policy = Policy.parse(f"log {receipt_key(table.server.terms).format()}\nquorum none\n".encode())
    return verify(write_bundle(table.server.receipt(table.server.lines), table.server.lines), policy, held).verdict


def view_of(text: bytes) -> Any:
    return canonical.decode(text)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_written_as_a_boolean(table: Table, seat: int) -> None:
    """In Python `True == 1`; in a held file it is not a seat."""
    server = table.seeded().server
    turn = table.on_turn.turn
    assert turn is not None
    server.take(table.on_turn.act(turn.legal[0]))
    shown = view(server.state, seat) | {"seat": bool(seat)}
    with pytest.raises(Contradiction) as caught:
        table.clients[seat].receive(server.say(seat, table.clients[seat].size, server.lines, shown))
    assert caught.value.finding is Finding.ANSWER


@pytest.mark.parametrize(
    "other", [{"hand": ["ZZ"]}, {"legal": [{"x": 1}]}, {"legal": [{"bid": "pass"}] * 50}, {"hand": ["S7"] * 33}]
)
def test_a_view_of_another_form_for_a_size_within_a_transaction(table: Table, other: dict[str, Any]) -> None:
    server, client = table.seeded().server, table.clients[0]
    shown = {"hand": [], "legal": [], "m": M, "seat": 0, "size": BEFORE_THE_DEAL} | other
    with pytest.raises(Contradiction) as caught:
        client.receive(server.say(0, 0, server.lines[:BEFORE_THE_DEAL], shown))
    assert caught.value.finding is Finding.ANSWER


def test_one_view_signed_again_and_again_is_kept_once(table: Table) -> None:
    server, client = table.seeded().server, table.clients[0]
    kept = client.shown()
    shown = view(server.state, 0)
    for nonce in range(2, 6):
        again = {"sig": signed(server.key, view_message(shown), nonce).hex()}
        client.receive(server.answer(0, client.size) | again)
    assert client.shown() == kept
    table.take(table.clients[1].resign())
    assert verdict(table, 0) == "verified"


def signed(key: SigningKey, message: bytes, nonce: int) -> bytes:
    """A valid signature with a nonce of the signer's choice (RFC 8032 section 5.1.6 derives one; nobody can tell)."""
    scalar = int.from_bytes(sha512(key.seed).digest()[:32], "little") & (1 << 254) - 8 | 1 << 254
    point = _encode(_multiply(nonce, BASE))
    h = int.from_bytes(sha512(point + key.public.raw + message).digest(), "little")
    return point + ((nonce + h * scalar) % L).to_bytes(32, "little")
