"""Files that are wrong in other ways than a mutant's: cut, bent, mixed up, and the lies of whoever has all the keys.

Nothing here knows what is to be said of them.
"""

import itertools
import random
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from fairdeal import canonical
from fairdeal.errors import Malformed
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match import HeldLine, view_message
from fairdeal.tlog import EMPTY_ROOT, sign_note
from tests.agreement.mutants import Mutant, respelt, some
from tests.agreement.sealing import Forger


def bent(data: bytes, rng: random.Random) -> bytes:
    """A file cut anywhere, or with a byte or a line changed, left out, repeated or moved."""
    at = rng.randrange(len(data))
    lines = data.splitlines(keepends=True)
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(8):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([data[at] ^ rng.choice((1, 0x20, 0x80))]) + data[at + 1 :]
        case 2:
            return data[:at] + bytes([rng.choice(b"0123456789abcdef")]) + data[at + 1 :]
        case 3:
            del lines[one]
        case 4:
            lines.insert(other, lines[one])
        case 5:
            lines[one], lines[other] = lines[other], lines[one]
        case 6:
            spellings = list(respelt(lines[one][:-1])) if lines[one].startswith(b"{") else [b"#", b" ", b"quorum none"]
            lines[one] = rng.choice(spellings) + b"\n"
        case _:
            lines = lines[: one + 1]
    return b"".join(lines)


def heaped(forger: Forger, rng: random.Random) -> Mutant:
    """Mutants one upon the other, or events that stand once more after the end."""
    events, place, what = forger.events, len(forger.events), []
    if rng.random() < 0.3:
        again = rng.choice([events[-1], rng.choice(events)]) | {"n": place, "t": events[-1]["t"]}
        return Mutant(f"append {again['type']}", place, (), (*events, again))
    for _ in range(rng.randrange(2, 5)):
        (mutant,) = some(events, rng, 1)
        if _is_well_formed(forger, mutant):
            events, place = mutant.events, min(place, mutant.place)
            what.append(str(mutant))
    return Mutant(" + ".join(what), place, (), events)


def _is_well_formed(forger: Forger, mutant: Mutant) -> bool:
    try:
        return not forger.is_malformed([canonical.encode(event) for event in mutant.events], 0)
    except Malformed:  # an event made up long after one that has the last time there is
        return False


def tails(forger: Forger) -> Iterator[Mutant]:
    """Other ends of the match: cut in its last events, one of these after the cut, the settlement of other accounts."""
    events = forger.events
    for size in range(max(1, len(events) - 3), len(events) + 1):
        yield Mutant("cut", min(size, len(events)), (), events[:size])
        for event in events[-4:]:
            yield Mutant(f"{event['type']} after the cut", size, (), (*events[:size], event | {"n": size}))
    last = events[-1]
    if last["type"] == "settle":
        lines = last["data"]["lines"]
        for at, line in itertools.product(range(len(lines)), lines):
            paid = [*lines[:at], line | {"amount": lines[at]["amount"]}, *lines[at + 1 :]]
            settle = last | {"data": {"lines": paid}}
            yield Mutant(f"pays {line['account']} at {at}", len(events) - 1, (), (*events[:-1], settle))


def lying_held(forger: Forger, rng: random.Random) -> bytes:
    """A held file of which one or two receipt lines say something else, mostly signed by the operator's key."""
    held = forger.held
    header: dict[str, Any] = {"format": "fairdeal/held@1", "key": held.key, "m": held.m, "seat": held.seat}
    if rng.random() < 0.2:
        name, value = rng.choice(
            [
                ("key", "00" * 32),
                ("key", "0" * 63),
                ("m", "0" * 32),
                ("m", ""),
                ("seat", 0),
                ("seat", 1),
                ("seat", 3),
                ("seat", 4),
            ]
        )
        header[name] = value
    lines = [line.to_json() for line in held.lines]
    receipts = [at for at, line in enumerate(held.lines) if isinstance(line, HeldLine)]
    for at in rng.sample(receipts, min(len(receipts), rng.randrange(1, 3))):
        # With `--signatures last` the last receipt line is another matter than the others.
        at = rng.choice((at, receipts[-1]))
        line = held.lines[at]
        assert isinstance(line, HeldLine)
        lines[at] = _lying_line(forger, line, rng)
    if rng.random() < 0.1:
        rng.shuffle(lines)
    return b"".join(canonical.encode(line) + b"\n" for line in (header, *lines))


def _lying_line(forger: Forger, line: HeldLine, rng: random.Random) -> dict[str, Any]:
    view, size = line.view, line.view["size"]
    receipt = line.receipt
    if rng.random() < 0.5:
        receipt = _other_receipt(forger, size, rng)
    if receipt is line.receipt or rng.random() < 0.3:
        name = rng.choice(list(view))
        view = view | {name: rng.choice(_other_values(view)[name])}
    key = rng.choice((forger.match.keys.receipts, forger.match.keys.receipts, forger.match.keys.seats[0]))
    sig = line.sig if rng.random() < 0.1 else key.sign(view_message(view)).hex()
    return {"receipt": receipt, "sig": sig, "view": view}


def _other_values(view: dict[str, Any]) -> dict[str, list[Any]]:
    hand, legal, size = view["hand"], view["legal"], view["size"]
    return {
        "hand": [[], hand[1:], hand[::-1], [*hand, "S7"], ["S7"] * 32, ["S7"] * 33, ["S1"], None],
        "legal": [
            [],
            legal[1:],
            legal[::-1],
            [*legal, {"resign": True}],
            [{"bid": "pass"}] * 49,
            [{"bid": "pass"}] * 50,
            [{}],
            ["S7"],
            [{"declare": True}],
            [*legal, {"declare": True}],
            [{"bid": "coinche"}],
            [{"bid": {"suit": "C", "value": 250}}],
            [{"bid": {"suit": "C", "value": 190}}],
        ],
        "m": ["0" * 32, "0" * 31],
        "seat": [0, 1, 2, 3, 4, -1, True],
        "size": [size + 1, size - 1, 0, 1, MAX_SAFE_INTEGER],
    }


def _other_receipt(forger: Forger, size: int, rng: random.Random) -> str:
    """By the operator's key: another root, size or origin, or a text that is no checkpoint."""
    have = len(forger.events)
    sizes = (size, size, size, size - 1, size + 1, have, have + 1, 0, MAX_SAFE_INTEGER, MAX_SAFE_INTEGER + 1)
    size = rng.choice(sizes)
    root = forger.frontier(min(size, have)).root() if rng.random() < 0.4 else rng.choice((bytes(32), EMPTY_ROOT))
    origin = rng.choice((forger.origin, forger.origin, forger.origin, f"x/m/{forger.held.m}", "x", "é", "\u2028"))
    text = f"{origin}\n{size}\n{b64encode(root).decode()}\n"
    note = sign_note(text, forger.signer)
    return rng.choice((note, note, note, note, note + note.splitlines(keepends=True)[-1], note[:-1], f"{note}\n"))
