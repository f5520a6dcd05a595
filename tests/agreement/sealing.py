"""What a forger can do with a mutant, and what the service's own fold says about it.

The fold of `fairdeal.match` shares no code with the verifier: where it takes a mutant to its end, nothing that was
signed and no rule speaks against it.
"""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from fairdeal import canonical
from fairdeal.belote import VALUES, Features, Ruleset
from fairdeal.errors import FairdealError, KeyRefused, Malformed
from fairdeal.keys import SigningKey
from fairdeal.match import (
    Event,
    HeldLine,
    HeldLog,
    MatchState,
    SignedAction,
    Terms,
    check_signature,
    evolve,
    parse_bundle,
    parse_held,
    receipt_name,
    view,
    view_message,
    write_bundle,
    write_held,
)
from fairdeal.tlog import Checkpoint, Frontier, NoteSigner, leaf_hash, sign_note
from tests.agreement.made_up import MadeUp, make_up, seen_again
from tests.agreement.mutants import EventDict, Mutant
from tests.simulator import Played


class Way(Enum):
    """How a mutant is passed off. A log made up afterwards has the true one's other leaves, and no cosignature."""

    AS_IS = "as it is"
    TRUE_LOG = "resealed by the operator, under the true log"
    OPERATOR = "resealed by the operator with a log made up afterwards, with a held file to match"
    TRUE_HELD = "resealed by the operator with a log made up afterwards, against the true held file"
    EVERYBODY = "resealed by the operator with a log made up afterwards and all seats, with a held file to match"


LINES_KEPT = 16
"""Of a held file, at most: half the time of a check are its signatures."""
_SEATS = ("dealer", "seat", "taker")
_SIDES = ("belote", "winner")
_BY_SIDE = ("points", "tricks", "marks", "totals")
_DOUBLES = (1, 2, 4)


def signed_size(event: EventDict, seats: int) -> int:
    """The size that a seat's event signs; 0 for the server's (protocol 2.4)."""
    return {"join": 1, "seed": seats + 1, "act": event["n"]}.get(event["type"], 0)


def ways(match: Played) -> list[Way]:
    """All that there are for this match."""
    return [way for way in Way if match.log is not None or way is not Way.TRUE_LOG]


@dataclass(frozen=True, slots=True)
class Sealed:
    """A mutant's files, and its event lines as they stand there."""

    bundle: bytes
    held: bytes
    lines: list[bytes]


def _fits(event: Event, ruleset: Ruleset) -> bool:
    """The schema of the service holds for events of any game; this is what one game's have to be besides."""
    data, features = event.data, ruleset.features
    numbered = [data, data.get("contract") or {}, *(data.get("announcements", ()) if event.type == "show" else ())]
    seats = [event.by, *(one.get(name) for one in numbered for name in _SEATS), *data.get("missing", ())]
    sides = [data.get(name) for name in _SIDES]
    accounts = sorted(line["account"] for line in data.get("lines", ()))
    return (
        all(seat is None or seat < ruleset.players for seat in seats)
        and all(side is None or side < ruleset.sides for side in sides)
        and {len(data[name]) for name in _BY_SIDE if name in data} <= {ruleset.sides}
        and accounts in ([], sorted(["pot", *(f"seat:{seat}" for seat in range(ruleset.players)), "commission", "tax"]))
        and (event.type != "deal" or ("turned" in data) == features.turned)
        and (event.type != "show" or features.announcements)
        and (event.type != "score" or _score_fits(data, features))
        and _does(data.get("do"), event.type, ruleset)
    )


def _score_fits(data: dict[str, Any], features: Features) -> bool:
    own = {"announcements": features.announcements, "contract": features.contract, "pot": features.litige}
    contract = data.get("contract") or {"double": 1, "value": VALUES[0]}
    return (
        all((name in data) == has for name, has in own.items())
        and len(data.get("announcements", _DOUBLES[:2])) == 2
        and data["outcome"] in features.outcomes
        and contract["double"] in _DOUBLES
        and contract["value"] in VALUES
    )


def _does(do: dict[str, Any] | None, kind: str, ruleset: Ruleset) -> bool:
    """Whether an act or a timeout does what is an action of this game."""
    if do is None or kind in ("join", "seed") or "resign" in do:
        return True
    try:
        ruleset.from_do(do)
    except Malformed:
        return False
    return True


