"""Folding what the server says, event by event, with everything that our seat can check (protocol section 2.10).

Pure: what it is given and what it returns is all there is.
"""

from dataclasses import dataclass
from typing import Final

from fairdeal.belote import Declare, Says, Shown, announcement_of, card_set
from fairdeal.cards import parse_card
from fairdeal.client.errors import Contradiction, Finding
from fairdeal.client.hand import OwnHand, after_move, check_declare, check_move, check_show, dealt
from fairdeal.errors import (
    CommitmentMismatch,
    CommitmentReused,
    FairdealError,
    IllegalAction,
    KeyRefused,
    Late,
    Malformed,
    NotYourTurn,
    RootMismatch,
    RuleBroken,
    SignatureInvalid,
)
from fairdeal.match import Event, MatchState, check_signature, evolve

_FINDINGS: Final[tuple[tuple[type[FairdealError], Finding], ...]] = (
    (Malformed, Finding.SCHEMA),
    (SignatureInvalid, Finding.SEAT_SIGNATURE),
    (RootMismatch, Finding.SIGNED_ROOT),
    (KeyRefused, Finding.SEAT_KEY),
    (CommitmentReused, Finding.DUPLICATE),
    (CommitmentMismatch, Finding.SEAT_SEED),
    (NotYourTurn, Finding.TURN),
    (Late, Finding.CLOCK),
)
"""What a refusal of an event means; every other refusal is for a wrong place in the order."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A match as our seat knows it between two events."""

    state: MatchState | None
    hand: OwnHand


def fold(watched: Watched, line: bytes) -> tuple[Watched, Event]:
    """The next event's line, checked and folded. Raises Contradiction with the event's place."""
    before, hand = watched.state, watched.hand
    place = 0 if before is None else before.size
    try:
        event = Event.parse(line)
        after = evolve(before, event, None)
        if before is not None:
            check_signature(before, event)
            hand = _follow(hand, before, event, after)
    except Contradiction as error:
        raise Contradiction(error.finding, place, error.message) from None
    except FairdealError as error:
        raise Contradiction(_finding(error, before), place, error.message) from error
    return Watched(after, hand), event


def _follow(hand: OwnHand, before: MatchState, event: Event, after: MatchState) -> OwnHand:
    rules = before.terms.ruleset
    if event.type == "deal" and after.deal is not None:
        return dealt(hand.seat, after.deal, rules)
    if event.type in ("score", "end"):
        return OwnHand(hand.seat)
    deal, do = before.deal, event.data.get("do", {})
    if event.type == "show" and deal is not None:
        check_show(hand, deal, rules, _shown_in(event))
    if event.type not in ("act", "timeout") or not do.keys() & {"bid", "card", "declare"}:
        return hand
    assert deal is not None
    action = rules.from_do(do)
    if action is Declare.DECLARE:
        check_declare(hand, deal, rules, event.by)
        return hand
    says = Says(event.data["says"]) if "says" in event.data else None
    check_move(hand, deal, rules, action, says, event.type == "timeout")
    return after_move(hand, deal, rules.apply_public(deal, action, says), rules, action)


def _shown_in(event: Event) -> Shown:
    """The announcements of a `show` event."""
    return tuple(
        (one["seat"], announcement_of(card_set(map(parse_card, one["cards"])))) for one in event.data["announcements"]
    )


def _finding(error: FairdealError, before: MatchState | None) -> Finding:
    reason = error.details.get("reason")
    if isinstance(error, RuleBroken) and reason in _VALUES:
        return Finding(reason)
    if isinstance(error, IllegalAction):
        return Finding.SAYS if reason == "false_announcement" else Finding.ILLEGAL
    if isinstance(error, CommitmentMismatch) and before is not None and before.ending is not None:
        return Finding.COMMITMENT
    return next((finding for kind, finding in _FINDINGS if isinstance(error, kind)), Finding.ORDER)


_VALUES: Final = frozenset(finding.value for finding in Finding)
