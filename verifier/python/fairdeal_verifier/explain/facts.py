"""What `explain` tells, as one JSON object: the deal from its seeds to its marks, or one event of it."""

from hashlib import sha256
from typing import NamedTuple

from fairdeal_verifier import canonical
from fairdeal_verifier.canonical import Json
from fairdeal_verifier.cards import SUITS
from fairdeal_verifier.ed25519 import public_key
from fairdeal_verifier.errors import KeyRefused, SignatureRefused, WrongUsage
from fairdeal_verifier.events import SeatEvent
from fairdeal_verifier.explain.count import score_facts
from fairdeal_verifier.explain.course import Course, PlayedDeal, replay
from fairdeal_verifier.explain.pack import dealer_facts, dealing_facts, pack_facts
from fairdeal_verifier.explain.play import announcements_facts, bidding_facts, choice_facts, tricks_facts
from fairdeal_verifier.files import Bundle
from fairdeal_verifier.rulesets import RULESETS
from fairdeal_verifier.transcript import signed_bytes, signed_size

FORMAT = "fairdeal/explain@1"


class _Span(NamedTuple):
    """The events that are told with a deal: with the first all before it, with the last all after."""

    first: int
    last: int


def explain(bundle: bytes, number: int, place: int | None = None) -> dict[str, Json]:
    """Deal `number` of a bundle, from 1; with `place` the event of that index, which belongs to the deal.

    Raises Malformed, NotRevealed, and WrongUsage when there is no such deal or event.
    """
    course = replay(Bundle.parse(bundle))
    if not 1 <= number <= len(course.deals):
        if course.stopped is not None and number > 0:
            raise WrongUsage("replay_stops", course.stopped.place)
        raise WrongUsage("no_deal", number)
    deal = course.deals[number - 1]
    span = _span(course, number)
    if place is not None and not span.first <= place <= span.last:
        raise WrongUsage("no_event", place)
    terms, stopped = course.bundle.open, course.stopped
    facts: dict[str, Json] = {
        "format": FORMAT,
        "m": terms.m,
        "ruleset": next(name for name, ruleset in RULESETS.items() if ruleset is terms.ruleset),
        "deal": number,
        "events": list(span),
        "stops": None if stopped is None else {"at": stopped.place, "cause": stopped.cause},
    }
    if place is not None:
        return facts | {"event": _event_facts(course, deal, place)}
    return facts | {
        "seeds": _seeds_facts(course),
        "dealer": dealer_facts(course, deal),
        "pack": pack_facts(course, deal),
        "dealing": dealing_facts(terms.ruleset, deal),
        "bidding": bidding_facts(deal),
        "trump": None if deal.state.trump is None else SUITS[deal.state.trump],
        "taker": deal.state.taker,
        "announcements": announcements_facts(deal),
        "tricks": tricks_facts(terms.ruleset, deal),
        "score": score_facts(terms.ruleset, deal, counts_bid=terms.counts_bid),
    }


def _span(course: Course, number: int) -> _Span:
    deals = course.deals
    first = 0 if number == 1 else deals[number - 1].start
    return _Span(first, len(course.bundle.events) - 1 if number == len(deals) else deals[number].start - 1)


def _promise(seed: bytes, commitment: bytes) -> dict[str, Json]:
    digest = sha256(seed).digest()
    return {
        "seed": seed.hex(), "commitment": commitment.hex(), "sha256": digest.hex(), "opens": digest == commitment,
    }  # fmt: skip


def _seeds_facts(course: Course) -> dict[str, Json]:
    return {
        "server": _promise(course.server_seed, course.bundle.open.commitment),
        "table_root": course.table_root.hex(),
        "seats": [_promise(course.seeds[seat], course.joins[seat].seed_commitment) for seat in sorted(course.seeds)],
    }


def _event_facts(course: Course, deal: PlayedDeal, n: int) -> dict[str, Json]:
    """The leaf of an event and, where a seat signed it or a seat's move it is, these."""
    leaf = course.bundle.lines[n]
    event = course.bundle.events[n]
    value = canonical.decode(leaf)
    assert isinstance(value, dict), "a parsed bundle"
    moves = [*deal.moves, course.refused] if course.refused is not None else deal.moves
    move = next((move for move in moves if move.n == n), None)
    return {
        "n": n,
        "type": value["type"],
        "line": leaf.decode(),
        "leaf": sha256(b"\0" + leaf).hexdigest(),
        "root_after": course.roots[n + 1].hex(),
        "signed": _signature_facts(course, n, event) if isinstance(event, SeatEvent) else None,
        "choice": None
        if move is None
        else choice_facts(course.bundle.open.ruleset, deal, move, move is not course.refused),
    }


def _signature_facts(course: Course, n: int, event: SeatEvent) -> dict[str, Json]:
    size = signed_size(event, n, course.bundle.open.seats)
    message = signed_bytes(course.bundle.open.m, event, size)
    key = course.joins[event.by].key  # since a deal was dealt, every seat has joined
    verifies = True
    try:
        public_key(key).check(event.sig, message)
    except (KeyRefused, SignatureRefused):
        verifies = False
    return {
        "seat": event.by,
        "key": key.hex(),
        "size": size,
        "root": event.root.hex(),
        "computed_root": course.roots[size].hex(),
        "bytes": message.hex(),
        "signature": event.sig.hex(),
        "verifies": verifies,
    }
