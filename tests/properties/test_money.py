"""Money over all amounts, schedules and histories: nothing is made, nothing is lost."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from fairdeal.app.cashier_ports import WithdrawalResult
from fairdeal.app.ports import Append, CommitResult, Status
from fairdeal.errors import (
    AlreadySeated,
    InsufficientFunds,
    NotReversible,
    NotSeated,
    TableClosed,
    WithdrawalEnded,
)
from fairdeal.ledger import FeeSchedule, Kind, Outcome, Refund, SeedForfeit, TaxBase, Transaction, Win, settlement
from fairdeal.limits import MAX_SAFE_INTEGER
from fairdeal.store import SqlStore
from tests.store.house import House
from tests.store.postgres import Postgres


@st.composite
def schedules(draw: st.DrawFn) -> FeeSchedule:
    commission_bp = draw(st.integers(0, 10_000))
    tax_bp = draw(st.integers(0, 10_000 - commission_bp))
    cap = draw(st.integers(0, 1_000) | st.integers(0, MAX_SAFE_INTEGER) | st.just(MAX_SAFE_INTEGER))
    base: TaxBase = draw(st.sampled_from(("pot", "commission")))
    return FeeSchedule("any", commission_bp, cap, tax_bp, base)


amounts = st.integers(0, 1_000) | st.integers(0, MAX_SAFE_INTEGER)


@given(schedules(), amounts)
def test_a_pot_is_its_net_commission_and_tax_each_by_its_formula(schedule: FeeSchedule, pot: int) -> None:
    parts = schedule.breakdown(pot)
    assert parts.net + parts.commission + parts.tax == pot
    assert min(parts.net, parts.commission, parts.tax) >= 0
    # The formulas again, as inequalities: q = floor(x·bp/10000) exactly when 0 ≤ x·bp − 10000·q < 10000.
    if parts.commission < schedule.commission_cap:
        assert 0 <= pot * schedule.commission_bp - 10_000 * parts.commission < 10_000
    else:
        assert parts.commission == schedule.commission_cap
        assert pot * schedule.commission_bp >= 10_000 * parts.commission
    base = pot if schedule.tax_base == "pot" else parts.commission
    assert 0 <= base * schedule.tax_bp - 10_000 * parts.tax < 10_000


def test_the_identity_for_every_small_pot_and_edge_rate() -> None:
    rates = [(0, 0), (1, 1), (1, 9999), (750, 200), (3333, 3333), (5000, 5000), (9999, 1), (10_000, 0), (0, 10_000)]
    bases: tuple[TaxBase, ...] = ("pot", "commission")
    for commission_bp, tax_bp in rates:
        for base in bases:
            for cap in (0, 1, 7, MAX_SAFE_INTEGER):
                schedule = FeeSchedule("edge", commission_bp, cap, tax_bp, base)
                for pot in range(400):
                    parts = schedule.breakdown(pot)
                    assert parts.commission + parts.tax + parts.net == pot
                    assert min(parts.commission, parts.tax, parts.net) >= 0


outcomes: st.SearchStrategy[Outcome] = (
    st.builds(Win, st.integers(0, 1)) | st.builds(SeedForfeit, st.integers(0, 1)) | st.just(Refund())
)


@given(st.sampled_from([(0, 1), (0, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1, 1, 0)]), amounts, outcomes, schedules())
def test_every_settlement_sums_to_zero(
    sides: tuple[int, ...], money: int, outcome: Outcome, schedule: FeeSchedule
) -> None:
    stake = money // len(sides)
    lines = settlement(sides, stake, outcome, schedule)
    if stake == 0:
        assert lines == ()
        return
    seats = [f"seat:{seat}" for seat in range(len(sides))]
    assert [line.account for line in lines] == ["pot", *seats, "commission", "tax"]
    assert sum(line.amount for line in lines) == 0
    assert lines[0].amount == -stake * len(sides)
    payouts = [line.amount for line in lines[1:-2]]
    assert min(payouts) >= 0
    fees = lines[-2].amount + lines[-1].amount
    match outcome:
        case Win(side):
            won = [amount for amount, of in zip(payouts, sides, strict=True) if of == side]
            assert sum(won) == sum(payouts) == stake * len(sides) - fees
            assert won == sorted(won, reverse=True)
            assert won[0] - won[-1] <= 1
        case SeedForfeit(side):
            assert payouts == [2 * stake if of == side else 0 for of in sides]
            assert fees == 0
        case Refund():
            assert payouts == [stake] * len(sides)
            assert fees == 0


Places: TypeAlias = Callable[[], contextlib.AbstractContextManager[Path | str]]
"""Each call gives an empty place for a store, which is gone afterwards."""
EXAMPLES: Final = {"sqlite": 25, "postgresql": 5}
SOAK: Final = float(os.environ.get("SOAK", "1"))


@pytest.fixture(params=list(EXAMPLES))
def places(request: pytest.FixtureRequest) -> Places:
    @contextlib.contextmanager
    def of_files() -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as directory:
            yield Path(directory) / "house.db"

    @contextlib.contextmanager
    def of_databases() -> Iterator[str]:
        url = postgres.database()
        try:
            yield url
        finally:
            postgres.drop(url)

    if request.param == "sqlite":
        return of_files
    postgres: Postgres = request.getfixturevalue("postgres")
    return of_databases


class AnyHistory(RuleBasedStateMachine):
    """Players come, pay in and out, by mistake too, open, sit, stand up, play, win, leave, in any order; `House` checks
    the whole books after every step that moves money, and stale appends are kept to be tried again at any later moment.
    """

    def __init__(self, places: Places) -> None:
        super().__init__()
        self.exit = contextlib.ExitStack()
        self.store = SqlStore(self.exit.enter_context(places()))
        self.exit.callback(self.store.close)
        self.house = House(self.store)
        self.players = [self.house.account(700) for _ in range(3)]
        self.tables: list[str] = []
        self.kept: list[Append] = []
        self.asked: list[str] = []

    def teardown(self) -> None:
        self.exit.close()

    @rule(player=st.integers(0, 2), amount=st.integers(1, 500))
    def deposit(self, player: int, amount: int) -> None:
        self.house.deposit(self.players[player], amount)

    @rule(player=st.integers(0, 2), amount=st.integers(1, 700))
    def withdraw(self, player: int, amount: int) -> None:
        with contextlib.suppress(InsufficientFunds):
            self.asked.append(self.house.withdraw(self.players[player], amount))

    @precondition(lambda self: self.asked)
    @rule(data=st.data(), result=st.sampled_from(("paid", "refused")))
    def answer(self, data: st.DataObject, result: WithdrawalResult) -> None:
        with contextlib.suppress(WithdrawalEnded):
            assert self.house.end(data.draw(st.sampled_from(self.asked)), result).result == result

    @rule(data=st.data())
    def reverse(self, data: st.DataObject) -> None:
        """Any deposit or payout, once; a deposit only while its money is there."""
        posted = [Transaction.parse(line) for line in self.store.journal(0, 10_000)]
        mistake = data.draw(st.sampled_from([one for one in posted if one.kind in (Kind.DEPOSIT, Kind.PAYOUT)]))
        done = f"reversal:{mistake.id.split(':')[1]}" in {one.id for one in posted}
        try:
            self.store.reverse(mistake.id, "a slip", self.house.now, self.house.once())
        except NotReversible:
            assert done
        except InsufficientFunds:
            assert mistake.kind is Kind.DEPOSIT
        else:
            assert not done

    @rule(player=st.integers(0, 2), stake=st.sampled_from([0, 1, 333, 500]))
    def open(self, player: int, stake: int) -> None:
        self.tables.append(self.house.open(self.players[player], stake))

    @precondition(lambda self: self.tables)
    @rule(player=st.integers(0, 2), data=st.data())
    def sit(self, player: int, data: st.DataObject) -> None:
        match_id = data.draw(st.sampled_from(self.tables))
        self.keep(match_id)
        with contextlib.suppress(AlreadySeated, TableClosed, InsufficientFunds):
            self.house.sit(match_id, self.players[player])

    @precondition(lambda self: self.tables)
    @rule(data=st.data())
    def stand_up(self, data: st.DataObject) -> None:
        match_id = data.draw(st.sampled_from(self.tables))
        seated = self.house.table(match_id).seated
        if not seated:
            return
        self.keep(match_id)
        seat = data.draw(st.sampled_from(seated))
        for _ in range(2):
            with contextlib.suppress(TableClosed, NotSeated):
                self.house.stand_up(match_id, seat)

    @precondition(lambda self: self.tables)
    @rule(data=st.data(), outcome=outcomes)
    def go_on(self, data: st.DataObject, outcome: Outcome) -> None:
        match_id = data.draw(st.sampled_from(self.tables))
        status = self.house.table(match_id).status
        self.keep(match_id)
        if status is Status.JOINING and data.draw(st.booleans()):
            self.house.start(match_id)
        elif status is Status.LIVE:
            self.house.finish(match_id, outcome)
        elif status is not Status.ENDED:
            self.house.cancel(match_id)

    def keep(self, match_id: str) -> None:
        if self.house.table(match_id).status in (Status.OPEN, Status.JOINING):
            self.kept.append(self.house.cancellation(match_id))

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def try_an_old_intention(self, data: st.DataObject) -> None:
        append = data.draw(st.sampled_from(self.kept))
        table = self.house.table(append.match_id)
        fresh = (table.size, table.seating) == (append.size, append.seating)
        assert self.house.commit(append) is (CommitResult.COMMITTED if fresh else CommitResult.STALE)

    @invariant()
    def nobody_is_below_zero_and_everything_sums_to_zero(self) -> None:
        self.house.check()


def run_histories(places: Places, examples: int) -> None:
    profile = settings(max_examples=examples, stateful_step_count=30)
    run_state_machine_as_test(lambda: AnyHistory(places), settings=profile)


def test_any_history(places: Places, request: pytest.FixtureRequest) -> None:
    run_histories(places, EXAMPLES[request.node.callspec.params["places"]])


@pytest.mark.soak
def test_many_histories(places: Places, request: pytest.FixtureRequest) -> None:
    run_histories(places, max(1, round(5 * SOAK * EXAMPLES[request.node.callspec.params["places"]])))
