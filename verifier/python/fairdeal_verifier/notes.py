"""Verifier keys, checkpoints and the policy (protocol 1.6 and 5.3; C2SP signed-note, tlog-checkpoint, tlog-policy)."""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256

from fairdeal_verifier.canonical import MAX_INTEGER
from fairdeal_verifier.ed25519 import PublicKey, public_key
from fairdeal_verifier.errors import KeyRefused, NoteRefused, WrongUsage
from fairdeal_verifier.merkle import EMPTY_ROOT

MAX_POLICY_BYTES = 65_536
"""Hundreds of keys; a policy is written by hand."""

KeyId = tuple[str, bytes]
"""How a key is known: its name and the four bytes of its id."""

_NAME = r"[!-*,-~]{1,255}"
_VKEY = re.compile(rf"({_NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]{{44}})").fullmatch
_CHECKPOINT = re.compile(
    r"(?P<text>(?P<origin>[^\x00-\x1f]+)\n(?P<size>0|[1-9][0-9]{0,15})\n(?P<root>[A-Za-z0-9+/]{43}=)\n)"
    rf"\n\u2014 (?P<name>{_NAME}) (?P<signature>[A-Za-z0-9+/]{{91}}=)\n"
).fullmatch


def _base64(text: str) -> bytes:
    data = b64decode(text)
    if b64encode(data).decode() != text:
        raise NoteRefused("base64 with stray bits")
    return data


def key_id(name: str, key: bytes) -> KeyId:
    """The name and id of an Ed25519 note key."""
    return name, sha256(name.encode() + b"\n\x01" + key).digest()[:4]


def format_verifier_key(name: str, key: bytes) -> str:
    """The text of a verifier key."""
    return f"{name}+{key_id(name, key)[1].hex()}+{b64encode(bytes([1]) + key).decode()}"


def parse_verifier_key(text: str) -> tuple[KeyId, bytes]:
    """The id and the 32 bytes of a verifier key; raises NoteRefused."""
    match = _VKEY(text)
    if not match:
        raise NoteRefused("not a verifier key")
    name, written_id, encoded = match.groups()
    data = _base64(encoded)
    if data[0] != 1 or key_id(name, data[1:])[1].hex() != written_id:
        raise NoteRefused("not an Ed25519 verifier key with its own id")
    return key_id(name, data[1:]), data[1:]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint with its one signature: parsed, not yet verified."""

    origin: str
    size: int
    root: bytes
    signer: KeyId
    signature: bytes
    text: bytes

    @classmethod
    def parse(cls, note: str) -> "Checkpoint":
        """Raises NoteRefused."""
        match = _CHECKPOINT(note)
        if not match:
            raise NoteRefused("not a checkpoint with one signature line")
        size, root, signature = int(match["size"]), _base64(match["root"]), _base64(match["signature"])
        if size > MAX_INTEGER or (size == 0 and root != EMPTY_ROOT):
            raise NoteRefused("no tree has this size and root")
        try:
            text = match["text"].encode()
        except UnicodeEncodeError:
            raise NoteRefused("not Unicode") from None
        return cls(match["origin"], size, root, (match["name"], signature[:4]), signature[4:], text)


@dataclass(frozen=True, slots=True)
class Policy:
    """The keys a user trusts, by name and id; the listed bytes are the key."""

    keys: dict[KeyId, PublicKey]

    @classmethod
    def parse(cls, text: bytes) -> "Policy":
        """Reads a policy file; raises WrongUsage."""
        if len(text) > MAX_POLICY_BYTES:
            raise WrongUsage("policy_size")
        try:
            lines = text.decode().split("\n")
        except UnicodeDecodeError:
            raise WrongUsage("policy_encoding") from None
        if lines.pop() != "":
            raise WrongUsage("policy_cut")
        keys: dict[KeyId, PublicKey] = {}
        quorums = 0
        for number, line in enumerate(lines, 1):
            if line == "quorum none":
                quorums += 1
            elif line.startswith("log "):
                try:
                    listed, raw = parse_verifier_key(line.removeprefix("log "))
                    key = public_key(raw)
                    key.check_torsion_free()
                except (NoteRefused, KeyRefused):
                    raise WrongUsage("policy_key", number) from None
                if listed in keys:
                    raise WrongUsage("policy_twice", number)
                keys[listed] = key
            elif line and not line.startswith("#"):
                raise WrongUsage("policy_line", number)
        if not keys or quorums != 1:
            raise WrongUsage("policy_lacks")
        return cls(keys)
