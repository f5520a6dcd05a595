"""What the verifier must say of each mutant, and exactly which it cannot see.

The service's fold decides which mutants break nothing (`Forger.refused_at`); `unseen_kind` lists which those are, and
docs/limitations.md tells the reader. Both must agree with the verifier on every single mutant. Who asks for witnesses,
or kept what the log showed, sees those too: only a copy cut before its end is left to them.
"""

from collections import Counter

from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal_verifier import Policy, Report, verify
from tests.agreement.made_up import is_closed
from tests.agreement.mutants import TIMES, EventDict, Mutant
from tests.agreement.sealing import Forger, Sealed, Way, signed_size, ways

UNSEEN = ("verified", "unchecked", "pending")


class Judge:
    """Checks mutants of one match; `caught` counts the steps that were the first to see one, `unseen` what none saw."""

    def __init__(self, forger: Forger) -> None:
        self.forger = forger
        self.policy = Policy.parse(forger.match.policy.encode())
        self.witnessed_policy = Policy.parse(forger.match.witnessed_policy.encode())
        self.caught: Counter[int] = Counter()
        self.unseen: Counter[tuple[str, ...]] = Counter()

    def judge(self, mutant: Mutant) -> None:
        """Every way to pass it off."""
        for way in ways(self.forger.match):
            sealed = self.forger.seal(mutant, way)
            # A changed signature is put right by whoever can sign.
            if sealed.lines != self.forger.lines:
                self._judge(mutant, way, sealed)

    def _judge(self, mutant: Mutant, way: Way, sealed: Sealed) -> None:
        malformed = self.forger.is_malformed(sealed.lines, mutant.place)
        # Step 0 looks at no key: the other ways give the bytes of the operator's.
        if malformed and way not in (Way.AS_IS, Way.OPERATOR):
            return
        if way is Way.TRUE_LOG:
            report = verify(sealed.bundle, self.witnessed_policy, None)
        else:
            report = verify(sealed.bundle, self.policy, sealed.held)
        told = f"{mutant}, {way.value}: {report}"
        if report.step is not None:
            self.caught[report.step] += 1
        if malformed:
            assert (report.verdict, report.step) == ("malformed", 0), told
        elif way is Way.AS_IS:
            assert report.verdict == "altered", told
            assert report.step == 3 or (self.forger.match.log is not None and report.step in (1, 2)), told
        elif way is Way.TRUE_LOG:
            self._judge_under_the_true_log(mutant, report, told)
        elif self._is_another_log(mutant):
            assert (report.verdict, report.step) == ("altered", 1), told
        elif (place := self._unseen_before(mutant, way)) is not None:
            found = (report.verdict, report.step, report.cause, report.broken_at)
            assert found == ("altered", 2, "consistency", place), told
        else:
            self._judge_resealed(mutant, way, sealed, report, told)

    def _is_another_log(self, mutant: Mutant) -> bool:
        """Of a log that the policy does not list, or under a key that did not sign the head."""
        logged = self.forger.match.log is not None
        return logged and mutant.place == 0 and mutant.path[-1:] in (("log",), ("receipt_key",))

    def _unseen_before(self, mutant: Mutant, way: Way) -> int | None:
        """The first `join` whose seat had not seen the log that was made up; None when they all had."""
        if self.forger.match.log is None:
            return None
        joins = [event["n"] for event in mutant.events if event["type"] == "join"]
        if "seen" in mutant.path:
            join = mutant.events[mutant.place]["data"]["do"]["join"]
            return mutant.place if join["seen"]["size"] else None
        return joins[0] if mutant.place == 0 and joins and way is not Way.EVERYBODY else None

    def _judge_under_the_true_log(self, mutant: Mutant, report: Report, told: str) -> None:
        """The `close` leaf has the root of everything: nothing is left to hide, and a cut is told."""
        assert report.verdict in ("altered", "cheated"), told
        assert report.step in (1, 2, 3), told
        if mutant.place == 0 and report.step != 1:
            assert (report.verdict, report.step, report.cause) == ("altered", 2, "leaf"), told
            assert report.broken_at == (None if mutant.path == ("data", "m") else 0), told
        if report.verdict == "cheated":
            assert (report.step, report.cause) == (3, "leaf"), told
            assert report.broken_at is not None, told
            assert mutant.place <= report.broken_at <= len(mutant.events), told

    def _judge_resealed(self, mutant: Mutant, way: Way, sealed: Sealed, report: Report, told: str) -> None:
        if report.cause == "leaf":
            # No leaf of a log made up could say it: that seeds are missing of which none is.
            assert mutant.path == ("data", "reason"), told
            assert (report.verdict, report.broken_at) == ("cheated", len(sealed.lines) - 1), told
            return
        # Beyond the end of a closed copy there can be nothing; beside one that is not closed, there can.
        most = MAX_SAFE_INTEGER if is_closed(mutant.events) else len(sealed.lines)
        held = [size for size in self.forger.held_sizes() if mutant.place < size <= most]
        if way is Way.TRUE_HELD and held:
            found = (report.verdict, report.step, report.cause, report.broken_at)
            assert found == ("cheated", 3, "fork", min(held[0] - 1, len(sealed.lines))), told
            return
        if way is Way.TRUE_HELD and self.forger.match.log is not None and is_closed(mutant.events):
            assert (report.verdict, report.step, report.cause, report.broken_at) == ("cheated", 3, "log_fork", None), (
                told
            )
            return
        refused = self.forger.refused_at(sealed.lines, mutant.place, sealed.held)
        if report.cause == "log_fork":
            assert (way, report.verdict) == (Way.TRUE_HELD, "cheated"), told
            return
        if not is_closed(mutant.events):
            assert report.verdict == "pending" or report.step in (4, 6), told
            assert report.verdict != "pending" or refused is None or _owes_settlement(mutant), told
        else:
            assert report.verdict != "pending", told
            assert (report.verdict in UNSEEN) == (refused is None), told
        if report.verdict in UNSEEN:
            kind = unseen_kind(self.forger, mutant, way)
            assert kind, f"not in the list: {told}"
            self.unseen[way.name, kind, report.verdict] += 1
            if self.forger.match.log is not None:
                self._judge_with_more(mutant, way, sealed, told)
            return
        assert report.verdict == "cheated", told
        assert report.broken_at is not None, told
        if report.step in (7, 8, 9, 10):
            assert report.broken_at == refused, told
        assert self._first_place(mutant, report) <= report.broken_at <= self._last_place(mutant, way, report), told
        if way is Way.OPERATOR and mutant.place < signed_until(mutant.events, self.forger.seats):
            assert report.step == 4, told

    def _judge_with_more(self, mutant: Mutant, way: Way, sealed: Sealed, told: str) -> None:
        """What nobody saw, for somebody who asks for witnesses, and for somebody who kept what the log had shown."""
        witnessed = verify(sealed.bundle, self.witnessed_policy, None)
        shown = verify(sealed.bundle, self.policy, self.forger.held_log_lines())
        if is_closed(mutant.events):
            assert (witnessed.verdict, witnessed.cause) == ("unchecked", "no_anchor"), told
            assert (shown.verdict, shown.cause, shown.broken_at) == ("cheated", "log_fork", None), told
        else:
            assert witnessed.verdict == "pending", told
            assert shown.verdict == "pending" or (shown.verdict, shown.cause) == ("cheated", "log_fork"), told

    def _first_place(self, mutant: Mutant, report: Report) -> int:
        """The changed event; where its own root is what is wrong, the end of the history which that root is of."""
        changed = mutant.events[mutant.place : mutant.place + 1]
        size = signed_until(changed, self.forger.seats)
        return min(mutant.place, size - 1) if report.cause == "signed_root" and size else mutant.place

    def _last_place(self, mutant: Mutant, way: Way, report: Report) -> int:
        """Up to the first seat event that signs the changed history; the steps after the fourth are exact already."""
        events, seats = mutant.events, self.forger.seats
        if report.step != 4 or way is Way.EVERYBODY:
            return len(events)
        signed = ((n, signed_size(event, seats)) for n, event in enumerate(events))
        # The root that a seed signs too early is of a size beyond it.
        return next((max(n, size - 1) for n, size in signed if size > mutant.place), len(events))


