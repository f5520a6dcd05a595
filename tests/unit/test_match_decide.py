"""What a command brings, and why one is refused (protocol sections 2.4 to 2.7)."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fairdeal.belote import cards_in
from fairdeal.cards import format_card
from fairdeal.commit import Seed, commitment
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
    Stale,
    WrongPhase,
)
from fairdeal.keys import PublicKey, SigningKey
from fairdeal.match import (
    Cancel,
    Command,
    Event,
    Move,
    Phase,
    Resume,
    SignedAction,
    Tick,
    Void,
    decide,
    open_match,
    receipt_key,
    retry_of,
    view,
)
from tests.simulator import Table, new_table

CLOCK = {"decision_ms": 30_000, "overruns": 3, "grace_ms": 250, "pause_ms": 4_000, "outage_ms": 5_000}


def table(stake: int = 500, **options: Any) -> Table:
    return new_table(random.Random(7), {"stake": stake, "target": 301, "clock": CLOCK, **options})


def lines(it: Table) -> list[bytes]:
    return [event.line for event in it.events]


def joined(**options: Any) -> Table:
    it = table(**options)
    it.join(0)
    it.join(1)
    return it


def in_play(**options: Any) -> Table:
    it = joined(**options)
    it.send_seed(0)
    it.send_seed(1)
    return it


def types(events: tuple[Event, ...]) -> list[str]:
    return [event.type for event in events]


def refused(it: Table, command: Command, error: type[FairdealError], at: int | None = None) -> FairdealError:
    """The refusal; nothing was changed by it."""
    before = it.state
    with pytest.raises(error) as raised:
        decide(it.state, command, it.now if at is None else at, it.keys.server_seed)
    assert type(raised.value) is error
    assert it.state is before
    return raised.value


def first_legal(it: Table) -> tuple[int, dict[str, Any]]:
    assert it.state.turn is not None
    return it.state.turn, view(it.state, it.state.turn)["legal"][0]


def play_on(it: Table, wanted: Callable[[Table], bool]) -> None:
    while not wanted(it):
        it.act(*first_legal(it))


def with_torsion(key: PublicKey) -> PublicKey:
    """A key that is not of low order and yet unfit: (x, y) and the point of order two add up to (−x, −y)."""
    good = int.from_bytes(key.raw, "little")
    y, sign = good & ~(1 << 255), good >> 255
    return PublicKey(((2**255 - 19 - y) | (1 - sign) << 255).to_bytes(32, "little"))


class TestJoining:
    def test_the_last_join_fixes_the_table_root_and_starts_the_clock(self) -> None:
        it = table()
        it.join(1)
        assert (it.state.phase, it.state.full, it.state.deadline) == (Phase.JOINING, False, None)
        it.join(0)
        assert (it.state.phase, it.state.full) == (Phase.SEEDS, True)
        assert it.state.table_root == it.state.root
        assert it.state.deadline == it.state.last_t + 30_000

    def test_a_seat_joins_once(self) -> None:
        it = table()
        it.join(0)
        refused(it, Move(it.signed(0, it.join_do(0))), Stale)

    def test_nobody_joins_a_full_table(self) -> None:
        it = joined()
        refused(it, Move(it.signed(0, it.join_do(0))), WrongPhase)

    def test_a_seat_that_the_table_has_not(self) -> None:
        it = table()
        action = it.signed(0, it.join_do(0))
        stranger = SignedAction.sign(it.keys.seats[0], it.terms.m, action.do, action.root, 2, 1)
        refused(it, Move(stranger), Malformed)

    def test_a_join_is_signed_over_the_open_event(self) -> None:
        it = table()
        key, do = it.keys.seats[0], it.join_do(0)
        refused(it, Move(SignedAction.sign(key, it.terms.m, do, "00" * 32, 0, 1)), RootMismatch)
        refused(it, Move(SignedAction.sign(key, it.terms.m, do, it.state.join_root.hex(), 0, 2)), Malformed)

    def test_a_join_is_signed_by_its_own_key_in_its_own_match(self) -> None:
        it = table()
        do, root = it.join_do(0), it.state.join_root.hex()
        refused(it, Move(SignedAction.sign(it.keys.seats[1], it.terms.m, do, root, 0, 1)), SignatureInvalid)
        refused(it, Move(SignedAction.sign(it.keys.seats[0], "0" * 32, do, root, 0, 1)), SignatureInvalid)

    def test_a_weak_key_does_not_join(self) -> None:
        it = table()
        for weak in ("01" + "00" * 31, with_torsion(it.keys.seats[0].public).hex):
            do = it.join_do(0)
            do["join"]["key"] = weak
            refused(it, Move(it.signed(0, do)), KeyRefused)

    def test_no_match_opens_under_a_weak_receipt_key(self) -> None:
        terms = table().terms
        weak = replace(terms, receipt_key=with_torsion(terms.receipt_key))
        with pytest.raises(KeyRefused):
            open_match(weak, 0)
        with pytest.raises(KeyRefused):
            receipt_key(weak)

    def test_keys_and_commitments_at_a_table_differ(self) -> None:
        it = table()
        it.join(0)
        same_key = it.join_do(1)
        same_key["join"]["key"] = it.keys.seats[0].public.hex
        root = it.state.join_root.hex()
        refused(it, Move(SignedAction.sign(it.keys.seats[0], it.terms.m, same_key, root, 1, 1)), KeyRefused)
        for taken in (it.keys.seat_seeds[0], it.keys.server_seed):
            same_commitment = it.join_do(1)
            same_commitment["join"]["seed_commitment"] = commitment(taken)
            refused(it, Move(it.signed(1, same_commitment)), CommitmentReused)


class TestSeeds:
    def test_the_last_seed_brings_the_first_deal(self) -> None:
        it = joined()
        it.send_seed(1)
        it.now += 30_000
        assert types(it.do(Move(it.signed(0, {"seed": it.keys.seat_seeds[0].hex()})))) == ["seed", "deal"]
        assert it.state.phase is Phase.PLAY
        assert it.state.deadline == it.state.last_t + 30_000 + 4_000

    def test_a_second_seed_or_another_ones_is_refused(self) -> None:
        it = joined()
        refused(it, Move(it.signed(0, {"seed": "11" * 32})), CommitmentMismatch)
        it.send_seed(0)
        refused(it, Move(it.signed(0, {"seed": "11" * 32})), Stale)

    def test_a_seed_is_sent_between_the_joins_and_the_deal(self) -> None:
        it = table()
        it.join(0)
        seed = {"seed": it.keys.seat_seeds[0].hex()}
        early = SignedAction.sign(it.keys.seats[0], it.terms.m, seed, it.state.root.hex(), 0, 3)
        refused(it, Move(early), WrongPhase)
        late = in_play()
        refused(late, Move(late.signed(0, seed)), Stale)

    def test_a_seed_is_signed_over_the_table_root(self) -> None:
        it = joined()
        seed = {"seed": it.keys.seat_seeds[0].hex()}
        key, m = it.keys.seats[0], it.terms.m
        refused(it, Move(SignedAction.sign(key, m, seed, it.state.join_root.hex(), 0, 3)), RootMismatch)
        refused(it, Move(SignedAction.sign(key, m, seed, it.state.root.hex(), 0, 4)), Malformed)

    def test_three_periods_then_the_complete_side_wins(self) -> None:
        it = joined()
        it.send_seed(1)
        for period in (1, 2, 3):
            assert it.state.deadline is not None
            refused(it, Move(it.signed(0, {"seed": it.keys.seat_seeds[0].hex()})), Late, it.state.deadline + 1)
            it.now = it.state.deadline + 250
            events = it.do(Tick())
            assert events[0].data == {"missing": [0]}
            assert it.state.seed_periods == period
        assert types(events) == ["timeout", "end", "reveal", "settle"]
        assert events[1].data == {"reason": "seed", "winner": 1, "totals": [0, 0]}
        assert [line["amount"] for line in events[3].data["lines"]] == [-1000, 0, 1000, 0, 0]
        assert it.state.overruns == (0, 0)

    def test_both_missing_are_refunded(self) -> None:
        it = joined()
        for _ in range(3):
            it.time_out()
        assert it.state.ending is not None
        assert it.state.ending.winner is None
        assert [line["amount"] for line in it.events[-1].data["lines"]] == [-1000, 500, 500, 0, 0]

    def test_a_seed_in_time_restarts_no_clock(self) -> None:
        it = joined()
        deadline = it.state.deadline
        it.now += 100
        it.send_seed(0)
        assert it.state.deadline == deadline


class TestActing:
    def test_up_to_and_including_the_deadline(self) -> None:
        it = in_play()
        seat, do = first_legal(it)
        assert it.state.deadline is not None
        move = Move(it.signed(seat, do))
        error = refused(it, move, Late, it.state.deadline + 1)
        assert error.details == {"deadline": it.state.deadline}
        refused(it, Move(it.signed(seat, {"resign": True})), Late, it.state.deadline + 1)
        it.now = it.state.deadline
        assert types(it.do(move)) == ["act"]
        assert it.state.deadline == it.now + 30_000

    def test_time_never_goes_back(self) -> None:
        it = in_play()
        last = it.state.last_t
        it.now = last - 1_000_000
        (event,) = it.do(Move(it.signed(*first_legal(it))))
        assert event.t == last

    def test_only_the_seat_on_turn_acts(self) -> None:
        it = in_play()
        seat, do = first_legal(it)
        refused(it, Move(it.signed(1 - seat, do)), NotYourTurn)

    def test_history_signed_over(self) -> None:
        it = in_play()
        seat, do = first_legal(it)
        key, m, size, root = it.keys.seats[seat], it.terms.m, it.state.size, it.state.root.hex()
        stale = refused(it, Move(SignedAction.sign(key, m, do, root, seat, size - 1)), Stale)
        assert stale.details == {"size": size}
        refused(it, Move(SignedAction.sign(key, m, do, root, seat, size + 1)), RootMismatch)
        refused(it, Move(SignedAction.sign(key, m, do, "ab" * 32, seat, size)), RootMismatch)

    def test_a_foreign_signature_learns_nothing_of_the_hand(self) -> None:
        """The signature is looked at before the cards: the reason would tell what the seat holds."""
        it = in_play()
        seat = it.state.turn
        assert seat is not None
        for card in ("S7", "CA"):
            root, size = it.state.root.hex(), it.state.size
            foreign = SignedAction.sign(it.keys.seats[1 - seat], it.terms.m, {"card": card}, root, seat, size)
            refused(it, Move(foreign), SignatureInvalid)

    def test_an_illegal_action_is_refused_with_its_reason(self) -> None:
        it = in_play()
        seat = it.state.turn
        assert seat is not None
        assert refused(it, Move(it.signed(seat, {"card": "S7"})), IllegalAction).details == {"reason": "not_playing"}
        it.act(seat, {"bid": "take"})
        turn, deal = it.state.turn, it.state.deal
        assert turn is not None
        assert deal is not None
        assert deal.hands is not None
        foreign = {"card": format_card(cards_in(deal.hands[1 - turn])[0])}
        assert refused(it, Move(it.signed(turn, foreign)), IllegalAction).details == {"reason": "not_in_hand"}
        assert refused(it, Move(it.signed(turn, {"bid": "pass"})), IllegalAction).details == {"reason": "not_bidding"}

    def test_nobody_acts_before_the_first_deal_or_after_the_end(self) -> None:
        it = joined()
        refused(it, Move(it.signed(0, {"bid": "pass"})), WrongPhase)
        refused(it, Move(it.signed(0, {"resign": True})), WrongPhase)
        it = in_play()
        it.act(0, {"resign": True})
        refused(it, Move(it.signed(1, {"bid": "pass"})), WrongPhase)
        refused(it, Move(it.signed(1, {"resign": True})), WrongPhase)

    def test_a_seat_that_has_not_joined_does_nothing(self) -> None:
        it = table()
        refused(it, Move(it.signed(0, {"bid": "pass"})), WrongPhase)

    @pytest.mark.parametrize("on_turn", [True, False])
    def test_any_seat_resigns_and_the_other_side_wins(self, on_turn: bool) -> None:
        it = in_play()
        assert it.state.turn is not None
        seat = it.state.turn if on_turn else 1 - it.state.turn
        events = it.do(Move(it.signed(seat, {"resign": True})))
        assert types(events) == ["act", "end", "reveal", "settle"]
        assert events[1].data == {"reason": "resigned", "winner": 1 - seat, "totals": [0, 0]}
        assert len({event.t for event in events}) == 1

    def test_four_passes_make_a_void_deal_and_the_next_one(self) -> None:
        it = in_play()
        dealer = it.state.dealer
        for _ in range(3):
            it.act(it.state.turn or 0, {"bid": "pass"})
        events = it.do(Move(it.signed(it.state.turn or 0, {"bid": "pass"})))
        assert types(events) == ["act", "score", "deal"]
        assert events[1].data["outcome"] == "void"
        assert events[2].data["deal"] == 2
        assert it.state.dealer != dealer


class TestClock:
    def test_a_timeout_does_the_first_action_at_the_end_of_the_grace(self) -> None:
        it = in_play()
        seat, first = first_legal(it)
        assert it.state.due_at == (it.state.deadline or 0) + 250
        assert decide(it.state, Tick(), it.state.due_at - 1, it.keys.server_seed) == ()
        it.now = it.state.due_at
        (event,) = it.do(Tick())
        assert (event.type, event.t, event.data) == ("timeout", it.now, {"seat": seat, "overrun": 1, "do": first})
        assert it.state.deadline == it.now + 30_000

    def test_between_deadline_and_grace_nothing_is_done(self) -> None:
        it = in_play()
        seat, do = first_legal(it)
        at = (it.state.deadline or 0) + 1
        assert decide(it.state, Tick(), at, it.keys.server_seed) == ()
        refused(it, Move(it.signed(seat, do)), Late, at)

    def test_the_third_overrun_loses_and_nothing_is_played(self) -> None:
        it = in_play(deals_max=100)
        loser = it.state.turn
        assert loser is not None
        for overrun in (1, 2):
            while it.state.turn != loser:
                it.act(*first_legal(it))
            it.time_out()
            assert it.state.overruns[loser] == overrun
        while it.state.turn != loser:
            it.act(*first_legal(it))
        it.now = it.state.due_at or 0
        events = it.do(Tick())
        assert types(events) == ["timeout", "end", "reveal", "settle"]
        assert events[0].data == {"seat": loser, "overrun": 3}
        assert events[1].data["reason"] == "overruns"
        assert events[1].data["winner"] == 1 - loser
        assert it.state.overruns[1 - loser] == 0

    def test_no_clock_runs_before_the_last_join_and_after_the_end(self) -> None:
        it = table()
        assert decide(it.state, Tick(), it.now + 10**9, it.keys.server_seed) == ()
        it.cancel()
        assert it.state.due_at is None
        assert decide(it.state, Tick(), it.now + 10**9, it.keys.server_seed) == ()

    def test_an_outage_gives_a_fresh_decision_and_costs_nothing(self) -> None:
        it = in_play()
        start = it.now
        it.now += 40_000
        (event,) = it.do(Resume(start, it.now))
        assert event.data == {"from": start, "to": it.now}
        assert it.state.deadline == it.now + 30_000
        assert it.state.overruns == (0, 0)

    def test_an_outage_in_the_seed_phase_ends_no_period(self) -> None:
        it = joined()
        it.now += 40_000
        it.do(Resume(it.now - 40_000, it.now))
        assert it.state.seed_periods == 0
        assert it.state.deadline == it.now + 30_000

    @pytest.mark.parametrize(("start", "end"), [(-5_000, 0), (-40_000, 1), (-40_000, -40_001), (-60_000, -1_000)])
    def test_what_is_no_outage(self, start: int, end: int) -> None:
        """Too short; ending after now; ending before it began; before the `to` of the last one."""
        it = in_play()
        it.now += 100_000
        it.do(Resume(it.now - 90_000, it.now - 50_000))
        error = refused(it, Resume(it.now + start, it.now + end), RuleBroken)
        assert error.details == {"reason": "resume"}

    def test_matches_resume_between_last_join_and_end(self) -> None:
        it = table()
        it.join(0)
        it.now += 100_000
        refused(it, Resume(it.now - 90_000, it.now), RuleBroken)
        it.join(1)
        it.void()
        refused(it, Resume(it.now - 90_000, it.now), RuleBroken)


class TestOperator:
    @pytest.mark.parametrize("joins", [0, 1])
    def test_cancel_before_the_last_join(self, joins: int) -> None:
        it = table()
        for seat in range(joins):
            it.join(seat)
        refused(it, Void(), WrongPhase)
        events = it.do(Cancel())
        assert types(events) == ["end", "reveal"]
        assert events[0].data == {"reason": "cancelled", "winner": None, "totals": [0, 0]}
        assert it.state.phase is Phase.CLOSED

    @pytest.mark.parametrize("make", [joined, in_play])
    def test_void_after_the_last_join(self, make: Callable[[], Table]) -> None:
        it = make()
        refused(it, Cancel(), WrongPhase)
        events = it.do(Void())
        assert types(events) == ["end", "reveal", "settle"]
        assert events[0].data == {"reason": "void", "winner": None, "totals": [0, 0], "cause": "operator"}
        assert [line["amount"] for line in events[2].data["lines"]] == [-1000, 500, 500, 0, 0]

    def test_nothing_ends_twice(self) -> None:
        it = in_play()
        it.void()
        for command in (Void(), Cancel()):
            refused(it, command, WrongPhase)

    def test_without_a_stake_nothing_is_settled(self) -> None:
        it = in_play(stake=0)
        assert types(it.do(Move(it.signed(0, {"resign": True})))) == ["act", "end", "reveal"]
        assert it.state.phase is Phase.CLOSED

    def test_the_deal_limit_ends_void(self) -> None:
        it = in_play(deals_max=1)
        for _ in range(4):
            it.act(it.state.turn or 0, {"bid": "pass"})
        assert it.state.ending is not None
        assert (it.state.ending.reason, it.state.ending.cause) == ("void", "deal_limit")

    def test_the_target_comes_before_the_deal_limit(self) -> None:
        it = in_play(deals_max=1, target=1)
        it.act(it.state.turn or 0, {"bid": "take"})
        play_on(it, lambda it: it.state.turn is None)
        assert it.state.ending is not None
        assert it.state.ending.reason == "target"

    def test_terms_out_of_range_do_not_open(self) -> None:
        terms = table().terms
        for change in ({"stake": 2**53 // 2 + 1}, {"deals_max": 0}, {"log": "a b"}, {"commitment": "AB" * 32}):
            with pytest.raises(Malformed):
                open_match(replace(terms, **change), 0)


class TestRetries:
    def test_the_same_action_is_found_again_and_no_other(self) -> None:
        it = in_play()
        seat, do = first_legal(it)
        act = it.signed(seat, do)
        assert retry_of(lines(it), act) is None
        it.do(Move(act))
        assert retry_of(lines(it), act) == it.state.size - 1
        assert retry_of(lines(it), replace(act, sig="00" * 64)) is None
        assert retry_of(lines(it), replace(act, do={"bid": "take"})) is None
        assert retry_of(lines(it), replace(act, size=act.size + 1)) is None
        refused(it, Move(act), Stale)

    def test_joins_and_seeds_too(self) -> None:
        it = table()
        joins = {seat: it.signed(seat, it.join_do(seat)) for seat in (1, 0)}
        for join in joins.values():
            it.do(Move(join))
        seeds = {seat: it.signed(seat, {"seed": it.keys.seat_seeds[seat].hex()}) for seat in (0, 1)}
        for seed in seeds.values():
            it.do(Move(seed))
        assert [retry_of(lines(it), joins[seat]) for seat in (0, 1)] == [2, 1]
        assert [retry_of(lines(it), seeds[seat]) for seat in (0, 1)] == [3, 4]
        assert retry_of(lines(it), replace(joins[0], seat=1)) is None

    def test_a_repeat_of_a_long_match_is_found_without_reading_it_all(self) -> None:
        it = in_play()
        seat, do = first_legal(it)
        act, seed = it.signed(seat, do), it.signed(seat, {"seed": it.keys.seat_seeds[seat].hex()})
        it.do(Move(act))
        place = it.state.size - 1
        unread = [*lines(it), *[b"not read"] * 1_000]
        assert retry_of([b"not read"] * place + unread[place:], act) == place
        assert retry_of(unread, replace(seed, sig="00" * 64)) is None
        assert retry_of(unread, replace(seed, size=2**63 - 1)) is None

    def test_another_key_is_another_action(self) -> None:
        it = in_play()
        stranger = SigningKey.from_seed(Seed(b"\x05" * 32).reveal())
        seat, do = first_legal(it)
        forged = SignedAction.sign(stranger, it.terms.m, do, it.state.root.hex(), seat, it.state.size)
        refused(it, Move(forged), SignatureInvalid)
