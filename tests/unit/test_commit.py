"""Seeds, commitments and custody."""

from hashlib import sha256

import pytest

from fairdeal.commit import Custody, Seed, check_opens, commitment
from fairdeal.errors import CommitmentMismatch, KeyRefused, Malformed, SealBroken

RAW = bytes(range(32))
SEED = Seed(RAW)
MATCH = "00112233445566778899aabbccddeeff"
CUSTODY = Custody(bytes(32))
NONCE = bytes(range(12))


def test_a_commitment_is_what_sha256sum_prints() -> None:
    # printf '…32 bytes 00 to 1f…' | sha256sum
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    check_opens(commitment(SEED), SEED)


def test_hashing_the_hex_text_does_not_open() -> None:
    with pytest.raises(CommitmentMismatch):
        check_opens(sha256(RAW.hex().encode()).hexdigest(), SEED)
    with pytest.raises(CommitmentMismatch):
        check_opens(commitment(SEED), Seed(bytes(32)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        "0" * 63,
        "0" * 65,
        "A" * 64,
        " " + "0" * 63,
        "0" * 64 + "\n",
        "0x" + "0" * 62,
        "٠" * 64,
        None,
        5,
        b"0" * 64,
    ],
)
def test_one_spelling_of_seeds_and_commitments(text: object) -> None:
    with pytest.raises(Malformed):
        Seed.from_hex(text)
    with pytest.raises(Malformed):
        check_opens(text, SEED)


def test_a_seed_is_32_bytes() -> None:
    assert Seed.from_hex(RAW.hex()) == SEED
    assert (SEED.reveal(), SEED.hex()) == (RAW, RAW.hex())
    assert Seed(bytes(32)) != SEED
    assert SEED != RAW
    assert len({SEED, Seed(RAW), Seed(bytes(32))}) == 2
    for length in (0, 31, 33, 64):
        with pytest.raises(Malformed):
            Seed(bytes(length))


def test_custody_gives_the_seed_back() -> None:
    sealed = CUSTODY.seal(SEED, MATCH, NONCE)
    assert len(sealed) == 60
    assert sealed[:12] == NONCE
    assert RAW not in sealed
    assert CUSTODY.open(sealed, MATCH) == SEED


def test_a_sealed_seed_opens_for_its_match_and_key_alone() -> None:
    sealed = CUSTODY.seal(SEED, MATCH, NONCE)
    with pytest.raises(SealBroken):
        CUSTODY.open(sealed, "f" * 32)
    with pytest.raises(SealBroken):
        Custody(bytes(31) + b"\1").open(sealed, MATCH)
    for position in range(len(sealed)):
        broken = bytearray(sealed)
        broken[position] ^= 1
        with pytest.raises(SealBroken):
            CUSTODY.open(bytes(broken), MATCH)
    for cut in (b"", sealed[:-1], sealed + b"\0"):
        with pytest.raises(SealBroken):
            CUSTODY.open(cut, MATCH)


def test_what_a_retired_key_sealed_still_opens() -> None:
    old, new = bytes([1]) * 32, bytes([2]) * 32
    sealed = Custody(old).seal(SEED, MATCH, NONCE)
    both = Custody(new, [bytes(32), old])
    assert both.open(sealed, MATCH) == SEED
    assert both.seal(SEED, MATCH, NONCE) == Custody(new).seal(SEED, MATCH, NONCE)
    with pytest.raises(SealBroken):
        both.open(sealed, "f" * 32)
    with pytest.raises(SealBroken):
        Custody(new, [bytes(32)]).open(sealed, MATCH)


def test_custody_takes_exact_lengths() -> None:
    for key in (b"", bytes(16), bytes(33)):
        with pytest.raises(KeyRefused):
            Custody(key)
        with pytest.raises(KeyRefused):
            Custody(bytes(32), [key])
    for nonce in (b"", bytes(11), bytes(13)):
        with pytest.raises(Malformed):
            CUSTODY.seal(SEED, MATCH, nonce)
    with pytest.raises(Malformed):
        CUSTODY.seal(SEED, MATCH.upper(), NONCE)
