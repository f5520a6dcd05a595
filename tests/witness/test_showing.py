"""Which checkpoint the log shows everybody: the newest that is witnessed, as long as that is fresh."""

import logging
from collections.abc import Collection
from dataclasses import dataclass, field

import pytest

from fairdeal.app.log import Log
from fairdeal.app.log_ports import SignedCheckpoint
from fairdeal.errors import AheadOfLog, IllegalAction
from fairdeal.keys import SigningKey
from fairdeal.tlog import Checkpoint, Cosigner, Note, sign_note
from tests.witness.log import SmallLog

LOG = SmallLog()
WITNESSES = [Cosigner(f"w{number}.example", SigningKey.from_seed(bytes([number] * 32))) for number in range(2)]
NOW = 1_790_000_000


@dataclass
class Shown:
    """A store, a sequencer and a clock: what was signed, and who cosigned it when (seconds)."""

    size: int = 20
    now: int = NOW * 1_000 + 999
    cosigned: dict[int, dict[int, int]] = field(default_factory=dict)

    def newest(self) -> SignedCheckpoint:
        return self.checkpoint(self.size)

    def now_ms(self) -> int:
        return self.now

    def table(self, m: str) -> str:
        return m

    def match_leaves(self, m: str) -> tuple[()]:
        return ()

    def checkpoint(self, size: int) -> SignedCheckpoint:
        checkpoint = LOG.checkpoint(size)
        lines = (WITNESSES[who].cosign(checkpoint, at).format() for who, at in self.cosigned.get(size, {}).items())
        return SignedCheckpoint(size, sign_note(checkpoint.body(), LOG.signer), tuple(lines))

    def cosigned_checkpoints(
        self, least: int, witnesses: Collection[str], enough: int, limit: int
    ) -> tuple[SignedCheckpoint, ...]:
        names = {f"{one.verifier_key.name}+{one.verifier_key.key_id.hex()}": who for who, one in enumerate(WITNESSES)}
        theirs = {names[name] for name in witnesses}
        sizes = [size for size, who in self.cosigned.items() if size >= least and len(theirs & who.keys()) >= enough]
        return tuple(self.checkpoint(size) for size in sorted(sizes, reverse=True)[:limit])


def log_around(shown: Shown, quorum: str) -> Log:
    witnesses = "".join(f"witness w{number} {one.verifier_key.format()}\n" for number, one in enumerate(WITNESSES))
    policy = f"log {LOG.signer.verifier_key.format()}\n{witnesses}group both all w0 w1\nquorum {quorum}\n"
    return Log(shown, shown, shown, policy)  # type: ignore[arg-type]


def size_of(text: str) -> int:
    return Checkpoint.parse(Note.parse(text).text).size


@pytest.mark.parametrize(
    ("quorum", "cosigned", "size"),
    [
        ("none", {10: {0: NOW, 1: NOW}}, 20),
        ("both", {}, 20),
        ("both", {10: {0: NOW, 1: NOW}}, 10),
        ("both", {10: {0: NOW, 1: NOW}, 15: {0: NOW}}, 10),
        ("w0", {10: {0: NOW, 1: NOW}, 15: {0: NOW}}, 15),
        ("both", {10: {0: NOW - 500, 1: NOW - 60}}, 10),
        ("both", {10: {0: NOW - 61, 1: NOW - 61}}, 20),
        ("both", {10: {0: NOW - 500, 1: NOW + 60}}, 10),
        ("both", {10: {0: NOW - 500, 1: NOW + 61}}, 20),
        ("both", {20: {0: NOW - 500, 1: NOW - 500}}, 20),
        ("both", {10: {0: NOW, 1: NOW}, **{size: {0: NOW} for size in range(11, 211)}}, 10),
    ],
)
def test_what_is_shown(quorum: str, cosigned: dict[int, dict[int, int]], size: int) -> None:
    shown = Shown(cosigned=cosigned)
    text = log_around(shown, quorum).checkpoint()
    assert (size_of(text), text) == (size, shown.checkpoint(size).text)


def test_what_anybody_can_say_is_a_warning_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    shown = Shown()
    log = log_around(shown, "none")

    def said() -> list[tuple[int, str]]:
        for _ in range(3):
            with pytest.raises(AheadOfLog):
                log.evidence("m", 10**9, None)
            with pytest.raises(IllegalAction):
                log.check_seen(10**9, bytes(32))
        return [(one.levelno, one.message.split()[0]) for one in caplog.records if one.name == "fairdeal.log"]

    both = [(logging.WARNING, "somebody"), (logging.WARNING, "a")]
    assert said() == both
    shown.now += 60_000
    assert said() == 2 * both


def test_the_log_never_goes_back() -> None:
    shown = Shown()
    log = log_around(shown, "w0")
    assert size_of(log.checkpoint()) == 20
    shown.size, shown.cosigned = 30, {15: {0: NOW}}
    assert size_of(log.checkpoint()) == 20
    shown.cosigned[25] = {0: NOW}
    assert size_of(log.checkpoint()) == 25
