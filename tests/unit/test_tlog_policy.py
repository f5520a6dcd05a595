"""Policies: what each line may say, what is refused, and which witnesses are enough."""

from itertools import combinations

import pytest

from fairdeal.errors import FairdealError, KeyRefused, Malformed, QuorumMissing, SignatureInvalid
from fairdeal.keys import PublicKey, SigningKey
from fairdeal.limits import MAX_POLICY_BYTES
from fairdeal.tlog import Checkpoint, Cosigner, Note, NoteSigner, Policy, VerifierKey, format_policy, sign_note

LOG = NoteSigner("log.example", SigningKey.from_seed(bytes([1] * 32)))
NEXT_LOG = NoteSigner("log.example", SigningKey.from_seed(bytes([2] * 32)))
OTHER_LOG = NoteSigner("other.example", SigningKey.from_seed(bytes([3] * 32)))
WITNESSES = [Cosigner(f"w{number}.example", SigningKey.from_seed(bytes([9 + number] * 32))) for number in range(6)]
KEYS = [witness.verifier_key for witness in WITNESSES]
LISTED = "".join(f"witness w{number} {key.format()}\n" for number, key in enumerate(KEYS))
LOG_LINE = f"log {LOG.verifier_key.format()}\n"
CHECKPOINT = Checkpoint("log.example", 5, bytes(range(32)))


def policy(rest: str) -> Policy:
    return Policy.parse((LOG_LINE + LISTED + rest).encode())


def note(*witnesses: Cosigner, signer: NoteSigner = LOG, checkpoint: Checkpoint = CHECKPOINT) -> str:
    signed = Note.parse(sign_note(checkpoint.body(), signer))
    return Note(signed.text, (*signed.lines, *(witness.cosign(checkpoint, 7) for witness in witnesses))).format()


def enough(rest: str) -> set[tuple[int, ...]]:
    """The smallest sets of witnesses that meet the quorum, tried one by one."""
    read, found = policy(rest), set[tuple[int, ...]]()
    for count in range(len(KEYS) + 1):
        for chosen in combinations(range(len(KEYS)), count):
            try:
                read.check_quorum(KEYS[number] for number in chosen)
            except QuorumMissing:
                continue
            if not any(set(smaller) <= set(chosen) for smaller in found):
                found.add(chosen)
    return found


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("quorum none\n", {()}),
        ("quorum w3\n", {(3,)}),
        ("group g any w0 w1\nquorum g\n", {(0,), (1,)}),
        ("group g all w0 w1\nquorum g\n", {(0, 1)}),
        ("group g 2 w0 w1 w2\nquorum g\n", {(0, 1), (0, 2), (1, 2)}),
        ("group x 2 w0 w1 w2\ngroup y any w3 w4\ngroup both all x y\nquorum both\n",
         {(a, b, c) for a, b in ((0, 1), (0, 2), (1, 2)) for c in (3, 4)}),
        ("group x all w0 w1\nquorum w5\n", {(5,)}),
        ("quorum w0\ngroup x all w0 w1\n", {(0,)}),
        ("  \n# w\xe9 \n \t#x\ngroup\tg \t 1  w0 \t\nquorum g \n", {(0,)}),
    ],
)  # fmt: skip
def test_which_witnesses_are_enough(rest: str, expected: set[tuple[int, ...]]) -> None:
    assert enough(rest) == expected
    assert policy(rest).fewest() == min(map(len, expected))


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "quorum none",
        "quorum none\nquorum none\n",
        "quorum\n",
        "quorum g\n",
        "quorum none w0\n",
        "quorum g\ngroup g all w0\n",
        "group g all\nquorum g\n",
        "group g 0 w0\nquorum g\n",
        "group g 2 w0\nquorum g\n",
        "group g 01 w0\nquorum g\n",
        "group g +1 w0\nquorum g\n",
        "group g ١ w0\nquorum g\n",
        "group g most w0\nquorum g\n",
        "group g all w0 w0\nquorum g\n",
        "group g all g\nquorum g\n",
        "group g all none\nquorum g\n",
        "group none all w0\nquorum none\n",
        "group w0 all w1\nquorum w0\n",
        "group g all w9\nquorum g\n",
        "group g all w0\ngroup h all w0\nquorum h\n",
        "group g all w0\ngroup h all g\ngroup i all g\nquorum i\n",
        "witness none {w}\nquorum none\n",
        "witness w0 {w}\nquorum none\n",
        "witness new\nquorum none\n",
        "witness new {w} https://w.example more\nquorum none\n",
        "witness new {log}\nquorum none\n",
        "witness new {w0}\nquorum none\n",
        "log {w}\nquorum none\n",
        "log {log}\nquorum none\n",
        "log\nquorum none\n",
        "log {other} https://log.example more\nquorum none\n",
        "Quorum none\n",
        "quorum none\n#",
        "quorum none\r\n",
        "quorum none # enough\n",
        "quorum none\n\x0b",
        "quorum none\n#\x7f\n",
        "quorum none\n#" + "x" * MAX_POLICY_BYTES + "\n",
    ],
)
def test_what_is_no_policy_is_refused(rest: str) -> None:
    stranger = Cosigner("w.example", SigningKey.from_seed(bytes([40] * 32))).verifier_key
    texts = {"w": stranger, "w0": KEYS[0], "log": LOG.verifier_key, "other": OTHER_LOG.verifier_key}
    for name, key in texts.items():
        rest = rest.replace(f"{{{name}}}", key.format())
    with pytest.raises(Malformed):
        policy(rest)


