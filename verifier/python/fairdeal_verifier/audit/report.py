"""An audit told: its verdict, one JSON object, or a report for people in English and French (protocol 7.6)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from fairdeal_verifier.audit.findings import explain_cause, say_detail
from fairdeal_verifier.audit.run import Outcome, Wishes
from fairdeal_verifier.audit.words import CODES, ENDINGS, WORDS
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.report import EXIT_CODES, Verdict
from fairdeal_verifier.sentences import CAUSES, VERDICTS, Language

FORMAT = "fairdeal/audit@1"
LISTED = 20
"""How many lines of one kind a report for people has; the JSON object has all."""
DAY_MS, HOUR_MS, MINUTE_MS = 86_400_000, 3_600_000, 60_000


def verdict_of(outcome: Outcome, wishes: Wishes) -> tuple[Verdict, str | None]:
    """The verdict, and why it is `unchecked` where it is."""
    if outcome.checkpoint is not None:
        if wishes.policy is None:
            return "unchecked", "no_policy"
        if not outcome.known:
            return "unchecked", "unknown_key"
    if outcome.findings:
        return "cheated", None
    if outcome.faults:
        return "altered", None
    if outcome.quorum_met or (wishes.since is not None and wishes.since.size > 0):
        return "verified", None
    return "unchecked", "no_anchor"


def may_keep(outcome: Outcome, wishes: Wishes) -> bool:
    """Whether nothing speaks against keeping this checkpoint: the first one an auditor keeps has no anchor yet."""
    return verdict_of(outcome, wishes) in (("verified", None), ("unchecked", "no_anchor"))


def exit_code(outcome: Outcome, wishes: Wishes) -> int:
    """That of the verdict (protocol 6.1)."""
    return EXIT_CODES[verdict_of(outcome, wishes)[0]]


def as_json(outcome: Outcome, wishes: Wishes, language: Language) -> dict[str, Json]:
    """The object `fairdeal/audit@1`."""
    verdict, cause = verdict_of(outcome, wishes)
    checkpoint = outcome.checkpoint
    newest: Json = None
    if checkpoint is not None:
        newest = {"cosignatures": outcome.cosignatures, "root": checkpoint.root.hex(), "size": checkpoint.size}
    asked = outcome.questions
    accounts: dict[str, Json] = {
        name: {**asdict(account), "endings": dict(account.endings)} for name, account in asked.accounts.items()
    }
    return {
        "format": FORMAT,
        "verdict": verdict,
        "cause": cause,
        "origin": None if checkpoint is None else checkpoint.origin,
        "checkpoint": newest,
        "since": None if wishes.since is None else wishes.since.size,
        "signatures": wishes.signatures,
        "counts": {**outcome.counts},
        "findings": [{**asdict(one), "detail": say_detail(one.detail)} for one in outcome.findings],
        "faults": [{"code": fault.code, "detail": fault.why, "path": fault.path} for fault in outcome.faults],
        "questions": {
            "accounts": accounts,
            "backwards": [asdict(one) for one in asked.backwards],
            "endings": dict(asked.endings),
            "lost": [*asked.lost],
            "not_closed": [asdict(one) for one in asked.not_closed],
            "seen": [asdict(one) for one in asked.seen],
            "unsigned": None if asked.unsigned is None else asdict(asked.unsigned),
            "void": [*asked.void],
        },
        "sentence": sentence(outcome, wishes, language),
    }


def sentence(outcome: Outcome, wishes: Wishes, language: Language) -> str:
    """One line that begins with the verdict word."""
    verdict, cause = verdict_of(outcome, wishes)
    french = language == "fr"
    if cause == "no_anchor":
        found = _say("no_anchor", language)
    elif cause is not None:
        found = CAUSES[cause][french]
    else:
        found = _say(verdict, language, len(outcome.findings), len(outcome.faults))
    told = [found]
    if cause in ("no_policy", "unknown_key") and outcome.findings:
        told.append(_say("unaccused", language, len(outcome.findings)))
    if outcome.checkpoint is not None and outcome.counts["leaves"] == outcome.checkpoint.size:
        told.append(_say("sized", language, outcome.checkpoint.size, outcome.counts["matches"]))
    if wishes.signatures == "last":
        told.append(_say("last", language))
    gloss = f"{VERDICTS[verdict]}, " if french else ""
    return f"{verdict}: {gloss}{(' ; ' if french else '; ').join(told)}."


def lines(outcome: Outcome, wishes: Wishes, language: Language) -> Iterator[str]:
    """The report for people; its last line is the sentence."""
    checkpoint = outcome.checkpoint
    if checkpoint is not None:
        yield _say("log", language, checkpoint.origin, checkpoint.size, checkpoint.root.hex())
        yield _say("witnesses", language, outcome.cosignatures)
        if wishes.since is not None:
            yield _say("since", language, wishes.since.size)
        counts = outcome.counts
        yield _say("counts", language, *(counts[name] for name in _TOLD))
    yield from _section("findings", [*_findings(outcome, language)], language)
    yield from _section("faults", [*_faults(outcome, language)], language)
    yield from _questions(outcome, language)
    yield ""
    yield sentence(outcome, wishes, language)


_TOLD = ("matches", "closed", "replayed", "skipped", "resumed", "signatures", "transactions", "checkpoints")
_COLON: dict[Language, str] = {"en": ": ", "fr": " : "}


def _findings(outcome: Outcome, language: Language) -> Iterator[str]:
    for found in outcome.findings:
        parts = [CODES[found.code][language == "fr"], say_detail(found.detail, language)]
        why = explain_cause(found, language)
        parts += [why] if why else []
        parts += [] if found.m is None else [_say("match", language, found.m)]
        parts += [] if found.index is None else [_say("leaf", language, found.index)]
        yield f"{found.code}: {', '.join(parts)}"


def _faults(outcome: Outcome, language: Language) -> Iterator[str]:
    for fault in outcome.faults:
        why = f" ({fault.why})" if language == "en" else ""
        yield f"{fault.path}{_COLON[language]}{CODES[fault.code][language == 'fr']}{why}"


def _questions(outcome: Outcome, language: Language) -> Iterator[str]:
    asked = outcome.questions
    sections: dict[str, list[str]] = {
        "not_closed": [
            _say("open_match", language, one.m, one.index, _age(one.overdue_ms, language))
            for one in asked.not_closed
        ],
        "endings": [f"{name}{_COLON[language]}{count}" for name, count in _endings(asked.endings, language)],
        "accounts": [
            _say(
                "account", language, name, account.endings.total(), account.matches,
                ", ".join(f"{ending} {count}" for ending, count in _endings(account.endings, language)),
                account.seeds_missing,
            )
            for name, account in asked.accounts.items()
        ],
        "void": asked.void,
        "lost": asked.lost,
        "seen": [_say("seen_match", language, one.m, one.event, one.size) for one in asked.seen],
        "backwards": [
            _say("back_match", language, one.m, one.index, _age(one.by_ms, language)) for one in asked.backwards
        ],
    }  # fmt: skip
    for name, found in sections.items():
        yield from _section(name, found, language)


def _endings(counted: Counter[str], language: Language) -> list[tuple[str, int]]:
    return [(ENDINGS[outcome][language == "fr"], count) for outcome, count in sorted(counted.items())]


def _section(name: str, found: list[str], language: Language) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield _say(name, language, len(found))
    yield from (f"  {line}" for line in found[:LISTED])
    if len(found) > LISTED:
        yield "  " + _say("more", language, len(found) - LISTED)


def _age(span_ms: int, language: Language) -> str:
    units = (("days", DAY_MS), ("hours", HOUR_MS), ("minutes", MINUTE_MS))
    unit, length = next(((unit, length) for unit, length in units if span_ms >= length), ("seconds", 1_000))
    return _say(unit, language, span_ms // length)


def _say(key: str, language: Language, *values: object) -> str:
    return WORDS[key][language == "fr"].format(*values)
