"""What everybody notices of a deed: the player's program, the verifier with what each has kept, `fork`, an audit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fairdeal import canonical
from fairdeal.client import Contradiction, NotLogged
from fairdeal.match import Phase, receipt_name
from fairdeal.tlog import NoteSigner
from fairdeal_verifier import Policy, cli, verify
from fairdeal_verifier.audit.report import verdict_of
from fairdeal_verifier.audit.run import Outcome, Wishes, audit
from fairdeal_verifier.audit.source import Directory
from fairdeal_verifier.notes import Checkpoint
from tests.dishonest.operator import FRIEND, HONEST, Match, Operator
from tests.simulator import NAME, ServiceLog
from tests.simulator.table import BEGINNING, DAY
from tests.verifier.house import joined, pages, tiles

NOTHING: Final = "nothing"
LOOKED_AT: Final = BEGINNING + 5 * DAY
"""When the audit takes place: after the tables should have closed."""
_ACCUSES: Final = ("`cheated`", "`altered`")
_UNANCHORED: Final = "`unchecked` `no_anchor`"
_WHEN: Final = {
    Phase.JOINING: "before all have joined",
    Phase.SEEDS: "before the first deal",
    Phase.PLAY: "in play",
    Phase.ENDED: "at the end",
    Phase.CLOSED: "at the end",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """What a deed leaves behind.

    `program` is what the player's own program said; `since` the checkpoint that an auditor took away before;
    `log` the history that the operator shows from now on. `bundle` is what is handed out as the match (None: nothing),
    `kept` what people hold beside it and the player's held file, that `fork` is given.
    """

    match: Match
    since: str | None
    program: str
    bundle: bytes | None
    log: ServiceLog
    kept: tuple[bytes, ...] = ()
    victim: bool = True
    other_is_honest: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of the table that are found out; `by` are those who notice."""

    program: str
    verifier: str
    fork: str
    audit: str
    by: tuple[str, ...]


def noticed(match: Match, *calls: Callable[[], object], seat: int = HONEST) -> str:
    """What the program of this seat says to the first of these that it does not go along with."""
    client = match.clients[seat]
    for call in calls:
        when = _WHEN[client.state.phase] if client.size else _WHEN[Phase.JOINING]
        try:
            call()
        except NotLogged as error:
            return f"waits for `{error.details['leaf']}`, signs nothing"
        except Contradiction as error:
            assert (match.operator.folder / str(seat) / f"{match.m}.evidence").exists()
            stopped = match.operator.memories[seat].sitting(match.m).stopped
            assert stopped is not None
            place = "" if error.place is None else f", place {error.place}"
            return f"`{error.finding}`{place}, {when}; evidence file"
    return NOTHING


def look(scene: Scene) -> Row:
    """Everybody, at what the deed left."""
    verified, forked, asked = _verifier(scene), _fork(scene), _audit(scene)
    by = {
        "program": not scene.program.startswith((NOTHING, "not asked")),
        "verifier": any(text.startswith(_ACCUSES) for text in verified.values()),
        "witnesses": any(found["witnesses"].startswith(_UNANCHORED) for found in (verified, asked)),
        "fork": forked.startswith("proven"),
        "audit": any(text.startswith(_ACCUSES) for text in asked.values()),
    }
    by["questions"] = not any(by.values()) and any("asks" in text for text in asked.values())
    return Row(scene.program, _merge(verified), forked, _merge(asked), tuple(name for name, does in by.items() if does))


def readers(scene: Scene) -> dict[str, tuple[str, bytes | None]]:
    """The policy and the held file of everybody who checks what is handed out, by what they have beside it."""
    operator, match = scene.match.operator, scene.match
    found: dict[str, tuple[str, bytes | None]] = {"alone": (operator.policy, None)}
    if scene.victim:
        found["own file"] = (operator.policy, match.held(HONEST))
    if scene.other_is_honest:
        found["other’s file"] = (operator.policy, match.held(FRIEND))
    return found | {"witnesses": (operator.witnessed_policy, None)}


def _verifier(scene: Scene) -> dict[str, str]:
    if scene.bundle is None:
        return {"witnesses": "nothing to check"}
    return {name: _report(scene.bundle, policy, held) for name, (policy, held) in readers(scene).items()}


