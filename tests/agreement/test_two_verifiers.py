"""The two verifiers, written apart from the one text, give the same report of every bundle, honest or not.

Only the words of the sentence are each one's own; its numbers are not.
"""

import itertools
import os
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fairdeal.errors import Malformed
from fairdeal.match import parse_bundle, write_bundle, write_held
from fairdeal_verifier.report import Signatures
from tests.agreement.cases import Case, check_agreement
from tests.agreement.damage import bent, heaped, lying_held, tails
from tests.agreement.log_forgeries import forged_headers, held_changes, held_forks, policies
from tests.agreement.log_lies import cosignatures_changed, header_changes
from tests.agreement.mutants import some
from tests.agreement.odd_texts import ODD_TEXTS, crossed_keys, odd_events, odd_notes, odd_policies
from tests.agreement.sealing import Forger, Way, ways
from tests.agreement.short_matches import short
from tests.simulator import ENDINGS, GAMES, Played, endings, play

SCALE = float(os.environ.get("SOAK", "1"))
CHUNKS = 20
MATCHES, FORGED, BENT = 300, 4_000, 2_000
FOUR = [(game, ending) for game in GAMES[1:] for ending in endings(game)]
MATCHES_OF_FOUR, FORGED_OF_FOUR = 100, 1_000


def honest(number: int) -> Iterator[Case]:
    return seen(number, match_of(number), match_of(number + 1))


def honest_of_four(number: int) -> Iterator[Case]:
    return seen(number, match_of_four(number), match_of_four(number + 1))


def seen(number: int, match: Played, other: Played) -> Iterator[Case]:
    """A whole match as each seat, a stranger, and somebody with another policy or another match's file sees it."""
    policy = match.policy.encode()
    for seat, held in enumerate(match.held):
        yield Case(f"{number} seat {seat}", match.bundle, policy, held)
        yield Case(f"{number} seat {seat} last", match.bundle, policy, held, "last")
    yield Case(f"{number} nothing", match.bundle, None, None)
    yield Case(f"{number} no policy", match.bundle, None, match.held[0], "last")
    yield Case(f"{number} other policy", match.bundle, other.policy.encode(), match.held[0])
    yield Case(f"{number} other held", match.bundle, policy, other.held[0])
    if match.log is None:
        return
    yield Case(f"{number} witnessed", match.bundle, match.witnessed_policy.encode(), None)
    yield Case(f"{number} witnessed, held", match.bundle, match.witnessed_policy.encode(), match.held[1], "last")
    if number % 3 == 0:
        yield from short_of_the_end(number, match)


def short_of_the_end(number: int, match: Played) -> Iterator[Case]:
    """Copies that are not closed, with the leaves of then and of later, and one whose end was lost."""
    rng, policy = random.Random(number), match.witnessed_policy.encode()
    size = rng.choice(match.sizes[:-1])
    for log_size in (None, match.service_log.size, rng.randrange(1, match.service_log.size)):
        try:
            bundle = match.pending(size, log_size)
        except Malformed:  # the log had not got so far as a seat has seen
            continue
        yield Case(f"{number} pending {size} in {log_size}", bundle, policy, match.held[0])
    lost = match.lost(size)
    for held in (None, *lost.held, match.held[0]):
        yield Case(f"{number} lost {size}", lost.bundle, policy, held)
    whole, left = parse_bundle(match.bundle), parse_bundle(lost.bundle)
    lines = [event.line for event in match.events]
    yield Case(f"{number} not lost {size}", write_bundle(whole.head, lines, left.log), policy, match.held[0])
    cut = rng.randrange(1, len(lines) + 1)
    head = parse_bundle(match.pending(cut)).head
    yield Case(f"{number} lost {size}, {cut} left", write_bundle(head, lines[:cut], left.log), policy, lost.held[0])


def about_the_log(forger: Forger, rng: random.Random, count: int | None = None) -> Iterator[Case]:
    """Lies about the log, or so many of each kind: in the header, in the held file's log lines, in the policy."""
    match = forger.match
    good = Case(match.ending, match.bundle, match.policy.encode(), forger.true_held)
    witnessed = replace(good, policy=match.witnessed_policy.encode(), held=None)
    bundle = parse_bundle(match.bundle)
    assert bundle.log is not None
    made_up, forks = list(forged_headers(forger, rng)), list(held_forks(forger, rng))
    kinds = (
        [replace(witnessed, what=one.what, bundle=one.bundle) for one in header_changes(forger, rng)],
        [replace(witnessed, what=what, bundle=data) for what, data in made_up],
        [replace(good, what=what, bundle=data) for what, data in made_up],
        [replace(good, what=what, bundle=data, policy=None) for what, data in made_up],
        [replace(good, what=what, held=held) for what, held in held_changes(forger, rng)],
        [replace(good, what=what, held=held, bundle=match.pending(match.sizes[-2])) for what, held in forks],
        [replace(good, what=what, held=held) for what, held in forks],
        [replace(good, what=what, policy=policy) for what, policy in policies(forger)],
        [
            replace(
                witnessed,
                what=what,
                bundle=write_bundle(bundle.head, forger.lines, replace(bundle.log, checkpoint=note)),
            )
            for what, note in cosignatures_changed(match.service_log, bundle.log.checkpoint, rng)
        ],
    )
    for cases in kinds:
        yield from cases if count is None else rng.sample(cases, min(count, len(cases)))


def odd(forger: Forger) -> Iterator[Case]:
    """Texts that are nearly what they should be, wherever one is read."""
    match = forger.match
    header, *lines = match.bundle.split(b"\n")[:-1]
    good = Case("odd", match.bundle, match.policy.encode(), forger.true_held)
    for policy in odd_policies(forger):
        yield replace(good, what=f"policy {policy!r}", policy=policy)
    for text in ODD_TEXTS:
        for place in (0, 1, len(lines)):
            spoilt = [header, *lines]
            spoilt[place] = text
            yield replace(good, what=f"line {place} {text[:99]!r}", bundle=b"".join(line + b"\n" for line in spoilt))
        yield replace(good, what=f"held {text[:99]!r}", held=forger.true_held + text + b"\n")
    for note in odd_notes(forger):
        bundle = write_bundle(note, lines, forger.log_part)
        yield replace(good, what=f"head {note!r}", bundle=bundle)
        yield replace(good, what=f"head alone {note!r}", bundle=bundle, held=None)
        held = replace(forger.held, lines=(*forger.held.lines, replace(forger.receipts()[-1], receipt=note)))
        yield replace(good, what=f"receipt {note!r}", held=write_held(held))
    for note, policy in crossed_keys(forger):
        held = replace(forger.held, lines=(replace(forger.receipts()[-1], receipt=note),))
        for file in (None, forger.true_held, write_held(held)):
            bundle = write_bundle(note, lines, forger.log_part)
            yield Case(f"head {note!r}, policy {policy!r}", bundle, policy, file)
            yield Case(f"head {note!r}, no policy", bundle, None, file)


def out_of_place(forger: Forger) -> Iterator[Case]:
    """Events where none of theirs may stand, sealed by the operator, and by everybody."""
    for mutant, way in itertools.product(odd_events(forger), (Way.OPERATOR, Way.EVERYBODY)):
        sealed = forger.seal(mutant, way)
        yield Case(f"{mutant}, {way.value}", sealed.bundle, forger.match.policy.encode(), sealed.held)


def match_of(number: int) -> Played:
    return play(number, ENDINGS[number % len(ENDINGS)])


def match_of_four(number: int) -> Played:
    """Every game for four with each of its endings, the games in turn."""
    game, ending = FOUR[number % len(FOUR)]
    return play(number, ending, game=game)


def forged(forger: Forger, rng: random.Random, count: int) -> Iterator[Case]:
    """So many mutants, each in two of the four ways to pass it off."""
    policy = forger.match.policy.encode()
    for _ in range(count):
        mutant = heaped(forger, rng) if rng.random() < 0.25 else next(some(forger.events, rng, 1))
        for way in rng.sample(ways(forger.match), 2):
            sealed = forger.seal(mutant, way)
            held = sealed.held if rng.random() < 0.8 else rng.choice((None, lying_held(forger, rng)))
            signatures: Signatures = rng.choice(("all", "all", "last"))
            known = rng.choice((None, *[policy] * 6, *[forger.match.witnessed_policy.encode()] * 3))
            yield Case(f"{mutant}, {way.value}", sealed.bundle, known, held, signatures)


def ended(forger: Forger) -> Iterator[Case]:
    """With another end, sealed by the operator."""
    for mutant in tails(forger):
        sealed = forger.seal(mutant, Way.OPERATOR)
        yield Case(f"{forger.match.ending}: {mutant}", sealed.bundle, forger.match.policy.encode(), sealed.held)


def spoilt(forger: Forger, rng: random.Random, count: int) -> Iterator[Case]:
    """So many files that are bent, and held files that lie."""
    match = forger.match
    good = Case("", match.bundle, match.policy.encode(), forger.true_held)
    for number in range(count):
        case = replace(good, what=f"{match.ending} {number}", signatures=rng.choice(("all", "last")))
        luck = rng.random()
        if luck < 0.5:
            case = replace(case, what=f"{case.what} lying", held=lying_held(forger, rng))
        elif luck < 0.7:
            case = replace(case, what=f"{case.what} held", held=bent(forger.true_held, rng))
        elif luck < 0.8:
            case = replace(case, what=f"{case.what} policy", policy=bent(match.policy.encode(), rng))
        else:
            case = replace(case, what=f"{case.what} bundle", bundle=bent(match.bundle, rng))
        yield case
        lines = bent(b"".join(line + b"\n" for line in forger.lines), rng).split(b"\n")[:-1]
        yield replace(case, what=f"{case.what} sealed", bundle=forger.seal_lines(lines, 0, Way.OPERATOR).bundle)


def test_on_matches_of_every_ending() -> None:
    check_agreement([case for number in range(len(ENDINGS)) for case in honest(number)])


def test_on_matches_of_four_of_every_ending() -> None:
    # A fifth of each one's cases, by turns: together they are of every kind.
    check_agreement([case for number in range(len(FOUR)) for case in list(honest_of_four(number))[number % 5 :: 5]])


def test_on_mutants_of_four() -> None:
    rng = random.Random(4)
    check_agreement([case for number in range(len(FOUR)) for case in forged(Forger(match_of_four(number)), rng, 2)])


def test_on_spoilt_files_of_four() -> None:
    rng = random.Random(5)
    check_agreement(
        [case for number in range(0, len(FOUR), 2) for case in spoilt(Forger(match_of_four(number)), rng, 3)]
    )


def test_on_mutants() -> None:
    rng = random.Random(1)
    check_agreement([case for number in range(len(ENDINGS)) for case in forged(Forger(match_of(number)), rng, 12)])


def test_on_lies_about_the_log() -> None:
    rng = random.Random(6)
    for ending in ("target", "seed_missing_0", "cancelled_empty", "cancelled_with_1", "void_in_play"):
        check_agreement(list(about_the_log(Forger(short(ending)), rng, 3)))
    check_agreement(list(about_the_log(Forger(short("resigned")), rng)))


def test_on_matches_without_a_log() -> None:
    rng = random.Random(7)
    matches = [play(number, ending, log=False) for number, ending in enumerate(ENDINGS)]
    check_agreement([case for number, match in enumerate(matches) for case in seen(number, match, matches[number - 1])])
    check_agreement([case for match in matches for case in forged(Forger(match), rng, 4)])
    check_agreement([case for match in matches for case in spoilt(Forger(match), rng, 4)])
    check_agreement([case for match in matches for case in ended(Forger(match))])


def test_on_other_ends() -> None:
    check_agreement([case for number in range(len(ENDINGS)) for case in ended(Forger(match_of(number)))])


def test_on_spoilt_files() -> None:
    rng = random.Random(2)
    check_agreement([case for number in range(len(ENDINGS)) for case in spoilt(Forger(match_of(number)), rng, 12)])


def test_on_odd_texts() -> None:
    check_agreement(list(odd(Forger(match_of(ENDINGS.index("resigned"))))))


def test_on_events_out_of_place() -> None:
    for game in GAMES:
        check_agreement(list(out_of_place(Forger(play(0, "resigned", game=game)))))


def part(chunk: int, whole: int) -> range:
    return range(chunk, max(1, round(SCALE * whole)), CHUNKS)


@pytest.mark.soak
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_on_many_matches_mutants_and_spoilt_files(chunk: int) -> None:
    rng = random.Random(f"two verifiers {chunk}")
    check_agreement([case for number in part(chunk, MATCHES) for case in honest(number)])
    for number in part(chunk, FORGED // 20):
        check_agreement(list(forged(Forger(match_of(number)), rng, 20)))
    for number in part(chunk, MATCHES):
        check_agreement([*ended(forger := Forger(match_of(number))), *about_the_log(forger, rng, 1)])
    for number in part(chunk, MATCHES_OF_FOUR):
        check_agreement([*honest_of_four(number), *ended(Forger(match_of_four(number)))])
    for number in part(chunk, FORGED_OF_FOUR // 10):
        check_agreement(list(forged(Forger(match_of_four(number)), rng, 10)))
        check_agreement(list(spoilt(Forger(match_of_four(number)), rng, 5)))
    for number in part(chunk, BENT // 20):
        check_agreement(list(spoilt(Forger(match_of(number)), rng, 20)))
