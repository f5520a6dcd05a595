"""Two signed texts that contradict each other: found, written down, and checked by somebody else (protocol 7.7)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal_verifier import canonical, cli
from fairdeal_verifier.merkle import roots
from fairdeal_verifier.notes import Checkpoint, format_note
from tests.verifier.builder import LOG, Match
from tests.verifier.builder import target as unlogged
from tests.verifier.logged import LOG_KEY, NEXT_LOG_KEY, Log, LoggedServer, leaf_of, policy_text

Files = dict[str, Path]


def played(seed: int = 1) -> LoggedServer:
    server = LoggedServer(seed).begin()
    server.steps(8)
    server.resign(0)
    return server


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., list[str]]:
    (tmp_path / "policy").write_text(policy_text())

    def written(*contents: bytes | str) -> list[str]:
        paths = []
        for number, data in enumerate(contents):
            path = tmp_path / str(number)
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
            paths.append(str(path))
        return [*paths, "--policy", str(tmp_path / "policy"), "--out", str(tmp_path / "out")]

    return written


def run(capsys: pytest.CaptureFixture[str], arguments: list[str], language: str = "en") -> tuple[int, str, str]:
    code = cli.main(["fork", *arguments, "--lang", language])
    out, err = capsys.readouterr()
    return code, out, err


def two_logs() -> tuple[Log, Log]:
    """The same number of entries under one key, the last of which differs."""
    one, other = Log(), Log()
    for log in (one, other):
        log.fill(6)
    other.entries[-1] = other.entries[0]
    return one, other


def shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """What was written proves the fork by itself, and not without its keys."""
    out = tmp_path / "out"
    assert run(capsys, [str(out), "--policy", str(tmp_path / "policy")])[0] == 10
    (tmp_path / "strange").write_text(policy_text((NEXT_LOG_KEY,)))
    assert run(capsys, [str(out), "--policy", str(tmp_path / "strange")])[0] == 13
    data = out.read_bytes()
    value: Any = canonical.decode(data.removesuffix(b"\n"))
    assert set(value) == {"a", "b", "format"}
    return value


def test_two_checkpoints(tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    one, other = two_logs()
    given = write(one.checkpoint(), other.checkpoint())
    code, out, _ = run(capsys, given)
    assert code == 10
    assert out == f"fork: two different roots of {LOG} were signed for the same 6 entries\n"
    assert run(capsys, given, "fr")[1].startswith("double histoire : deux racines différentes")
    assert shown_again(tmp_path, capsys) == {
        "a": {"note": one.checkpoint()}, "b": {"note": other.checkpoint()}, "format": "fairdeal/fork@1",
    }  # fmt: skip


def test_no_fork(tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    one, other = two_logs()
    server = played()
    match = server.logged()
    for contents in (
        (one.checkpoint(), one.checkpoint()),
        (one.checkpoint(5), other.checkpoint(6)),
        (one.checkpoint(),),
        (match.bundle(), match.held_file(0)),
        (match.held_file(0), match.held_file(1)),
        (match.bundle(), server.log.checkpoint()),
    ):
        code, out, err = run(capsys, write(*contents))
        assert (code, out, err) == (0, "no fork: these files do not contradict each other\n", "")
    assert not (tmp_path / "out").exists()


def test_two_leaves_at_one_index(
    tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """One bundle's `close` stands where another bundle's does, in a log that was told anew and grew."""
    server = played()
    bundle = server.logged().bundle()
    server.log.fill(3)
    server.rewrite("close", outcome="played")
    code, out, _ = run(capsys, write(bundle, server.logged().bundle()))
    assert code == 10
    assert out == f"fork: {LOG} proves two different leaves at index {server.indices['close']}\n"
    value = shown_again(tmp_path, capsys)
    assert set(value["a"]) == {"checkpoint", "index", "leaf", "proof"}


def test_two_leaves_of_one_match(
    tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    server = played()
    before = server.logged().bundle()
    server.indices["close"] = len(server.log.entries)
    server.log.entries.append(canonical.encode(leaf_of("close", server.match)))
    code, out, _ = run(capsys, write(before, server.logged().bundle()))
    assert code == 10
    assert out == f"fork: {LOG} proves two different leaves close of match {server.match.m}\n"
    shown_again(tmp_path, capsys)


def receipts(server: LoggedServer) -> tuple[bytes, bytes]:
    """A bundle, and a held file with another last receipt of the same size."""
    match = server.logged()
    other = match.copy()
    other.events[-1]["data"]["lines"][1]["amount"] += 1
    held = match.copy()
    held.held[0][-1]["receipt"] = other.receipt(len(other.events), roots(other.leaves))
    return match.bundle(), held.held_file(0)


def test_two_receipts(tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    server = played()
    bundle, held = receipts(server)
    for given in ((bundle, held), (held, bundle)):
        code, out, _ = run(capsys, write(*given))
        assert code == 10
        assert out.startswith(f"fork: two different roots of {LOG}/m/{server.match.m}")
        value = shown_again(tmp_path, capsys)
        assert value["a"]["opened"] == value["b"]["opened"]
        assert value["a"]["opened"]["event"].encode() == server.match.leaves[0]


def test_a_strangers_file_keeps_no_fork_from_being_found(
    tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, held = receipts(played())
    header, _, events = bundle.partition(b"\n")
    spoiled: Any = canonical.decode(header)
    spoiled["leaves"][0]["proof"] = ["00" * 32 for _ in spoiled["leaves"][0]["proof"]]
    stranger = canonical.encode(spoiled) + b"\n" + events
    for given in ((bundle, held, stranger), (bundle, stranger, held), (stranger, bundle, held)):
        assert run(capsys, write(*given))[0] == 10


def test_two_receipts_under_a_listed_key(
    tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a log the policy lists the receipts key, and nothing else is needed."""
    server = played()
    _, held = receipts(server)
    given = write(held, _without_log(server.match))
    (tmp_path / "policy").write_text(server.match.policy_text())
    assert run(capsys, given)[0] == 10
    other = server.match.copy()
    other.events[-1]["data"]["lines"][1]["amount"] += 1
    given = write(_without_log(server.match), _without_log(other))
    assert run(capsys, given)[0] == 10
    assert set(shown_again(tmp_path, capsys)["a"]) == {"note"}