def signed_until(events: tuple[EventDict, ...], seats: int) -> int:
    """The largest size that a seat signed."""
    return max((signed_size(event, seats) for event in events), default=0)


def _owes_settlement(mutant: Mutant) -> bool:
    """A closed match without a stake that now has one: its settlement is to come, so no rule is looked at yet."""
    return mutant.path == ("data", "stake") and mutant.events[-1]["type"] == "reveal"


def unseen_kind(forger: Forger, mutant: Mutant, way: Way) -> str | None:
    """Which entry of the list a mutant that breaks nothing is; None when no entry has it.

    Against the true held file only the cut. Resealed by the operator, what stands at or beyond the largest size that a
    seat signed. By everybody: a different match that keeps the rules.
    """
    place, events = mutant.place, mutant.events
    if place == len(events):
        return "cut"
    if way is Way.TRUE_HELD or (way is Way.OPERATOR and place < signed_until(events, forger.seats)):
        return None
    event, replaced = events[place], forger.events[min(place, len(forger.events) - 1)]
    if mutant.path:
        return _changed_member(forger, mutant, way, event)
    types = {event["type"], replaced["type"]}
    end = next(event["data"] for event in events if event["type"] == "end")
    by_operator = end["reason"] == "cancelled" or end.get("cause") == "operator"
    if "resume" in types:
        return "outage"
    if mutant.what.startswith("swap") and (len(types) == 1 or way is Way.EVERYBODY):
        return "order"
    if any("missing" in one["data"] for one in (event, replaced)):
        return "seed period"
    if by_operator and mutant.what == "delete":
        return "left out before the operator's end"
    moved = replaced if mutant.what == "delete" else event
    if way is Way.EVERYBODY and moved["type"] in ("act", "timeout"):
        return "action"
    return None


def _changed_member(forger: Forger, mutant: Mutant, way: Way, event: EventDict) -> str | None:
    path, dealt = mutant.path, any(event["type"] == "deal" for event in forger.events)
    if path[-1] in TIMES:
        return "time"
    if way is Way.EVERYBODY and _owes_settlement(mutant):
        return "stake"
    # What every deal is derived from is seen in the first one.
    if event["type"] == "open" and not dealt:
        return "terms"
    if way is Way.EVERYBODY and event["type"] == "join" and not dealt:
        return "player"
    if way is Way.EVERYBODY and event["type"] == "act" and ("do" in path or path == ("by",)):
        return "action"
    return None
