"""`fairdeal audit export` against a service that can be made to grow, to lack files and to break off."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from fairdeal import canonical
from fairdeal.cli import mirror as module
from fairdeal.cli.mirror import Mirrored, mirror
from fairdeal.client import Api, ApiError
from fairdeal.errors import Inconsistent, Malformed, Refused
from fairdeal.keys import SigningKey
from fairdeal.tlog import Checkpoint, EntryBundle, NoteSigner, format_entries, parse_path, sign_note
from tests.simulator.log import Tree

ORIGIN = "mirror.example/log"
SIGNER = NoteSigner(ORIGIN, SigningKey.from_seed(b"\x05" * 32))
HASH = "0" * 64
MATCHES, EVENTS = "/v1/audit/matches", "/v1/audit/events"


def match(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()[:32]


@dataclass
class Log:
    """A service's log, journal, transcripts and records, told of by hand; `asked` are the paths, those of the log below
    its prefix.
    """

    leaves: list[bytes] = field(default_factory=list)
    tree: Tree = field(default_factory=Tree)
    journal: list[bytes] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    records: list[dict[str, canonical.Json]] = field(default_factory=list)
    events: list[dict[str, canonical.Json]] = field(default_factory=list)
    keys: bytes = b'{"from":0,"vkey":"a"}\n'
    transcripts: dict[str, bytes] = field(default_factory=dict)
    lacking: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def append(self, **leaf: canonical.Json) -> None:
        text = canonical.encode(leaf)
        self.leaves.append(text)
        self.tree.append(text)

    def open(self, number: int) -> None:
        m = match(number)
        self.append(type="open", m=m, commitment=HASH, root=HASH)
        self.transcripts[m] = b'{"n":0}\n'

    def close(self, number: int, size: int = 3) -> None:
        m = match(number)
        self.transcripts[m] = b"".join(b'{"n":%d}\n' % n for n in range(size))
        self.append(type="close", m=m, outcome="cancelled", root=HASH, server_seed=HASH, size=size)

    def sign(self) -> None:
        self.sizes.append(len(self.leaves))

    def checkpoint(self, size: int) -> bytes:
        return sign_note(Checkpoint(ORIGIN, size, self.tree.root(size)).body(), SIGNER).encode()

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path.removeprefix("/log/")
        self.asked.append(path)
        if path == "checkpoints":
            since = int(request.url.params["since"])
            text = "".join(f"{size}\n" for size in [size for size in self.sizes if size > since][:3])
            return httpx2.Response(200, text=text)
        if path == MATCHES:
            return self.page(request, "matches", self.records)
        if path == EVENTS:
            return self.page(request, "events", self.events)
        try:
            if path in self.lacking:
                raise KeyError(path)
            return httpx2.Response(200, content=self.file(path))
        except KeyError:
            return httpx2.Response(404, json={"code": "not_found"})

    @staticmethod
    def page(request: httpx2.Request, member: str, told: list[dict[str, canonical.Json]]) -> httpx2.Response:
        """Two a page, the last one first."""
        end = int(request.url.params.get("cursor", len(told)))
        start = max(0, end - 2)
        return httpx2.Response(200, json={member: told[start:end][::-1], "cursor": str(start) if start else None})

    def file(self, path: str) -> bytes:
        folder, _, name = path.partition("/")
        if path == "checkpoint":
            return self.checkpoint(self.sizes[-1])
        if folder == "checkpoints":
            return self.checkpoint({size: size for size in self.sizes}[int(name)])
        if folder == "matches":
            return self.transcripts[name.removesuffix(".jsonl")]
        if folder in ("ledger", "seats"):
            start = int(name.removesuffix(".jsonl")) * module.PAGE_LINES
            return b"".join(line + b"\n" for line in self.journal[start : start + module.PAGE_LINES])
        if path == "keys.jsonl":
            return self.keys
        if folder != "tile":
            return path.encode()
        tile = parse_path(path)
        first = tile.index * 256
        if isinstance(tile, EntryBundle):
            return format_entries(self.leaves[first : first + tile.width])
        return b"".join(self.tree.subtree(8 * tile.level, first + place) for place in range(tile.width))

    def api(self) -> Api:
        return Api("http://mirror.example", "token-of-an-auditor", transport=httpx2.MockTransport(self.answer))


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    monkeypatch.setattr(module, "PAGE_LINES", 4)
    monkeypatch.setattr("os.fsync", lambda _file: None)  # a test does not outlive a power cut, and has not the time
    log = Log()
    for number in range(200):
        log.open(number)
        if number % 50 == 0:
            log.sign()
        if number != 7:
            log.close(number)
    log.append(type="ledger", root=HASH, size=5)
    log.journal = [b'{"id":%d}' % number for number in range(6)]
    log.sign()
    log.records = [{"m": match(number), "ending": None, "stake": number} for number in range(5)]
    log.events = [{"kind": "void", "at": number, "data": {"m": match(number)}} for number in range(3)]
    return log


def export(log: Log, folder: Path) -> Mirrored:
    log.asked.clear()
    with log.api() as api:
        return mirror(api, folder, lambda _made, _path: None)


def files(folder: Path) -> dict[str, bytes]:
    here = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in here.items()}


def wanted(log: Log, size: int, unclosed: set[int]) -> dict[str, bytes]:
    """Everything of 7.6 for that size, and what is told besides, made without the mirror's code."""
    names = ["checkpoint", "keys.jsonl", "policy"]
    names += [f"rules/{game}.md" for game in ("annonces", "classique", "coinche", "duel")]
    names += [f"checkpoints/{one}" for one in log.sizes if one <= size]
    names += [f"{name}/{page}.jsonl" for name in ("ledger", "seats") for page in range(len(log.journal) // 4 + 1)]
    for level, name in enumerate(("entries", "0", "1")):
        count = size if level < 2 else size // 256
        names += [f"tile/{name}/{index:03}" for index in range(count // 256)]
        names += [f"tile/{name}/{count // 256:03}.p/{count % 256}"] if count % 256 else []
    found = {name: log.file(name) for name in names}
    for name, told in (("records", log.records), ("significant_events", log.events)):
        found[f"{name}.jsonl"] = b"".join(canonical.encode(one) + b"\n" for one in reversed(told))
    for number in range(200):
        text = log.transcripts[match(number)]
        found[f"matches/{match(number)}.jsonl"] = text[:8] if number in unclosed else text
    return found


def test_everything_that_an_auditor_reads(log: Log, tmp_path: Path) -> None:
    made = export(log, tmp_path)
    assert files(tmp_path) == wanted(log, 400, {7})
    assert (made.checkpoint.size, made.closed, made.unclosed, made.missing, made.kept) == (400, 199, 1, (), 0)
    assert made.fetched + 1 == len(files(tmp_path)), "all but the checkpoint"
    assert log.asked[0] == "checkpoint"


def test_the_second_time_only_what_is_new_is_asked_for(log: Log, tmp_path: Path) -> None:
    export(log, tmp_path)
    made = export(log, tmp_path)
    always = {"checkpoint", "checkpoints", "keys.jsonl", "policy", "ledger/1.jsonl", "seats/1.jsonl", MATCHES, EVENTS}
    always |= {f"rules/{game}.md" for game in ("annonces", "classique", "coinche", "duel")}
    assert set(log.asked) == always
    assert made.kept > 200
    log.close(7)
    log.journal += [b"{}"] * 2
    log.records[1]["stake"] = 7
    log.records.append({"m": match(7)})
    log.sign()
    export(log, tmp_path)
    fresh = {f"matches/{match(7)}.jsonl", "tile/0/001.p/145", "tile/entries/001.p/145", "checkpoints/401"}
    fresh |= {"ledger/2.jsonl", "seats/2.jsonl"}
    assert set(log.asked) == always | fresh
    assert files(tmp_path).items() >= wanted(log, 401, set()).items()


def test_a_match_that_closes_during_the_export_stays_one_event(log: Log, tmp_path: Path) -> None:
    """Its `close` is not under the checkpoint; the rest of its lines would be of no match that has closed."""
    log.transcripts[match(7)] = b'{"n":0}\n{"n":1}\n{"n":2}\n'
    export(log, tmp_path)
    assert (tmp_path / f"matches/{match(7)}.jsonl").read_bytes() == b'{"n":0}\n'


def test_a_log_that_grows_meanwhile_is_exported_as_the_checkpoint_has_it(log: Log, tmp_path: Path) -> None:
    before = wanted(log, 400, {7})

    def grow(_made: Mirrored, path: str) -> None:
        if path == "ledger/0.jsonl":
            log.close(7)
            log.sign()

    with log.api() as api:
        mirror(api, tmp_path, grow)
    assert files(tmp_path) == before


def test_a_key_that_came_after_the_checkpoint_is_left_out(log: Log, tmp_path: Path) -> None:
    log.keys += b'{"from":400,"vkey":"b"}\n{"from":401,"vkey":"c"}\n'
    export(log, tmp_path)
    assert (tmp_path / "keys.jsonl").read_bytes() == b'{"from":0,"vkey":"a"}\n{"from":400,"vkey":"b"}\n'


@pytest.mark.parametrize("keys", [b"", b"x\n", b"[]\n", b"{}\n", b'{"from":"0"}\n', b"\xff\n"])
def test_a_key_history_that_is_none_is_left_to_the_audit(keys: bytes, log: Log, tmp_path: Path) -> None:
    log.keys = keys
    export(log, tmp_path)
    assert (tmp_path / "keys.jsonl").read_bytes() == keys


class Killed(BaseException):
    """As if the process were gone."""


def broken_off(log: Log, folder: Path, after: int) -> bool:
    """Whether the export was broken off after that many files."""

    def stop(made: Mirrored, _path: str) -> None:
        if made.fetched == after:
            raise Killed

    try:
        with log.api() as api:
            mirror(api, folder, stop)
    except Killed:
        return True
    return False


@pytest.mark.parametrize("first", [1, 4, 60, 213])
def test_broken_off_anywhere_and_gone_on_with(first: int, log: Log, tmp_path: Path) -> None:
    """Each run dies after a few more files, with a torn file left behind; the sum is one whole directory."""
    assert broken_off(log, tmp_path, first)
    assert not (tmp_path / "checkpoint").exists()
    (tmp_path / ".partial").write_bytes(b"torn")
    log.close(7, 5)
    log.sign()
    while broken_off(log, tmp_path, 70):
        assert not (tmp_path / "checkpoint").exists()
    assert files(tmp_path).items() >= wanted(log, 401, set()).items()
    assert export(log, tmp_path).missing == ()


def test_a_transcript_cut_by_an_earlier_checkpoint_is_replaced_after_a_break(log: Log, tmp_path: Path) -> None:
    """Event 0 alone stands there; the run that found the `close` died before it came so far."""
    export(log, tmp_path)
    log.close(7)
    log.sign()
    assert broken_off(log, tmp_path, 5)
    export(log, tmp_path)
    assert (tmp_path / f"matches/{match(7)}.jsonl").read_bytes() == log.transcripts[match(7)]


def test_a_file_that_was_lost_here_is_fetched_again(log: Log, tmp_path: Path) -> None:
    export(log, tmp_path)
    whole = files(tmp_path)
    for name in ("tile/0/000", f"matches/{match(0)}.jsonl", f"matches/{match(7)}.jsonl", "ledger/0.jsonl"):
        (tmp_path / name).unlink()
    export(log, tmp_path)
    assert files(tmp_path) == whole


@pytest.mark.parametrize(
    "path", [f"matches/{match(3)}.jsonl", "tile/0/000", "tile/entries/000", "checkpoints/1", "policy"]
)
def test_what_the_service_lacks_is_told_and_asked_for_again(path: str, log: Log, tmp_path: Path) -> None:
    log.lacking.add(path)
    made = export(log, tmp_path)
    assert made.missing == (path,)
    assert not (tmp_path / path).exists()
    log.lacking.clear()
    assert export(log, tmp_path).missing == ()
    assert files(tmp_path) == wanted(log, 400, {7})


def test_a_refusal_ends_the_export(log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is worth fetching with a token that does not open the journal."""

    def forbid(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.startswith("/log/ledger"):
            return httpx2.Response(403, json={"code": "forbidden"})
        return Log.answer(log, request)

    monkeypatch.setattr(log, "answer", forbid)
    with pytest.raises(ApiError, match="forbidden"):
        export(log, tmp_path)
    assert files(tmp_path) == {}


def other_log() -> Log:
    other = Log()
    for number in range(500, 700):
        other.open(number)
        other.close(number)
    other.sign()
    return other


@pytest.mark.parametrize("page", [{}, {"matches": {}, "cursor": None}, {"matches": [], "cursor": 5}])
def test_pages_that_are_none_end_the_export(
    page: dict[str, object], log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "page", lambda *_asked: httpx2.Response(200, json=page))
    with pytest.raises(ApiError, match="not_a_page"):
        export(log, tmp_path)
    assert not {"records.jsonl", "checkpoint"} & files(tmp_path).keys()


def test_a_fork_and_a_log_gone_back_are_kept_as_evidence(log: Log, tmp_path: Path) -> None:
    export(log, tmp_path)
    whole = files(tmp_path)
    fork = other_log()
    back = Log(leaves=log.leaves, tree=log.tree, sizes=[399])
    for service in (fork, back):
        with pytest.raises(Inconsistent, match="checkpoint"):
            export(service, tmp_path)
        assert files(tmp_path) == whole | {"checkpoint.other": service.file("checkpoint")}


def test_a_directory_is_of_one_log(log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(log, tmp_path)
    whole = files(tmp_path)
    foreign = sign_note(Checkpoint("other.example", 500, b"\x01" * 32).body(), SIGNER).encode()
    monkeypatch.setattr(log, "checkpoint", lambda _size: foreign)
    with pytest.raises(Inconsistent, match=r"other\.example"):
        export(log, tmp_path)
    assert files(tmp_path) == whole


@pytest.mark.parametrize("text", [b"", b"\xff", b"<html>", b"a\n1\nAA==\n"])
def test_a_checkpoint_that_is_none(text: bytes, log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "checkpoint", lambda _size: text)
    with pytest.raises(Malformed):
        export(log, tmp_path)


@pytest.mark.parametrize("sizes", ["x", "0", "2\n1", "5\n5", "9" * 30, "-1", "1.0", "²"])
def test_a_list_of_sizes_that_is_none(sizes: str, log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/checkpoints"):
            return httpx2.Response(200, text=sizes)
        return Log.answer(log, request)

    monkeypatch.setattr(log, "answer", answer)
    with pytest.raises(ApiError, match="not_sizes"):
        export(log, tmp_path)


def test_entries_that_are_no_leaves_are_left_to_the_audit(log: Log, tmp_path: Path) -> None:
    for text in (b"no leaf", canonical.encode({"type": "close", "m": "../../../etc/passwd"})):
        log.leaves.append(text)
        log.tree.append(text)
    log.sign()
    assert export(log, tmp_path).missing == ()
    assert {name for name in files(tmp_path) if name.startswith("matches/")} == {
        f"matches/{match(number)}.jsonl" for number in range(200)
    }


def test_one_export_at_a_time(log: Log, tmp_path: Path) -> None:
    def second(_made: Mirrored, path: str) -> None:
        if path == "policy":
            with pytest.raises(Refused, match="another export"):
                export(log, tmp_path)

    with log.api() as api:
        mirror(api, tmp_path, second)
    export(log, tmp_path)
