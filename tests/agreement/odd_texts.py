"""Texts that are nearly what protocol 1.1, 1.6 and 5.3 ask for, or are it in an unusual way; and events out of place.

On such texts readers of JSON, of signed notes and of policies like to differ. Nothing here knows what is to be said.
"""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from itertools import combinations, product

from fairdeal.keys import SigningKey
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.match import receipt_name
from fairdeal.tlog import EMPTY_ROOT
from tests.agreement.mutants import Mutant
from tests.agreement.sealing import Forger

ODD_TEXTS = (
    *(b'{"a":%s}' % number for number in (
        b"0", b"-0", b"-1", b"00", b"01", b"+1", b"1.0", b"1e0", b"1E2", b".5", b"0x1", b"NaN", b"Infinity",
        b"-Infinity",
        b"9007199254740991", b"9007199254740992", b"-9007199254740991", b"-9007199254740992", b"9" * 17,
        b"9" * 5_000, b"1" + b"0" * 400,
    )),
    *(b'{"a":"%s"}' % text for text in (
        b"\\b\\t\\n\\f\\r", b"\\u0008", b"\\u000b", b"\\u001F", b"\\u001f", b"\x1f", b"\x7f", b"\\u007f", b"\\/",
        b"/", b"\\'", b"\\v", b"\\u2028",
        b"\\ud800", b"\\ud83d\\ude00", b"\\", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
        "\u2028\u00e9\ufeff😀".encode(), b"\x00", b"\x85",
    )),
    *(b'{"%s":0}' % name for name in (
        b"", b"A", b"a", b"_a", b"0", b"a-b", b"__proto__", b"constructor", b"a" * 64, b"a" * 65, b"\\u0061",
        "é".encode(), b"a\\n",
    )),
    b'{"a":0,"a":0}', b'{"b":0,"a":0}', b'{"a":0,"a_":0,"a0":0}', b'{"a":0,"a0":0,"a_":0}',
    b'{"a0":0,"a_":0,"aa":0}', b"{}", b"[]", b"null", b"0", b'""', b"",
    b"{} ", b" {}", b"\t{}", b"{}\r", b"\xef\xbb\xbf{}", b"{}{}", b"{},", b"[1,]", b'{"a":0,}', b"[", b"{", b"nul",
    b"True", b"\x0b{}", "\u00a0{}".encode(),
    *(b"[" * depth + b"]" * depth for depth in (31, 32, 33, 8_000)), b'{"a":' * 32 + b"[]" + b"}" * 32,
    b'["' + b"[" * 40 + b'"]',
    b'["' + b"x" * 16_380 + b'"]', b'["' + b"x" * 16_381 + b'"]',
)  # fmt: skip
"""Texts on which readers of JSON differ (protocol 1.1)."""


GAMES = (("duel@1", 2), ("classique@1", 4), ("coinche@1", 4), ("annonces@1", 4))
"""Rulesets with their seats (protocol 4)."""
WEAK_KEYS = (
    bytes(32), b"\x01" + bytes(31), b"\x02" + bytes(31), b"\xed" + b"\xff" * 30 + b"\x7f", b"\xcd" * 32, b"\xff" * 32,
)  # fmt: skip
"""Of low order, off the curve, not canonical, or with torsion (protocol 1.3)."""


def odd_notes(forger: Forger) -> list[str]:
    """Texts by the operator's key that are nearly a head or a receipt of this match (protocol 1.6)."""
    origin, name, size = forger.origin, receipt_name(forger.match.state.terms.log), len(forger.events)
    root = b64encode(forger.frontier(size).root()).decode()
    texts = [
        *(f"{odd}\n{size}\n{root}\n" for odd in (
            origin, "", " ", f"{origin} ", f" {origin}", origin + "\t", origin + "\r", origin + "\x7f",
            origin + "\x85", origin + "\u2028",
            origin.replace("/m/", "/M/"), f"/m/{origin}", f"{origin}/m/{forger.held.m}", "é/m/" + forger.held.m,
            f"{origin}/m/", "— x y",
        )),
        *(f"{origin}\n{odd}\n{root}\n" for odd in (
            f"0{size}", f"+{size}", f"-{size}", f"{size}.0", f" {size}", "", "0", "00", MAX_SAFE_INTEGER,
            MAX_SAFE_INTEGER + 1, "9" * 16, "9" * 400, "٣", f"{size}\n",
        )),
        *(f"{origin}\n{size}\n{odd}\n" for odd in (
            root[:-1], root + "=", f" {root}", root[:-2] + chr(ord(root[-2]) + 1) + "=",
            root.replace("+", "-").replace("/", "_"), "", b64encode(bytes(31)).decode(),
            b64encode(bytes(33)).decode(), root + "\nextension", root + "\n",
        )),
        f"{origin}\n0\n{b64encode(EMPTY_ROOT).decode()}\n", f"{origin}\n0\n{b64encode(bytes(32)).decode()}\n",
        f"{origin}\n{size}\n",
    ]  # fmt: skip
    names = (f"{name}x", "x" * 255, "x" * 256, "a+b", "a b", "é", "\u00a0", "~", "!", forger.match.state.terms.log)
    operator = forger.match.keys.receipts
    notes = [*(signed(text, name, operator) for text in texts), *(signed(texts[0], odd, operator) for odd in names)]
    return [*notes, *_other_lines(notes[0], texts[0], name)]


