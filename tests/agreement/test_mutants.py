"""Proof by mutants: what one small lie about a match comes to, however it is passed off.

*As it is*, every mutant is `altered` or `malformed`, and nobody is accused. *Resealed*, it is `malformed`, or `cheated`
at the changed event or the first later one whose check sees it. What nobody can see is listed in
`judging.unseen_kind` and in docs/limitations.md, and on every mutant compared with what the service's own fold takes:

- under the true log, and against the true held file: cuts of the tail, which are `pending` without their `close`;
- by the operator, with a log made up afterwards, at or beyond the largest size that a seat signed: times within the
  clock rules, an outage or a seed period written in or left out, the order of joins, a join, an action or an overrun
  left out before an end of the operator's own, and all terms of a table that nobody joined (never `verified`: nobody
  holds anything of it);
- by the operator and all seats, with a log made up afterwards: a different match that keeps the rules. With a deal no
  term, player or time up to the last join can differ; times, outages, the order of the seeds and legal actions after it
  can, a declaration that is not shown left out and the seat of a side that resigns among them.

Of the last two no witness has cosigned the log, and who kept what the true one had shown sees a fork.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from fairdeal import canonical
from fairdeal.match import HeldLog, parse_bundle, parse_held, write_bundle
from fairdeal.tlog import Checkpoint, NoteSigner, sign_note
from fairdeal_verifier import Policy, Report, verify
from fairdeal_verifier.errors import WrongUsage
from tests.agreement.judging import Judge
from tests.agreement.mutants import EventDict, every, respelt, some
from tests.agreement.sealing import Forger, Way
from tests.agreement.short_matches import short
from tests.simulator import ENDINGS, GAMES, Played, endings, play

SCALE = float(os.environ.get("SOAK", "1"))
PARTS = {"extra_deal": 8, "target": 3, "deal_limit": 3}
"""The longer ones are shared among test processes."""
MATCHES, MUTANTS = 200, 2_000
CHUNKS = 10
FOUR = [(game, ending) for game in GAMES[1:] for ending in endings(game)]
OF_FOUR, MANY_OF_FOUR = 2, 30
"""Mutants of each game for four and each ending."""
OWN = [
    ("classique@1", 40), ("classique@1", 165), ("coinche@1", 101), ("coinche@1", 29), ("annonces@1", 44),
    ("annonces@1", 142),
]  # fmt: skip
"""Matches of one deal: a litige, a capot; a capot without its bid, a surcoinche that fails; two announcements shown of
three declared, a tie.
"""
STEPS = range(2, 11)
"""Those that see mutants; step 1 is for the header's."""


def policy_of(match: Played) -> Policy:
    return Policy.parse(match.policy.encode())


@pytest.mark.parametrize("ending", ENDINGS)
def test_some_mutants_of_every_ending_are_told_for_what_they_are(ending: str) -> None:
    judge = Judge(Forger(short(ending)))
    for mutant in some(judge.forger.events, random.Random(ending), 100):
        judge.judge(mutant)


@pytest.mark.parametrize("ending", ["resigned", "seed_missing_1", "cancelled_with_0", "void_in_play"])
def test_some_mutants_of_a_match_without_a_log_are_told_for_what_they_are(ending: str) -> None:
    judge = Judge(Forger(short(ending, log=False)))
    for mutant in some(judge.forger.events, random.Random(ending), 60):
        judge.judge(mutant)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("ending", "part"), [(ending, part) for ending in ENDINGS for part in range(PARTS.get(ending, 1))]
)
def test_every_mutant_of_every_ending_is_told_for_what_it_is(ending: str, part: int) -> None:
    judge = Judge(Forger(short(ending)))
    each = PARTS.get(ending, 1) * max(1, round(1 / SCALE))
    for mutant in islice(every(judge.forger.events, random.Random(ending)), part, None, each):
        judge.judge(mutant)
    # A smaller sample may have no cut.
    assert judge.unseen["TRUE_HELD", "cut", "pending"] or SCALE < 1


@pytest.mark.soak
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_mutants_sampled_over_all_matches_are_told_for_what_they_are(chunk: int) -> None:
    for number in range(chunk, MATCHES, CHUNKS):
        judge = Judge(Forger(play(number, ENDINGS[number % len(ENDINGS)])))
        for mutant in some(judge.forger.events, random.Random(number), max(1, round(SCALE * MUTANTS / MATCHES))):
            judge.judge(mutant)


@pytest.mark.parametrize(("game", "ending"), FOUR)
def test_some_mutants_of_every_ending_of_four_are_told_for_what_they_are(game: str, ending: str) -> None:
    judge_match_of_four(game, ending, 0, OF_FOUR)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "ending"), FOUR)
def test_mutants_of_four_sampled_over_all_matches_are_told_for_what_they_are(game: str, ending: str) -> None:
    for number in range(1, 1 + max(1, round(SCALE * MANY_OF_FOUR / 5))):
        judge_match_of_four(game, ending, number, 5)