def _report(bundle: bytes, policy: str, held: bytes | None) -> str:
    report = verify(bundle, Policy.parse(policy.encode()), held)
    step = "" if report.step is None else f" step {report.step}"
    cause = "" if report.cause is None else f" `{report.cause}`"
    place = "" if report.broken_at is None or report.step is None else f", place {report.broken_at}"
    return f"`{report.verdict}`{step}{cause}{place}"


def _fork(scene: Scene) -> str:
    """`fairdeal-verify fork` on the files that honest people hold."""
    folder = scene.match.operator.folder / "kept"
    folder.mkdir()
    files = [*scene.kept, *([scene.bundle] if scene.bundle is not None else [])]
    if scene.victim:
        files.append(scene.match.held(HONEST))
    if scene.other_is_honest:
        files.append(scene.match.held(FRIEND))
    paths = [folder / str(number) for number in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    policy, out = folder / "policy", folder / "fork"
    policy.write_text(scene.match.operator.policy)
    code = cli.main(["fork", *map(str, paths), "--policy", str(policy), "--out", str(out)])
    assert (code, out.exists()) in ((0, False), (10, True), (13, False))
    return "proven, fork file" if code == 10 else NOTHING


def _audit(scene: Scene) -> dict[str, str]:
    """What an audit says of the history shown, by what the auditor has beside it."""
    operator = scene.match.operator
    source = Directory(export(operator, scene.log))
    plain, witnessed = (Policy.parse(text.encode()) for text in (operator.policy, operator.witnessed_policy))
    wishes = {"alone": Wishes(plain, LOOKED_AT)}
    if scene.since is not None:
        wishes["earlier checkpoint"] = Wishes(plain, LOOKED_AT, since=Checkpoint.parse(scene.since))
    wishes["witnesses"] = Wishes(witnessed, LOOKED_AT)
    return {name: _say(audit(source, wish), wish) for name, wish in wishes.items()}


def _say(outcome: Outcome, wishes: Wishes) -> str:
    verdict, cause = verdict_of(outcome, wishes)
    codes = dict.fromkeys([*(one.code for one in outcome.findings), *(one.code for one in outcome.faults)])
    said = " ".join(f"`{code}`" for code in [verdict, *([cause] if cause else []), *codes])
    asked = outcome.questions
    accounts = sum(account.endings.total() for account in asked.accounts.values())
    lists = {
        "not_closed": asked.not_closed,
        "void": asked.void,
        "lost": asked.lost,
        "seen": asked.seen,
        "backwards": asked.backwards,
        "accounts": accounts,
    }
    questions = " ".join(f"`{name}`" for name, found in lists.items() if found)
    return f"{said}; asks: {questions}" if questions else said


def _merge(found: Mapping[str, str]) -> str:
    """Who sees the same is named together."""
    by_text: dict[str, list[str]] = {}
    for name, text in found.items():
        by_text.setdefault(text, []).append(name)
    if len(by_text) == 1:
        return next(iter(by_text))
    return "<br>".join(f"{', '.join(names)}: {text}" for text, names in by_text.items())


def export(operator: Operator, log: ServiceLog) -> Path:
    """What an auditor is given of this history (protocol 7.6). Nobody plays for money."""
    folder = operator.folder / "audit"
    known = {m for m in operator.transcripts if log.own(m)}
    seats = [one for one in operator.seats if one["m"] in known]
    closed = {m for m in known if log.own(m)[-1][1]["type"] == "close"}
    lines = {m: operator.transcripts[m] if m in closed else operator.transcripts[m][:1] for m in known}
    files = {f"matches/{m}.jsonl": joined(told) for m, told in lines.items()}
    files |= dict(tiles(log.leaves)) | pages("ledger", []) | pages("seats", [canonical.encode(one) for one in seats])
    files |= {f"checkpoints/{size}": note.encode() for size, note in log.notes.items()}
    files["checkpoint"] = log.checkpoint(log.size).encode()
    keys = sorted(
        key.format()
        for key in (
            NoteSigner(NAME, operator.keys.log[0]).verifier_key,
            NoteSigner(receipt_name(NAME), operator.receipts).verifier_key,
        )
    )
    files["keys.jsonl"] = joined(canonical.encode({"from": 0, "vkey": key}) for key in keys)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder
