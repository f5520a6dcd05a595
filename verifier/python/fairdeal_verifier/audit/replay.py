"""One match under its leaves: its events are those that were closed, and keep the rules (protocol 7.6, 6.2)."""

from collections.abc import Sequence

from fairdeal_verifier.audit.courses import Course
from fairdeal_verifier.audit.facts import Facts, facts_of_open
from fairdeal_verifier.audit.keys import lines_of
from fairdeal_verifier.audit.source import Source
from fairdeal_verifier.errors import Broken, FileFault, Malformed
from fairdeal_verifier.events import Dealt
from fairdeal_verifier.files import MAX_FILE_BYTES, parse_events
from fairdeal_verifier.leaves import CloseLeaf
from fairdeal_verifier.log import compare
from fairdeal_verifier.merkle import leaf_hash, roots
from fairdeal_verifier.report import Signatures
from fairdeal_verifier.transcript import Transcript


def read_match(source: Source, course: Course, origin: str, signatures: Signatures) -> Facts | FileFault:
    """What a match says, with what breaks a rule; a fault when its file is not the one logged. Raises NotFetched."""
    path = f"matches/{course.m}.jsonl"
    try:
        lines = lines_of(source.read(path, MAX_FILE_BYTES), path)
        if course.close is not None:
            return _replay(lines, course, course.close, origin, signatures, path)
        if not lines or leaf_hash(lines[0]) != course.open.root:
            raise FileFault("damaged", path, "not the first event that was logged")
        return _read_open(lines[:1], course, origin)
    except FileFault as fault:
        return fault


def _read_open(lines: Sequence[bytes], course: Course, origin: str) -> Facts:
    """Of a match that has not closed, only event 0 is there."""
    try:
        terms, _ = parse_events(lines)
    except Malformed as error:
        return _unread(course, (0, error.cause, 0))
    facts = facts_of_open(lines[0])
    if (terms.m, terms.log) != (course.m, origin):
        facts.fault = (8, "terms", 0)
    elif terms.commitment != course.open.commitment:
        facts.fault = (3, "leaf", 0)
    return facts


def _replay(
    lines: Sequence[bytes], course: Course, close: CloseLeaf, origin: str, signatures: Signatures, path: str
) -> Facts | FileFault:
    try:
        terms, events = parse_events(lines)
    except Malformed as error:
        if len(lines) != close.size or roots(lines)[close.size] != close.root:
            raise FileFault("damaged", path, "not the events that were closed") from None
        return _unread(course, (0, error.cause, error.place))
    copy = Transcript(terms, events, lines, close)
    if len(lines) != close.size or copy.roots[close.size] != close.root:
        raise FileFault("damaged", path, "not the events that were closed")
    facts = facts_of_open(lines[0])
    facts.take(events, lines)
    try:
        _check_leaves(copy, course, close, origin)
        facts.signatures = copy.check_seat_signatures(signatures)
        server_seed = copy.check_commitment()
        copy.check_seat_seeds()
        copy.check_course(server_seed)
    except Broken as broken:
        facts.fault = (broken.step, broken.cause, broken.place)
    return facts


def _check_leaves(copy: Transcript, course: Course, close: CloseLeaf, origin: str) -> None:
    """Raises Broken. The tree has all leaves, so that one that is missing was never logged."""
    terms = copy.open
    if course.open.root != copy.roots[1]:
        raise Broken(2, "leaf", 0)
    if (course.full is None and copy.seated) or (course.start is None and copy.first(Dealt) is not None):
        raise Broken(2, "leaf_missing", None)
    for leaf in (course.open, course.full, course.start, close):
        if leaf is not None:
            compare(leaf, copy)
    if (terms.m, terms.log) != (course.m, origin):
        raise Broken(8, "terms", 0)


def _unread(course: Course, fault: tuple[int, str, int | None]) -> Facts:
    """Of a match whose logged events have not their form."""
    return Facts(course.m, 0, 0, "", "", 0, 0, fault=fault)