def test_only_everybody_together_can_leave_out_a_declaration_that_is_not_shown() -> None:
    judge = Judge(Forger(play(44, "deal_limit", game="annonces@1", deals_max=1)))
    events = judge.forger.events
    declared = [n for n, event in enumerate(events) if "declare" in event["data"].get("do", {})]
    for mutant in every(events, random.Random(0), declared):
        if mutant.what == "delete":
            judge.judge(mutant)
    assert [events[n]["by"] for n in declared] == [0, 1, 2]
    assert judge.unseen == {("EVERYBODY", "action", "verified"): 1}
    assert judge.caught == {3: 9, 4: 3, 9: 2}


def judge_match_of_four(game: str, ending: str, number: int, count: int) -> None:
    judge = Judge(Forger(play(number, ending, game=game)))
    for mutant in some(judge.forger.events, random.Random(f"{game} {ending} {number}"), count):
        judge.judge(mutant)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "number"), OWN)
def test_every_mutant_of_what_a_game_adds_is_told_for_what_it_is(game: str, number: int) -> None:
    judge = Judge(Forger(play(number, "deal_limit", game=game, deals_max=1)))
    events = judge.forger.events
    own = [n for n, event in enumerate(events) if event["type"] in ("deal", "show", "score") or _is_word(event)]
    for mutant in islice(every(events, random.Random(number), own), 0, None, max(1, round(1 / SCALE))):
        judge.judge(mutant)
    assert judge.unseen["EVERYBODY", "time", "verified"] or SCALE < 1


def _is_word(event: EventDict) -> bool:
    do = event["data"].get("do", {})
    return "bid" in do or "declare" in do


def first_to_see(least: int) -> Counter[int]:
    """How often each step was the first to see a mutant, counted until each has seen so many."""
    judges = [Judge(Forger(short(ending))) for ending in ("resigned", "void_in_play", "overruns", "deal_limit")]
    rng = random.Random(least)
    for _ in range(1_000 * least):
        judge = rng.choice(judges)
        for mutant in some(judge.forger.events, rng, 1):
            judge.judge(mutant)
        caught = sum((judge.caught for judge in judges), Counter[int]())
        if min(caught[step] for step in STEPS) >= least:
            break
    return caught


def test_each_step_is_the_first_to_see_something() -> None:
    caught = first_to_see(1)
    assert [step for step in STEPS if not caught[step]] == []


@pytest.mark.soak
def test_each_step_is_the_first_to_see_twenty_mutants() -> None:
    caught = first_to_see(20)
    assert {step: caught[step] for step in STEPS if caught[step] < 20} == {}


@pytest.mark.parametrize("ending", ["resigned", "void_in_seeds"])
def test_a_line_in_another_spelling_is_malformed_even_under_a_valid_head(ending: str) -> None:
    forger = Forger(short(ending))
    policy = policy_of(forger.match)
    for place, line in enumerate(forger.lines):
        for changed in respelt(line):
            lines = [*forger.lines[:place], changed, *forger.lines[place + 1 :]]
            for bundle in (write_bundle(forger.head, lines), forger.seal_lines(lines, place, Way.OPERATOR).bundle):
                report = verify(bundle, policy, forger.true_held)
                assert (report.verdict, report.step) == ("malformed", 0), changed


def test_a_file_or_header_in_another_spelling_is_malformed() -> None:
    match = short("resigned")
    header, _, events = match.bundle.partition(b"\n")
    head = json.loads(header)["head"]
    values = (
        {"format": "fairdeal/bundle@2", "head": head},
        {"format": "fairdeal/held@1", "head": head},
        {"format": None, "head": head},
        {"format": "fairdeal/bundle@1"},
        {"head": head},
        {"format": "fairdeal/bundle@1", "head": head, "unknown": 0},
        {"format": "fairdeal/bundle@1", "head": 0},
        {"format": "fairdeal/bundle@1", "head": head + head.splitlines(keepends=True)[-1]},
        {"format": "fairdeal/bundle@1", "head": head[:-1]},
        {"format": "fairdeal/bundle@1", "head": ""},
    )
    headers = [*respelt(header), *map(canonical.encode, values)]
    files = [
        b"", b"\n", events, header + b"\n", match.bundle[:-1], match.bundle + b"\n", b"\n" + match.bundle,
        match.bundle.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + match.bundle, match.bundle + match.bundle,
    ]  # fmt: skip
    for bundle in (*(changed + b"\n" + events for changed in headers), *files):
        report = verify(bundle, policy_of(match), match.held[0])
        assert (report.verdict, report.step) == ("malformed", 0), bundle[:200]


def test_any_character_of_the_head_changed_accuses_nobody() -> None:
    match = short("resigned")
    first, _, events = match.bundle.partition(b"\n")
    header, rng = json.loads(first), random.Random(1)
    head = header["head"]
    for at, old in enumerate(head):
        for new in {*rng.sample("0aA+/ \n—", 3)} - {old}:
            changed = canonical.encode(header | {"head": head[:at] + new + head[at + 1 :]})
            report = verify(changed + b"\n" + events, policy_of(match), match.held[0])
            assert report.verdict in ("altered", "malformed"), (at, new)
            assert report.step in (0, 1), (at, new)


