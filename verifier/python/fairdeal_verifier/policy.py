"""The policy: which logs and witnesses a user trusts (protocol 5.3; C2SP tlog-policy)."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from fairdeal_verifier.ed25519 import PublicKey, public_key
from fairdeal_verifier.errors import KeyRefused, NoteRefused, SignatureRefused, WrongUsage
from fairdeal_verifier.notes import COSIGNS, SIGNS, Checkpoint, KeyId, check_cosignature, parse_verifier_key

MAX_POLICY_BYTES = 65_536
"""Hundreds of keys; a policy is written by hand."""
NONE = "none"

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]").search
_NUMBER = re.compile(r"[1-9][0-9]{0,4}").fullmatch


@dataclass(frozen=True, slots=True)
class Group:
    """Met when so many of its members are; these are names of witnesses and of groups before it."""

    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """The keys a user trusts, by name and id; the listed bytes are the key.

    `names` has the key of each witness by its name in the policy; `quorum` is one of these, a group, or `none`.
    """

    logs: dict[KeyId, PublicKey] = field(default_factory=dict)
    witnesses: dict[KeyId, PublicKey] = field(default_factory=dict)
    names: dict[str, KeyId] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    quorum: str = NONE

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
        reader = _Reader()
        for number, line in enumerate(lines, 1):
            reader.read(line, number)
        if not reader.logs or reader.quorum is None:
            raise WrongUsage("policy_lacks")
        return cls(reader.logs, reader.witnesses, reader.names, reader.groups, reader.quorum)

    def signers(self, checkpoint: Checkpoint) -> set[KeyId]:
        """The listed keys that signed or cosigned; lines of unknown keys are not looked at.

        Raises SignatureRefused when a line by a listed key does not verify, or two are by one.
        """
        found: set[KeyId] = set()
        for key, signature in checkpoint.lines:
            if key in self.logs:
                self.logs[key].check(signature, checkpoint.text)
            elif key in self.witnesses:
                check_cosignature(self.witnesses[key], signature, checkpoint.text)
            else:
                continue
            if key in found:
                raise SignatureRefused("two lines by one key")
            found.add(key)
        return found

    def is_met(self, signers: Collection[KeyId]) -> bool:
        """Whether those whose cosignatures verified are the quorum; never without one."""
        met = {name: key in signers for name, key in self.names.items()}
        for name, group in self.groups.items():
            met[name] = sum(met[member] for member in group.members) >= group.threshold
        return met.get(self.quorum, False)


class _Reader:
    """A policy as far as it is read."""

    def __init__(self) -> None:
        self.logs: dict[KeyId, PublicKey] = {}
        self.witnesses: dict[KeyId, PublicKey] = {}
        self.names: dict[str, KeyId] = {}
        self.groups: dict[str, Group] = {}
        self.quorum: str | None = None
        self._members: set[str] = set()

    def read(self, line: str, number: int) -> None:
        if _CONTROL(line):
            raise WrongUsage("policy_line", number)
        match [item for item in re.split("[ \t]+", line) if item]:
            case []:
                pass
            case [first, *_] if first.startswith("#"):
                pass
            case ["log", key] | ["log", key, _]:
                self._add_key(self.logs, key, SIGNS, number)
            case ["witness", name, key] | ["witness", name, key, _]:
                self._check_new(name, number)
                self.names[name] = self._add_key(self.witnesses, key, COSIGNS, number)
            case ["group", name, threshold, first, *more]:
                self._check_new(name, number)
                self.groups[name] = self._group(threshold, (first, *more), number)
            case ["quorum", name] if self.quorum is None and (name == NONE or self._is_known(name)):
                self.quorum = name
            case _:
                raise WrongUsage("policy_line", number)

    def _add_key(self, keys: dict[KeyId, PublicKey], text: str, kind: int, number: int) -> KeyId:
        try:
            written = parse_verifier_key(text)
            key = public_key(written.raw)
            key.check_torsion_free()
        except (NoteRefused, KeyRefused):
            raise WrongUsage("policy_key", number) from None
        if written.kind != kind:
            raise WrongUsage("policy_key", number)
        # Two keys of one name and id could not be told apart.
        if written.id in self.logs or written.id in self.witnesses or any(key.raw == k.raw for k in keys.values()):
            raise WrongUsage("policy_twice", number)
        keys[written.id] = key
        return written.id

    def _is_known(self, name: str) -> bool:
        return name in self.names or name in self.groups

    def _check_new(self, name: str, number: int) -> None:
        if name == NONE or self._is_known(name):
            raise WrongUsage("policy_line", number)

    def _group(self, threshold: str, members: tuple[str, ...], number: int) -> Group:
        if not all(map(self._is_known, members)) or len({*members, *self._members}) < len(members) + len(self._members):
            raise WrongUsage("policy_line", number)
        self._members.update(members)
        words = {"all": len(members), "any": 1}
        needed = words.get(threshold) or (int(threshold) if _NUMBER(threshold) else 0)
        if not 1 <= needed <= len(members):
            raise WrongUsage("policy_line", number)
        return Group(needed, members)
