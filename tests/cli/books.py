"""A journal of any length with every kind of transaction, and an exported directory around it."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from fairdeal import ledger
from fairdeal.ledger import FeeSchedule, Refund, SeedForfeit, Transaction, Win, settlement

FEES = FeeSchedule("house-1", 750, 2**53 - 1, 200, "pot")
NOON = 1_767_222_000_000
"""2025-12-31T23:00:00Z: an hour before a month ends, and a year."""
EXPONENTS = {"JETON": 0, "EUR": 2, "X18": 18}


def journal(count: int, draw: random.Random) -> Iterator[Transaction]:
    """`count` transactions in three assets, all balances in order; the times go back now and then."""
    return islice(_endless(draw), count)


def totals(transactions: list[Transaction]) -> Counter[tuple[str, str]]:
    """Account and asset → balance, in minor units and the journal's signs; every account that was ever named."""
    balances: Counter[tuple[str, str]] = Counter()
    for one in transactions:
        for posting in one.postings:
            balances[posting.account, one.asset] += posting.amount
    return balances


def write_export(folder: Path, transactions: list[Transaction], page: int = 1_000) -> None:
    """What `fairdeal audit export` leaves of the money, as far as a conversion reads it."""
    (folder / "ledger").mkdir(parents=True)
    (folder / "checkpoint").touch()
    lines = [one.canonical() + b"\n" for one in transactions]
    for number in range(len(lines) // page + 1):
        (folder / f"ledger/{number}.jsonl").write_bytes(b"".join(lines[number * page : (number + 1) * page]))


def _endless(draw: random.Random) -> Iterator[Transaction]:
    at = NOON
    players = {asset: [_id(draw) for _ in range(8)] for asset in EXPONENTS}
    for asset, ids in players.items():
        for player in ids:
            yield ledger.deposit(_id(draw), player, 10**12 + draw.randrange(100), asset=asset, at=at)
    while True:
        asset = draw.choice([*EXPONENTS])
        if draw.random() < 0.2:
            yield from _withdrawal(draw, asset, draw.choice(players[asset]), at)
        at += draw.randrange(-500, 60_000)
        yield from _match(draw, asset, draw.sample(players[asset], draw.choice((2, 4))), at)


def _withdrawal(draw: random.Random, asset: str, player: str, at: int) -> Iterator[Transaction]:
    name, amount = _id(draw), draw.randrange(1, 1_000)
    yield ledger.withdraw(name, player, amount, asset=asset, at=at)
    end = draw.choice([ledger.pay_withdrawal, ledger.refuse_withdrawal, None])
    if end is not None:
        yield end(name, player, amount, asset=asset, at=at)


def _match(draw: random.Random, asset: str, seated: list[str], at: int) -> Iterator[Transaction]:
    m, stake = _id(draw), draw.randrange(1, 1_000_000)
    for player in seated:
        name = _id(draw)
        yield ledger.sit(m, player, name, stake, asset=asset, at=at)
        if draw.random() < 0.1:
            yield ledger.stand_up(m, player, name, stake, asset=asset, at=at)
            yield ledger.sit(m, player, _id(draw), stake, asset=asset, at=at)
    if draw.random() < 0.1:
        yield ledger.cancel(m, seated, stake, asset=asset, at=at)
        return
    yield ledger.form_pot(m, seated, stake, asset=asset, at=at)
    outcome = draw.choice([Win(0), Win(1), SeedForfeit(0), Refund()])
    lines = settlement(tuple(seat % 2 for seat in range(len(seated))), stake, outcome, FEES)
    yield ledger.pay_out(m, seated, lines, outcome, asset=asset, at=at)


def _id(draw: random.Random) -> str:
    return f"{draw.getrandbits(128):032x}"
