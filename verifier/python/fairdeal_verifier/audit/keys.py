"""Which key is in force where: the `key` leaves of the log, and the history told beside it (protocol 7.4, 7.6)."""

from fairdeal_verifier import canonical, fields
from fairdeal_verifier.audit.source import Source
from fairdeal_verifier.ed25519 import public_key
from fairdeal_verifier.errors import (
    FileFault,
    KeyRefused,
    NotCanonical,
    NoteRefused,
    SchemaRefused,
    SignatureRefused,
)
from fairdeal_verifier.leaves import KeyLeaf
from fairdeal_verifier.notes import VerifierKey, format_verifier_key, parse_verifier_key

KEYS_PATH = "keys.jsonl"
MAX_KEYS_BYTES = 1_048_576
"""Thousands of rotations."""
KEY_CONTEXT = b"fairdeal/1 key\n"


class KeyChain:
    """The keys of one name, each from an index on; which is the first is known once something shows it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._keys: list[tuple[int, bytes]] = []

    @property
    def keys(self) -> tuple[tuple[int, bytes], ...]:
        """(from, the 32 bytes), ascending."""
        return tuple(self._keys)

    def begins_with(self, raw: bytes) -> None:
        """What the first key is, unless a `key` leaf has said it."""
        if not self._keys:
            self._keys.append((0, raw))

    def at(self, index: int) -> bytes | None:
        """The key that signs at a size, or that an `open` at an index names."""
        return next((raw for start, raw in reversed(self._keys) if start <= index), None)

    def replace(self, leaf: KeyLeaf, index: int) -> str | None:
        """Takes a `key` leaf; a key of DETAILS says what is wrong with it, and then it changes nothing."""
        in_force = self._keys[-1][1] if self._keys else leaf.old.raw
        if leaf.old.raw != in_force:
            return "old_key"
        message = KEY_CONTEXT + canonical.encode({"new": _text(leaf.new), "old": _text(leaf.old)})
        try:
            for key, signature in ((leaf.old, leaf.sig_old), (leaf.new, leaf.sig_new)):
                sound = public_key(key.raw)
                sound.check_torsion_free()
                sound.check(signature, message)
        except (KeyRefused, SignatureRefused):
            return "key_signature"
        self.begins_with(leaf.old.raw)
        self._keys.append((index + 1, leaf.new.raw))
        return None


def _text(key: VerifierKey) -> str:
    return format_verifier_key(key.name, key.raw, key.kind)


def check_history(source: Source, chains: tuple[KeyChain, ...], size: int) -> None:
    """`keys.jsonl` tells what the first `size` leaves tell, and may be ahead of them; raises FileFault, NotFetched.

    Of a chain that nothing in the log shows yet, the first key is told there alone.
    """
    told: list[tuple[int, str]] = []
    try:
        for line in lines_of(source.read(KEYS_PATH, MAX_KEYS_BYTES), KEYS_PATH):
            start, text = fields.members(canonical.decode(line), "from", "vkey")
            key = parse_verifier_key(fields.text(text, bool))
            if fields.integer(start) > size:
                continue
            told.append((fields.integer(start), _text(key)))
            for chain in chains:
                if key.name == chain.name and start == 0:
                    chain.begins_with(key.raw)
    except (NotCanonical, SchemaRefused, NoteRefused):
        raise FileFault("damaged", KEYS_PATH, "not a history of keys") from None
    logged = [(start, format_verifier_key(chain.name, raw)) for chain in chains for start, raw in chain.keys]
    if told != sorted(logged):
        raise FileFault("damaged", KEYS_PATH, "not the keys that the log tells")


def lines_of(data: bytes, path: str) -> list[bytes]:
    """The lines of a file, each of which ends in LF; raises FileFault."""
    lines = data.split(b"\n")
    if lines.pop():
        raise FileFault("damaged", path, "its last line does not end")
    return lines
