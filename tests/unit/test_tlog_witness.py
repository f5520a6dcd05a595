"""Asking a witness and being one, beyond the given sequence."""

import pytest

from fairdeal.errors import (
    FairdealError,
    Inconsistent,
    KeyRefused,
    Malformed,
    SignatureInvalid,
    Stale,
    UnknownLog,
    WitnessConflict,
    WitnessRefused,
)
from fairdeal.keys import SigningKey
from fairdeal.tlog import (
    AddCheckpoint,
    Checkpoint,
    Cosigner,
    NoteSigner,
    TileEdge,
    WitnessAnswer,
    consistency_proof,
    cosigned,
    leaf_hash,
    refused,
    sign_note,
    subtrees_of_tiles,
)
from fairdeal.tlog.witness import MAX_REQUEST_BYTES, SIZE_TYPE

LOG = NoteSigner("log.example", SigningKey.from_seed(bytes([1] * 32)))
WITNESS = Cosigner("w.example", SigningKey.from_seed(bytes([2] * 32)))
STRANGER = Cosigner("w.example", SigningKey.from_seed(bytes([3] * 32)))
KEYS = [LOG.verifier_key]
_, TILES = TileEdge().append([leaf_hash(b"%d" % number) for number in range(20)])
SUBTREES = subtrees_of_tiles(20, TILES.__getitem__)


def tree(size: int) -> Checkpoint:
    edge, _ = TileEdge().append([leaf_hash(b"%d" % number) for number in range(size)])
    return Checkpoint("log.example", size, edge.root())


def request(old_size: int, checkpoint: Checkpoint) -> AddCheckpoint:
    proof = consistency_proof(old_size, checkpoint.size, SUBTREES) if old_size <= checkpoint.size else ()
    return AddCheckpoint(old_size, proof, sign_note(checkpoint.body(), LOG), checkpoint)


def test_a_request_comes_back_as_it_was_written() -> None:
    for asked in (request(0, tree(0)), request(0, tree(20)), request(7, tree(20)), request(20, tree(20))):
        assert AddCheckpoint.parse(asked.format()) == asked


def test_a_witness_follows_a_log_from_any_size() -> None:
    request(0, tree(0)).check(KEYS, None)
    for old_size in range(21):
        request(old_size, tree(20)).check(KEYS, tree(old_size))
    request(0, tree(20)).check(KEYS, None)


FORK = Checkpoint("log.example", 20, bytes(32))


@pytest.mark.parametrize(
    ("asked", "kept", "error"),
    [
        (request(7, tree(20)), tree(8), WitnessConflict),
        (request(7, tree(20)), None, WitnessConflict),
        (request(0, tree(20)), tree(7), WitnessConflict),
        (AddCheckpoint(20, (), sign_note(FORK.body(), LOG), FORK), tree(20), WitnessConflict),
        (AddCheckpoint(7, request(7, tree(20)).proof, sign_note(FORK.body(), LOG), FORK), tree(7), Inconsistent),
        (AddCheckpoint(0, (bytes(32),), sign_note(tree(20).body(), LOG), tree(20)), None, Inconsistent),
        (AddCheckpoint(20, (bytes(32),), sign_note(tree(20).body(), LOG), tree(20)), tree(20), Inconsistent),
        (AddCheckpoint(7, (), sign_note(tree(20).body(), LOG), tree(20)), tree(7), Inconsistent),
        (request(20, tree(7)), tree(20), Malformed),
    ],
)
def test_what_a_witness_does_not_keep(
    asked: AddCheckpoint, kept: Checkpoint | None, error: type[FairdealError]
) -> None:
    with pytest.raises(error) as caught:
        asked.check(KEYS, kept)
    if error is WitnessConflict:
        assert caught.value.details == {"size": kept.size if kept else 0}