def test_a_policy_lists_a_log() -> None:
    with pytest.raises(Malformed):
        Policy.parse(b"quorum none\n")


def test_one_public_key_is_listed_once_whatever_its_name() -> None:
    renamed = NoteSigner("renamed.example", SigningKey.from_seed(bytes([1] * 32))).verifier_key
    with pytest.raises(Malformed):
        policy(f"log {renamed.format()}\nquorum none\n")
    # A log may cosign: its key is then listed as both.
    cosigning = VerifierKey("log.example", LOG.verifier_key.public, 0x04)
    assert policy(f"witness self {cosigning.format()}\nquorum none\n").witnesses[-1].key == cosigning


def test_a_key_with_torsion_is_refused() -> None:
    torsion = bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")
    with pytest.raises(KeyRefused):
        PublicKey(torsion)
    mixed = PublicKey(bytes.fromhex("10eb7c3acfb2bed3e0d6ab89bf5a3d6afddd1176ce4812e38d9fd485058fdb1f"))
    with pytest.raises(KeyRefused, match="line 8 of the policy"):
        policy(f"log {VerifierKey('x.example', mixed).format()}\nquorum none\n")


def test_urls_names_and_octets_are_kept() -> None:
    read = Policy.parse(
        f"log {LOG.verifier_key.format()} https://log.example/\n".encode()
        + b"witness t\xe9moin "
        + f"{KEYS[0].format()} https://w.example/\n".encode()
        + f"witness K {KEYS[1].format()}\nwitness \u212a {KEYS[2].format()}\n".encode()
        + f"witness t{{}}moin {KEYS[3].format()}\n".encode().replace(b"{}", b"\xe8")
        + b"group both 1 t\xe9moin K\nquorum both\n"
    )
    assert (read.logs[0].url, read.witnesses[0].url, read.witnesses[1].url) == (
        "https://log.example/", "https://w.example/", None
    )  # fmt: skip
    read.check_quorum([KEYS[0]])
    with pytest.raises(QuorumMissing):
        read.check_quorum([KEYS[2], KEYS[3]])


def test_opening_a_checkpoint() -> None:
    rules = policy("group g 2 w0 w1 w2\nquorum g\n")
    opened = rules.open(note(WITNESSES[2], WITNESSES[0]))
    assert opened.checkpoint == CHECKPOINT
    assert [(cosignature.key, cosignature.timestamp) for cosignature in opened.cosignatures] == [
        (KEYS[2], 7),
        (KEYS[0], 7),
    ]
    refusals: list[tuple[str, type[FairdealError]]] = [
        (note(WITNESSES[0]), QuorumMissing),
        (note(WITNESSES[0], WITNESSES[5]), QuorumMissing),
        (note(WITNESSES[0], WITNESSES[0]), Malformed),
        (note(WITNESSES[0], WITNESSES[1], signer=NEXT_LOG), KeyRefused),
        (note(WITNESSES[0], WITNESSES[1], checkpoint=Checkpoint("other.example", 5, bytes(32))), KeyRefused),
        (note(*WITNESSES).replace("\n5\n", "\n6\n"), SignatureInvalid),
    ]
    for text, error in refusals:
        with pytest.raises(error):
            rules.open(text)


def test_a_log_that_changes_its_key() -> None:
    """Either key opens, alone or with the other; another log's key does not speak for this one."""
    rules = policy(f"log {NEXT_LOG.verifier_key.format()}\nlog {OTHER_LOG.verifier_key.format()}\nquorum none\n")
    both = Note.parse(note())
    both = Note(both.text, both.lines + Note.parse(note(signer=NEXT_LOG)).lines)
    for text in (note(), note(signer=NEXT_LOG), both.format()):
        assert rules.open(text).checkpoint == CHECKPOINT
    with pytest.raises(KeyRefused):
        rules.open(note(signer=OTHER_LOG))


def test_a_policy_written_for_logs_alone_lists_them_and_no_other() -> None:
    written = format_policy((LOG.verifier_key, OTHER_LOG.verifier_key))
    read = Policy.parse(written.encode())
    assert ([log.key for log in read.logs], read.witnesses, read.quorum) == (
        [LOG.verifier_key, OTHER_LOG.verifier_key],
        (),
        "none",
    )
    read.check_log(OTHER_LOG.verifier_key)
    for stranger in (NEXT_LOG.verifier_key, VerifierKey("other.example", LOG.verifier_key.public)):
        with pytest.raises(KeyRefused):
            read.check_log(stranger)


@pytest.mark.parametrize(
    "rest",
    ["quorum none\n", "quorum w3\n", "group x 2 w0 w1 w2\ngroup y any w3 w4\ngroup both all x y\nquorum both\n"],
)
def test_a_policy_written_with_witnesses_asks_for_the_same(rest: str) -> None:
    far = Cosigner("far.example", SigningKey.from_seed(bytes([99] * 32))).verifier_key.format()
    asked = policy(f"witness far {far} https://far.example/w\n{rest}")
    read = Policy.parse(format_policy((NEXT_LOG.verifier_key, LOG.verifier_key), asked).encode())
    assert [log.key for log in read.logs] == [NEXT_LOG.verifier_key, LOG.verifier_key]
    assert (read.witnesses, read.groups, read.quorum) == (asked.witnesses, asked.groups, asked.quorum)