def _without_log(match: Match) -> bytes:
    plain = match.copy()
    plain.log_part = {}
    return plain.bundle()


def test_two_players_prove_their_fork_with_a_bundle_beside_their_files(
    tmp_path: Path, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """What differs are receipts in the middle of the match: their key is known by the bundle alone."""
    match = played().logged()
    ours, theirs = match.held_file(0), match.copy()
    other = match.copy()
    other.events[7]["t"] += 1
    size = next(line["view"]["size"] for line in match.held[1] if "view" in line and line["view"]["size"] > 7)
    line = next(line for line in theirs.held[1] if "view" in line and line["view"]["size"] == size)
    line["receipt"] = other.receipt(size, roots(other.leaves))
    bundle = match.bundle()
    assert run(capsys, write(ours, theirs.held_file(1)))[0] == 0
    assert run(capsys, write(ours, bundle))[0] == 0
    assert run(capsys, write(ours, theirs.held_file(1), bundle))[0] == 10
    shown_again(tmp_path, capsys)


def test_held_files_alone_do_not_fix_the_receipts_key(
    write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Their log lines are proven, their receipts are by a key that no listed text names."""
    match = unlogged(3, target=30)
    assert run(capsys, write(match.held_file(0), match.held_file(1)))[0] == 13


def test_unknown_keys(write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one, other = two_logs()
    one.key = other.key = NEXT_LOG_KEY
    assert run(capsys, write(one.checkpoint(), other.checkpoint())) == (
        13, "", "fairdeal-verify: the policy does not list the key that signed\n"
    )  # fmt: skip
    one.key = LOG_KEY
    assert run(capsys, write(one.checkpoint(), other.checkpoint()))[0] == 13
    assert not (tmp_path / "out").exists()


def test_unusable_files(write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    one, other = two_logs()
    false = one.checkpoint().replace(f"\n{'6'}\n", "\n5\n")
    bundle = played().logged().bundle()
    for contents in (
        ("junk",),
        ("{junk",),
        ('{"format":"none"}\n',),
        (bundle[:-1],),
        (one.checkpoint(), false),
        (other.checkpoint(), b"\xff"),
    ):
        code, out, err = run(capsys, write(*contents))
        assert (code, out) == (2, ""), contents
        assert err
    assert run(capsys, ["nowhere", *write()])[0] == 2


def fork_of(
    server: LoggedServer, write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    given = write(*receipts(server))
    assert run(capsys, given)[0] == 10
    value: Any = json.loads(Path(given[-1]).read_bytes())
    return value  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "forge",
    [
        lambda fork, other: fork["b"].update(note=fork["b"]["note"].replace("\n\n", "\n\n", 1)[:-6] + "AAA=\n"),
        lambda fork, other: fork["b"]["opened"].update(event=fork["b"]["opened"]["event"].replace("PLAY", "GOLD")),
        lambda fork, other: fork["b"]["opened"].update(index=fork["b"]["opened"]["index"] + 1),
        lambda fork, other: fork["b"].update(opened=other["b"]["opened"]),
        lambda fork, other: fork["b"]["opened"]["proof"].append("00" * 32),
        lambda fork, other: fork.update(b=fork["a"]),
    ],
)
def test_a_forged_proof_proves_nothing(
    forge: Callable[[Any, Any], None], write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    other = fork_of(played(2), write, capsys)
    fork = fork_of(played(1), write, capsys)
    forge(fork, other)
    assert run(capsys, write(canonical.encode(fork) + b"\n"))[0] in (0, 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: b" " + data,
        lambda data: data.replace(b'"format"', b'"formal"'),
        lambda data: data.replace(b'{"a":{', b'{"a":{"more":1,'),
        lambda data: data.replace(b'"b":{"note":"', b'"b":{"note":"' + b"x" * 300_000),
    ],
)
def test_a_fork_file_has_one_form(
    change: Callable[[bytes], bytes], write: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = two_logs()
    given = write(one.checkpoint(), other.checkpoint())
    assert run(capsys, given)[0] == 10
    assert run(capsys, write(change(Path(given[-1]).read_bytes())))[0] == 2


def test_notes_are_written_as_they_were_read() -> None:
    match = played().logged()
    for text in (match.log_part["checkpoint"], *(line["receipt"] for line in match.held[0] if "receipt" in line)):
        assert format_note(Checkpoint.parse(text)) == text