def test_a_witness_knows_its_logs_and_their_keys() -> None:
    asked = request(0, tree(20))
    with pytest.raises(UnknownLog):
        asked.check([], None)
    with pytest.raises(KeyRefused):
        asked.check([NoteSigner("log.example", SigningKey.from_seed(bytes([4] * 32))).verifier_key], None)
    # The key of another log that signs for this one.
    other = NoteSigner("other.example", SigningKey.from_seed(bytes([1] * 32)))
    forged = AddCheckpoint(0, (), sign_note(tree(20).body(), other), tree(20))
    with pytest.raises(KeyRefused):
        forged.check([other.verifier_key], None)


GOOD = request(7, tree(20)).format()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"old 7\n",
        GOOD.replace(b"old 7", b"old 07"),
        GOOD.replace(b"old 7", b"old  7"),
        GOOD.replace(b"old 7", b"Old 7"),
        GOOD.replace(b"old 7\n", b""),
        GOOD.replace(b"old 7\n", b"old 7\r\n"),
        GOOD.replace(b"old 7\n", b"old 9223372036854775808\n"),
        GOOD.replace(b"old 7\n", b"old 7\nAAAA\n"),
        GOOD.replace(b"old 7\n", b"old 7\n" + b"A" * 43 + b"=" + (b"\n" + b"A" * 43 + b"=") * 63 + b"\n"),
        GOOD.replace(b"log.example", b"log.example\xff"),
        GOOD + b"\n",
        GOOD[:-1],
        GOOD.replace(b"\n20\n", b"\n020\n"),
        GOOD + b"x" * MAX_REQUEST_BYTES,
    ],
)
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(Malformed, match="invalid "):
        AddCheckpoint.parse(body)


def test_every_change_of_one_byte_of_a_request_is_refused() -> None:
    for position, byte in enumerate(GOOD):
        for changed in {byte ^ 1, 10, 32, 61} - {byte}:
            body = GOOD[:position] + bytes([changed]) + GOOD[position + 1 :]
            with pytest.raises(FairdealError):
                AddCheckpoint.parse(body).check(KEYS, tree(7))


def test_reading_an_answer() -> None:
    checkpoint = tree(20)
    line = WITNESS.cosign(checkpoint, 7)
    assert cosigned(line).cosignatures(checkpoint, [WITNESS.verifier_key]) == (line,)
    mixed = WitnessAnswer(200, STRANGER.cosign(checkpoint, 7).format() + line.format())
    assert mixed.cosignatures(checkpoint, [WITNESS.verifier_key]) == (line,)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (cosigned(STRANGER.cosign(tree(20), 7)), KeyRefused),
        (cosigned(WITNESS.cosign(tree(19), 7)), SignatureInvalid),
        (WitnessAnswer(200, WITNESS.cosign(tree(20), 7).format() * 2), Malformed),
        (WitnessAnswer(200, ""), Malformed),
        (WitnessAnswer(200, "\n"), Malformed),
        (WitnessAnswer(200, WITNESS.cosign(tree(20), 7).format()[:-1]), Malformed),
        (WitnessAnswer(200, WITNESS.cosign(tree(20), 7).format() + "\n"), Malformed),
        (WitnessAnswer(200, "x" * 200_000), Malformed),
        (WitnessAnswer(409, "7\n", SIZE_TYPE), WitnessConflict),
        (WitnessAnswer(409, "7", SIZE_TYPE), Malformed),
        (WitnessAnswer(409, "07\n", SIZE_TYPE), Malformed),
        (WitnessAnswer(409, "7\n"), WitnessRefused),
        (WitnessAnswer(500, WITNESS.cosign(tree(20), 7).format()), WitnessRefused),
    ],
)
def test_answers_without_a_cosignature(answer: WitnessAnswer, error: type[FairdealError]) -> None:
    with pytest.raises(error) as caught:
        answer.cosignatures(tree(20), [WITNESS.verifier_key])
    assert caught.value.details.get("size", 7) == 7


def test_only_what_a_witness_refuses_becomes_an_answer() -> None:
    with pytest.raises(Stale):
        refused(Stale("of another room"))