class Forger:
    """One honest match with all its secrets, and the held file of the lowest seat that joined.

    Of a long match that seat saw some sizes only, the last one among them, as a client that was away at times.
    """

    def __init__(self, match: Played) -> None:
        self.match = match
        self.events: tuple[EventDict, ...] = tuple(json.loads(event.line) for event in match.events)
        self.lines = [event.line for event in match.events]
        self.seats = match.state.terms.seats
        self.seat = next((seat for seat, joined in enumerate(match.state.joined) if joined), 0)
        held = parse_held(match.held[self.seat])
        receipts = [line for line in held.lines if isinstance(line, HeldLine)]
        kept = receipts[:: -(len(receipts) // LINES_KEPT + 1)]
        self.held = replace(held, lines=tuple(line for line in held.lines if isinstance(line, HeldLog) or line in kept))
        self.true_held = write_held(self.held)
        bundle = parse_bundle(match.bundle)
        self.head, self.log_part = bundle.head, bundle.log
        self.origin = match.state.terms.origin
        self.signer = NoteSigner(receipt_name(match.state.terms.log), match.keys.receipts)
        self.secrets = {key.public.hex: key for key in (*match.keys.seats, match.keys.receipts)}
        # The states behind each prefix: a mutant is folded from its first changed event on.
        self.states: list[MatchState | None] = [None]
        for event in match.events:
            self.states.append(evolve(self.states[-1], event, match.keys.server_seed))

    def held_sizes(self) -> list[int]:
        """The sizes of the held file's receipts, ascending."""
        return [line.view["size"] for line in self.receipts()]

    def receipts(self) -> list[HeldLine]:
        """The held file's receipt lines."""
        return [line for line in self.held.lines if isinstance(line, HeldLine)]

    def held_log_lines(self) -> bytes:
        """The true held file of somebody who kept what the log showed, and no receipt."""
        return write_held(
            replace(self.held, lines=tuple(line for line in self.held.lines if isinstance(line, HeldLog)))
        )

    def frontier(self, size: int) -> Frontier:
        state = self.states[size]
        return Frontier() if state is None else state.frontier

    def seal(self, mutant: Mutant, way: Way) -> Sealed:
        """The mutant as `way` passes it off."""
        if way is Way.AS_IS:
            lines = self._encoded(mutant.events)
            return Sealed(write_bundle(self.head, lines, self.log_part), self.true_held, lines)
        lines = self._encoded(mutant.events)
        # In a text that step 0 refuses there is nothing to sign.
        if way is Way.EVERYBODY and not self.is_malformed(lines, mutant.place):
            lines = self._encoded(self._signed(mutant.events, mutant.place))
        return self.seal_lines(lines, mutant.place, way)

    def _encoded(self, events: tuple[EventDict, ...]) -> list[bytes]:
        honest = dict(zip(map(id, self.events), self.lines, strict=True))
        return [honest.get(id(event)) or canonical.encode(event) for event in events]

    def seal_lines(self, lines: list[bytes], place: int, way: Way) -> Sealed:
        """A new head over these lines, whatever they are; a new held file too, unless the way keeps the true one.

        An operator alone leaves the true views in it: an honest client has checked them. The seat itself takes others.
        """
        views = self._views(lines, place) if way is Way.EVERYBODY else {}
        frontiers = [self.frontier(place)]
        for line in lines[place:]:
            frontiers.append(frontiers[-1].append(leaf_hash(line)))
        if way is Way.TRUE_LOG:
            return Sealed(write_bundle(self._receipt(frontiers[-1]), lines, self.log_part), self.true_held, lines)
        made = self._make_up(lines, lambda size: self.frontier(size) if size < place else frontiers[size - place])
        bundle = write_bundle(self._receipt(frontiers[-1]), lines, None if made is None else made.part())
        if way is Way.TRUE_HELD:
            return Sealed(bundle, self.true_held, lines)
        shown: list[HeldLine | HeldLog] = []
        for line in self.held.lines:
            if isinstance(line, HeldLog):
                assert made is not None
                shown.append(made.held(line))
                continue
            size = line.view["size"]
            if size <= place:
                shown.append(line)
            elif size <= len(lines):
                seen = line.view | views.get(size, {})
                sig = self.match.keys.receipts.sign(view_message(seen)).hex() if seen != line.view else line.sig
                shown.append(HeldLine(self._receipt(frontiers[size - place]), sig, seen))
        return Sealed(bundle, write_held(replace(self.held, lines=tuple(shown))), lines)

    def _make_up(self, lines: list[bytes], frontier: Callable[[int], Frontier]) -> MadeUp | None:
        if self.match.log is None:
            return None
        honest = dict(zip(self.lines, self.events, strict=True))
        events: list[EventDict] = []
        for line in lines:
            try:
                events.append(honest.get(line) or json.loads(line))
            except ValueError:
                break
        return make_up(self.match, events, lambda size: frontier(size).root())

    def _views(self, lines: list[bytes], place: int) -> dict[int, dict[str, Any]]:
        """Size → what the service would show of this history, as far as its fold takes it."""
        views = {}
        state = self.states[place]
        for size, line in enumerate(lines[place:], place + 1):
            try:
                state = evolve(state, Event.parse(line), self.match.keys.server_seed)
            except FairdealError:
                break
            seen = view(state, self.seat)
            views[size] = {"hand": seen["hand"], "legal": seen["legal"]}
        return views

    def _receipt(self, frontier: Frontier) -> str:
        return sign_note(Checkpoint(self.origin, frontier.size, frontier.root()).body(), self.signer)

    def _signed(self, events: tuple[EventDict, ...], place: int) -> tuple[EventDict, ...]:
        """Every seat event from `place` on signed again, over the new history."""
        done = list(events[:place])
        frontiers = [self.frontier(size) for size in range(place + 1)]
        if place == 0 and self.match.log is not None:
            events = self._seen_again(events)
        for event in events[place:]:
            if signed_size(event, self.seats):
                event = self._sign(event, [*done, event], frontiers)
            done.append(event)
            frontiers.append(frontiers[-1].append(leaf_hash(canonical.encode(event))))
        return tuple(done)

    def _seen_again(self, events: tuple[EventDict, ...]) -> tuple[EventDict, ...]:
        """With another first event the log has another leaf, and the seats have seen another log."""
        terms, root = events[0]["data"], leaf_hash(canonical.encode(events[0])).hex()
        leaf = {"commitment": terms["commitment"], "m": terms["m"], "root": root, "type": "open"}
        again, done = seen_again(self.match, leaf), []
        for event in events:
            if event["type"] == "join":
                event = deepcopy(event)
                join = event["data"]["do"]["join"]
                join["seen"] = again(join["seen"])
            done.append(event)
        return tuple(done)

    def _sign(self, event: EventDict, so_far: Sequence[EventDict], frontiers: Sequence[Frontier]) -> EventDict:
        size, seat = signed_size(event, self.seats), event["by"]
        if size >= len(frontiers):
            return event
        signed = SignedAction.sign(
            self._key(so_far, seat),
            so_far[0]["data"]["m"],
            event["data"]["do"],
            frontiers[size].root().hex(),
            seat,
            size,
        )
        return event | {"data": event["data"] | {"root": signed.root, "sig": signed.sig}}

    def _key(self, events: Sequence[EventDict], seat: int) -> SigningKey:
        """The secret of the key that the seat joined with, if the forger has it, else the seat's own."""
        joins = [event for event in events if event["type"] == "join" and event["by"] == seat]
        key = joins[0]["data"]["do"]["join"]["key"] if joins else None
        return self.secrets.get(key, self.match.keys.seats[seat])  # type: ignore[arg-type]

    def is_malformed(self, lines: list[bytes], place: int) -> bool:
        """Whether a line does not fit the schema by itself, by the service's own reading."""
        ruleset = self.match.state.terms.ruleset
        for index, line in enumerate(lines[place:], place):
            if line in self.lines[index : index + 1] and ruleset is self.match.state.terms.ruleset:
                continue
            try:
                event = Event.parse(line)
            except KeyRefused:
                continue
            except Malformed:
                return True
            if index == 0 and event.type == "open":
                ruleset = Terms.parse(event.data).ruleset
            if event.n != index or (index == 0 and event.type != "open") or not _fits(event, ruleset):
                return True
        return not lines

    def refused_at(self, lines: list[bytes], place: int, held: bytes) -> int | None:
        """The first event that the service's fold refuses, or after which a held view is not what the service shows.

        None when the fold takes all of them. The lines are well-formed.
        """
        views: dict[int, list[dict[str, Any]]] = {}
        for shown in parse_held(held).lines:
            if isinstance(shown, HeldLog):
                continue
            views.setdefault(shown.view["size"], []).append(shown.view)
        state = self.states[place]
        for index, line in enumerate(lines[place:], place):
            try:
                event = Event.parse(line)
                if state is not None:
                    check_signature(state, event)
                state = evolve(state, event, self.match.keys.server_seed)
            except FairdealError:
                return index
            terms = state.terms
            if (terms.origin, terms.receipt_key) != (self.origin, self.match.keys.receipts.public):
                return index
            if any(shown != view(state, shown["seat"]) for shown in views.get(index + 1, ())):
                return index
        return None
