"""Policies (C2SP tlog-policy): which logs are believed, and which witnesses must have cosigned what they say.

One line each: `log <vkey> [<url>]`, `witness <name> <vkey> [<url>]`, `group <name> all|any|<k> <name>…`, and once
`quorum <name>|none`; names stand for the lines before. A log's key has the log's origin for its name. Stricter than
C2SP in that a policy lists a log, and that keys are Ed25519.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from fairdeal.errors import FairdealError, KeyRefused, Malformed, QuorumMissing
from fairdeal.keys import check_registered
from fairdeal.limits import MAX_POLICY_BYTES
from fairdeal.tlog.cosignature import OpenedCheckpoint, open_checkpoint
from fairdeal.tlog.note import COSIGNATURE, ED25519, VerifierKey

NO_QUORUM: Final = "none"
"""The quorum that is always met, and the one name that cannot be given."""

_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BLANKS = re.compile(r"[ \t]+")
_THRESHOLD = re.compile(r"[1-9][0-9]{0,3}")


@dataclass(frozen=True, slots=True)
class Log:
    """A log that is believed: the key that signs its checkpoints, and where it is served, if that is said."""

    key: VerifierKey
    url: str | None


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness: its name in the policy, the key it cosigns with, and where it takes checkpoints, if that is said."""

    name: str
    key: VerifierKey
    url: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """Witnesses and groups, of which `threshold` must have witnessed a checkpoint for the group to have done so."""

    name: str
    threshold: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """What a checkpoint must carry to be believed. Made by `parse` alone, from what the user has from elsewhere."""

    logs: tuple[Log, ...]
    witnesses: tuple[Witness, ...]
    groups: tuple[Group, ...]
    quorum: str

    @classmethod
    def parse(cls, data: bytes) -> "Policy":
        """The policy in a file's bytes. Raises Malformed, KeyRefused for a key that is weak or not of prime order."""
        if len(data) > MAX_POLICY_BYTES:
            raise Malformed(f"a policy over {MAX_POLICY_BYTES} bytes")
        # Names are opaque octets: what is not UTF-8 stays apart from what is.
        text = data.decode("utf-8", "surrogateescape")
        if _FORBIDDEN.search(text) or not text.endswith("\n"):
            raise Malformed("a policy's lines end in LF, and have no other control character than tab")
        reader = _Reader()
        for number, line in enumerate(text[:-1].split("\n"), 1):
            items = _BLANKS.split(line.strip(" \t"))
            if items == [""] or items[0].startswith("#"):
                continue
            try:
                reader.read(items)
            except FairdealError as error:
                raise type(error)(f"line {number} of the policy: {error.message}") from None
        if reader.quorum is None or not reader.logs:
            raise Malformed("a policy has a log and one quorum line")
        return cls(tuple(reader.logs), tuple(reader.witnesses), tuple(reader.groups), reader.quorum)

    def check_log(self, key: VerifierKey) -> None:
        """Raises KeyRefused unless this is a log's key that the policy lists."""
        if all(log.key != key for log in self.logs):
            raise KeyRefused("the policy does not list this key")

    def open(self, note: str) -> OpenedCheckpoint:
        """The checkpoint that this policy believes, with the cosignatures of its witnesses.

        Raises as `open_checkpoint`, and QuorumMissing when that is all that is missing.
        """
        keys = (*(log.key for log in self.logs), *(witness.key for witness in self.witnesses))
        opened = open_checkpoint(note, keys)
        self.check_quorum(cosignature.key for cosignature in opened.cosignatures)
        return opened

    def check_quorum(self, cosigners: Iterable[VerifierKey]) -> None:
        """Raises QuorumMissing unless these keys' witnesses are enough."""
        keys = set(cosigners)
        met = {NO_QUORUM, *(witness.name for witness in self.witnesses if witness.key in keys)}
        for group in self.groups:
            if len(met.intersection(group.members)) >= group.threshold:
                met.add(group.name)
        if self.quorum not in met:
            raise QuorumMissing("too few witnesses of the policy have cosigned")

    def fewest(self) -> int:
        """How many witnesses must have cosigned at the least; more where their groups ask for others."""
        groups = {group.name: group for group in self.groups}

        def needed(name: str) -> int:
            group = groups.get(name)
            return 1 if group is None else sum(sorted(map(needed, group.members))[: group.threshold])

        return 0 if self.quorum == NO_QUORUM else needed(self.quorum)


def format_policy(keys: Iterable[VerifierKey], witnessed: Policy | None = None) -> str:
    """The text of a policy that believes these logs, and asks for the witnesses that `witnessed` asks for, or none."""
    lines = [f"log {key.format()}" for key in keys]
    if witnessed:
        for one in witnessed.witnesses:
            lines.append(f"witness {one.name} {one.key.format()} {one.url or ''}".rstrip())
        for group in witnessed.groups:
            lines.append(f"group {group.name} {group.threshold} {' '.join(group.members)}")
    lines.append(f"quorum {witnessed.quorum if witnessed else NO_QUORUM}")
    return "".join(f"{line}\n" for line in lines)


@dataclass(slots=True)
class _Reader:
    """The lines so far; `free` are the names that are no group's members yet."""

    logs: list[Log] = field(default_factory=list)
    witnesses: list[Witness] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    quorum: str | None = None
    names: set[str] = field(default_factory=lambda: {NO_QUORUM})
    free: set[str] = field(default_factory=set)

    def read(self, items: list[str]) -> None:
        match items:
            case ["log", key, *url] if len(url) <= 1:
                self.logs.append(Log(_parse_key(key, ED25519, self.logs), "".join(url) or None))
            case ["witness", name, key, *url] if len(url) <= 1:
                self._define(name)
                listed = _parse_key(key, COSIGNATURE, self.witnesses)
                self.witnesses.append(Witness(name, listed, "".join(url) or None))
            case ["group", name, threshold, *members] if members:
                if len(set(members)) != len(members) or not self.free.issuperset(members):
                    raise Malformed("a member is a name of a line before, and of one group only")
                self.groups.append(Group(name, _parse_threshold(threshold, len(members)), tuple(members)))
                self.free.difference_update(members)
                self._define(name)
            case ["quorum", name]:
                if self.quorum is not None or name not in self.names:
                    raise Malformed("one quorum, by a name of a line before or none")
                self.quorum = name
            case _:
                raise Malformed("neither log, witness, group nor quorum as they must be")

    def _define(self, name: str) -> None:
        if name in self.names:
            raise Malformed("a name is given once, and none never")
        self.names.add(name)
        self.free.add(name)


def _parse_key(text: str, kind: int, listed: Iterable[Log | Witness]) -> VerifierKey:
    key = VerifierKey.parse(text)
    if key.kind != kind:
        raise Malformed("a log has a key that signs notes, a witness one that cosigns")
    check_registered(key.public)
    if any(other.key.public == key.public for other in listed):
        raise Malformed("a public key is listed once")
    return key


def _parse_threshold(text: str, members: int) -> int:
    if text in ("all", "any"):
        return members if text == "all" else 1
    if not _THRESHOLD.fullmatch(text) or int(text) > members:
        raise Malformed("a threshold is all, any, or 1 to the number of members")
    return int(text)