def _other_lines(true: str, text: str, name: str) -> list[str]:
    """The note `true` over `text`, with another signature line, or lines that are parted in another way."""
    signature = true.splitlines(keepends=True)[-1]
    return [
        true + signature, true[:-1], true + "\n", true.replace("\n\n", "\n"), true.replace("\n\n", "\n\n\n"),
        true.replace("\n", "\r\n"),
        true.replace("— ", "—  "), true.replace("— ", "- "), true.replace("— ", "—\t"), true.replace("— ", "—"),
        true[:-2] + "\n", true[:-1] + " \n", true[:-1] + "=\n", "\ufeff" + true,
        true[:-3] + chr(ord(true[-3]) + 1) + "=\n", f"{text}\n— {name} {b64encode(bytes(67)).decode()}\n",
        f"{text}\n— {name} {b64encode(bytes(68)).decode()}\n",
    ]  # fmt: skip


def signed(text: str, name: str, key: SigningKey) -> str:
    """A note under any name, whether or not a key may be called so."""
    made = _key_id(name, b"\x01" + key.public.raw) + key.sign(text.encode())
    return f"{text}\n— {name} {b64encode(made).decode()}\n"


def _key_id(name: str, made: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + made).digest()[:4]


def listed(name: str, raw: bytes, kind: int = 1) -> str:
    """A policy's line for any name and key, sound or not."""
    made = bytes([kind]) + raw
    return f"log {name}+{_key_id(name, made).hex()}+{b64encode(made).decode()}\n"


def odd_policies(forger: Forger) -> list[bytes]:
    """Texts that are nearly the policy of this match, or are one in another way (protocol 5.3)."""
    true = forger.match.policy
    log, quorum = true.splitlines(keepends=True)
    name, key_id, encoded = log.removeprefix("log ").strip().split("+", 2)

    raw, other = (key.public.raw for key in (forger.match.keys.receipts, forger.match.keys.seats[0]))
    texts = [
        true, quorum + log, log, quorum, "", "\n", true[:-1], true + quorum, true + log, true + "\n", "\n" + true,
        "#\n" + true, "# é\n" + true, " #\n" + true, true + " \n", true + "#",
        true.replace("\n", "\r\n"), true.replace("log ", "log  "), true.replace("log ", "log\t"),
        true.replace("log ", " log "), true.replace("log ", "LOG "), log[:-1] + " \n" + quorum,
        log + "quorum none \n", log + "quorum  none\n", log + "quorum None\n", log + "quorum x\n",
        log + "witness x\n" + quorum, true + "\x00\n", "\ufeff" + true, true + "#" * 65_536 + "\n",
        true + "#" * (65_536 - len(true.encode()) - 1) + "\n", true + "#" * (65_536 - len(true.encode())) + "\n",
        true + listed("other", other), listed("other", other) + true, true + listed(name, other),
        listed(name, other) + quorum, listed(name, raw, 2) + quorum, listed("x" * 255, raw) + true,
        listed("x" * 256, raw) + true, listed("é", raw) + true, listed("", raw) + true, listed("~!", raw) + true,
        listed(name, raw[:-1]) + quorum, listed(name, raw + b"\0") + quorum,
        f"log {name}+{key_id.upper()}+{encoded}\n{quorum}", f"log {name}+{encoded}\n{quorum}",
        f"log {name}+{key_id}\n{quorum}",
        f"log {name}+{key_id}+{encoded}=\n{quorum}", f"log {name}+{key_id}+{encoded[:-1]}\n{quorum}",
        f"log {name}+{key_id}+{encoded}+\n{quorum}", f"log {name} {key_id}+{encoded}\n{quorum}", f"log\n{quorum}",
        f"log \n{quorum}",
    ]  # fmt: skip
    texts += [true + listed("weak", key) for key in WEAK_KEYS]
    return [*(text.encode() for text in texts), b"#\xff\n" + true.encode()]


def odd_events(forger: Forger) -> Iterator[Mutant]:
    """Events that are well-formed and stand where none of theirs may: a second opening, of any game; a seed early."""
    events, seats = forger.events, forger.seats
    for game, count in GAMES:
        options = {"target": 501} | ({"scoring": "faits"} if game == "coinche@1" else {})
        for stake, place in product((0, 1), (1, seats + 1, len(events) - 1)):
            terms = {"ruleset": {"id": game, "options": options}, "seats": count, "stake": stake}
            again = events[0] | {"data": events[0]["data"] | terms, "n": place, "t": events[place]["t"]}
            yield Mutant(f"{terms} at {place}", place, (), (*events[:place], again, *events[place + 1 :]))
    joined = events[1]["by"]
    early = next(event for event in events if event["type"] == "seed" and event["by"] == joined)
    for place, rest in product(range(2, seats + 1), (0, len(events))):
        put = (*events[:place], early | {"n": place}, *events[place + 1 :][:rest])
        yield Mutant(f"seed at {place}", place, (), put)


def crossed_keys(forger: Forger) -> Iterator[tuple[str, bytes]]:
    """Heads by the operator's key or another one under two names, each with every choice of a policy's lines."""
    name, terms = receipt_name(forger.match.state.terms.log), forger.match.state.terms
    keys = (forger.match.keys.receipts, forger.match.keys.seats[0])
    size = len(forger.events)
    root = b64encode(forger.frontier(size).root()).decode()
    signers = [(odd, key) for odd in (name, "other") for key in keys]
    lines = [listed(odd, key.public.raw) for odd, key in signers]
    for origin in (forger.origin, f"other/m/{terms.m}"):
        for odd, key in signers:
            note = signed(f"{origin}\n{size}\n{root}\n", odd, key)
            for number in range(1, 4):
                for chosen in combinations(lines, number):
                    yield note, ("".join(chosen) + "quorum none\n").encode()
