"""What the server says, folded event by event, with everything that our seat can check (protocol section 2.10).

Pure: what it is given and what it returns is all there is.
"""

from dataclasses import dataclass, replace
from typing import Final

from fairdeal.belote import Declare, Says, Shown, announcement_of, card_set
from fairdeal.cards import parse_card
from fairdeal.client.answers import Parsed
from fairdeal.client.errors import Contradiction, Finding
from fairdeal.client.hand import OwnHand, after_move, check_declare, check_move, check_show, dealt, shown
from fairdeal.commit import Seed
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
from fairdeal.match import (
    Event,
    MatchState,
    Terms,
    check_signature,
    due_leaves,
    evolve,
    legal,
    open_receipt,
    view_message,
)
from fairdeal.tlog import Checkpoint, VerifierKey

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
    """A match as our seat knows it between two events; `leaves` are those that its events make due in the log."""

    state: MatchState | None
    hand: OwnHand
    leaves: tuple[bytes, ...] = ()
    server_seed: Seed | None = None


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
    seed = Seed.from_hex(event.data["server_seed"]) if event.type == "reveal" else watched.server_seed
    return Watched(after, hand, (*watched.leaves, *due_leaves(before, after, seed)), seed), event


def check_signed(answer: Parsed, terms: Terms, key: VerifierKey, seat: int, root: bytes) -> None:
    """Raises Contradiction unless receipt and view are signed, and are those of this seat, the answer's size and root.

    `key` signs the receipts and views of the match.
    """
    size = answer.size
    try:
        told = open_receipt(answer.receipt, key)
        if (told.origin, told.size) != (terms.origin, size):
            raise Malformed("the receipt is for another match or size")
    except FairdealError as error:
        raise Contradiction(Finding.RECEIPT, size - 1, error.message) from error
    if told != Checkpoint(terms.origin, size, root):
        raise Contradiction(Finding.ROOT, size - 1, "the receipt's root is not that of the events")
    try:
        key.public.verify(answer.sig, view_message(answer.view))
        if (answer.view["m"], answer.view["seat"], answer.view["size"]) != (terms.m, seat, size):
            raise Malformed("the view is for another match, seat or size")
    except FairdealError as error:
        raise Contradiction(Finding.VIEW, size - 1, error.message) from error


def after_view(watched: Watched, answer: Parsed) -> Watched:
    """The match with our hand as the view of its size shows it. Raises Contradiction when that cannot be our hand."""
    state, size = watched.state, answer.size
    assert state is not None
    try:
        cards = [parse_card(card) for card in answer.view["hand"]]
        if cards != sorted(set(cards)):
            raise Malformed("a hand in another order, or with a card twice")
        hand = shown(watched.hand, state.deal, card_set(cards))
    except Malformed as error:
        raise Contradiction(Finding.SHOWN_HAND, size - 1, error.message) from error
    except Contradiction as error:
        raise Contradiction(error.finding, size - 1, error.message) from None
    if answer.view["legal"] != legal(state, hand.seat, hand.held):
        raise Contradiction(Finding.SHOWN_LEGAL, size - 1, "the legal list is not that of our hand")
    return replace(watched, hand=hand)


def check_deadline(watched: Watched, answer: Parsed) -> None:
    """The countdown shown is the one that the events fix; before the last join it is the server's own affair. A match
    that a restored store has lost has none.

    Raises Contradiction.
    """
    state = watched.state
    if state is not None and state.deadline is not None and answer.deadline not in (None, state.deadline):
        raise Contradiction(Finding.CLOCK, state.size - 1, "the deadline shown is not that of the events")


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
