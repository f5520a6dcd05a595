"""The leaves of the log of all matches: what the service commits to, in one order for everybody (protocol 7.2)."""

from typing import Any, Final

from fairdeal import canonical
from fairdeal.commit import Seed
from fairdeal.errors import Malformed
from fairdeal.limits import (
    HASH_BYTES,
    MATCH_ID_BYTES,
    MAX_EVENT_BYTES,
    MAX_TREE_SIZE,
    SEED_BYTES,
    SIGNATURE_BYTES,
)
from fairdeal.match.schema import Check, ascending_seats, hexadecimal, integer, one_of, record, text
from fairdeal.match.state import EndReason, MatchState, Phase
from fairdeal.tlog import VerifierKey

MATCH_LEAVES: Final = ("open", "full", "start", "close")
"""The leaves of one match, in the order in which they stand in the log."""
LOST: Final = "lost"
"""The cause of a void match that a restored store could not go on with (protocol section 7.5)."""

_OUTCOMES: Final[dict[EndReason, str]] = {
    "target": "played",
    "overruns": "forfeit",
    "resigned": "forfeit",
    "seed": "no_seed",
    "cancelled": "cancelled",
    "void": "void",
}
_KEY_CONTEXT: Final = b"fairdeal/1 key\n"

_hash: Final = hexadecimal(HASH_BYTES)
_m: Final = hexadecimal(MATCH_ID_BYTES)
_size: Final = integer(0, MAX_TREE_SIZE)
_key: Final = text(r"[!-*,-~]{1,255}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}")
_signature: Final = hexadecimal(SIGNATURE_BYTES)
_close: Final = record(
    {
        "m": _m,
        "outcome": one_of(*_OUTCOMES.values()),
        "root": _hash,
        "server_seed": hexadecimal(SEED_BYTES),
        "size": integer(1),
        "type": one_of("close"),
    },
    {"cause": one_of("deal_limit", "operator", LOST), "seats": ascending_seats},
)


def _check_close(value: object) -> None:
    _close(value)
    assert isinstance(value, dict)
    if ("cause" in value) != (value["outcome"] == "void") or ("seats" in value) != (value["outcome"] == "no_seed"):
        raise Malformed("cause stands exactly with void, seats with no_seed")


def _check_outage(value: object) -> None:
    _outage(value)
    assert isinstance(value, dict)
    if value["from"] >= value["to"]:
        raise Malformed("an outage ends after it begins")


_outage: Final = record({"from": integer(), "to": integer(), "type": one_of("outage")})
_LEAVES: Final[dict[str, Check]] = {
    "open": record({"commitment": _hash, "m": _m, "root": _hash, "type": one_of("open")}),
    "full": record({"m": _m, "root": _hash, "type": one_of("full")}),
    "start": record({"m": _m, "root": _hash, "size": integer(1), "type": one_of("start")}),
    "close": _check_close,
    "ledger": record({"root": _hash, "size": integer(), "type": one_of("ledger")}),
    "outage": _check_outage,
    "key": record({"new": _key, "old": _key, "sig_new": _signature, "sig_old": _signature, "type": one_of("key")}),
}


def check_leaf(value: object) -> None:
    """Raises Malformed unless this is a leaf, looked at alone."""
    if type(value) is not dict or type(kind := value.get("type")) is not str or kind not in _LEAVES:
        raise Malformed("a leaf of the log has a type")
    _LEAVES[kind](value)


def check_match_leaf(value: object) -> None:
    """Raises Malformed unless this is a leaf of a match, looked at alone."""
    check_leaf(value)
    assert isinstance(value, dict)
    if value["type"] not in MATCH_LEAVES:
        raise Malformed("not a leaf of a match")


def parse_leaf(data: bytes) -> dict[str, Any]:
    """The leaf written by these bytes. Raises Malformed."""
    value: Any = canonical.decode(data, limit=MAX_EVENT_BYTES)
    check_leaf(value)
    leaf: dict[str, Any] = value
    return leaf


def due_leaves(before: MatchState | None, after: MatchState, server_seed: Seed | None) -> tuple[bytes, ...]:
    """The leaves that become due with the step from `before` (None: nothing) to `after`, in the log's order.

    `server_seed` may be None while the match goes on: `close` alone needs it.
    """
    leaves: list[dict[str, canonical.Json]] = []
    m = after.terms.m
    if before is None:
        leaves.append(
            {"commitment": after.terms.commitment, "m": m, "root": after.join_root.hex(), "type": "open"},
        )
    if after.table_root is not None and (before is None or before.table_root is None):
        leaves.append({"m": m, "root": after.table_root.hex(), "type": "full"})
    if after.deal_number and (before is None or not before.deal_number):
        leaves.append({"m": m, "root": after.root.hex(), "size": after.size, "type": "start"})
    if after.phase is Phase.CLOSED:
        assert server_seed is not None
        leaves.append(_close_leaf(after, server_seed))
    return tuple(canonical.encode(leaf) for leaf in leaves)


def lost_leaf(state: MatchState, server_seed: Seed) -> bytes:
    """The `close` of a live match that a restored store ends without an event (protocol section 7.5)."""
    return canonical.encode({**_closing(state, server_seed), "cause": LOST, "outcome": "void"})


def ledger_leaf(root: bytes, size: int) -> bytes:
    """The money journal's root over its first `size` transactions (protocol section 7.6)."""
    return canonical.encode({"root": root.hex(), "size": size, "type": "ledger"})


def outage_leaf(start: int, end: int) -> bytes:
    """An outage of the service, in ms: the numbers of every `resume` that it causes."""
    return canonical.encode({"from": start, "to": end, "type": "outage"})


def key_message(old: VerifierKey, new: VerifierKey) -> bytes:
    """What both keys sign when one takes the other's place (protocol section 7.4)."""
    return _KEY_CONTEXT + canonical.encode({"new": new.format(), "old": old.format()})


def key_leaf(old: VerifierKey, new: VerifierKey, sig_old: bytes, sig_new: bytes) -> bytes:
    """The leaf of a key's replacement; the signatures are over `key_message`."""
    return canonical.encode(
        {
            "new": new.format(),
            "old": old.format(),
            "sig_new": sig_new.hex(),
            "sig_old": sig_old.hex(),
            "type": "key",
        }
    )


def _closing(state: MatchState, server_seed: Seed) -> dict[str, canonical.Json]:
    return {
        "m": state.terms.m,
        "root": state.root.hex(),
        "server_seed": server_seed.hex(),
        "size": state.size,
        "type": "close",
    }


def _close_leaf(state: MatchState, server_seed: Seed) -> dict[str, canonical.Json]:
    ending = state.ending
    assert ending is not None
    leaf = {**_closing(state, server_seed), "outcome": _OUTCOMES[ending.reason]}
    if ending.cause is not None:
        leaf["cause"] = ending.cause
    if ending.reason == "seed":
        leaf["seats"] = [seat for seat, seed in enumerate(state.seeds) if seed is None]
    return leaf
