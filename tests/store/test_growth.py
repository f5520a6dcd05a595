"""Nothing that is done again and again reads more when there is a longer past. What it reads is counted in SQLite's own
steps, and in PostgreSQL's rows; what guards and functions of ours read is in it.
"""

import secrets
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import psycopg
import pytest

from fairdeal.app.ports import Session
from fairdeal.app.safeguard_ports import Exclusion, Switch
from fairdeal.app.sequencer import append_batch, load_edge
from fairdeal.ledger import Transaction, Win
from fairdeal.store import SqlStore, postgresql, sqlite
from fairdeal.tlog import Tile
from tests.bench.past import Past
from tests.durability.process import until
from tests.store.house import ASSET, House

SHORT: Final = 150
LONG: Final = 500
"""Matches that are over."""
RECENT: Final = 30
MONTH: Final = 999_302_400_000  # of September 2001
NOW: Final = MONTH + 2 * 10**9
TIMES: Final = {"sqlite": 2, "postgresql": 12}
"""Each is done: the driver prepares at the sixth, and PostgreSQL may take one plan for all values at the eleventh."""
PAGE: Final = 8
STEPS: Final = 10
"""SQLite counts by."""
IN_LARGE_TABLES: Final = " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
"""To read all of a table is not the shortest way there."""
OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
AND backend_type = 'client backend'"""
READ: Final = """
SELECT coalesce(sum(seq_tup_read), 0)::bigint FROM pg_stat_user_tables
UNION ALL SELECT coalesce(sum(idx_tup_read), 0)::bigint FROM pg_stat_user_indexes"""


class Guest(House):
    """In a house with a past, which nobody sums up after every step."""

    def __init__(self, place: Path | str, store: SqlStore) -> None:
        super().__init__(store)
        self.place, self.now = place, NOW
        self.m, *_ = self.live(500)
        self.finish(self.m, Win(0))

    def move_in(self, past: Past) -> None:
        """Beside the regular of that past. Some matches are not over."""
        self.past = past
        self.live(0)
        self.open(past.regular, 0)
        # Places with less than a page behind them.
        self.late_match = self.store.own_matches(past.regular, None, LONG)[-5].seq
        self.late_line = self.store.wallet_lines(past.regular, ASSET, None, LONG)[-5].seq

    def id(self) -> str:
        self.now += 1
        return secrets.token_hex(16)

    def check(self) -> None:
        pass


Work: TypeAlias = Callable[[Guest], object]


def _settled(guest: Guest) -> None:
    match_id, *_ = guest.live(500)
    guest.commit(guest.append(match_id))
    guest.finish(match_id, Win(0))


def _cancelled(guest: Guest) -> None:
    match_id = guest.open(guest.account(500), 500)
    guest.sit(match_id, guest.account(500))
    guest.cancel(match_id)


def _stood_up(guest: Guest) -> None:
    """The regular, whose stakes of the month are held against a limit."""
    guest.store.set_limit(guest.past.regular, ASSET, "stake", "month", 10**9, guest.now)
    match_id = guest.open(guest.account(), 500)
    guest.stand_up(match_id, guest.sit(match_id, guest.past.regular))


def _paid_out(guest: Guest) -> None:
    withdrawal = guest.withdraw(guest.past.regular, 100)
    guest.store.pending_withdrawals(None, PAGE)
    guest.end(withdrawal, "paid")


def _logged_in(guest: Guest) -> None:
    account_id, token = guest.account(), guest.id().encode()
    guest.store.open_session(Session(token, account_id, NOW + 10**8), guest.now, "hash")
    assert guest.store.session_account(token, guest.now) is not None
    guest.store.close_session(token)


def _stopped(guest: Guest) -> None:
    account_id = guest.account()
    guest.store.exclude(account_id, Exclusion("cool_off", guest.now, guest.now + 1_000))
    guest.store.switch(Switch(account_id, False, "why", guest.now))
    guest.store.switch(Switch(account_id, True, "why", guest.now))


def _sequenced(guest: Guest) -> None:
    guest.store.queue_leaf(b'{"from":1,"to":%d,"type":"outage"}' % guest.now)
    store = guest.store
    append_batch(store, load_edge(store))
    head = store.log_head()
    if store.checkpoint(head.size) is None:
        store.keep_checkpoint(head.size, "a note")
        store.add_cosignature(head.size, "w1", "a line")


def _kept_alive(guest: Guest) -> None:
    store, now = guest.store, guest.now
    store.beat(guest.now)
    store.last_beat()
    store.due_matches(now - 10**8, 200)
    store.unfinished_matches()
    store.count_unfinished()
    store.queued_leaves(256)
    store.journal_mark()
    store.checkpoint()
    store.outages(now)


def _begun(guest: Guest) -> None:
    guest.store.oldest_open()
    guest.store.newest_open(ASSET)
    guest.store.last_significant("key", {"key": "log"})
    guest.store.last_significant("schedule", {"asset": ASSET})
    guest.store.key_leaves()


def _listed(guest: Guest) -> None:
    store, regular = guest.store, guest.past.regular
    store.account_named(regular)
    store.wallet(regular, ASSET)
    store.limits(regular, guest.now)
    for before in (None, guest.late_match):
        store.own_matches(regular, before, PAGE)
    for before in (None, guest.late_line):
        store.wallet_lines(regular, ASSET, before, PAGE)
        store.withdrawals(regular, before, PAGE)
    month = store.statement(regular, ASSET, MONTH, NOW)
    store.statement_lines(regular, ASSET, month.after, month.last, PAGE)
    store.open_tables(None, PAGE)


def _shown(guest: Guest) -> None:
    store = guest.store
    for before in (None, PAGE):
        store.match_facts(before, PAGE)
        store.significant_events(before, PAGE)
        store.significant_events(before, PAGE, "limit")
        store.pending_withdrawals(before, PAGE)
    store.switches_off()
    for start in (0, 400):
        lines = store.journal(start, PAGE)
        store.transactions([Transaction.parse(line).id for line in lines])
        store.roster(start // 10, PAGE)
        store.match_ends(start // 10, PAGE)


def _read_of_the_log(guest: Guest) -> None:
    store = guest.store
    size = store.log_head().size
    store.match_leaves(guest.m)
    store.leaves(size - PAGE, size)
    store.tile(Tile(0, 0, 1))
    store.checkpoint(size)
    store.checkpoint_sizes(PAGE, PAGE)
    store.cosigned_checkpoints(0, ["w1", "w2"], 1, PAGE)
    store.table(guest.m)
    store.events(guest.m)


WORKS: Final[dict[str, Work]] = {
    "a match, from its table to its money": _settled,
    "a table called off": _cancelled,
    "a seat taken under a limit, and left": _stood_up,
    "a deposit that is reversed": lambda guest: guest.reverse(guest.deposit(guest.past.regular, 70)),
    "a withdrawal": _paid_out,
    "a login": _logged_in,
    "stops": _stopped,
    "an erasure": lambda guest: guest.store.erase(guest.account(), "none", "asked", guest.now, 0),
    "the log": _sequenced,
    "the looks": _kept_alive,
    "a start": _begun,
    "a player's lists": _listed,
    "an operator's and an auditor's lists": _shown,
    "the log's readers": _read_of_the_log,
}


class Counter:
    """Opens stores, and says how much they read until they are closed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._steps = 0
        self._configure = sqlite._configure
        monkeypatch.setattr(sqlite, "_configure", self._count)
        monkeypatch.setattr(postgresql, "_SESSION", postgresql._SESSION + IN_LARGE_TABLES)

    def reads(self, place: Path | str, work: Callable[[SqlStore], object]) -> int:
        """In SQLite's steps, or PostgreSQL's rows."""
        before = self._read(place)
        store = SqlStore(place)
        work(store)
        store.close()
        return self._read(place) - before

    def _count(self, connection: sqlite3.Connection, *entry: None) -> None:
        self._configure(connection, *entry)
        connection.set_progress_handler(self._step, STEPS)

    def _step(self) -> None:
        self._steps += STEPS

    def _read(self, place: Path | str) -> int:
        if not isinstance(place, str):
            return self._steps
        with psycopg.connect(place, autocommit=True) as connection:
            until(lambda: connection.execute(OTHERS).fetchone() == (0,))  # they have counted when they are gone
            return sum(rows for (rows,) in connection.execute(READ))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def guests(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Guest]]:
    """In a house with a short past, and in one with a long past, on each database."""
    places: list[Path | str] = [tmp_path_factory.mktemp("houses") / f"{name}.db" for name in ("short", "long")]
    if request.param == "postgresql":
        postgres = request.getfixturevalue("postgres")
        places = [postgres.database() for _ in places]
    yield [moved_in(place, matches) for place, matches in zip(places, (SHORT, LONG), strict=True)]
    for place in places:
        if isinstance(place, str):
            postgres.drop(place)


def moved_in(place: Path | str, matches: int) -> Guest:
    """Into a house with so many that are over."""
    store = SqlStore(place)
    guest = Guest(place, store)
    store.close()
    past = Past(place, guest.m, players=30, recent=RECENT)
    past.write(matches, MONTH, NOW)
    guest.store = store = SqlStore(place)
    guest.move_in(past)
    store.close()
    return guest


@pytest.mark.parametrize("name", WORKS)
def test_nothing_reads_more_of_a_longer_past(name: str, guests: list[Guest], monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    times = TIMES["postgresql" if isinstance(guests[0].place, str) else "sqlite"]
    short, long = (counter.reads(guest.place, partial(again, times, guest, WORKS[name])) for guest in guests)
    assert long - short < times * (LONG - SHORT) / 2


def again(times: int, guest: Guest, work: Work, store: SqlStore) -> None:
    guest.store = store
    for _ in range(times):
        work(guest)
