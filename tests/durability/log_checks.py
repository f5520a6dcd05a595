"""What a log is held against whose service was killed: everything that anybody was ever shown of it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from fairdeal.match import HeldLog, parse_held
from fairdeal.store import LogCopy
from fairdeal.tlog import Policy
from fairdeal_verifier import Policy as VerifierPolicy
from fairdeal_verifier import verify
from tests.agreement.auditor import audit, export
from tests.durability.duel import GIVE_UP_S, Both, Program
from tests.durability.history import check_leaves, check_one_history, check_proven
from tests.durability.process import Service

LOOK_S = 0.02


class Witness:
    """Somebody outside who keeps every checkpoint that the log ever showed, through all lives of the service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._stopping = threading.Event()
        self.notes: set[str] = set()
        self._archived: set[int] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        with ThreadPoolExecutor(1) as pool:
            watching = pool.submit(self._watch)
            try:
                yield
            finally:
                self._stopping.set()
            watching.result(GIVE_UP_S)
        self.look()

    def look(self) -> None:
        with httpx2.Client(base_url=f"{self._service.url}/log", timeout=60) as http:
            self._keep(http, "/checkpoint")
            sizes = http.get("/checkpoints").raise_for_status().text.split()
            for size in set(map(int, sizes)) - self._archived:
                self._keep(http, f"/checkpoints/{size}")
                self._archived.add(size)

    def _keep(self, http: httpx2.Client, path: str) -> None:
        answer = http.get(path)
        if answer.is_success:
            self.notes.add(answer.text)

    def _watch(self) -> None:
        while not self._stopping.wait(LOOK_S):
            try:
                self.look()
            except httpx2.HTTPError:
                continue


def check_audit(service: Service, home: Path, witness: Witness) -> None:
    """By an auditor who kept the first checkpoint there was."""
    witness.look()
    policy, since = home / "policy.txt", home / "since.checkpoint"
    policy.write_bytes(httpx2.get(f"{service.url}/log/policy", timeout=GIVE_UP_S).content)
    opened = Policy.parse(policy.read_bytes())
    first = min(witness.notes, key=lambda note: opened.open(note).checkpoint.size)
    since.write_text(first)
    export(service, home / "directory")
    code, report = audit(home / "directory", "--policy", policy, "--since", since)
    assert (report["findings"], report["faults"]) == ([], [])
    assert (code, report["verdict"]) == (0, "verified")
    assert report["questions"]["not_closed"] == report["questions"]["lost"] == report["questions"]["seen"] == []


def collected(programs: list[Program], played: list[tuple[Both, str]]) -> set[str]:
    """Every checkpoint in the players' files, and in every answer they ever got."""
    notes = {answer["checkpoint"] for program in programs for answer in proofs(program)}
    for both, m in played:
        for program in both:
            held = (program.folder / f"{m}.held").read_bytes()
            kept = {line.checkpoint for line in parse_held(held).lines if isinstance(line, HeldLog)}
            assert kept
            notes |= kept
            bundle = (program.folder / f"{m}.fairdeal").read_bytes()
            report = verify(bundle, VerifierPolicy.parse(program.policy.read_bytes()), held)
            assert report.verdict == "verified", report
    return notes


def proofs(program: Program) -> Iterator[dict[str, Any]]:
    for heard in program.heard:
        if heard.path.endswith("/log"):
            yield from (message for message in heard.messages() if "checkpoint" in message)


def check_log(service: Service, programs: list[Program], notes: set[str]) -> None:
    """Of what is on the disk now, against all that was ever shown."""
    policy = Policy.parse(programs[0].policy.read_bytes())
    leaves = [leaf for (leaf,) in service.rows("SELECT leaf FROM leaves ORDER BY n")]
    signed = {note for (note,) in service.rows("SELECT note FROM checkpoints")}
    kept = LogCopy(service.home / "log")
    copied = list(kept.leaves(0, len(leaves) + 1))
    assert copied == leaves[: len(copied)]
    note = kept.checkpoint()
    assert note is not None
    sizes = [policy.open(one).checkpoint.size for one in signed]
    assert max(sizes) <= policy.open(note).checkpoint.size <= len(copied), "the copy lacks what was shown"
    assert notes <= signed, "a checkpoint was shown that was not stored"
    check_one_history(policy, leaves, notes | signed | {note})
    check_proven(policy, leaves, [answer for program in programs for answer in proofs(program)])
    check_leaves(leaves, [m for (m,) in service.rows("SELECT id FROM matches")])
    books = service.books()
    assert not books.holds
    assert not books.pots