def sealed_head(forger: Forger, checkpoint: Checkpoint, name: str = "") -> bytes:
    signer = NoteSigner(name, forger.match.keys.receipts) if name else forger.signer
    return write_bundle(sign_note(checkpoint.body(), signer), forger.lines, forger.log_part)


@pytest.mark.parametrize("log", [True, False])
def test_another_head_by_the_operators_key(log: bool) -> None:
    forger = Forger(short("resigned", log))
    match, size, origin = forger.match, len(forger.lines), forger.origin
    root, earlier = forger.frontier(size).root(), forger.frontier(size - 1).root()
    log, m = origin.split("/m/")
    true = Checkpoint(origin, size, root)
    found = {
        "the same": sealed_head(forger, true),
        "cut": sealed_head(forger, Checkpoint(origin, size - 1, earlier)),
        "longer": sealed_head(forger, Checkpoint(origin, size + 1, root)),
        "another root": sealed_head(forger, Checkpoint(origin, size, earlier)),
        "another log": sealed_head(forger, Checkpoint(f"{log}x/m/{m}", size, root)),
        "an unlisted name": sealed_head(forger, true, f"{log}/others"),
    }

    def told(bundle: bytes, held: bytes | None) -> tuple[str, int | None, str | None, int | None]:
        report: Report = verify(bundle, policy_of(match), held)
        return report.verdict, report.step, report.cause, report.broken_at

    assert {name: told(bundle, forger.true_held) for name, bundle in found.items()} == {
        "the same": ("verified", None, None, None),
        "cut": ("altered", 3, "events_extra", size - 1),
        "longer": ("altered", 3, "events_missing", size),
        "another root": ("altered", 3, "root", size - 1),
        "another log": ("altered", 3, "held_signature", None),
        "an unlisted name": ("altered", 1, "head_signature", None),
    }
    assert told(found["another log"], None) == ("cheated", 8, "terms", 0)
    foreign = sealed_head(forger, Checkpoint(f"{log}/m/{'0' * 32}", size, root))
    assert told(foreign, None) == ("cheated", 8, "terms", 0)
    with pytest.raises(WrongUsage):
        verify(foreign, policy_of(match), forger.true_held)


def bytes_changed(data: bytes, rng: random.Random, count: int | None) -> Iterator[bytes]:
    """The file with one byte changed, at so many places or all; mostly into one that could stand there."""
    for at in range(len(data)) if count is None else rng.sample(range(len(data)), count):
        plausible = [byte for byte in b"0123456789abcdef" if byte != data[at]]
        yield data[:at] + bytes([rng.choice([*plausible, data[at] ^ 1, data[at] ^ 0x80])]) + data[at + 1 :]


def without_cosignatures(note: str) -> list[str]:
    """The text of a checkpoint and the log's own line."""
    return note.split("\n")[:5]


def essence(data: bytes) -> object:
    """All of a bundle or a held file but the lines of witnesses, whom a policy need not ask for."""
    if data.startswith(b'{"format"'):
        held = parse_held(data)
        lines = [
            (without_cosignatures(line.checkpoint), line.leaves) if isinstance(line, HeldLog) else line
            for line in held.lines
        ]
        return replace(held, lines=()), lines
    bundle = parse_bundle(data)
    assert bundle.log is not None
    return replace(bundle, log=replace(bundle.log, checkpoint="")), without_cosignatures(bundle.log.checkpoint)


def check_no_byte_accuses(ending: str, count: int | None) -> None:
    match, rng = short(ending), random.Random(ending)
    policies, held = [policy_of(match), Policy.parse(match.witnessed_policy.encode())], match.held[1]
    for bundle in bytes_changed(match.bundle, rng, count):
        report = verify(bundle, rng.choice(policies), held)
        if report.verdict == "verified":
            assert essence(bundle) == essence(match.bundle), bundle
        else:
            assert report.verdict in ("altered", "malformed") or report.cause == "unknown_key", bundle
    for changed in bytes_changed(held, rng, count):
        try:
            report = verify(match.bundle, policies[0], changed)
        except WrongUsage:
            continue
        if report.verdict == "verified":
            assert essence(changed) == essence(held), changed
        # The owner's key in the first line is signed by nobody: with another one the file anchors nothing.
        assert report.verdict in ("verified", "altered", "unchecked"), changed
    for policy in bytes_changed(match.witnessed_policy.encode(), rng, count):
        try:
            report = verify(match.bundle, Policy.parse(policy), held)
        except WrongUsage:
            continue
        assert report.verdict in ("verified", "altered", "unchecked"), policy


@pytest.mark.parametrize("ending", ["resigned", "seed_missing_0", "void_in_play"])
def test_no_changed_byte_accuses_anybody(ending: str) -> None:
    check_no_byte_accuses(ending, 80)


@pytest.mark.soak
@pytest.mark.parametrize("ending", ["resigned", "seed_missing_0"])
def test_no_changed_byte_anywhere_accuses_anybody(ending: str) -> None:
    check_no_byte_accuses(ending, None)
